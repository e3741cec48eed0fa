#include "doctest/doctest.h"
#include "tree/counts.hpp"

namespace silvics {
namespace {

TEST_CASE("counts take two bytes until one of them needs four") {
    Counts counts;
    CHECK(counts.empty());
    counts.push_back(1);
    counts.push_back(65535);
    CHECK(counts.narrow == std::vector<std::uint16_t>{1, 65535});
    CHECK(counts.wide.empty());
    for (const std::uint32_t count : {65536U, 2U}) counts.push_back(count);
    CHECK(counts.narrow.empty());
    CHECK(counts.wide == std::vector<std::uint32_t>{1, 65535, 65536, 2});
    CHECK(counts.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) CHECK(counts[i] == counts.wide[i]);
}

}  // namespace
}  // namespace silvics
