// A checksum that is limited by the speed of memory. It detects every change within eight bytes,
// and any other change with high probability; it does not protect against deliberate forgery.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/hash.hpp"

namespace silvics {

class Checksum {
public:
    static constexpr std::size_t kLine = 64;

    Checksum() {
        for (std::size_t i = 0; i < kLanes; ++i) lanes_[i] = scatter(i + 1);
    }

    // The size of every part but the last is a multiple of kLine.
    void add(std::span<const std::byte> bytes);
    std::uint64_t sum() const {
        std::uint64_t sum = scatter(size_);
        for (const std::uint64_t lane : lanes_) sum = scatter(sum ^ lane);
        return sum;
    }

private:
    static constexpr std::size_t kLanes = kLine / 8;

    std::array<std::uint64_t, kLanes> lanes_;
    std::size_t size_ = 0;
};

}  // namespace silvics
