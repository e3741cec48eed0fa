#include "doctest/doctest.h"
#include "importance/loss_of_rows.hpp"

namespace silvics {
namespace {

// The change of the loss of a row, by part.
std::vector<double> changes(const LossOfRows& loss, std::size_t row,
                            const std::vector<double>& before, const std::vector<double>& after) {
    std::vector<double> found(loss.n_parts(), 0.0);
    loss.for_parts(row, before, after,
                   [&](std::size_t part, double change) { found[part] += change; });
    return found;
}

TEST_CASE("losses of classes") {
    const std::vector<std::int64_t> y = {0, 1};
    const Target target = class_target(y, 2, {2});
    using Kind = LossOfRows::Kind;
    using Parts = LossOfRows::Parts;
    const LossOfRows error{Kind::error, Parts::none, target};
    CHECK(error.n_parts() == 1);
    CHECK(changes(error, 0, {0.75, 0.25}, {0.25, 0.75}) == std::vector{1.0});
    CHECK(changes(error, 1, {0.75, 0.25}, {0.25, 0.75}) == std::vector{-1.0});
    // The first of equal classes is predicted.
    CHECK(changes(error, 0, {0.75, 0.25}, {0.5, 0.5}) == std::vector{0.0});
    CHECK(changes(error, 1, {0.25, 0.75}, {0.5, 0.5}) == std::vector{1.0});

    const LossOfRows log_loss{Kind::log_loss, Parts::none, target};
    CHECK(changes(log_loss, 0, {1.0, 0.0}, {0.5, 0.5})[0] == doctest::Approx(std::log(2.0)));
    // A probability of zero counts as the precision of a double.
    CHECK(changes(log_loss, 1, {0.0, 1.0}, {1.0, 0.0})[0] ==
          doctest::Approx(-std::log(std::numeric_limits<double>::epsilon())));

    const LossOfRows by_class{Kind::error, Parts::classes, target};
    CHECK(by_class.n_parts() == 2);
    CHECK(changes(by_class, 1, {0.25, 0.75}, {0.75, 0.25}) == std::vector{0.0, 1.0});
}

TEST_CASE("losses of numbers, by output or as their mean") {
    const std::vector<double> y = {1.0, 10.0, 2.0, 20.0};  // rows x outputs
    const Target target = real_target(y, 2, 2, true);
    using Kind = LossOfRows::Kind;
    using Parts = LossOfRows::Parts;
    const LossOfRows squared{Kind::squared_error, Parts::none, target};
    const double first = target.original[0], second = target.original[2];
    const std::vector<double> exact = {first, second}, off = {first + 1.0, second - 3.0};
    CHECK(changes(squared, 0, exact, off)[0] == doctest::Approx(5.0));
    const LossOfRows absolute{Kind::absolute_error, Parts::outputs, target};
    CHECK(absolute.n_parts() == 2);
    const auto parts = changes(absolute, 0, off, exact);
    CHECK(parts[0] == doctest::Approx(-1.0));
    CHECK(parts[1] == doctest::Approx(-3.0));
}

}  // namespace
}  // namespace silvics
