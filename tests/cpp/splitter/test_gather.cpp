#include <algorithm>
#include <cmath>

#include "doctest/doctest.h"
#include "sampling/sample_order.hpp"
#include "splitter/gather.hpp"
#include "splitter/made_column.hpp"
#include "support/problem.hpp"

namespace silvics {
namespace {

using test::Kind;
using test::MadeColumn;

constexpr double kTop = std::numeric_limits<double>::max();

// A column of a table at a node of some rows.
struct AtNode {
    std::vector<RowId> rows;
    CodeBuffer codes[1];
    NodeColumn node;

    AtNode(const Table& table, std::size_t j, std::vector<RowId> of_node)
        : rows(std::move(of_node)), node(gathered(table, j)) {}

private:
    NodeColumn gathered(const Table& table, std::size_t j) {
        const Column* const columns[] = {&table.columns[j]};
        gather_codes(columns, rows, codes, test::kNeverStop);
        return {test::numeric(table, j), rows, codes[0].data(),
                range_of(codes[0].data(), rows.size())};
    }
};

std::vector<RowId> all_rows(std::size_t n) {
    std::vector<RowId> rows(n);
    std::iota(rows.begin(), rows.end(), RowId{0});
    return rows;
}

TEST_CASE("gathered codes are those of the rows, with their range") {
    test::Rng rng(63);
    for (const std::size_t n : {50U, 300U, 70000U}) {  // one byte, two, and values that share
        const test::Matrix X = test::random_matrix(rng, n, 1);
        const Table table = test::coded(X);
        const AtNode at(table, 0, test::random_rows(rng, n));
        std::vector<Code> expected;
        for (const RowId row : at.rows) expected.push_back(test::numeric(table).codes[row]);
        CHECK(std::equal(expected.begin(), expected.end(), at.node.codes));
        CHECK(at.node.range.low == std::ranges::min(expected));
        CHECK(at.node.range.high == std::ranges::max(expected));
        CHECK(at.node.range.size() == std::size_t{at.node.range.high} - at.node.range.low + 1);
        CHECK_FALSE(at.node.range.constant());
        CHECK(at.node.size() == at.rows.size());
        bool right = true;
        for (std::size_t i = 0; i < at.rows.size(); ++i)
            right &= at.node.value(static_cast<Position>(i)) == X.values[at.rows[i]];
        CHECK(right);
    }
}

TEST_CASE("codes of several variables are gathered together, whatever the layout of the table") {
    test::Rng rng(66);
    for (const std::size_t cols : {5U, 140U})       // narrow, and wide
        for (const std::size_t levels : {0U, 30U})  // codes of two bytes, and of one
            for (const std::size_t n_rows : {2U, 255U, 256U, 257U, 1023U, 1024U, 1500U}) {
                CAPTURE(cols);
                CAPTURE(levels);
                CAPTURE(n_rows);
                const test::Matrix X = test::random_matrix(rng, 2000, cols, levels);
                const Table table = test::coded(X);
                std::vector<RowId> rows = all_rows(2000);
                std::ranges::shuffle(rows, rng);
                rows.resize(n_rows);
                std::ranges::sort(rows);
                const std::size_t drawn[] = {4, 0, 3};
                std::vector<const Column*> columns;
                for (const std::size_t j : drawn) columns.push_back(&table.columns[j]);
                std::vector<CodeBuffer> codes(3);
                gather_codes(columns, rows, codes, test::kNeverStop);
                bool right = true;
                for (std::size_t k = 0; k < 3; ++k)
                    for (std::size_t i = 0; i < n_rows; ++i)
                        right &= codes[k][i] == test::numeric(table, drawn[k]).codes[rows[i]];
                CHECK(right);
            }
}

TEST_CASE("gathering feels a stop request") {
    const Table table = test::coded(test::column_of({1.0, 2.0, 1.0}));
    const Column* const columns[] = {&table.columns[0]};
    CodeBuffer codes[1];
    StopFlag stop;
    stop.request();
    CHECK_THROWS_AS(gather_codes(columns, all_rows(3), codes, stop), Interrupted);
}

TEST_CASE("a variable of one value in the node is constant there") {
    const Table table = test::coded(test::column_of({1.0, 2.0, 1.0}));
    CHECK(AtNode(table, 0, {0, 2}).node.range.constant());
    CHECK_FALSE(AtNode(table, 0, {0, 1}).node.range.constant());
}

TEST_CASE("values of few rows are read from the matrix") {
    test::Rng rng(69);
    const test::Matrix X = test::random_matrix(rng, 50, 3);
    const Table table = test::coded(X);
    const std::vector<RowId> rows = {49, 3, 17, 0};
    double values[4];
    CHECK(read_values(test::numeric(table, 2), std::span(rows), values) == values);
    for (std::size_t i = 0; i < 4; ++i) CHECK(values[i] == X.row(rows[i])[2]);
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

double threshold_at(const NodeColumn& node, Code border) {
    Scratch<Position> places;
    return threshold_of_cut(node, {.border = border}, places);
}

TEST_CASE("a cut between codes lies in the middle of the gap that the node's samples leave") {
    const Table table = test::coded(test::column_of({0.0, 1.0, 2.0, 3.0, 10.0}));
    const AtNode at(table, 0, {0, 1, 4});
    for (const Code border : {2U, 3U, 4U}) CHECK(threshold_at(at.node, border) == 5.5);
    CHECK(threshold_at(at.node, 1) == 0.5);
}

TEST_CASE("the values of a code are read from the samples where codes are many") {
    // 3000 codes: a knot stands for several.
    std::vector<double> x(3000);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i * i);
    const Table table = test::coded(test::column_of(x));
    REQUIRE(test::numeric(table).code_value_shift > 0);
    const AtNode at(table, 0, {5, 1000, 2999});
    CHECK(threshold_at(at.node, 1000) == (25.0 + 1000000.0) / 2);
    CHECK(threshold_at(at.node, 2999) == (1000000.0 + 2999.0 * 2999.0) / 2);
}

TEST_CASE("a cut between bins lies in the middle of the gap of values, not at the bins' edge") {
    // Two bins of four values each; the node has one sample of the first and two of the second.
    const Table table = test::coded(test::column_of({0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0}),
                                    {2, BinRule::Widths::equal_frequency});
    for (RowId row = 0; row < 8; ++row) REQUIRE(test::numeric(table).codes[row] == row / 4);
    const AtNode at(table, 0, {1, 6, 7});
    CHECK(threshold_at(at.node, 1) == 3.5);
    const AtNode several(table, 0, {0, 2, 5, 7});
    CHECK(threshold_at(several.node, 1) == 3.5);
    // Samples next to the cut, as a sort tells them, are not the outermost of their bins.
    Scratch<Position> places;
    CHECK(threshold_of_cut(several.node, {.border = 1, .at_left = 0, .at_right = 3}, places) ==
          3.5);
}

TEST_CASE("a cut within a code lies between the two samples") {
    test::Rng rng(64);
    const MadeColumn made(rng, {7, 7, 7, 9}, Kind::several_values, 1000);
    Scratch<Position> places;
    const Cut cut{.border = 7, .within = true, .at_left = 2, .at_right = 0};
    CHECK(threshold_of_cut(made.node(), cut, places) ==
          middle_of_gap(made.values()[2], made.values()[0]));
}

TEST_CASE("the least and the largest value of a code are those of the node's samples") {
    test::Rng rng(65);
    Scratch<Position> places;
    for (const Kind kind : {Kind::one_value, Kind::several_values, Kind::bin})
        for (int repeat = 0; repeat < 20; ++repeat) {
            const std::size_t n = 1 + test::pick(rng, 80);
            const MadeColumn made(rng, test::spread_codes(rng, n, 4, 11, 200), kind,
                                  kind == Kind::one_value ? 1 : 30);
            for (const std::uint16_t code : made.codes()) {
                double low = INFINITY, high = -INFINITY;
                for (std::size_t i = 0; i < n; ++i)
                    if (made.codes()[i] == code) {
                        low = std::min(low, made.values()[i]);
                        high = std::max(high, made.values()[i]);
                    }
                CHECK(values_of_code(made.node(), code, places) == std::pair(low, high));
            }
        }
}

// A threshold on any kind of column sends a sample left if its value is no larger.
void check_sides(const NodeColumn& node, double threshold) {
    CAPTURE(threshold);
    Scratch<Position> places;
    Scratch<std::uint8_t> goes_left;
    const std::size_t n_left =
        mark_sides(node, sides_of_threshold(node.column, threshold), threshold, goes_left, places);
    std::size_t expected = 0;
    bool right = true;
    for (std::size_t i = 0; i < node.size(); ++i) {
        const bool left = node.value(static_cast<Position>(i)) <= threshold;
        expected += left;
        right &= goes_left[i] == (left ? 1 : 0);
    }
    CHECK(right);
    CHECK(n_left == expected);
}

void check_thresholds(test::Rng& rng, const Table& table, std::size_t j,
                      const std::vector<RowId>& rows) {
    const AtNode at(table, j, rows);
    std::vector<double> values;
    for (std::size_t i = 0; i < rows.size(); ++i)
        values.push_back(at.node.value(static_cast<Position>(i)));
    const auto [low, high] = std::ranges::minmax(values);
    for (int repeat = 0; repeat < 6; ++repeat) {
        const double at_value = values[test::pick(rng, values.size())];
        check_sides(at.node, at_value);
        check_sides(at.node, std::nextafter(at_value, -INFINITY));
        check_sides(at.node, std::nextafter(at_value, INFINITY));
        if (low < high) check_sides(at.node, test::pick_real(rng, low, high));
    }
    check_sides(at.node, low - 1.0);
    check_sides(at.node, high + 1.0);
    check_sides(at.node, -kTop);
    check_sides(at.node, kTop);
}

TEST_CASE("a threshold sends the samples at or below it to the left, in any column") {
    test::Rng rng(62);
    const auto check = [&](const test::Matrix& X, Kind kind, const BinRule& rule = {}) {
        const Table table = test::coded(X, rule);
        REQUIRE(test::numeric(table).kind == kind);
        for (const std::size_t n : {2U, 5U, 16U, 17U, 300U}) {
            CAPTURE(n);
            std::vector<RowId> rows = all_rows(X.rows);
            std::ranges::shuffle(rows, rng);
            rows.resize(std::min(n, X.rows));
            std::ranges::sort(rows);
            check_thresholds(rng, table, 0, rows);
        }
    };
    SUBCASE("few values") { check(test::random_matrix(rng, 400, 1, 6), Kind::one_value); }
    SUBCASE("some values") { check(test::random_matrix(rng, 400, 2), Kind::one_value); }
    SUBCASE("1024 values") { check(test::random_matrix(rng, 1024, 1), Kind::one_value); }
    SUBCASE("1025 values") { check(test::random_matrix(rng, 1025, 1), Kind::one_value); }
    SUBCASE("65536 values") { check(test::random_matrix(rng, 65536, 1), Kind::one_value); }
    SUBCASE("more values than codes") {
        check(test::random_matrix(rng, 70000, 1), Kind::several_values);
    }
    SUBCASE("bins") {
        check(test::random_matrix(rng, 400, 1), Kind::bin, {4, BinRule::Widths::equal_frequency});
        check(test::random_matrix(rng, 400, 1), Kind::bin, {7, BinRule::Widths::equal_width});
    }
    SUBCASE("many bins") {
        check(test::random_matrix(rng, 5000, 1), Kind::bin,
              {2000, BinRule::Widths::equal_frequency});
    }
    SUBCASE("zeros of both signs") {
        check(test::column_of({-0.0, 0.0, 1.0, -1.0, -0.0}), Kind::one_value);
        check(test::column_of({-0.0, 0.0, 0.5, -1.0, -0.0}), Kind::one_value);
    }
}

TEST_CASE("a search sees bins where there are any; a threshold sees values") {
    test::Rng rng(59);
    const test::Matrix X = test::random_matrix(rng, 100, 1);
    const Table table = test::coded(X, {4, BinRule::Widths::equal_frequency});
    const Column& column = test::numeric(table);
    // Two samples of one bin: nothing to search for, but a threshold may part them.
    for (RowId other = 1; other < 100; ++other) {
        if (column.codes[other] != column.codes[0] || X.values[other] == X.values[0]) continue;
        const AtNode at(table, 0, {0, other});
        CHECK(at.node.range.constant());
        CHECK_FALSE(at.node.parts_codes());
        check_sides(at.node, std::min(X.values[0], X.values[other]));
    }
}

TEST_CASE("samples are parted in order on both sides") {
    test::Rng rng(58);
    const test::Matrix X = test::random_matrix(rng, 500, 1, 30);
    const Table table = test::coded(X);
    for (const Code border : {1U, 8U, 16U, 29U}) {
        const AtNode at(table, 0, test::random_rows(rng, 500));
        std::vector<RowId> left, right;
        for (const RowId row : at.rows)
            (test::numeric(table).codes[row] < border ? left : right).push_back(row);
        Scratch<Position> places;
        Scratch<std::uint8_t> goes_left;
        Scratch<std::uint64_t> scratch;
        const Cut cut{.border = border};
        CHECK(mark_sides(at.node, sides_of_cut(cut), threshold_at(at.node, border), goes_left,
                         places) == left.size());
        SampleOrder order;
        order.rows = at.rows;
        order.split(0, {goes_left.data(), at.rows.size()}, scratch);
        left.insert(left.end(), right.begin(), right.end());
        CHECK(order.rows == left);
    }
}

}  // namespace
}  // namespace silvics
