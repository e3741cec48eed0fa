// Columns with missing values.
#include <algorithm>
#include <cmath>
#include <limits>

#include "data/rank_code.hpp"
#include "doctest/doctest.h"
#include "support/sparse.hpp"

namespace silvics {
namespace {

using Kind = Column::Kind;
using test::Rng;
using Widths = BinRule::Widths;

// The codes of what is known are those of the column without the missing rows, unless it has so
// many values that one code less makes a difference.
void check_holes(const std::vector<double>& values, const BinRule& rule) {
    CAPTURE(rule.max_bins);
    std::vector<double> known;
    for (const double v : values)
        if (!std::isnan(v)) known.push_back(v);
    REQUIRE(known.size() < values.size());
    const auto [column, codes] = rank_code(values, {}, rule, test::kNeverStop);
    CHECK(column.has_missing);
    CHECK_FALSE(column.plain);
    CHECK(column.n_codes < kMaxCodes);
    if (known.empty()) {
        CHECK(column.n_codes == 0);
        CHECK(column.knots.empty());
    } else {
        const auto [plain, plain_codes] = rank_code(known, {}, rule, test::kNeverStop);
        CHECK(plain.plain);
        CHECK_FALSE(plain.has_missing);
        if (plain.n_codes == kMaxCodes) return;
        CHECK(column.n_codes == plain.n_codes);
        CHECK(column.kind == plain.kind);
        CHECK(column.knots == plain.knots);
        CHECK(column.knot_shift == plain.knot_shift);
        bool right = true;
        std::size_t next = 0;
        for (std::size_t i = 0; i < values.size(); ++i)
            if (!std::isnan(values[i]))
                right &= test::code_at(codes, i) == test::code_at(plain_codes, next++);
        CHECK(right);
    }
    bool missing = true;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (std::isnan(values[i])) missing &= test::code_at(codes, i) == column.n_codes;
    CHECK(missing);
    // The smallest type that holds the missing code too.
    CHECK(codes.index() == (column.n_codes + 1 > 256 ? 1 : 0));
}

void check_all_rules(const std::vector<double>& values) {
    for (const BinRule& rule :
         {BinRule{}, BinRule{2, Widths::equal_frequency}, BinRule{9, Widths::equal_frequency},
          BinRule{9, Widths::equal_width}})
        check_holes(values, rule);
}

TEST_CASE("what is known has the codes of the column without the missing rows") {
    Rng rng(220);
    for (const std::size_t n : {2U, 3U, 31U, 32U, 100U, 513U, 2047U, 2100U, 5000U})
        for (const std::size_t one_in : {1U, 2U, 20U})
            for (const std::size_t levels : {0U, 7U, 255U, 256U}) {
                CAPTURE(n);
                CAPTURE(one_in);
                CAPTURE(levels);
                auto X = test::random_matrix(rng, n, 1, levels);
                X = test::with_holes(rng, X, one_in);
                X.values[test::pick(rng, n)] = NAN;
                check_all_rules(X.values);
                for (double& v : X.values) v = std::floor(4.0 * v);  // whole numbers
                check_all_rules(X.values);
            }
}

TEST_CASE("a hole is found wherever it is, of either sign") {
    for (const std::size_t n : {5U, 300U, 3000U})
        for (const double nan : {static_cast<double>(NAN), -static_cast<double>(NAN)})
            for (const std::size_t at : {std::size_t{0}, n / 2, n - 1})
                for (const double step : {1.0, 0.25}) {
                    std::vector<double> values(n);
                    for (std::size_t i = 0; i < n; ++i)
                        values[i] = step * static_cast<double>((i * 37) % 101) - 10.0;
                    values[at] = nan;
                    check_all_rules(values);
                }
}

TEST_CASE("a column that is missing altogether has no codes but that one") {
    for (const std::size_t n : {1U, 10U, 2000U}) {
        const std::vector<double> values(n, NAN);
        check_all_rules(values);
        const CodedColumn coded = rank_code(values, {}, {}, test::kNeverStop);
        CHECK(coded.column.kind == Kind::one_value);
        CHECK(test::code_at(coded.codes, n / 2) == 0);
    }
}

TEST_CASE("the missing code has its place above 255 and 65535 others") {
    for (const std::size_t distinct :
         {254U, 255U, 256U, 257U, 65534U, 65535U, 65536U, 65537U, 70000U, 200000U})
        for (const double step : {1.0, 0.5}) {
            CAPTURE(distinct);
            std::vector<double> values(distinct + 3);
            for (std::size_t i = 0; i < distinct; ++i)
                values[i] = step * static_cast<double>((i * 7919) % distinct);
            for (std::size_t i = distinct; i < values.size(); ++i) values[i] = NAN;
            std::swap(values[1], values[distinct]);
            check_holes(values, {});
            const auto [column, codes] = rank_code(values, {}, {}, test::kNeverStop);
            CHECK(column.n_codes == std::min(distinct, kMaxCodes - 1));
            CHECK(column.kind == (distinct >= kMaxCodes ? Kind::several_values : Kind::one_value));
            CHECK(test::code_at(codes, 1) == column.n_codes);
            // In order, each as full as the others.
            std::vector<std::size_t> order;
            for (std::size_t i = 0; i < values.size(); ++i)
                if (!std::isnan(values[i])) order.push_back(i);
            std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
            std::vector<std::size_t> full(column.n_codes, 0);
            bool right = true;
            for (std::size_t k = 0; k < order.size(); ++k) {
                const Code code = test::code_at(codes, order[k]);
                const Code before = k == 0 ? 0 : test::code_at(codes, order[k - 1]);
                right &= code == before || code == before + 1;
                ++full.at(code);
            }
            CHECK(right);
            const auto [fewest, most] = std::ranges::minmax(full);
            CHECK(fewest >= distinct / column.n_codes);
            CHECK(most <= (distinct + column.n_codes - 1) / column.n_codes);
        }
}

TEST_CASE("as many bins as there are codes leave one for what is missing") {
    std::vector<double> values(80000);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i) / 4;
    values[500] = NAN;
    for (const Widths widths : {Widths::equal_frequency, Widths::equal_width}) {
        const auto [column, codes] = rank_code(values, {}, {65536, widths}, test::kNeverStop);
        CHECK(column.kind == Kind::bin);
        CHECK(column.n_codes <= kMaxCodes - 1);
        CHECK(test::code_at(codes, 500) == column.n_codes);
        CHECK(test::code_at(codes, 79999) == column.n_codes - 1);
        CHECK(test::code_at(codes, 0) == 0);
    }
}

TEST_CASE("a sort with holes feels a stop request") {
    StopFlag stop;
    stop.request();
    std::vector<double> values(1000, 1.5);
    values[3] = NAN;
    CHECK_THROWS_AS(rank_code(values, {}, {}, stop), Interrupted);
}

TEST_CASE("a table has columns with holes beside columns without") {
    Rng rng(221);
    for (const std::size_t rows : {40U, 1500U}) {
        test::Matrix X = test::random_matrix(rng, rows, 6);
        for (std::size_t i = 0; i < rows; ++i) {
            for (const std::size_t j : {1U, 4U}) X.values[i * 6 + j] = static_cast<double>(i % 5);
            for (const std::size_t j : {0U, 4U, 5U})
                if (test::pick(rng, 6) == 0) X.values[i * 6 + j] = NAN;
        }
        for (const bool of_values : {false, true})
            for (const std::size_t size : {1U, 3U}) {
                ThreadTeam team(size, nullptr);
                const Table table =
                    of_values ? table_of_values(X.view(), team) : code_table(X.view(), {}, team);
                bool right = true;
                for (std::size_t j = 0; j < 6; ++j) {
                    const Column& column = table.columns[j];
                    CHECK(column.has_missing == (j == 0 || j >= 4));
                    CHECK(column.plain == !column.has_missing);
                    CHECK_FALSE(column.sparse);
                    for (std::size_t i = 0; i < rows; ++i) {
                        const double x = X.row(i)[j];
                        right &= std::isnan(x) ? std::isnan(column.value(i)) : column.value(i) == x;
                        if (column.codes.data == nullptr) continue;
                        right &= (column.codes[i] == column.n_codes) == std::isnan(x);
                        for (const std::size_t k : {i / 2, i / 3})
                            if (X.row(k)[j] < x) right &= column.codes[k] < column.codes[i];
                    }
                }
                CHECK(right);
            }
    }
}

}  // namespace
}  // namespace silvics
