// Forests of every kind whose trees a model file restores bit for bit.
#pragma once

#include "model_file/training_stats.hpp"
#include "predictor/made_forests.hpp"

namespace silvics::test {

// Leaves of trees with node values have no link to anything.
inline SharedTree without_links(const StoredTree& tree) {
    return std::make_shared<const StoredTree>(changed(tree, [](auto& made) {
        for (Node& node : made.nodes)
            if (node.leaf() && made.has_node_values()) node.link = 0;
    }));
}

inline std::vector<std::vector<SharedTree>> stored_forests() {
    Rng rng(7);
    std::vector<std::vector<SharedTree>> made;
    for (const Kind& kind : all_kinds()) {
        for (const Trials& trials : kAllTrials) {
            made.emplace_back();
            for (const SharedTree& tree : kind.forest(rng, kind.trees.size(), trials))
                made.back().push_back(without_links(*tree));
        }
        for (const StoredTree& tree : kind.trees) made.push_back({without_links(tree)});
    }
    made.push_back({std::make_shared<const StoredTree>(
        chain_of(5000, [](std::uint32_t level) { return level % 3 == 0; }))});
    return made;
}

}  // namespace silvics::test
