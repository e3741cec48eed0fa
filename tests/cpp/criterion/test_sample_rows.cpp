#include "criterion/sample_rows.hpp"
#include "doctest/doctest.h"

namespace silvics {
namespace {

TEST_CASE("rows add up alike at widths known to the compiler and at others") {
    for (std::size_t width = 1; width <= 6; ++width) {
        CAPTURE(width);
        std::vector<double> first(width), second(width), strided(3 * width);
        for (std::size_t k = 0; k < width; ++k) {
            first[k] = 1.5 + static_cast<double>(k);
            second[k] = 10.0 * static_cast<double>(k);
            strided[3 * k] = -static_cast<double>(k);
        }
        with_width(width, [&](auto constant) {
            REQUIRE(static_cast<std::size_t>(constant) == width);
            RowOf sum(constant);
            for (std::size_t k = 0; k < width; ++k) CHECK(sum[k] == 0.0);
            sum.add(first.data());
            sum.add_if(0.0, second.data());
            for (std::size_t k = 0; k < width; ++k) CHECK(sum.data()[k] == first[k]);
            sum.add_if(1.0, second.data());
            for (std::size_t k = 0; k < width; ++k) CHECK(sum[k] == first[k] + second[k]);
            sum.set(second.data());
            for (std::size_t k = 0; k < width; ++k) CHECK(sum[k] == second[k]);
            sum.set_from(strided.data(), 3);
            for (std::size_t k = 0; k < width; ++k) CHECK(sum[k] == strided[3 * k]);
        });
    }
}

}  // namespace
}  // namespace silvics
