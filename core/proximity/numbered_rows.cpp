#include "proximity/numbered_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "proximity/cell_weights.hpp"

namespace silvics {
namespace {

// The largest weight, or infinity if some weight is not whole.
double largest_whole(std::span<const double> weights) {
    double largest = 0.0;
    for (const double w : weights)
        largest =
            w == std::floor(w) ? std::max(largest, w) : std::numeric_limits<double>::infinity();
    return largest;
}

double largest_whole(const LeafMembership& membership) {
    if (size_of(membership.weights) == 0)
        return membership.row_weights.empty() ? 1.0 : largest_whole(membership.row_weights);
    return std::visit(
        []<class T>(std::span<const T> weights) -> double {
            if constexpr (std::is_same_v<T, double>)
                return largest_whole(weights);
            else
                return std::ranges::max(weights);
        },
        membership.weights);
}

}  // namespace

NumberedRows::NumberedRows(const LeafMembership& membership, std::span<const std::uint32_t> numbers,
                           ThreadTeam& team) {
    const std::size_t n_trees = membership.n_trees();
    first_word_.assign(n_trees, 0);
    std::size_t n_offsets = 0;
    for (std::size_t m = 0; m < n_trees; ++m) {
        first_offset_.push_back(n_offsets);
        n_offsets += membership.tree(m).n_leaves() + 1;
    }
    offsets_.resize(n_offsets);
    std::vector<std::uint64_t> sizes(n_trees);
    team.run(n_trees, [&](std::size_t m, std::size_t) {
        const TreeMembership tree = membership.tree(m);
        std::uint32_t* const offsets = offsets_.data() + first_offset_[m];
        offsets[0] = 0;
        for (std::size_t leaf = 0; leaf < tree.n_leaves(); ++leaf)
            offsets[leaf + 1] =
                offsets[leaf] + 1 + static_cast<std::uint32_t>(tree.in_bag(leaf).size());
        sizes[m] = offsets[tree.n_leaves()];
    });
    std::size_t n_words = 0;
    for (std::size_t m = 0; m < n_trees; ++m)
        first_word_[m] = std::exchange(n_words, n_words + sizes[m]);
    bits_ = std::max(static_cast<unsigned>(std::bit_width(numbers.size())), 1U);
    // The weight of a leaf has 32 bits then, too.
    const bool narrow = bits_ < 32 && largest_whole(membership) < std::ldexp(1.0, 32 - bits_);
    const auto fill = [&](auto& words, auto make_row, auto make_leaf) {
        words.resize(n_words + kSpare);
        team.run(n_trees, [&](std::size_t m, std::size_t) {
            team.stop().check();
            const TreeMembership tree = membership.tree(m);
            auto* to = words.data() + first_word_[m];
            with_weights(membership, [&](const auto& weight) {
                for (std::size_t leaf = 0; leaf < tree.n_leaves(); ++leaf) {
                    const std::span<const RowId> rows = tree.in_bag(leaf);
                    const std::size_t position = m * membership.n_rows + tree.begin(leaf);
                    auto* const of_leaf = to++;
                    double whole = 0.0;
                    for (std::size_t k = 0; k < rows.size(); ++k) {
                        const double w = weight(rows[k], position + k);
                        whole += w;
                        *to++ = make_row(numbers[rows[k]], w);
                    }
                    *of_leaf = make_leaf(whole);
                }
            });
        });
    };
    if (narrow)
        fill(
            narrow_,
            [bits = bits_](std::uint32_t number, double weight) {
                return static_cast<std::uint32_t>(weight) << bits | number;
            },
            [](double weight) { return static_cast<std::uint32_t>(weight); });
    else
        fill(
            wide_, [](std::uint32_t number, double weight) { return WideRow{weight, number}; },
            [](double weight) { return WideRow{weight, 0}; });
}

}  // namespace silvics
