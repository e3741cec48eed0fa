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
    // Found without a branch: none could be foreseen.
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
    if (!plain.classification()) leaves.value = at(leaves.ids, plain.node_values);
    leaves.class_weights = plain.leaf_weights;
    return leaves;
}

void pack_classes(const Leaves& leaves, bool counts, Tree& packed) {
    for (std::size_t i = 0; i < leaves.ids.size(); ++i)
        packed.nodes[leaves.ids[i]].threshold =
            counts ? std::bit_cast<double>(
                         LeafCounts{leaves.n[i], static_cast<std::uint32_t>(leaves.weight[i])})
                   : leaves.weight[i];
    if (counts) {
        packed.whole_weights = as_counts(leaves.class_weights);
    } else {
        packed.leaf_weights = leaves.class_weights;
        packed.n_node_samples = leaves.n;
    }
}

void pack_means(const Leaves& leaves, Tree& packed) {
    bool all_n = true, all_pure = true;
    for (std::size_t i = 0; i < leaves.ids.size(); ++i) {
        packed.nodes[leaves.ids[i]].threshold = leaves.value[i];
        packed.nodes[leaves.ids[i]].link = leaves.n[i];
        all_n &= leaves.weight[i] == leaves.n[i];
        all_pure &= leaves.impurity[i] == 0.0;
    }
    if (!all_n && std::ranges::all_of(leaves.weight, is_count))
        packed.whole_weights = as_counts(leaves.weight);
    else if (!all_n)
        packed.weighted_n_node_samples = leaves.weight;
    if (!all_pure) packed.impurity = leaves.impurity;
}

struct Packed {
    Tree tree;
    bool exact;  // whether its leaves tell all there is
    bool suits;  // whether they can be summed up
};

Packed pack(Tree nodes, const Leaves& leaves, Derivation derivation) {
    const bool classes = nodes.classification();
    const bool counts = classes && std::ranges::all_of(leaves.weight, is_count) &&
                        std::ranges::all_of(leaves.class_weights, is_count);
    Packed packed{header_of(nodes), false, true};
    packed.tree.derivation = derivation;
    packed.tree.nodes = std::move(nodes.nodes);
    classes ? pack_classes(leaves, counts, packed.tree) : pack_means(leaves, packed.tree);
    packed.exact = counts || (!classes && packed.tree.impurity.empty());
    const LeafScales scales = packed.tree.leaf_scales();
    for (std::size_t i = 0; i < leaves.ids.size(); ++i)
        packed.suits &= scales.suit(packed.tree.leaf_stats(leaves.ids[i], i));
    return packed;
}

// A subtree, as far as its leaves tell: what its root has, in the leaves' scales.
struct Subtree {
    std::uint32_t n = 0;
    double weight = 0.0, impurity = 0.0;
    // With what its rounding left out: where outputs lie far from zero, differences of means
    // would lose it all.
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

// Classes and their weights in subtrees that wait to be joined. Where there are many classes, few
// are present in most nodes: only those are kept.
class ClassStack {
public:
    ClassStack(const Tree& packed, double weight_scale)
        : packed_(packed),
          scale_(weight_scale),
          impurity_(packed.derivation == Derivation::entropy ? &Entropy::impurity
                    : packed.derivation == Derivation::misclassification
                        ? &Misclassification::impurity
                        : &Gini::impurity) {}

    void push(const Node& leaf, double weight) {
        starts_.push_back(present_.size());
        if (leaf.link & kPureBit)
            present_.push_back({leaf.link & ~kPureBit, weight});
        else if (packed_.counts_in_leaves())
            push_row(packed_.whole_weights, leaf.link);
        else
            push_row(packed_.leaf_weights, leaf.link);
    }

    // The two subtrees on top become one; the uppermost is the first.
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

    // Of the subtree on top.
    double impurity(double weight) {
        double sum = 0.0;
        std::size_t at = starts_.back(), end = 0;
        for (const ClassId n_classes : packed_.n_classes) {
            end += n_classes;
            of_output_.clear();
            for (; at < present_.size() && present_[at].at < end; ++at)
                of_output_.push_back(present_[at].weight);
            std::ranges::sort(of_output_);  // so that names of classes play no part in sums
            sum += impurity_({weight, of_output_});
        }
        return sum / static_cast<double>(packed_.n_outputs);
    }

private:
    struct Present {
        std::uint32_t at;  // among all classes of all outputs
        double weight;
    };

    template <class Weights>
    void push_row(const Weights& weights, std::size_t row) {
        const std::size_t width = packed_.value_width();
        for (std::uint32_t c = 0; c < width; ++c)
            if (const double w = scale_ * weights[row * width + c]; w > 0.0)
                present_.push_back({c, w});
    }

    const Tree& packed_;
    const double scale_;
    double (*impurity_)(const ClassWeights&);
    std::vector<Present> present_, joined_;
    std::vector<std::size_t> starts_;
    std::vector<double> of_output_;
};

// visit(t, subtree) for every node, last to first: children before their parent. Ends early where
// visit says false.
template <class Visit>
bool derive(const Tree& packed, Visit&& visit) {
    const LeafScales scales = packed.leaf_scales();
    std::size_t number = packed.n_leaves();
    std::vector<Subtree> waiting;
    ClassStack classes(packed, scales.weight);
    for (NodeId t = static_cast<NodeId>(packed.nodes.size()); t-- > 0;) {
        const Node& node = packed.nodes[t];
        if (node.leaf()) {
            const LeafStats leaf = packed.leaf_stats(t, --number);
            waiting.push_back({leaf.n, leaf.weight * scales.weight, leaf.impurity,
                               leaf.value * scales.output, 0.0});
            if (packed.classification()) classes.push(node, waiting.back().weight);
        } else {
            const Subtree first = waiting.back();
            waiting.pop_back();
            waiting.back() = joined(first, waiting.back());
            if (packed.classification()) classes.join();
        }
        if (packed.classification())
            waiting.back().impurity = classes.impurity(waiting.back().weight);
        if (!visit(t, waiting.back())) return false;
    }
    return true;
}

// Whether nothing but rounding is between what the leaves tell and the tree as it is.
bool reproduces(const Tree& packed, const Tree& tree) {
    return derive(packed, [&](NodeId t, const Subtree& derived) {
        const double error = std::fabs(derived.impurity - tree.impurity[t]);
        return error <= 1e-12 * tree.impurity[t] + 1e-13 * tree.impurity[0];
    });
}

}  // namespace

Tree compact(Tree tree, Derivation derivation) {
    const bool classes = tree.classification();
    if (derivation == Derivation::none || tree.compact() || classes != tree.node_values.empty() ||
        (!classes && tree.n_outputs > 1))
        return tree;
    Packed packed = pack(tree, leaves_of(tree), derivation);
    // Of sums that were rounded it is to be seen.
    if (packed.suits && (packed.exact || reproduces(packed.tree, tree)))
        return std::move(packed.tree);
    return tree;
}

Tree compact_tree(Tree nodes, const Leaves& leaves, Derivation derivation) {
    return pack(std::move(nodes), leaves, derivation).tree;
}

void CompactLeaves::finish(Tree& tree) && {
    if (!classes_ && all_n_) return;
    weights_.shrink_to_fit();
    tree.whole_weights = std::move(weights_);
}

Tree expand(const Tree& tree) {
    if (!tree.compact()) return tree;
    const std::size_t n = tree.nodes.size();
    const bool classes = tree.classification();
    Tree plain = header_of(tree);
    plain.nodes = tree.nodes;
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
            plain.node_values[t] = node.leaf() ? node.threshold : subtree.mean / scales.output;
        if (!classes && node.leaf()) node.link = 0;
        if (node.leaf()) node.threshold = kLeaf;
        return true;
    });
    return plain;
}

}  // namespace silvics
