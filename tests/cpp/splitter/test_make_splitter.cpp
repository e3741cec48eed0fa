#include <set>
#include <typeinfo>

#include "criterion/binary_gini.hpp"
#include "criterion/exact_poisson.hpp"
#include "criterion/exact_squared_error.hpp"
#include "criterion/integer_entropy.hpp"
#include "criterion/integer_gini.hpp"
#include "criterion/joint_counts.hpp"
#include "criterion/ordered_targets.hpp"
#include "criterion/rounded_moments.hpp"
#include "doctest/doctest.h"
#include "sampling/feature_draw.hpp"
#include "splitter/fast/fast_splitter.hpp"
#include "splitter/make_splitter.hpp"
#include "support/problem.hpp"

namespace silvics {
namespace {

TEST_CASE("every criterion is found by its name, and names are unique") {
    std::set<std::string_view> names;
    for (const CriterionEntry& entry : criteria()) {
        CHECK(&find_criterion(std::string(entry.name)) == &entry);
        names.insert(entry.name);
    }
    CHECK(names.size() == criteria().size());
    for (const char* name : {"gini", "entropy", "log_loss", "misclassification", "squared_error",
                             "friedman_mse", "poisson", "absolute_error"})
        CHECK(names.count(name) == 1);
}

TEST_CASE("an unknown criterion is an error that lists the known ones") {
    try {
        find_criterion("ginny");
        FAIL("no error");
    } catch (const std::invalid_argument& error) {
        const std::string text = error.what();
        CHECK(text.find("'ginny'") != std::string::npos);
        for (const CriterionEntry& entry : criteria())
            CHECK(text.find(entry.name) != std::string::npos);
    }
}

TEST_CASE("Poisson alone of the regression criteria keeps the signs of y") {
    for (const CriterionEntry& entry : criteria())
        if (!entry.classification) CHECK(entry.centred == (entry.name != "poisson"));
}

template <class C>
bool is_made(const char* criterion, const Target& target, const LearningSubset& subset,
             const SearchRules& rules = {}) {
    const Table table = test::coded(test::column_of(std::vector<double>(target.n_rows, 1.0)));
    SampleOrder order;
    const StopFlag stop;
    const auto features = FeatureDraw::first_features(table.n_features());
    const auto splitter = find_criterion(criterion).make_splitter(
        {table, target, subset, rules, stop, order, features});
    const Splitter& made = *splitter;
    return typeid(made) == typeid(FastSplitter<C>);
}

TEST_CASE("the quickest statistic that suits the target and the weights is taken") {
    test::Rng rng(51);
    const LearningSubset unit = test::subset_of(30);
    const LearningSubset whole = test::random_subset(rng, 30, test::Weights::whole);
    const LearningSubset fractional = test::random_subset(rng, 30, test::Weights::fractional);
    SearchRules monotonic;
    monotonic.monotonic = {1};
    const Target two = test::random_classes(rng, 30, {2}),
                 five = test::random_classes(rng, 30, {5}),
                 both = test::random_classes(rng, 30, {2, 2}), one = test::random_reals(rng, 30, 1),
                 several = test::random_reals(rng, 30, 2), counts = test::random_counts(rng, 30, 1);
    CHECK(is_made<BinaryGini>("gini", two, unit));
    CHECK(is_made<BinaryGini>("gini", two, whole));
    CHECK(is_made<IntegerGini>("gini", five, whole));
    CHECK(is_made<RoundedGini>("gini", two, fractional));
    CHECK(is_made<ClassCounts<Gini>>("gini", five, fractional));
    CHECK(is_made<JointGini>("gini", both, unit));
    CHECK(is_made<ClassCounts<Gini>>("gini", both, fractional));
    CHECK(is_made<BinaryGini>("gini", two, unit, monotonic));
    CHECK(is_made<RoundedGini>("gini", two, fractional, monotonic));
    CHECK(is_made<ClassCounts<Entropy>>("entropy", two, unit, monotonic));
    CHECK(is_made<IntegerEntropy>("entropy", two, unit));
    CHECK(is_made<IntegerEntropy>("log_loss", five, whole));
    CHECK(is_made<ClassCounts<Entropy>>("entropy", five, fractional));
    CHECK(is_made<JointEntropy>("entropy", both, whole));
    CHECK(is_made<ClassCounts<Entropy>>("entropy", both, fractional));
    CHECK(is_made<ExactSquaredError>("squared_error", one, whole));
    CHECK(is_made<ExactSquaredError>("friedman_mse", one, unit));
    CHECK(is_made<RoundedSquaredError>("squared_error", one, fractional));
    CHECK(is_made<Moments<SquaredError>>("squared_error", several, unit));
    CHECK(is_made<ExactSquaredError>("squared_error", one, unit, monotonic));
    CHECK(is_made<Moments<FriedmanImprovement>>("friedman_mse", several, unit));
    CHECK(is_made<ExactPoisson>("poisson", counts, unit));
    CHECK(is_made<Moments<PoissonDeviance>>("poisson", counts, fractional));
    CHECK(is_made<OrderedTargets>("absolute_error", one, unit));
}

TEST_CASE("criteria of the same meaning grow the same tree") {
    test::Rng rng(50);
    const test::Matrix X = test::random_matrix(rng, 80, 4);
    const Table table = test::coded(X);
    const GrowthRules rules = test::full_search(table);
    const Target classes = test::random_classes(rng, 80, {3});
    const Target values = test::random_reals(rng, 80, 1);
    const auto same = [&](const char* one, const char* other, const Target& target) {
        for (const test::Weights weights : test::kAllWeights) {
            const LearningSubset subset = test::random_subset(rng, 80, weights);
            CHECK(test::same_trees(test::grown(one, table, target, subset, rules),
                                   test::grown(other, table, target, subset, rules)));
        }
    };
    SUBCASE("log_loss is entropy") { same("log_loss", "entropy", classes); }
    SUBCASE("friedman_mse is squared_error for one output") {
        same("friedman_mse", "squared_error", values);
    }
}

}  // namespace
}  // namespace silvics
