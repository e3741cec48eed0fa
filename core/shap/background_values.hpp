// Shapley values of some rows in one tree, of the game in which a variable without value takes that
// of a background row ("interventional"), summed over background rows.
//
// A leaf counts for a row and a background row if each variable of its path is satisfied by one of
// the two. With a variables that only the row satisfies and b that only the background row does,
// each of the first ones gets w (a - 1)! b! / (a + b)! and each of the others
// -w a! (b - 1)! / (a + b)!. A traversal keeps the set of background rows that still count, as
// bits, and leaves out the subtrees where there is none. Deep in a tree, where few are left, each
// is followed alone (pair_values.hpp).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/stop.hpp"
#include "predictor/row_blocks.hpp"
#include "shap/columns_below.hpp"
#include "shap/pair_values.hpp"
#include "shap/path_values.hpp"
#include "shap/subset_weights.hpp"
#include "shap/tree_background.hpp"

namespace silvics {

class BackgroundValues {
public:
    static constexpr std::size_t kColumns = ColumnsBelow::kColumns;  // at a time

    // Adds the values of the rows of a block, summed over the background.
    void add(const ExplainedTree& tree, const TreeBackground& background, const RowBlock& block,
             const ShapSums& sums, const StopFlag& stop);

private:
    // What is left to do. A subtree is visited for some background rows; where the row and some of
    // them part ways at a variable, what the leaves below add to the sums is the variable's.
    struct Task {
        enum class Part : std::uint8_t { begin, end };
        // The way of all that count, of the row where others left it, or of those that left it.
        enum class Way : std::uint8_t { same, of_row, of_others };
        Part part = Part::begin;
        Way way = Way::same;
        std::uint8_t place = 0;  // of the variable on the path
        NodeId node = 0;
        std::uint32_t variable = 0, n_fails = 0;
        RowSet alive;  // background rows that count
        RowSet apart;  // those that part from the row here
    };

    void traverse(const double* row, std::size_t row_number, const ShapSums& sums,
                  const StopFlag& stop);
    bool follows_each(const Task& task) const;
    void visit(Task task);
    bool counts(NodeId node) const { return one_column_ || columns_.any(node); }
    template <class Use>
    void for_columns(NodeId node, Use&& use) const {
        if (one_column_)
            use(column_);
        else
            columns_.for_each(node, use);
    }
    void part_ways(NodeId t, const Task& task, NodeId of_row);
    void begin(const Task& task);
    void end(const Task& task);
    void add_losses(const Task& task, double sign);
    void add_gains(const Task& task, double sign, std::uint32_t step);
    void add_pairs(const Task& task);
    template <std::size_t N>
    void add_pairs(const Task& task);
    void add_leaf(const Task& task);
    void add_value(const Task& task, std::size_t c, double value);

    const ExplainedTree* tree_ = nullptr;
    const TreeBackground* background_ = nullptr;
    bool one_column_ = false;  // that is not skipped, and its number
    std::size_t column_ = 0;
    SubsetWeights weights_;
    ColumnsBelow columns_;
    std::vector<Task> tasks_;
    std::vector<std::uint8_t> fails_;  // whether the row fails a variable on the path
    std::array<std::uint32_t, RowSet::kRows> n_apart_{};  // a of each background row
    // Bits of variables at their places: of each background row, those that only the row passes;
    // and those that the row fails.
    std::array<std::uint64_t, RowSet::kRows> apart_{};
    std::uint64_t failed_ = 0;
    const double* row_ = nullptr;
    PairValues pairs_;
    // Sums over the leaves visited so far: of each background row, what variables that only the row
    // passes get; and of all together, what the others get.
    std::array<std::array<double, RowSet::kRows>, kColumns> gains_{};
    std::array<double, kColumns> losses_{};
    std::vector<double> found_;  // variables x columns
};

}  // namespace silvics
