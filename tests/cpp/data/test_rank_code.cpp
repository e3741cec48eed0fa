#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "data/rank_code.hpp"
#include "doctest/doctest.h"
#include "support/problem.hpp"

namespace silvics {
namespace {

using test::column_of;
using Limits = std::numeric_limits<double>;

NumericColumn ranked(const std::vector<double>& values) {
    const StopFlag stop;
    return rank_code(column_of(values).view(), 0, {}, stop);
}

// What ranks are, whatever way they were found.
void check_ranks(const std::vector<double>& values) {
    const NumericColumn column = ranked(values);
    const std::set<double> distinct(values.begin(), values.end());
    CHECK(std::equal(distinct.begin(), distinct.end(), column.values.begin(), column.values.end()));
    bool decoded = true;
    for (std::size_t i = 0; i < values.size(); ++i)
        decoded &= column.values.at(test::code_at(column.ranks, i)) == values[i];
    CHECK(decoded);
    CHECK_FALSE(column.binned());
}

TEST_CASE("ranks keep the order of the values, by comparison below 1024 rows and by digits above") {
    test::Rng rng(2);
    std::function<double()> draw;
    SUBCASE("of any magnitude") {
        draw = [&] {
            const int exponent = static_cast<int>(test::pick(rng, 2000)) - 1000;
            return std::ldexp(test::pick_real(rng, -1.0, 1.0), exponent);
        };
    }
    SUBCASE("small integers") {
        draw = [&] { return static_cast<double>(test::pick(rng, 20)) - 10.0; };
    }
    SUBCASE("single precision") {
        draw = [&] { return static_cast<float>(test::pick_real(rng, -1.0, 1.0)); };
    }
    SUBCASE("adjacent") {
        draw = [&] { return 1.0 + static_cast<double>(test::pick(rng, 3000)) * 0x1.0p-52; };
    }
    SUBCASE("all equal") {
        draw = [] { return -3.5; };
    }
    for (const std::size_t n : {1U, 2U, 3U, 100U, 1023U, 1024U, 1025U, 5000U}) {
        CAPTURE(n);
        std::vector<double> values(n);
        std::ranges::generate(values, draw);
        check_ranks(values);
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
    SUBCASE("below 1024 rows") { check_ranks(extremes); }
    SUBCASE("from 1024 rows on") {
        std::vector<double> values;
        while (values.size() < 2000) values.insert(values.end(), extremes.begin(), extremes.end());
        check_ranks(values);
    }
}

TEST_CASE("minus zero and zero are one value") {
    std::vector<double> values = {-0.0, 0.0, -1.0, 1.0, -0.0};
    SUBCASE("below 1024 rows") {}
    SUBCASE("from 1024 rows on") {
        for (int doubling = 0; doubling < 8; ++doubling) {
            const std::vector<double> once = values;
            values.insert(values.end(), once.begin(), once.end());
        }
    }
    const NumericColumn column = ranked(values);
    CHECK(column.values == std::vector<double>{-1.0, 0.0, 1.0});
    CHECK_FALSE(std::signbit(column.values[1]));
    CHECK(test::code_at(column.ranks, 0) == 1);
    CHECK(test::code_at(column.ranks, 1) == 1);
}

TEST_CASE("codes take the smallest type that holds them") {
    const auto type_for = [](std::size_t distinct) {
        std::vector<double> values(distinct);
        std::iota(values.begin(), values.end(), -100.0);
        return ranked(values).ranks.index();
    };
    CHECK(type_for(1) == 0);
    CHECK(type_for(256) == 0);
    CHECK(type_for(257) == 1);
    CHECK(type_for(65536) == 1);
    CHECK(type_for(65537) == 2);
}

TEST_CASE("the highest ranks of 32 bits are kept") {
    std::vector<double> values(70000);
    std::iota(values.rbegin(), values.rend(), 0.0);
    check_ranks(values);
}

TEST_CASE("NaN and infinity are refused") {
    for (const double bad : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()})
        CHECK_THROWS_WITH_AS(ranked({1.0, bad, 2.0}), "Input X contains NaN or infinity.",
                             std::invalid_argument);
}

TEST_CASE("a column of any scalar type is read at its strides") {
    const std::int16_t values[] = {5, 99, -7, 99, 5, 99, 300, 99};
    const MatrixView X{reinterpret_cast<const std::byte*>(values), 4, 2, 4, 2, Scalar::i16};
    const StopFlag stop;
    CHECK(rank_code(X, 0, {}, stop).values == std::vector<double>{-7.0, 5.0, 300.0});
    CHECK(rank_code(X, 1, {}, stop).values == std::vector<double>{99.0});
}

TEST_CASE("coding feels a stop request") {
    StopFlag stop;
    stop.request();
    CHECK_THROWS_AS(rank_code(column_of({1.0, 2.0}).view(), 0, {}, stop), Interrupted);
}

}  // namespace
}  // namespace silvics
