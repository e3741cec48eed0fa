// Shapley values of some rows in one tree, of the game in which a variable without value follows
// the training weights ("path-dependent").
//
// A leaf with the value w contributes w (o_i - q_i) times the integral over p of the product, over
// the other variables f of its path, of p o_f + (1 - p) q_f: o_f is one if the row passes the
// edges of f, and q_f is their share of the training weight. One traversal in depth-first order
// multiplies the factors at each point p on the way down, sums over leaves on the way up, and
// divides the factor of a variable out at its edges.
#pragma once

#include <span>
#include <vector>

#include "base/scratch.hpp"
#include "base/stop.hpp"
#include "predictor/row_blocks.hpp"
#include "shap/columns_below.hpp"
#include "shap/lanes.hpp"
#include "shap/quadrature.hpp"

namespace silvics {

// Where values are added: rows x variables x columns; interactions with one more axis of
// variables, where a pair has the place of its smaller variable first. Interactions may be empty.
struct ShapSums {
    std::size_t n_variables = 0, width = 1;
    std::span<double> values, interactions;
    // Columns that are not computed, since they follow from others.
    std::span<const std::uint8_t> skipped;
};

class PathValues {
public:
    static constexpr std::size_t kRows = 16;  // at a time
    static constexpr std::size_t kColumns = ColumnsBelow::kColumns;

    // Adds the values of the rows of a block, which begins with this row of the sums.
    void add(const ExplainedTree& tree, const RowBlock& block, const ShapSums& sums,
             const StopFlag& stop);

private:
    // What is kept of a node on the path.
    struct Level {
        NodeId node;
        EdgeLanes edge;
        double* products;         // rows x lanes
        double* sums;             // columns x rows x lanes, of the leaves below
        std::uint32_t* states;    // of each row
        std::uint32_t* children;  // that each row goes to
        double* open;             // o of each row and the variable of the edge
    };

    void begin_tree(const ExplainedTree& tree, std::size_t n_rows);
    void traverse(const RowBlock& block, const ShapSums& sums, const StopFlag& stop);
    void enter(NodeId t, const RowBlock& block);
    void leave(const ShapSums& sums, std::size_t first_row);
    void add_leaf(NodeId t, const ShapSums& sums, std::size_t first_row);
    void prepare(NodeId t, Level& level);
    void find_own_states(const Edge& edge, const Level* before, Level& level);
    void prepare_own_states(const Edge& edge, const Level* before, Level& level);
    void find_children(Level& level, const RowBlock& block);
    void add_pairs(const Edge& edge, const Level& level, const double* lanes, std::size_t column,
                   double scale, const ShapSums& sums, std::size_t first_row);
    const double* own_slope(const Level& last, std::size_t row);
    void flush(const RowBlock& block, const ShapSums& sums);
    double* found(std::size_t row, std::size_t variable, std::size_t column) {
        return found_.data() + ((row * n_found_ + variable) * n_columns_ + column) * kLanes;
    }

    const LaneKernels& kernels_ = lane_kernels();
    const ExplainedTree* tree_ = nullptr;
    std::vector<double> points_, weights_, fails_;  // fails_: the slope of rows that fail
    std::size_t n_ = 0, n_rows_ = 0, max_rows_ = kRows;
    std::vector<Level> levels_;
    Scratch<double> numbers_;
    Scratch<std::uint32_t> words_;
    std::size_t depth_ = 0;
    ColumnsBelow columns_;
    std::size_t n_columns_ = 1, n_found_ = 0;
    std::vector<double> values_;  // of the variables, rows side by side
    std::vector<double> found_;
    std::vector<std::uint32_t> last_;     // the depth of the last edge of each variable on the path
    std::vector<std::uint32_t> on_path_;  // variables
    std::vector<const double*> others_;
    std::vector<std::uint32_t> pair_variables_;
    std::vector<double> pair_values_, own_slopes_;
};

}  // namespace silvics
