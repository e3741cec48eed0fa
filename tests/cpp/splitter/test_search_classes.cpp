#include "criterion/against_scratch.hpp"
#include "criterion/many_classes.hpp"
#include "splitter/made_column.hpp"
#include "splitter/search_classes.hpp"

namespace silvics {
namespace {

using test::ByRows;
using test::HandCut;
using test::HandScore;
using test::MadeColumn;
using test::Rng;
__extension__ using Wide = unsigned __int128;

// The sum over classes of (l W - n L)^2, class by class and without rounding, over L (W - L).
HandScore direct_score(const Target& target, const LearningSubset& subset,
                       std::span<const std::uint8_t> marks) {
    std::vector<std::int64_t> left(target.n_classes[0], 0), node(target.n_classes[0], 0);
    std::int64_t L = 0, W = 0;
    for (std::size_t i = 0; i < marks.size(); ++i) {
        const auto w = static_cast<std::int64_t>(subset.weight(static_cast<RowId>(i)));
        node[target.classes[i]] += w;
        W += w;
        if (marks[i] != 0) left[target.classes[i]] += w, L += w;
    }
    Wide sum = 0;
    for (std::size_t c = 0; c < node.size(); ++c) {
        const std::int64_t d = left[c] * W - node[c] * L;
        const Wide size = static_cast<std::uint64_t>(d < 0 ? -d : d);
        sum += size * size;
    }
    const auto l = static_cast<double>(L), r = static_cast<double>(W - L);
    return {l, r, static_cast<double>(sum) / (l * r)};
}

// Classes that have something, or nothing, to do with a variable.
Target random_target(Rng& rng, const std::vector<double>& x, ClassId n_classes, bool noise) {
    std::vector<double> sorted = x;
    std::ranges::sort(sorted);
    std::vector<std::int64_t> y;
    for (const double v : x) {
        const auto place =
            static_cast<std::size_t>(std::ranges::lower_bound(sorted, v) - sorted.begin());
        const std::size_t c = noise || test::pick(rng, 6) == 0 ? test::pick(rng, n_classes)
                                                               : place * n_classes / x.size();
        y.push_back(static_cast<std::int64_t>(c));
    }
    return class_target(y, x.size(), {n_classes});
}

TEST_CASE("every search of classes finds the cut that trying all finds, ties included") {
    Rng rng(78);
    ClassSearch<ManyClasses> search;  // what a node leaves behind must not matter
    const auto check = [&](const MadeColumn& made, ClassId n_classes, bool noise, int weights) {
        CAPTURE(n_classes);
        const std::size_t n = made.values().size();
        const Target target = random_target(rng, made.values(), n_classes, noise);
        const LearningSubset subset =
            weights == 0 ? test::subset_of(n) : test::heavy_subset(rng, n, weights);
        ByRows<ManyClasses> criterion(target, subset, test::kNeverStop);
        criterion.enter(subset.rows);
        if (criterion.homogeneous()) return;
        std::vector<CutLimits> some_limits(3, CutLimits{.n = n});
        some_limits[1].min_samples_leaf = 1 + test::pick(rng, n / 2);
        some_limits[2].min_weight_leaf = test::pick_real(rng, 0.0, criterion.weight() / 2);
        for (const CutLimits& limits : some_limits) {
            double floor = -kInfinity;
            for (int variable = 0; variable < 2; ++variable) {
                const HandCut hand =
                    best_by_hand(made, limits, floor, [&](std::span<const std::uint8_t> marks) {
                        return direct_score(target, subset, marks);
                    });
                for (const Search how : test::kAllSearches) {
                    CAPTURE(static_cast<int>(how));
                    Cut cut{.score = floor, .border = 12345};
                    search.best_cut(criterion, made.node(), limits, how, test::kNeverStop, cut);
                    if (hand.goes_left.empty()) {
                        CHECK(cut.score == floor);
                        CHECK(cut.border == 12345);
                    } else {
                        CHECK(test::same_cuts(test::carried_out(made.node(), cut), hand));
                    }
                }
                floor = hand.score;  // which no cut beats
            }
        }
    };
    for (const std::size_t n : {2U, 3U, 5U, 12U, 13U, 33U, 64U, 65U, 150U, 400U})
        test::for_all_shapes(rng, n, [&](const test::Shape& shape, const MadeColumn& made) {
            // Cells for all codes and classes: a histogram over all over would be a large one.
            const ClassId most = shape.levels * shape.step > 5000 ? 3 : 20;
            for (const ClassId n_classes : {ClassId{2}, ClassId{3}, most})
                check(made, n_classes, test::pick(rng, 2) == 0,
                      n_classes == 3   ? 0
                      : n_classes == 2 ? 5
                                       : 100000);
        });
}

TEST_CASE("sides are scored by their classes, within the limits") {
    Rng rng(79);
    ClassSearch<ManyClasses> search;
    for (int repeat = 0; repeat < 100; ++repeat) {
        const std::size_t n = 2 + test::pick(rng, 70);
        const Target target =
            test::random_classes(rng, n, {static_cast<ClassId>(2 + test::pick(rng, 9))});
        const LearningSubset subset = test::heavy_subset(rng, n, repeat % 2 == 0 ? 6 : 1000000);
        ByRows<ManyClasses> criterion(target, subset, test::kNeverStop);
        criterion.enter(subset.rows);
        std::vector<std::uint8_t> marks(n);
        std::size_t n_left = 0;
        for (std::size_t i = 0; i < n; ++i)
            n_left += marks[i] = i == 0 || (i > 1 && test::pick(rng, 2) == 0) ? 1 : 0;
        const auto [w, rest, score] = direct_score(target, subset, marks);
        const auto scored = [&](const CutLimits& limits, double floor = -kInfinity) {
            Cut cut{.score = floor};
            search.score_sides(criterion, marks, n_left, limits, cut);
            return cut.score;
        };
        const std::size_t fewer = std::min(n_left, n - n_left);
        CHECK(scored({.n = n}) == score);
        CHECK(scored({.n = n, .min_samples_leaf = fewer}) == score);
        CHECK(scored({.n = n, .min_samples_leaf = fewer + 1}) == -kInfinity);
        CHECK(scored({.n = n, .min_weight_leaf = std::min(w, rest)}) == score);
        CHECK(scored({.n = n, .min_weight_leaf = std::min(w, rest) + 0.5}) == -kInfinity);
        CHECK(scored({.n = n}, score) == score);
        CHECK(scored({.n = n}, score + 1.0) == score + 1.0);
    }
}

}  // namespace
}  // namespace silvics
