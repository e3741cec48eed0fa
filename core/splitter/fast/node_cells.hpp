// Finds the stored cells of a sparse column that belong to samples of a node.
//
// A map from rows to positions in the node makes this one look-up per cell. It is filled once per
// node, when look-ups by bisection have cost as much as filling it. Entries carry the number of the
// node that wrote them, so that nothing is cleared between nodes.
#pragma once

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "base/scratch.hpp"
#include "base/stop.hpp"
#include "data/column.hpp"
#include "splitter/split.hpp"

namespace silvics {

struct NodeCell {
    std::uint32_t cell;  // its number in the column
    Position at;         // the position of its sample in the node
};

class NodeCells {
public:
    NodeCells(std::size_t n_rows, const StopFlag& stop) : n_rows_(n_rows), stop_(stop) {}

    // Enters the node of these rows, which are ascending; returns false if it is the last one.
    bool enter(StreamKey node, std::span<const RowId> rows) {
        if (node == node_ && rows.data() == rows_.data() && rows.size() == rows_.size())
            return false;
        node_ = node;
        rows_ = rows;
        mapped_ = false;
        spent_ = 0;
        return true;
    }

    std::span<const RowId> rows() const { return rows_; }

    // The cells of the column at the node, in the order of rows. Valid until the next call.
    std::span<const NodeCell> find(const Column& column) {
        const auto cells = column.cells;
        const std::size_t n = rows_.size();
        if (cells.empty() || n == 0) return {};
        found_.ensure(cells.size());
        if (n * steps(cells.size()) < cells.size())
            return look_up(rows_, cells, [](std::size_t i, std::size_t k) {
                return NodeCell{static_cast<std::uint32_t>(k), static_cast<Position>(i)};
            });
        if (!mapped_) {
            spent_ += kStepCost * cells.size() * steps(n);
            if (spent_ < n)
                return look_up(cells, rows_, [](std::size_t k, std::size_t i) {
                    return NodeCell{static_cast<std::uint32_t>(k), static_cast<Position>(i)};
                });
            fill_map();
        }
        NodeCell* const found = found_.data();
        const std::uint64_t* const map = map_.data();
        const std::uint64_t stamp = stamp_;
        std::size_t m = 0;
        in_blocks(cells.size(), stop_, [&](std::size_t begin, std::size_t end) {
            for (std::size_t k = begin; k < end; ++k) {
                const std::uint64_t entry = map[cells[k]];
                found[m] = {static_cast<std::uint32_t>(k), static_cast<Position>(entry)};
                m += entry >> 32 == stamp;
            }
        });
        return {found, m};
    }

private:
    // A step of a bisection costs about as much as writing this many entries of the map.
    static constexpr std::size_t kStepCost = 8;

    static std::size_t steps(std::size_t n) { return static_cast<std::size_t>(std::bit_width(n)); }

    template <class Make>
    std::span<const NodeCell> look_up(std::span<const RowId> fewer, std::span<const RowId> more,
                                      Make&& make) {
        std::size_t m = 0;
        auto from = more.begin();
        for (std::size_t i = 0; i < fewer.size() && from != more.end(); ++i) {
            from = std::lower_bound(from, more.end(), fewer[i]);
            if (from != more.end() && *from == fewer[i])
                found_[m++] = make(i, static_cast<std::size_t>(from - more.begin()));
        }
        return {found_.data(), m};
    }

    void fill_map() {
        if (map_.empty()) map_.assign(n_rows_, 0);
        if (++stamp_ >> 32 != 0) {
            std::ranges::fill(map_, 0);
            stamp_ = 1;
        }
        in_blocks(rows_.size(), stop_, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) map_[rows_[i]] = stamp_ << 32 | i;
        });
        mapped_ = true;
    }

    std::size_t n_rows_;
    const StopFlag& stop_;
    StreamKey node_ = 0;
    std::span<const RowId> rows_;
    bool mapped_ = false;
    std::size_t spent_ = 0;           // by bisections at this node, in entries of the map
    std::uint64_t stamp_ = 0;         // the number of the node that filled the map last
    std::vector<std::uint64_t> map_;  // of each row: the stamp, and the position in the node
    Scratch<NodeCell> found_;
};

}  // namespace silvics
