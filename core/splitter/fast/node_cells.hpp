// Finds the stored cells of a sparse column that belong to samples of a node, by value.
//
// There are two ways. The cells of all rows of a small node are linked by column: a column without
// any is then known at once, and a search touches only cells of the node. In a large node, where
// this would touch more cells than the searches need, the cells of a column are looked up in a map
// from rows to positions in the node. Entries of the map, like the links, are marked by the node
// that wrote them, so that nothing is cleared between nodes.
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "base/scratch.hpp"
#include "base/stop.hpp"
#include "data/table.hpp"
#include "splitter/split.hpp"

namespace silvics {

struct NodeCell {
    std::uint32_t cell;  // its number in the column
    Position at;         // the position of its sample in the node
};

class NodeCells {
public:
    // At about n_searches columns of each node, cells will be looked for.
    NodeCells(const Table& table, std::size_t n_searches, const StopFlag& stop)
        : table_(table), cells_(table.sparse ? &*table.sparse : nullptr), stop_(stop) {
        if (cells_ == nullptr || table.n_rows == 0 || table.n_features() == 0) return;
        const double n_rows = static_cast<double>(table.n_rows),
                     n_features = static_cast<double>(table.n_features()),
                     n_cells = static_cast<double>(cells_->n_cells());
        const double of_row = n_cells / n_rows, of_column = n_cells / n_features;
        // A search by the map costs a cache miss or two besides its cells.
        const double by_map =
            static_cast<double>(std::min(n_searches, table.n_features())) * (of_column + 32.0);
        if (of_row > 1.0) most_rows_ = by_map / (of_row - 1.0);
        if (of_row > 0.0) most_rows_ = std::min(most_rows_, kMaxLinksPerRow * n_rows / of_row);
    }

    // Enters the node of these rows, which are ascending; returns false if it is the last one.
    bool enter(StreamKey node, std::span<const RowId> rows) {
        if (node == node_ && rows.data() == rows_.data() && rows.size() == rows_.size())
            return false;
        node_ = node;
        rows_ = rows;
        ++n_entered_;
        linked_ = static_cast<double>(rows.size()) <= most_rows_ && link();
        if (!linked_) fill_map();
        return true;
    }

    std::span<const RowId> rows() const { return rows_; }
    // The number of nodes entered so far: another one for every node.
    std::uint64_t n_entered() const { return n_entered_; }

    // Whether it is known that no sample of the node has a cell in the column.
    bool absent(FeatureId f) const { return linked_ && heads_[f] < base_; }

    // Whether find() will look cells up in the map, where prefetch() saves time: of what find() and
    // a search of codes read, or of what find_unordered() and a search of values read.
    bool mapped() const { return !linked_; }
    void prefetch(std::span<const FeatureId> features, bool unordered) const {
        for (const FeatureId f : features) __builtin_prefetch(&cells_->heads[f]);
        for (const FeatureId f : features) {
            const auto& head = cells_->heads[f];
            const auto near = [](const auto* from, std::size_t n) {
                const auto* const at = reinterpret_cast<const std::byte*>(from);
                const std::size_t bytes = std::min<std::size_t>(n * sizeof(*from), 256);
                for (std::size_t k = 0; k < bytes + 63; k += 64) __builtin_prefetch(at + k);
            };
            near(cells_->rows.data() + head.begin, head.n_cells);
            if (unordered) {
                const ColumnView& values = cells_->values;
                const auto* const first = values.at(head.begin);
                near(first, static_cast<std::size_t>(values.at(head.begin + head.n_cells) - first));
                continue;
            }
            cells_->by_value.visit(
                [&](const auto* order) { near(order + head.begin, head.n_cells); });
            near(head.codes, head.n_cells);
        }
    }

    // The cells of the column at the node, by value, missing ones last. Valid until the next call.
    std::span<const NodeCell> find(FeatureId f) {
        if (linked_) return sorted(f, find_links(f));
        return cells_->by_value.visit([&](const auto* order) {
            order += cells_->heads[f].begin;
            return find_by_map(f, [&](std::size_t k) { return std::uint32_t{order[k]}; });
        });
    }

    // The same in any order.
    std::span<const NodeCell> find_unordered(FeatureId f) {
        if (linked_) return find_links(f);
        return find_by_map(f, [](std::size_t k) { return static_cast<std::uint32_t>(k); });
    }

private:
    using Link = std::uint32_t;
    struct Linked {
        Link next;
        Position at;
    };
    // Bounds the memory of the links to a few words per row.
    static constexpr double kMaxLinksPerRow = 4.0;

    // Links the cells of the node by column; returns false if there are too many.
    bool link() {
        const auto& starts = cells_->row_starts;
        std::size_t n = 0;
        Link* const firsts = firsts_.ensure(rows_.size());
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            firsts[i] = static_cast<Link>(n);
            n += starts[rows_[i] + std::size_t{1}] - starts[rows_[i]];
        }
        if (static_cast<double>(n) >
            2.0 * kMaxLinksPerRow * static_cast<double>(table_.n_rows) + 4096.0)
            return false;
        if (heads_.empty()) heads_.assign(table_.n_features(), 0);
        if (n > std::numeric_limits<Link>::max() - end_) {
            std::ranges::fill(heads_, 0);
            end_ = 1;
        }
        base_ = end_;
        end_ += static_cast<Link>(n);
        Linked* const links = links_.ensure(n);
        Link* const heads = heads_.data();
        const Link base = base_;
        cells_->columns.visit([&](const auto* columns) {
            Link link = 0;
            for (std::size_t i = 0; i < rows_.size(); ++i) {
                const auto begin = starts[rows_[i]], end = starts[rows_[i] + std::size_t{1}];
                for (std::size_t k = begin; k < end; ++k, ++link) {
                    Link& head = heads[columns[k]];
                    links[link] = {head, static_cast<Position>(i)};
                    head = base + link;
                }
            }
        });
        return true;
    }

    std::span<NodeCell> find_links(FeatureId f) {
        Link link = heads_[f];
        if (link < base_) return {};
        NodeCell* const found = found_.ensure(cells_->heads[f].n_cells);
        std::size_t m = 0;
        cells_->numbers.visit([&](const auto* numbers) {
            for (; link >= base_; ++m) {
                const Linked linked = links_[link - base_];
                const std::size_t cell =
                    cells_->row_starts[rows_[linked.at]] + (link - base_ - firsts_[linked.at]);
                found[m] = {numbers[cell], linked.at};
                link = linked.next;
            }
        });
        return {found, m};
    }

    std::span<NodeCell> sorted(FeatureId f, std::span<NodeCell> found) const {
        if (found.size() < 2) return found;
        const SparseCells::Head& head = cells_->heads[f];
        SparseCells::visit_codes(head, [&](const auto* codes) {
            std::ranges::sort(found, {}, [&](const NodeCell& cell) { return codes[cell.cell]; });
            if (!head.several_values) return;
            const auto value = [&](const NodeCell& cell) {
                return cells_->values[head.begin + cell.cell];
            };
            std::ranges::sort(found, [&](const NodeCell& a, const NodeCell& b) {
                const Code code_a = codes[a.cell], code_b = codes[b.cell];
                return code_a != code_b ? code_a < code_b : value(a) < value(b);
            });
        });
        return found;
    }

    void fill_map() {
        if (map_.empty()) map_.assign(table_.n_rows, 0);
        if (++stamp_ >> 32 != 0) {
            std::ranges::fill(map_, 0);
            stamp_ = 1;
        }
        in_blocks(rows_.size(), stop_, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) map_[rows_[i]] = stamp_ << 32 | i;
        });
    }

    // cell(k) is the k-th cell to look up.
    template <class Cell>
    std::span<const NodeCell> find_by_map(FeatureId f, Cell&& cell) {
        const auto rows = cells_->rows_of(f);
        NodeCell* const found = found_.ensure(rows.size());
        const std::uint64_t* const map = map_.data();
        const std::uint64_t stamp = stamp_;
        std::size_t m = 0;
        in_blocks(rows.size(), stop_, [&](std::size_t begin, std::size_t end) {
            for (std::size_t k = begin; k < end; ++k) {
                const std::uint32_t number = cell(k);
                const std::uint64_t entry = map[rows[number]];
                found[m] = {number, static_cast<Position>(entry)};
                m += entry >> 32 == stamp;
            }
        });
        return {found, m};
    }

    const Table& table_;
    const SparseCells* cells_;
    const StopFlag& stop_;
    double most_rows_ = 0.0;  // of a node whose cells are linked
    StreamKey node_ = 0;
    std::uint64_t n_entered_ = 0;
    std::span<const RowId> rows_;
    bool linked_ = false;
    Link base_ = 1, end_ = 1;  // the links of the node
    std::vector<Link> heads_;  // of each column: its last link; of another node if below base_
    Scratch<Linked> links_;
    Scratch<Link> firsts_;            // of each sample: its first link
    std::uint64_t stamp_ = 0;         // the number of the node that filled the map last
    std::vector<std::uint64_t> map_;  // of each row: the stamp, and the position in the node
    Scratch<NodeCell> found_;
};

}  // namespace silvics
