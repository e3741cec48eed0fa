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
    try {
        team.run(plan.seeds.size(), [&](std::size_t i, std::size_t) {
            grown.trees[i] = std::make_shared<const Tree>(
                build_tree(plan.criterion, table, target,
                           learning_subset(plan.sampling, target, plan.seeds[i]), plan.rules,
                           plan.seeds[i], team.stop()));
        });
    } catch (const Interrupted&) {
        grown.complete = false;
        grown.trees.erase(std::ranges::find(grown.trees, nullptr), grown.trees.end());
    }
    return grown;
}

}  // namespace silvics
