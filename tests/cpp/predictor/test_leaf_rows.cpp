// What leaves predict, as distinct rows: against an ordered map, and for teams of any size.
#include <array>
#include <bit>
#include <limits>
#include <map>
#include <vector>

#include "doctest/doctest.h"
#include "predictor/leaf_rows.hpp"
#include "predictor/made_forests.hpp"

namespace silvics {
namespace {

using test::pick;
using test::Rng;
using Row = std::vector<double>;

std::vector<std::uint64_t> bits_of(const Row& row) {
    std::vector<std::uint64_t> bits;
    for (const double x : row) bits.push_back(std::bit_cast<std::uint64_t>(x));
    return bits;
}

// Few distinct values, among them two zeros and a NaN, so that rows repeat.
Row random_row(Rng& rng, std::size_t width, std::size_t n_values) {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    Row row(width);
    for (double& x : row) {
        const std::size_t k = pick(rng, n_values);
        x = std::array{0.0, -0.0, kNaN, 1.0}[k % 4] + (k < 4 ? 0.0 : static_cast<double>(k));
        if (k == 1) x = -0.0;
    }
    return row;
}

TEST_CASE("equal rows have one number, in the order in which they are first seen") {
    Rng rng(2601);
    for (const std::size_t width : {1, 2, 5})
        for (const std::size_t n_values : {2, 4, 40}) {
            DistinctRows distinct(width);
            std::map<std::vector<std::uint64_t>, std::uint32_t> numbers;
            bool right = true;
            for (int i = 0; i < 2000; ++i) {
                const Row row = random_row(rng, width, n_values);
                const auto next = static_cast<std::uint32_t>(numbers.size());
                const std::uint32_t number = numbers.emplace(bits_of(row), next).first->second;
                right &= distinct.number_of(row) == number;
            }
            CHECK(right);
            REQUIRE(distinct.size() == numbers.size());
            for (const auto& [bits, number] : numbers) {
                const auto row = distinct.row(number);
                right &= bits_of({row.begin(), row.end()}) == bits;
            }
            CHECK(right);
            CHECK(distinct.moved_rows().size() == numbers.size() * width);
        }
}

TEST_CASE("tables merged in their order have the numbers of one table") {
    Rng rng(2602);
    constexpr std::size_t kWidth = 3;
    DistinctRows whole(kWidth), merged(kWidth);
    for (int part = 0; part < 8; ++part) {
        DistinctRows of_part(kWidth);
        for (int i = 0; i < 300; ++i) {
            const Row row = random_row(rng, kWidth, 9);
            whole.number_of(row);
            of_part.number_of(row);
        }
        for (std::size_t i = 0; i < of_part.size(); ++i) merged.number_of(of_part, i);
    }
    REQUIRE(merged.size() == whole.size());
    const Row rows = merged.moved_rows();
    CHECK(bits_of(rows) == bits_of(whole.moved_rows()));
}

TEST_CASE("the rows of leaves, and which leaf has which, do not depend on the team") {
    Rng rng(2603);
    for (const test::Kind& kind : test::all_kinds()) {
        CAPTURE(kind.name);
        const auto trees = kind.forest(rng, 7, test::kAllTrials[0]);
        const TreeBase& first = *trees[0];
        if (first.value_width() == 1 && !first.classification()) continue;  // leaves are numbers
        const std::size_t n_pure = first.n_classes.size() == 1 ? first.n_classes[0] : 0;
        ThreadTeam alone;
        LeafRows expected(trees, n_pure, first.value_width(), alone);
        const Row expected_rows = LeafRows(expected).moved_rows();
        for (const std::size_t n_threads : {2, 3, 16}) {
            ThreadTeam team(n_threads, nullptr);
            LeafRows rows(trees, n_pure, first.value_width(), team);
            CHECK(rows.whole() == expected.whole());
            std::vector<std::uint32_t> contents, others;
            bool right = true;
            for (std::size_t m = 0; m < trees.size(); ++m)
                trees[m]->visit([&](const auto& form) {
                    contents.assign(form.nodes.size(), 0);
                    others.assign(form.nodes.size(), 0);
                    rows.write_contents(m, form, contents);
                    expected.write_contents(m, form, others);
                    right &= contents == others;
                });
            CHECK(right);
            CHECK(bits_of(rows.moved_rows()) == bits_of(expected_rows));
        }
    }
}

}  // namespace
}  // namespace silvics
