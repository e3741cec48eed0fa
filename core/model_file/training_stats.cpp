#include "model_file/training_stats.hpp"

#include <algorithm>
#include <cmath>

#include "predictor/packed_tree.hpp"
#include "tree/compact.hpp"

namespace silvics {
namespace {

bool in_doubles(const Numbers& numbers) {
    return std::holds_alternative<std::span<const double>>(numbers);
}

// visit(number of the node in the tree, node) in the order of the packed forest.
template <class Visit>
void for_nodes(const PackedTree& tree, const NodeNumbers& numbers, Visit&& visit) {
    const bool one_leaf = tree.shape().n_nodes == 1;
    visit(NodeId{0}, one_leaf ? tree.child(PackedTree::kRoot, 0) : Child::inner(PackedTree::kRoot));
    for (Place t = 0; t < tree.n_places() && !one_leaf; ++t)
        for (std::uint32_t k = 0; k < tree.n_children(t); ++k)
            visit(numbers.child(tree, t, k), tree.child(t, k));
}

// ---- trees to stats

// A column of some trees: nothing, unless one of them has something.
struct PartColumn {
    std::vector<std::uint64_t> first{0};
    std::vector<double> numbers;

    void end_tree() { first.push_back(numbers.size()); }
    void view_as(std::span<const std::uint64_t>& to_first, std::span<const double>& to) const {
        if (numbers.empty()) return;
        to_first = first;
        to = numbers;
    }
};

struct Memory {
    std::vector<std::uint8_t> layout;
    std::vector<std::int32_t> impurity_exponent;
    NumberStore samples, weights;
    PartColumn impurity, class_weights, node_values;
};

// Which leaf of the tree a node is, if it is one.
std::vector<std::uint32_t> leaf_numbers(const Tree& tree) {
    std::vector<std::uint32_t> numbers(tree.nodes.size());
    std::uint32_t n = 0;
    for (NodeId t = 0; t < tree.nodes.size(); ++t) {
        numbers[t] = n;
        n += tree.nodes[t].leaf();
    }
    return numbers;
}

// ---- stats to trees

// What leaves of a forest predict, and have of the classes.
class LeafReader {
public:
    explicit LeafReader(const PackedForest& forest)
        : forest_(forest), width_(forest.value_width()), n_pure_(forest.n_pure()) {}

    bool pure(std::uint32_t content) const { return content < n_pure_; }
    double number(const TreeShape& shape, std::uint32_t content) const {
        return at(forest_.values, shape.first_leaf + content);
    }
    // The row of a leaf that is not pure.
    void append_row(std::uint32_t content, std::vector<double>& to) const {
        for (std::size_t c = 0; c < width_; ++c)
            to.push_back(at(forest_.values, (content - n_pure_) * width_ + c));
    }
    // What a leaf predicts, where nodes keep that.
    void append_value(const TreeShape& shape, std::uint32_t content,
                      std::vector<double>& to) const {
        if (forest_.one_number()) {
            to.push_back(number(shape, content));
        } else if (pure(content)) {
            to.resize(to.size() + width_, 0.0);
            *(to.end() - static_cast<std::ptrdiff_t>(width_) + content) = 1.0;
        } else {
            append_row(content, to);
        }
    }

private:
    const PackedForest& forest_;
    std::size_t width_, n_pure_;
};

// Makes one tree after the other.
class TreeMaker {
public:
    TreeMaker(const PackedForest& forest, const TrainingStats& stats)
        : forest_(forest), stats_(stats), leaves_(forest) {}

    Tree next() {
        const std::size_t m = m_++;
        const PackedTree packed(forest_, m);
        const NodeNumbers numbers(packed);
        const std::uint8_t layout = stats_.layout[m];
        const bool compact = is_compact(layout);
        const bool per_node = layout == static_cast<std::uint8_t>(Layout::node_values);
        Tree tree = header(m, packed.shape());
        const std::size_t n = packed.shape().n_nodes;
        // What is told of each node, and where.
        std::vector<Child> nodes(n, Child::inner(0));
        std::vector<std::uint32_t> place(n), mixed(n);
        std::uint32_t n_nodes = 0, n_leaves = 0, n_mixed = 0;
        for_nodes(packed, numbers, [&](NodeId id, Child node) {
            nodes[id] = node;
            place[id] = compact ? n_leaves : n_nodes;
            mixed[id] = n_mixed;
            ++n_nodes;
            n_leaves += node.leaf();
            n_mixed += node.leaf() && !leaves_.pure(node.content());
        });
        put_nodes(packed, numbers, nodes, per_node, tree);
        std::vector<double> class_weights;
        if (!forest_.n_classes.empty() && !per_node)
            append_class_weights(m, nodes, mixed, class_weights);
        if (compact) {
            tree = compact_tree(tree, leaves_of(m, packed.shape(), nodes, place, class_weights),
                                static_cast<Derivation>(layout));
        } else {
            put_plain(m, packed, nodes, place, per_node, tree);
            tree.leaf_weights = std::move(class_weights);
        }
        first_ += n_stored(packed.shape(), layout);
        return tree;
    }

private:
    Tree header(std::size_t m, const TreeShape& shape) const {
        Tree tree;
        tree.n_features = forest_.n_features;
        tree.n_outputs = forest_.n_outputs;
        tree.n_classes = forest_.n_classes;
        tree.max_depth = shape.depth;
        tree.impurity_exponent = stats_.impurity_exponent[m];
        const auto sets = part_of(forest_.level_sets, forest_.first_set, m);
        tree.level_sets.assign(sets.begin(), sets.end());
        tree.both_children = forest_.both_children;
        return tree;
    }

    void put_nodes(const PackedTree& packed, const NodeNumbers& numbers,
                   std::span<const Child> nodes, bool per_node, Tree& tree) const {
        tree.nodes.resize(nodes.size());
        std::uint32_t row = 0;
        for (NodeId id = 0; id < nodes.size(); ++id) {
            Node& to = tree.nodes[id];
            if (nodes[id].leaf()) {
                if (!forest_.n_classes.empty() && !per_node)
                    to.link =
                        leaves_.pure(nodes[id].content()) ? kPureBit | nodes[id].content() : row++;
                continue;
            }
            const Place t = nodes[id].place();
            const PackedNode& from = packed.nodes()[t];
            to.threshold = from.threshold();
            to.feature = static_cast<std::int32_t>(from.feature());
            const std::uint32_t n_children = packed.n_children(t);
            to.set_second(numbers.child(packed, t, n_children > 1 ? 1 : 0), from.missing_first());
            if (!from.record()) continue;
            // Records stand in the order of the tree's nodes.
            const BranchRecord record = packed.record_of(from);
            const std::uint32_t* const words = packed.branches().data() + from.rule().content();
            const std::size_t at = tree.branches.size();
            tree.branches.insert(tree.branches.end(), words, words + record.size());
            for (std::uint32_t k = 0; k < n_children; ++k)
                tree.branches[at + BranchRecord::kHead + k] = numbers.child(packed, t, k);
            to.threshold = LevelRule(LevelRule::Form::record, at, false).in_place();
        }
    }

    // Of the leaves that have several, in the order of the tree's nodes.
    void append_class_weights(std::size_t m, std::span<const Child> nodes,
                              std::span<const std::uint32_t> mixed, std::vector<double>& to) const {
        const std::size_t width = forest_.value_width();
        const auto of_tree = part_of(stats_.class_weights, stats_.first_class_weight, m);
        for (NodeId id = 0; id < nodes.size(); ++id) {
            if (!nodes[id].leaf() || leaves_.pure(nodes[id].content())) continue;
            if (in_doubles(forest_.values)) {
                const auto row = of_tree.subspan(mixed[id] * width, width);
                to.insert(to.end(), row.begin(), row.end());
            } else {
                leaves_.append_row(nodes[id].content(), to);
            }
        }
    }

    void put_plain(std::size_t m, const PackedTree& packed, std::span<const Child> nodes,
                   std::span<const std::uint32_t> place, bool per_node, Tree& tree) const {
        const std::size_t width = forest_.value_width();
        const auto impurity = part_of(stats_.impurity, stats_.first_impurity, m);
        const auto values = part_of(stats_.node_values, stats_.first_node_value, m);
        for (NodeId id = 0; id < nodes.size(); ++id) {
            tree.n_node_samples.push_back(
                static_cast<std::uint32_t>(at(stats_.samples, first_ + place[id])));
            tree.weighted_n_node_samples.push_back(at(stats_.weights, first_ + place[id]));
            tree.impurity.push_back(impurity[place[id]]);
            if (!per_node) continue;
            if (nodes[id].leaf()) {
                leaves_.append_value(packed.shape(), nodes[id].content(), tree.node_values);
            } else {
                const auto value = values.subspan(nodes[id].place() * width, width);
                tree.node_values.insert(tree.node_values.end(), value.begin(), value.end());
            }
        }
    }

    Leaves leaves_of(std::size_t m, const TreeShape& shape, std::span<const Child> nodes,
                     std::span<const std::uint32_t> place,
                     const std::vector<double>& class_weights) const {
        Leaves leaves;
        const auto impurity = part_of(stats_.impurity, stats_.first_impurity, m);
        for (NodeId id = 0; id < nodes.size(); ++id) {
            if (!nodes[id].leaf()) continue;
            leaves.ids.push_back(id);
            leaves.n.push_back(static_cast<std::uint32_t>(at(stats_.samples, first_ + place[id])));
            leaves.weight.push_back(at(stats_.weights, first_ + place[id]));
            leaves.impurity.push_back(impurity.empty() ? 0.0 : impurity[place[id]]);
            if (forest_.one_number())
                leaves.value.push_back(leaves_.number(shape, nodes[id].content()));
        }
        leaves.class_weights = class_weights;
        return leaves;
    }

    const PackedForest& forest_;
    const TrainingStats& stats_;
    LeafReader leaves_;
    std::size_t m_ = 0, first_ = 0;
};

}  // namespace

TrainingStats stats_of(const PackedForest& forest, std::span<const SharedTree> trees) {
    const auto memory = std::make_shared<Memory>();
    std::vector<double> samples, weights;
    const std::size_t width = forest.value_width();
    for (std::size_t m = 0; m < trees.size(); ++m) {
        const Tree& tree = *trees[m];
        const PackedTree packed(forest, m);
        const NodeNumbers numbers(packed);
        const std::vector<std::uint32_t> leaf = leaf_numbers(tree);
        memory->layout.push_back(tree.node_values.empty()
                                     ? static_cast<std::uint8_t>(tree.derivation)
                                     : static_cast<std::uint8_t>(Layout::node_values));
        memory->impurity_exponent.push_back(tree.impurity_exponent);
        const auto append = [&](const std::vector<double>& from, std::size_t row, PartColumn& to) {
            const auto at = from.begin() + static_cast<std::ptrdiff_t>(row * width);
            to.numbers.insert(to.numbers.end(), at, at + static_cast<std::ptrdiff_t>(width));
        };
        for_nodes(packed, numbers, [&](NodeId id, Child node) {
            if (tree.compact() && node.leaf()) {
                const LeafStats stats = tree.leaf_stats(id, leaf[id]);
                samples.push_back(stats.n);
                weights.push_back(stats.weight);
                if (!tree.impurity.empty()) memory->impurity.numbers.push_back(stats.impurity);
            } else if (!tree.compact()) {
                samples.push_back(tree.n_node_samples[id]);
                weights.push_back(tree.weighted_n_node_samples[id]);
                memory->impurity.numbers.push_back(tree.impurity[id]);
            }
            const bool mixed = node.leaf() && tree.classification() && tree.node_values.empty() &&
                               (tree.nodes[id].link & kPureBit) == 0;
            for (std::size_t c = 0; c < width && mixed && in_doubles(forest.values); ++c) {
                const std::size_t at = tree.nodes[id].link * width + c;
                memory->class_weights.numbers.push_back(
                    tree.leaf_weights.empty() ? tree.whole_weights[at] : tree.leaf_weights[at]);
            }
        });
        for (Place t = 0; t < packed.n_places() && !tree.node_values.empty(); ++t)
            if (tree.nodes.size() > 1) append(tree.node_values, numbers.of(t), memory->node_values);
        memory->impurity.end_tree();
        memory->class_weights.end_tree();
        memory->node_values.end_tree();
    }
    TrainingStats stats;
    stats.layout = memory->layout;
    stats.impurity_exponent = memory->impurity_exponent;
    stats.samples = memory->samples.put(std::move(samples), true);
    const bool whole_weights = std::ranges::all_of(weights, is_count);
    stats.weights = memory->weights.put(std::move(weights), whole_weights);
    memory->impurity.view_as(stats.first_impurity, stats.impurity);
    memory->class_weights.view_as(stats.first_class_weight, stats.class_weights);
    memory->node_values.view_as(stats.first_node_value, stats.node_values);
    stats.memory = memory;
    return stats;
}

std::vector<SharedTree> trees_of(const PackedForest& forest, const TrainingStats& stats) {
    TreeMaker maker(forest, stats);
    std::vector<SharedTree> trees;
    for (std::size_t m = 0; m < forest.n_trees(); ++m)
        trees.push_back(std::make_shared<const Tree>(maker.next()));
    return trees;
}

}  // namespace silvics
