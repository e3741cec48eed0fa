// Splits of the general splitter at one node, against their definitions.
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "doctest/doctest.h"
#include "sampling/feature_draw.hpp"
#include "splitter/column_ranges.hpp"
#include "splitter/general/general_splitter.hpp"
#include "splitter/make_splitter.hpp"
#include "support/mixed_table.hpp"

namespace silvics {
namespace {

using Samples = std::vector<std::pair<RowId, double>>;  // with their weights

struct AtNode {
    test::MixedTable mixed;
    Target target;
    LearningSubset subset;
    SearchRules rules{};
    SampleOrder order{};
    std::vector<FeatureId> features{};
    std::unique_ptr<Splitter> splitter{};

    AtNode(test::MixedTable table, Target y, LearningSubset learning)
        : mixed(std::move(table)), target(std::move(y)), subset(std::move(learning)) {
        features = FeatureDraw::first_features(mixed.table().n_features());
        rules.general = true;
        rules.adjust_levels = false;
        rules.max_features = features.size();
        ThreadTeam team(1, nullptr);
        rules.ranges = column_ranges(mixed.table(), team);
        rules.edges = column_edges(mixed.table(), rules.max_values, team);
    }
    // What it says of levels and children stays until the next.
    std::optional<Split> find(NodeSamples node = {}) {
        order = {};
        const char* criterion = target.classification() ? "gini" : "squared_error";
        splitter = find_criterion(criterion).make_splitter(
            {mixed.table(), target, subset, rules, test::kNeverStop, order, features});
        order.rows = subset.rows;
        node.n = order.size();
        splitter->enter(node);
        Constants constants(features.size());
        return splitter->find_split(node, constants);
    }
    double decrease(const Split& split) const {
        return std::ldexp(split.decrease, splitter->impurity_exponent());
    }
    Samples samples() const {
        Samples all;
        for (const RowId row : subset.rows) all.emplace_back(row, subset.weight(row));
        return all;
    }
    double impurity(const Samples& of) const {
        double whole = 0.0, mean = 0.0, sum = 0.0;
        std::map<ClassId, double> classes;
        for (const auto& [row, w] : of) whole += w;
        if (target.classification()) {
            for (const auto& [row, w] : of) classes[target.classes[row]] += w / whole;
            for (const auto& [c, share] : classes) sum += share * (1.0 - share);
            return sum;
        }
        for (const auto& [row, w] : of) mean += w / whole * target.original[row];
        for (const auto& [row, w] : of)
            sum += w / whole * (target.original[row] - mean) * (target.original[row] - mean);
        return sum;
    }
    // The decrease of a split into these parts; empty parts are ignored.
    double decrease(const std::vector<Samples>& parts) const {
        const Samples all = samples();
        const auto mass = [&](const Samples& of) {
            double whole = 0.0;
            for (const auto& [row, w] : of) whole += w;
            return of.empty() ? 0.0 : whole * impurity(of);
        };
        double whole = 0.0, left = mass(all);
        for (const auto& [row, w] : all) whole += w;
        for (const Samples& part : parts) left -= mass(part);
        return left / whole;
    }
    // use(threshold) for the middles of all gaps of a variable.
    void for_gaps(std::size_t f, const std::function<void(double)>& use) const {
        std::set<double> values;
        for (const auto& [row, w] : samples())
            if (const double x = mixed.value(row, f); !std::isnan(x)) values.insert(x);
        for (auto at = values.begin(); at != values.end(); ++at)
            if (std::next(at) != values.end()) use((*at + *std::next(at)) / 2);
    }
    // Left, right, and those of no value.
    std::vector<Samples> parted(std::size_t f, const std::function<bool(double)>& left) const {
        std::vector<Samples> parts(3);
        for (const auto& [row, w] : samples()) {
            const double x = mixed.value(row, f);
            parts[std::isnan(x) ? 2 : left(x) ? 0 : 1].emplace_back(row, w);
        }
        return parts;
    }
};

AtNode random_node(test::Rng& rng, const std::vector<ClassId>& n_classes, test::Weights weights,
                   bool missing = true, bool categories = true, std::size_t n = 40) {
    auto mixed = test::mixed_table(rng, n, missing, categories);
    Target target = test::mixed_target(rng, mixed, n_classes);
    return {std::move(mixed), std::move(target), test::random_subset(rng, n, weights)};
}

const std::vector<std::vector<ClassId>> kTargets = {{2}, {}};

// run(node) for nodes of every target and weights.
void for_nodes(std::uint64_t seed, bool missing, bool categories,
               const std::function<void(AtNode&)>& run) {
    test::Rng rng(seed);
    for (const auto& n_classes : kTargets)
        for (const test::Weights weights : test::kAllWeights)
            for (int repeat = 0; repeat < 4; ++repeat) {
                AtNode node = random_node(rng, n_classes, weights, missing, categories);
                run(node);
            }
}

TEST_CASE("multiway: a child for each value, of the variable that gains the most") {
    for_nodes(520, true, true, [](AtNode& node) {
        node.rules.kind = SplitKind::multiway;
        double best = -INFINITY;
        std::size_t of = 0, n_parts = 0;
        for (std::size_t f = 0; f < 5; ++f) {
            std::map<double, Samples> by_value;
            for (const auto& [row, w] : node.samples()) {
                double x = node.mixed.value(row, f);
                if (std::isnan(x))
                    x = INFINITY;
                else if (!node.mixed.category(f))
                    x = static_cast<double>(std::ranges::count_if(
                        node.rules.edges[f], [&](double edge) { return edge < x; }));
                by_value[x].emplace_back(row, w);
            }
            std::vector<Samples> parts;
            for (const auto& [x, samples] : by_value) parts.push_back(samples);
            const double decrease = node.decrease(parts);
            if (decrease <= best) continue;
            best = decrease;
            of = f;
            n_parts = parts.size();
        }
        const auto split = node.find();
        REQUIRE(split);
        CHECK(split->feature == of);
        CHECK(node.decrease(*split) == doctest::Approx(best));
        REQUIRE(split->general->branches);
        CHECK(split->general->branching.n_children == n_parts);
        CHECK(std::accumulate(split->general->sizes.begin(), split->general->sizes.end(),
                              std::size_t{0}) == 40);
    });
}

// The best of all splits, by the worth of one: of numbers all gaps, of levels all subsets.
double best_of_all(const AtNode& node,
                   const std::function<double(std::size_t, std::vector<Samples>)>& worth) {
    double best = -INFINITY;
    for (std::size_t f = 0; f < 5; ++f) {
        const auto offer = [&](std::vector<Samples> parts) {
            if (!parts[0].empty() && !parts[1].empty())
                best = std::max(best, worth(f, std::move(parts)));
        };
        if (!node.mixed.category(f)) {
            node.for_gaps(
                f, [&](double at) { offer(node.parted(f, [&](double x) { return x <= at; })); });
            continue;
        }
        for (std::size_t set = 1; set < 128; ++set)
            offer(node.parted(
                f, [&](double x) { return (set >> static_cast<std::size_t>(x) & 1) != 0; }));
    }
    return best;
}

TEST_CASE("apart: the best split in two of known values, with a child for the others") {
    for_nodes(521, true, true, [](AtNode& node) {
        node.rules.missing = MissingRule::apart;
        const double best =
            best_of_all(node, [&](std::size_t, const auto& parts) { return node.decrease(parts); });
        const auto split = node.find();
        REQUIRE(split);
        CHECK(node.decrease(*split) == doctest::Approx(best));
        REQUIRE(split->general->branches);
        CHECK(split->general->branching.n_children == 3);
        CHECK(split->general->branching.missing_child == 2);
    });
}

TEST_CASE("both: the best split in two where half of what is missing is on either side") {
    for_nodes(522, true, false, [](AtNode& node) {
        node.rules.missing = MissingRule::both;
        const auto worth = [&](std::size_t, std::vector<Samples> parts) {
            for (const auto& [row, w] : parts[2]) {
                parts[0].emplace_back(row, w / 2);
                parts[1].emplace_back(row, w / 2);
            }
            parts.pop_back();
            return node.decrease(parts);
        };
        node.subset.whole_weights = false;  // as build_tree has it
        const double best = best_of_all(node, worth);
        const auto split = node.find();
        REQUIRE(split);
        CHECK(node.decrease(*split) == doctest::Approx(best));
        CHECK(split->general->copied == (split->feature == 1));
        if (split->general->copied)
            CHECK(node.order.size() == 40 + split->n_left + split->general->n_right);
    });
}

TEST_CASE("gain ratio at a node: each variable by its own best cut") {
    for_nodes(523, false, false, [](AtNode& node) {
        node.rules.choice = Choice::gain_ratio;
        std::vector<double> gains(5, -INFINITY), ratios(5, 0.0);
        for (std::size_t f = 0; f < 5; ++f)
            node.for_gaps(f, [&](double at) {
                const auto parts = node.parted(f, [&](double x) { return x <= at; });
                const double gain = node.decrease(parts);
                if (gain <= gains[f]) return;
                double w[2] = {0.0, 0.0};
                for (const int side : {0, 1})
                    for (const auto& [row, weight] : parts[static_cast<std::size_t>(side)])
                        w[side] += weight;
                const double p = w[0] / (w[0] + w[1]);
                gains[f] = gain;
                ratios[f] = gain / (-p * std::log2(p) - (1 - p) * std::log2(1 - p));
            });
        const double mean = std::accumulate(gains.begin(), gains.end(), 0.0) / 5.0;
        std::size_t best = 5;
        for (std::size_t f = 0; f < 5; ++f)
            if (gains[f] >= mean && (best == 5 || ratios[f] > ratios[best])) best = f;
        const auto split = node.find();
        REQUIRE(split);
        CHECK(split->feature == best);
        CHECK(node.decrease(*split) == doctest::Approx(gains[best]));
    });
}

TEST_CASE("one of the best: among all cuts of all variables, evenly") {
    test::Rng rng(524);
    AtNode node = random_node(rng, {}, test::Weights::unit, false, false, 20);
    node.rules.choice = Choice::one_of_best;
    node.rules.n_best = 4;
    std::vector<std::pair<double, std::pair<FeatureId, double>>> all;
    for (FeatureId f = 0; f < 5; ++f)
        node.for_gaps(f, [&](double at) {
            all.push_back(
                {node.decrease(node.parted(f, [&](double x) { return x <= at; })), {f, at}});
        });
    std::ranges::sort(all, std::greater{});
    std::vector<double> counts(4, 0.0);
    for (StreamKey key = 0; key < 2000; ++key) {
        NodeSamples at;
        at.key = derive(1, key);
        const auto split = node.find(at);
        REQUIRE(split);
        for (std::size_t i = 0; i < 4; ++i)
            counts[i] += split->feature == all[i].second.first &&
                         std::fabs(split->threshold - all[i].second.second) < 1e-12;
    }
    for (const double n : counts) CHECK(std::fabs(n - 500.0) < 5.0 * std::sqrt(375.0));
}

TEST_CASE("oblique: the best cut on sums of some numbers, in units of their ranges") {
    for_nodes(525, false, true, [](AtNode& node) {
        node.rules.kind = SplitKind::oblique;
        node.rules.n_combined = 2;
        node.rules.max_features = 1;
        for (StreamKey key = 0; key < 20; ++key) {
            NodeSamples at;
            at.key = derive(2, key);
            const auto split = node.find(at);
            if (!split || !split->general->branches) continue;  // a category
            const auto& terms = split->general->branching.terms;
            REQUIRE(terms.size() == 2);
            CHECK(terms[0].feature != terms[1].feature);
            CHECK(terms[0].share + terms[1].share == doctest::Approx(1.0));
            double a[2];
            for (const std::size_t i : {0U, 1U}) {
                CHECK_FALSE(node.mixed.category(terms[i].feature));
                const auto [low, high] = node.rules.ranges[terms[i].feature];
                a[i] = std::fabs(terms[i].coefficient) * (high - low);
                CHECK(a[i] <= 1.0);
            }
            CHECK(terms[0].share == doctest::Approx(a[0] / (a[0] + a[1])));
            std::map<double, Samples> by_sum;
            for (const auto& [row, w] : node.samples())
                by_sum[terms[0].coefficient * node.mixed.value(row, terms[0].feature) +
                       terms[1].coefficient * node.mixed.value(row, terms[1].feature)]
                    .emplace_back(row, w);
            double best = -INFINITY;
            std::vector<Samples> parts(2);
            for (const auto& [sum, of] : by_sum)
                parts[1].insert(parts[1].end(), of.begin(), of.end());
            for (const auto& [sum, of] : by_sum) {
                parts[0].insert(parts[0].end(), of.begin(), of.end());
                parts[1].erase(parts[1].begin(),
                               parts[1].begin() + static_cast<std::ptrdiff_t>(of.size()));
                if (!parts[1].empty()) best = std::max(best, node.decrease(parts));
            }
            CHECK(node.decrease(*split) == doctest::Approx(best));
        }
    });
}

TEST_CASE("a split must pass the test of independence, and the strongest dependence is taken") {
    test::Rng rng(526);
    std::size_t n_splits = 0, n_none = 0;
    for (int repeat = 0; repeat < 120; ++repeat) {
        AtNode node =
            random_node(rng, repeat % 2 == 0 ? std::vector<ClassId>{2} : std::vector<ClassId>{},
                        test::Weights::unit, false, false, 30);
        if (repeat % 3 != 0)  // nothing depends on anything
            node.target = repeat % 2 == 0 ? test::random_classes(rng, 30, {2})
                                          : test::random_reals(rng, 30, 1);
        node.rules.choice = Choice::significant;
        node.rules.significance = 0.3;
        double least = INFINITY;
        std::size_t best = 0;
        const std::vector<double> ones(30, 1.0);
        for (std::size_t f = 0; f < 5; ++f) {
            std::vector<double> x;
            for (RowId row = 0; row < 30; ++row) x.push_back(node.mixed.value(row, f));
            const Margin y{node.target.original, node.target.classes,
                           node.target.classification() ? 2U : 0U};
            const double p = p_value_of_independence({x, {}, 0}, y, ones);
            if (p < least) best = f;
            least = std::min(least, p);
        }
        const auto split = node.find();
        CHECK(split.has_value() == (5.0 * least <= 0.3));
        if (split) CHECK(split->feature == best);
        (split ? n_splits : n_none) += 1;
    }
    CHECK(n_splits > 20);
    CHECK(n_none > 20);
}

TEST_CASE("the permutation test finds something by chance as often as its level says") {
    test::Rng rng(527);
    std::size_t found = 0, total = 0;
    for (int repeat = 0; repeat < 300; ++repeat, ++total) {
        AtNode node = random_node(rng, {}, test::Weights::unit, false, false, 15);
        node.target = test::random_reals(rng, 15, 1);
        node.rules.significance = 0.2;
        node.rules.n_permutations = 19;
        NodeSamples at;
        at.key = derive(3, static_cast<std::uint64_t>(repeat));
        found += node.find(at).has_value();
    }
    CHECK(std::fabs(static_cast<double>(found) - 60.0) < 5.0 * std::sqrt(48.0));
}

}  // namespace
}  // namespace silvics
