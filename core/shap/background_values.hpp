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

    void add(std::size_t i) { words[i / 64] |= std::uint64_t{1} << i % 64; }
    bool empty() const { return (words[0] | words[1]) == 0; }
    RowSet operator&(const RowSet& other) const {
        return {{words[0] & other.words[0], words[1] & other.words[1]}};
    }
    RowSet without(const RowSet& other) const {
        return {{words[0] & ~other.words[0], words[1] & ~other.words[1]}};
    }
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (std::size_t w = 0; w < kWords; ++w)
            for (std::uint64_t bits = words[w]; bits != 0; bits &= bits - 1)
                visit(64 * w + static_cast<std::size_t>(std::countr_zero(bits)));
    }
};

// Up to RowSet::kRows background rows in one tree.
struct TreeBackground {
    RowSet all;
    // Of each node, the rows that pass all edges of the variable of its edge on the path.
    std::vector<RowSet> passing;

    TreeBackground(const ExplainedTree& tree, const RowBlock& rows);
};

// (a - 1)! b! / (a + b)!
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
    // What is kept of a node on the path.
    struct Level {
        NodeId node = 0;
        std::uint32_t child = 0;    // of the row
        std::uint32_t n_fails = 0;  // variables that the row fails
        bool passes = true;         // the row, all edges of the variable of the edge
        bool first_fail = false;    // at this edge
        RowSet alive;               // background rows that count
        RowSet apart;               // those that fail the variable first here, where the row passes
    };

    void traverse(const double* row, std::size_t row_number, const ShapSums& sums,
                  const StopFlag& stop);
    bool enter(NodeId t);
    void leave();
    void add_sums(const Level& level, double sign);
    void add_leaf(const Level& level);

    const ExplainedTree* tree_ = nullptr;
    const TreeBackground* background_ = nullptr;
    SubsetWeights weights_;
    ColumnsBelow columns_;
    std::vector<Level> levels_;
    std::size_t depth_ = 0;
    std::array<std::uint32_t, RowSet::kRows> n_apart_{};  // a of each background row
    // Sums over the leaves visited so far: of each background row, what variables that only the row
    // passes get; and of all together, what the others get.
    std::array<std::array<double, RowSet::kRows>, kColumns> gains_{};
    std::array<double, kColumns> losses_{};
    std::vector<double> found_;  // variables x columns
};

}  // namespace silvics
