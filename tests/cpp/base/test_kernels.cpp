#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "base/kernels.hpp"
#include "doctest/doctest.h"
#include "support/problem.hpp"

namespace silvics {

extern const Kernels kPortableKernels, kAvx2Kernels;

namespace {

using test::pick;
using test::pick_real;
using test::Rng;

// Every table of kernels that this processor can run.
std::vector<const Kernels*> tables() {
    std::vector<const Kernels*> all = {&kPortableKernels};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2"))
        all.push_back(&kAvx2Kernels);
#endif
    return all;
}

constexpr std::size_t kSizes[] = {1,  2,  3,  4,  5,  7,  8,  9,   15,  16,
                                  17, 31, 32, 33, 63, 64, 65, 255, 256, 1000};

// check(kernels, rng, n) for every table at every size, on the same input for all tables.
template <class Check>
void at_every_size(std::uint64_t seed, Check&& check) {
    for (const std::size_t n : kSizes)
        for (std::uint64_t repeat = 0; repeat < 6; ++repeat)
            for (const Kernels* table : tables()) {
                CAPTURE(n);
                CAPTURE(std::string(table->name));
                Rng rng(seed * 1000000 + n * 100 + repeat);
                check(*table, rng, n);
            }
}

std::vector<std::uint16_t> random_codes(Rng& rng, std::size_t n, std::size_t levels) {
    std::vector<std::uint16_t> codes(n);
    for (auto& code : codes) code = static_cast<std::uint16_t>(pick(rng, levels));
    return codes;
}

std::size_t random_levels(Rng& rng) {
    constexpr std::size_t kLevels[] = {1, 2, 30, 1000, 65536};
    return kLevels[pick(rng, 5)];
}

// Up to one above the largest code there can be.
std::uint32_t random_limit(Rng& rng, const std::vector<std::uint16_t>& codes) {
    const std::uint32_t limits[] = {0, 1, codes[pick(rng, codes.size())], 40000, 65535, 65536};
    return limits[pick(rng, 6)];
}

std::vector<double> random_reals(Rng& rng, std::size_t n, double low, double high) {
    std::vector<double> reals(n);
    for (double& r : reals) r = pick_real(rng, low, high);
    return reals;
}

std::vector<double> random_weights(Rng& rng, std::size_t n) {
    std::vector<double> weights(n);
    for (double& w : weights) w = static_cast<double>(1 + pick(rng, 7));
    return weights;
}

std::vector<std::uint8_t> random_marks(Rng& rng, std::size_t n) {
    std::vector<std::uint8_t> marks(n);
    for (auto& mark : marks) mark = static_cast<std::uint8_t>(pick(rng, 2));
    return marks;
}

TEST_CASE("the kernels picked are the best for this processor, unless a path is asked for") {
    const char* asked = std::getenv("SILVICS_CPU");
    CHECK(std::string(kernels().name) == (asked ? asked : tables().back()->name));
    CHECK(std::string(kPortableKernels.name) == "portable");
}

TEST_CASE("ranks of keys count the keys below") {
    at_every_size(1, [](const Kernels& table, Rng& rng, std::size_t n) {
        const std::size_t padded = (n + 7) / 8 * 8;
        std::vector<std::uint32_t> keys(padded, 0x7FFFFFFF), ranks(padded);
        const std::size_t levels = random_levels(rng) * 30000;  // up to 31 bits
        for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::uint32_t>(pick(rng, levels));
        table.rank_keys(keys.data(), n, padded, ranks.data());
        bool right = true;
        for (std::size_t i = 0; i < n; ++i)
            right &= ranks[i] == std::count_if(keys.begin(),
                                               keys.begin() + static_cast<std::ptrdiff_t>(n),
                                               [&](std::uint32_t key) { return key < keys[i]; });
        CHECK(right);
    });
}

TEST_CASE("cuts are scored by the formula, to the last bit, and the largest is told") {
    at_every_size(2, [](const Kernels& table, Rng& rng, std::size_t n) {
        std::vector<double> w = random_reals(rng, n, 0.5, 99.5), t = random_reals(rng, n, -9, 9);
        const CutSums sums{w.data(), t.data(), 100.0, pick_real(rng, -9, 9), 2.0};
        std::vector<double> score(n), expected(n);
        for (std::size_t j = 0; j < n; ++j) {
            const double d = t[j] * sums.node_weight - sums.node_term * w[j];
            expected[j] = sums.factor * (d * d) / (w[j] * (sums.node_weight - w[j]));
        }
        CHECK(table.score_cuts(sums, n, score.data()) == std::ranges::max(expected));
        CHECK(score == expected);
    });
}

// Samples in bins, one after another: the sums up to each bin's end, and the bins' spreads.
struct BinnedSamples {
    std::vector<double> w, y;          // of each sample
    std::vector<std::size_t> bin;      // and its bin
    std::vector<double> weight, term;  // up to the end of each bin
    std::vector<double> spread;        // of each bin
    std::vector<double> best_of_bin;   // of the cuts within it
    double node_weight = 0.0, node_term = 0.0;

    double score(double left_weight, double left_term) const {
        const double d = left_term * node_weight - node_term * left_weight;
        return d * d / (left_weight * (node_weight - left_weight));
    }

    BinnedSamples(Rng& rng, std::size_t n_bins)
        : weight(n_bins), term(n_bins), spread(n_bins), best_of_bin(n_bins, -INFINITY) {
        const bool classes = pick(rng, 2) == 0;
        for (std::size_t b = 0; b < n_bins; ++b) {
            const double level = std::sin(static_cast<double>(b) / 3.0);
            const std::size_t size = 1 + pick(rng, 6);
            for (std::size_t i = 0; i < size; ++i) {
                w.push_back(static_cast<double>(1 + pick(rng, 3)));
                y.push_back(classes ? static_cast<double>(pick_real(rng, -1.0, 1.0) < level)
                                    : level + pick_real(rng, -0.3, 0.3));
                bin.push_back(b);
            }
        }
        for (std::size_t i = 0; i < w.size(); ++i) {
            node_weight += w[i];
            node_term += w[i] * y[i];
            weight[bin[i]] = node_weight;
            term[bin[i]] = node_term;
        }
        for (std::size_t b = 0; b < n_bins; ++b) {
            double bin_weight = 0.0, mean = 0.0;
            for (std::size_t i = 0; i < w.size(); ++i)
                if (bin[i] == b) bin_weight += w[i], mean += w[i] * y[i];
            mean /= bin_weight;
            for (std::size_t i = 0; i < w.size(); ++i)
                if (bin[i] == b) spread[b] += bin_weight * w[i] * (y[i] - mean) * (y[i] - mean);
        }
        double left_weight = 0.0, left_term = 0.0;
        for (std::size_t i = 0; i + 1 < w.size(); ++i) {
            left_weight += w[i];
            left_term += w[i] * y[i];
            if (bin[i] == bin[i + 1])
                best_of_bin[bin[i]] = std::max(best_of_bin[bin[i]], score(left_weight, left_term));
        }
    }
};

TEST_CASE("a bin that holds a cut of the wanted score is never ruled out") {
    std::size_t ruled_out = 0, kept = 0;
    at_every_size(3, [&](const Kernels& table, Rng& rng, std::size_t n) {
        if (n < 3) return;
        const BinnedSamples bins(rng, n);
        const CutSums sums{bins.weight.data(), bins.term.data(), bins.node_weight, bins.node_term,
                           1.0};
        for (int part = 0; part <= 2; ++part) {
            const double wanted = std::ranges::max(bins.best_of_bin) * part / 2;
            std::vector<std::uint8_t> may(n, 7);
            const std::size_t count =
                table.bins_that_may(sums, bins.spread.data(), n, wanted, may.data());
            CHECK(may.front() == 7);  // the ends are judged elsewhere
            CHECK(may.back() == 7);
            bool sound = true, plain = true;
            std::size_t expected = 0;
            for (std::size_t b = 1; b + 1 < n; ++b) {
                sound &= may[b] == 1 || bins.best_of_bin[b] < wanted || bins.spread[b] == 0.0;
                // The ends of the bin, each as far to the good side as the spread allows.
                bool corner = false;
                for (const std::size_t end : {b - 1, b}) {
                    const double w = bins.weight[end], W = bins.node_weight;
                    const double d = std::fabs(bins.term[end] * W - bins.node_term * w) +
                                     std::sqrt(bins.spread[b] * (0.25 * W * W));
                    corner |= d * d >= wanted * (1.0 - 1e-9) * (w * (W - w));
                }
                plain &= may[b] == (corner && bins.spread[b] > 0.0);
                expected += may[b];
            }
            CHECK(sound);
            CHECK(plain);
            CHECK(count == expected);
            if (part == 2) ruled_out += n - 2 - count, kept += count;
        }
    });
    CHECK(ruled_out > 5 * kept);  // and most others are
}

TEST_CASE("bins without spread have nothing to find, whatever is wanted") {
    for (const Kernels* table : tables()) {
        const double weight[] = {1.0, 2.0, 3.0, 4.0}, term[] = {1.0, 1.0, 2.0, 2.0};
        const double spread[] = {0.0, 0.0, 1e-300, 0.0};
        std::uint8_t may[4] = {};
        CHECK(table->bins_that_may({weight, term, 4.0, 2.0, 2.0}, spread, 4, -INFINITY, may) == 1);
        CHECK(may[1] == 0);
        CHECK(may[2] == 1);
    }
}

TEST_CASE("words are summed, all, those marked and those of low codes") {
    at_every_size(4, [](const Kernels& table, Rng& rng, std::size_t n) {
        std::vector<std::uint64_t> words(n);
        for (auto& word : words) word = rng() >> 12;  // a thousand of them fit into one
        const auto marks = random_marks(rng, n);
        const auto codes = random_codes(rng, n, random_levels(rng));
        const std::uint32_t limit = random_limit(rng, codes);
        std::uint64_t all = 0, marked = 0, below = 0;
        for (std::size_t i = 0; i < n; ++i) {
            all += words[i];
            if (marks[i] != 0) marked += words[i];
            if (codes[i] < limit) below += words[i];
        }
        CHECK(table.sum_words(words.data(), n) == all);
        CHECK(table.sum_words_marked(words.data(), marks.data(), n) == marked);
        CHECK(table.sum_words_below(codes.data(), words.data(), n, limit) == below);
    });
}

TEST_CASE("outputs are summed on two grids without rounding: all, those marked, of low codes") {
    at_every_size(5, [](const Kernels& table, Rng& rng, std::size_t n) {
        const int bits = 25 + static_cast<int>(pick(rng, 14));
        const OutputGrid grid{std::ldexp(1.5, 52 - bits), std::ldexp(1.5, 52 - 2 * bits)};
        const auto w = random_weights(rng, n), y = random_reals(rng, n, -1.0, 1.0);
        const auto marks = random_marks(rng, n);
        const auto codes = random_codes(rng, n, random_levels(rng));
        const std::uint32_t limit = random_limit(rng, codes);
        std::vector<double> all(3, 0.0), marked(3, 0.0), below(3, 0.0), sums(3);
        for (std::size_t i = n; i-- > 0;) {  // the other way round: it does not matter
            const double h = std::ldexp(std::nearbyint(std::ldexp(y[i], bits)), -bits);
            const double l = std::ldexp(std::nearbyint(std::ldexp(y[i] - h, 2 * bits)), -2 * bits);
            CHECK(grid.high_part(y[i]) == h);
            CHECK(grid.low_part(y[i], h) == l);
            const double terms[] = {w[i], w[i] * h, w[i] * l};
            for (std::size_t k = 0; k < 3; ++k) {
                all[k] += terms[k];
                if (marks[i] != 0) marked[k] += terms[k];
                if (codes[i] < limit) below[k] += terms[k];
            }
        }
        table.sum_outputs(grid, w.data(), y.data(), n, sums.data());
        CHECK(sums == all);
        table.sum_outputs_marked(grid, w.data(), y.data(), marks.data(), n, sums.data());
        CHECK(sums == marked);
        table.sum_outputs_below(grid, codes.data(), w.data(), y.data(), n, limit, sums.data());
        CHECK(sums == below);
    });
}

TEST_CASE("squares around a mean are summed in four lanes") {
    at_every_size(6, [](const Kernels& table, Rng& rng, std::size_t n) {
        const auto w = random_weights(rng, n), y = random_reals(rng, n, -1.0, 1.0);
        const double mean = pick_real(rng, -0.1, 0.1);
        double lanes[4] = {};
        long double exact = 0.0L;
        for (std::size_t i = 0; i < n; ++i) {
            const double e = y[i] - mean;
            lanes[i % 4] += w[i] * (e * e);
            exact += static_cast<long double>(w[i]) * e * e;
        }
        const double sum = table.sum_squares(w.data(), y.data(), n, mean);
        CHECK(sum == (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]));
        CHECK(sum == doctest::Approx(static_cast<double>(exact)).epsilon(1e-13));
    });
}

TEST_CASE("a survey tells the range of values and whether they are whole numbers of 31 bits") {
    at_every_size(7, [](const Kernels& table, Rng& rng, std::size_t n) {
        std::vector<double> values(n);
        for (double& v : values) v = static_cast<double>(pick(rng, 2000)) - 1000.0;
        values[pick(rng, n)] = -0.0;
        const auto survey = [&] {
            double low, high;
            const bool whole = table.survey(values.data(), n, &low, &high);
            const auto [least, most] = std::ranges::minmax(values);
            CHECK(low == least);
            CHECK(high == most);
            return whole;
        };
        CHECK(survey());
        for (const double extreme : {0x1.0p31 - 1, -0x1.0p31}) {
            values[pick(rng, n)] = extreme;
            CHECK(survey());
        }
        const auto whole_numbers = values;
        const double tiny = std::numeric_limits<double>::denorm_min();
        for (const double other : {0.5, -1e-9, tiny, 0x1.0p31, -0x1.0p31 - 1, 1e300,
                                   static_cast<double>(INFINITY), -static_cast<double>(INFINITY)}) {
            values = whole_numbers;
            values[pick(rng, n)] = other;
            CAPTURE(other);
            CHECK_FALSE(survey());
        }
        values[pick(rng, n)] = NAN;
        double low, high;
        CHECK_FALSE(table.survey(values.data(), n, &low, &high));
    });
}

TEST_CASE("offsets are values less the least one") {
    at_every_size(8, [](const Kernels& table, Rng& rng, std::size_t n) {
        const double low = static_cast<double>(pick(rng, 2000000)) - 1000000.0;
        const auto expected = random_codes(rng, n, 65536);
        std::vector<double> values(n);
        for (std::size_t i = 0; i < n; ++i) values[i] = low + expected[i];
        std::vector<std::uint16_t> offsets(n);
        table.offsets(values.data(), n, low, offsets.data());
        CHECK(offsets == expected);
    });
}

TEST_CASE("codes within a range are found at their positions") {
    at_every_size(9, [](const Kernels& table, Rng& rng, std::size_t n) {
        const std::size_t levels = random_levels(rng);
        const auto codes = random_codes(rng, n, levels);
        const auto check = [&](std::uint32_t low, std::uint32_t width) {
            CAPTURE(low);
            CAPTURE(width);
            std::vector<std::uint32_t> expected, positions(n + 1);
            for (std::size_t i = 0; i < n; ++i)
                if (codes[i] >= low && codes[i] < low + width)
                    expected.push_back(static_cast<std::uint32_t>(i));
            positions.resize(table.find_codes(codes.data(), n, low, width, positions.data()));
            CHECK(positions == expected);
        };
        check(0, 65536);
        check(0, 1);
        check(65535, 1);
        check(codes[pick(rng, n)], 1);
        for (int repeat = 0; repeat < 5; ++repeat) {
            const auto low = static_cast<std::uint32_t>(pick(rng, levels));
            check(low, static_cast<std::uint32_t>(1 + pick(rng, 65536 - low)));
            check(low, 65536 - low);
        }
    });
}

TEST_CASE("codes have a range, and neighbours around a limit") {
    at_every_size(10, [](const Kernels& table, Rng& rng, std::size_t n) {
        auto codes = random_codes(rng, n, random_levels(rng));
        if (pick(rng, 3) == 0) codes[pick(rng, n)] = 0;
        if (pick(rng, 3) == 0) codes[pick(rng, n)] = 65535;
        const auto [least, most] = std::ranges::minmax(codes);
        std::uint16_t low, high;
        table.code_range(codes.data(), n, &low, &high);
        CHECK(low == least);
        CHECK(high == most);
        for (int repeat = 0; repeat < 5; ++repeat) {
            const std::uint16_t limit = codes[pick(rng, n)];
            if (limit == least) continue;
            std::uint16_t below = least, above = most, told_below, told_above;
            for (const std::uint16_t code : codes) {
                if (code < limit) below = std::max(below, code);
                if (code >= limit) above = std::min(above, code);
            }
            table.codes_around(codes.data(), n, limit, &told_below, &told_above);
            CHECK(told_below == below);
            CHECK(told_above == above);
        }
    });
}

TEST_CASE("codes below a limit are marked and counted") {
    at_every_size(11, [](const Kernels& table, Rng& rng, std::size_t n) {
        const auto codes = random_codes(rng, n, random_levels(rng));
        for (const std::uint32_t limit :
             {0U, 1U, std::uint32_t{codes[pick(rng, n)]}, 300U, 65535U, 65536U}) {
            CAPTURE(limit);
            std::vector<std::uint8_t> marks(n, 7), expected(n);
            for (std::size_t i = 0; i < n; ++i) expected[i] = codes[i] < limit ? 1 : 0;
            CHECK(table.mark_below(codes.data(), n, limit, marks.data()) ==
                  static_cast<std::size_t>(std::ranges::count(expected, 1)));
            CHECK(marks == expected);
        }
    });
}

// Values with ties, zeros of both signs among them, and a limit that is one of them, or not.
std::vector<double> tied_values(Rng& rng, std::size_t n) {
    const std::size_t levels = random_levels(rng);
    std::vector<double> values(n);
    for (double& v : values) v = (static_cast<double>(pick(rng, levels)) - 15.0) / 4.0;
    if (pick(rng, 2) == 0) values[pick(rng, n)] = -0.0;
    if (pick(rng, 4) == 0) values[pick(rng, n)] = std::numeric_limits<double>::max();
    if (pick(rng, 4) == 0) values[pick(rng, n)] = std::numeric_limits<double>::lowest();
    return values;
}

double random_limit(Rng& rng, const std::vector<double>& values) {
    const double of[] = {values[pick(rng, values.size())],
                         values[pick(rng, values.size())],
                         -0.0,
                         std::nextafter(values[0], -INFINITY),
                         std::numeric_limits<double>::max(),
                         -static_cast<double>(INFINITY)};
    return of[pick(rng, 6)];
}

TEST_CASE("marks of either kind are found at their positions") {
    at_every_size(12, [](const Kernels& table, Rng& rng, std::size_t n) {
        const auto marks = random_marks(rng, n);
        std::vector<std::uint8_t> rare(n, 0);
        rare[pick(rng, n)] = 1;
        for (const auto& of : {marks, rare})
            for (const std::uint8_t mark : {std::uint8_t{0}, std::uint8_t{1}}) {
                std::vector<std::uint32_t> expected, positions(n + 1);
                for (std::size_t i = 0; i < n; ++i)
                    if (of[i] == mark) expected.push_back(static_cast<std::uint32_t>(i));
                positions.resize(table.find_marks(of.data(), n, mark, positions.data()));
                CHECK(positions == expected);
            }
    });
}

TEST_CASE("values have a range") {
    at_every_size(13, [](const Kernels& table, Rng& rng, std::size_t n) {
        const auto values = tied_values(rng, n);
        double low, high;
        table.value_range(values.data(), n, &low, &high);
        CHECK(low == std::ranges::min(values));
        CHECK(high == std::ranges::max(values));
        for (std::size_t at = 0; at < n; at += 1 + n / 40) {  // at any place
            auto spiked = values;
            const double least = low - 3.0, most = high + 3.0;
            spiked[at] = pick(rng, 2) == 0 ? least : most;
            double stored[2];
            table.value_range(spiked.data(), n, &stored[0], &stored[1]);
            CHECK(stored[0] == std::ranges::min(spiked));
            CHECK(stored[1] == std::ranges::max(spiked));
        }
    });
}

TEST_CASE("values up to a limit are marked, counted and their words summed") {
    at_every_size(14, [](const Kernels& table, Rng& rng, std::size_t n) {
        const auto values = tied_values(rng, n);
        std::vector<std::uint64_t> words(n);
        for (auto& word : words) word = rng() >> 12;
        for (int repeat = 0; repeat < 4; ++repeat) {
            const double limit = random_limit(rng, values);
            CAPTURE(limit);
            std::vector<std::uint8_t> marks(n, 7), expected(n);
            std::uint64_t sum = 0;
            for (std::size_t i = 0; i < n; ++i) {
                expected[i] = values[i] <= limit ? 1 : 0;
                if (expected[i] != 0) sum += words[i];
            }
            CHECK(table.mark_upto(values.data(), n, limit, marks.data()) ==
                  static_cast<std::size_t>(std::ranges::count(expected, 1)));
            CHECK(marks == expected);
            CHECK(table.sum_words_upto(values.data(), words.data(), n, limit) == sum);
        }
    });
}

TEST_CASE("outputs of values up to a limit are summed as those marked") {
    at_every_size(15, [](const Kernels& table, Rng& rng, std::size_t n) {
        const int bits = 25 + static_cast<int>(pick(rng, 14));
        const OutputGrid grid{std::ldexp(1.5, 52 - bits), std::ldexp(1.5, 52 - 2 * bits)};
        const auto w = random_weights(rng, n), y = random_reals(rng, n, -1.0, 1.0);
        const auto values = tied_values(rng, n);
        const double limit = random_limit(rng, values);
        for (const double* weights : {w.data(), static_cast<const double*>(nullptr)}) {
            std::vector<double> expected(3, 0.0), sums(3);
            for (std::size_t i = n; i-- > 0;) {
                if (values[i] > limit) continue;
                const double weight = weights != nullptr ? w[i] : 1.0, h = grid.high_part(y[i]);
                expected[0] += weight;
                expected[1] += weight * h;
                expected[2] += weight * grid.low_part(y[i], h);
            }
            table.sum_outputs_upto(grid, values.data(), weights, y.data(), n, limit, sums.data());
            CHECK(sums == expected);
        }
    });
}

TEST_CASE("no weights are weights of one, to the last bit") {
    at_every_size(16, [](const Kernels& table, Rng& rng, std::size_t n) {
        const OutputGrid grid{std::ldexp(1.5, 22), std::ldexp(1.5, -8)};
        const auto y = random_reals(rng, n, -1.0, 1.0);
        const std::vector<double> ones(n, 1.0);
        const auto marks = random_marks(rng, n);
        const auto codes = random_codes(rng, n, random_levels(rng));
        const std::uint32_t limit = random_limit(rng, codes);
        const double mean = pick_real(rng, -0.1, 0.1);
        const auto same = [&](auto&& summed) {
            std::vector<double> with(3), without(3);
            summed(ones.data(), with.data());
            summed(nullptr, without.data());
            CHECK(without == with);
        };
        same([&](const double* w, double* to) { table.sum_outputs(grid, w, y.data(), n, to); });
        same([&](const double* w, double* to) {
            table.sum_outputs_marked(grid, w, y.data(), marks.data(), n, to);
        });
        same([&](const double* w, double* to) {
            table.sum_outputs_below(grid, codes.data(), w, y.data(), n, limit, to);
        });
        CHECK(table.sum_squares(nullptr, y.data(), n, mean) ==
              table.sum_squares(ones.data(), y.data(), n, mean));
    });
}

TEST_CASE("samples are parted in the order they had, one or two arrays beside the rows") {
    at_every_size(17, [](const Kernels& table, Rng& rng, std::size_t n) {
        const auto marks = random_marks(rng, n);
        std::vector<std::uint32_t> rows(n);
        for (auto& row : rows) row = static_cast<std::uint32_t>(rng());
        std::vector<std::uint64_t> words(n);
        for (auto& word : words) word = rng();
        auto reals = random_reals(rng, n, -1.0, 1.0);
        for (const bool two : {false, true}) {
            auto some_rows = rows;
            auto some_words = words;
            auto some_reals = reals;
            const auto parted = [&](const auto& all) {
                auto sides = all;
                std::size_t at = 0;
                for (const int side : {1, 0})
                    for (std::size_t i = 0; i < n; ++i)
                        if (marks[i] == side) sides[at++] = all[i];
                return sides;
            };
            std::vector<std::uint64_t> aside(3 * n + 12 + 1, 77);
            table.part_samples(marks.data(), n, some_rows.data(), some_words.data(),
                               two ? some_reals.data() : nullptr, aside.data());
            CHECK(some_rows == parted(rows));
            CHECK(some_words == parted(words));
            CHECK(some_reals == (two ? parted(reals) : reals));
            CHECK(aside.back() == 77);
        }
    });
}

TEST_CASE("codes are gathered and added up in bins as one by one") {
    at_every_size(18, [](const Kernels& table, Rng& rng, std::size_t n) {
        const std::size_t stride = 1 + pick(rng, 5), n_rows = 1 + pick(rng, 500);
        std::vector<std::uint8_t> bytes(n_rows * stride);
        for (auto& byte : bytes) byte = static_cast<std::uint8_t>(pick(rng, 256));
        const auto wide = random_codes(rng, n_rows * stride, 65536);
        std::vector<std::uint32_t> rows(n);
        for (auto& row : rows) row = static_cast<std::uint32_t>(pick(rng, n_rows));
        std::vector<std::uint16_t> gathered(n), expected(n);
        table.gather_bytes(bytes.data(), stride, rows.data(), n, gathered.data());
        for (std::size_t i = 0; i < n; ++i) expected[i] = bytes[rows[i] * stride];
        CHECK(gathered == expected);
        table.gather_words(wide.data(), stride, rows.data(), n, gathered.data());
        for (std::size_t i = 0; i < n; ++i) expected[i] = wide[rows[i] * stride];
        CHECK(gathered == expected);

        const std::uint32_t low = *std::ranges::min_element(gathered);
        const int shift = static_cast<int>(pick(rng, 5));
        const std::size_t n_bins = ((*std::ranges::max_element(gathered) - low) >> shift) + 1;
        std::vector<std::uint64_t> words(n), of(n_bins, 0);
        for (auto& word : words) word = pick(rng, 1000) << 32 | pick(rng, 1000);
        std::vector<double> fours(4 * n), of_fours(4 * n_bins, 0.0);
        for (auto& v : fours) v = static_cast<double>(pick(rng, 1000));  // exact in any order
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t b = (gathered[i] - low) >> shift;
            of[b] += words[i];
            for (std::size_t k = 0; k < 4; ++k) of_fours[4 * b + k] += fours[4 * i + k];
        }
        for (const std::size_t apart : {std::size_t{0}, n_bins}) {
            std::vector<std::uint64_t> bins(4 * n_bins, 0);
            std::vector<double> sums(16 * n_bins, 0.0);
            table.add_words(gathered.data(), n, low, shift, words.data(), bins.data(), apart);
            table.add_fours(gathered.data(), n, low, shift, fours.data(), sums.data(), apart);
            for (std::size_t at = n_bins; at < 4 * n_bins; ++at) bins[at % n_bins] += bins[at];
            for (std::size_t at = 4 * n_bins; at < 16 * n_bins; ++at)
                sums[at % (4 * n_bins)] += sums[at];
            bins.resize(n_bins);
            sums.resize(4 * n_bins);
            CHECK(bins == of);
            CHECK(sums == of_fours);
        }
    });
}

TEST_CASE("running sums of words tell their halves, up to the last number of 32 bits") {
    at_every_size(19, [](const Kernels& table, Rng& rng, std::size_t n) {
        std::vector<std::uint64_t> words(n), running(n);
        const std::size_t most = pick(rng, 2) == 0 ? 10 : 0xFFFFFFFF / n + 1;
        std::vector<double> upper(n), lower(n), high(n), low(n);
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < n; ++i) {
            words[i] = (most - 1) << 32 | pick(rng, most);
            running[i] = sum += words[i];
            high[i] = static_cast<double>(sum >> 32);
            low[i] = static_cast<double>(sum & 0xFFFFFFFF);
        }
        table.run_words(words.data(), n, upper.data(), lower.data());
        CHECK(words == running);
        CHECK(upper == high);
        CHECK(lower == low);
    });
}

TEST_CASE("values are read from any column, with their range") {
    at_every_size(20, [](const Kernels& table, Rng& rng, std::size_t n) {
        const auto check = [&]<class T>(std::vector<T> cells, auto read) {
            const std::size_t n_rows = 1 + pick(rng, 300), stride = 1 + pick(rng, 4);
            cells.resize(n_rows * stride + 1);
            for (auto& cell : cells) cell = static_cast<T>(pick_real(rng, -1e3, 1e3));
            // Cells need not be aligned.
            std::vector<unsigned char> memory(cells.size() * sizeof(T) + 1);
            std::memcpy(memory.data() + 1, cells.data(), cells.size() * sizeof(T));
            std::vector<std::uint32_t> rows(n);
            for (auto& row : rows) row = static_cast<std::uint32_t>(pick(rng, n_rows));
            std::vector<double> values(n), expected(n);
            for (std::size_t i = 0; i < n; ++i) expected[i] = cells[rows[i] * stride];
            double low = 0.0, high = 0.0;
            read(memory.data() + 1, static_cast<std::ptrdiff_t>(stride * sizeof(T)), rows.data(), n,
                 values.data(), &low, &high);
            CHECK(values == expected);
            CHECK(low == *std::ranges::min_element(expected));
            CHECK(high == *std::ranges::max_element(expected));
        };
        check(std::vector<float>{}, table.read_floats);
        check(std::vector<double>{}, table.read_doubles);
    });
}

TEST_CASE("moments are those of each sample, to the last bit") {
    at_every_size(21, [](const Kernels& table, Rng& rng, std::size_t n) {
        const OutputGrid grid{std::ldexp(1.5, 22), std::ldexp(1.5, -8)};
        const auto w = random_weights(rng, n), y = random_reals(rng, n, -1.0, 1.0);
        const double mean = pick_real(rng, -0.1, 0.1);
        for (const double* weights : {w.data(), static_cast<const double*>(nullptr)}) {
            std::vector<double> expected, moments(4 * n);
            for (std::size_t i = 0; i < n; ++i) {
                const double weight = weights != nullptr ? w[i] : 1.0, h = grid.high_part(y[i]);
                const double e = y[i] - mean;
                expected.insert(
                    expected.end(),
                    {weight, weight * h, weight * grid.low_part(y[i], h), weight * (e * e)});
            }
            table.make_moments(grid, weights, y.data(), n, mean, moments.data());
            CHECK(moments == expected);
        }
    });
}

}  // namespace
}  // namespace silvics
