// The in-bag rows of every leaf with their weights, side by side: what quantiles and neighbours
// read of a leaf.
//
// A row has a number, such as the rank of its output, and a weight. If weights are whole, as those
// of bootstrap samples are, both share a word of 32 bits, unless they are too large. The word
// before the rows of a leaf is the weight of the leaf. A leaf is then one access to memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "predictor/leaf_membership.hpp"

namespace silvics {

class NumberedRows {
public:
    NumberedRows() = default;
    // `numbers`: of each row.
    NumberedRows(const LeafMembership& membership, std::span<const std::uint32_t> numbers,
                 ThreadTeam& team);

    struct WideRow {
        double weight = 0.0;
        std::uint32_t number = 0;
    };
    // The words of all leaves. After the last one, there are so many that may be read.
    static constexpr std::size_t kSpare = 8;
    struct NarrowWords {
        const std::uint32_t* words;
        unsigned bits;  // of a number

        using Word = std::uint32_t;
        std::uint32_t number(Word word) const { return word & ((Word{1} << bits) - 1); }
        double weight(Word word) const { return static_cast<std::int32_t>(word >> bits); }
        static double of_leaf(Word word) { return word; }
    };
    struct WideWords {
        const WideRow* words;

        using Word = WideRow;
        static std::uint32_t number(const Word& word) { return word.number; }
        static double weight(const Word& word) { return word.weight; }
        static double of_leaf(const Word& word) { return word.weight; }
    };
    // Calls use(words) with one of the two, which is decided once.
    template <class Use>
    decltype(auto) with_words(Use&& use) const {
        return wide_.empty() ? use(NarrowWords{narrow_.data(), bits_})
                             : use(WideWords{wide_.data()});
    }

    // The words of a leaf of tree m: its weight, and then its rows.
    std::size_t begin(std::size_t m, std::size_t leaf) const {
        return first_word_[m] + offsets_[first_offset_[m] + leaf];
    }
    const std::uint32_t* offset(std::size_t m, std::size_t leaf) const {
        return &offsets_[first_offset_[m] + leaf];
    }

private:
    std::vector<std::uint64_t> first_word_, first_offset_;  // of each tree
    std::vector<std::uint32_t>
        offsets_;  // of the words of each leaf within its tree, and their end
    std::vector<std::uint32_t> narrow_;
    std::vector<WideRow> wide_;
    unsigned bits_ = 0;
};

}  // namespace silvics
