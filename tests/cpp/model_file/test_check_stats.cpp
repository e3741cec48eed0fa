// Statistics that were tampered with.
#include <cmath>

#include "doctest/doctest.h"
#include "model_file/check_stats.hpp"
#include "model_file/made_stats.hpp"
#include "predictor/packed_tree.hpp"

namespace silvics {
namespace {

using test::Rng;

// Copies of the arrays, to be changed.
struct Copy {
    TrainingStats stats;
    std::vector<std::uint8_t> layout;
    std::vector<std::int32_t> exponent;
    std::vector<double> samples, weights, impurity, class_weights, node_values;
    std::vector<std::uint64_t> first_impurity, first_class_weight, first_node_value;
    NumberStore store_of_samples, store_of_weights;
    bool whole_weights;

    explicit Copy(const TrainingStats& from) {
        const auto copy = [](const auto& all, auto& to) { to.assign(all.begin(), all.end()); };
        copy(from.layout, layout);
        copy(from.impurity_exponent, exponent);
        std::visit([&](auto all) { copy(all, samples); }, from.samples);
        std::visit([&](auto all) { copy(all, weights); }, from.weights);
        whole_weights = !std::holds_alternative<std::span<const double>>(from.weights);
        copy(from.impurity, impurity);
        copy(from.class_weights, class_weights);
        copy(from.node_values, node_values);
        copy(from.first_impurity, first_impurity);
        copy(from.first_class_weight, first_class_weight);
        copy(from.first_node_value, first_node_value);
    }
    const TrainingStats& changed() {
        stats.layout = layout;
        stats.impurity_exponent = exponent;
        stats.samples = store_of_samples.put(samples, true);
        stats.weights = store_of_weights.put(weights, whole_weights);
        stats.impurity = impurity;
        stats.class_weights = class_weights;
        stats.node_values = node_values;
        stats.first_impurity = first_impurity;
        stats.first_class_weight = first_class_weight;
        stats.first_node_value = first_node_value;
        return stats;
    }
};

TEST_CASE("statistics that were changed are refused, or still make valid trees") {
    Rng rng(11);
    const double strange[] = {0.0, -1.0, 0.5, 1e-200, 1e200, 1e308, HUGE_VAL, NAN, 3.0};
    std::size_t refused = 0, accepted = 0;
    for (const auto& trees : test::stored_forests()) {
        if (trees.size() > 1 && test::pick(rng, 3) != 0) continue;
        const PackedForest packed = pack(trees);
        const TrainingStats stats = stats_of(packed, trees);
        for (int trial = 0; trial < 60; ++trial) {
            Copy copy(stats);
            const auto change = [&](auto& numbers) {
                using T = typename std::decay_t<decltype(numbers)>::value_type;
                if (numbers.empty()) return;
                if (test::pick(rng, 8) == 0) return numbers.pop_back();
                T& one = numbers[test::pick(rng, numbers.size())];
                if constexpr (std::is_same_v<T, double>)
                    one = strange[test::pick(rng, std::size(strange))];
                else
                    one = static_cast<T>(one + test::pick(rng, 7) - 3);
            };
            switch (test::pick(rng, 9)) {
                case 0:
                    change(copy.layout);
                    break;
                case 1:
                    change(copy.exponent);
                    break;
                case 2:
                    copy.samples[test::pick(rng, copy.samples.size())] = 0.0;
                    break;
                case 3:
                    change(copy.weights);
                    copy.whole_weights = false;
                    break;
                case 4:
                    change(copy.impurity);
                    break;
                case 5:
                    change(copy.class_weights);
                    break;
                case 6:
                    change(copy.node_values);
                    break;
                case 7:
                    change(copy.first_impurity);
                    break;
                default:
                    change(copy.first_class_weight);
                    change(copy.first_node_value);
            }
            const TrainingStats& changed = copy.changed();
            try {
                check_stats(packed, changed);
            } catch (const std::invalid_argument&) {
                ++refused;
                continue;
            }
            ++accepted;
            for (const SharedTree& tree : trees_of(packed, changed)) {
                CHECK_NOTHROW(check_tree(*tree));
                CHECK_NOTHROW(expand(*tree));
            }
        }
    }
    CHECK(refused > 1000);
    CHECK(accepted > 1000);
}

TEST_CASE("a leaf of several classes has the weight of its row, one of a single class any") {
    for (const std::vector<ClassId>& n_classes : {std::vector<ClassId>{3}, {2, 2}})
        for (const bool pruned : {false, true}) {
            StoredTree tree = test::tree_example({"gini", n_classes, test::Weights::unit, 9}).tree;
            if (pruned) tree = prune(tree, INFINITY);  // one leaf
            const std::vector<SharedTree> trees(2, std::make_shared<const StoredTree>(tree));
            const PackedForest packed = pack(trees);
            const TrainingStats stats = stats_of(packed, trees);
            const PackedTree of_one(packed, 0);
            std::vector<bool> mixed;
            for (Place t = 0; t < of_one.n_places(); ++t)
                for (std::uint32_t k = 0; k < of_one.n_children(t); ++k)
                    if (const Child child = of_one.child(t, k); child.leaf())
                        mixed.push_back(child.content() >= packed.n_pure());
            Copy copy(stats);
            REQUIRE(copy.weights.size() == 2 * mixed.size());
            REQUIRE(copy.whole_weights);
            for (std::size_t i = 0; i < copy.weights.size(); ++i)
                for (const double by : {-1.0, 1.0, 300.0}) {
                    const double before = copy.weights[i];
                    if (before + by <= 0.0) continue;
                    copy.weights[i] += by;
                    if (mixed[i % mixed.size()])
                        CHECK_THROWS_AS(check_stats(packed, copy.changed()), std::invalid_argument);
                    else
                        CHECK_NOTHROW(check_stats(packed, copy.changed()));
                    copy.weights[i] = before;
                }
            CHECK_NOTHROW(check_stats(packed, copy.changed()));
        }
}

TEST_CASE("an impurity that is none is refused, whichever it is") {
    const StoredTree tree = test::tree_example({"squared_error", {}, test::Weights::unit, 30}).tree;
    const std::vector<SharedTree> one{std::make_shared<const StoredTree>(tree)};
    const PackedForest packed = pack(one);
    Copy copy(stats_of(packed, one));
    REQUIRE(is_compact(copy.layout[0]));
    if (copy.impurity.empty()) {
        copy.impurity.assign(copy.samples.size(), 0.5);
        copy.first_impurity = {0, copy.impurity.size()};
    }
    for (double& impurity : copy.impurity) {
        const double before = impurity;
        for (const double good : {0.0, -0.0, 1e-310, 1e120}) {
            impurity = good;
            CHECK_NOTHROW(check_stats(packed, copy.changed()));
        }
        for (const double bad :
             {-1e-310, 1.1e120, HUGE_VAL, -HUGE_VAL, std::nan("1"), -std::nan("")}) {
            impurity = bad;
            CHECK_THROWS_AS(check_stats(packed, copy.changed()), std::invalid_argument);
        }
        impurity = before;
    }
}

}  // namespace
}  // namespace silvics
