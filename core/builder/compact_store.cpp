#include "builder/compact_store.hpp"

namespace silvics {

std::optional<CompactTree> CompactStore::finish_from_leaves(const Target& target,
                                                            std::size_t n_features,
                                                            CompactionRule rule,
                                                            int impurity_exponent) {
    if (!growth_.leaves.exact()) return std::nullopt;
    growth_.nodes.fit(pool_);
    return finish_compact(std::move(growth_), target, n_features, rule, impurity_exponent);
}

GrowingTree CompactStore::take_growing() && {
    CompactGrowth growth = std::move(growth_);
    GrowingTree growing = expanded_growth(growth);
    growth.nodes.clear();  // leaves the space in the pool to the next tree
    growth.nodes.fit(pool_);
    return growing;
}

}  // namespace silvics
