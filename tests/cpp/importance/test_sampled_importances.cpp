// Importances of sampled trees: their sums, and their means against the expectation.
#include "doctest/doctest.h"
#include "importance/all_trees.hpp"

namespace silvics {
namespace {

using namespace all_trees;

TEST_CASE("the importances of every tree add up to the total decrease") {
    test::Rng rng(222);
    for (const Impurity impurity : kAllImpurities)
        for (const TreeSplits splits : kAllSplits)
            for (const std::size_t n_drawn : {1U, 2U, 5U}) {
                const Made m = made(rng, 40, {2, 5, 2, 1, 3}, impurity, Weighting::fractional);
                const RandomizedTrees trees{.splits = splits,
                                            .n_drawn = n_drawn,
                                            .depth = kAnyDepth,
                                            .constants_count = n_drawn == 2,
                                            .part_of = {}};
                const TreeImportances found = sampled(m.d, trees, 45);
                REQUIRE(found.of_trees.size() == 45 * 5);
                std::vector<double> mean(5, 0.0);
                for (std::size_t t = 0; t < 45; ++t) {
                    double sum = 0.0;
                    for (std::size_t j = 0; j < 5; ++j) {
                        sum += found.of_trees[t * 5 + j];
                        mean[j] += found.of_trees[t * 5 + j] / 45.0;
                    }
                    CHECK(sum == doctest::Approx(total_decrease(m.d)).epsilon(1e-9));
                }
                for (std::size_t j = 0; j < 5; ++j) {
                    const std::vector<double> degrees(found.by_degree.begin() + 5 * j,
                                                      found.by_degree.begin() + 5 * j + 5);
                    CHECK(sum_of(degrees) == doctest::Approx(mean[j]).epsilon(1e-9));
                    if (splits != TreeSplits::multiway)
                        CHECK(sum_of(found.by_cut[j]) == doctest::Approx(mean[j]).epsilon(1e-9));
                }
            }
}

TEST_CASE("trees are the same for one thread and for three, and do not depend on how many") {
    test::Rng rng(223);
    for (const TreeSplits splits : kAllSplits) {
        const Made m = made(rng, 40, {2, 3, 2, 4, 2}, Impurity::gini, Weighting::fractional);
        const RandomizedTrees trees{.splits = splits,
                                    .n_drawn = 2,
                                    .depth = kAnyDepth,
                                    .part_of = {},
                                    .wants_hidden = splits == TreeSplits::multiway};
        const TreeImportances one = sampled(m.d, trees, 150, 1),
                              three = sampled(m.d, trees, 150, 3);
        CHECK(same_bits(one, three));
        CHECK_FALSE(same_bits(one, sampled(m.d, trees, 150, 1, 8)));
        const TreeImportances few = sampled(m.d, trees, 33);
        CHECK(std::ranges::equal(few.of_trees, std::span(one.of_trees).first(33 * 5)));
    }
}

// Sums of values in [0, most] of single trees: their variance is at most mean times most.
void check_mean(double mean, double wanted, double most, double n_trees) {
    CHECK(std::abs(mean - wanted) <= 5.0 * std::sqrt(wanted * most / n_trees) + 1e-9);
}

void check_means(const Distribution& d, const RandomizedTrees& trees) {
    const std::size_t n_trees = 3000;
    const TreeImportances mean = sampled(d, trees, n_trees), wanted = expected(d, trees);
    const double n = n_trees, total = total_decrease(d);
    const std::size_t p = mean.of_trees.size() / n_trees;
    for (std::size_t j = 0; j < p; ++j) {
        double sum = 0.0, squares = 0.0, exact = 0.0;
        for (std::size_t t = 0; t < n_trees; ++t) {
            const double v = mean.of_trees[t * p + j];
            sum += v;
            squares += v * v;
        }
        for (std::size_t k = 0; k < p; ++k) exact += wanted.by_degree[j * p + k];
        const double variance = std::max(0.0, squares / n - sum / n * sum / n);
        CHECK(std::abs(sum / n - exact) <= 5.0 * std::sqrt(variance / n) + 1e-9);
    }
    const auto all_near = [&](const std::vector<double>& a, const std::vector<double>& b,
                              double most) {
        REQUIRE(a.size() == b.size());
        for (std::size_t i = 0; i < a.size(); ++i) check_mean(a[i], b[i], most, n);
    };
    all_near(mean.by_degree, wanted.by_degree, total);
    all_near(mean.hidden, wanted.hidden, total * static_cast<double>(p));
    REQUIRE(mean.by_cut.size() == wanted.by_cut.size());
    for (std::size_t j = 0; j < mean.by_cut.size(); ++j)
        all_near(mean.by_cut[j], wanted.by_cut[j], total);
    auto contexts = contexts_of(mean);
    for (const auto& [context, met] : contexts_of(wanted)) {
        // A variable may be tested again below a test of it, with the same others above.
        const double often = trees.splits == TreeSplits::multiway && trees.part_of.empty() ? 1 : 6;
        check_mean(contexts[context].weight, met.weight, often, n);
        check_mean(contexts[context].decrease, met.decrease, total, n);
        contexts.erase(context);
    }
    CHECK(contexts.empty());
}

TEST_CASE("means over trees come near the expectation") {
    test::Rng rng(224);
    for (const TreeSplits splits : kAllSplits)
        for (const std::size_t n_drawn : {1U, 2U, 4U})
            for (const bool constants_count : {false, true}) {
                CAPTURE(n_drawn);
                CAPTURE(constants_count);
                const Made m = made(rng, 14, {2, 3, 2, 4});
                check_means(m.d, {.splits = splits,
                                  .n_drawn = n_drawn,
                                  .depth = kAnyDepth,
                                  .constants_count = constants_count,
                                  .part_of = {},
                                  .wants_hidden = splits == TreeSplits::multiway});
            }
}

TEST_CASE("means over trees of parts come near the expectation") {
    test::Rng rng(225);
    for (const std::vector<std::uint32_t>& part_of :
         {std::vector<std::uint32_t>{0, 0, 1, 0}, {1, 1, 1, 1}, {3, 0, 3, 0}})
        for (const std::size_t depth : {std::size_t{2}, kAnyDepth}) {
            const Made m = made(rng, 9, {2, 2, 3, 2});
            check_means(m.d, {.depth = depth, .part_of = part_of});
        }
}

}  // namespace
}  // namespace silvics
