// The loops over lanes: each table against plain loops, and the tables against each other.
#include <vector>

#include "base/kernels.hpp"
#include "doctest/doctest.h"
#include "shap/lanes.hpp"
#include "support/kernel_tables.hpp"

namespace silvics {

extern const LaneKernels kPortableLanes, kAvx2Lanes;

namespace {

using namespace test;

std::vector<const LaneKernels*> lane_tables() {
    std::vector<const LaneKernels*> all = {&kPortableLanes};
#if defined(__x86_64__)
    if (tables().size() > 1) all.push_back(&kAvx2Lanes);
#endif
    return all;
}

struct Lanes {
    std::size_t n;
    std::vector<double> factors, slopes, inverse, slope;
    explicit Lanes(std::size_t size)
        : n(size), factors(3 * n), slopes(3 * n), inverse(n), slope(n) {}
    EdgeLanes view() { return {factors.data(), slopes.data(), inverse.data(), slope.data()}; }
};

TEST_CASE("an edge replaces the factor of its variable") {
    for (const LaneKernels* kernels : lane_tables())
        for (const std::size_t n : {4U, 8U, 12U}) {
            const Quadrature q(n);
            Lanes first(n), second(n);
            kernels->prepare_edge(q.points.data(), q.weights.data(), n, 0.5, 0.5, {}, first.view());
            kernels->prepare_edge(q.points.data(), q.weights.data(), n, 0.125, 0.25, first.view(),
                                  second.view());
            for (std::size_t i = 0; i < n; ++i) {
                const double p = q.points[i], w = q.weights[i];
                const auto factor = [&](double o, double share) { return p * o + (1 - p) * share; };
                const auto slope = [&](double o, double share) {
                    return (o - share) / factor(o, share);
                };
                const auto same = [](double a, double b) {
                    CHECK(a == doctest::Approx(b).epsilon(1e-13));
                };
                same(first.factors[2 * n + i], factor(1, 0.5));
                same(first.factors[n + i], factor(0, 0.5));
                same(first.slopes[2 * n + i], w * slope(1, 0.5));
                same(second.factors[i], 0.25);
                same(second.factors[n + i], factor(0, 0.125) / factor(1, 0.5));
                same(second.factors[2 * n + i], factor(1, 0.125) / factor(1, 0.5));
                CHECK(second.slopes[i] == 0.0);
                same(second.slopes[n + i], w * (slope(0, 0.125) - slope(1, 0.5)));
                same(second.slopes[2 * n + i], w * (slope(1, 0.125) - slope(1, 0.5)));
            }
        }
}

TEST_CASE("products go down and sums go up, with the same bits in all tables") {
    const std::size_t n = 8, rows = 3, stride = 2 * kLanes;
    Rng rng(5);
    const auto above = random_reals(rng, rows * n, 0.0, 1.0);
    const auto factors = random_reals(rng, 3 * n, 0.0, 1.0);
    auto slopes = random_reals(rng, 3 * n, -1.0, 1.0);
    const std::uint32_t states[] = {2, 0, 1};
    std::vector<std::vector<double>> results;
    for (const LaneKernels* kernels : lane_tables()) {
        std::vector<double> products(rows * n), sums(rows * n, 1.0), found(rows * stride, 0.0);
        kernels->descend(above.data(), factors.data(), states, rows, n, products.data());
        kernels->ascend(products.data(), slopes.data(), states, rows, n, found.data(), stride,
                        sums.data());
        EdgeLanes edge{const_cast<double*>(factors.data()), slopes.data(), nullptr, nullptr};
        std::vector<double> leaf_sums(rows * n, 1.0), leaf_found(rows * stride, 0.0);
        kernels->add_leaf(above.data(), edge, 1.0, states, rows, n, leaf_found.data(), stride,
                          leaf_sums.data());
        CHECK(leaf_sums == sums);
        CHECK(leaf_found == found);
        for (std::size_t r = 0; r < rows; ++r) {
            double expected = 0.0;
            for (std::size_t i = 0; i < n; ++i) {
                const double product = above[r * n + i] * factors[states[r] * n + i];
                CHECK(products[r * n + i] == product);
                CHECK(sums[r * n + i] == 1.0 + product);
                expected += product * slopes[states[r] * n + i];
            }
            double sum = 0.0;
            for (std::size_t k = 0; k < kLanes; ++k) sum += found[r * stride + k];
            CHECK(sum == doctest::Approx(expected));
        }
        const double* const others[] = {above.data(), above.data() + n};
        std::vector<double> pairs(2);
        kernels->sum_pairs(products.data(), slopes.data(), others, 2, n, pairs.data());
        double expected = 0.0;
        for (std::size_t i = 0; i < n; ++i) expected += products[i] * slopes[i] * above[n + i];
        CHECK(pairs[1] == doctest::Approx(expected));
        products.insert(products.end(), found.begin(), found.end());
        products.insert(products.end(), pairs.begin(), pairs.end());
        results.push_back(products);
    }
    for (const auto& result : results) CHECK(result == results[0]);
}

TEST_CASE("the table picked belongs to this processor") {
    const bool fast = std::string(kernels().name) == "avx2";
    CHECK(&lane_kernels() == (fast ? lane_tables().back() : &kPortableLanes));
}

}  // namespace
}  // namespace silvics
