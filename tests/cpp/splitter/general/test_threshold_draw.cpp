// How the general splitter draws cuts: distributions on one variable.
#include <cmath>
#include <functional>

#include "doctest/doctest.h"
#include "sampling/feature_draw.hpp"
#include "splitter/column_ranges.hpp"
#include "splitter/make_splitter.hpp"
#include "support/problem.hpp"

namespace silvics {
namespace {

// Cuts drawn at nodes of these values and classes.
struct Cuts {
    std::vector<double> x;
    std::vector<std::int64_t> y;
    SearchRules rules{};
    std::vector<double> weights{};

    std::vector<double> draw(std::size_t n, const Cells& cells = {}, Cells::CellId cell = 0) {
        const test::Matrix X = test::column_of(x);
        const Table table = test::coded(X);
        const Target target = class_target(y, y.size(), {2});
        const LearningSubset subset = test::subset_of(x.size(), weights);
        ThreadTeam team(1, nullptr);
        rules.random_cut = rules.general = true;
        rules.ranges = column_ranges(table, team);
        const auto features = FeatureDraw::first_features(1);
        NodeSamples::Place place;
        place.cells = &cells;
        place.cell = cell;
        std::vector<double> cuts;
        for (std::size_t i = 0; i < n; ++i) {
            SampleOrder order;
            const auto splitter = find_criterion("gini").make_splitter(
                {table, target, subset, rules, test::kNeverStop, order, features});
            order.rows = subset.rows;
            NodeSamples node;
            node.n = x.size();
            node.key = derive(1, i);
            node.place = &place;
            splitter->enter(node);
            Constants constants(1);
            const auto split = splitter->find_split(node, constants);
            if (split) cuts.push_back(split->threshold);
        }
        return cuts;
    }
};

double share_below(const std::vector<double>& cuts, double at) {
    return static_cast<double>(std::ranges::count_if(cuts, [&](double c) { return c < at; })) /
           static_cast<double>(cuts.size());
}

// To five standard deviations.
void check_shares(const std::vector<double>& cuts, const std::function<double(double)>& below) {
    for (double at = 0.25; at < 10.0; at += 0.75) {
        const double p = below(at);
        const double slack =
            5.0 * std::sqrt(p * (1.0 - p) / static_cast<double>(cuts.size())) + 1e-9;
        CHECK(std::fabs(share_below(cuts, at) - p) <= slack);
    }
}

Cuts three_values() { return {{0.0, 1.0, 10.0}, {0, 1, 1}}; }

TEST_CASE("uniform: between the least value and the largest") {
    Cuts of = three_values();
    const auto cuts = of.draw(4000);
    CHECK(cuts.size() == 4000);
    check_shares(cuts, [](double at) { return at / 10.0; });
}

TEST_CASE("gap: every gap between neighbours is as likely, then uniform") {
    Cuts of = three_values();
    of.rules.cut_draw = CutDraw::gap;
    check_shares(of.draw(4000),
                 [](double at) { return at < 1.0 ? at / 2.0 : 0.5 + (at - 1.0) / 18.0; });
}

TEST_CASE("between a pair of different output: uniform between two such samples") {
    Cuts of = three_values();
    of.rules.cut_draw = CutDraw::pair;
    const auto below = [](double at) { return 0.5 * std::min(at, 1.0) + 0.5 * at / 10.0; };
    check_shares(of.draw(4000), below);
    // By weight: the pair of one and ten three times as likely.
    of.weights = {1.0, 1.0, 3.0};
    check_shares(of.draw(4000),
                 [](double at) { return 0.25 * std::min(at, 1.0) + 0.75 * at / 10.0; });
}

TEST_CASE("the middle is that of the values, or of relevant variables alone") {
    Cuts of = three_values();
    of.rules.cut_draw = CutDraw::middle;
    for (const double cut : of.draw(20)) CHECK(cut == 5.0);
    of.rules.cut_draw = CutDraw::relevance;
    of.rules.relevant = {1};
    for (const double cut : of.draw(20)) CHECK(cut == 5.0);
    of.rules.relevant = {0};
    check_shares(of.draw(4000), [](double at) { return at / 10.0; });
}

TEST_CASE("cells are cut on their side, whatever values are there") {
    Cells cells;
    const Cells::CellId left = cells.cut(Cells::whole(), 0, 8.0, true);
    const Cells::CellId both = cells.cut(left, 0, 2.0, false);
    Cuts of = three_values();
    of.rules.cut_draw = CutDraw::cell_middle;
    for (const double cut : of.draw(20, cells)) CHECK(cut == 5.0);
    for (const double cut : of.draw(20, cells, left)) CHECK(cut == 4.0);
    for (const double cut : of.draw(20, cells, both)) CHECK(cut == 5.0);
    of.rules.cut_draw = CutDraw::cell_uniform;
    check_shares(of.draw(4000, cells), [](double at) { return at / 10.0; });
    const auto cuts = of.draw(4000, cells, both);
    CHECK(cuts.size() == 4000);  // parts the samples or not
    check_shares(cuts, [](double at) { return std::clamp((at - 2.0) / 6.0, 0.0, 1.0); });
}

TEST_CASE("a pair is found however rare its output is") {
    Cuts of{{0.0, 1.0, 2.0, 3.0, 4.0}, {0, 0, 0, 0, 1}};
    of.rules.cut_draw = CutDraw::pair;
    of.weights = {1.0, 1.0, 1.0, 1.0, 1e-6};
    CHECK(of.draw(3).size() == 3);
}

}  // namespace
}  // namespace silvics
