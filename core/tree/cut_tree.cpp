#include "tree/cut_tree.hpp"

#include <algorithm>

namespace silvics {
namespace {

class Cutter {
public:
    Cutter(const Tree& tree, const std::vector<char>& cut, std::span<const double> class_weights)
        : tree_(tree),
          cut_(cut),
          class_weights_(class_weights),
          width_(tree.value_width()),
          value_(width_),
          pruned_(header_of(tree)) {
        pruned_.level_sets.clear();
    }

    Tree run() && {
        const std::vector<NodeId> ends = tree_.subtree_ends();
        std::vector<NodeId> now(tree_.nodes.size(), 0);
        for (NodeId t = 0, next; t < tree_.nodes.size(); t = next) {
            next = cut_[t] != 0 ? ends[t] : t + 1;
            now[t] = static_cast<NodeId>(pruned_.nodes.size());
            copy_stats(t);
            const bool leaf = cut_[t] != 0 || tree_.nodes[t].leaf();
            pruned_.nodes.push_back(leaf ? leaf_of(t) : inner_node(tree_.nodes[t]));
        }
        renumber(now);
        pruned_.max_depth = std::ranges::max(pruned_.depths());
        return std::move(pruned_);
    }

private:
    void copy_stats(NodeId t) {
        pruned_.n_node_samples.push_back(tree_.n_node_samples[t]);
        pruned_.weighted_n_node_samples.push_back(tree_.weighted_n_node_samples[t]);
        pruned_.impurity.push_back(tree_.impurity[t]);
        if (!tree_.has_node_values()) return;
        tree_.write_value(t, value_);
        pruned_.node_values.insert(pruned_.node_values.end(), value_.begin(), value_.end());
    }

    Node leaf_of(NodeId t) {
        const Node& node = tree_.nodes[t];
        if (tree_.has_node_values()) return Node::plain_leaf(0);
        if (node.leaf() && node.pure()) return Node::plain_leaf(node.link);
        if (class_weights_.empty())
            tree_.write_class_weights(t, value_);
        else
            std::ranges::copy(class_weights_.subspan(t * width_, width_), value_.begin());
        // A node of one class can have been split where a recipe splits pure nodes.
        const auto only = std::ranges::find_if(value_, [](double w) { return w != 0.0; });
        if (!node.leaf() && tree_.n_outputs == 1 &&
            std::all_of(only + 1, value_.end(), [](double w) { return w == 0.0; }))
            return Node::plain_leaf(kPureBit | static_cast<ClassId>(only - value_.begin()));
        const auto row = static_cast<std::uint32_t>(pruned_.leaf_weights.size() / width_);
        pruned_.leaf_weights.insert(pruned_.leaf_weights.end(), value_.begin(), value_.end());
        return Node::plain_leaf(row);
    }

    Node inner_node(Node node) {
        if (tree_.has_record(node)) {
            const BranchRecord record = tree_.record(node);  // growth adds no missing levels
            const std::size_t at = pruned_.branches.size();
            const auto words = record.words();
            pruned_.branches.insert(pruned_.branches.end(), words.begin(), words.end());
            if (record.test() == Branching::Test::subset)
                BranchRecord::set_subset(
                    pruned_.branches, at,
                    record.subset().copied(tree_.level_sets, pruned_.level_sets));
            node.set_rule(SplitRule::record(at));
        } else if (node.rule().is_levels()) {
            node.set_rule(node.rule().levels().copied(tree_.level_sets, pruned_.level_sets));
        }
        return node;
    }

    void renumber(const std::vector<NodeId>& now) {
        for (Node& node : pruned_.nodes) {
            if (node.leaf()) continue;
            if (pruned_.has_record(node))
                for (NodeId& child :
                     BranchRecord::children_at(pruned_.branches, node.rule().record_offset()))
                    child = now[child];
            node.set_second(now[node.second()], node.missing_left());
        }
    }

    const Tree& tree_;
    const std::vector<char>& cut_;
    const std::span<const double> class_weights_;
    const std::size_t width_;
    std::vector<double> value_;
    Tree pruned_;
};

}  // namespace

Tree cut_tree(const Tree& tree, const std::vector<char>& cut,
              std::span<const double> class_weights) {
    return Cutter(tree, cut, class_weights).run();
}

}  // namespace silvics
