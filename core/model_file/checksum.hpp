// A checksum that reads memory as fast as it comes. It finds any change within eight bytes for
// certain, and others but for chance; it does not guard against someone who wants to deceive.
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

    // Parts but the last are of whole lines.
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
