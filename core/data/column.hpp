// How one variable is stored while growing: as small integer codes in column order.
//
// A variant, visited once per (node, variable) in splitter/gather.hpp and nowhere else.
// A new kind of storage (categories, sparse) is a new alternative here and a new branch
// there; the scans see codes only.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "base/types.hpp"

namespace silvics {

using CodeArray =
    std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<std::uint32_t>>;

struct NumericColumn {
    CodeArray ranks;             // rank of each row's value among the distinct values
    std::vector<double> values;  // the distinct values, ascending

    // Only with max_bins, and only if there are more distinct values than bins.
    CodeArray bins;                // bin of each row's value
    std::vector<Code> last_ranks;  // last rank of each bin

    bool binned() const { return !last_ranks.empty(); }
};

using Column = std::variant<NumericColumn>;

}  // namespace silvics
