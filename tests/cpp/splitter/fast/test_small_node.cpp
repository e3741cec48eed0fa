#include <numeric>

#include "doctest/doctest.h"
#include "splitter/fast/small_node.hpp"
#include "support/problem.hpp"

namespace silvics {
namespace {

// A column whose codes of either size stand every `stride` places.
struct FewCodes {
    std::vector<std::uint8_t> bytes;
    std::vector<std::uint16_t> words;
    Column column;

    FewCodes(const std::vector<Code>& of_row, std::size_t stride, bool wide)
        : bytes(of_row.size() * stride, 0), words(of_row.size() * stride, 0) {
        for (std::size_t i = 0; i < of_row.size(); ++i) {
            bytes[i * stride] = static_cast<std::uint8_t>(of_row[i]);
            words[i * stride] = static_cast<std::uint16_t>(of_row[i]);
        }
        column.codes = {wide ? reinterpret_cast<const std::byte*>(words.data())
                             : reinterpret_cast<const std::byte*>(bytes.data()),
                        stride, wide};
    }
};

template <std::size_t N>
void check_few(const SmallNode<N>& few, const std::vector<Code>& codes) {
    std::vector<Position> order(N);
    std::iota(order.begin(), order.end(), Position{0});
    std::ranges::stable_sort(order, {}, [&](Position i) { return codes[i]; });
    bool right = true, differ = true;
    for (std::size_t k = 0; k < N; ++k) {
        right &= few.position(k) == order[k] && few.code(k) == codes[order[k]];
        if (k + 1 == N) continue;
        const Code left = codes[order[k]], next = codes[order[k + 1]];
        differ &= left != next;
        right &= few.cut_after(k) == (left != next);
        const Cut cut = few.cut(k, 2.5);
        right &= cut.score == 2.5 && cut.border == next && cut.below == left && !cut.within;
        right &= cut.at_left == order[k] && cut.at_right == order[k + 1] && cut.middle == 0.0;
    }
    CHECK(right);
    CHECK(few.all_differ() == differ);
    CHECK(few.constant() == (std::ranges::min(codes) == std::ranges::max(codes)));
}

TEST_CASE("few samples are sorted by code, in row order among equals") {
    test::Rng rng(600);
    for (std::size_t n = 2; n <= kMaxSmallNode; ++n)
        for (const std::size_t levels : {1U, 2U, 3U, 8U, 256U, 65536U})
            for (int repeat = 0; repeat < 60; ++repeat) {
                CAPTURE(n);
                CAPTURE(levels);
                std::vector<Code> of_row(30);
                for (Code& code : of_row) code = static_cast<Code>(test::pick(rng, levels));
                std::vector<RowId> rows(n);
                std::vector<Code> codes;
                for (RowId& row : rows) {
                    row = static_cast<RowId>(test::pick(rng, 30));
                    codes.push_back(of_row[row]);
                }
                const bool wide = levels > 256 || test::pick(rng, 2) == 0;
                const FewCodes made(of_row, 1 + test::pick(rng, 3), wide);
                with_constant(n, [&](auto size) {
                    check_few(SmallNode<size>(made.column, rows.data()), codes);
                });
            }
}

TEST_CASE("every order of a few codes is sorted") {
    for (std::size_t n = 2; n <= 6; ++n) {
        std::vector<Code> codes(n);
        std::vector<RowId> rows(n);
        std::iota(rows.begin(), rows.end(), RowId{0});
        const auto all_orders = [&] {
            std::ranges::sort(codes);
            do {
                const FewCodes made(codes, 1, true);
                with_constant(n, [&](auto size) {
                    check_few(SmallNode<size>(made.column, rows.data()), codes);
                });
            } while (std::ranges::next_permutation(codes).found);
        };
        for (std::size_t i = 0; i < n; ++i) codes[i] = static_cast<Code>(65535 - i);
        all_orders();
        for (std::size_t i = 0; i < n; ++i) codes[i] = static_cast<Code>(i / 2);
        all_orders();
    }
}

TEST_CASE("few samples are read by rows where a table has both") {
    FewCodes made({1, 0, 1}, 1, false);
    const std::uint8_t by_rows[] = {5, 9, 9, 9, 3, 9, 9, 9, 4};
    made.column.by_rows = {reinterpret_cast<const std::byte*>(by_rows), 4, false};
    const RowId rows[] = {2, 0, 1};
    check_few(SmallNode<3>(made.column, rows), {4, 5, 3});
}

TEST_CASE("a number is a constant") {
    for (std::size_t n = 2; n <= kMaxSmallNode; ++n)
        CHECK(with_constant(n, [](auto size) { return std::size_t{size}; }) == n);
}

}  // namespace
}  // namespace silvics
