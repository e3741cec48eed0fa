#include "shap/tree_background.hpp"

#include <algorithm>

namespace silvics {

TreeBackground::TreeBackground(const ExplainedTree& tree, const RowBlock& block,
                               std::span<const std::uint8_t> skipped, const FollowingRule& rule)
    : rows(block), nodes(tree.n_nodes()) {
    for (std::size_t i = 0; i < rows.size; ++i) all.add(i);
    std::vector<std::vector<RowSet>> children(tree.max_depth() + 1);  // of the nodes above
    for (NodeId t = 0; t < tree.n_nodes(); ++t) {
        const Edge& edge = tree.edge(t);
        Node& node = nodes[t];
        if (edge.depth > 0)
            node.passing = children[edge.depth - 1][edge.which] &
                           (edge.previous ? nodes[edge.previous].passing : all);
        if (tree.leaf(t)) {
            tree.for_values(t, [&](std::size_t column, double value) {
                if (!skipped[column]) node.threshold = value;
            });
            continue;
        }
        node.threshold = tree.threshold(t);
        node.variable = tree.variable(t);
        node.second = tree.edge(t + 1).end;
        find_children(tree, t, children[edge.depth]);
    }
    const auto n_others = static_cast<std::size_t>(std::ranges::count_if(
        nodes, [](const Node& node) { return node.threshold != node.threshold; }));
    if (!rule.holds(tree, n_others)) return;
    most_followed = rule.most_rows;
    add_pair_nodes(tree);
}

// The rows that go to each child of node t.
void TreeBackground::find_children(const ExplainedTree& tree, NodeId t,
                                   std::vector<RowSet>& children) const {
    const double threshold = tree.threshold(t);
    children.assign(2, {});
    if (rows.whole && threshold == threshold) {
        const FeatureId variable = tree.variables()[tree.variable(t)];
        for (std::size_t i = 0; i < rows.size; ++i)
            children[1].add_if(i, rows.row(i)[variable] > threshold);
        children[0] = all.without(children[1]);
        return;
    }
    for (NodeId c = t + 1; c < tree.edge(t).end; c = tree.edge(c).end)
        children.resize(std::max<std::size_t>(children.size(), tree.edge(c).which + 1));
    for (std::size_t i = 0; i < rows.size; ++i) children[tree.child_of(t, rows.row(i))].add(i);
}

void TreeBackground::add_pair_nodes(const ExplainedTree& tree) {
    pair_nodes.resize(nodes.size());
    struct OnPath {  // to a node
        std::uint32_t n_variables = 0, place = 0;
    };
    std::vector<OnPath> levels(tree.max_depth() + 1);
    std::vector<std::uint8_t> places(nodes.size());  // of the variables of edges
    for (NodeId t = 0; t < nodes.size(); ++t) {
        const Edge& edge = tree.edge(t);
        OnPath& level = levels[edge.depth];
        if (edge.depth > 0) {
            const OnPath& above = levels[edge.depth - 1];
            places[t] = static_cast<std::uint8_t>(above.place);
            level.n_variables = above.n_variables + (edge.previous == 0);
        }
        const Node& node = nodes[t];
        PairNode& pair_node = pair_nodes[t];
        if (tree.leaf(t)) {
            pair_node.key = std::bit_cast<OrderKey>(node.threshold);
            continue;
        }
        const NodeId previous = tree.edge(t + 1).previous;
        level.place = previous ? places[previous] : level.n_variables;
        pair_node.key = order_key(node.threshold);
        pair_node.second = node.second;
        pair_node.variable = node.variable;
        pair_node.place = level.place;
    }
}

}  // namespace silvics
