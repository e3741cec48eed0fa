#include <random>
#include <set>
#include <vector>

#include "doctest/doctest.h"
#include "model_file/checksum.hpp"

namespace silvics {
namespace {

using Bytes = std::vector<std::byte>;

Bytes random_bytes(std::size_t n) {
    std::mt19937_64 rng(n);
    Bytes bytes(n);
    for (std::byte& b : bytes) b = static_cast<std::byte>(rng());
    return bytes;
}

std::uint64_t sum_of(std::span<const std::byte> bytes) {
    Checksum checksum;
    checksum.add(bytes);
    return checksum.sum();
}

TEST_CASE("every bit of any length of bytes changes the checksum") {
    for (const std::size_t n : {1U, 7U, 8U, 9U, 63U, 64U, 65U, 127U, 128U, 200U}) {
        Bytes bytes = random_bytes(n);
        std::set<std::uint64_t> sums{sum_of(bytes)};
        for (std::size_t bit = 0; bit < 8 * n; ++bit) {
            bytes[bit / 8] ^= std::byte{1} << static_cast<int>(bit % 8);
            sums.insert(sum_of(bytes));
            bytes[bit / 8] ^= std::byte{1} << static_cast<int>(bit % 8);
        }
        CHECK(sums.size() == 8 * n + 1);
    }
}

TEST_CASE("lengths of zeros have checksums of their own") {
    std::set<std::uint64_t> sums;
    for (std::size_t n = 0; n < 300; ++n) sums.insert(sum_of(Bytes(n)));
    CHECK(sums.size() == 300);
}

TEST_CASE("words that change places change the checksum") {
    Bytes bytes = random_bytes(640);
    const std::uint64_t before = sum_of(bytes);
    for (std::size_t word = 1; word < 80; ++word) {
        Bytes moved = bytes;
        std::swap_ranges(moved.begin(), moved.begin() + 8,
                         moved.begin() + static_cast<std::ptrdiff_t>(8 * word));
        CHECK(sum_of(moved) != before);
    }
}

TEST_CASE("parts of whole lines add up to the whole") {
    const Bytes bytes = random_bytes(1000);
    for (std::size_t head = 0; head < bytes.size(); head += Checksum::kLine) {
        Checksum checksum;
        checksum.add(std::span(bytes).first(head));
        checksum.add(std::span(bytes).subspan(head));
        CHECK(checksum.sum() == sum_of(bytes));
    }
}

TEST_CASE("what was once written is found again: the checksum never changes") {
    Bytes bytes(100);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i);
    CHECK(sum_of(bytes) == 0xB221EF5FB7956886ULL);
    CHECK(sum_of({}) == 0x8813FA1CBC461847ULL);
}

}  // namespace
}  // namespace silvics
