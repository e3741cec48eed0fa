#include <cmath>
#include <limits>

#include "data/target.hpp"
#include "doctest/doctest.h"

namespace silvics {
namespace {

constexpr double kTop = std::numeric_limits<double>::max();

bool power_of_two(double x) {
    int exponent = 0;
    return std::frexp(x, &exponent) == 0.5;
}

std::vector<double> values_of(const Target& target) {
    std::vector<double> values;
    for (RowId i = 0; i < target.n_rows; ++i) values.push_back(target.value(0, i));
    return values;
}

TEST_CASE("classes are kept output by output") {
    const std::vector<std::int64_t> y = {0, 2, 1, 0, 1, 1};
    const Target target = class_target(y, 3, {2, 3});
    CHECK(target.classification());
    CHECK(target.n_outputs == 2);
    CHECK(target.classes == std::vector<ClassId>{0, 1, 1, 2, 0, 1});
    CHECK(target.value_width() == 5);
}

TEST_CASE("a class number out of range is refused") {
    for (const std::int64_t bad : {std::int64_t{-1}, std::int64_t{2}, std::int64_t{1} << 32,
                                   std::numeric_limits<std::int64_t>::min()})
        CHECK_THROWS_WITH_AS(class_target(std::vector<std::int64_t>{0, bad}, 2, {2}),
                             "a class number of y is out of range", std::invalid_argument);
}

TEST_CASE("y of another length is refused") {
    CHECK_THROWS_AS(class_target(std::vector<std::int64_t>{0, 1, 0}, 2, {2}),
                    std::invalid_argument);
    CHECK_THROWS_AS(class_target(std::vector<std::int64_t>{}, 0, {}), std::invalid_argument);
    CHECK_THROWS_AS(real_target(std::vector<double>{1.0, 2.0, 3.0}, 2, 1, true),
                    std::invalid_argument);
    CHECK_THROWS_AS(real_target(std::vector<double>{}, 0, 1, true), std::invalid_argument);
    CHECK_THROWS_AS(real_target(std::vector<double>{}, 1, 0, true), std::invalid_argument);
}

TEST_CASE("NaN and infinity in y are refused") {
    for (const double bad : {NAN, INFINITY, -INFINITY})
        CHECK_THROWS_WITH_AS(real_target(std::vector<double>{1.0, bad}, 2, 1, true),
                             "Input y contains NaN or infinity.", std::invalid_argument);
}

TEST_CASE("each output is centred at a value of its own and all are scaled by one power of two") {
    const std::vector<double> y = {5.0, -1.0, 1.0, 4.0, 9.0, 0.5};
    const Target target = real_target(y, 3, 2, true);
    CHECK_FALSE(target.classification());
    CHECK(target.value_width() == 2);
    CHECK(std::vector(target.original.begin(), target.original.end()) ==
          std::vector<double>{5.0, 1.0, 9.0, -1.0, 4.0, 0.5});
    CHECK(target.centre == std::vector<double>{5.0, 0.5});
    CHECK(power_of_two(target.scale));
    for (std::size_t k = 0; k < 2; ++k)
        for (std::size_t i = 0; i < 3; ++i)
            CHECK(target.value(k, static_cast<RowId>(i)) ==
                  (target.original[k * 3 + i] - target.centre[k]) * target.scale);
}

TEST_CASE("one output that something holds is not copied, and stays as long as the target") {
    auto y = std::make_shared<std::vector<double>>(std::vector{5.0, 1.0, 9.0, 1.0});
    const std::weak_ptr<std::vector<double>> seen = y;
    const double* const data = y->data();
    auto held = std::make_unique<Target>(real_target(*y, 4, 1, true, {}, y));
    CHECK(held->original.data() == data);
    CHECK(real_target(*y, 4, 1, true).original.data() != data);
    CHECK(real_target(*y, 2, 2, true, {}, y).original.data() != data);  // in another order
    y.reset();
    const Target another = *held;
    held.reset();
    REQUIRE_FALSE(seen.expired());
    CHECK(another.original[2] == 9.0);
    CHECK(another.centre == std::vector<double>{5.0});
}

TEST_CASE("the centre is the median of the distinct values, so that repeated rows change nothing") {
    const std::vector<double> y = {5.0, 1.0, 9.0, 1.0, 1.0, 1.0};
    CHECK(real_target(y, 6, 1, true).centre == std::vector<double>{5.0});
}

TEST_CASE("rows of weight zero do not influence centre and scale") {
    const std::vector<double> y = {5.0, 1e9, 7.0, 8.0, -1e12}, weights = {1.0, 0.0, 0.5, 2.0, 0.0};
    const Target target = real_target(y, 5, 1, true, weights);
    const Target alone = real_target(std::vector<double>{5.0, 7.0, 8.0}, 3, 1, true);
    CHECK(target.centre == alone.centre);
    CHECK(target.scale == alone.scale);
    CHECK(target.value(0, 2) == alone.value(0, 1));
    CHECK_THROWS_AS(real_target(y, 5, 1, true, std::span(weights).first(4)), std::invalid_argument);
    CHECK_NOTHROW(real_target(y, 5, 1, true, std::vector<double>(5, 0.0)));
}

TEST_CASE("what was scaled is unscaled, over the whole range of doubles") {
    for (const std::vector<double>& y :
         {std::vector<double>{kTop, -kTop, 0.0}, {3.0, 4.5, -100.0}, {1e-310, 0.0, 3e-310}}) {
        const Target target = real_target(y, 3, 1, true);
        for (RowId i = 0; i < 3; ++i) CHECK(target.unscaled(0, target.value(0, i)) == y[i]);
    }
}

TEST_CASE("a shift of y does not change the centred values") {
    const std::vector<double> y = {3.0, -2.0, 7.25, 0.5, 3.0};
    const Target near = real_target(y, 5, 1, true);
    std::vector<double> far = y;
    for (double& v : far) v += 1e9;
    CHECK(values_of(real_target(far, 5, 1, true)) == values_of(near));
}

TEST_CASE("a change of unit by a power of two does not change the scaled values") {
    const std::vector<double> y = {3.0, -2.0, 7.25, 0.5, 3.0};
    for (const int exponent : {-990, -30, 1, 1000}) {
        std::vector<double> other = y;
        for (double& v : other) v = std::ldexp(v, exponent);
        CHECK(values_of(real_target(other, 5, 1, true)) == values_of(real_target(y, 5, 1, true)));
    }
}

TEST_CASE("values stay small over the whole range of doubles, so that sums of squares are finite") {
    for (const bool centred : {true, false})
        for (const std::vector<double>& y : {std::vector<double>{kTop, -kTop, 0.0},
                                             {kTop, -kTop, -kTop},
                                             {-kTop, kTop, kTop},
                                             {1e-310, 0.0, 3e-310},
                                             {0.0, 0.0, 0.0},
                                             {5e-324, 0.0, 0.0},
                                             {1e300, 1.0, -1.0}}) {
            const Target target = real_target(y, 3, 1, centred);
            CHECK(power_of_two(target.scale));
            for (const double v : values_of(target)) {
                CHECK(std::isfinite(v));
                CHECK(std::fabs(v) <= 8.0);
            }
        }
}

TEST_CASE("without centring, signs and zeros stay") {
    const Target target = real_target(std::vector<double>{0.0, 3.0, 100.0}, 3, 1, false);
    CHECK(target.centre == std::vector<double>{0.0});
    CHECK(target.value(0, 0) == 0.0);
    CHECK(target.value(0, 1) == 3.0 * target.scale);
}

}  // namespace
}  // namespace silvics
