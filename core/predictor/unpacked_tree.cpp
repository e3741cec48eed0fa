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
    unpack(tree, AllNodes());
}

template class UnpackedTree<float>;
template class UnpackedTree<double>;

}  // namespace silvics
