#include "splitter/general/general_parts.hpp"
#include "splitter/general/node_search.hpp"

namespace silvics {
namespace {

using test::GeneralParts;
using test::GiniCounts;

Candidate worth(double value, FeatureId f) {
    Candidate c;
    c.decrease = c.worth = value;
    c.feature = f;
    return c;
}

TEST_CASE("all candidates are kept, or the n best where one of them is drawn") {
    GeneralParts of({2, 1, {0.0, 1.0}}, {-1}, {0, 1});
    NodeSearch<GiniCounts> search(of.parts());
    of.begin(search);
    const auto features = [&] {
        std::vector<FeatureId> all;
        for (const Candidate& c : search.candidates) all.push_back(c.feature);
        return all;
    };
    const double worths[] = {1.0, 3.0, 2.0, 3.0, 0.5};
    for (FeatureId f = 0; f < 5; ++f) search.add(worth(worths[f], f));
    CHECK(features() == std::vector<FeatureId>{0, 1, 2, 3, 4});
    of.rules.choice = Choice::one_of_best;
    of.rules.n_best = 3;
    search.begin();
    CHECK(search.candidates.empty());
    for (FeatureId f = 0; f < 5; ++f) search.add(worth(worths[f], f));
    CHECK(features() == std::vector<FeatureId>{1, 3, 2});  // equal ones in the order found
}

TEST_CASE("limits are those of the rules, but for honest trees") {
    GeneralParts of({2, 1, {0.0, 1.0}}, {-1}, {0, 1});
    of.rules.min_samples_leaf = 4;
    of.rules.min_weight_leaf = 2.0;
    of.rules.monotonic = {-1};
    NodeSearch<GiniCounts> search(of.parts());
    CutLimits limits = search.limits(of.node(), 0, 9);
    CHECK(limits.n == 9);
    CHECK(limits.min_samples_leaf == 4);
    CHECK(limits.min_weight_leaf == 2.0);
    CHECK(limits.monotonic == -1);
    of.rules.honest = true;
    limits = search.limits(of.node(), 0, 9);
    CHECK(limits.min_samples_leaf <= 1);
    CHECK(limits.min_weight_leaf == 0.0);
    CHECK(limits.monotonic == -1);
}

TEST_CASE("every child must have enough estimation samples") {
    GeneralParts of({5, 1, {0.0, 1.0, 2.0, 3.0, 4.0}}, {-1}, {0, 1, 0, 1, 0});
    of.rules.honest = true;
    of.rules.min_samples_leaf = 2;
    NodeSearch<GiniCounts> search(of.parts());
    of.begin(search);
    search.estimation.samples = of.order;
    Candidate c;
    c.threshold = 1.5;
    CHECK(search.children_large_enough(c, 2));
    c.threshold = 3.5;
    CHECK_FALSE(search.children_large_enough(c, 2));
    of.rules.min_samples_leaf = 1;
    of.rules.min_weight_leaf = 1.5;
    CHECK_FALSE(search.children_large_enough(c, 2));
}

}  // namespace
}  // namespace silvics
