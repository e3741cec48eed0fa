#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "data/rank_code.hpp"
#include "doctest/doctest.h"
#include "support/problem.hpp"
#include "support/sparse.hpp"

namespace silvics {
namespace {

using Kind = Column::Kind;
using test::Rng;
using Widths = BinRule::Widths;
using Limits = std::numeric_limits<double>;

CodedColumn ranked(const std::vector<double>& values) {
    const StopFlag stop;
    return rank_code(values, {}, {}, stop);
}

// What codes are, whatever way they were found.
void check_codes(const std::vector<double>& values) {
    const auto [column, codes] = ranked(values);
    const std::set<double> set(values.begin(), values.end());
    const std::vector<double> distinct(set.begin(), set.end());
    const std::size_t n = distinct.size();
    CHECK(column.n_codes == std::min(n, kMaxCodes));
    CHECK(column.kind == (n <= kMaxCodes ? Kind::one_value : Kind::several_values));
    // Codes of the distinct values: in order, none left out, all as good as equally full.
    bool one_code = true;
    std::vector<Code> code_of(n, ~Code{0});
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto rank = std::ranges::lower_bound(distinct, values[i]) - distinct.begin();
        Code& code = code_of[static_cast<std::size_t>(rank)];
        one_code &= code == ~Code{0} || code == test::code_at(codes, i);
        code = test::code_at(codes, i);
    }
    CHECK(one_code);
    CHECK(code_of.front() == 0);
    CHECK(code_of.back() + std::size_t{1} == column.n_codes);
    bool in_order = true;
    std::vector<std::size_t> values_of_code(column.n_codes, 0);
    for (std::size_t rank = 0; rank < n; ++rank) {
        in_order &= rank == 0 || code_of[rank] - code_of[rank - 1] <= 1;
        ++values_of_code.at(code_of[rank]);
    }
    CHECK(in_order);
    const auto [fewest, most] = std::ranges::minmax(values_of_code);
    CHECK(fewest >= n / column.n_codes);
    CHECK(most <= (n + column.n_codes - 1) / column.n_codes);
    // Knots: the smallest value of each run of codes.
    REQUIRE(column.code_values.size() == ((column.n_codes - 1) >> column.code_value_shift) + 1);
    CHECK(column.code_values.size() <= 1024);
    bool least = true;
    for (std::size_t rank = 0; rank < n; ++rank) {
        const Code run = code_of[rank] >> column.code_value_shift;
        if (rank == 0 || code_of[rank - 1] >> column.code_value_shift != run)
            least &= column.code_values[run] == distinct[rank];
    }
    CHECK(least);
}

TEST_CASE("codes keep the order of the values, by comparison below 512 rows and by digits above") {
    test::Rng rng(2);
    std::function<double()> draw;
    SUBCASE("of any magnitude") {
        draw = [&] {
            const int exponent = static_cast<int>(test::pick(rng, 2000)) - 1000;
            return std::ldexp(test::pick_real(rng, -1.0, 1.0), exponent);
        };
    }
    SUBCASE("small integers, which are counted") {
        draw = [&] { return static_cast<double>(test::pick(rng, 20)) - 10.0; };
    }
    SUBCASE("integers too far apart to be counted") {
        draw = [&] { return static_cast<double>(test::pick(rng, 4000000000)) - 2e9; };
    }
    SUBCASE("integers of more than 31 bits") {
        draw = [&] { return 1e10 + static_cast<double>(test::pick(rng, 100)); };
    }
    SUBCASE("halves") {
        draw = [&] { return static_cast<double>(test::pick(rng, 1000)) / 2; };
    }
    SUBCASE("single precision") {
        draw = [&] { return static_cast<float>(test::pick_real(rng, -1.0, 1.0)); };
    }
    SUBCASE("adjacent: apart in the lower half of their bits only") {
        draw = [&] { return 1.0 + static_cast<double>(test::pick(rng, 3000)) * 0x1.0p-52; };
    }
    SUBCASE("adjacent and negative, in several runs") {
        draw = [&] {
            const double run = -1.0 - static_cast<double>(test::pick(rng, 5));
            return run - static_cast<double>(test::pick(rng, 300)) * 0x1.0p-50;
        };
    }
    SUBCASE("all equal") {
        draw = [] { return -3.5; };
    }
    for (const std::size_t n : {1U, 2U, 3U, 100U, 511U, 512U, 513U, 1025U, 5000U}) {
        CAPTURE(n);
        std::vector<double> values(n);
        std::ranges::generate(values, draw);
        check_codes(values);
    }
}

TEST_CASE("integers are coded alike at both ends of the range that is counted") {
    test::Rng rng(9);
    for (const double range : {1223.0, 1224.0, 1225.0, 65535.0, 65536.0, 65537.0})
        for (const double low : {-0x1.0p31, -17.0, 0.0, 0x1.0p31 - 65538.0})
            for (const std::size_t n : {100U, 40000U}) {
                CAPTURE(range);
                CAPTURE(low);
                CAPTURE(n);
                std::vector<double> values(n);
                for (double& v : values)
                    v = low + static_cast<double>(test::pick(rng, static_cast<std::size_t>(range)));
                values[n / 2] = low;
                values[n / 3] = low + range;
                check_codes(values);
            }
}

TEST_CASE("extremes and subnormals have their place") {
    const std::vector<double> extremes = {Limits::max(),
                                          Limits::lowest(),
                                          Limits::min(),
                                          -Limits::min(),
                                          Limits::denorm_min(),
                                          -Limits::denorm_min(),
                                          0.0,
                                          1.0,
                                          -1.0};
    SUBCASE("below 512 rows") { check_codes(extremes); }
    SUBCASE("from 512 rows on") {
        std::vector<double> values;
        while (values.size() < 2000) values.insert(values.end(), extremes.begin(), extremes.end());
        check_codes(values);
    }
}

TEST_CASE("minus zero and zero are one value") {
    std::vector<double> values = {-0.0, 0.0, -1.0, 1.0, -0.0};
    SUBCASE("among whole numbers") {}
    SUBCASE("zeros alone") { values = {-0.0, 0.0, -0.0}; }
    SUBCASE("among others") { values.push_back(0.5); }
    SUBCASE("among others, from 512 rows on") {
        values.push_back(0.5);
        for (int doubling = 0; doubling < 8; ++doubling) {
            const std::vector<double> once = values;
            values.insert(values.end(), once.begin(), once.end());
        }
    }
    const auto [column, codes] = ranked(values);
    CHECK(test::code_at(codes, 0) == test::code_at(codes, 1));
    const double knot = column.code_values.at(test::code_at(codes, 0));
    CHECK(knot == 0.0);
    CHECK_FALSE(std::signbit(knot));
    check_codes(values);
}

TEST_CASE("codes take the smallest type that holds them") {
    const auto type_for = [](std::size_t distinct, double step) {
        std::vector<double> values(distinct);
        for (std::size_t i = 0; i < distinct; ++i) values[i] = static_cast<double>(i) * step - 100;
        return ranked(values).codes.index();
    };
    for (const double step : {1.0, 0.5}) {  // counted and sorted
        CHECK(type_for(1, step) == 0);
        CHECK(type_for(256, step) == 0);
        CHECK(type_for(257, step) == 1);
        CHECK(type_for(65536, step) == 1);
        CHECK(type_for(65537, step) == 1);
    }
}

TEST_CASE("where there are more values than codes, neighbours share one") {
    for (const std::size_t n : {65535U, 65536U, 65537U, 70000U, 200000U}) {
        CAPTURE(n);
        std::vector<double> values(n);
        std::iota(values.rbegin(), values.rend(), 0.0);
        check_codes(values);
        for (double& v : values) v = std::sqrt(v);
        check_codes(values);
    }
}

TEST_CASE("a column records where its values are read") {
    const std::vector<double> values = {3.0, 1.5, 2.0};
    const test::Matrix X = test::column_of(values);
    const StopFlag stop;
    const CodedColumn coded = rank_code(X.values, X.view().column(0), {}, stop);
    for (std::size_t i = 0; i < 3; ++i) CHECK(coded.column.values[i] == values[i]);
    CHECK(coded.column.values.data == X.view().data);
}

TEST_CASE("infinity is refused, beside missing values too") {
    for (const double bad : {Limits::infinity(), -Limits::infinity()})
        for (const std::size_t n : {3U, 1000U})
            for (const double others : {1.0, 0.5})
                for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
                    std::vector<double> values(n, others);
                    values[at] = bad;
                    CHECK_THROWS_WITH_AS(ranked(values), kInfinite, std::invalid_argument);
                    values[(at + 1) % n] = Limits::quiet_NaN();
                    CHECK_THROWS_WITH_AS(
                        ranked(values),
                        "Input X contains infinity or a value too large for dtype('float64').",
                        std::invalid_argument);
                }
}

TEST_CASE("a long sort of values feels a stop request") {
    StopFlag stop;
    stop.request();
    for (const std::size_t n : {2U, 1000U}) {
        const std::vector<double> values(n, 1.5);
        CHECK_THROWS_AS(rank_code(values, {}, {}, stop), Interrupted);
    }
}

// ---- missing values

// The codes of what is known are those of the column without the missing rows, unless it has so
// many values that one code less makes a difference.
void check_missing(const std::vector<double>& values, const BinRule& rule) {
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
        CHECK(column.code_values.empty());
    } else {
        const auto [plain, plain_codes] = rank_code(known, {}, rule, test::kNeverStop);
        CHECK(plain.plain);
        CHECK_FALSE(plain.has_missing);
        if (plain.n_codes == kMaxCodes) return;
        CHECK(column.n_codes == plain.n_codes);
        CHECK(column.kind == plain.kind);
        CHECK(column.code_values == plain.code_values);
        CHECK(column.code_value_shift == plain.code_value_shift);
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
        check_missing(values, rule);
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
                X = test::with_missing(rng, X, one_in);
                X.values[test::pick(rng, n)] = NAN;
                check_all_rules(X.values);
                for (double& v : X.values) v = std::floor(4.0 * v);  // whole numbers
                check_all_rules(X.values);
            }
}

TEST_CASE("a missing value is found wherever it is, of either sign") {
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
            check_missing(values, {});
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

TEST_CASE("a sort with missing values feels a stop request") {
    StopFlag stop;
    stop.request();
    std::vector<double> values(1000, 1.5);
    values[3] = NAN;
    CHECK_THROWS_AS(rank_code(values, {}, {}, stop), Interrupted);
}

}  // namespace
}  // namespace silvics
