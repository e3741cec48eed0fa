#include <algorithm>
#include <vector>

#include "criterion/remaining_ranks.hpp"
#include "doctest/doctest.h"
#include "support/problem.hpp"

namespace silvics {
namespace {

using test::Rng;

TEST_CASE("the median of the remaining samples is that of a search from scratch") {
    Rng rng(45);
    for (std::size_t m = 1; m <= 20; ++m)
        for (int repeat = 0; repeat < 20; ++repeat) {
            struct Sample {
                std::size_t rank;
                double weight;
            };
            std::vector<Sample> samples;
            for (std::size_t r = 0; r < m; ++r)  // every rank has a sample, as in a node
                for (std::size_t k = 0; k < 1 + test::pick(rng, 3); ++k)
                    samples.push_back({r, static_cast<double>(1 + test::pick(rng, 4))});
            std::ranges::shuffle(samples, rng);
            RemainingRanks ranks;
            ranks.clear(m);
            const auto moment = [](const Sample& s) {
                return s.weight * static_cast<double>(s.rank + 3);
            };
            for (const Sample& s : samples) ranks.add(s.rank, s.weight, moment(s));
            ranks.settle();
            while (samples.size() > 1) {
                std::vector<double> weight(m), sum(m);
                double whole = 0.0, total = 0.0;
                for (const Sample& s : samples) {
                    weight[s.rank] += s.weight;
                    sum[s.rank] += moment(s);
                    whole += s.weight;
                    total += moment(s);
                }
                std::size_t at = 0, upper = 0;
                double below = 0.0, moments = 0.0, upto = weight[0];
                for (; below + weight[at] < whole / 2; ++at) {
                    below += weight[at];
                    moments += sum[at];
                }
                while (upto <= whole / 2) upto += weight[++upper];
                CHECK(ranks.weight() == whole);
                CHECK(ranks.total() == total);
                CHECK(ranks.place().rank == at);
                CHECK(ranks.place().weight == below);
                CHECK(ranks.place().moment == moments);
                CHECK(ranks.upper() == upper);
                const Sample last = samples.back();
                samples.pop_back();
                ranks.remove(last.rank, last.weight, moment(last));
            }
        }
}

}  // namespace
}  // namespace silvics
