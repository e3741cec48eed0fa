#include <algorithm>
#include <vector>

#include "criterion/count_classes.hpp"
#include "doctest/doctest.h"
#include "support/problem.hpp"

namespace silvics {
namespace {

TEST_CASE("weights of classes are added up, and classes listed in order of appearance") {
    test::Rng rng(7);
    for (int repeat = 0; repeat < 30; ++repeat) {
        const std::size_t n_classes = 1 + test::pick(rng, 9), n = test::pick(rng, 40);
        std::vector<std::uint64_t> words, expected(n_classes, 0), total(n_classes, 0);
        std::vector<ClassId> order, present(n_classes + 1, 0);
        std::uint64_t weight = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint64_t w = 1 + test::pick(rng, 0xFFFFFFFE);
            const auto c = static_cast<ClassId>(test::pick(rng, n_classes));
            words.push_back(w << 32 | c);
            expected[c] += w;
            weight += w;
            if (std::ranges::find(order, c) == order.end()) order.push_back(c);
        }
        const CountedClasses found = count_classes(words, total.data(), present.data());
        present.resize(found.n_present);
        CHECK(present == order);
        CHECK(total == expected);
        CHECK(found.weight == weight);
    }
}

}  // namespace
}  // namespace silvics
