#include "model_file/checksum.hpp"

#include <algorithm>
#include <cstring>

namespace silvics {
namespace {

// It can be undone, so that two contents which differ in one word never meet again. The product
// moves bits up, the shift down.
void step(std::uint64_t& lane, std::uint64_t word) {
    lane = (lane ^ word) * 0x9E3779B97F4A7C15ULL;
    lane ^= lane >> 32;
}

}  // namespace

void Checksum::add(std::span<const std::byte> bytes) {
    size_ += bytes.size();
    auto lanes = lanes_;  // which no byte can be one of
    std::size_t at = 0;
    for (; at + kLine <= bytes.size(); at += kLine) {
        std::array<std::uint64_t, kLanes> words;
        std::memcpy(words.data(), bytes.data() + at, sizeof words);
        for (std::size_t i = 0; i < kLanes; ++i) step(lanes[i], words[i]);
    }
    for (std::size_t i = 0; at < bytes.size(); ++i) {
        std::uint64_t word = 0;
        const std::size_t n = std::min<std::size_t>(bytes.size() - at, 8);
        std::memcpy(&word, bytes.data() + at, n);
        step(lanes[i], word);
        at += n;
    }
    lanes_ = lanes;
}

}  // namespace silvics
