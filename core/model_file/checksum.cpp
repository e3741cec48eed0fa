#include "model_file/checksum.hpp"

#include <algorithm>
#include <cstring>

namespace silvics {
namespace {

// The step is invertible, so that two contents that differ in one word have different lanes. The
// product moves bits up, the shift moves them down.
void step(std::uint64_t& lane, std::uint64_t word) {
    lane ^= word;
    // Keeps each lane in a register: vectors have no product of 64 bits and take five times as
    // long.
    asm("" : "+r"(lane));
    lane *= 0x9E3779B97F4A7C15ULL;
    lane ^= lane >> 32;
}

std::uint64_t word_at(const std::byte* at) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    return word;
}

}  // namespace

void Checksum::add(std::span<const std::byte> bytes) {
    size_ += bytes.size();
    auto [a, b, c, d, e, f, g, h] = lanes_;  // as variables, so that they stay in registers
    const std::byte* at = bytes.data();
    for (std::size_t n = bytes.size() / kLine; n > 0; --n, at += kLine) {
        step(a, word_at(at));
        step(b, word_at(at + 8));
        step(c, word_at(at + 16));
        step(d, word_at(at + 24));
        step(e, word_at(at + 32));
        step(f, word_at(at + 40));
        step(g, word_at(at + 48));
        step(h, word_at(at + 56));
    }
    lanes_ = {a, b, c, d, e, f, g, h};
    auto rest = bytes.last(bytes.size() % kLine);
    for (std::size_t i = 0; !rest.empty(); ++i) {
        std::uint64_t word = 0;
        const std::size_t n = std::min<std::size_t>(rest.size(), sizeof word);
        std::memcpy(&word, rest.data(), n);
        step(lanes_[i], word);
        rest = rest.subspan(n);
    }
}

}  // namespace silvics
