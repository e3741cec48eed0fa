// Trees of forests that were grown apart, brought to the same numbers of classes and levels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tree/tree.hpp"

namespace silvics {

struct Relabelling {
    // Of each output: how many classes there are now, and the new numbers of the tree's, ascending.
    std::vector<ClassId> n_classes;
    std::vector<std::vector<ClassId>> classes;
    // Of each variable: what each level of now is to the tree, which is the number that it had, or
    // kMissing, or kUnknown. Nothing, where levels keep their numbers.
    std::vector<std::span<const std::int32_t>> levels;

    static constexpr std::int32_t kMissing = -1, kUnknown = -2;  // as in a table
};

// Whether anything of the tree changes.
bool relabels(const Relabelling& by, const Tree& tree);

// The same tree: every level that it knew goes where it went, and classes that it did not know
// have no share. Coins are thrown for numbers of levels, and become sets.
Tree relabelled(const Tree& tree, const Relabelling& by);

}  // namespace silvics
