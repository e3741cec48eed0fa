// Random distributions, and the importances of randomized trees on them by brute force: all trees,
// one after the other.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "doctest/doctest.h"
#include "importance/randomized_trees.hpp"
#include "support/problem.hpp"

namespace silvics::all_trees {

inline constexpr std::uint64_t kAnyWork = std::numeric_limits<std::uint64_t>::max();
inline constexpr std::size_t kAnyDepth = 1000;
inline constexpr TreeSplits kAllSplits[] = {TreeSplits::multiway, TreeSplits::random_cut,
                                            TreeSplits::best_cut};
inline constexpr Impurity kAllImpurities[] = {Impurity::entropy, Impurity::gini,
                                              Impurity::variance};

struct Made {
    std::vector<std::uint32_t> levels;
    std::vector<double> statistics;
    Distribution d;

    Made() = default;
    Made(Made&&) = default;  // what the spans see moves along
};

enum class Weighting { whole, fractional };

// Up to `n_rows` distinct rows, of which Y is known to be of one class now and then.
inline Made made(test::Rng& rng, std::size_t n_rows, const std::vector<std::uint32_t>& n_levels,
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

inline Rows all_rows(const Distribution& d) {
    Rows rows(d.n_rows);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    return rows;
}

inline double weight_of(const Distribution& d, const Rows& rows) {
    double sum = 0.0;
    for (const std::size_t r : rows)
        for (std::size_t c = 0; c < (d.impurity == Impurity::variance ? 1 : d.width); ++c)
            sum += d.statistics[r * d.width + c];
    return sum;
}

// Weight times impurity.
inline double mass_of(const Distribution& d, const Rows& rows) {
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

inline std::map<std::uint32_t, Rows> by_level(const Distribution& d, const Rows& rows,
                                              std::size_t j) {
    std::map<std::uint32_t, Rows> groups;
    for (const std::size_t r : rows) groups[d.levels[j * d.n_rows + r]].push_back(r);
    return groups;
}

// The share of impurity that all variables together take away.
inline double total_decrease(const Distribution& d) {
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

inline TreeImportances expected(const Distribution& d, const RandomizedTrees& trees,
                                std::size_t n_threads = 1) {
    ThreadTeam team(n_threads, nullptr);
    auto found = expected_importances(d, trees, kAnyWork, team);
    REQUIRE(found.has_value());
    return std::move(*found);
}

inline TreeImportances sampled(const Distribution& d, const RandomizedTrees& trees,
                               std::size_t n_trees, std::size_t n_threads = 1,
                               std::uint64_t seed = 7) {
    ThreadTeam team(n_threads, nullptr);
    return sampled_importances(d, trees, seed, n_trees, team);
}

inline double sum_of(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

inline std::map<Context, AllTrees::Met> contexts_of(const TreeImportances& found) {
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

inline void check_near(const std::vector<double>& got, const std::vector<double>& wanted) {
    REQUIRE(got.size() == wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i) CHECK(std::abs(got[i] - wanted[i]) < 1e-11);
}

inline void check_same(const TreeImportances& got, const AllTrees& wanted) {
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

inline bool same_bits(const TreeImportances& a, const TreeImportances& b) {
    bool same = a.by_degree == b.by_degree && a.by_cut == b.by_cut && a.hidden == b.hidden &&
                a.of_trees == b.of_trees && a.contexts.size() == b.contexts.size();
    for (std::size_t i = 0; same && i < a.contexts.size(); ++i) {
        const ContextSum &x = a.contexts[i], &y = b.contexts[i];
        same = x.variable == y.variable && x.set == y.set && x.weight == y.weight &&
               x.decrease == y.decrease;
    }
    return same;
}

}  // namespace silvics::all_trees
