#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "data/sorted_values.hpp"
#include "doctest/doctest.h"
#include "support/problem.hpp"

namespace silvics {
namespace {

using test::pick;
using test::Rng;

// Against a stable sort of the rows by value.
void check_sorted(const std::vector<double>& values) {
    std::vector<RowId> rows;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!std::isnan(values[i])) rows.push_back(static_cast<RowId>(i));
    std::ranges::stable_sort(rows, {}, [&](RowId row) { return values[row]; });
    const SortedValues sorted(values, test::kNeverStop);
    REQUIRE(sorted.size() == rows.size());
    std::size_t n_distinct = 0;
    bool right = true;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const bool another = i == 0 || values[rows[i]] != values[rows[i - 1]];
        n_distinct += another;
        right &= sorted.row(i) == rows[i] && sorted.another(i) == another;
    }
    CHECK(right);
    CHECK(sorted.n_distinct() == n_distinct);
}

TEST_CASE("numbers of single and of double precision are sorted, whatever their sizes") {
    Rng rng(71);
    const double tiny = std::numeric_limits<double>::denorm_min();
    const double large = std::numeric_limits<double>::max();
    const double large_float = std::numeric_limits<float>::max();
    for (const std::size_t n : {0, 1, 2, 31, 32, 100, 2047, 2048, 5000})
        for (int kind = 0; kind < 7; ++kind) {
            CAPTURE(n);
            CAPTURE(kind);
            std::vector<double> values(n);
            for (std::size_t i = 0; i < n; ++i) {
                const double v = test::pick_real(rng, -5.0, 5.0);
                const double ends[] = {0.0,   -0.0,   tiny,        -tiny,        1e-45, -1e-45,
                                       large, -large, large_float, -large_float, 3e38,  v};
                const double parts[] = {static_cast<double>(static_cast<float>(v)),
                                        v,
                                        std::round(v),
                                        ends[pick(rng, 12)],
                                        1.0 + static_cast<double>(pick(rng, 5)) * 0x1.0p-50,
                                        i + 1 == n ? v : static_cast<double>(pick(rng, 50)),
                                        pick(rng, 3) == 0 ? std::nan("") : std::round(10 * v)};
                values[i] = parts[kind];
            }
            check_sorted(values);
        }
}

TEST_CASE("nothing but missing values is nothing") {
    check_sorted(std::vector<double>(40, std::nan("")));
}

}  // namespace
}  // namespace silvics
