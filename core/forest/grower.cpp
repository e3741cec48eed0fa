#include <algorithm>

#include "forest/forest.hpp"
#include "splitter/column_ranges.hpp"

namespace silvics {
namespace {

constexpr std::size_t kWorthPages = std::size_t{1} << 20;

// The rules, with what they ask of whole columns.
GrowthRules with_column_ranges(GrowthRules rules, const Table& table, ThreadTeam& team) {
    SearchRules& search = rules.search;
    const std::size_t p = table.n_features();
    if (search.by_cells() || search.kind == SplitKind::oblique)
        search.ranges = column_ranges(table, team);
    if (search.kind == SplitKind::multiway)
        search.edges = column_edges(table, search.max_values, team);
    if (search.honest && search.missing == MissingRule::both)
        throw std::invalid_argument("honest trees do not send samples to both children");
    const auto one_each = [&](const auto& given) { return given.size() == p; };
    if (search.variable_draw == VariableDraw::weighted && !one_each(search.probabilities))
        throw std::invalid_argument("one probability for each variable is needed");
    if (search.cut_draw == CutDraw::relevance && !one_each(search.relevant))
        throw std::invalid_argument("it must be known of each variable whether it is relevant");
    return rules;
}

}  // namespace

std::size_t n_shared(std::size_t n_trees, std::size_t n_threads) {
    // On one tree threads are worth about the square root of their number.
    const std::size_t rest = n_trees % n_threads;
    return rest * rest < n_threads ? rest : 0;
}

GrownTrees grow_forest(const Table& table, const Target& target, const ForestPlan& plan,
                       ThreadTeam& team) {
    if (target.n_rows != table.n_rows || plan.sampling.n_rows != table.n_rows)
        throw std::invalid_argument("X, y and sample_weight do not have the same number of rows");
    if (plan.criterion.classification != target.classification())
        throw std::invalid_argument("the criterion does not fit the target");
    if (const std::size_t m = plan.rules.search.monotonic.size(); m != 0 && m != table.n_features())
        throw std::invalid_argument("monotonic_cst does not have one value per variable");
    const GrowthRules rules = with_column_ranges(plan.rules, table, team);
    GrownTrees grown;
    grown.trees.resize(plan.seeds.size());
    grown.work.resize(plan.seeds.size());
    // Few and small trees are not worth pages of their own.
    const std::size_t n_each = plan.seeds.size() / team.size() * table.n_rows;
    std::vector<PagePool> pools(n_each * 2 * sizeof(Node) < kWorthPages ? 0 : team.size());
    const auto grow = [&](std::size_t i, std::size_t worker, ThreadTeam* on_one) {
        PagePool* const pool = pools.empty() ? nullptr : &pools[worker];
        if (pool != nullptr) pool->expect((plan.seeds.size() - i) / team.size());
        grown.trees[i] = std::make_shared<const StoredTree>(
            build_tree(plan.criterion, table, target,
                       learning_subset(plan.sampling, target, plan.seeds[i], team.stop()), rules,
                       plan.seeds[i], team.stop(), on_one, &grown.work[i], pool));
    };
    const std::size_t n_trees = plan.seeds.size();
    const bool share =
        shareable(plan.rules) && plan.sampling.usual_size() >= plan.rules.search.shared_from;
    const std::size_t apart = n_trees - (share ? n_shared(n_trees, team.size()) : 0);
    try {
        if (apart < n_trees) team.set_total(n_trees);
        team.run(apart, [&](std::size_t i, std::size_t worker) { grow(i, worker, nullptr); });
        if (apart < n_trees) team.report(apart);
        for (std::size_t i = apart; i < n_trees; ++i) {
            grow(i, 0, &team);
            team.report(i + 1);
        }
    } catch (const Interrupted&) {
        grown.complete = false;
        grown.trees.erase(std::ranges::find(grown.trees, nullptr), grown.trees.end());
        grown.work.resize(grown.trees.size());
    }
    return grown;
}

}  // namespace silvics
