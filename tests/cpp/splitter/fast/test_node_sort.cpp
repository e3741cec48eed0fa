#include "doctest/doctest.h"
#include "splitter/fast/node_sort.hpp"
#include "splitter/made_column.hpp"

namespace silvics {
namespace {

using test::Kind;
using test::MadeColumn;

// Codes in [low, high], both ends present.
std::vector<std::uint16_t> random_codes(test::Rng& rng, std::size_t n, Code low, Code high) {
    auto codes = test::spread_codes(rng, n, std::size_t{high} - low + 1, 1, low);
    codes.front() = static_cast<std::uint16_t>(high);
    if (n > 1) codes[1] = static_cast<std::uint16_t>(low);
    return codes;
}

// Sorted by value, and cuts marked between different ones. Samples of one code stand in row
// order.
void check_sorted(NodeSort& sort, const MadeColumn& made) {
    const NodeColumn node = made.node();
    const auto order = sort.sort(node, test::kNeverStop);
    const auto cuts = sort.cuts();
    std::vector<Position> expected(node.size());
    std::iota(expected.begin(), expected.end(), Position{0});
    const bool one_value = !node.parts_codes();
    std::ranges::stable_sort(expected, {}, [&](Position i) {
        return one_value ? MadeColumn::least_value(made.codes()[i]) : made.values()[i];
    });
    REQUIRE(order.size() == node.size());
    REQUIRE(cuts.size() == node.size());
    bool right = true;
    for (std::size_t k = 0; k < node.size(); ++k) {
        const Position i = order[k], other = expected[k];
        right &= one_value ? i == other : made.values()[i] == made.values()[other];
        const bool last = k + 1 == node.size();
        const auto differ = [&](Position a, Position b) {
            return one_value ? made.codes()[a] != made.codes()[b]
                             : made.values()[a] != made.values()[b];
        };
        right &= cuts[k] == (!last && differ(other, expected[k + 1]) ? 1 : 0);
    }
    CHECK(right);
    std::vector<Position> all(order.begin(), order.end());
    std::ranges::sort(all);
    std::ranges::sort(expected);
    CHECK(all == expected);
}

TEST_CASE("samples are sorted at every size and over every range of codes") {
    test::Rng rng(60);
    NodeSort sort;  // what a node leaves behind must not matter
    for (const std::size_t n :
         {1U, 2U, 3U, 11U, 12U, 13U, 31U, 32U, 33U, 63U, 64U, 65U, 255U, 256U, 257U, 1000U, 5000U})
        for (const Code range :
             {0U, 1U, 2U, 3U, 24U, 25U, 26U, 127U, 128U, 255U, 1023U, 1024U, 1025U, 32768U, 65535U})
            for (const Code low : {0U, 1U, 7777U}) {
                if (low + range > 65535 || (n == 1 && range > 0)) continue;
                CAPTURE(n);
                CAPTURE(range);
                check_sorted(sort, {rng, random_codes(rng, n, low, low + range), Kind::one_value});
            }
}

TEST_CASE("samples of one code are sorted by value where a code holds several") {
    test::Rng rng(67);
    NodeSort sort;
    for (const std::size_t n : {1U, 2U, 3U, 12U, 13U, 33U, 64U, 65U, 300U, 1000U})
        for (const Code range : {0U, 1U, 5U, 100U, 3000U, 65535U})
            for (const std::size_t per_code : {1U, 2U, 7U, 1000U}) {
                if (n == 1 && range > 0) continue;
                CAPTURE(n);
                CAPTURE(range);
                CAPTURE(per_code);
                check_sorted(sort,
                             {rng, random_codes(rng, n, 0, range), Kind::several_values, per_code});
            }
}

TEST_CASE("samples of one bin are not sorted by value") {
    test::Rng rng(68);
    NodeSort sort;
    for (const std::size_t n : {3U, 40U, 300U})
        check_sorted(sort, {rng, random_codes(rng, n, 5, 9), Kind::bin, 50});
}

TEST_CASE("a long sort feels a stop request") {
    test::Rng rng(61);
    StopFlag stop;
    stop.request();
    const MadeColumn made(rng, random_codes(rng, 1000, 0, 5000), Kind::one_value);
    NodeSort sort;
    CHECK_THROWS_AS(sort.sort(made.node(), stop), Interrupted);
}

}  // namespace
}  // namespace silvics
