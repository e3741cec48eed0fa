#include <cmath>
#include <vector>

#include "criterion/impurity.hpp"
#include "doctest/doctest.h"
#include "support/problem.hpp"

namespace silvics {
namespace {

using test::Rng;

ClassWeights weights_of(const std::vector<double>& of) {
    double sum = 0.0;
    for (const double w : of) sum += w;
    return {sum, of};
}

double gini(const std::vector<double>& of) {
    const ClassWeights node = weights_of(of);
    double sum = 0.0;
    for (const double w : of) sum += w / node.weight * (1.0 - w / node.weight);
    return sum;
}
double entropy(const std::vector<double>& of) {
    const ClassWeights node = weights_of(of);
    double sum = 0.0;
    for (const double w : of) sum -= w > 0.0 ? w / node.weight * std::log2(w / node.weight) : 0.0;
    return sum;
}
double misclassification(const std::vector<double>& of) {
    return 1.0 - *std::ranges::max_element(of) / weights_of(of).weight;
}

// i(t), and the decrease by a cut that a score stands for, are those of the definition.
template <class Impurity>
void check_impurity(double (*definition)(const std::vector<double>&)) {
    Rng rng(31);
    for (int repeat = 0; repeat < 200; ++repeat) {
        const std::size_t n = 2 + test::pick(rng, 4);
        std::vector<double> left(n), right(n), node(n);
        for (std::size_t c = 0; c < n; ++c) {
            left[c] = static_cast<double>(test::pick(rng, 9));
            right[c] = static_cast<double>(test::pick(rng, 9));
        }
        left[0] += 1.0;
        right[1] += 1.0;
        for (std::size_t c = 0; c < n; ++c) node[c] = left[c] + right[c];
        const ClassWeights of_node = weights_of(node), of_left = weights_of(left);
        CHECK(Impurity::impurity(of_node) == doctest::Approx(definition(node)).epsilon(1e-12));
        const double share = of_left.weight / of_node.weight;
        const double decrease =
            definition(node) - share * definition(left) - (1.0 - share) * definition(right);
        const double score = Impurity::score(of_left, of_node);
        CHECK(Impurity::decrease(score, of_node.weight, Impurity::part(of_node)) ==
              doctest::Approx(decrease).epsilon(1e-9));
        // A larger score is a larger decrease, on this scale.
        const double step = 1e-3;
        CHECK(Impurity::decrease(score + step * Impurity::score_per_decrease(of_node.weight),
                                 of_node.weight, Impurity::part(of_node)) ==
              doctest::Approx(decrease + step).epsilon(1e-9));
    }
}

TEST_CASE("impurities of classes are those of their definitions") {
    check_impurity<Gini>(gini);
    check_impurity<Entropy>(entropy);
    check_impurity<Misclassification>(misclassification);
}

TEST_CASE("pure nodes have no impurity") {
    const std::vector<double> pure = {0.0, 7.0, 0.0}, one = {3.0};
    CHECK(Gini::impurity(weights_of(pure)) == 0.0);
    CHECK(Entropy::impurity(weights_of(pure)) == 0.0);
    CHECK(Entropy::impurity(weights_of(one)) == 0.0);
    CHECK(Misclassification::impurity(weights_of(pure)) == 0.0);
}

TEST_CASE("squared error compares the means of both sides") {
    // Outputs 1, 2 | 6 and 10, 20 | 60: means 1.5 and 6, 15 and 60.
    const std::vector<double> left = {3.0, 30.0}, node = {9.0, 90.0};
    const Sums of_left{2.0, left, {}}, of_node{3.0, node, {}};
    const double both = 2.0 * 1.0, d0 = 4.5 * both, d1 = 45.0 * both;
    CHECK(SquaredError::score(of_left, of_node) == doctest::Approx((d0 * d0 + d1 * d1) / both));
    CHECK(FriedmanImprovement::score(of_left, of_node) ==
          doctest::Approx((d0 + d1) * (d0 + d1) / (both * 2.0)));
    CHECK(SquaredError::loss(5.0, 2.0) == 9.0);
}

TEST_CASE("a side without a positive output has no Poisson deviance") {
    const std::vector<double> none = {0.0}, some = {4.0}, whole = {4.0};
    const std::vector<double> no_positive = {0.0}, positives = {2.0};
    const Sums of_node{5.0, whole, positives};
    CHECK(PoissonDeviance::score({2.0, none, no_positive}, of_node) == -INFINITY);
    CHECK(PoissonDeviance::score({3.0, some, positives}, of_node) == -INFINITY);
    CHECK(PoissonDeviance::part(of_node) == doctest::Approx(4.0 * std::log(0.8)));
    CHECK(PoissonDeviance::loss(0.0, 3.0) == 0.0);
    CHECK(PoissonDeviance::loss(6.0, 3.0) == doctest::Approx(6.0 * std::log(2.0)));
}

}  // namespace
}  // namespace silvics
