#include "support/kernel_tables.hpp"

namespace silvics {
namespace {

using namespace test;
__extension__ using Wide = unsigned __int128;

// The sum over classes of (l W - n L)^2, without rounding, over L (W - L).
double direct_score(const std::vector<std::int64_t>& left, const std::vector<std::int64_t>& node) {
    std::int64_t L = 0, W = 0;
    for (std::size_t k = 0; k < node.size(); ++k) L += left[k], W += node[k];
    Wide sum = 0;
    for (std::size_t k = 0; k < node.size(); ++k) {
        const std::int64_t d = left[k] * W - node[k] * L;
        const Wide size = static_cast<std::uint64_t>(d < 0 ? -d : d);
        sum += size * size;
    }
    return static_cast<double>(sum) / (static_cast<double>(L) * static_cast<double>(W - L));
}

// Samples in bins, one after another: sums over the first bins, and the best cut within each bin.
struct BinnedClasses {
    std::size_t n_bins, n_classes;
    std::vector<std::uint32_t> weight, classes;  // as in ClassBins
    std::vector<double> node;                    // the weight, and those of the classes
    std::vector<double> score, best_of_bin;      // after each bin; of the cuts within it
    std::vector<bool> pure;

    BinnedClasses(Rng& rng, std::size_t of_bins, std::size_t of_classes, std::size_t heaviest)
        : n_bins(of_bins),
          n_classes(of_classes),
          weight(n_bins + 1, 0),
          classes(n_classes * (n_bins + 1), 0),
          score(n_bins, 0.0),
          best_of_bin(n_bins, -INFINITY),
          pure(n_bins, true) {
        struct Sample {
            std::size_t bin, of_class;
            std::int64_t w;
        };
        std::vector<Sample> samples;
        const std::size_t noise = pick(rng, 3);
        for (std::size_t b = 0; b < n_bins; ++b)
            for (std::size_t i = pick(rng, 5) == 0 && b > 0 ? 0 : 1 + pick(rng, 6); i > 0; --i)
                samples.push_back(
                    {b, pick(rng, 3) < noise ? pick(rng, n_classes) : b * n_classes / n_bins,
                     static_cast<std::int64_t>(1 + pick(rng, heaviest))});
        std::vector<std::int64_t> all(n_classes, 0), left(n_classes, 0);
        for (const Sample& s : samples) {
            all[s.of_class] += s.w;
            for (std::size_t b = s.bin + 1; b <= n_bins; ++b) {
                weight[b] += static_cast<std::uint32_t>(s.w);
                classes[s.of_class * (n_bins + 1) + b] += static_cast<std::uint32_t>(s.w);
            }
        }
        node.push_back(weight[n_bins]);
        for (const std::int64_t w : all) node.push_back(static_cast<double>(w));
        for (std::size_t i = 0; i + 1 < samples.size(); ++i) {
            const Sample &s = samples[i], &next = samples[i + 1];
            left[s.of_class] += s.w;
            const double of_cut = direct_score(left, all);
            if (s.bin == next.bin) {
                best_of_bin[s.bin] = std::max(best_of_bin[s.bin], of_cut);
                if (s.of_class != next.of_class) pure[s.bin] = false;
            } else {
                for (std::size_t b = s.bin; b < next.bin; ++b) score[b] = of_cut;
            }
        }
    }
    ClassBins bins() const { return {weight.data(), classes.data(), n_bins, n_classes}; }
    bool between(std::size_t b) const { return weight[b + 1] < weight[n_bins]; }
};

TEST_CASE("bins of classes have the scores of their cuts, and bounds on the cuts within them") {
    std::size_t above = 0, below = 0;
    at_every_size(41, [&](const Kernels& table, Rng& rng, std::size_t n) {
        if (n < 4) return;
        // Up to all weights for which l W is exact: below 2^26.
        const std::size_t heaviest[] = {1, 5, (std::size_t{1} << 26) / (6 * n) - 1};
        const std::size_t most = heaviest[pick(rng, 3)];
        const BinnedClasses made(rng, n, 2 + pick(rng, 7), most);
        std::vector<double> score(n), bound(n);
        table.score_class_bins(made.bins(), made.node.data(), score.data(), bound.data());
        bool exact = true, sound = true, pure = true;
        double best = 0.0;
        for (std::size_t b = 0; b + 1 < n; ++b) {
            if (!made.between(b)) continue;
            exact &= std::fabs(score[b] - made.score[b]) <= 1e-13 * made.score[b];
            best = std::max(best, score[b]);
        }
        for (std::size_t b = 1; b + 1 < n; ++b) {
            pure &= made.pure[b] == (bound[b] == -INFINITY);
            if (made.pure[b]) continue;
            sound &= bound[b] >= made.best_of_bin[b] * (1.0 - 1e-12);
            (bound[b] < best ? below : above) += n >= 255 ? 1 : 0;
        }
        CHECK(exact);
        CHECK(sound);
        CHECK(pure);
    });
    CHECK(below > above);  // most bins of a large node need no second look
}

TEST_CASE("all tables give the same scores and bounds of bins, to the last bit") {
    Rng rng(42);
    for (const std::size_t n : kSizes) {
        if (n < 4) continue;
        const BinnedClasses made(rng, n, 2 + pick(rng, 7), 9);
        std::vector<double> score(n), bound(n);
        kPortableKernels.score_class_bins(made.bins(), made.node.data(), score.data(),
                                          bound.data());
        for (const Kernels* table : tables()) {
            std::vector<double> s(n), m(n);
            table->score_class_bins(made.bins(), made.node.data(), s.data(), m.data());
            bool same = true;
            for (std::size_t b = 0; b + 1 < n; ++b) {
                if (made.between(b)) same &= s[b] == score[b];
                if (b > 0) same &= m[b] == bound[b];
            }
            CHECK(same);
        }
    }
}

TEST_CASE("the weight of a sample is moved to the field of its class") {
    at_every_size(43, [](const Kernels& table, Rng& rng, std::size_t n) {
        for (std::size_t n_classes = 1; n_classes <= 8; ++n_classes) {
            const unsigned bits = n_classes == 1 ? 32 : static_cast<unsigned>(64 / n_classes);
            const std::uint64_t all = (std::uint64_t{1} << bits) - 1;  // and more overflows
            std::vector<std::uint64_t> samples(n), expected(n), words(n);
            std::uint64_t expected_sum = 0, expected_weight = 0, weight = 0;
            for (std::size_t i = 0; i < n; ++i) {
                const std::uint64_t c = pick(rng, n_classes);
                const std::uint64_t w = 1 + pick(rng, std::max<std::uint64_t>(all / n, 1));
                samples[i] = w << 32 | c;
                expected[i] = w << (c * bits);
                expected_sum += expected[i];
                expected_weight += w;
            }
            CHECK(table.pack_classes(samples.data(), n, bits, words.data(), &weight) ==
                  expected_sum);
            CHECK(words == expected);
            CHECK(weight == expected_weight);
            weight = 0;
            CHECK(table.pack_classes(samples.data(), n, bits, nullptr, &weight) == expected_sum);
            CHECK(weight == expected_weight);
        }
    });
}

}  // namespace
}  // namespace silvics
