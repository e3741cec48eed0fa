#include "predictor/unpacked_tree.hpp"

namespace silvics {

std::vector<float> exact_floats(const RowBlock& block) {
    std::vector<float> floats(block.size * block.width + 1);
    for (std::size_t i = 0; i < block.size; ++i) {
        bool inexact = false;
        for (std::size_t j = i * block.width; j < (i + 1) * block.width; ++j) {
            const double x = block.values[j];
            floats[j] = static_cast<float>(x);
            inexact |= (static_cast<double>(floats[j]) != x) & (x == x);
        }
        if (inexact) return {};
    }
    return floats;
}

template <class T>
bool UnpackedTree<T>::pays(const PackedForest& forest, std::size_t m, std::size_t n_samples) {
    const TreeShape& shape = forest.shapes[m];
    const std::size_t n_contents =
        forest.one_number() ? shape.n_leaves : forest.n_pure() + forest.n_rows();
    const std::size_t n_places = forest.first_node[m + 1] - forest.first_node[m];
    using Unpacked = UnpackedNode<T>;
    const bool fits = !shape.ruled && !shape.records && !forest.both_children &&
                      n_contents <= Unpacked::kContents &&
                      forest.n_features <= Unpacked::kMaxFeature &&
                      first_child_of(n_places) <= Unpacked::kMaxNodes;
    constexpr std::size_t kNodesPerSample = 6;
    return fits && n_places <= kNodesPerSample * n_samples;
}

template <class T>
void UnpackedTree<T>::unpack(const PackedTree& tree) {
    const auto n = static_cast<std::uint32_t>(tree.n_places());
    nodes_.resize(std::max(nodes_.size(), first_child_of(n)));
    at_.resize(std::max(at_.size(), n + std::size_t{1}));
    UnpackedNode<T>* const nodes = nodes_.data();
    std::uint32_t* const at = at_.data();
    const FeatureId no_feature = n_features_;
    at[PackedTree::kRoot] = kRoot;
    for (Place t = 0; t < n; ++t) {
        const PackedNode& node = tree.nodes()[t];
        auto child = static_cast<std::uint32_t>(first_child_of(t));
        T threshold;
        if constexpr (std::is_same_v<T, float>)
            threshold = rounded_down(node.threshold());
        else
            threshold = node.threshold();
        nodes[at[t]] = {threshold, child, node.missing_first() ? 0U : 1U, node.feature()};
        // Whether a child is a leaf is unpredictable, so there is no branch: every child is written
        // as a leaf, and overwritten later if it is an inner node. `at` of leaves goes to an extra
        // last element.
        for (std::uint32_t which = 0; which < 2; ++which, ++child) {
            const std::uint32_t bits = node.child(which).bits();
            nodes[child] = UnpackedNode<T>::leaf(Child(bits).content(), child, no_feature);
            at[std::min(bits, n)] = child;
        }
    }
}

template class UnpackedTree<float>;
template class UnpackedTree<double>;

}  // namespace silvics
