#include "tree/compact.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "criterion/class_counts.hpp"

namespace silvics {
namespace {

bool whole(double x) { return x >= 0.0 && x < 0x1.0p32 && x == std::floor(x); }

std::vector<std::uint32_t> as_counts(const std::vector<double>& values) {
    std::vector<std::uint32_t> counts(values.size());
    std::ranges::transform(values, counts.begin(),
                           [](double v) { return static_cast<std::uint32_t>(v); });
    return counts;
}

// The entries of the leaves among those of all nodes.
template <class T>
std::vector<T> of_leaves(const Tree& tree, const std::vector<T>& of_nodes) {
    std::vector<T> values;
    values.reserve(tree.n_leaves());
    for (NodeId t = 0; t < tree.nodes.size(); ++t)
        if (tree.nodes[t].leaf()) values.push_back(of_nodes[t]);
    return values;
}

void pack_classes(const Tree& plain, bool counts, Tree& packed) {
    for (NodeId t = 0; t < plain.nodes.size(); ++t) {
        if (!plain.nodes[t].leaf()) continue;
        const double weight = plain.weighted_n_node_samples[t];
        packed.nodes[t].threshold =
            counts ? std::bit_cast<double>(
                         LeafCounts{plain.n_node_samples[t], static_cast<std::uint32_t>(weight)})
                   : weight;
    }
    if (counts) {
        packed.whole_weights = as_counts(plain.leaf_weights);
    } else {
        packed.leaf_weights = plain.leaf_weights;
        packed.n_node_samples = of_leaves(plain, plain.n_node_samples);
    }
}

void pack_means(const Tree& plain, Tree& packed) {
    bool all_n = true;
    for (NodeId t = 0; t < plain.nodes.size(); ++t) {
        if (!plain.nodes[t].leaf()) continue;
        packed.nodes[t].threshold = plain.node_values[t];
        packed.nodes[t].link = plain.n_node_samples[t];
        all_n &= plain.weighted_n_node_samples[t] == plain.n_node_samples[t];
    }
    if (!all_n) {
        packed.weighted_n_node_samples = of_leaves(plain, plain.weighted_n_node_samples);
        if (std::ranges::all_of(packed.weighted_n_node_samples, whole))
            packed.whole_weights = as_counts(std::exchange(packed.weighted_n_node_samples, {}));
    }
    packed.impurity = of_leaves(plain, plain.impurity);
    if (std::ranges::all_of(packed.impurity, [](double i) { return i == 0.0; }))
        packed.impurity = {};
}

bool leaves_fit(const Tree& packed) {
    std::size_t number = 0;
    for (NodeId t = 0; t < packed.nodes.size(); ++t)
        if (packed.nodes[t].leaf() &&
            !fits_compact(packed.leaf_facts(t, number++), packed.impurity_exponent))
            return false;
    return true;
}

// Whether nothing but rounding is between the impurities.
bool close(const Tree& derived, const Tree& plain) {
    for (std::size_t t = 0; t < plain.nodes.size(); ++t) {
        const double error = std::fabs(derived.impurity[t] - plain.impurity[t]);
        if (!(error <= 1e-12 * plain.impurity[t] + 1e-13 * plain.impurity[0])) return false;
    }
    return true;
}

// Mean and variance of an inner node: v = vl + wr/w (vr - vl) and
// w i = wl il + wr ir + wl wr/w (vr - vl)^2, in the unit of the impurities. Means carry what their
// rounding leaves out: where outputs lie far from zero, their differences would lose it all.
void derive_means(Tree& tree) {
    const int half = tree.impurity_exponent / 2;
    const auto& weight = tree.weighted_n_node_samples;
    std::vector<double> mean(tree.nodes.size()), rest(tree.nodes.size(), 0.0);
    for (NodeId t = static_cast<NodeId>(tree.nodes.size()); t-- > 0;) {
        if (tree.nodes[t].leaf()) {
            mean[t] = std::ldexp(tree.node_values[t], -half);
            continue;
        }
        const NodeId l = t + 1, r = tree.nodes[t].link;
        const double d = (mean[r] - mean[l]) + (rest[r] - rest[l]);
        const double share = weight[r] / weight[t], step = share * d;
        mean[t] = mean[l] + step;
        const double moved = mean[t] - mean[l];
        rest[t] = (mean[l] - (mean[t] - moved)) + (step - moved) + rest[l];
        tree.node_values[t] = std::ldexp(mean[t], half);
        const double within = weight[l] * tree.impurity[l] + weight[r] * tree.impurity[r];
        tree.impurity[t] = (within + weight[l] * step * d) / weight[t];
    }
}

using ImpurityOf = double (*)(const ClassWeights&);

ImpurityOf impurity_of(Derivation derivation) {
    if (derivation == Derivation::entropy) return &Entropy::impurity;
    if (derivation == Derivation::misclassification) return &Misclassification::impurity;
    return &Gini::impurity;
}

// The impurity of every node from the classes present below it. Where there are many classes,
// few are present in most nodes: only those are kept, and only for subtrees not joined yet.
void derive_impurities(Tree& tree, ImpurityOf impurity) {
    struct Present {
        std::uint32_t at;  // among all classes of all outputs
        double weight;
    };
    const std::size_t width = tree.value_width();
    std::vector<Present> stack, joined;
    std::vector<std::size_t> starts;
    std::vector<double> of_output;
    for (NodeId t = static_cast<NodeId>(tree.nodes.size()); t-- > 0;) {
        const std::uint32_t link = tree.nodes[t].link;
        if (!tree.nodes[t].leaf()) {  // the first child was met last
            const auto first = std::span(stack).subspan(starts.back());
            starts.pop_back();
            const auto second = std::span(stack)
                                    .subspan(starts.back())
                                    .first(stack.size() - starts.back() - first.size());
            joined.clear();
            std::ranges::merge(first, second, std::back_inserter(joined), {}, &Present::at,
                               &Present::at);
            stack.resize(starts.back());
            for (const Present& one : joined) {
                if (stack.size() > starts.back() && stack.back().at == one.at)
                    stack.back().weight += one.weight;
                else
                    stack.push_back(one);
            }
        } else if (starts.push_back(stack.size()); link & kPureBit) {
            stack.push_back({link & ~kPureBit, tree.weighted_n_node_samples[t]});
        } else {
            for (std::uint32_t c = 0; c < width; ++c)
                if (const double w = tree.leaf_weights[link * width + c]; w > 0.0)
                    stack.push_back({c, w});
        }
        double sum = 0.0;
        std::size_t at = starts.back(), end = 0;
        for (const ClassId n_classes : tree.n_classes) {
            end += n_classes;
            of_output.clear();
            for (; at < stack.size() && stack[at].at < end; ++at)
                of_output.push_back(stack[at].weight);
            sum += impurity({tree.weighted_n_node_samples[t], of_output});
        }
        tree.impurity[t] = sum / static_cast<double>(tree.n_outputs);
    }
}

}  // namespace

Tree compact(Tree tree, Derivation derivation) {
    const bool classes = tree.classification();
    if (derivation == Derivation::none || tree.compact() || classes != tree.node_values.empty() ||
        (!classes && tree.n_outputs > 1))
        return tree;
    Tree packed = header_of(tree);
    packed.derivation = derivation;
    packed.nodes = tree.nodes;
    packed.missing_go_to_left = tree.missing_go_to_left;
    const bool counts = classes && std::ranges::all_of(tree.weighted_n_node_samples, whole) &&
                        std::ranges::all_of(tree.leaf_weights, whole);
    classes ? pack_classes(tree, counts, packed) : pack_means(tree, packed);
    // Counts add up as they were counted; of sums that round it is to be seen.
    return leaves_fit(packed) && (counts || close(expand(packed), tree)) ? packed : tree;
}

Tree expand(const Tree& tree) {
    if (!tree.compact()) return tree;
    const std::size_t n = tree.nodes.size();
    const bool classes = tree.classification();
    Tree plain = header_of(tree);
    plain.nodes = tree.nodes;
    plain.missing_go_to_left = tree.missing_go_to_left;
    plain.n_node_samples.resize(n);
    plain.weighted_n_node_samples.resize(n);
    plain.impurity.resize(n);
    if (classes && tree.counts_in_leaves())
        plain.leaf_weights.assign(tree.whole_weights.begin(), tree.whole_weights.end());
    else if (classes)
        plain.leaf_weights = tree.leaf_weights;
    else
        plain.node_values.resize(n);
    for (NodeId t = 0, number = 0; t < n; ++t) {
        if (!tree.nodes[t].leaf()) continue;
        const LeafFacts leaf = tree.leaf_facts(t, number++);
        plain.n_node_samples[t] = leaf.n;
        plain.weighted_n_node_samples[t] = leaf.weight;
        plain.nodes[t].threshold = kLeaf;
        if (classes) continue;
        plain.impurity[t] = leaf.impurity;
        plain.node_values[t] = leaf.value;
        plain.nodes[t].link = 0;
    }
    for (NodeId t = static_cast<NodeId>(n); t-- > 0;) {
        if (tree.nodes[t].leaf()) continue;
        const NodeId first = t + 1, second = tree.nodes[t].link;
        plain.n_node_samples[t] = plain.n_node_samples[first] + plain.n_node_samples[second];
        plain.weighted_n_node_samples[t] =
            plain.weighted_n_node_samples[first] + plain.weighted_n_node_samples[second];
    }
    classes ? derive_impurities(plain, impurity_of(tree.derivation)) : derive_means(plain);
    return plain;
}

}  // namespace silvics
