#include "support/kernel_tables.hpp"

namespace silvics {
namespace {

using namespace test;

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
