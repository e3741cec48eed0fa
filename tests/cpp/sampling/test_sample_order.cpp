#include <algorithm>

#include "doctest/doctest.h"
#include "sampling/sample_order.hpp"
#include "support/problem.hpp"

namespace silvics {
namespace {

// What criteria keep of a sample.
enum class Kept { rows, words, value, values, labels };
constexpr Kept kAllKept[] = {Kept::rows, Kept::words, Kept::value, Kept::values, Kept::labels};

// Samples whose attributes follow from their rows.
SampleOrder order_of(const std::vector<RowId>& rows, Kept kept) {
    SampleOrder order;
    order.rows = rows;
    if (kept == Kept::rows) return order;
    for (const RowId row : rows) {
        if (kept == Kept::words)
            order.packed.push_back(std::uint64_t{row} << 32 | 7);
        else
            order.weights.push_back(row % 2 == 0 ? row + 0.5 : -1.0 / row);
    }
    for (std::size_t output = 0; output < (kept == Kept::value ? 1 : 3); ++output)
        for (const RowId row : rows) {
            if (kept == Kept::value || kept == Kept::values)
                order.values.push_back((row % 3 - 1.0) * row - 0.25 * static_cast<double>(output));
            if (kept == Kept::labels)
                order.labels.push_back(3 * row + static_cast<ClassId>(output));
        }
    return order;
}

bool same_orders(const SampleOrder& a, const SampleOrder& b) {
    return a.rows == b.rows && a.weights == b.weights && a.labels == b.labels &&
           a.values == b.values && a.packed == b.packed && a.estimates == b.estimates;
}

// Rows that differ in every byte.
std::vector<RowId> random_order(test::Rng& rng, std::size_t n) {
    std::vector<RowId> rows(n);
    for (RowId& row : rows) row = static_cast<RowId>(rng());
    return rows;
}

std::vector<std::pair<int, Kept>> all_kinds() {
    std::vector<std::pair<int, Kept>> kinds;
    for (int kind = 0; kind < 4; ++kind)
        for (const Kept kept : kAllKept) kinds.emplace_back(kind, kept);
    return kinds;
}

TEST_CASE("a node is split with all that is kept of its samples, the others stay") {
    test::Rng rng(17);
    Scratch<std::uint64_t> scratch;
    for (const std::size_t n : {1U, 2U, 3U, 15U, 16U, 17U, 31U, 40U, 500U})
        for (const std::size_t before : {0U, 1U, 30U})
            for (const std::size_t after : {0U, 2U})
                for (const auto& [kind, kept] : all_kinds()) {
                    CAPTURE(n);
                    CAPTURE(before);
                    CAPTURE(kind);
                    const auto rows = random_order(rng, before + n + after);
                    std::vector<std::uint8_t> goes_left(n);
                    for (auto& mark : goes_left)  // some, few, none, all
                        mark = kind == 0   ? static_cast<std::uint8_t>(test::pick(rng, 2))
                               : kind == 1 ? static_cast<std::uint8_t>(test::pick(rng, 9) == 0)
                                           : static_cast<std::uint8_t>(kind == 3);
                    std::vector<RowId> expected(rows.begin(),
                                                rows.begin() + static_cast<std::ptrdiff_t>(before));
                    for (const int side : {1, 0})
                        for (std::size_t i = 0; i < n; ++i)
                            if (goes_left[i] == side) expected.push_back(rows[before + i]);
                    expected.insert(expected.end(),
                                    rows.begin() + static_cast<std::ptrdiff_t>(before + n),
                                    rows.end());
                    SampleOrder order = order_of(rows, kept);
                    order.split(before, goes_left, scratch);
                    CHECK(same_orders(order, order_of(expected, kept)));
                }
}

TEST_CASE("what a criterion did not ask for stays empty") {
    SampleOrder order;
    order.rows = {4, 5, 6};
    order.packed = {40, 50, 60};
    Scratch<std::uint64_t> scratch;
    const std::uint8_t goes_left[] = {0, 1};
    order.split(1, goes_left, scratch);
    order.swap(0, 1);
    CHECK(order.size() == 3);
    CHECK(order.rows == std::vector<RowId>{6, 4, 5});
    CHECK(order.packed == std::vector<std::uint64_t>{60, 40, 50});
    CHECK(order.weights.empty());
    CHECK(order.labels.empty());
    CHECK(order.values.empty());
}

TEST_CASE("two samples change places with all that is kept of them") {
    test::Rng rng(18);
    for (int repeat = 0; repeat < 50; ++repeat) {
        const Kept kept = kAllKept[repeat % 5];
        const std::size_t n = 2 + test::pick(rng, 10);
        const std::size_t a = test::pick(rng, n), b = test::pick(rng, n);
        auto rows = random_order(rng, n);
        SampleOrder order = order_of(rows, kept);
        order.swap(a, b);
        std::swap(rows[a], rows[b]);
        CHECK(same_orders(order, order_of(rows, kept)));
    }
}

TEST_CASE("some samples are copied with all that is kept of them") {
    test::Rng rng(19);
    SampleOrder some = order_of({1, 2, 3}, Kept::labels);  // what was there is gone
    for (int repeat = 0; repeat < 50; ++repeat) {
        const Kept kept = kAllKept[repeat % 5];
        const std::size_t n = 1 + test::pick(rng, 30);
        const auto rows = random_order(rng, n);
        const SampleOrder order = order_of(rows, kept);
        std::vector<std::size_t> places;
        std::vector<RowId> expected;
        for (std::size_t i = 0; i < n; ++i)
            if (test::pick(rng, 2) == 0) {
                places.push_back(i);
                expected.push_back(rows[i]);
            }
        order.copy_some(places, some);
        CHECK(same_orders(some, order_of(expected, kept)));
        CHECK(some.size() == places.size());
        CHECK(same_orders(order, order_of(rows, kept)));
    }
}

TEST_CASE("a range of samples is copied with all that is kept of them") {
    test::Rng rng(21);
    SampleOrder some = order_of({1, 2, 3}, Kept::words);  // is replaced
    for (const Kept kept : kAllKept) {
        const std::vector<RowId> rows = random_order(rng, 20);
        const SampleOrder order = order_of(rows, kept);
        for (const auto& [begin, n] : {std::pair{0U, 20U}, {3U, 9U}, {19U, 1U}}) {
            order.copy_range(begin, n, some);
            const auto first = rows.begin() + begin;
            CHECK(same_orders(some, order_of({first, first + n}, kept)));
        }
    }
}

// The same with roles.
SampleOrder honest_order(const std::vector<RowId>& rows, Kept kept) {
    SampleOrder order = order_of(rows, kept);
    for (const RowId row : rows) order.estimates.push_back(row % 5 < 2);
    return order;
}

std::vector<RowId> joined(std::vector<RowId> a, const std::vector<RowId>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

TEST_CASE("a node is parted by children, each in the order it had, the others stay") {
    test::Rng rng(20);
    for (int repeat = 0; repeat < 200; ++repeat) {
        const Kept kept = kAllKept[repeat % 5];
        const std::size_t before = test::pick(rng, 5), n = test::pick(rng, 30),
                          after = test::pick(rng, 5), n_children = 1 + test::pick(rng, 5);
        const auto rows = random_order(rng, before + n + after);
        std::vector<std::uint32_t> child_of(n);
        std::vector<std::size_t> sizes(n_children, 0);  // some without samples
        for (auto& child : child_of)
            ++sizes[child = static_cast<std::uint32_t>(test::pick(rng, n_children))];
        std::vector<RowId> expected(rows.begin(),
                                    rows.begin() + static_cast<std::ptrdiff_t>(before));
        for (std::uint32_t k = 0; k < n_children; ++k)
            for (std::size_t i = 0; i < n; ++i)
                if (child_of[i] == k) expected.push_back(rows[before + i]);
        expected.insert(expected.end(), rows.begin() + static_cast<std::ptrdiff_t>(before + n),
                        rows.end());
        SampleOrder order = honest_order(rows, kept);
        order.partition(before, child_of, sizes);
        CHECK(same_orders(order, honest_order(expected, kept)));
    }
}

TEST_CASE("copies stand at the end of every output, with their share of the weight") {
    test::Rng rng(21);
    for (int repeat = 0; repeat < 100; ++repeat) {
        const Kept kept = repeat % 2 == 0 ? Kept::labels : Kept::values;
        const auto rows = random_order(rng, 1 + test::pick(rng, 20));
        std::vector<std::size_t> places;
        std::vector<double> factors;
        std::vector<RowId> copied;
        for (std::size_t i = test::pick(rng, 20); i > 0; --i) {
            places.push_back(test::pick(rng, rows.size()));
            factors.push_back(test::pick(rng, 2) == 0 ? 0.5 : 1.0);
            copied.push_back(rows[places.back()]);
        }
        SampleOrder order = honest_order(rows, kept);
        SampleOrder expected = honest_order(joined(rows, copied), kept);
        for (std::size_t i = 0; i < places.size(); ++i)
            expected.weights[rows.size() + i] *= factors[i];
        order.append(places, factors);
        CHECK(same_orders(order, expected));
    }
}

TEST_CASE("two orders are joined output by output, either of them empty or not") {
    test::Rng rng(22);
    for (int repeat = 0; repeat < 200; ++repeat) {
        const Kept kept = kAllKept[repeat % 5];
        const auto a = random_order(rng, test::pick(rng, 6)),
                   b = random_order(rng, test::pick(rng, 6));
        SampleOrder order = honest_order(a, kept);
        order.join(honest_order(b, kept));
        CAPTURE(a.size());
        CAPTURE(b.size());
        CHECK(same_orders(order, honest_order(joined(a, b), kept)));
    }
}

TEST_CASE("a shorter order has the first samples of every output") {
    test::Rng rng(23);
    for (int repeat = 0; repeat < 200; ++repeat) {
        const Kept kept = kAllKept[repeat % 5];
        auto rows = random_order(rng, 1 + test::pick(rng, 12));
        const std::size_t n = test::pick(rng, rows.size() + 3);
        SampleOrder order = honest_order(rows, kept);
        order.shorten(n);
        rows.resize(std::min(n, rows.size()));
        CHECK(same_orders(order, honest_order(rows, kept)));
    }
}

}  // namespace
}  // namespace silvics
