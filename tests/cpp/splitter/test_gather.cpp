#include <algorithm>
#include <cmath>

#include "doctest/doctest.h"
#include "splitter/gather.hpp"
#include "support/problem.hpp"

namespace silvics {
namespace {

constexpr double kTop = std::numeric_limits<double>::max();

TEST_CASE("gathered codes are those of the rows, with their range") {
    test::Rng rng(63);
    for (const std::size_t n : {50U, 300U, 70000U}) {  // codes of 8, 16 and 32 bits
        const test::Matrix X = test::random_matrix(rng, n, 1);
        const Table table = test::coded(X);
        const auto rows = test::random_rows(rng, n);
        const StopFlag stop;
        std::vector<Code> codes;
        const CodeRange range =
            gather_codes(table.columns[0], CodeKind::searched, rows, codes, stop);
        REQUIRE(codes.size() == rows.size());
        bool right = true;
        for (std::size_t i = 0; i < rows.size(); ++i)
            right &= codes[i] == test::code_at(test::numeric(table).ranks, rows[i]);
        CHECK(right);
        CHECK(range.low == std::ranges::min(codes));
        CHECK(range.high == std::ranges::max(codes));
        CHECK(range.size() == std::size_t{range.high} - range.low + 1);
        CHECK_FALSE(range.constant());
    }
}

TEST_CASE("a search sees bins where there are any; a random cut sees ranks") {
    test::Rng rng(64);
    const test::Matrix X = test::random_matrix(rng, 100, 1);
    const Table table = test::coded(X, {4, BinRule::Widths::equal_frequency});
    const StopFlag stop;
    const std::vector<RowId> rows = {0, 50, 99};
    std::vector<Code> codes;
    gather_codes(table.columns[0], CodeKind::searched, rows, codes, stop);
    for (std::size_t i = 0; i < 3; ++i)
        CHECK(codes[i] == test::code_at(test::numeric(table).bins, rows[i]));
    gather_codes(table.columns[0], CodeKind::ranks, rows, codes, stop);
    for (std::size_t i = 0; i < 3; ++i)
        CHECK(codes[i] == test::code_at(test::numeric(table).ranks, rows[i]));
}

TEST_CASE("a variable of one value in the node is constant there") {
    const Table table = test::coded(test::column_of({1.0, 2.0, 1.0}));
    const StopFlag stop;
    std::vector<Code> codes;
    CHECK(gather_codes(table.columns[0], CodeKind::ranks, std::vector<RowId>{0, 2}, codes, stop)
              .constant());
    CHECK_FALSE(
        gather_codes(table.columns[0], CodeKind::ranks, std::vector<RowId>{0, 1}, codes, stop)
            .constant());
}

TEST_CASE("the middle of a gap is at or above its lower end and below its upper one") {
    const double tiny = std::numeric_limits<double>::denorm_min();
    const std::pair<double, double> gaps[] = {
        {0.0, 1.0},  {-3.0, -1.0}, {-1.0, 1.0},   {1e300, 1.5e308}, {-kTop, kTop},   {-kTop, 0.0},
        {0.0, tiny}, {-tiny, 0.0}, {-tiny, tiny}, {-0.0, tiny},     {1e16, 1e16 + 2}};
    for (const auto& [a, b] : gaps) {
        const double v = middle_of_gap(a, b);
        CHECK(v >= a);
        CHECK(v < b);
    }
    CHECK(middle_of_gap(0.0, 1.0) == 0.5);
    CHECK(middle_of_gap(-3.0, -1.0) == -2.0);
    CHECK(middle_of_gap(kTop / 2, kTop) == kTop * 0.75);
    CHECK(middle_of_gap(-kTop, kTop) == -kTop);
}

TEST_CASE("between adjacent doubles the lower one is the threshold") {
    for (const double a : {0.0, 1.0, -1.0, 1e-310, 123456.789, -9e15, kTop / 3}) {
        const double b = std::nextafter(a, INFINITY);
        CHECK(middle_of_gap(a, b) == a);
    }
}

TEST_CASE("a cut between ranks lies in the middle of the gap that the node's samples leave") {
    const Table table = test::coded(test::column_of({0.0, 1.0, 2.0, 3.0, 10.0}));
    Split split;
    place_cut(table.columns[0], std::vector<RowId>{0, 1, 4}, 1, 4, split);
    CHECK(split.last_left == 1);
    CHECK(split.threshold == 5.5);
}

TEST_CASE("a cut between bins lies in the middle of the gap of values, not at the bins' edge") {
    // Two bins of four values each; the node has one sample of the first and two of the second.
    const Table table = test::coded(test::column_of({0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0}),
                                    {2, BinRule::Widths::equal_frequency});
    REQUIRE(test::numeric(table).last_ranks == std::vector<Code>{3, 7});
    Split split;
    place_cut(table.columns[0], std::vector<RowId>{1, 6, 7}, 0, 1, split);
    CHECK(split.last_left == 1);
    CHECK(split.threshold == 3.5);
}

TEST_CASE("rows are parted in order on both sides") {
    test::Rng rng(65);
    const test::Matrix X = test::random_matrix(rng, 500, 1, 30);
    const Table table = test::coded(X);
    const StopFlag stop;
    for (const Code last_left : {0U, 7U, 15U, 28U}) {
        Split split;
        split.last_left = last_left;
        auto rows = test::random_rows(rng, 500);
        std::vector<RowId> left, right, scratch;
        for (const RowId row : rows)
            (test::code_at(test::numeric(table).ranks, row) <= last_left ? left : right)
                .push_back(row);
        CHECK(partition_rows(table.columns[0], split, rows, scratch, stop) == left.size());
        left.insert(left.end(), right.begin(), right.end());
        CHECK(rows == left);
    }
}

}  // namespace
}  // namespace silvics
