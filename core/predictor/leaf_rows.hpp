// What the leaves of a forest predict, as a table of distinct rows: for leaves that predict more
// than one number.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "forest/forest.hpp"

namespace silvics {

// A table of distinct rows, compared bit by bit. Equal rows share a number; numbers are in the
// order in which rows are first seen.
class DistinctRows {
public:
    explicit DistinctRows(std::size_t width) : width_(width), slots_(kMinSlots, 0) {}

    std::uint32_t number_of(std::span<const double> row) { return number_of(row, key_of(row)); }
    // The number in this table of row i of another table.
    std::uint32_t number_of(const DistinctRows& other, std::size_t i) {
        return number_of(other.row(i), other.keys_[i]);
    }
    std::size_t size() const { return keys_.size(); }
    std::span<const double> row(std::size_t i) const {
        return std::span(rows_).subspan(i * width_, width_);
    }
    std::vector<double> moved_rows() { return std::move(rows_); }

private:
    static constexpr std::size_t kMinSlots = 64;

    static std::uint64_t key_of(std::span<const double> row);
    std::uint32_t number_of(std::span<const double> row, std::uint64_t key);
    void double_slots();

    std::size_t width_;
    std::vector<double> rows_;
    std::vector<std::uint64_t> keys_;   // of the rows
    std::vector<std::uint32_t> slots_;  // open addressing: the number of a row plus one, or zero
};

// The content of a pure leaf is its class. Other leaves have the number of a row, after `n_pure`
// classes. A row holds whole class weights if all weights of the forest are whole, and class shares
// or means otherwise.
class LeafRows {
public:
    // The rows are the same for any size of the team.
    LeafRows(std::span<const SharedTree> trees, std::size_t n_pure, std::size_t width,
             ThreadTeam& team);

    // Writes the content of each leaf of tree m, by its node. Several threads may do this at once.
    template <class Form>
    void write_contents(std::size_t m, const Form& tree,
                        std::vector<std::uint32_t>& contents) const {
        contents.resize(tree.nodes.size());
        auto next = contents_[m].begin();
        for (NodeId id = 0; id < tree.nodes.size(); ++id) {
            const Node& node = tree.nodes[id];
            if (!node.leaf()) continue;
            if (tree.pure(node)) {
                contents[id] = node.pure_class();
                continue;
            }
            const std::uint32_t content = *next++;
            contents[id] = content < n_pure_ ? content : rows_of_trees_[m][content - n_pure_];
        }
    }
    bool whole() const { return whole_; }
    std::vector<double> moved_rows() { return distinct_.moved_rows(); }

private:
    template <class Form>
    DistinctRows distinct_rows_of(const Form& tree, std::vector<std::uint32_t>& contents) const;

    std::size_t n_pure_, width_;
    bool whole_;
    DistinctRows distinct_;
    // For each tree, the contents of its leaves that are not pure, in the order of nodes: a class,
    // or n_pure_ and the number of one of the distinct rows of the tree. Then the contents that
    // these rows have in the forest.
    std::vector<std::vector<std::uint32_t>> contents_, rows_of_trees_;
};

}  // namespace silvics
