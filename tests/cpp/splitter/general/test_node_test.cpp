#include "splitter/general/general_parts.hpp"
#include "splitter/general/node_test.hpp"

namespace silvics {
namespace {

using test::GeneralParts;

// The output is the first column; the second one alternates; the third is a category like the
// first.
GeneralParts dependent() {
    const std::size_t n = 40;
    test::Matrix X{n, 3, {}};
    std::vector<std::int64_t> y;
    for (std::size_t i = 0; i < n; ++i) {
        const double first = i < n / 2 ? 0.0 : 1.0;
        X.values.insert(X.values.end(), {first, static_cast<double>(i % 2), first});
        y.push_back(i < n / 2 ? 0 : 1);
    }
    return {std::move(X), {-1, -1, 2}, y};
}

std::vector<Candidate> of_features(std::initializer_list<FeatureId> features) {
    std::vector<Candidate> all;
    for (const FeatureId f : features) {
        all.emplace_back();
        all.back().feature = f;
    }
    return all;
}

TEST_CASE("a node is significant if one of its variables is, and candidates have their p-values") {
    for (const std::size_t n_permutations : {0U, 99U}) {
        GeneralParts of = dependent();
        of.rules.significance = 0.05;
        of.rules.n_permutations = n_permutations;
        NodeTest test(of.parts());
        test.begin();
        auto candidates = of_features({0, 1, 2});
        CHECK_FALSE(test.significant(of.node(), of.order, candidates));  // nothing tested
        test.add(1, of.order);
        CHECK_FALSE(test.significant(of.node(), of.order, candidates));
        CHECK(candidates[1].p_value > 0.9);
        test.add(0, of.order);
        test.add(2, of.order);
        CHECK(test.significant(of.node(), of.order, candidates));
        CHECK(candidates[0].p_value < 1e-6);
        CHECK(candidates[2].p_value < 1e-6);
        CHECK(candidates[1].p_value > 0.9);
        test.begin();
        test.add(1, of.order);
        CHECK_FALSE(test.significant(of.node(), of.order, candidates));
    }
}

TEST_CASE("p-values are corrected for the number of variables") {
    GeneralParts of({8, 2, {0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1}}, {-1, -1},
                    {0, 0, 0, 0, 1, 1, 1, 1});
    NodeTest test(of.parts());
    test.begin();
    test.add(0, of.order);
    auto candidates = of_features({0, 1});
    test.significant(of.node(), of.order, candidates);
    const double p = candidates[0].p_value;
    CHECK(p < 0.5);
    of.rules.significance = 1.5 * p;
    CHECK(test.significant(of.node(), of.order, candidates));
    test.add(1, of.order);
    if (candidates[1].p_value >= p) CHECK_FALSE(test.significant(of.node(), of.order, candidates));
}

}  // namespace
}  // namespace silvics
