// How often trees draw rows, for some rows at a time.
#pragma once

#include <cstdint>
#include <span>

#include "sampling/learning_subset.hpp"

namespace silvics {

// Writes how often a tree draws each of the rows from `first` on. Returns false if a number does
// not fit its type. `Count`: std::uint8_t or std::uint32_t.
template <class Count>
bool count_draws(const SamplingPlan& plan, std::uint32_t seed, std::size_t first,
                 std::span<Count> counts, const StopFlag& stop = {});

}  // namespace silvics
