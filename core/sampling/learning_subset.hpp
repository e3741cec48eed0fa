// The rows of a tree and their weights: all rows, a bootstrap replicate kept as counts on the
// unique rows (thesis 5.27), or a subsample without replacement; of single rows or of groups.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/scratch.hpp"
#include "base/stop.hpp"
#include "base/types.hpp"
#include "data/target.hpp"
#include "sampling/random_stream.hpp"

namespace silvics {

struct SamplingPlan {
    std::size_t n_rows = 0;
    bool bootstrap = false;
    std::size_t n_draws = 0;          // with bootstrap
    bool balanced_subsample = false;  // with bootstrap: weight classes by their share of the draws
    std::vector<double>
        weights;  // empty: all one; with bootstrap: proportional to the probability of being drawn
    std::vector<double> running;  // prefix sums of the weights, made by prepare()
    bool subsample = false;       // n_draws without replacement, each row with its own weight
    bool patches =
        false;  // with bootstrap or subsample: those of PatchRows, whatever their weights
    double structure = 0.0;  // honest trees: fraction of the rows that are structure samples
    std::vector<RowId>
        candidates;  // rows that a subsample draws from, made by prepare(); empty: all rows
    std::vector<RowId> held_out;  // rows that trees are pruned on: never drawn and never out of bag
    std::vector<RowId> groups;    // the group of each row; empty: rows are drawn one by one. With
                                  // groups, n_draws of them are drawn, all equally probable, and
                                  // weights multiply the rows; candidates are groups.
    std::vector<RowId> strata;    // the stratum, or class, of each row, from each of which
    std::vector<std::size_t> stratum_draws;  // so many rows are drawn; empty: there are no strata
    struct Stratum {
        std::vector<RowId> rows;      // those of positive weight
        std::vector<double> running;  // with bootstrap and weights: prefix sums of their weights
    };
    std::vector<Stratum> rows_of_stratum;  // but for patches, made by prepare()
    std::vector<RowId> group_rows;         // rows by group, made by prepare()
    std::vector<std::size_t> group_start;  // where each group begins in them, and one more

    bool grouped() const { return !groups.empty(); }
    bool stratified() const { return !strata.empty(); }
    void prepare();
    // The expected number of distinct rows of a tree.
    std::size_t usual_size() const;
};

// The rows drawn for a tree, in the order drawn.
std::vector<RowId> draw_rows(const SamplingPlan& plan, std::uint32_t seed,
                             const StopFlag& stop = {});
// True for the rows that the tree did not use: neither drawn nor held out for pruning.
std::vector<bool> out_of_bag(const SamplingPlan& plan, std::uint32_t seed,
                             const StopFlag& stop = {});

struct LearningSubset {
    std::vector<RowId> rows;      // ascending, those of positive weight
    std::vector<double> weights;  // by row of the table; empty: all one
    double unit = 1.0;            // the user's weight per weight here: a power of two
    bool whole_weights =
        true;  // whether all weights are small integers: their sums are exact in any order
    double whole = 0.0;  // the sum of the weights
    std::vector<std::uint8_t>
        estimates;  // for each of `rows`, in honest trees: whether it is an estimation sample

    double weight(RowId row) const { return weights.empty() ? 1.0 : weights[row]; }
    // The weights of the subset's rows, in their order.
    std::vector<double> in_order() const {
        std::vector<double> each;
        each.reserve(with_margin(rows.size()));
        each.resize(rows.size(), 1.0);
        if (!weights.empty())
            for (std::size_t i = 0; i < rows.size(); ++i) each[i] = weights[rows[i]];
        return each;
    }
};

LearningSubset learning_subset(const SamplingPlan& plan, const Target& target, std::uint32_t seed,
                               const StopFlag& stop = {});

// The rows of a subset that estimate the values of leaves: all of them, or the estimation samples
// of an honest tree.
LearningSubset estimation_subset(LearningSubset subset, std::size_t n_rows);

}  // namespace silvics
