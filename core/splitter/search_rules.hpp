// The rules of the search for a split.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace silvics {

enum class Search : std::uint8_t {
    automatic,
    sort,       // sort the samples of the node, then scan
    histogram,  // sum the samples of each code, or of a bin of neighbouring codes, then scan
};

// The rules that the fast splitter obeys: best and uniform cuts.
struct FastRules {
    std::size_t max_features = 1;  // K
    bool constants_count =
        true;  // whether constants count among the K drawn (scikit-learn), or are skipped
    bool random_cut = false;  // Extra-Trees: one uniform cut instead of the best
    Search search = Search::automatic;
    bool adjust_levels = true;  // subtract the score that many levels of a category reach by chance
    std::size_t split_sample = 0;  // N_0: search on that many samples of larger nodes; 0: on all
    std::size_t min_samples_leaf = 1;
    double min_weight_leaf = 0.0;
    std::size_t shared_from = std::size_t{1}
                              << 13;     // node size from which on several threads share the search
    std::vector<std::int8_t> monotonic;  // per variable: -1, 0, 1; empty: none

    int monotonic_sign(FeatureId f) const { return monotonic.empty() ? 0 : monotonic[f]; }
};

// How a cut is drawn if it is not searched for.
enum class CutDraw : std::uint8_t {
    uniform,       // between the smallest and the largest value of the node (Extra-Trees)
    gap,           // in a gap between neighbouring values (Biau et al. 2008)
    pair,          // between two samples of different output (PERT)
    middle,        // of the node's values
    relevance,     // in the middle of relevant variables, uniform on others (Breiman 2004)
    cell_uniform,  // anywhere on the cell's side (Purely Random Forests)
    cell_middle,   // in the middle of the cell's side (Biau 2012)
};

// How the variables of a node are drawn.
enum class VariableDraw : std::uint8_t {
    uniform,   // K variables
    unused,    // K of those not yet used on the branch
    poisson,   // 1 + Poisson(K)
    weighted,  // K variables by given probabilities
};

// Which of the splits found at a node is taken.
enum class Choice : std::uint8_t {
    best,         // the largest decrease of impurity
    gain_ratio,   // the largest gain ratio among splits of at least the mean gain
    one_of_best,  // one of the n best, uniformly
    near_best,    // near the root, one of the variables of almost the largest decrease (Kwok &
                  // Carter)
    significant,  // the variable that is associated most strongly with the output (conditional
                  // inference)
    relief,       // the variable of the largest Relief weight
};

// Groups of a node's own values (thesis 5.3.4): cuts are only tried between groups.
enum class NodeBins : std::uint8_t {
    none,
    width,      // intervals of equal width
    frequency,  // about as many samples in each
};

enum class SplitKind : std::uint8_t {
    binary,
    multiway,             // a child for each value
    multiway_categories,  // a child for each level of a category; numbers are split in two
    oblique,              // in two, by a threshold on random combinations of variables
};

enum class MissingRule : std::uint8_t { learned, apart, both };

// The rules of the fast splitter, and the choices of recipes, which need the general splitter.
struct SearchRules : FastRules {
    CutDraw cut_draw = CutDraw::uniform;
    VariableDraw variable_draw = VariableDraw::uniform;
    Choice choice = Choice::best;
    SplitKind kind = SplitKind::binary;
    MissingRule missing = MissingRule::learned;
    std::size_t n_best = 20;  // number of splits that one_of_best draws from
    double near_best = 0.25;  // fraction of the largest decrease that a split may fall short by,
    std::size_t near_best_depth = 2;  // above this depth
    std::size_t n_combined = 3;       // variables in a combination
    std::size_t range_sample = 0;     // samples whose range bounds the cuts; 0: all
    std::size_t max_values = 10;      // values of a number that a multiway split separates
    double significance = 0.0;        // level of the test that a split must pass; 0: no test
    std::size_t n_permutations = 0;   // permutations of that test; 0: its asymptotic form
    std::size_t relief_samples = 100, relief_neighbors = 5;       // of Choice::relief
    double min_score = -std::numeric_limits<double>::infinity();  // of the split that is chosen
    NodeBins node_bins = NodeBins::none;
    std::size_t n_node_bins = 0;
    bool presort = false;           // sort the samples of a tree once instead of at every node
    bool custom_criterion = false;  // the criterion is a function of the user
    std::vector<FeatureId> always;  // variables that every node tries besides those it draws
    std::vector<std::vector<FeatureId>>
        interactions;       // variables that may be on one path; no sets: any
    bool pairwise = false;  // any two variables may be on one path, but no more
    bool honest = false;    // structure samples find the splits, estimation samples fill the leaves
    bool general = false;   // forces the general splitter, for tests
    std::vector<double> probabilities;   // weights of the variables in a weighted draw
    std::vector<std::uint8_t> relevant;  // one for variables that are cut in the middle
    std::vector<std::vector<double>>
        edges;  // thresholds between the values that multiway splits separate
    std::vector<std::pair<double, double>>
        ranges;  // range of each variable, for cells and combinations

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
               significance > 0.0 || limits_scores() || node_bins != NodeBins::none || presort ||
               custom_criterion || !always.empty() || limits_interactions();
    }
    bool limits_scores() const { return min_score > -std::numeric_limits<double>::infinity(); }
    bool limits_interactions() const { return pairwise || !interactions.empty(); }
    // Whether every node stores its value: leaves may be empty, or do not add up to their parents.
    bool keeps_values() const {
        return honest || kind != SplitKind::binary || missing != MissingRule::learned || by_cells();
    }
};

}  // namespace silvics
