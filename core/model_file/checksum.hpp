// A checksum that reads memory as fast as it comes. It finds any change within eight bytes for certain,
// and others but for chance; it does not guard against someone who wants to deceive.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "sampling/random_stream.hpp"

namespace silvics {

class Checksum {
public:
    static constexpr std::size_t kLine = 64;

    Checksum() {
        for (std::size_t i = 0; i < kLanes; ++i) lanes_[i] = scatter(i + 1);
    }

    // Parts but the last are of whole lines.
    void add(std::span<const std::byte> bytes) {
        size_ += bytes.size();
        std::size_t at = 0;
        for (; at + kLine <= bytes.size(); at += kLine) {
            std::array<std::uint64_t, kLanes> words;
            std::memcpy(words.data(), bytes.data() + at, sizeof words);
            for (std::size_t i = 0; i < kLanes; ++i) step(lanes_[i], words[i]);
        }
        for (std::size_t i = 0; at < bytes.size(); ++i) {
            std::uint64_t word = 0;
            const std::size_t n = bytes.size() - at < 8 ? bytes.size() - at : 8;
            std::memcpy(&word, bytes.data() + at, n);
            step(lanes_[i], word);
            at += n;
        }
    }

    std::uint64_t sum() const {
        std::uint64_t sum = scatter(size_);
        for (const std::uint64_t lane : lanes_) sum = scatter(sum ^ lane);
        return sum;
    }

private:
    static constexpr std::size_t kLanes = kLine / 8;

    // It can be undone, so that two contents which differ in one word never meet again.
    static void step(std::uint64_t& lane, std::uint64_t word) {
        lane = std::rotl((lane ^ word) * 0x9E3779B97F4A7C15ULL, 29);
    }

    std::array<std::uint64_t, kLanes> lanes_;
    std::size_t size_ = 0;
};

}  // namespace silvics
