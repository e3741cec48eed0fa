#include <set>

#include "criterion/catalogue.hpp"
#include "doctest/doctest.h"
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

TEST_CASE("criteria of the same meaning grow the same tree") {
    test::Rng rng(50);
    const test::Matrix X = test::random_matrix(rng, 80, 4);
    const Table table = test::coded(X);
    const LearningSubset subset = test::random_subset(rng, 80, test::Weights::fractional);
    const GrowthRules rules = test::full_search(table);
    SUBCASE("log_loss is entropy") {
        const Target target = test::random_classes(rng, 80, {3});
        CHECK(test::same_trees(test::grown("log_loss", table, target, subset, rules),
                               test::grown("entropy", table, target, subset, rules)));
    }
    SUBCASE("friedman_mse is squared_error for one output") {
        const Target target = test::random_reals(rng, 80, 1);
        CHECK(test::same_trees(test::grown("friedman_mse", table, target, subset, rules),
                               test::grown("squared_error", table, target, subset, rules)));
    }
}

}  // namespace
}  // namespace silvics
