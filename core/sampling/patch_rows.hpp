// The rows of a random patch (thesis 8.1): `n_drawn` of N rows, drawn without or with replacement.
//
// Which rows they are is a function of the seed and N alone. The rows are divided in halves again
// and again, at fixed places, and the number of rows drawn from each half has a hypergeometric
// distribution given that of the whole, or a binomial one with replacement. A part without rows is
// not divided, so that the work is proportional to the rows drawn. Rows are found in ascending
// order, in pieces of any size, without a table of the N rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sampling/random_stream.hpp"

namespace silvics {

// The number of special elements among `wanted` that are drawn without replacement. `weights` is
// memory to work in. Only products and quotients are used, which all platforms round equally.
std::uint64_t draw_hypergeometric(std::uint64_t n_special, std::uint64_t n_other,
                                  std::uint64_t wanted, RandomStream& stream,
                                  std::vector<double>& weights);

// The number of `wanted` draws with replacement that are of special elements.
std::uint64_t draw_binomial(std::uint64_t n_special, std::uint64_t n_other, std::uint64_t wanted,
                            RandomStream& stream, std::vector<double>& weights);

class PatchRows {
public:
    // With replacement, a row may be drawn several times. Strata other than 0 have draws of their
    // own for the same seed: of the rows of a class, for instance.
    PatchRows(std::uint32_t seed, std::uint64_t n_rows, std::uint64_t n_drawn,
              bool replacement = false, std::uint64_t stratum = 0);

    // Calls visit(row) for the rows below `end` that have not been visited yet, ascending; with
    // replacement, as often as the row was drawn.
    template <class Visit>
    void visit_below(std::uint64_t end, Visit&& visit) {
        for (;;) {
            for (; next_ < rows_.size() && rows_[next_] < end; ++next_) visit(rows_[next_]);
            if (next_ < rows_.size() || !draw_block(end)) return;
        }
    }

private:
    // Rows first .. first + 2^level - 1, as far as there are so many, of which `count` are drawn.
    struct Part {
        std::uint64_t first, count;
        unsigned level;
    };
    static constexpr unsigned kBlockLevel = 12;  // parts of this level are not divided

    // Draws the rows of the next block that has some and begins before `end`; false if there is
    // none.
    bool draw_block(std::uint64_t end);
    void divide(const Part& part);
    void draw_rows_of(const Part& block);
    void draw_rows_with_replacement(const Part& block);
    std::uint64_t size(const Part& part) const;
    StreamKey key(const Part& part) const;

    StreamKey key_;
    std::uint64_t n_rows_;
    bool replacement_;
    std::vector<Part> parts_;          // still to be visited; the last one comes first
    std::vector<std::uint64_t> rows_;  // of the current block, ascending
    std::size_t next_ = 0;             // the first of them that has not been visited
    std::vector<double> weights_;
    std::array<std::uint64_t, (std::size_t{1} << kBlockLevel) / 64> taken_{};
};

}  // namespace silvics
