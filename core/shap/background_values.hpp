// Shapley values of some rows in one tree, of the game in which a variable without value takes that
// of a background row ("interventional"), summed over background rows.
//
// A leaf counts for a row and a background row if each variable of its path is satisfied by one of
// the two. With a variables that only the row satisfies and b that only the background row does,
// each of the first ones gets w (a - 1)! b! / (a + b)! and each of the others
// -w a! (b - 1)! / (a + b)!. A traversal keeps the set of background rows that still count, as
// bits, and leaves out the subtrees where there is none.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/stop.hpp"
#include "predictor/row_blocks.hpp"
#include "shap/columns_below.hpp"
#include "shap/path_values.hpp"

namespace silvics {

// A set of background rows.
struct RowSet {
    static constexpr std::size_t kRows = 128, kWords = kRows / 64;
    std::array<std::uint64_t, kWords> words{};

    void add(std::size_t i) { add_if(i, true); }
    void add_if(std::size_t i, bool belongs) { words[i / 64] |= std::uint64_t{belongs} << i % 64; }
    bool has(std::size_t i) const { return (words[i / 64] >> i % 64 & 1) != 0; }
    bool empty() const { return (words[0] | words[1]) == 0; }
    RowSet operator&(const RowSet& other) const {
        return {{words[0] & other.words[0], words[1] & other.words[1]}};
    }
    RowSet operator|(const RowSet& other) const {
        return {{words[0] | other.words[0], words[1] | other.words[1]}};
    }
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (std::size_t w = 0; w < kWords; ++w)
            for (std::uint64_t bits = words[w]; bits != 0; bits &= bits - 1)
                visit(64 * w + static_cast<std::size_t>(std::countr_zero(bits)));
    }
};

// Up to RowSet::kRows background rows in one tree, and what a traversal reads of each node side by
// side.
struct TreeBackground {
    struct Node {
        double threshold = 0.0;  // of a plain split; the value of a leaf, if there is one column
        NodeId second = 0;       // the second child
        std::uint32_t variable = kLeaf;  // that the node tests
        RowSet passing;  // the rows that pass all edges of the variable of its edge on the path
    };
    static constexpr std::uint32_t kLeaf = ~std::uint32_t{0};

    RowSet all;
    std::vector<Node> nodes;

    TreeBackground(const ExplainedTree& tree, const RowBlock& rows,
                   std::span<const std::uint8_t> skipped);
};

// (a - 1)! b! / (a + b)!, and zero for a of zero.
class SubsetWeights {
public:
    void prepare(std::size_t n_variables);
    double operator()(std::size_t a, std::size_t b) const {
        return a < n_ && b < n_ ? table_[a * n_ + b] : computed(a, b);
    }

private:
    static constexpr std::size_t kMostTabled = 256;
    static double computed(std::size_t a, std::size_t b);

    std::size_t n_ = 0;
    std::vector<double> table_;
};

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
        NodeId node = 0;
        std::uint32_t variable = 0, n_fails = 0;
        RowSet alive;  // background rows that count
        RowSet apart;  // those that part from the row here
    };

    void traverse(const double* row, std::size_t row_number, const ShapSums& sums,
                  const StopFlag& stop);
    void visit(Task task, const double* row);
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
    // Sums over the leaves visited so far: of each background row, what variables that only the row
    // passes get; and of all together, what the others get.
    std::array<std::array<double, RowSet::kRows>, kColumns> gains_{};
    std::array<double, kColumns> losses_{};
    std::vector<double> found_;  // variables x columns
};

}  // namespace silvics
