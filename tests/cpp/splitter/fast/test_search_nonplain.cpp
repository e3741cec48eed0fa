#include "splitter/fast/at_node.hpp"
#include "splitter/fast/split_node.hpp"

namespace silvics {
namespace {

using test::ByRows;
using test::Loss;
using test::Matrix;
using test::OtherTable;
using test::Rng;
using test::Rows;
using Kind = Column::Kind;
using Marks = std::vector<std::uint8_t>;
using test::any_weights;
using test::AtNode;
using test::best_of_all;
using test::category;
using test::check_numbers;
using test::loss_of;
using test::mixed_problem;
using test::MixedProblem;
using test::nearly;
using test::outputs_for;
using test::Parted;
using test::parted;
using test::some_weights;
using test::stands;
using test::target_for;

TEST_CASE("what was found on some samples marks others: what was not seen goes right") {
    const std::vector<double> x = {0, 1, 0, 1, 2, NAN, 0, NAN, 1, 3};
    const Target target =
        class_target(std::vector<std::int64_t>{0, 1, 0, 1, 0, 0, 0, 1, 1, 0}, 10, {2});
    const LearningSubset subset = test::subset_of(10);
    const OtherTable levels = category(x, 5), numbers = test::other_table(test::column_of(x), {});
    const Rows all = subset.rows;
    const auto marks_of = [&](AtNode<BinaryGini>& at) {
        const auto marks = at.search.marks(10);
        return Marks(marks.begin(), marks.end());
    };
    SUBCASE("levels") {
        AtNode<BinaryGini> at(levels, target, subset, {0, 1, 2, 3});
        Found found;
        REQUIRE(at.find(0, 3, found));
        const Split on_sample = at.search.mark({0, 4, 3, {}}, found, at.rows);
        const std::vector<Code> left(on_sample.left.begin(), on_sample.left.end());
        REQUIRE(left.size() == 1);
        const double level = left[0];
        found.missing = on_sample.missing;
        CHECK(found.missing == MissingSide::unseen);
        const Split split = at.search.mark_as_found(found, left, all);
        Marks expected;
        for (const double v : x) expected.push_back(v == level);
        CHECK(marks_of(at) == expected);
        CHECK(split.missing == MissingSide::right);
        CHECK(split.n_left == 3);
        CHECK(std::ranges::equal(split.left, left));
        CHECK(split.right.size() == 3);
        found.missing = MissingSide::left;
        CHECK(at.search.mark_as_found(found, left, all).missing == MissingSide::left);
        CHECK(marks_of(at)[5] == 1);
        CHECK(at.search.mark_as_found(found, left, Rows{0, 1}).missing == MissingSide::unseen);
    }
    SUBCASE("numbers") {
        AtNode<BinaryGini> at(numbers, target, subset, {0, 1, 2, 3});
        Found found;
        REQUIRE(at.find(0, 3, found));
        CHECK(found.threshold == 0.5);
        CHECK(found.missing == MissingSide::unseen);
        const Split split = at.search.mark_as_found(found, {}, all);
        CHECK(marks_of(at) == Marks{1, 0, 1, 0, 0, 0, 1, 0, 0, 0});
        CHECK(split.missing == MissingSide::right);
        found.missing = MissingSide::left;
        CHECK(at.search.mark_as_found(found, {}, all).missing == MissingSide::left);
        CHECK(marks_of(at) == Marks{1, 0, 1, 0, 0, 1, 1, 1, 0, 0});
        CHECK(at.search.mark_as_found(found, {}, Rows{0, 1}).missing == MissingSide::unseen);
    }
    SUBCASE("coins") {
        SearchRules rules;
        rules.random_cut = true;
        AtNode<BinaryGini> at(levels, target, subset, {0, 1, 2, 3}, rules);
        Found found;
        REQUIRE(at.find(0, 3, found));
        const LevelRule rule(found.threshold);
        const Split split = at.search.mark_as_found(found, {}, all);
        Marks expected;
        for (const double v : x)
            expected.push_back(!std::isnan(v) && rule.goes_left(static_cast<Level>(v), {}));
        CHECK(marks_of(at) == expected);
        CHECK(split.missing == MissingSide::right);
        CHECK(split.threshold != split.threshold);
    }
}

TEST_CASE("any split of a mixed table partitions its samples, alone or with a team") {
    Rng rng(258);
    ThreadTeam team(3, nullptr);
    std::set<FeatureId> chosen;
    for (int repeat = 0; repeat < 250; ++repeat) {
        const std::size_t n = 8 + test::pick(rng, 100);
        const auto n_classes = static_cast<ClassId>(repeat % 5 == 4 ? 0 : 2 + repeat % 3);
        const MixedProblem problem =
            mixed_problem(rng, n, n_classes, test::kAllWeights[repeat % 3]);
        const Matrix& X = *problem.made.X;
        for (const char* criterion : {"gini", "entropy", "squared_error", "absolute_error"}) {
            if (find_criterion(criterion).classification != (n_classes > 0)) continue;
            CAPTURE(std::string(criterion));
            SearchRules rules;
            rules.max_features = 1 + test::pick(rng, 5);
            rules.random_cut = repeat % 2 == 0;
            rules.min_samples_leaf = test::pick(rng, 4) == 0 ? 3 : 1;
            rules.split_sample = test::pick(rng, 4) == 0 ? 6 : 0;
            rules.shared_from = 2;
            const std::size_t begin = test::pick(rng, 4);
            const NodeSamples node{begin, 2 + test::pick(rng, n - begin - 1), rng(), {}};
            const Parted alone = parted(criterion, problem.made.table(), problem.target,
                                        problem.subset, rules, node);
            const Parted shared = parted(criterion, problem.made.table(), problem.target,
                                         problem.subset, rules, node, &team);
            CHECK(alone == shared);
            if (!alone.split) continue;
            chosen.insert(alone.split->feature);
            CHECK(stands(alone, X, node));
            CHECK(alone.split->n_left >= rules.min_samples_leaf);
            CHECK(node.n - alone.split->n_left >= rules.min_samples_leaf);
            // Both sides keep the order that they had, and no other sample moved.
            const auto at = alone.rows.begin() + static_cast<std::ptrdiff_t>(begin);
            const auto middle = at + static_cast<std::ptrdiff_t>(alone.split->n_left);
            const auto end = at + static_cast<std::ptrdiff_t>(node.n);
            CHECK(std::is_sorted(at, middle));
            CHECK(std::is_sorted(middle, end));
            Rows again = alone.rows;
            std::sort(again.begin() + (at - alone.rows.begin()),
                      again.begin() + (end - alone.rows.begin()));
            CHECK(again == problem.subset.rows);
            // The decrease is that of the sides.
            Marks marks(node.n, 0);
            std::fill_n(marks.begin(), alone.split->n_left, std::uint8_t{1});
            const Loss loss = std::string(criterion) == "gini"            ? Loss::gini
                              : std::string(criterion) == "entropy"       ? Loss::entropy
                              : std::string(criterion) == "squared_error" ? Loss::squared
                                                                          : Loss::absolute;
            const double decrease =
                test::scratch_decrease(loss, problem.target, problem.subset, Rows(at, end), marks);
            if (n_classes > 0) CHECK(alone.split->decrease == nearly(decrease));
        }
    }
    CHECK(chosen.size() == 5);
}

TEST_CASE("a splitter finds in a sparse table what it finds in the dense one") {
    Rng rng(259);
    ThreadTeam one(1, nullptr);
    for (int repeat = 0; repeat < 150; ++repeat) {
        const std::size_t n = 12 + test::pick(rng, repeat % 5 == 0 ? 1500 : 150);
        const std::size_t one_in = 1 + test::pick(rng, 6);
        Matrix X =
            test::thinned(rng, test::random_matrix(rng, n, 4, repeat % 3 == 0 ? 6 : 0), one_in);
        if (repeat % 4 == 0)
            for (std::size_t i = 0; i < n; i += 1 + test::pick(rng, 5)) X.values[4 * i + 1] = NAN;
        const test::SparseMatrix sparse(X);
        const auto n_classes = static_cast<ClassId>(2 + repeat % 2);
        const Target classes = test::random_classes(rng, n, {n_classes}),
                     reals = test::random_reals(rng, n, 1);
        const LearningSubset subset = test::random_subset(rng, n, test::kAllWeights[repeat % 3]);
        SearchRules rules;
        rules.max_features = 1 + test::pick(rng, 4);
        rules.random_cut = repeat % 2 == 0;
        rules.min_samples_leaf = test::pick(rng, 4) == 0 ? 3 : 1;
        rules.split_sample = test::pick(rng, 5) == 0 ? 7 : 0;
        const NodeSamples node{3, 2 + test::pick(rng, repeat % 3 == 1 ? 12 : n - 4), rng(), {}};
        const BinRule bins{repeat % 7 == 0 ? std::size_t{4} : 0, BinRule::Widths::equal_frequency};
        for (const bool of_values : {false, true}) {
            if (of_values && !rules.random_cut) continue;
            const auto table = [&](const silvics::Matrix& of) {
                return of_values ? table_of_values(of, one) : code_table(of, bins, one);
            };
            const Table dense = table(X.view()), cells = table(sparse.view());
            for (const char* criterion : {"gini", "entropy", "squared_error", "absolute_error"}) {
                CAPTURE(std::string(criterion));
                CAPTURE(node.n);
                const Target& target = find_criterion(criterion).classification ? classes : reals;
                const Parted a = parted(criterion, dense, target, subset, rules, node);
                const Parted b = parted(criterion, cells, target, subset, rules, node);
                CHECK(a == b);
                if (a.split) CHECK(stands(a, X, node));
            }
        }
    }
}

TEST_CASE("a column that is missing altogether at a node is constant there") {
    const std::vector<double> x = {NAN, NAN, NAN, 1, 2, 3};
    const Target target = class_target(std::vector<std::int64_t>{0, 1, 0, 1, 0, 1}, 6, {2});
    const LearningSubset subset = test::subset_of(6);
    for (const OtherTable& made : {category(x, 4), test::other_table(test::column_of(x), {}),
                                   test::sparse_table(test::column_of(x))})
        for (const bool random : {false, true})
            for (const std::size_t n : {2U, 3U}) {
                SearchRules rules;
                rules.random_cut = random;
                CHECK_FALSE(
                    parted("gini", made.table(), target, subset, rules, {0, n, 1, {}}).split);
                CHECK(parted("gini", made.table(), target, subset, rules, {2, n, 1, {}}).split);
            }
}

}  // namespace
}  // namespace silvics
