#include "support/kernel_tables.hpp"

namespace silvics {
namespace {

using namespace test;

TEST_CASE(
    "whole_number_range finds the range of values and whether they are whole numbers of 31 bits") {
    at_every_size(7, [](const Kernels& table, Rng& rng, std::size_t n) {
        std::vector<double> values(n);
        for (double& v : values) v = static_cast<double>(pick(rng, 2000)) - 1000.0;
        values[pick(rng, n)] = -0.0;
        const auto survey = [&] {
            double low, high;
            const bool whole = table.whole_number_range(values.data(), n, &low, &high);
            const auto [least, most] = std::ranges::minmax(values);
            CHECK(low == least);
            CHECK(high == most);
            return whole;
        };
        CHECK(survey());
        for (const double extreme : {0x1.0p31 - 1, -0x1.0p31}) {
            values[pick(rng, n)] = extreme;
            CHECK(survey());
        }
        const auto whole_numbers = values;
        const double tiny = std::numeric_limits<double>::denorm_min();
        for (const double other : {0.5, -1e-9, tiny, 0x1.0p31, -0x1.0p31 - 1, 1e300,
                                   static_cast<double>(INFINITY), -static_cast<double>(INFINITY)}) {
            values = whole_numbers;
            values[pick(rng, n)] = other;
            CAPTURE(other);
            CHECK_FALSE(survey());
        }
        values[pick(rng, n)] = NAN;
        double low, high;
        CHECK_FALSE(table.whole_number_range(values.data(), n, &low, &high));
    });
}

TEST_CASE("offsets are values less the least one") {
    at_every_size(8, [](const Kernels& table, Rng& rng, std::size_t n) {
        const double low = static_cast<double>(pick(rng, 2000000)) - 1000000.0;
        const auto expected = random_codes(rng, n, 65536);
        std::vector<double> values(n);
        for (std::size_t i = 0; i < n; ++i) values[i] = low + expected[i];
        std::vector<std::uint16_t> offsets(n);
        table.offsets(values.data(), n, low, offsets.data());
        CHECK(offsets == expected);
    });
}

TEST_CASE("values have a range") {
    at_every_size(13, [](const Kernels& table, Rng& rng, std::size_t n) {
        const auto values = tied_values(rng, n);
        double low, high;
        table.value_range(values.data(), n, &low, &high);
        CHECK(low == std::ranges::min(values));
        CHECK(high == std::ranges::max(values));
        for (std::size_t at = 0; at < n; at += 1 + n / 40) {  // at any place
            auto spiked = values;
            const double least = low - 3.0, most = high + 3.0;
            spiked[at] = pick(rng, 2) == 0 ? least : most;
            double stored[2];
            table.value_range(spiked.data(), n, &stored[0], &stored[1]);
            CHECK(stored[0] == std::ranges::min(spiked));
            CHECK(stored[1] == std::ranges::max(spiked));
        }
    });
}

TEST_CASE("values are read from any column, with their range") {
    at_every_size(20, [](const Kernels& table, Rng& rng, std::size_t n) {
        const auto check = [&]<class T>(std::vector<T> cells, auto read) {
            const std::size_t n_rows = 1 + pick(rng, 300), stride = 1 + pick(rng, 4);
            cells.resize(n_rows * stride + 1);
            for (auto& cell : cells) cell = static_cast<T>(pick_real(rng, -1e3, 1e3));
            // Cells need not be aligned.
            std::vector<unsigned char> memory(cells.size() * sizeof(T) + 1);
            std::memcpy(memory.data() + 1, cells.data(), cells.size() * sizeof(T));
            std::vector<std::uint32_t> rows(n);
            for (auto& row : rows) row = static_cast<std::uint32_t>(pick(rng, n_rows));
            std::vector<double> values(n), expected(n);
            for (std::size_t i = 0; i < n; ++i) expected[i] = cells[rows[i] * stride];
            double low = 0.0, high = 0.0;
            read(memory.data() + 1, static_cast<std::ptrdiff_t>(stride * sizeof(T)), rows.data(), n,
                 values.data(), &low, &high);
            CHECK(values == expected);
            CHECK(low == *std::ranges::min_element(expected));
            CHECK(high == *std::ranges::max_element(expected));
        };
        check(std::vector<float>{}, table.read_floats);
        check(std::vector<double>{}, table.read_doubles);
    });
}

}  // namespace
}  // namespace silvics
