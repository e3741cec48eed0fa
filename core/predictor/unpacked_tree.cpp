#include "predictor/unpacked_tree.hpp"

namespace silvics {

std::vector<float> round_down(RowBlock& block) {
    const std::size_t n = block.size * block.width;
    std::vector<float> rounded(n);
    bool other = false;
    for (std::size_t k = 0; k < n; ++k) {
        rounded[k] = rounded_down(block.values[k]);
        other |= static_cast<double>(rounded[k]) < block.values[k];
    }
    block.rounded = rounded.data();
    block.exact = !other;
    return rounded;
}

bool UnpackedTree::pays(const PackedForest& forest, std::size_t m, std::size_t n_samples) {
    const TreeShape& shape = forest.shapes[m];
    const std::size_t n_contents =
        forest.one_number() ? shape.n_leaves : forest.n_pure() + forest.n_rows();
    const std::size_t n_places = forest.first_node[m + 1] - forest.first_node[m];
    const bool fits = !shape.ruled && !shape.records && !forest.both_ways &&
                      n_contents <= kMostContents &&
                      first_child(n_places) >> (32 - UnpackedTree(forest.n_features).shift_) == 0;
    return fits && n_places <= kNodesPerSample * n_samples;
}

void UnpackedTree::unpack(const PackedTree& tree) {
    const auto n = static_cast<std::uint32_t>(tree.n_places());
    nodes_.resize(std::max(nodes_.size(), first_child(n)));
    at_.resize(std::max(at_.size(), n + std::size_t{1}));
    UnpackedNode* const nodes = nodes_.data();
    std::uint32_t* const at = at_.data();
    at[PackedTree::kRoot] = kRoot;
    for (Place t = 0; t < n; ++t) {
        const PackedNode& node = tree.nodes()[t];
        auto child = static_cast<std::uint32_t>(first_child(t));
        const std::uint32_t missing_second = node.missing_first() ? 0 : 1;
        nodes[at[t]] = {rounded_down(node.threshold()),
                        (child << shift_) | (missing_second << (shift_ - 1)) | node.feature()};
        // Whether a child is a leaf no branch could foresee: it is written as one, and anew when
        // its turn comes if it is none. The place of leaves is the last, which is nobody's.
        for (std::uint32_t which = 0; which < 2; ++which, ++child) {
            const std::uint32_t bits = node.child(which).bits();
            nodes[child] = {std::bit_cast<float>((bits & kMostContents) + kFirstLeaf),
                            child << shift_};
            at[std::min(bits, n)] = child;
        }
    }
}

}  // namespace silvics
