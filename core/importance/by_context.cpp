#include "importance/by_context.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "importance/impurity_decrease.hpp"
#include "tree/compact.hpp"

namespace silvics {
namespace {

struct Sum {
    double weight = 0.0, decrease = 0.0;
};
using Key = std::pair<std::uint32_t, std::vector<std::uint32_t>>;

// Decomposes a block of trees, and sums over them.
class Decomposer {
public:
    Decomposer(std::span<const std::uint32_t> group_of, std::size_t n_groups, std::size_t n_degrees,
               std::size_t most_in_context, std::size_t min_samples)
        : group_of_(group_of),
          n_degrees_(n_degrees),
          max_in_context_(most_in_context),
          min_samples_(min_samples),
          times_(n_groups, 0) {
        by_degree.assign(n_groups * n_degrees, 0.0);
    }

    void add(const StoredTree& stored) {
        const Tree tree = expand(stored);
        const double whole = tree.weighted_n_node_samples[0];
        const std::vector<NodeId> parents = parents_of(tree);
        path_.clear();
        for (NodeId t = 0; t < tree.nodes.size(); ++t) {
            // Nodes are in depth-first order: subtrees that do not contain this node are finished.
            while (!path_.empty() && path_.back() != parents[t]) leave(tree);
            if (tree.nodes[t].leaf()) continue;
            const double weight = tree.weighted_n_node_samples[t] / whole;
            const double decrease =
                std::ldexp(decrease_at(tree, t) / whole, tree.impurity_exponent);
            if (tree.n_node_samples[t] >= min_samples_)
                for_variables(tree, tree.nodes[t], [&](std::uint32_t variable, double share) {
                    gather(group_of_[variable], weight, decrease * share);
                });
            enter(tree, t);
        }
        while (!path_.empty()) leave(tree);
    }

    std::vector<double> by_degree;
    std::map<Key, Sum> contexts;

private:
    void gather(std::uint32_t variable, double weight, double decrease) {
        const std::size_t degree = distinct_.size() - (times_[variable] > 0);
        if (degree >= n_degrees_)
            throw std::invalid_argument("a tree is deeper than its max_depth");
        by_degree[variable * n_degrees_ + degree] += decrease;
        if (degree > max_in_context_) return;
        key_.first = variable;
        key_.second.clear();
        for (const std::uint32_t other : distinct_)
            if (other != variable) key_.second.push_back(other);
        std::ranges::sort(key_.second);
        Sum& sum = contexts[key_];
        sum.weight += weight;
        sum.decrease += decrease;
    }

    void enter(const Tree& tree, NodeId t) {
        path_.push_back(t);
        for_variables(tree, tree.nodes[t], [&](std::uint32_t variable, double) {
            const std::uint32_t group = group_of_[variable];
            if (times_[group]++ == 0) distinct_.push_back(group);
        });
    }
    void leave(const Tree& tree) {
        for_variables(tree, tree.nodes[path_.back()], [&](std::uint32_t variable, double) {
            if (--times_[group_of_[variable]] == 0) distinct_.pop_back();
        });
        path_.pop_back();
    }

    std::span<const std::uint32_t> group_of_;
    std::size_t n_degrees_, max_in_context_, min_samples_;
    std::vector<NodeId> path_;             // inner nodes from the root on
    std::vector<std::uint32_t> times_;     // how often each group is tested on the path
    std::vector<std::uint32_t> distinct_;  // the groups tested on the path, by first test
    Key key_;
};

// The maximum number of variables that one node tests.
std::size_t max_variables_of_node(const TreeBase& tree) {
    std::size_t most = 1;
    for (const Node& node : tree.nodes)
        if (!node.leaf() && tree.has_record(node))
            most = std::max<std::size_t>(most, tree.record(node).n_terms());
    return most;
}

}  // namespace

ContextDecomposition decompose_importances(std::span<const std::shared_ptr<const StoredTree>> trees,
                                           std::span<const std::uint32_t> group_of,
                                           std::size_t most_in_context, std::size_t min_samples,
                                           ThreadTeam& team) {
    ContextDecomposition found;
    for (const auto& tree : trees)
        if (tree->base().n_features != group_of.size())
            throw std::invalid_argument("a group is needed for each variable of the trees");
    if (trees.empty() || group_of.empty()) return found;
    const std::size_t p = *std::ranges::max_element(group_of) + std::size_t{1};
    std::size_t max_tested_above = 1;
    for (const auto& tree : trees)
        max_tested_above =
            std::max(max_tested_above, tree->base().max_depth * max_variables_of_node(*tree));
    found.n_degrees = std::min(p, max_tested_above);
    // Blocks of trees do not depend on the number of threads, and are added in their order.
    constexpr std::size_t kMaxNumbers = std::size_t{1} << 25;
    const std::size_t n_blocks = std::clamp<std::size_t>(kMaxNumbers / (p * found.n_degrees), 1,
                                                         std::min<std::size_t>(trees.size(), 16));
    std::vector<std::unique_ptr<Decomposer>> blocks(n_blocks);
    team.run(n_blocks, [&](std::size_t b, std::size_t) {
        blocks[b] = std::make_unique<Decomposer>(group_of, p, found.n_degrees, most_in_context,
                                                 min_samples);
        for (std::size_t i = b * trees.size() / n_blocks; i < (b + 1) * trees.size() / n_blocks;
             ++i) {
            team.stop().check();
            blocks[b]->add(*trees[i]);
        }
    });
    std::map<Key, Sum> contexts;
    found.by_degree.assign(p * found.n_degrees, 0.0);
    for (const auto& block : blocks) {
        for (std::size_t i = 0; i < found.by_degree.size(); ++i)
            found.by_degree[i] += block->by_degree[i];
        for (const auto& [key, sum] : block->contexts) {
            contexts[key].weight += sum.weight;
            contexts[key].decrease += sum.decrease;
        }
    }
    const auto n = static_cast<double>(trees.size());
    for (double& value : found.by_degree) value /= n;
    for (const auto& [key, sum] : contexts)
        found.contexts.push_back({key.first, key.second, sum.weight / n, sum.decrease / n});
    return found;
}

}  // namespace silvics
