#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>

#include "doctest/doctest.h"
#include "importance/randomized_trees.hpp"
#include "importance/subset_impurities.hpp"
#include "support/problem.hpp"

namespace silvics {
namespace {

constexpr std::uint64_t kAnyWork = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t kAnyDepth = 1000;
constexpr TreeSplits kAllSplits[] = {TreeSplits::multiway, TreeSplits::random_cut,
                                     TreeSplits::best_cut};
constexpr Impurity kAllImpurities[] = {Impurity::entropy, Impurity::gini, Impurity::variance};

struct Made {
    std::vector<std::uint32_t> levels;
    std::vector<double> statistics;
    Distribution d;

    Made() = default;
    Made(Made&&) = default;  // what the spans see moves along
};

enum class Weighting { whole, fractional };

// Up to `n_rows` distinct rows, of which Y is known to be of one class now and then.
Made made(test::Rng& rng, std::size_t n_rows, const std::vector<std::uint32_t>& n_levels,
          Impurity impurity = Impurity::entropy, Weighting weighting = Weighting::whole) {
    std::set<std::vector<std::uint32_t>> rows;
    for (std::size_t r = 0; r < n_rows; ++r) {
        std::vector<std::uint32_t> row;
        for (const std::uint32_t n : n_levels)
            row.push_back(static_cast<std::uint32_t>(test::pick(rng, n)));
        rows.insert(row);
    }
    Made m;
    for (std::size_t j = 0; j < n_levels.size(); ++j)
        for (const auto& row : rows) m.levels.push_back(row[j]);
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const double w = weighting == Weighting::whole ? static_cast<double>(1 + test::pick(rng, 3))
                                                       : test::pick_real(rng, 0.1, 2.0);
        if (impurity == Impurity::variance) {
            const double y = test::pick_real(rng, -2.0, 2.0);
            m.statistics.insert(m.statistics.end(), {w, w * y, w * y * y});
        } else {
            std::vector<double> classes(3, 0.0);
            classes[test::pick(rng, 3)] = w;
            if (test::pick(rng, 3) == 0) classes[test::pick(rng, 3)] += 1.0;
            m.statistics.insert(m.statistics.end(), classes.begin(), classes.end());
        }
    }
    m.d = {.n_rows = rows.size(),
           .n_variables = n_levels.size(),
           .levels = m.levels,
           .n_levels = n_levels,
           .statistics = m.statistics,
           .width = 3,
           .values = {},
           .impurity = impurity};
    for (const std::uint32_t n : n_levels) {
        std::vector<double> values;
        for (std::uint32_t l = 0; l < n; ++l)
            values.push_back((values.empty() ? 0.0 : values.back()) +
                             test::pick_real(rng, 0.2, 2.0));
        m.d.values.push_back(values);
    }
    return m;
}

using Rows = std::vector<std::size_t>;

Rows all_rows(const Distribution& d) {
    Rows rows(d.n_rows);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    return rows;
}

double weight_of(const Distribution& d, const Rows& rows) {
    double sum = 0.0;
    for (const std::size_t r : rows)
        for (std::size_t c = 0; c < (d.impurity == Impurity::variance ? 1 : d.width); ++c)
            sum += d.statistics[r * d.width + c];
    return sum;
}

// Weight times impurity.
double mass_of(const Distribution& d, const Rows& rows) {
    std::vector<double> s(d.width, 0.0);
    for (const std::size_t r : rows)
        for (std::size_t c = 0; c < d.width; ++c) s[c] += d.statistics[r * d.width + c];
    if (d.impurity == Impurity::variance) return s[2] - s[1] * s[1] / s[0];
    double whole = 0.0, sum = 0.0;
    for (const double w : s) whole += w;
    for (const double w : s)
        if (w > 0.0)
            sum += d.impurity == Impurity::gini ? w * (1.0 - w / whole) : -w * std::log2(w / whole);
    return sum;
}

std::map<std::uint32_t, Rows> by_level(const Distribution& d, const Rows& rows, std::size_t j) {
    std::map<std::uint32_t, Rows> groups;
    for (const std::size_t r : rows) groups[d.levels[j * d.n_rows + r]].push_back(r);
    return groups;
}

// The share of impurity that all variables together take away.
double total_decrease(const Distribution& d) {
    std::map<std::vector<std::uint32_t>, Rows> groups;
    for (std::size_t r = 0; r < d.n_rows; ++r) {
        std::vector<std::uint32_t> key;
        for (std::size_t j = 0; j < d.n_variables; ++j) key.push_back(d.levels[j * d.n_rows + r]);
        groups[key].push_back(r);
    }
    double left = mass_of(d, all_rows(d));
    for (const auto& [key, rows] : groups) left -= mass_of(d, rows);
    return left / weight_of(d, all_rows(d));
}

// ---- all trees, one after the other

using Context = std::pair<std::size_t, std::set<std::size_t>>;  // a variable, and those above it

struct AllTrees {
    const Distribution& d;
    const RandomizedTrees& trees;
    std::size_t p;
    std::vector<double> by_degree, hidden;
    std::vector<std::vector<double>> by_cut;
    struct Met {
        double weight = 0.0, decrease = 0.0;
    };
    std::map<Context, Met> contexts;

    AllTrees(const Distribution& distribution, const RandomizedTrees& of)
        : d(distribution), trees(of), p(d.n_variables) {
        if (!of.part_of.empty()) p = *std::ranges::max_element(of.part_of) + std::size_t{1};
        by_degree.assign(p * p, 0.0);
        hidden.assign(p * p, 0.0);
        if (!of.part_of.empty())
            by_cut = {std::vector<double>(d.n_variables, 0.0)};
        else
            for (const std::uint32_t n : d.n_levels) by_cut.emplace_back(n - 1, 0.0);
        grow(all_rows(d), {}, 1.0 / weight_of(d, all_rows(d)), 0);
    }

private:
    struct Split {
        double decrease, probability;
        std::uint32_t low, high;
        std::vector<Rows> children;
        double chosen = 0.0;
    };
    using Splits = std::vector<std::vector<Split>>;  // of each variable

    bool multiway() const { return trees.splits == TreeSplits::multiway; }

    void grow(const Rows& rows, const std::set<std::size_t>& above, double reached,
              std::size_t depth) {
        const double mass = mass_of(d, rows);
        if (depth == trees.depth || (!multiway() && mass < 1e-12)) return;
        Splits splits(d.n_variables);
        std::vector<std::size_t> pool;
        for (std::size_t j = 0; j < d.n_variables; ++j) {
            if (multiway() && above.contains(j)) continue;
            splits[j] = splits_of(rows, mass, j);
            if (!splits[j].empty() || trees.constants_count) pool.push_back(j);
        }
        choose(splits, pool, reached);
        for (std::size_t j = 0; j < d.n_variables; ++j)
            for (const Split& split : splits[j]) {
                if (split.chosen == 0.0) continue;
                record(rows, above, j, split, reached * split.chosen);
                std::set<std::size_t> with = above;
                with.insert(j);
                for (const Rows& child : split.children)
                    grow(child, with, reached * split.chosen, depth + 1);
            }
    }

    std::vector<Split> splits_of(const Rows& rows, double mass, std::size_t j) const {
        const auto groups = by_level(d, rows, j);
        std::vector<Split> found;
        if (multiway()) {
            found.push_back({mass, 1.0, 0, 0, {}});
            for (const auto& [level, of] : groups) {
                found[0].children.push_back(of);
                found[0].decrease -= mass_of(d, of);
            }
            return found;
        }
        const std::vector<double>& v = d.values[j];
        const double range = v[groups.rbegin()->first] - v[groups.begin()->first];
        for (auto at = groups.begin(); std::next(at) != groups.end(); ++at) {
            Rows left, right;
            for (const auto& [level, of] : groups) {
                Rows& side = level <= at->first ? left : right;
                side.insert(side.end(), of.begin(), of.end());
            }
            const std::uint32_t low = at->first, high = std::next(at)->first;
            found.push_back({mass - mass_of(d, left) - mass_of(d, right),
                             (v[high] - v[low]) / range,
                             low,
                             high,
                             {left, right}});
        }
        if (trees.splits == TreeSplits::best_cut && !found.empty()) {
            double most = 0.0;
            for (const Split& split : found) most = std::max(most, split.decrease);
            const auto best = std::ranges::find_if(
                found, [&](const Split& split) { return split.decrease >= most - 1e-9; });
            found = {*best};
            found[0].probability = 1.0;
        }
        return found;
    }

    void choose(Splits& splits, std::vector<std::size_t>& pool, double reached) {
        if (!trees.part_of.empty()) {
            std::map<std::size_t, std::vector<std::size_t>> parts;
            for (const std::size_t j : pool) parts[trees.part_of[j]].push_back(j);
            for (const auto& [whole, of] : parts)
                for (const std::size_t j : of)
                    splits[j][0].chosen =
                        1.0 / static_cast<double>(parts.size()) / static_cast<double>(of.size());
            return;
        }
        double n_orders = 1.0;
        for (std::size_t i = 2; i <= pool.size(); ++i) n_orders *= static_cast<double>(i);
        do {
            std::vector<std::size_t> drawn;
            for (std::size_t i = 0; i < pool.size(); ++i)
                if ((i < trees.n_drawn || drawn.empty()) && !splits[pool[i]].empty())
                    drawn.push_back(pool[i]);
            std::vector<Split*> offered;
            offer(splits, drawn, offered, 1.0 / n_orders, reached);
        } while (std::ranges::next_permutation(pool).found);
    }

    void offer(Splits& splits, const std::vector<std::size_t>& drawn, std::vector<Split*>& offered,
               double probability, double reached) {
        const std::size_t n = offered.size();
        if (n < drawn.size()) {
            for (Split& split : splits[drawn[n]]) {
                offered.push_back(&split);
                offer(splits, drawn, offered, probability * split.probability, reached);
                offered.pop_back();
            }
            return;
        }
        double most = 0.0;
        for (const Split* split : offered) most = std::max(most, split->decrease);
        std::vector<std::size_t> best;
        for (std::size_t i = 0; i < n; ++i)
            if (offered[i]->decrease >= most - 1e-9) best.push_back(i);
        for (const std::size_t i : best) {
            const double each = probability / static_cast<double>(best.size());
            offered[i]->chosen += each;
            for (std::size_t other = 0; other < n; ++other)
                if (other != i)
                    hidden[drawn[other] * p + drawn[i]] +=
                        reached * each * offered[other]->decrease;
        }
    }

    void record(const Rows& rows, const std::set<std::size_t>& above, std::size_t j,
                const Split& split, double probability) {
        const double decrease = probability * split.decrease;
        std::set<std::size_t> stored;
        for (const std::size_t i : above)
            stored.insert(trees.part_of.empty() ? i : trees.part_of[i]);
        if (!trees.part_of.empty()) {
            by_cut[0][j] += decrease;
            j = trees.part_of[j];
        } else if (!multiway()) {
            const std::vector<double>& v = d.values[j];
            for (std::uint32_t l = split.low; l < split.high; ++l)
                by_cut[j][l] += decrease * (v[l + 1] - v[l]) / (v[split.high] - v[split.low]);
        }
        stored.erase(j);
        by_degree[j * p + stored.size()] += decrease;
        if (stored.size() > trees.most_in_context) return;
        contexts[{j, stored}].weight += probability * weight_of(d, rows);
        contexts[{j, stored}].decrease += decrease;
    }
};

// ---- what is compared

TreeImportances expected(const Distribution& d, const RandomizedTrees& trees,
                         std::size_t n_threads = 1) {
    ThreadTeam team(n_threads, nullptr);
    auto found = expected_importances(d, trees, kAnyWork, team);
    REQUIRE(found.has_value());
    return std::move(*found);
}

TreeImportances sampled(const Distribution& d, const RandomizedTrees& trees, std::size_t n_trees,
                        std::size_t n_threads = 1, std::uint64_t seed = 7) {
    ThreadTeam team(n_threads, nullptr);
    return sampled_importances(d, trees, seed, n_trees, team);
}

double sum_of(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

std::map<Context, AllTrees::Met> contexts_of(const TreeImportances& found) {
    std::map<Context, AllTrees::Met> contexts;
    for (const ContextSum& sum : found.contexts) {
        std::set<std::size_t> set;
        for (std::size_t j = 0; j < 64 * sum.set.size(); ++j)
            if ((sum.set[j / 64] >> (j % 64) & 1) != 0) set.insert(j);
        CHECK_FALSE(contexts.contains({sum.variable, set}));
        contexts[{sum.variable, set}] = {sum.weight, sum.decrease};
    }
    return contexts;
}

void check_near(const std::vector<double>& got, const std::vector<double>& wanted) {
    REQUIRE(got.size() == wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i) CHECK(std::abs(got[i] - wanted[i]) < 1e-11);
}

void check_same(const TreeImportances& got, const AllTrees& wanted) {
    check_near(got.by_degree, wanted.by_degree);
    if (!got.hidden.empty()) check_near(got.hidden, wanted.hidden);
    if (!got.by_cut.empty()) {
        REQUIRE(got.by_cut.size() == wanted.by_cut.size());
        for (std::size_t j = 0; j < got.by_cut.size(); ++j)
            check_near(got.by_cut[j], wanted.by_cut[j]);
    }
    const auto contexts = contexts_of(got);
    REQUIRE(contexts.size() == wanted.contexts.size());
    for (const auto& [context, met] : wanted.contexts) {
        REQUIRE(contexts.contains(context));
        CHECK(std::abs(contexts.at(context).weight - met.weight) < 1e-11);
        CHECK(std::abs(contexts.at(context).decrease - met.decrease) < 1e-11);
    }
}

bool same_bits(const TreeImportances& a, const TreeImportances& b) {
    bool same = a.by_degree == b.by_degree && a.by_cut == b.by_cut && a.hidden == b.hidden &&
                a.of_trees == b.of_trees && a.contexts.size() == b.contexts.size();
    for (std::size_t i = 0; same && i < a.contexts.size(); ++i) {
        const ContextSum &x = a.contexts[i], &y = b.contexts[i];
        same = x.variable == y.variable && x.set == y.set && x.weight == y.weight &&
               x.decrease == y.decrease;
    }
    return same;
}

// ---- what is refused

TEST_CASE("trees that cannot be grown on a distribution are refused") {
    test::Rng rng(210);
    Made m = made(rng, 10, {2, 3});
    ThreadTeam team(1, nullptr);
    const auto refused = [&](const char* what, const RandomizedTrees& trees) {
        CHECK_THROWS_WITH_AS(check(trees, m.d), what, std::invalid_argument);
        CHECK_THROWS_AS(expected_importances(m.d, trees, kAnyWork, team), std::invalid_argument);
        CHECK_THROWS_AS(sampled_importances(m.d, trees, 1, 1, team), std::invalid_argument);
    };
    for (const TreeSplits splits : kAllSplits) {
        CHECK_NOTHROW(check(RandomizedTrees{.splits = splits, .depth = 1, .part_of = {}}, m.d));
        refused("trees draw at least one variable",
                {.splits = splits, .n_drawn = 0, .depth = 1, .part_of = {}});
    }
    for (const TreeSplits splits : {TreeSplits::random_cut, TreeSplits::best_cut}) {
        refused("hidden decreases are defined for multiway splits only",
                {.splits = splits, .depth = 1, .part_of = {}, .wants_hidden = true});
        refused("parts are drawn one at a time", {.splits = splits, .depth = 1, .part_of = {0, 0}});
    }
    refused("each variable must be part of one whole", {.depth = 1, .part_of = {0}});
    refused("each variable must be part of one whole", {.depth = 1, .part_of = {0, 0, 0}});
    refused("parts are drawn one at a time", {.n_drawn = 2, .depth = 1, .part_of = {0, 0}});
    refused("parts are drawn one at a time", {.depth = 1, .part_of = {0, 0}, .wants_hidden = true});
    refused("there are more wholes than parts", {.depth = 1, .part_of = {0, 2}});
    CHECK_NOTHROW(check(RandomizedTrees{.depth = 1, .part_of = {1, 1}}, m.d));
    m.d.values.clear();
    for (const TreeSplits splits : {TreeSplits::random_cut, TreeSplits::best_cut})
        refused("cuts need values", {.splits = splits, .depth = 1, .part_of = {}});
    CHECK_NOTHROW(check(RandomizedTrees{.depth = 1, .part_of = {}}, m.d));
    m.levels[0] = 9;
    CHECK_THROWS_AS(expected(m.d, {.depth = 1, .part_of = {}}), std::invalid_argument);
    CHECK_THROWS_AS(sampled(m.d, {.depth = 1, .part_of = {}}, 1), std::invalid_argument);
}

// ---- expectations

TEST_CASE("multiway splits are expected as all trees say, and so is what they hide") {
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

TEST_CASE("cuts are expected as all trees say, whether or not constants are drawn") {
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

TEST_CASE("parts of variables are expected as all trees say") {
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

TEST_CASE("K = 1 and multiway: Theorem 6.1 says what each variable and context comes to") {
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

TEST_CASE("only contexts of few variables are told of, if that is wished") {
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

// ---- trees that are grown

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

TEST_CASE("a small set is met below tests of several parts of it, too") {
    // One row, and two parts of one variable: each is tested, with no other variable above it.
    const std::vector<std::uint32_t> levels = {0, 0};
    const std::vector<double> statistics = {1.0, 1.0};
    const Distribution d{.n_rows = 1,
                         .n_variables = 2,
                         .levels = levels,
                         .n_levels = {1, 1},
                         .statistics = statistics,
                         .width = 2,
                         .values = {}};
    for (const std::size_t most_in_context : {0U, 1U}) {
        const RandomizedTrees trees{
            .depth = 2, .part_of = {0, 0}, .most_in_context = most_in_context};
        for (const TreeImportances& found : {expected(d, trees), sampled(d, trees, 10)}) {
            REQUIRE(found.contexts.size() == 1);
            CHECK(found.contexts[0].weight == 2.0);
        }
    }
}

TEST_CASE("a monitor that asks to stop ends the work on trees") {
    struct Stopper : Monitor {
        bool poll(std::size_t, std::size_t) override { return false; }
    };
    test::Rng rng(226);
    const Made m = made(rng, 2000, std::vector<std::uint32_t>(14, 3));  // minutes of work
    for (const TreeSplits splits : kAllSplits) {
        const RandomizedTrees trees{.splits = splits, .depth = kAnyDepth, .part_of = {}};
        Stopper stopper;
        ThreadTeam first(2, &stopper), second(2, &stopper);
        CHECK_THROWS_AS(expected_importances(m.d, trees, kAnyWork, first), Interrupted);
        CHECK_THROWS_AS(sampled_importances(m.d, trees, 1, 100000, second), Interrupted);
    }
}

}  // namespace
}  // namespace silvics
