// New numbers of classes and levels for trees of forests that were grown apart and are merged.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tree/stored_tree.hpp"

namespace silvics {

struct Relabelling {
    // Per output: the number of classes of the merged forest, and the new number of each class of
    // the tree, ascending.
    std::vector<ClassId> n_classes;
    std::vector<std::vector<ClassId>> classes;
    // Per variable, for each level of the merged forest: its number in the tree, or kMissing, or
    // kUnknown. Empty, if the numbers of levels stay.
    std::vector<std::span<const std::int32_t>> levels;

    static constexpr std::int32_t kMissing = -1, kUnknown = -2;  // as in a table
};

// Whether the relabelling changes the tree.
bool relabels(const Relabelling& by, const TreeBase& tree);

// The same tree with new numbers: every level that was in its training data goes to the same child
// as before, and classes that were not have no weight. Coins depend on the numbers of levels, so
// that they become sets.
StoredTree relabelled(const StoredTree& tree, const Relabelling& by);

}  // namespace silvics
