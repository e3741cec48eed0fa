#include "support/kernel_tables.hpp"

namespace silvics {
namespace {

using namespace test;

TEST_CASE("cuts are scored by the formula, to the last bit, and the largest is returned") {
    at_every_size(2, [](const Kernels& table, Rng& rng, std::size_t n) {
        std::vector<double> w = random_reals(rng, n, 0.5, 99.5), t = random_reals(rng, n, -9, 9);
        const CutSums sums{w.data(), t.data(), 100.0, pick_real(rng, -9, 9), 2.0};
        std::vector<double> score(n), expected(n);
        for (std::size_t j = 0; j < n; ++j) {
            const double d = t[j] * sums.node_weight - sums.node_sum_y * w[j];
            expected[j] = sums.factor * (d * d) / (w[j] * (sums.node_weight - w[j]));
        }
        CHECK(table.score_cuts(sums, n, score.data()) == std::ranges::max(expected));
        CHECK(score == expected);
    });
}

TEST_CASE("cuts of several terms are scored by the formula, to the last bit") {
    at_every_size(2, [](const Kernels& table, Rng& rng, std::size_t n) {
        for (const std::size_t n_terms : {1U, 2U, 5U}) {
            const std::size_t stride = n + 3;
            std::vector<double> left = random_reals(rng, (n_terms + 1) * stride, 0.5, 99.5);
            std::vector<double> node = random_reals(rng, n_terms + 1, -9, 9);
            node[0] = 100.0;
            const CutPlanes planes{left.data(), stride, n_terms, node.data(), 2.0};
            std::vector<double> score(n), expected(n);
            for (std::size_t j = 0; j < n; ++j) {
                double sum = 0.0;
                for (std::size_t k = 1; k <= n_terms; ++k) {
                    const double d = left[k * stride + j] * node[0] - node[k] * left[j];
                    sum += d * d;
                }
                expected[j] = planes.factor * sum / (left[j] * (node[0] - left[j]));
            }
            table.score_planes(planes, n, score.data());
            CHECK(score == expected);
        }
    });
}

// Samples in bins, one after another: the sums up to each bin's end, and the bins' spreads.
struct BinnedSamples {
    std::vector<double> w, y;           // of each sample
    std::vector<std::size_t> bin;       // and its bin
    std::vector<double> weight, sum_y;  // up to the end of each bin
    std::vector<double> spread;         // of each bin
    std::vector<double> best_of_bin;    // of the cuts within it
    double node_weight = 0.0, node_sum_y = 0.0;

    double score(double left_weight, double left_term) const {
        const double d = left_term * node_weight - node_sum_y * left_weight;
        return d * d / (left_weight * (node_weight - left_weight));
    }

    BinnedSamples(Rng& rng, std::size_t n_bins)
        : weight(n_bins), sum_y(n_bins), spread(n_bins), best_of_bin(n_bins, -INFINITY) {
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
            node_sum_y += w[i] * y[i];
            weight[bin[i]] = node_weight;
            sum_y[bin[i]] = node_sum_y;
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
        const CutSums sums{bins.weight.data(), bins.sum_y.data(), bins.node_weight, bins.node_sum_y,
                           1.0};
        for (int part = 0; part <= 2; ++part) {
            const double wanted = std::ranges::max(bins.best_of_bin) * part / 2;
            std::vector<std::uint8_t> may(n, 7);
            const std::size_t count =
                table.bins_above_bound(sums, bins.spread.data(), n, wanted, may.data());
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
                    const double d = std::fabs(bins.sum_y[end] * W - bins.node_sum_y * w) +
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
        const double weight[] = {1.0, 2.0, 3.0, 4.0}, sum_y[] = {1.0, 1.0, 2.0, 2.0};
        const double spread[] = {0.0, 0.0, 1e-300, 0.0};
        std::uint8_t may[4] = {};
        CHECK(table->bins_above_bound({weight, sum_y, 4.0, 2.0, 2.0}, spread, 4, -INFINITY, may) ==
              1);
        CHECK(may[1] == 0);
        CHECK(may[2] == 1);
    }
}

}  // namespace
}  // namespace silvics
