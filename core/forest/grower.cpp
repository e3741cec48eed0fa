#include <algorithm>

#include "forest/forest.hpp"

namespace silvics {

GrownTrees grow_forest(const Table& table, const Target& target, const ForestPlan& plan,
                       ThreadTeam& team) {
    if (target.n_rows != table.n_rows || plan.sampling.n_rows != table.n_rows)
        throw std::invalid_argument("X, y and sample_weight do not have the same number of rows");
    if (plan.criterion.classification != target.classification())
        throw std::invalid_argument("the criterion does not fit the target");
    if (const std::size_t m = plan.rules.search.monotonic.size(); m != 0 && m != table.n_features())
        throw std::invalid_argument("monotonic_cst does not have one value per variable");
    GrownTrees grown;
    grown.trees.resize(plan.seeds.size());
    const auto grow = [&](std::size_t i, ThreadTeam* on_one) {
        grown.trees[i] = std::make_shared<const Tree>(build_tree(
            plan.criterion, table, target, learning_subset(plan.sampling, target, plan.seeds[i]),
            plan.rules, plan.seeds[i], team.stop(), on_one));
    };
    // A thread per tree as long as there is a tree for each; the others all together, one by one.
    const std::size_t n_trees = plan.seeds.size();
    const bool share = team.size() > 1 && shareable(plan.rules, table.n_rows);
    const std::size_t apart = share ? n_trees / team.size() * team.size() : n_trees;
    try {
        if (share) team.set_total(n_trees);
        team.run(apart, [&](std::size_t i, std::size_t) { grow(i, nullptr); });
        if (apart < n_trees) team.report(apart);
        for (std::size_t i = apart; i < n_trees; ++i) {
            grow(i, &team);
            team.report(i + 1);
        }
    } catch (const Interrupted&) {
        grown.complete = false;
        grown.trees.erase(std::ranges::find(grown.trees, nullptr), grown.trees.end());
    }
    return grown;
}

}  // namespace silvics
