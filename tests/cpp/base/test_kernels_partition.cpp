#include "support/kernel_tables.hpp"

namespace silvics {
namespace {

using namespace test;

TEST_CASE("samples are parted in the order they had, one or two arrays beside the rows") {
    at_every_size(17, [](const Kernels& table, Rng& rng, std::size_t n) {
        const auto marks = random_marks(rng, n);
        std::vector<std::uint32_t> rows(n);
        for (auto& row : rows) row = static_cast<std::uint32_t>(rng());
        std::vector<std::uint64_t> words(n);
        for (auto& word : words) word = rng();
        auto reals = random_reals(rng, n, -1.0, 1.0);
        for (const bool two : {false, true}) {
            auto some_rows = rows;
            auto some_words = words;
            auto some_reals = reals;
            const auto parted = [&](const auto& all) {
                auto sides = all;
                std::size_t at = 0;
                for (const int side : {1, 0})
                    for (std::size_t i = 0; i < n; ++i)
                        if (marks[i] == side) sides[at++] = all[i];
                return sides;
            };
            std::vector<std::uint64_t> aside(3 * n + 12 + 1, 77);
            table.partition_samples(marks.data(), n, some_rows.data(), some_words.data(),
                                    two ? some_reals.data() : nullptr, aside.data());
            CHECK(some_rows == parted(rows));
            CHECK(some_words == parted(words));
            CHECK(some_reals == (two ? parted(reals) : reals));
            CHECK(aside.back() == 77);
        }
    });
}

}  // namespace
}  // namespace silvics
