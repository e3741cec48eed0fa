#include <string_view>
#include <vector>

#include "base/kernels.hpp"
#include "doctest/doctest.h"
#include "sampling/count_products.hpp"

namespace silvics {
namespace {

TEST_CASE("products of counts are those of plain sums, or are refused") {
    const bool able = std::string_view(kernels().name) == "avx2";
    // Numbers of trees and of rows that are no multiples, more rows than a part has, and counts up
    // to the largest whose products fit.
    for (const std::size_t n_trees : {1U, 2U, 7U, 12U})
        for (const std::size_t n_rows : {0U, 5U, 1000U, 150001U})
            for (const std::size_t largest : {1U, 11U, 127U, 128U}) {
                std::vector<std::uint8_t> counts(n_trees * n_rows);
                for (std::size_t i = 0; i < counts.size(); ++i)
                    counts[i] = static_cast<std::uint8_t>(i % 3 == 0 ? largest : i * 7 % largest);
                std::vector<double> expected(n_trees * n_trees, 2.0);
                for (std::size_t a = 0; a < n_trees; ++a)
                    for (std::size_t b = 0; b < n_trees; ++b) {
                        std::uint64_t sum = 0;
                        for (std::size_t i = 0; i < n_rows; ++i)
                            sum += std::uint64_t{counts[a * n_rows + i]} * counts[b * n_rows + i];
                        expected[a * n_trees + b] += static_cast<double>(sum);
                    }
                for (const std::size_t threads : {1U, 3U}) {
                    ThreadTeam team(threads, nullptr);
                    std::vector<double> sums(n_trees * n_trees, 2.0);
                    const bool added = add_count_products(counts, n_trees, sums, team);
                    CHECK(added == (able && (largest < 128 || n_rows == 0)));
                    if (added)
                        CHECK(sums == expected);
                    else
                        CHECK(sums == std::vector<double>(n_trees * n_trees, 2.0));
                }
            }
}

}  // namespace
}  // namespace silvics
