// Expected importances against the sum over all trees, and against the theory.
#include "doctest/doctest.h"
#include "importance/all_trees.hpp"
#include "importance/subset_impurities.hpp"

namespace silvics {
namespace {

using namespace all_trees;

TEST_CASE("expectations of multiway splits, and of what they hide, equal the sum over all trees") {
    test::Rng rng(211);
    for (const Impurity impurity : kAllImpurities)
        for (std::size_t n_drawn = 1; n_drawn <= 5; ++n_drawn)
            for (const std::size_t depth : {std::size_t{2}, kAnyDepth}) {
                CAPTURE(n_drawn);
                CAPTURE(depth);
                const Made m = made(rng, 10, {2, 3, 1, 2}, impurity, Weighting::fractional);
                const RandomizedTrees trees{
                    .n_drawn = n_drawn, .depth = depth, .part_of = {}, .wants_hidden = true};
                check_same(expected(m.d, trees), AllTrees(m.d, trees));
            }
}

TEST_CASE("expectations of cuts equal the sum over all trees, whether or not constants count") {
    test::Rng rng(212);
    for (const TreeSplits splits : {TreeSplits::random_cut, TreeSplits::best_cut})
        for (const Impurity impurity : kAllImpurities)
            for (std::size_t n_drawn = 1; n_drawn <= 4; ++n_drawn)
                for (const bool constants_count : {false, true}) {
                    CAPTURE(n_drawn);
                    CAPTURE(constants_count);
                    const Made m = made(rng, 8, {2, 4, 1, 2}, impurity);
                    const RandomizedTrees trees{.splits = splits,
                                                .n_drawn = n_drawn,
                                                .depth = 3,
                                                .constants_count = constants_count,
                                                .part_of = {}};
                    check_same(expected(m.d, trees), AllTrees(m.d, trees));
                }
}

TEST_CASE("expectations of parts of variables equal the sum over all trees") {
    test::Rng rng(213);
    for (const std::vector<std::uint32_t>& part_of :
         {std::vector<std::uint32_t>{0, 0, 1, 0}, {0, 1, 2, 3}, {1, 1, 1, 1}, {3, 0, 3, 0}})
        for (const std::size_t depth : {std::size_t{2}, kAnyDepth})
            for (const std::size_t most_in_context : {0U, 1U, 64U}) {
                const Made m = made(rng, 9, {2, 2, 3, 2}, Impurity::gini);
                const RandomizedTrees trees{
                    .depth = depth, .part_of = part_of, .most_in_context = most_in_context};
                check_same(expected(m.d, trees), AllTrees(m.d, trees));
            }
}

TEST_CASE("K = 1 and multiway: importances and contexts are those of Theorem 6.1") {
    test::Rng rng(214);
    for (const Impurity impurity : kAllImpurities) {
        const Made m = made(rng, 40, {2, 3, 2, 7, 1, 2}, impurity, Weighting::fractional);
        const std::size_t p = 6;
        ThreadTeam team(1, nullptr);
        const std::vector<double> given = subset_impurities(m.d, p, team);
        const double whole = weight_of(m.d, all_rows(m.d));
        const double binomial[] = {1, 6, 15, 20, 15, 6};
        std::vector<double> by_degree(p * p, 0.0);
        const TreeImportances got = expected(m.d, {.depth = p, .part_of = {}});
        const auto contexts = contexts_of(got);
        CHECK(contexts.size() == p << (p - 1));
        for (std::size_t j = 0; j < p; ++j)
            for (std::size_t set = 0; set < given.size(); ++set) {
                if ((set >> j & 1) != 0) continue;
                std::set<std::size_t> above;
                for (std::size_t i = 0; i < p; ++i)
                    if ((set >> i & 1) != 0) above.insert(i);
                const std::size_t k = above.size();
                const double share = 1.0 / (binomial[k] * static_cast<double>(p - k));
                const double decrease = share * (given[set] - given[set | 1U << j]) / whole;
                by_degree[j * p + k] += decrease;
                REQUIRE(contexts.contains({j, above}));
                CHECK(std::abs(contexts.at({j, above}).weight - share) < 1e-12);
                CHECK(std::abs(contexts.at({j, above}).decrease - decrease) < 1e-12);
            }
        check_near(got.by_degree, by_degree);
        CHECK(got.by_cut.empty());
        CHECK(got.hidden.empty());
        CHECK(got.of_trees.empty());
    }
}

TEST_CASE("importances of full trees add up to the total decrease, whatever K and splits") {
    test::Rng rng(215);
    for (const Impurity impurity : kAllImpurities)
        for (const TreeSplits splits : kAllSplits)
            for (std::size_t n_drawn = 1; n_drawn <= 6; ++n_drawn) {
                const Made m = made(rng, 30, {2, 5, 2, 1, 3}, impurity, Weighting::fractional);
                const RandomizedTrees trees{.splits = splits,
                                            .n_drawn = n_drawn,
                                            .depth = kAnyDepth,
                                            .constants_count = n_drawn % 2 == 0,
                                            .part_of = {}};
                const TreeImportances found = expected(m.d, trees);
                CHECK(sum_of(found.by_degree) ==
                      doctest::Approx(total_decrease(m.d)).epsilon(1e-9));
                double of_contexts = 0.0, of_cuts = 0.0;
                for (const ContextSum& sum : found.contexts) of_contexts += sum.decrease;
                for (const auto& cuts : found.by_cut) of_cuts += sum_of(cuts);
                CHECK(of_contexts == doctest::Approx(sum_of(found.by_degree)).epsilon(1e-9));
                if (splits == TreeSplits::multiway)
                    CHECK(found.by_cut.empty());
                else
                    CHECK(of_cuts == doctest::Approx(sum_of(found.by_degree)).epsilon(1e-9));
            }
}

TEST_CASE("without impurity, and with one row, there are no decreases, but tests all the same") {
    test::Rng rng(216);
    for (const bool one_row : {false, true})
        for (const TreeSplits splits : kAllSplits) {
            Made m = made(rng, one_row ? 1 : 20, {2, 3, 2});
            if (!one_row)
                for (std::size_t r = 0; r < m.d.n_rows; ++r)
                    for (std::size_t c = 0; c < 3; ++c)
                        m.statistics[3 * r + c] = c == 1 ? 2.0 : 0.0;
            for (const std::size_t n_drawn : {1U, 2U}) {
                const RandomizedTrees trees{
                    .splits = splits, .n_drawn = n_drawn, .depth = kAnyDepth, .part_of = {}};
                const TreeImportances found = expected(m.d, trees);
                CHECK(found.by_degree == std::vector<double>(9, 0.0));
                CHECK(sampled(m.d, trees, 3).by_degree == std::vector<double>(9, 0.0));
                if (splits == TreeSplits::multiway)
                    check_same(found, AllTrees(m.d, trees));
                else
                    CHECK(found.contexts.empty());
            }
        }
}

TEST_CASE("a limit of depth takes away the degrees beyond it, and nothing else") {
    test::Rng rng(217);
    const Made m = made(rng, 30, {2, 3, 2, 3});
    for (const std::size_t n_drawn : {1U, 2U, 4U}) {
        const auto full = expected(m.d, {.n_drawn = n_drawn, .depth = kAnyDepth, .part_of = {}});
        for (std::size_t depth = 0; depth <= 5; ++depth) {
            const RandomizedTrees trees{.n_drawn = n_drawn, .depth = depth, .part_of = {}};
            auto wanted = full.by_degree;
            for (std::size_t i = 0; i < wanted.size(); ++i)
                if (i % 4 >= depth) wanted[i] = 0.0;
            check_near(expected(m.d, trees).by_degree, wanted);
            const TreeImportances some = sampled(m.d, trees, 5);
            for (std::size_t i = 0; i < wanted.size(); ++i)
                if (i % 4 >= depth) CHECK(some.by_degree[i] == 0.0);
            CHECK(some.contexts.empty() == (depth == 0));
        }
    }
    for (const TreeSplits splits : kAllSplits) {
        const auto none = expected(m.d, {.splits = splits, .depth = 0, .part_of = {}});
        CHECK(none.by_degree == std::vector<double>(16, 0.0));
        CHECK(none.contexts.empty());
    }
}

TEST_CASE("contexts are limited to most_in_context variables") {
    test::Rng rng(218);
    const Made m = made(rng, 30, {2, 3, 2, 3});
    for (const TreeSplits splits : kAllSplits) {
        const auto full = expected(m.d, {.splits = splits, .depth = 4, .part_of = {}});
        for (const std::size_t most : {0U, 1U, 2U}) {
            const auto some = expected(
                m.d, {.splits = splits, .depth = 4, .part_of = {}, .most_in_context = most});
            CHECK(some.by_degree == full.by_degree);
            auto contexts = contexts_of(full);
            std::erase_if(contexts, [&](const auto& c) { return c.first.second.size() > most; });
            const auto got = contexts_of(some);
            REQUIRE(got.size() == contexts.size());
            for (const auto& [context, met] : contexts) CHECK(got.at(context).weight == met.weight);
        }
    }
}

TEST_CASE("nothing is expected if it would be too much work") {
    test::Rng rng(219);
    const Made m = made(rng, 60, {2, 3, 2, 7});
    ThreadTeam team(1, nullptr);
    for (const TreeSplits splits : kAllSplits) {
        const RandomizedTrees trees{.splits = splits, .depth = kAnyDepth, .part_of = {}};
        CHECK_FALSE(expected_importances(m.d, trees, 0, team).has_value());
        CHECK_FALSE(expected_importances(m.d, trees, 500, team).has_value());
        const auto enough = expected_importances(m.d, trees, 10000000, team);
        REQUIRE(enough.has_value());
        CHECK(same_bits(*enough, expected(m.d, trees)));
    }
    // The root alone is looked at.
    CHECK(expected_importances(m.d, {.depth = 1, .part_of = {}}, 500, team).has_value());
    CHECK(expected_importances(m.d, {.depth = 0, .part_of = {}}, 0, team).has_value());
}

TEST_CASE("expectations have the same bits for one thread and for three") {
    test::Rng rng(220);
    for (const TreeSplits splits : kAllSplits)
        for (const std::size_t n_drawn : {1U, 3U}) {
            const Made m = made(rng, 40, {2, 3, 2, 4, 2}, Impurity::gini, Weighting::fractional);
            const RandomizedTrees trees{.splits = splits,
                                        .n_drawn = n_drawn,
                                        .depth = 4,
                                        .part_of = {},
                                        .wants_hidden = splits == TreeSplits::multiway};
            CHECK(same_bits(expected(m.d, trees, 1), expected(m.d, trees, 3)));
        }
}

TEST_CASE("more variables than a word has bits") {
    test::Rng rng(221);
    const std::size_t p = 70;
    const Made m = made(rng, 40, std::vector<std::uint32_t>(p, 2));
    const double whole = weight_of(m.d, all_rows(m.d)), mass = mass_of(m.d, all_rows(m.d));
    const auto left_after = [&](const Rows& rows, std::size_t j) {
        double sum = 0.0;
        for (const auto& [level, of] : by_level(m.d, rows, j)) sum += mass_of(m.d, of);
        return sum;
    };
    const RandomizedTrees trees{.depth = 2, .part_of = {}};
    const TreeImportances got = expected(m.d, trees, 2);
    const auto contexts = contexts_of(got);
    CHECK(contexts.size() == p * p);
    const double n = p * whole;
    for (std::size_t j = 0; j < p; ++j) {
        const double alone = (mass - left_after(all_rows(m.d), j)) / n;
        CHECK(std::abs(got.by_degree[j * p] - alone) < 1e-12);
        double sum = 0.0;
        for (std::size_t i = 0; i < p; ++i) {
            if (i == j) continue;
            double decrease = 0.0;
            for (const auto& [level, rows] : by_level(m.d, all_rows(m.d), i))
                decrease += (mass_of(m.d, rows) - left_after(rows, j)) / n / (p - 1);
            sum += decrease;
            REQUIRE(contexts.contains({j, {i}}));
            CHECK(std::abs(contexts.at({j, {i}}).weight * p * (p - 1) - 1.0) < 1e-9);
            CHECK(std::abs(contexts.at({j, {i}}).decrease - decrease) < 1e-12);
        }
        CHECK(std::abs(got.by_degree[j * p + 1] - sum) < 1e-12);
        for (std::size_t k = 2; k < p; ++k) CHECK(got.by_degree[j * p + k] == 0.0);
    }
    const TreeImportances some = sampled(m.d, trees, 300);
    for (const auto& [context, met] : contexts_of(some)) CHECK(contexts.contains(context));
    CHECK(sum_of(some.by_degree) == doctest::Approx(sum_of(got.by_degree)).epsilon(0.05));
}

}  // namespace
}  // namespace silvics
