#include "tree/on_combinations.hpp"

#include <stdexcept>

#include "tree/check_tree.hpp"
#include "tree/compact.hpp"

namespace silvics {

Tree on_combinations(const StoredTree& tree, const std::vector<std::vector<Term>>& combinations,
                     std::size_t n_features) {
    if (combinations.size() != tree->n_features)
        throw std::invalid_argument("one combination for each variable of the tree is needed");
    if (!tree->branches.empty())
        throw std::invalid_argument("a tree of plain splits in two is needed");
    Tree turned = expand(tree);
    if (!turned.has_node_values()) {  // class weights of leaves become class shares of every node
        turned.node_values = turned.all_values();
        turned.leaf_weights.clear();
        for (Node& node : turned.nodes)
            if (node.leaf()) node.link = 0;
    }
    turned.n_features = n_features;
    for (NodeId t = 0; t < turned.nodes.size(); ++t) {
        Node& node = turned.nodes[t];
        if (node.leaf()) continue;
        const auto& terms = combinations[static_cast<std::size_t>(node.feature)];
        if (terms.empty()) throw std::invalid_argument("a combination of nothing");
        node.feature = static_cast<std::int32_t>(terms[0].feature);
        if (terms.size() == 1 && terms[0].coefficient == 1.0) continue;
        if (!node.rule().is_threshold())
            throw std::invalid_argument("a category has no combination");
        Branching branching;
        branching.missing_child = node.missing_left() ? 0 : 1;
        branching.other_child = branching.missing_child;
        branching.terms = terms;
        branching.thresholds = {node.rule().threshold()};
        const std::size_t at = BranchRecord::append(branching, turned.branches);
        const auto children = BranchRecord::children_at(turned.branches, at);
        children[0] = t + 1;
        children[1] = node.second();
        node.set_rule(SplitRule::record(at));
    }
    check_tree(turned);
    return turned;
}

}  // namespace silvics
