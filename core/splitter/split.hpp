// A split found, and the rules that a search for one obeys.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "criterion/concept.hpp"
#include "sampling/random_stream.hpp"
#include "splitter/cells.hpp"
#include "splitter/search_rules.hpp"
#include "tree/branches.hpp"

namespace silvics {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Where missing values went at a node, if it has seen any.
enum class MissingSide : std::uint8_t { unseen, right, left };

// try_side(side) for every side that missing values can take: right of a cut, then left of it;
// unseen, if the node has none.
template <class Try>
void for_missing_sides(bool has_missing, Try&& try_side) {
    try_side(has_missing ? MissingSide::right : MissingSide::unseen);
    if (has_missing) try_side(MissingSide::left);
}

struct Split {
    FeatureId feature = 0;
    double threshold = 0.0;  // x <= threshold goes left; of a category, a rule of coins or NaN
    double decrease = 0.0;   // of impurity, not yet weighted by p(t)
    double middle = 0.0;     // between the children's values, for monotonic constraints
    std::size_t n_left = 0;
    MissingSide missing = MissingSide::unseen;
    // Of a category without coins: the levels seen at the node, by the side they go to. They stay
    // until the next search.
    bool by_levels = false;
    std::span<const Code> left{}, right{};
    // What is not told by a split of samples in two. It stays as long.
    const struct OtherSplit* other = nullptr;
};

struct OtherSplit {
    // Of other kinds than a split in two: what the node keeps, and the samples of each child.
    bool branches = false;
    Branching branching;
    std::vector<std::size_t> sizes;
    // Where samples go to both children: their samples, copied to here.
    bool copied = false;
    std::size_t begin = 0, n_right = 0;
};

// Bounds that monotonic constraints above a node put on its value.
struct ValueBounds {
    double lower = -kInfinity, upper = kInfinity;
};

// A node: its samples are those from `begin` on in the tree's order.
struct NodeSamples {
    std::size_t begin = 0, n = 0;
    StreamKey key = 0;
    ValueBounds bounds{};
    // Where it is, for those who ask.
    struct Place {
        std::size_t depth = 0;
        const Cells* cells = nullptr;
        Cells::CellId cell = 0;
    };
    const Place* place = nullptr;
};

// The best cut on one variable so far: between samples of codes below the border and the others,
// or, if `within`, between two samples of one code, the border.
struct Cut {
    double score = -kInfinity;
    Code border = 0;
    bool within = false;
    Position at_left = 0, at_right = 0;  // next to the cut, where they differ
    double middle = 0.0;  // between the children's values, under a monotonic constraint
    // The largest code below the border, where it is known; the border is one itself then.
    static constexpr Code kUnknown = ~Code{0};
    Code below = kUnknown;
};

// Which split of levels: a cut in an order, or a number among all or random ones.
struct LevelChoice {
    std::uint32_t cut = 0;     // so many groups of the order go left; 0: by number
    std::uint32_t number = 0;  // all: bit g is group g; random: how many came before it
};

// A cut found on one variable.
struct Found {
    FeatureId feature = 0;
    Cut cut{};
    double threshold = 0.0;  // once it is known: of a random cut, at once
    MissingSide missing = MissingSide::unseen;
    LevelChoice choice{};
    double by_chance = 0.0;  // of the score, for the freedom to choose among splits of levels

    // What variables are compared by.
    double worth() const { return cut.score - by_chance; }
};

// What a cut must respect at this node.
struct CutLimits {
    std::size_t n = 0, min_samples_leaf = 1;
    double min_weight_leaf = 0.0;
    int monotonic = 0;
    ValueBounds bounds{};

    bool none() const { return min_samples_leaf <= 1 && min_weight_leaf <= 0.0; }
    bool allow(std::size_t n_left, double left, double right) const {
        return n_left >= min_samples_leaf && n - n_left >= min_samples_leaf && left > 0.0 &&
               right > 0.0 && left >= min_weight_leaf && right >= min_weight_leaf;
    }
    template <MovingCriterion C>
    bool keeps_order(const C& criterion) const {
        if (monotonic == 0) return true;
        const double left = criterion.left_value(), right = criterion.right_value();
        const double low = left < right ? left : right, high = left < right ? right : left;
        return (left - right) * monotonic <= 0.0 && low >= bounds.lower && high <= bounds.upper;
    }
};

}  // namespace silvics
