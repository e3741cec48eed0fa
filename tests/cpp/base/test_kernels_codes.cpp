#include "support/kernel_tables.hpp"

namespace silvics {
namespace {

using namespace test;

TEST_CASE("ranks of keys count the keys below") {
    at_every_size(1, [](const Kernels& table, Rng& rng, std::size_t n) {
        const std::size_t padded = (n + 7) / 8 * 8;
        std::vector<std::uint32_t> keys(padded, 0x7FFFFFFF), ranks(padded);
        const std::size_t levels = random_levels(rng) * 30000;  // up to 31 bits
        for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::uint32_t>(pick(rng, levels));
        table.rank_keys(keys.data(), n, padded, ranks.data());
        bool right = true;
        for (std::size_t i = 0; i < n; ++i)
            right &= ranks[i] == std::count_if(keys.begin(),
                                               keys.begin() + static_cast<std::ptrdiff_t>(n),
                                               [&](std::uint32_t key) { return key < keys[i]; });
        CHECK(right);
    });
}

TEST_CASE("codes within a range are found at their positions") {
    at_every_size(9, [](const Kernels& table, Rng& rng, std::size_t n) {
        const std::size_t levels = random_levels(rng);
        const auto codes = random_codes(rng, n, levels);
        const auto check = [&](std::uint32_t low, std::uint32_t width) {
            CAPTURE(low);
            CAPTURE(width);
            std::vector<std::uint32_t> expected, positions(n + 1);
            for (std::size_t i = 0; i < n; ++i)
                if (codes[i] >= low && codes[i] < low + width)
                    expected.push_back(static_cast<std::uint32_t>(i));
            positions.resize(table.find_codes(codes.data(), n, low, width, positions.data()));
            CHECK(positions == expected);
        };
        check(0, 65536);
        check(0, 1);
        check(65535, 1);
        check(codes[pick(rng, n)], 1);
        for (int repeat = 0; repeat < 5; ++repeat) {
            const auto low = static_cast<std::uint32_t>(pick(rng, levels));
            check(low, static_cast<std::uint32_t>(1 + pick(rng, 65536 - low)));
            check(low, 65536 - low);
        }
    });
}

TEST_CASE("codes have a range, and neighbours around a limit") {
    at_every_size(10, [](const Kernels& table, Rng& rng, std::size_t n) {
        auto codes = random_codes(rng, n, random_levels(rng));
        if (pick(rng, 3) == 0) codes[pick(rng, n)] = 0;
        if (pick(rng, 3) == 0) codes[pick(rng, n)] = 65535;
        const auto [least, most] = std::ranges::minmax(codes);
        std::uint16_t low, high;
        table.code_range(codes.data(), n, &low, &high);
        CHECK(low == least);
        CHECK(high == most);
        for (int repeat = 0; repeat < 5; ++repeat) {
            const std::uint16_t limit = codes[pick(rng, n)];
            if (limit == least) continue;
            std::uint16_t below = least, above = most, found_below, found_above;
            for (const std::uint16_t code : codes) {
                if (code < limit) below = std::max(below, code);
                if (code >= limit) above = std::min(above, code);
            }
            table.codes_around(codes.data(), n, limit, &found_below, &found_above);
            CHECK(found_below == below);
            CHECK(found_above == above);
        }
    });
}

TEST_CASE("codes below a limit are marked and counted") {
    at_every_size(11, [](const Kernels& table, Rng& rng, std::size_t n) {
        const auto codes = random_codes(rng, n, random_levels(rng));
        for (const std::uint32_t limit :
             {0U, 1U, std::uint32_t{codes[pick(rng, n)]}, 300U, 65535U, 65536U}) {
            CAPTURE(limit);
            std::vector<std::uint8_t> marks(n, 7), expected(n);
            for (std::size_t i = 0; i < n; ++i) expected[i] = codes[i] < limit ? 1 : 0;
            CHECK(table.mark_below(codes.data(), n, limit, marks.data()) ==
                  static_cast<std::size_t>(std::ranges::count(expected, 1)));
            CHECK(marks == expected);
        }
    });
}

TEST_CASE("marks of either kind are found at their positions") {
    at_every_size(12, [](const Kernels& table, Rng& rng, std::size_t n) {
        const auto marks = random_marks(rng, n);
        std::vector<std::uint8_t> rare(n, 0);
        rare[pick(rng, n)] = 1;
        for (const auto& of : {marks, rare})
            for (const std::uint8_t mark : {std::uint8_t{0}, std::uint8_t{1}}) {
                std::vector<std::uint32_t> expected, positions(n + 1);
                for (std::size_t i = 0; i < n; ++i)
                    if (of[i] == mark) expected.push_back(static_cast<std::uint32_t>(i));
                positions.resize(table.find_marks(of.data(), n, mark, positions.data()));
                CHECK(positions == expected);
            }
    });
}

}  // namespace
}  // namespace silvics
