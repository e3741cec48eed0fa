// Shapley values of a row and single background rows in subtrees.
//
// Where the two rows part at a variable, the leaves on the side of the row count only if the
// variable has the row's value, and those on the other side if it has the other value. Each side is
// then visited with this value in both rows. How a test ends depends on both rows and cannot be
// predicted, so there is no branch on it: visits wait in a queue, and each appends up to two, by
// how far the end of the queue moves. Visits near each other in the queue do not depend on each
// other, so that the processor works on several at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "base/stop.hpp"
#include "shap/columns_below.hpp"
#include "shap/explained_tree.hpp"
#include "shap/subset_weights.hpp"
#include "shap/tree_background.hpp"

namespace silvics {

class PairValues {
public:
    static constexpr std::size_t kColumns = ColumnsBelow::kColumns;

    // Values are added to `found`, variables x kColumns. What is given is read later. The
    // background has nodes for pairs.
    void prepare(const ExplainedTree& tree, const TreeBackground& background,
                 const SubsetWeights& weights, const ColumnsBelow& columns, double* found,
                 const StopFlag& stop);

    // The row of the next pairs. There is one value after its last, which has no meaning.
    void set_row(const double* row);

    // Variables on the path to a node: whether only the row passes each, or only the background row
    // does, as bits at their places; and how many these are.
    struct Path {
        std::uint64_t of_row = 0, of_other = 0;
        std::size_t n_of_row = 0, n_of_other = 0;
    };
    // Appends the subtree of an inner node and background row z to those of the next run.
    void add(NodeId t, std::size_t z, const Path& path);

    // Adds the values of the leaves below. N is one for a single column, or else enough for all
    // columns at a time.
    template <std::size_t N>
    void run();

    // Of subtree i of the last run: what each variable gets that only the row passes, and what each
    // variable loses that only the background row passes.
    template <std::size_t N>
    double gain(std::size_t i, std::size_t column) const {
        return sums_[i * 2 * N + column];
    }
    template <std::size_t N>
    double loss(std::size_t i, std::size_t column) const {
        return sums_[i * 2 * N + N + column];
    }
    void clear() { n_subtrees_ = 0; }

private:
    // A node to visit. Each pair of numbers is in one integer, of which the first is the lower
    // half: compilers move single numbers between registers of different kinds here.
    struct Visit {
        std::uint64_t at = 0;                    // the node; where the keys of the other row begin
        std::uint64_t of_row = 0, of_other = 0;  // as in Path
        std::uint64_t sums = 0;  // where leaves are added; n_of_row and, above it, n_of_other
    };
    struct Leaf {
        std::uint64_t node = 0, sums = 0;  // as in Visit
    };
    // Where rows part: the leaves on the side of the row have sums of their own, those on the other
    // side the next ones, and both are then added to these.
    struct Part {
        std::uint32_t sums = 0, variable = 0;
    };
    // The child of a row at a test that takes long.
    struct Known {
        std::uint64_t row = 0;
        NodeId child = 0;
    };

    template <std::size_t N>
    void visit_all();
    template <std::size_t N>
    void add_leaves();
    template <std::size_t N>
    void add_parts();
    [[gnu::noinline]] std::uint64_t children_of(const Visit& visit);

    const ExplainedTree* tree_ = nullptr;
    const TreeBackground* background_ = nullptr;
    const SubsetWeights* weights_ = nullptr;
    const ColumnsBelow* columns_ = nullptr;
    const StopFlag* stop_ = nullptr;
    double* found_ = nullptr;
    const double* row_ = nullptr;
    std::uint64_t n_rows_ = 0;
    std::vector<OrderKey> keys_;  // of the variables of the tree: the row, the background rows
    std::vector<Known> known_;    // by node
    std::size_t n_subtrees_ = 0, n_parts_ = 0, n_leaves_ = 0;
    std::vector<Visit> visits_;
    std::vector<Part> parts_;
    std::vector<Leaf> leaves_;
    std::vector<double> sums_;  // gains and losses, by column
};

}  // namespace silvics
