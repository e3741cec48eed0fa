#include "model_file/training_stats.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "predictor/packed_tree.hpp"
#include "tree/compact.hpp"

namespace silvics {
namespace {

bool in_doubles(const Numbers& numbers) {
    return std::holds_alternative<std::span<const double>>(numbers);
}

// visit(number of the node in the stored tree, node) in the order of the packed forest.
template <class Visit>
void for_nodes(const PackedTree& tree, const NodeNumbers& numbers, Visit&& visit) {
    const bool one_leaf = tree.shape().n_nodes == 1;
    visit(NodeId{0}, one_leaf ? tree.child(PackedTree::kRoot, 0) : Child::inner(PackedTree::kRoot));
    for (Place t = 0; t < tree.n_places() && !one_leaf; ++t)
        for (std::uint32_t k = 0; k < tree.n_children(t); ++k)
            visit(numbers.child(tree, t, k), tree.child(t, k));
}

// ---- trees to stats

// A column that only some trees have; empty if none has it.
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

// For each leaf, its number among the leaves in the order of nodes.
std::vector<std::uint32_t> leaf_numbers(const TreeBase& tree) {
    std::vector<std::uint32_t> numbers(tree.nodes.size());
    std::uint32_t n = 0;
    for (NodeId t = 0; t < tree.nodes.size(); ++t) {
        numbers[t] = n;
        n += tree.nodes[t].leaf();
    }
    return numbers;
}

// Collects the statistics of trees, one at a time, in the order of the packed forest.
class StatsWriter {
public:
    explicit StatsWriter(const PackedForest& forest)
        : forest_(forest), width_(forest.value_width()) {}

    // Vectors that grow by doubling would take half as much again.
    void reserve(std::span<const SharedTree> trees) {
        std::size_t n = 0, n_impurities = 0;
        for (const SharedTree& tree : trees)
            tree->visit([&]<class Form>(const Form& form) {
                if constexpr (std::is_same_v<Form, CompactTree>) {
                    n += (form.nodes.size() + 1) / 2;
                    n_impurities += form.leaf_impurity.size();
                } else {
                    n += form.nodes.size();
                    n_impurities += form.nodes.size();
                }
            });
        samples_.reserve(n);
        weights_.reserve(n);
        memory_->impurity.numbers.reserve(n_impurities);
    }
    void add(std::size_t m, const StoredTree& tree) {
        const PackedTree packed(forest_, m);
        const NodeNumbers numbers(packed);
        memory_->impurity_exponent.push_back(tree->impurity_exponent);
        tree.visit([&](const auto& form) { append(packed, numbers, form); });
        memory_->impurity.end_tree();
        memory_->class_weights.end_tree();
        memory_->node_values.end_tree();
    }

    TrainingStats finish() && {
        TrainingStats stats;
        stats.layout = memory_->layout;
        stats.impurity_exponent = memory_->impurity_exponent;
        stats.samples = memory_->samples.put(std::move(samples_), true);
        const bool whole_weights = std::ranges::all_of(weights_, is_count);
        stats.weights = memory_->weights.put(std::move(weights_), whole_weights);
        memory_->impurity.view_as(stats.first_impurity, stats.impurity);
        memory_->class_weights.view_as(stats.first_class_weight, stats.class_weights);
        memory_->node_values.view_as(stats.first_node_value, stats.node_values);
        stats.memory = memory_;
        return stats;
    }

private:
    // Every node has statistics.
    void append(const PackedTree& packed, const NodeNumbers& numbers, const Tree& tree) {
        memory_->layout.push_back(static_cast<std::uint8_t>(
            tree.has_node_values() ? Layout::node_values : Layout::class_weights));
        for_nodes(packed, numbers, [&](NodeId id, Child node) {
            samples_.push_back(tree.n_node_samples[id]);
            weights_.push_back(tree.weighted_n_node_samples[id]);
            memory_->impurity.numbers.push_back(tree.impurity[id]);
            if (node.leaf() && tree.classification() && !tree.has_node_values())
                append_class_weights(tree, id);
        });
        if (!tree.has_node_values() || tree.nodes.size() == 1) return;
        std::vector<double>& values = memory_->node_values.numbers;
        for (Place t = 0; t < packed.n_places(); ++t) {
            const auto value = std::span(tree.node_values).subspan(numbers.of(t) * width_, width_);
            values.insert(values.end(), value.begin(), value.end());
        }
    }

    // Leaves have statistics.
    void append(const PackedTree& packed, const NodeNumbers& numbers, const CompactTree& tree) {
        memory_->layout.push_back(static_cast<std::uint8_t>(tree.rule));
        const std::vector<std::uint32_t> number = leaf_numbers(tree);
        for_nodes(packed, numbers, [&](NodeId id, Child node) {
            if (!node.leaf()) return;
            const LeafStats stats = tree.leaf_stats(id, number[id]);
            samples_.push_back(stats.n);
            weights_.push_back(stats.weight);
            if (!tree.leaf_impurity.empty()) memory_->impurity.numbers.push_back(stats.impurity);
            if (tree.classification()) append_class_weights(tree, id);
        });
    }

    // The class weights of a leaf, unless the packed forest has them.
    template <class Form>
    void append_class_weights(const Form& tree, NodeId leaf) {
        if (tree.pure(tree.nodes[leaf]) || !in_doubles(forest_.values)) return;
        std::vector<double>& weights = memory_->class_weights.numbers;
        weights.resize(weights.size() + width_);
        tree.write_leaf_row(leaf, std::span(weights).last(width_));
    }

    const PackedForest& forest_;
    std::size_t width_;
    std::shared_ptr<Memory> memory_ = std::make_shared<Memory>();
    std::vector<double> samples_, weights_;
};

// ---- stats to trees

// Reads the values and the class weights of leaves from a packed forest.
class LeafReader {
public:
    explicit LeafReader(const PackedForest& forest)
        : forest_(forest), width_(forest.value_width()), n_pure_(forest.n_pure()) {}

    bool pure(std::uint32_t content) const { return content < n_pure_; }
    double number(const TreeShape& shape, std::uint32_t content) const {
        return at(forest_.values, shape.first_leaf + content);
    }
    // Appends the row of a leaf that is not pure.
    void append_row(std::uint32_t content, std::vector<double>& to) const {
        for (std::size_t c = 0; c < width_; ++c)
            to.push_back(at(forest_.values, (content - n_pure_) * width_ + c));
    }
    // Appends what a leaf predicts, for a tree with node values.
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

// Restores the stored trees, one after the other.
class TreeMaker {
public:
    TreeMaker(const PackedForest& forest, const TrainingStats& stats)
        : forest_(forest), stats_(stats), leaves_(forest) {}

    StoredTree next() {
        const std::size_t m = m_++;
        const PackedTree packed(forest_, m);
        const NodeNumbers numbers(packed);
        const std::uint8_t layout = stats_.layout[m];
        const bool compact = is_compact(layout);
        const bool per_node = layout == static_cast<std::uint8_t>(Layout::node_values);
        TreeBase base = header(m, packed.shape());
        const std::size_t n = packed.shape().n_nodes;
        // For each node its packed form, the place of its statistics, and the number of leaves
        // before it that are not pure.
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
        put_nodes(packed, numbers, nodes, per_node, base);
        std::vector<double> class_weights;
        if (!forest_.n_classes.empty() && !per_node)
            append_class_weights(m, nodes, mixed, class_weights);
        const std::size_t first = first_;
        first_ += n_stored(packed.shape(), layout);
        if (compact)
            return compact_tree(std::move(base),
                                leaves_of(m, first, packed.shape(), nodes, place, class_weights),
                                static_cast<CompactionRule>(layout));
        Tree tree(std::move(base));
        put_plain(m, first, packed, nodes, place, per_node, tree);
        tree.leaf_weights = std::move(class_weights);
        return tree;
    }

private:
    TreeBase header(std::size_t m, const TreeShape& shape) const {
        TreeBase tree;
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
                   std::span<const Child> nodes, bool per_node, TreeBase& tree) const {
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
            to.set_rule(from.rule());
            to.feature = static_cast<std::int32_t>(from.feature());
            const std::uint32_t n_children = packed.n_children(t);
            to.set_second(numbers.child(packed, t, n_children > 1 ? 1 : 0), from.missing_first());
            if (!from.rule().is_record()) continue;
            // Records are in the order of the nodes of the stored tree.
            const auto words = packed.record_of(from).words();
            const std::size_t at = tree.branches.size();
            tree.branches.insert(tree.branches.end(), words.begin(), words.end());
            const auto children = BranchRecord::children_at(tree.branches, at);
            for (std::uint32_t k = 0; k < n_children; ++k)
                children[k] = numbers.child(packed, t, k);
            to.set_rule(SplitRule::record(at));
        }
    }

    // Appends the rows of leaves that are not pure, in the order of the nodes of the tree.
    void append_class_weights(std::size_t m, std::span<const Child> nodes,
                              std::span<const std::uint32_t> mixed, std::vector<double>& to) const {
        const std::size_t width = forest_.value_width();
        const auto tree_weights = part_of(stats_.class_weights, stats_.first_class_weight, m);
        for (NodeId id = 0; id < nodes.size(); ++id) {
            if (!nodes[id].leaf() || leaves_.pure(nodes[id].content())) continue;
            if (in_doubles(forest_.values)) {
                const auto row = tree_weights.subspan(mixed[id] * width, width);
                to.insert(to.end(), row.begin(), row.end());
            } else {
                leaves_.append_row(nodes[id].content(), to);
            }
        }
    }

    void put_plain(std::size_t m, std::size_t first, const PackedTree& packed,
                   std::span<const Child> nodes, std::span<const std::uint32_t> place,
                   bool per_node, Tree& tree) const {
        const std::size_t width = forest_.value_width();
        const auto impurity = part_of(stats_.impurity, stats_.first_impurity, m);
        const auto values = part_of(stats_.node_values, stats_.first_node_value, m);
        for (NodeId id = 0; id < nodes.size(); ++id) {
            tree.n_node_samples.push_back(
                static_cast<std::uint32_t>(at(stats_.samples, first + place[id])));
            tree.weighted_n_node_samples.push_back(at(stats_.weights, first + place[id]));
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

    Leaves leaves_of(std::size_t m, std::size_t first, const TreeShape& shape,
                     std::span<const Child> nodes, std::span<const std::uint32_t> place,
                     const std::vector<double>& class_weights) const {
        Leaves leaves;
        const auto impurity = part_of(stats_.impurity, stats_.first_impurity, m);
        for (NodeId id = 0; id < nodes.size(); ++id) {
            if (!nodes[id].leaf()) continue;
            leaves.ids.push_back(id);
            leaves.n.push_back(static_cast<std::uint32_t>(at(stats_.samples, first + place[id])));
            leaves.weight.push_back(at(stats_.weights, first + place[id]));
            leaves.impurity.push_back(impurity.empty() ? 0.0 : impurity[place[id]]);
            if (forest_.one_number())
                leaves.mean.push_back(leaves_.number(shape, nodes[id].content()));
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

bool is_compact(std::uint8_t layout) {
    return layout != static_cast<std::uint8_t>(Layout::class_weights) &&
           layout != static_cast<std::uint8_t>(Layout::node_values);
}

std::size_t n_stored(const TreeShape& shape, std::uint8_t layout) {
    return is_compact(layout) ? shape.n_leaves : shape.n_nodes;
}

TrainingStats stats_of(const PackedForest& forest, std::span<const SharedTree> trees) {
    StatsWriter writer(forest);
    writer.reserve(trees);
    for (std::size_t m = 0; m < trees.size(); ++m) writer.add(m, *trees[m]);
    return std::move(writer).finish();
}

std::vector<SharedTree> trees_of(const PackedForest& forest, const TrainingStats& stats) {
    TreeMaker maker(forest, stats);
    std::vector<SharedTree> trees;
    for (std::size_t m = 0; m < forest.n_trees(); ++m)
        trees.push_back(std::make_shared<const StoredTree>(maker.next()));
    return trees;
}

}  // namespace silvics
