#include "splitter/fast/at_root.hpp"
#include "splitter/fast/split_node.hpp"

namespace silvics {
namespace {

using test::ByRows;
using test::category;
using test::Loss;
using test::Matrix;
using test::OtherTable;
using test::Rng;
using test::Rows;
using Kind = Column::Kind;
using Marks = std::vector<std::uint8_t>;
using test::alternating;
using test::AtRoot;
using test::check_parted;
using test::mixed_problem;
using test::MixedProblem;
using test::Parted;
using test::parted;
using test::stands;

TEST_CASE("levels that part the classes in a sample part them in the whole node") {
    Rng rng(264);
    const std::size_t n = 600;
    for (const std::size_t n_kinds : {8U, 20U})
        for (const ClassId n_classes : {2U, 3U})
            for (StreamKey key = 0; key < 10; ++key) {
                std::vector<double> x(n);
                std::vector<std::int64_t> y(n);
                std::vector<double> z(n);
                for (std::size_t i = 0; i < n; ++i) {
                    const std::size_t k = test::pick(rng, n_kinds);
                    x[i] = static_cast<double>(k * 37 % 101);
                    y[i] = k * 7 % 5 < 2 ? 0 : 1;  // in no order of the levels
                    z[i] = static_cast<double>(y[i]);
                }
                const OtherTable made = category(x, 101);
                const Target classes = class_target(y, n, {n_classes}),
                             reals = real_target(z, n, 1, true);
                const LearningSubset subset = test::subset_of(n);
                SearchRules rules;
                rules.split_sample = 200;
                for (const char* criterion : {"gini", "entropy", "squared_error"}) {
                    CAPTURE(std::string(criterion));
                    CAPTURE(n_kinds);
                    const Target& target =
                        find_criterion(criterion).classification ? classes : reals;
                    const Parted got = parted(criterion, made.table(), target, subset, rules,
                                              {0, n, derive(4, key), {}});
                    REQUIRE(got.split);
                    std::set<std::int64_t> of_side[2];
                    for (std::size_t i = 0; i < n; ++i)
                        of_side[i < got.split->n_left].insert(y[got.rows[i]]);
                    CHECK(of_side[0].size() == 1);
                    CHECK(of_side[1].size() == 1);
                }
            }
}

TEST_CASE("a split found on a sample has the decrease of the whole node") {
    test::Rng rng(86);
    test::Matrix X = test::random_matrix(rng, 400, 3);
    for (std::size_t i = 0; i < 400; ++i) X.values[i * 3] += i % 2 == 0 ? -1.2 : 1.2;
    AtRoot root(X, alternating(400));
    root.rules.split_sample = 50;
    std::set<double> thresholds;
    for (StreamKey key = 0; key < 20; ++key) {
        const auto split = root.find(key);
        REQUIRE(split);
        thresholds.insert(split->threshold);
        CHECK(split->feature == 0);
        double left[2] = {}, right[2] = {};
        for (std::size_t i = 0; i < 400; ++i)
            ++(X.values[i * 3] <= split->threshold ? left : right)[i % 2];
        const auto gini = [](const double* c) {
            const double w = c[0] + c[1], p = w > 0 ? c[0] / w : 0.0;
            return w * 2 * p * (1 - p);
        };
        CHECK(split->decrease == doctest::Approx(0.5 - (gini(left) + gini(right)) / 400.0));
    }
    CHECK(thresholds.size() > 1);
}

TEST_CASE("a split found on a sample obeys the limits of the whole node") {
    // Few rows at the end of one variable are of another class: the best cut leaves too few.
    test::Rng rng(73);
    test::Matrix X = test::random_matrix(rng, 400, 2);
    std::vector<std::int64_t> y(400);
    for (std::size_t i = 0; i < 400; ++i) y[i] = X.values[2 * i] > 0.92 ? 1 : 0;
    AtRoot root(X, class_target(y, 400, {2}));
    root.rules.split_sample = 100;
    for (const bool by_weight : {false, true}) {
        root.rules.min_samples_leaf = by_weight ? 1 : 40;
        root.rules.min_weight_leaf = by_weight ? 40.0 : 0.0;
        for (const char* criterion : {"gini", "entropy"})
            for (StreamKey key = 0; key < 30; ++key)
                if (const auto split = root.find(key, criterion)) {
                    CHECK(split->n_left >= 40);
                    CHECK(split->n_left <= 360);
                }
    }
}

TEST_CASE("where the sample finds no cut, the whole node is searched") {
    // One row in a hundred differs: a sample of two almost never sees it.
    test::Matrix X = test::column_of(std::vector<double>(100, 0.0));
    X.values[42] = 1.0;
    AtRoot root(X, alternating(100));
    root.rules.split_sample = 2;
    for (StreamKey key = 0; key < 50; ++key) {
        const auto split = root.find(key);
        REQUIRE(split);
        CHECK(split->threshold == 0.5);
    }
}

}  // namespace
}  // namespace silvics
