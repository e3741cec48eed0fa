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
#include "tree/branches.hpp"

namespace silvics {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Where missing values went at a node, if it has seen any.
enum class MissingSide : std::uint8_t { unseen, right, left };

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

// How a cut is drawn, where it is not searched for.
enum class CutDraw : std::uint8_t {
    uniform,       // between the least and the largest value of the node (Extra-Trees)
    gap,           // in a gap between neighbouring values (Biau et al. 2008)
    between_pair,  // between two samples of different output (PERT)
    middle,        // of the node's values
    relevance,     // in the middle of relevant variables, uniform on others (Breiman 2004)
    cell_uniform,  // anywhere on the cell's side (Purely Random Forests)
    cell_middle,   // in the middle of the cell's side (Biau 2012)
};

// How the variables of a node are drawn.
enum class VariableDraw : std::uint8_t {
    uniform,   // K of them
    unused,    // K of those not yet used on the branch
    poisson,   // 1 + Poisson(K)
    weighted,  // K of them by given probabilities
};

// Which of the splits found at a node is taken.
enum class Choice : std::uint8_t {
    best,         // the largest decrease of impurity
    gain_ratio,   // of no less than the mean gain, the largest share of the split's information
    one_of_best,  // one of the n best, uniformly
    near_best,    // near the root, one variable of almost the largest decrease (Kwok & Carter)
    significant,  // the variable that depends on the output the most (conditional inference)
};

enum class SplitKind : std::uint8_t {
    binary,
    multiway,             // a child for each value
    multiway_categories,  // for each level of a category; numbers are split in two
    oblique,              // in two, on random combinations of variables
};

enum class MissingRule : std::uint8_t { learned, apart, both };

enum class Search : std::uint8_t {
    automatic,
    sort,       // sort the node's samples, then scan
    histogram,  // sum the samples of each code, or of some neighbouring codes, then scan
};

struct SearchRules {
    std::size_t max_features = 1;  // K
    bool constants_count = true;   // among the K drawn (scikit-learn), or are they skipped
    bool random_cut = false;       // Extra-Trees: one uniform cut instead of the best
    Search search = Search::automatic;
    bool adjust_levels = true;     // take off what the levels of a category gain by chance
    std::size_t split_sample = 0;  // N_0: search on that many samples of a larger node; 0: all
    std::size_t min_samples_leaf = 1;
    double min_weight_leaf = 0.0;
    std::size_t shared_from = std::size_t{1} << 13;  // samples that are worth several threads
    std::vector<std::int8_t> monotonic;              // per variable: -1, 0, 1; empty: none

    // What only some recipes ask for; any of it takes the general splitter.
    CutDraw cut_draw = CutDraw::uniform;
    VariableDraw variable_draw = VariableDraw::uniform;
    Choice choice = Choice::best;
    SplitKind kind = SplitKind::binary;
    MissingRule missing = MissingRule::learned;
    std::size_t n_best = 20;             // of one_of_best
    double near_best = 0.25;             // what a split may lose against the best one,
    std::size_t near_best_depth = 2;     // above this depth
    std::size_t n_combined = 3;          // variables in a combination
    std::size_t range_sample = 0;        // samples whose range bounds the cuts; 0: all
    std::size_t most_values = 10;        // of a number, that a multiway split tells apart
    double significance = 0.0;           // level of the test that a split must pass; 0: none
    std::size_t n_permutations = 0;      // of that test; 0: its asymptotic form
    bool honest = false;                 // some samples find the splits, the others fill the leaves
    bool general = false;                // the general splitter in any case, for tests
    std::vector<double> probabilities;   // of the variables, where draws are weighted
    std::vector<std::uint8_t> relevant;  // variables cut in the middle
    std::vector<std::vector<double>> edges;  // between the values that multiway splits tell apart
    std::vector<std::pair<double, double>> ranges;  // of all values, for cells and combinations

    bool by_cells() const {
        return random_cut &&
               (cut_draw == CutDraw::cell_uniform || cut_draw == CutDraw::cell_middle);
    }
    bool multiway() const {
        return kind == SplitKind::multiway || kind == SplitKind::multiway_categories;
    }
    bool needs_general_splitter() const {
        return general || honest || kind != SplitKind::binary || missing != MissingRule::learned ||
               choice != Choice::best || variable_draw != VariableDraw::uniform ||
               (random_cut && cut_draw != CutDraw::uniform) || range_sample != 0 ||
               significance > 0.0;
    }
    // Whether every node keeps its value: leaves may be empty, or do not add up to their parents.
    bool keeps_values() const {
        return honest || kind != SplitKind::binary || missing != MissingRule::learned || by_cells();
    }

    int monotonic_sign(FeatureId f) const { return monotonic.empty() ? 0 : monotonic[f]; }
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
