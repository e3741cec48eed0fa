#include "criterion/against_scratch.hpp"
#include "criterion/integer_gini.hpp"
#include "splitter/fast/exact_counts.hpp"
#include "splitter/made_column.hpp"

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

// What a node leaves behind must not matter: one search for all. `weights`: the largest, or 0.
void check_searches(Rng& rng, ExactCountsSearch<IntegerGini>& search, const MadeColumn& made,
                    const Target& target, std::size_t weights) {
    CAPTURE(target.n_classes[0]);
    const std::size_t n = made.values().size();
    const LearningSubset subset =
        weights == 0 ? test::subset_of(n) : test::heavy_subset(rng, n, weights);
    ByRows<IntegerGini> criterion(target, subset, test::kNeverStop);
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
}

TEST_CASE("every search of classes finds the cut that trying all finds, ties included") {
    Rng rng(78);
    ExactCountsSearch<IntegerGini> search;
    for (const std::size_t n : {2U, 3U, 5U, 12U, 13U, 33U, 64U, 65U, 150U, 400U})
        test::for_all_shapes(rng, n, [&](const test::Shape& shape, const MadeColumn& made) {
            // Cells for all codes and classes: a histogram over all over would be a large one.
            const ClassId most = shape.levels * shape.step > 5000 ? 3 : 20;
            for (const ClassId n_classes : {ClassId{2}, ClassId{3}, most})
                check_searches(
                    rng, search, made,
                    random_target(rng, made.values(), n_classes, test::pick(rng, 2) == 0),
                    n_classes == 3   ? 0
                    : n_classes == 2 ? 5
                                     : 100000);
        });
}

// Most samples have the lowest code; the first few do, or do not, tell so.
enum class Sparse { all_over, at_first, later };

std::vector<std::uint16_t> sparse_codes(Rng& rng, std::size_t n, const test::Shape& shape,
                                        Sparse where) {
    auto codes = test::spread_codes(rng, n, shape.levels, shape.step, shape.low);
    for (std::size_t i = 0; i < n; ++i) {
        const bool dense = where == Sparse::all_over ? test::pick(rng, 5) == 0
                                                     : (where == Sparse::later) == (i < 64);
        if (!dense) codes[i] = static_cast<std::uint16_t>(shape.low);
    }
    return codes;
}

constexpr test::Shape kSparseShapes[] = {
    {2, 1, 0, test::Kind::one_value, 1},    {40, 1, 0, test::Kind::one_value, 1},
    {6, 50, 300, test::Kind::one_value, 1}, {256, 1, 0, test::Kind::one_value, 1},
    {3000, 1, 7, test::Kind::one_value, 1}, {3, 7, 65521, test::Kind::one_value, 1},
    {20, 3, 1, test::Kind::bin, 9},         {9, 2, 3, test::Kind::several_values, 4},
};

TEST_CASE("where most samples have the lowest code, every search finds the best cut") {
    Rng rng(80);
    ExactCountsSearch<IntegerGini> search;
    for (const std::size_t n : {5U, 23U, 24U, 25U, 64U, 65U, 129U, 400U})
        for (const test::Shape& shape : kSparseShapes)
            for (const Sparse where : {Sparse::all_over, Sparse::at_first, Sparse::later}) {
                CAPTURE(n);
                CAPTURE(shape.levels);
                CAPTURE(static_cast<int>(where));
                const MadeColumn made(rng, sparse_codes(rng, n, shape, where), shape.kind,
                                      shape.per_code);
                if (cuts_by_hand(made).empty()) continue;
                for (const ClassId n_classes : {2U, 3U, 12U})
                    check_searches(
                        rng, search, made,
                        random_target(rng, made.values(), n_classes, test::pick(rng, 2) == 0),
                        n_classes == 3 ? 0 : 1000);
            }
}

TEST_CASE("one sample above the lowest code is cut off") {
    Rng rng(81);
    ExactCountsSearch<IntegerGini> search;
    for (const std::size_t n : {2U, 24U, 25U, 70U, 300U}) {
        std::vector<std::uint16_t> codes(n, 5);
        codes[test::pick(rng, n)] = 900;
        const MadeColumn made(rng, codes, test::Kind::one_value);
        for (const ClassId n_classes : {2U, 9U})
            check_searches(rng, search, made, test::random_classes(rng, n, {n_classes}), 9);
    }
}

TEST_CASE("classes that a node does not have play no part") {
    Rng rng(82);
    ExactCountsSearch<IntegerGini> search;
    for (const std::size_t n : {24U, 100U, 300U})
        for (const Sparse where : {Sparse::all_over, Sparse::later})
            for (const test::Shape& shape : kSparseShapes) {
                if (shape.levels > 256) continue;
                const MadeColumn made(rng, sparse_codes(rng, n, shape, where), shape.kind,
                                      shape.per_code);
                if (cuts_by_hand(made).empty()) continue;
                Target target = random_target(rng, made.values(), 3, false);
                for (ClassId& c : target.classes) c = 7 + 11 * c;  // of 40
                target.n_classes = {40};
                check_searches(rng, search, made, target, 50);
            }
}

TEST_CASE("sides are scored by their classes, within the limits") {
    Rng rng(79);
    ExactCountsSearch<IntegerGini> search;
    for (int repeat = 0; repeat < 100; ++repeat) {
        const std::size_t n = 2 + test::pick(rng, 70);
        const Target target =
            test::random_classes(rng, n, {static_cast<ClassId>(2 + test::pick(rng, 9))});
        const LearningSubset subset = test::heavy_subset(rng, n, repeat % 2 == 0 ? 6 : 1000000);
        ByRows<IntegerGini> criterion(target, subset, test::kNeverStop);
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

TEST_CASE("sides of any size are scored alike") {
    Rng rng(83);
    ExactCountsSearch<IntegerGini> search;
    for (const std::size_t n : {40U, 65U, 200U, 1000U})
        for (const ClassId n_classes : {2U, 5U, 30U})
            for (const double share : {0.0, 0.02, 0.1, 0.24, 0.26, 0.49, 0.51, 0.75, 0.9, 1.0}) {
                CAPTURE(n);
                CAPTURE(n_classes);
                CAPTURE(share);
                const Target target = test::random_classes(rng, n, {n_classes});
                const LearningSubset subset =
                    share == 0.1 ? test::subset_of(n) : test::heavy_subset(rng, n, 1000);
                ByRows<IntegerGini> criterion(target, subset, test::kNeverStop);
                criterion.enter(subset.rows);
                // So many go left, one at least, and one stays.
                const std::size_t n_left =
                    std::clamp(static_cast<std::size_t>(share * static_cast<double>(n)),
                               std::size_t{1}, n - 1);
                std::vector<std::uint8_t> marks(n, 0);
                std::fill_n(marks.begin(), n_left, std::uint8_t{1});
                std::ranges::shuffle(marks, rng);
                Cut cut;
                search.score_sides(criterion, marks, n_left, {.n = n}, cut);
                CHECK(cut.score == direct_score(target, subset, marks).score);
                Cut turned;
                for (std::uint8_t& mark : marks) mark ^= 1;
                search.score_sides(criterion, marks, n - n_left, {.n = n}, turned);
                CHECK(turned.score == cut.score);
            }
}

}  // namespace
}  // namespace silvics
