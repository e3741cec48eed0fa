// Splits, cuts, and the limits that they must respect.
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

// The side that missing values of a node went to, if it has any.
enum class MissingSide : std::uint8_t { unseen, right, left };

// Calls try_side for every side that missing values can take: right of a cut, then left of it;
// unseen, if the node has none.
template <class Try>
void for_missing_sides(bool has_missing, Try&& try_side) {
    try_side(has_missing ? MissingSide::right : MissingSide::unseen);
    if (has_missing) try_side(MissingSide::left);
}

struct Split {
    FeatureId feature = 0;
    double threshold =
        0.0;  // x <= threshold goes left; of a category, the rule of its coins, or NaN
    double decrease = 0.0;  // decrease of impurity, not yet weighted by p(t)
    double middle = 0.0;    // mean of the values of the children, for monotonic constraints
    std::size_t n_left = 0;
    MissingSide missing = MissingSide::unseen;
    // For a category split without coins: the levels seen at the node, by side. Valid until the
    // next search.
    bool by_levels = false;
    std::span<const Code> left{}, right{};
    // What only the general splitter makes: null for a plain split in two. Valid as long.
    const struct GeneralSplit* general = nullptr;
};

struct GeneralSplit {
    // A split of another kind than in two: what the node stores, and the number of samples of each
    // child.
    bool branches = false;
    Branching branching;
    std::vector<std::size_t> sizes;
    // Samples that go to both children are copied: the samples of both children begin here.
    bool copied = false;
    std::size_t begin = 0, n_right = 0;
};

// Bounds on the value of a node from the monotonic constraints above it.
struct ValueBounds {
    double lower = -kInfinity, upper = kInfinity;
};

// A node: its samples are the n samples from `begin` on in the order of the tree.
struct NodeSamples {
    std::size_t begin = 0, n = 0;
    StreamKey key = 0;
    ValueBounds bounds{};
    // What only some recipes need.
    struct Place {
        std::size_t depth = 0;
        const Cells* cells = nullptr;
        Cells::CellId cell = 0;
        const std::vector<FeatureId>* allowed = nullptr;  // variables, ascending; null: all
    };
    const Place* place = nullptr;
};

// The best cut on one variable so far: between the samples whose code is below `border` and the
// others, or, if `within`, between two samples of the code `border`.
struct Cut {
    double score = -kInfinity;
    Code border = 0;
    bool within = false;
    Position at_left = 0, at_right = 0;  // samples next to the cut; unknown if both are the same
    double middle = 0.0;  // mean of the values of the children, under a monotonic constraint
    // The largest code below the border, if known; the border is then the code of a sample, too.
    static constexpr Code kUnknown = ~Code{0};
    Code below = kUnknown;
};

// A split of levels: a cut in an order of groups, or the number of a subset.
struct LevelChoice {
    std::uint32_t cut = 0;  // the first `cut` groups of the order go left; 0: by number
    std::uint32_t number =
        0;  // of all subsets: bit g is group g; of random ones: the index of the draw
};

// The cut found on one variable.
struct Found {
    FeatureId feature = 0;
    Cut cut{};
    double threshold = 0.0;  // known at once for random cuts
    MissingSide missing = MissingSide::unseen;
    LevelChoice choice{};
    double by_chance =
        0.0;  // the part of the score that is due to the choice among splits of levels

    // The value by which variables are compared.
    double worth() const { return cut.score - by_chance; }
};

// The limits that a cut of a node must respect.
struct CutLimits {
    std::size_t n = 0, min_samples_leaf = 1;
    double min_weight_leaf = 0.0;
    int monotonic = 0;
    ValueBounds bounds{};

    bool none() const { return min_samples_leaf <= 1 && min_weight_leaf <= 0.0 && monotonic == 0; }
    bool allow(std::size_t n_left, double left, double right) const {
        return n_left >= min_samples_leaf && n - n_left >= min_samples_leaf && left > 0.0 &&
               right > 0.0 && left >= min_weight_leaf && right >= min_weight_leaf;
    }
    // Whether these values of the two sides respect the monotonic constraint.
    bool keep_order(double left, double right) const {
        if (monotonic == 0) return true;
        const double low = left < right ? left : right, high = left < right ? right : left;
        return (left - right) * monotonic <= 0.0 && low >= bounds.lower && high <= bounds.upper;
    }
};

}  // namespace silvics
