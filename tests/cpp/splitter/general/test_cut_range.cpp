#include <set>

#include "splitter/general/cut_range.hpp"
#include "splitter/general/general_parts.hpp"

namespace silvics {
namespace {

using test::GeneralParts;

TEST_CASE("cuts lie between values of the samples drawn, for every variable") {
    const std::size_t n = 12;
    test::Matrix X{n, 2, {}};
    std::vector<std::int64_t> y;
    for (std::size_t i = 0; i < n; ++i) {
        X.values.insert(X.values.end(), {static_cast<double>(i), static_cast<double>(n - i)});
        y.push_back(static_cast<std::int64_t>(i % 2));
    }
    GeneralParts of(std::move(X), {-1, -1}, y);
    of.rules.range_sample = 3;
    CutRange range(of.parts());
    std::set<std::pair<std::size_t, std::size_t>> ranges;
    for (StreamKey key = 0; key < 200; ++key) {
        range.draw(key, of.subset.rows);
        // The cuts allowed on the first variable are consecutive, and mirror those on the second.
        std::vector<std::size_t> allowed;
        for (std::size_t i = 0; i + 1 < n; ++i) {
            const auto below = static_cast<double>(i);
            const bool holds = range.holds(0, below, below + 1.0);
            CHECK(range.holds(1, static_cast<double>(n) - below - 1.0,
                              static_cast<double>(n) - below) == holds);
            if (holds) allowed.push_back(i);
        }
        REQUIRE(allowed.size() >= 2);  // three samples
        CHECK(allowed.back() - allowed.front() + 1 == allowed.size());
        ranges.emplace(allowed.front(), allowed.back());
    }
    CHECK(ranges.size() > 10);
    const auto some = std::span(of.subset.rows).first(3);
    range.draw(1, some);  // no more samples than are drawn: no bounds
    CHECK(range.holds(0, -100.0, 100.0));
}

}  // namespace
}  // namespace silvics
