#include "support/kernel_tables.hpp"

namespace silvics {
namespace {

using namespace test;

TEST_CASE("codes are gathered and added up in bins as one by one") {
    at_every_size(18, [](const Kernels& table, Rng& rng, std::size_t n) {
        const std::size_t stride = 1 + pick(rng, 5), n_rows = 1 + pick(rng, 500);
        std::vector<std::uint8_t> bytes(n_rows * stride);
        for (auto& byte : bytes) byte = static_cast<std::uint8_t>(pick(rng, 256));
        const auto wide = random_codes(rng, n_rows * stride, 65536);
        std::vector<std::uint32_t> rows(n);
        for (auto& row : rows) row = static_cast<std::uint32_t>(pick(rng, n_rows));
        std::vector<std::uint16_t> gathered(n), expected(n);
        table.gather_bytes(bytes.data(), stride, rows.data(), n, gathered.data());
        for (std::size_t i = 0; i < n; ++i) expected[i] = bytes[rows[i] * stride];
        CHECK(gathered == expected);
        table.gather_words(wide.data(), stride, rows.data(), n, gathered.data());
        for (std::size_t i = 0; i < n; ++i) expected[i] = wide[rows[i] * stride];
        CHECK(gathered == expected);

        const std::uint32_t low = *std::ranges::min_element(gathered);
        const int shift = static_cast<int>(pick(rng, 5));
        const std::size_t n_bins = ((*std::ranges::max_element(gathered) - low) >> shift) + 1;
        std::vector<std::uint64_t> words(n), of(n_bins, 0);
        for (auto& word : words) {
            word = pick(rng, 1000) << 32;
            word |= pick(rng, 1000);
        }
        std::vector<double> fours(4 * n), of_fours(4 * n_bins, 0.0);
        for (auto& v : fours) v = static_cast<double>(pick(rng, 1000));  // exact in any order
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t b = (gathered[i] - low) >> shift;
            of[b] += words[i];
            for (std::size_t k = 0; k < 4; ++k) of_fours[4 * b + k] += fours[4 * i + k];
        }
        for (const std::size_t apart : {std::size_t{0}, n_bins}) {
            std::vector<std::uint64_t> bins(4 * n_bins, 0);
            std::vector<double> sums(16 * n_bins, 0.0);
            table.add_words_to_bins(gathered.data(), n, low, shift, words.data(), bins.data(),
                                    apart);
            table.add_moments_to_bins(gathered.data(), n, low, shift, fours.data(), sums.data(),
                                      apart);
            for (std::size_t at = n_bins; at < 4 * n_bins; ++at) bins[at % n_bins] += bins[at];
            for (std::size_t at = 4 * n_bins; at < 16 * n_bins; ++at)
                sums[at % (4 * n_bins)] += sums[at];
            bins.resize(n_bins);
            sums.resize(4 * n_bins);
            CHECK(bins == of);
            CHECK(sums == of_fours);
        }
    });
}

TEST_CASE("running sums of words are split into halves, up to the last number of 32 bits") {
    at_every_size(19, [](const Kernels& table, Rng& rng, std::size_t n) {
        std::vector<std::uint64_t> words(n), running(n);
        const std::size_t most = pick(rng, 2) == 0 ? 10 : 0xFFFFFFFF / n + 1;
        std::vector<double> upper(n), lower(n), high(n), low(n);
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < n; ++i) {
            words[i] = (most - 1) << 32 | pick(rng, most);
            running[i] = sum += words[i];
            high[i] = static_cast<double>(sum >> 32);
            low[i] = static_cast<double>(sum & 0xFFFFFFFF);
        }
        table.prefix_sum_words(words.data(), n, upper.data(), lower.data());
        CHECK(words == running);
        CHECK(upper == high);
        CHECK(lower == low);
    });
}

}  // namespace
}  // namespace silvics
