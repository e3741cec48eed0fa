#include "tree/compact.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "criterion/impurity.hpp"
#include "tree/compact_leaves.hpp"

namespace silvics {
namespace {

Counts as_counts(const auto& values) {
    Counts counts;
    for (const auto value : values) counts.push_back(static_cast<std::uint32_t>(value));
    counts.shrink_to_fit();
    return counts;
}

template <class T>
std::vector<T> at(const std::vector<NodeId>& leaves, const std::vector<T>& of_nodes) {
    std::vector<T> values(leaves.size());
    std::ranges::transform(leaves, values.begin(), [&](NodeId t) { return of_nodes[t]; });
    return values;
}

Leaves leaves_of(const Tree& plain) {
    Leaves leaves;
    // The loop has no branch, because none could be predicted.
    leaves.ids.resize(plain.nodes.size() + 1);
    std::size_t n = 0;
    for (NodeId t = 0; t < plain.nodes.size(); ++t) {
        leaves.ids[n] = t;
        n += plain.nodes[t].leaf();
    }
    leaves.ids.resize(n);
    leaves.n = at(leaves.ids, plain.n_node_samples);
    leaves.weight = at(leaves.ids, plain.weighted_n_node_samples);
    leaves.impurity = at(leaves.ids, plain.impurity);
    if (!plain.classification()) leaves.mean = at(leaves.ids, plain.node_values);
    leaves.class_weights = plain.leaf_weights;
    return leaves;
}

void set_classes(const Leaves& leaves, bool counts, CompactTree& tree) {
    for (std::size_t i = 0; i < leaves.ids.size(); ++i) {
        Node& node = tree.nodes[leaves.ids[i]];
        if (counts)
            node.set_counts({leaves.n[i], static_cast<std::uint32_t>(leaves.weight[i])});
        else
            node.set_weight(leaves.weight[i]);
    }
    if (counts) {
        tree.whole_weights = as_counts(leaves.class_weights);
    } else {
        tree.leaf_weights = leaves.class_weights;
        tree.n_leaf_samples = leaves.n;
    }
}

void set_means(const Leaves& leaves, CompactTree& tree) {
    bool all_n = true, all_pure = true;
    for (std::size_t i = 0; i < leaves.ids.size(); ++i) {
        tree.nodes[leaves.ids[i]].set_mean(leaves.mean[i], leaves.n[i]);
        all_n &= leaves.weight[i] == leaves.n[i];
        all_pure &= leaves.impurity[i] == 0.0;
    }
    if (!all_n && std::ranges::all_of(leaves.weight, is_count))
        tree.whole_weights = as_counts(leaves.weight);
    else if (!all_n)
        tree.weighted_n_leaf_samples = leaves.weight;
    if (!all_pure) tree.leaf_impurity = leaves.impurity;
}

struct Compacted {
    CompactTree tree;
    bool exact;  // whether sums over the leaves have no rounding errors
    bool suits;  // whether sums over the leaves stay far from overflow
};

Compacted make_compact(TreeBase nodes, const Leaves& leaves, CompactionRule rule) {
    const bool classes = nodes.classification();
    const bool counts = classes && std::ranges::all_of(leaves.weight, is_count) &&
                        std::ranges::all_of(leaves.class_weights, is_count);
    Compacted made{{std::move(nodes), rule}, false, true};
    classes ? set_classes(leaves, counts, made.tree) : set_means(leaves, made.tree);
    made.exact = counts || (!classes && made.tree.leaf_impurity.empty());
    const LeafScales scales = made.tree.leaf_scales();
    for (std::size_t i = 0; i < leaves.ids.size(); ++i)
        made.suits &= scales.suit(made.tree.leaf_stats(leaves.ids[i], i));
    return made;
}

// The statistics of the root of a subtree, summed over its leaves, in the scales of leaves.
struct Subtree {
    std::uint32_t n = 0;
    double weight = 0.0, impurity = 0.0;
    // The mean and its rounding error: where outputs lie far from zero, differences of means
    // would lose all digits without it.
    double mean = 0.0, rest = 0.0;
};

// v = vl + wr/w (vr - vl) and w i = wl il + wr ir + wl wr/w (vr - vl)^2.
Subtree joined(const Subtree& l, const Subtree& r) {
    Subtree sum{.n = l.n + r.n, .weight = l.weight + r.weight};
    const double d = (r.mean - l.mean) + (r.rest - l.rest), step = r.weight / sum.weight * d;
    sum.mean = l.mean + step;
    const double moved = sum.mean - l.mean;
    sum.rest = (l.mean - (sum.mean - moved)) + (step - moved) + l.rest;
    const double within = l.weight * l.impurity + r.weight * r.impurity;
    sum.impurity = (within + l.weight * step * d) / sum.weight;
    return sum;
}

// Class weights of the subtrees that wait to be joined. Where there are many classes, few are
// present in most nodes: only those are stored.
class ClassStack {
public:
    ClassStack(const CompactTree& tree, double weight_scale)
        : tree_(tree),
          scale_(weight_scale),
          impurity_(tree.rule == CompactionRule::entropy             ? &Entropy::impurity
                    : tree.rule == CompactionRule::misclassification ? &Misclassification::impurity
                                                                     : &Gini::impurity) {}

    void push(const Node& leaf, double weight) {
        starts_.push_back(present_.size());
        if (leaf.pure())
            present_.push_back({leaf.pure_class(), weight});
        else if (tree_.counts_in_leaves())
            push_row(tree_.whole_weights, leaf.weights_row());
        else
            push_row(tree_.leaf_weights, leaf.weights_row());
    }

    // Joins the two subtrees on top; the uppermost is the first child.
    void join() {
        const auto first = std::span(present_).subspan(starts_.back());
        starts_.pop_back();
        const auto both = std::span(present_).subspan(starts_.back());
        const auto second = both.first(both.size() - first.size());
        joined_.clear();
        std::ranges::merge(first, second, std::back_inserter(joined_), {}, &Present::at,
                           &Present::at);
        present_.resize(starts_.back());
        for (const Present& one : joined_) {
            if (present_.size() > starts_.back() && present_.back().at == one.at)
                present_.back().weight += one.weight;
            else
                present_.push_back(one);
        }
    }

    // The impurity of the subtree on top.
    double impurity(double weight) {
        double sum = 0.0;
        std::size_t at = starts_.back(), end = 0;
        for (const ClassId n_classes : tree_.n_classes) {
            end += n_classes;
            of_output_.clear();
            for (; at < present_.size() && present_[at].at < end; ++at)
                of_output_.push_back(present_[at].weight);
            std::ranges::sort(of_output_);  // so that sums do not depend on the order of classes
            sum += impurity_({weight, of_output_});
        }
        return sum / static_cast<double>(tree_.n_outputs);
    }

private:
    struct Present {
        std::uint32_t at;  // among all classes of all outputs
        double weight;
    };

    template <class Weights>
    void push_row(const Weights& weights, std::size_t row) {
        const std::size_t width = tree_.value_width();
        for (std::uint32_t c = 0; c < width; ++c)
            if (const double w = scale_ * weights[row * width + c]; w > 0.0)
                present_.push_back({c, w});
    }

    const CompactTree& tree_;
    const double scale_;
    double (*impurity_)(const ClassWeights&);
    std::vector<Present> present_, joined_;
    std::vector<std::size_t> starts_;
    std::vector<double> of_output_;
};

// visit(t, subtree) for every node, last to first: children before their parent. Ends early if
// visit returns false.
template <class Visit>
bool derive(const CompactTree& tree, Visit&& visit) {
    const LeafScales scales = tree.leaf_scales();
    std::size_t number = tree.n_leaves();
    std::vector<Subtree> waiting;
    ClassStack classes(tree, scales.weight);
    for (NodeId t = static_cast<NodeId>(tree.nodes.size()); t-- > 0;) {
        const Node& node = tree.nodes[t];
        if (node.leaf()) {
            const LeafStats leaf = tree.leaf_stats(t, --number);
            waiting.push_back({leaf.n, leaf.weight * scales.weight, leaf.impurity,
                               leaf.mean * scales.output, 0.0});
            if (tree.classification()) classes.push(node, waiting.back().weight);
        } else {
            const Subtree first = waiting.back();
            waiting.pop_back();
            waiting.back() = joined(first, waiting.back());
            if (tree.classification()) classes.join();
        }
        if (tree.classification())
            waiting.back().impurity = classes.impurity(waiting.back().weight);
        if (!visit(t, waiting.back())) return false;
    }
    return true;
}

// Whether the impurities computed from the leaves differ from those of the tree by rounding only.
bool reproduces(const CompactTree& compacted, const Tree& tree) {
    return derive(compacted, [&](NodeId t, const Subtree& derived) {
        const double error = std::fabs(derived.impurity - tree.impurity[t]);
        return error <= 1e-12 * tree.impurity[t] + 1e-13 * tree.impurity[0];
    });
}

}  // namespace

std::optional<CompactTree> compact(const Tree& tree, CompactionRule rule) {
    const bool classes = tree.classification();
    if (rule == CompactionRule::none || classes == tree.has_node_values() ||
        (!classes && tree.n_outputs > 1))
        return std::nullopt;
    Compacted made = make_compact(tree, leaves_of(tree), rule);
    // Sums that were rounded have to be compared.
    if (made.suits && (made.exact || reproduces(made.tree, tree))) return std::move(made.tree);
    return std::nullopt;
}

StoredTree stored(Tree tree, CompactionRule rule) {
    if (auto compacted = compact(tree, rule)) return *std::move(compacted);
    return tree;
}

CompactTree compact_tree(TreeBase nodes, const Leaves& leaves, CompactionRule rule) {
    return make_compact(std::move(nodes), leaves, rule).tree;
}

void CompactLeaves::finish(CompactTree& tree) && {
    if (!classes_ && all_n_) return;
    weights_.shrink_to_fit();
    tree.whole_weights = std::move(weights_);
}

Tree expand(const CompactTree& tree) {
    const std::size_t n = tree.nodes.size();
    const bool classes = tree.classification();
    Tree plain{TreeBase(tree)};
    plain.n_node_samples.resize(n);
    plain.weighted_n_node_samples.resize(n);
    plain.impurity.resize(n);
    plain.leaf_weights = tree.leaf_weights;
    if (classes)
        for (std::size_t i = 0; i < tree.whole_weights.size(); ++i)
            plain.leaf_weights.push_back(tree.whole_weights[i]);
    if (!classes) plain.node_values.resize(n);
    const LeafScales scales = tree.leaf_scales();
    derive(tree, [&](NodeId t, const Subtree& subtree) {
        Node& node = plain.nodes[t];
        plain.n_node_samples[t] = subtree.n;
        plain.weighted_n_node_samples[t] = subtree.weight / scales.weight;
        plain.impurity[t] = subtree.impurity;
        if (!classes)
            plain.node_values[t] = node.leaf() ? node.mean() : subtree.mean / scales.output;
        if (node.leaf()) node = Node::plain_leaf(classes ? node.link : 0);
        return true;
    });
    return plain;
}

Tree expand(const StoredTree& tree) {
    return tree.compact() ? expand(*tree.compact()) : *tree.plain();
}

}  // namespace silvics
