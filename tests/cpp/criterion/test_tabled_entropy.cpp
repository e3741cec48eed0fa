#include "criterion/tabled_entropy.hpp"
#include "doctest/doctest.h"
#include "support/problem.hpp"

namespace silvics {
namespace {

using test::Rng;

// Samples of random classes in row order; weights up to `heaviest`.
struct Samples {
    Target target;
    LearningSubset subset;
    SampleOrder order{};

    Samples(Rng& rng, std::size_t n, ClassId n_classes, std::size_t heaviest)
        : target(test::random_classes(rng, n, {n_classes})) {
        std::vector<double> weights(n);
        for (double& w : weights) w = static_cast<double>(1 + test::pick(rng, heaviest));
        subset = test::subset_of(n, weights);
        TabledEntropy::fill(target, subset, order);
        order.rows = subset.rows;
    }
};

// The scores after each sample that moves, in a random order.
template <class Counts>
std::vector<double> scores(Counts& counts, std::uint64_t seed) {
    std::vector<std::uint64_t> samples(counts.samples().begin(), counts.samples().end());
    Rng rng(seed);
    std::shuffle(samples.begin(), samples.end(), rng);
    auto left = counts.begin_scan();
    std::vector<double> all;
    for (std::size_t k = 0; k + 1 < samples.size(); ++k) {
        counts.move(left, Counts::class_of(samples[k]), Counts::weight_of(samples[k]));
        all.push_back(counts.score(left));
    }
    return all;
}

TEST_CASE("scores from tables are those of entropy in integers, to the last bit") {
    Rng rng(60);
    for (int repeat = 0; repeat < 40; ++repeat) {
        const auto n_classes = static_cast<ClassId>(2 + test::pick(rng, 6));
        const Samples of(rng, 3 + test::pick(rng, 80), n_classes, repeat % 2 == 0 ? 1 : 9);
        TabledEntropy tabled(of.target, of.subset, test::kNeverStop);
        IntegerEntropy integers(of.target, of.subset, test::kNeverStop);
        const std::size_t n = of.order.size();
        // A node leaves nothing behind in the next, nor a scan in the next.
        for (const auto& [begin, size] : {std::pair{std::size_t{0}, n}, {n / 3, n - n / 3}}) {
            tabled.enter(of.order, begin, size);
            integers.enter(of.order, begin, size);
            for (const std::uint64_t seed : {1U, 2U}) {
                const std::vector<double> found = scores(tabled, seed);
                CHECK(found == scores(integers, seed));
                for (const double score : found)
                    CHECK(tabled.decrease(score) == integers.decrease(score));
            }
        }
    }
}

TEST_CASE("tables pay unless they are much longer than the node") {
    Rng rng(61);
    Samples light(rng, 50, 3, 4), heavy(rng, 50, 3, 1000);
    TabledEntropy tabled(light.target, light.subset, test::kNeverStop);
    tabled.enter(light.order, 0, 50);
    CHECK(tabled.pays());
    TabledEntropy long_tables(heavy.target, heavy.subset, test::kNeverStop);
    long_tables.enter(heavy.order, 0, 50);
    CHECK_FALSE(long_tables.pays());
}

}  // namespace
}  // namespace silvics
