#include "base/logarithm.hpp"
#include "support/kernel_tables.hpp"

namespace silvics {
namespace {

using namespace test;

double part(double t, double w, double of_zero) {
    return t > 0.0 ? t * ln_portable(t / w) : of_zero;
}

TEST_CASE("deviances of cuts are those of the portable logarithm, to the last bit") {
    at_every_size(4, [](const Kernels& table, Rng& rng, std::size_t n) {
        std::vector<double> w = random_reals(rng, n, 0.5, 99.5), t = random_reals(rng, n, 0.0, 9.0);
        for (double& v : t)
            if (pick(rng, 5) == 0) v = pick(rng, 2) == 0 ? 0.0 : 9.0;  // a side of zeros
        const CutSums sums{w.data(), t.data(), 100.0, 9.0, 1.0};
        std::vector<double> score(n), expected(n);
        for (std::size_t j = 0; j < n; ++j)
            expected[j] = part(t[j], w[j], -INFINITY) + part(9.0 - t[j], 100.0 - w[j], -INFINITY);
        CHECK(table.score_deviances(sums, n, score.data()) == std::ranges::max(expected));
        CHECK(score == expected);
    });
}

TEST_CASE("the deviance of a node is the sum over its samples") {
    at_every_size(5, [](const Kernels& table, Rng& rng, std::size_t n) {
        const std::vector<double> w = random_weights(rng, n);
        std::vector<double> y = random_reals(rng, n, -0.3, 1.0);
        for (double& v : y) v = std::max(v, 0.0);
        double sum = 0.0;
        for (std::size_t i = 0; i < n; ++i) sum += w[i] * part(y[i], 0.4, 0.0);
        CHECK(table.sum_deviances(w.data(), y.data(), n, 0.4) ==
              doctest::Approx(sum).epsilon(1e-12));
        const double found = table.sum_deviances(w.data(), y.data(), n, 0.4);
        CHECK(found == kPortableKernels.sum_deviances(w.data(), y.data(), n, 0.4));
    });
}

TEST_CASE("a bin that holds a cut of the wanted deviance is never ruled out") {
    std::size_t ruled_out = 0;
    at_every_size(6, [&](const Kernels& table, Rng& rng, std::size_t n) {
        if (n < 3) return;
        // Each bin has two samples, so that one cut lies within it.
        std::vector<double> w(n), t(n), inner_w(n), inner_t(n), spread(n), score(n);
        double weight = 0.0, sum = 0.0;
        for (std::size_t b = 0; b < n; ++b) {
            const double rate = b < n / 2 ? 2.0 : 0.5;
            const auto sample = [&](double& at_w, double& at_t) {
                const double one = static_cast<double>(1 + pick(rng, 3));
                weight += one;
                sum += one * std::floor(pick_real(rng, 0.0, 2.0) * rate);
                at_w = weight, at_t = sum;
            };
            sample(inner_w[b], inner_t[b]);
            sample(w[b], t[b]);
            spread[b] = static_cast<double>(pick(rng, 8));
        }
        if (sum == 0.0) return;
        const CutSums sums{w.data(), t.data(), weight, sum, 1.0};
        table.score_deviances(sums, n - 1, score.data());
        const double wanted = *std::max_element(score.begin(), score.end() - 1);
        std::vector<std::uint8_t> open(n, 7);
        const std::size_t count =
            table.bins_above_deviance(sums, score.data(), spread.data(), n, wanted, open.data());
        CHECK(open.front() == 7);  // the ends are judged elsewhere
        CHECK(open.back() == 7);
        bool sound = true, pure_closed = true;
        std::size_t expected = 0;
        for (std::size_t b = 1; b + 1 < n; ++b) {
            const double within = part(inner_t[b], inner_w[b], -INFINITY) +
                                  part(sum - inner_t[b], weight - inner_w[b], -INFINITY);
            sound &= open[b] == 1 || spread[b] == 0.0 || within < wanted;
            pure_closed &= open[b] == 0 || spread[b] > 0.0;
            expected += open[b];
            ruled_out += open[b] == 0 && spread[b] > 0.0;
        }
        CHECK(sound);
        CHECK(pure_closed);
        CHECK(count == expected);
    });
    CHECK(ruled_out > 100);
}

}  // namespace
}  // namespace silvics
