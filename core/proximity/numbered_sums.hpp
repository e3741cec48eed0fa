// The sums of the weights of training rows, from rows that lie side by side in their leaves.
//
// They are those of the kernel with leaves as cells, to the last bit. Rows are numbered by their
// leaves in the first tree: rows that are met together are then close to each other in memory, and
// so are their sums.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/stop.hpp"
#include "proximity/leaf_table.hpp"
#include "proximity/numbered_rows.hpp"
#include "proximity/row_sums.hpp"

namespace silvics {

class NumberedSums {
public:
    // Whether the rows side by side take little memory, and so many rows meet them that they save
    // more time than they take.
    static bool pays(const LeafMembership& membership, std::size_t n_rows);
    NumberedSums(const LeafMembership& membership, ThreadTeam& team);

    // Memory of a worker.
    struct Scratch {
        struct Leaf {
            std::size_t begin, size;  // its words
        };
        std::vector<Leaf> leaves, next;  // of this row, and of the next one
        RowSums<double> sums;
        std::vector<double> values;
    };
    // Calls use(row of the table, numbers, sums, number of trees) for the given rows of a table.
    // The sums are those of the training rows with these numbers, and not zero.
    template <class Use>
    void for_rows(const LeafTable& table, std::span<const std::uint32_t> rows, Scratch& scratch,
                  const StopFlag& stop, Use&& use) const {
        if (rows.empty()) return;
        scratch.sums.resize(row_of_.size());
        rows_.with_words([&](const auto& words) {
            locate(words, table.row(rows[0]), scratch);
            if (rows.size() > 1) fetch(table.row(rows[1]));
            for (std::size_t i = 0; i < rows.size(); ++i) {
                stop.check();
                std::swap(scratch.leaves, scratch.next);
                const std::size_t n_trees = scratch.leaves.size();
                if (i + 1 < rows.size()) locate(words, table.row(rows[i + 1]), scratch);
                if (i + 2 < rows.size()) fetch(table.row(rows[i + 2]));
                add(words, scratch);
                const std::span<const RowId> numbers = scratch.sums.take(scratch.values);
                use(rows[i], numbers, std::span(scratch.values).first(numbers.size()), n_trees);
            }
        });
    }
    // The row of each number.
    std::span<const RowId> row_of() const { return row_of_; }

private:
    // Finds the leaves of a row, and fetches their rows.
    template <class Words>
    void locate(const Words& words, std::span<const std::uint32_t> leaves, Scratch& scratch) const {
        scratch.next.clear();
        for (std::size_t m = 0; m < leaves.size(); ++m) {
            if (leaves[m] == LeafTable::kNone) continue;
            const std::size_t begin = rows_.begin(m, leaves[m]);
            const std::size_t end = rows_.begin(m, leaves[m] + 1);
            scratch.next.push_back({begin, end - begin - 1});
            __builtin_prefetch(words.words + begin);
            __builtin_prefetch(words.words + end - 1);
        }
    }
    void fetch(std::span<const std::uint32_t> leaves) const {
        for (std::size_t m = 0; m < leaves.size(); ++m)
            if (leaves[m] != LeafTable::kNone) __builtin_prefetch(rows_.offset(m, leaves[m]));
    }
    template <class Words>
    void add(const Words& words, Scratch& scratch) const {
        for (const typename Scratch::Leaf& leaf : scratch.leaves) {
            const auto* const from = words.words + leaf.begin + 1;
            const double inverse = 1.0 / words.of_leaf(from[-1]);
            scratch.sums.add(
                leaf.size, [&](std::size_t k) { return words.number(from[k]); },
                [&](std::size_t k) { return words.weight(from[k]) * inverse; });
        }
    }

    std::vector<RowId> row_of_;
    NumberedRows rows_;
};

}  // namespace silvics
