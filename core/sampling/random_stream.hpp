// Counter-based random numbers. A stream is a key, and its n-th number is a function of the key
// and n alone, so that a tree does not depend on threads, time or the order of its nodes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/hash.hpp"

namespace silvics {

using StreamKey = std::uint64_t;

// The key of a part of `key`; streams of different parts are independent.
constexpr StreamKey derive(StreamKey key, std::uint64_t part) {
    return scatter(scatter(key ^ 0xD1B54A32D192ED03ULL) + part * 0xAEF17502108EF2D9ULL);
}

// What a stream is used for. Children take the numbers from kChildPart on.
enum StreamPart : std::uint64_t {
    kRowsPart = 1,
    kVariablesPart = 2,
    kSplitSamplePart = 3,
    kColumnsPart = 4,  // variables of a tree
    kRolesPart = 5,    // structure and estimation samples of an honest tree
    kOrderPart = 6,    // random order of growth
    kNumberPart = 7,   // number of variables of a node
    kChoicePart = 8,   // choice among splits
    kRangePart = 9,    // samples that bound the cuts
    kPermutationPart = 10,
    kReliefPart = 11,               // samples whose neighbours Relief compares
    kPairPart = 1ULL << 34,         // plus the number of the trial
    kCombinationPart = 1ULL << 36,  // plus the number of the combination
    kCutPart = 1ULL << 32,
    kChildPart = 1ULL << 33,
};

class RandomStream {
public:
    explicit constexpr RandomStream(StreamKey key) : state_(key) {}

    constexpr std::uint64_t next() { return scatter(state_ += 0x9E3779B97F4A7C15ULL); }

    // Uniform on 0 .. n-1, without bias (Lemire's multiplication with rejection).
    constexpr std::uint64_t below(std::uint64_t n) {
        auto product = wide(next(), n);
        if (static_cast<std::uint64_t>(product) < n) {
            const std::uint64_t unfair = (0 - n) % n;
            while (static_cast<std::uint64_t>(product) < unfair) product = wide(next(), n);
        }
        return static_cast<std::uint64_t>(product >> 64);
    }

    // Uniform on [0, 1), a multiple of 2^-53.
    constexpr double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

private:
    __extension__ using Wide = unsigned __int128;
    static constexpr Wide wide(std::uint64_t a, std::uint64_t b) { return Wide{a} * b; }

    std::uint64_t state_;
};

// Calls visit(i) for `wanted` of the numbers below n, drawn without replacement, in ascending order
// (selection sampling, Knuth's algorithm S).
template <class Visit>
void for_selected(std::size_t n, std::size_t wanted, RandomStream& stream, Visit&& visit) {
    for (std::size_t i = 0; wanted > 0; ++i)
        if (stream.below(n - i) < wanted) {
            visit(i);
            --wanted;
        }
}

// Seed of tree number `tree` of a forest: a bijection of 32-bit numbers for each forest seed, so
// that no two trees share a seed, and small enough for a scikit-learn random_state.
constexpr std::uint32_t tree_seed(std::uint64_t forest_seed, std::uint32_t tree) {
    const std::uint64_t key = derive(forest_seed, 0);
    std::uint32_t z = tree;
    for (int round = 0; round < 3; ++round) {
        z += static_cast<std::uint32_t>(scatter(key + static_cast<std::uint64_t>(round)));
        z = (z ^ (z >> 16)) * 0x85EBCA6BU;
        z = (z ^ (z >> 13)) * 0xC2B2AE35U;
        z ^= z >> 16;
    }
    return z;
}

constexpr StreamKey root_key(std::uint32_t seed) { return derive(0x5117C5ULL, seed); }

constexpr StreamKey child_key(StreamKey parent, std::uint64_t child) {
    return derive(parent, kChildPart + child);
}

}  // namespace silvics
