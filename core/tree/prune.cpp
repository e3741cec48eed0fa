#include "tree/prune.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <stdexcept>

#include "tree/compact.hpp"
#include "tree/cut_tree.hpp"

namespace silvics {
namespace {

// Minimal cost-complexity pruning: each step cuts the inner node with the smallest alpha.
class Pruning {
public:
    explicit Pruning(const Tree& tree)
        : parent_(tree.nodes.size(), 0),
          cut_(tree.nodes.size(), 0),
          removed_(tree.nodes.size(), 0),
          leaves_(tree.nodes.size(), 1),
          own_(tree.nodes.size()),
          ends_(tree.subtree_ends()) {
        const double whole = tree.weighted_n_node_samples[0];
        for (std::size_t t = 0; t < own_.size(); ++t)
            own_[t] = tree.weighted_n_node_samples[t] * tree.impurity[t] / whole;
        branch_ = own_;
        for (NodeId t = static_cast<NodeId>(own_.size()); t-- > 0;) {
            if (tree.nodes[t].leaf()) continue;
            branch_[t] = 0.0;
            leaves_[t] = 0;
            tree.for_children(t, [&](NodeId child) {
                parent_[child] = t;
                branch_[t] += branch_[child];
                leaves_[t] += leaves_[child];
            });
            links_.push({alpha(t), t});
        }
    }

    double impurity() const { return branch_[0]; }

    // Finds the alpha of the weakest link; returns false if only the root is left. Cutting the
    // weakest link can only raise the alphas above it, so that an outdated entry comes up too early
    // and can be replaced.
    bool weakest(double& least) {
        while (!links_.empty()) {
            const auto [a, t] = links_.top();
            if (!removed_[t] && !(alpha(t) > a)) {
                least = a;
                return true;
            }
            links_.pop();
            if (!removed_[t]) links_.push({alpha(t), t});
        }
        return false;
    }

    void cut_weakest() {
        const NodeId t = links_.top().second;
        links_.pop();
        cut_[t] = 1;
        for (NodeId u = t + 1; u < ends_[t]; ++u) removed_[u] = 1;
        const double gain = own_[t] - branch_[t];
        const std::size_t fewer = leaves_[t] - 1;
        branch_[t] = own_[t];
        leaves_[t] = 1;
        for (NodeId a = t; a != 0;) {
            a = parent_[a];
            branch_[a] += gain;
            leaves_[a] -= fewer;
        }
    }

    // For each node, whether it has become a leaf.
    const std::vector<char>& cut() const { return cut_; }

private:
    double alpha(NodeId t) const {
        // A node with one child has no leaf to save.
        return (own_[t] - branch_[t]) /
               static_cast<double>(std::max<std::size_t>(leaves_[t], 2) - 1);
    }

    using Link = std::pair<double, NodeId>;  // of equal alphas, the lower node

    std::vector<NodeId> parent_;
    std::vector<char> cut_, removed_;
    std::vector<std::size_t> leaves_;
    std::vector<double> own_, branch_;  // R(t), R(T_t)
    std::vector<NodeId> ends_;
    std::priority_queue<Link, std::vector<Link>, std::greater<>> links_;
};

}  // namespace

PruningPath pruning_path(const StoredTree& tree) {
    const Tree plain = expand(tree);
    Pruning pruning(plain);
    PruningPath path;
    const auto note = [&](double alpha) {
        path.alphas.push_back(std::ldexp(alpha, plain.impurity_exponent));
        path.impurities.push_back(std::ldexp(pruning.impurity(), plain.impurity_exponent));
    };
    note(0.0);
    for (double alpha; pruning.weakest(alpha);) {
        pruning.cut_weakest();
        note(alpha);
    }
    return path;
}

StoredTree prune(const StoredTree& tree, double alpha) {
    const Tree plain = expand(tree);
    Pruning pruning(plain);
    for (double weakest;
         pruning.weakest(weakest) && std::ldexp(weakest, plain.impurity_exponent) <= alpha;)
        pruning.cut_weakest();
    return stored(cut_tree(plain, pruning.cut()), tree.compaction());
}

StoredTree prune_by_errors(const StoredTree& tree, std::span<const double> errors, double slack) {
    const Tree plain = expand(tree);
    if (errors.size() != plain.nodes.size())
        throw std::invalid_argument("one error for each node is needed");
    std::vector<char> cut(plain.nodes.size(), 0);
    std::vector<double> least(errors.begin(), errors.end());
    for (NodeId t = static_cast<NodeId>(plain.nodes.size()); t-- > 0;) {
        if (plain.nodes[t].leaf()) continue;
        double below = 0.0;
        plain.for_children(t, [&](NodeId child) { below += least[child]; });
        cut[t] = errors[t] <= below + slack;
        if (cut[t] == 0) least[t] = below;
    }
    return stored(cut_tree(plain, cut), tree.compaction());
}

}  // namespace silvics
