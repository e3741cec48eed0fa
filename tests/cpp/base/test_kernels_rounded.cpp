#include "support/kernel_tables.hpp"

namespace silvics {
namespace {

using namespace test;

constexpr RoundingGrid kGrid{0x1.8p30, 0x1.0p-22, 0x1.8p33};  // units 2^-22 and 2^-19

double rounded(double w) { return std::max(std::nearbyint(w * 0x1p22) * 0x1p-22, 0x1p-22); }
double term(double w, double y) { return std::nearbyint(rounded(w) * y * 0x1p19) * 0x1p-19; }

TEST_CASE("sums of rounded weights and outputs are exact, over any selection of samples") {
    at_every_size(7, [](const Kernels& table, Rng& rng, std::size_t n) {
        std::vector<double> w = random_reals(rng, n, 0.0, 3.0);
        const std::vector<double> y = random_reals(rng, n, -1.0, 1.0);
        w[pick(rng, n)] = 1e-30;  // not less than the unit
        const auto codes = random_codes(rng, n, random_levels(rng));
        const std::uint32_t limit = random_limit(rng, codes);
        std::vector<std::uint8_t> marks(n);
        for (std::size_t i = 0; i < n; ++i) marks[i] = codes[i] < limit ? 1 : 0;
        double all[2] = {0, 0}, some[2] = {0, 0}, below_half[2] = {0, 0};
        for (std::size_t i = 0; i < n; ++i) {
            const double one[2] = {rounded(w[i]), term(w[i], y[i])};
            for (int k = 0; k < 2; ++k) {
                all[k] += one[k];
                some[k] += marks[i] != 0 ? one[k] : 0.0;
                below_half[k] += y[i] <= 0.5 ? one[k] : 0.0;
            }
        }
        const auto same = [](const double* a, const double* b) {
            return a[0] == b[0] && a[1] == b[1];
        };
        double sums[2];
        table.sum_rounded(kGrid, w.data(), y.data(), n, sums);
        CHECK(same(sums, all));
        table.sum_rounded_marked(kGrid, w.data(), y.data(), marks.data(), n, sums);
        CHECK(same(sums, some));
        table.sum_rounded_below(kGrid, codes.data(), w.data(), y.data(), n, limit, sums);
        CHECK(same(sums, some));
        table.sum_rounded_upto(kGrid, y.data(), w.data(), y.data(), n, 0.5, sums);
        CHECK(same(sums, below_half));
        std::vector<double> moments(4 * n);
        table.make_rounded_moments(kGrid, w.data(), y.data(), n, 0.25, moments.data());
        for (std::size_t i = 0; i < n; ++i) {
            const double e = term(w[i], y[i]) / rounded(w[i]) - 0.25;
            CHECK(moments[4 * i] == rounded(w[i]));
            CHECK(moments[4 * i + 1] == term(w[i], y[i]));
            CHECK(moments[4 * i + 2] == 0.0);
            CHECK(moments[4 * i + 3] == rounded(w[i]) * (e * e));
        }
    });
}

}  // namespace
}  // namespace silvics
