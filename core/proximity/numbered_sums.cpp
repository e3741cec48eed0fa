#include "proximity/numbered_sums.hpp"

#include <variant>

namespace silvics {
namespace {

std::vector<std::uint32_t> inverse(std::span<const RowId> order) {
    std::vector<std::uint32_t> numbers(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) numbers[order[i]] = static_cast<RowId>(i);
    return numbers;
}

}  // namespace

bool NumberedSums::pays(const LeafMembership& membership, std::size_t n_rows) {
    constexpr std::size_t kMaxBytes = std::size_t{1} << 26, kRowsForEach = 8;
    const bool wide = std::holds_alternative<std::span<const double>>(membership.weights) &&
                      (size_of(membership.weights) > 0 || !membership.row_weights.empty());
    const std::size_t bytes = wide ? sizeof(NumberedRows::WideRow) : sizeof(std::uint32_t);
    return membership.rows.size() <= kMaxBytes / bytes &&
           n_rows >= membership.n_rows / kRowsForEach;
}

// The rows of the first tree are grouped by leaf.
NumberedSums::NumberedSums(const LeafMembership& membership, ThreadTeam& team)
    : row_of_(membership.rows.begin(),
              membership.rows.begin() + static_cast<std::ptrdiff_t>(membership.n_rows)),
      rows_(membership, inverse(row_of_), team) {}

}  // namespace silvics
