// Index types. Sizes are 64-bit everywhere. The 32-bit ids below are only made by `checked_id`, so
// that a table that is too large raises an error instead of wrapping around.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>

namespace silvics {

using RowId = std::uint32_t;
using NodeId = std::uint32_t;
using FeatureId = std::uint32_t;
using ClassId = std::uint32_t;
using Code = std::uint32_t;  // rank of a value within its column: below kMaxCodes

inline constexpr std::size_t kMaxCodes = std::size_t{1} << 16;
inline constexpr std::size_t kMaxIds = std::numeric_limits<std::int32_t>::max();
inline constexpr std::size_t kMaxRows = std::numeric_limits<RowId>::max() - 1;

[[noreturn, gnu::cold]] inline void refuse_id(std::size_t value, std::size_t limit,
                                              const char* what) {
    throw std::length_error("silvics holds at most " + std::to_string(limit) + " " + what +
                            ", got " + std::to_string(value));
}

inline std::uint32_t checked_id(std::size_t value, std::size_t limit, const char* what) {
    if (value > limit) refuse_id(value, limit, what);
    return static_cast<std::uint32_t>(value);
}

// The product n * each. Raises an error instead of wrapping around if no memory could hold as
// many.
inline std::size_t checked_product(std::size_t n, std::size_t each) {
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max() >> 6;
    if (each != 0 && n > most / each) throw std::bad_alloc();
    return n * each;
}

}  // namespace silvics
