#include <cmath>
#include <functional>
#include <limits>

#include "doctest/doctest.h"
#include "support/descend.hpp"
#include "support/made_branches.hpp"
#include "tree/branches.hpp"
#include "tree/split_rule.hpp"

namespace silvics {
namespace {

using test::Branches;

constexpr std::size_t kFeatures = 6;

bool same_bits(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

TEST_CASE("a record returns what was appended, at any offset") {
    test::Rng rng(400);
    std::vector<std::uint32_t> records, sets;
    std::vector<Branching> made;
    std::vector<std::size_t> places;
    for (int repeat = 0; repeat < 400; ++repeat) {
        const Branches kind = test::kAllBranches[1 + test::pick(rng, 4)];
        const auto n = static_cast<std::uint32_t>(2 + test::pick(rng, 4));
        made.push_back(test::random_branching(rng, kind, n, kFeatures, sets));
        CHECK(records.size() ==
              (places.empty()
                   ? 0
                   : places.back() + BranchRecord(records.data() + places.back()).size()));
        places.push_back(BranchRecord::append(made.back(), records));
    }
    for (std::size_t i = 0; i < made.size(); ++i) {
        const Branching& of = made[i];
        const BranchRecord record(records.data() + places[i]);
        CHECK(record.test() == of.test);
        CHECK(record.n_children() == of.n_children);
        CHECK(record.missing_child() == of.missing_child);
        CHECK(record.other_child() == of.other_child);
        REQUIRE(record.n_terms() == of.terms.size());
        bool same = true;
        for (std::size_t k = 0; k < of.terms.size(); ++k) {
            const Term term = record.term(k);
            same &= term.feature == of.terms[k].feature && term.share == of.terms[k].share &&
                    same_bits(term.coefficient, of.terms[k].coefficient);
        }
        if (of.test == Branching::Test::levels) {
            same &= std::ranges::equal(record.levels(), of.levels);
        } else if (of.test == Branching::Test::subset) {
            REQUIRE(record.n_cuts() == 1);
            same &= same_bits(record.subset().in_place(), of.subset.in_place());
        } else {
            REQUIRE(record.n_cuts() == of.thresholds.size());
            for (std::size_t k = 0; k < of.thresholds.size(); ++k)
                same &= same_bits(record.threshold(k), of.thresholds[k]);
        }
        same &= record.children().size() == of.n_children;
        CHECK(same);
    }
}

TEST_CASE("each value goes to the child that one cut after the other finds") {
    test::Rng rng(401);
    constexpr double kOdd[] = {NAN,  -NAN,          INFINITY, -INFINITY, -1.0,
                               -0.0, kUnknownLevel, 0.5,      1e300,     4294967295.0};
    for (int repeat = 0; repeat < 400; ++repeat) {
        const Branches kind = test::kAllBranches[1 + repeat % 4];
        Tree tree;
        tree.n_features = kFeatures;
        const auto n = static_cast<std::uint32_t>(
            (kind == Branches::thresholds || kind == Branches::levels ? 1 : 2) +
            test::pick(rng, 4));
        const Branching of = test::random_branching(rng, kind, n, kFeatures, tree.level_sets);
        BranchRecord::append(of, tree.branches);
        const BranchRecord record(tree.branches.data());
        const bool number = of.test == Branching::Test::thresholds;
        bool same = true;
        for (int i = 0; i < 60; ++i) {
            double x = i < 10 ? kOdd[i]
                       : test::pick(rng, 2) == 0
                           ? static_cast<double>(test::pick(rng, 150))
                           : static_cast<double>(test::pick(rng, 13)) / 4.0 - 1.5;
            if (of.test == Branching::Test::subset && x >= 0x1.0p32) continue;  // no level
            const bool missing = std::isnan(x) || (!number && x < 0.0 && x != kUnknownLevel);
            same &= record.child_of(x, tree.level_sets) ==
                    test::branch_of(tree, record, missing ? NAN : x);
        }
        CHECK(same);
    }
}

TEST_CASE("thresholds: up to the first, then up to the next, then the last; missing by itself") {
    Branching of;
    of.n_children = 4;
    of.missing_child = 3;
    of.thresholds = {-1.0, 2.5};
    std::vector<std::uint32_t> at;
    BranchRecord::append(of, at);
    const BranchRecord record(at.data());
    const std::vector<std::pair<double, std::uint32_t>> expected = {
        {-INFINITY, 0}, {-1.0, 0}, {std::nextafter(-1.0, 0.0), 1},
        {0.0, 1},       {2.5, 1},  {std::nextafter(2.5, 3.0), 2},
        {INFINITY, 2},  {NAN, 3}};
    for (const auto& [x, child] : expected) CHECK(record.child_of(x, {}) == child);
}

TEST_CASE("levels: each its own child, unknown ones to the other, missing ones to theirs") {
    Branching of;
    of.test = Branching::Test::levels;
    of.n_children = 3;
    of.missing_child = 2;
    of.other_child = 1;
    of.levels = {4, 4000000000};
    std::vector<std::uint32_t> at;
    BranchRecord::append(of, at);
    const BranchRecord record(at.data());
    const std::vector<std::pair<double, std::uint32_t>> expected = {
        {4.0, 0},  {4000000000.0, 1},  {0.0, 1},  {4.5, 1},
        {1e12, 1}, {kUnknownLevel, 1}, {-1.0, 2}, {NAN, 2}};
    for (const auto& [x, child] : expected) CHECK(record.child_of(x, {}) == child);
}

TEST_CASE("a combination is the sum of its terms, missing if one of them is") {
    Branching of;
    of.missing_child = 1;
    of.terms = {{2, 0.5, 0.25F}, {0, -3.0, 0.75F}};
    of.thresholds = {0.0};
    std::vector<std::uint32_t> at;
    BranchRecord::append(of, at);
    const BranchRecord record(at.data());
    const auto value = [&](std::vector<double> sample) {
        return record.value(1, [&](FeatureId f) { return sample[f]; });
    };
    CHECK(value({1.0, NAN, 4.0}) == -1.0);
    CHECK(value({-1.0, 0.0, 4.0}) == 5.0);
    CHECK(std::isnan(value({NAN, 0.0, 4.0})));
    CHECK(std::isnan(value({1.0, 0.0, NAN})));
    of.terms.clear();
    at.clear();
    BranchRecord::append(of, at);
    CHECK(BranchRecord(at.data()).value(1, [](FeatureId f) { return 10.0 + f; }) == 11.0);
}

TEST_CASE("parts of a record can be written in their place") {
    Branching of;
    of.n_children = 3;
    std::vector<std::uint32_t> at{77}, expected{77};
    SUBCASE("the rule of a subset") {
        of.test = Branching::Test::subset;
        of.subset = LevelRule(LevelRule::Form::in_place_bits, 0b101, true);
        REQUIRE(BranchRecord::append(of, at) == 1);
        of.subset = LevelRule(LevelRule::Form::coin, 12345, false);
        BranchRecord::set_subset(at, 1, of.subset);
    }
    SUBCASE("levels") {
        of.test = Branching::Test::levels;
        of.levels = {1, 4, 5};
        BranchRecord::append(of, at);
        of.levels[1] = 3;
        BranchRecord::levels_at(at, 1)[1] = 3;
    }
    SUBCASE("the child of what was not seen") {
        of.thresholds = {0.5};
        of.missing_child = 1;
        BranchRecord::append(of, at);
        of.other_child = 2;
        BranchRecord::set_unseen(at, 1, 2);
    }
    BranchRecord::append(of, expected);
    CHECK(at == expected);
    BranchRecord::children_at(at, 1)[2] = 9;
    CHECK(BranchRecord(at.data() + 1).children()[2] == 9);
    CHECK(at[BranchRecord::child_offset(1, 2)] == 9);
}

bool valid(const std::vector<std::uint32_t>& at, const std::vector<std::uint32_t>& sets = {}) {
    return BranchRecord::valid(at, kFeatures, sets);
}

std::vector<std::uint32_t> recorded(const Branching& of) {
    std::vector<std::uint32_t> at;
    BranchRecord::append(of, at);
    for (std::uint32_t k = 0; k < of.n_children; ++k)
        at[BranchRecord::child_offset(0, k)] = 2 + 3 * k;
    return at;
}

TEST_CASE("records of every kind are valid, and followed by anything") {
    test::Rng rng(402);
    for (int repeat = 0; repeat < 200; ++repeat) {
        std::vector<std::uint32_t> sets;
        const Branches kind = test::kAllBranches[1 + repeat % 4];
        const auto n = static_cast<std::uint32_t>(2 + test::pick(rng, 4));
        auto at = recorded(test::random_branching(rng, kind, n, kFeatures, sets));
        CHECK(valid(at, sets));
        at.insert(at.end(), test::pick(rng, 9), 0xFFFFFFFFU);
        CHECK(valid(at, sets));
    }
}

TEST_CASE("a record cut short anywhere is refused") {
    test::Rng rng(403);
    for (int repeat = 0; repeat < 100; ++repeat) {
        std::vector<std::uint32_t> sets;
        const Branches kind = test::kAllBranches[1 + repeat % 4];
        const auto n = static_cast<std::uint32_t>(2 + test::pick(rng, 4));
        const auto whole = recorded(test::random_branching(rng, kind, n, kFeatures, sets));
        for (std::size_t size = 0; size < whole.size(); ++size)
            CHECK_FALSE(
                valid({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}, sets));
    }
}

Branching of_thresholds() {
    Branching of;
    of.n_children = 3;
    of.missing_child = of.other_child = 0;
    of.thresholds = {1.0, 2.0};
    return of;
}
Branching of_levels() {
    Branching of;
    of.test = Branching::Test::levels;
    of.n_children = 3;
    of.missing_child = of.other_child = 2;
    of.levels = {3, 5};
    return of;
}
Branching of_subset() {
    Branching of;
    of.test = Branching::Test::subset;
    of.missing_child = of.other_child = 1;
    of.subset = LevelRule(LevelRule::Form::in_place_bits, 0b101, true);
    return of;
}

struct Damage {
    const char* what;
    Branching good;
    std::function<void(Branching&)> apply;
};

TEST_CASE("what makes no sense is refused") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double huge = std::numeric_limits<double>::infinity();
    std::vector<Damage> all = {
        {"no test", of_thresholds(), [](auto& b) { b.test = static_cast<Branching::Test>(3); }},
        {"missing goes nowhere", of_thresholds(), [](auto& b) { b.missing_child = 3; }},
        {"missing unseen", of_thresholds(), [](auto& b) { b.missing_child = Branching::kUnseen; }},
        {"too few children", of_thresholds(), [](auto& b) { b.n_children = 2; }},
        {"no child", of_thresholds(), [](auto& b) { b.n_children = 0, b.thresholds.clear(); }},
        {"unordered", of_thresholds(), [](auto& b) { b.thresholds = {2.0, 1.0}; }},
        {"equal thresholds", of_thresholds(), [](auto& b) { b.thresholds = {1.0, 1.0}; }},
        {"first is NaN", of_thresholds(), [=](auto& b) { b.thresholds[0] = nan; }},
        {"last is NaN", of_thresholds(), [=](auto& b) { b.thresholds[1] = -nan; }},
        {"variable", of_thresholds(), [](auto& b) { b.terms = {{kFeatures, 1.0, 1.0F}}; }},
        {"coefficient NaN", of_thresholds(), [=](auto& b) { b.terms = {{0, nan, 1.0F}}; }},
        {"coefficient infinite", of_thresholds(), [=](auto& b) { b.terms = {{0, -huge, 1.0F}}; }},
        {"second coefficient", of_thresholds(),
         [=](auto& b) { b.terms = {{0, 1.0, 0.5F}, {1, nan, 0.5F}}; }},
        {"share NaN", of_thresholds(), [](auto& b) { b.terms = {{0, 1.0, NAN}}; }},
        {"share negative", of_thresholds(), [](auto& b) { b.terms = {{0, 1.0, -0.1F}}; }},
        {"share above one", of_thresholds(), [](auto& b) { b.terms = {{0, 1.0, 1.1F}}; }},
        {"levels twice", of_levels(), [](auto& b) { b.levels = {3, 3}; }},
        {"levels unordered", of_levels(), [](auto& b) { b.levels = {5, 3}; }},
        {"more levels than children", of_levels(), [](auto& b) { b.levels = {1, 2, 3, 4}; }},
        {"others go nowhere", of_levels(), [](auto& b) { b.other_child = 3; }},
        {"others unseen", of_levels(), [](auto& b) { b.other_child = Branching::kUnseen; }},
        {"levels of a combination", of_levels(), [](auto& b) { b.terms = {{0, 1.0, 1.0F}}; }},
        {"a subset for one child", of_subset(),
         [](auto& b) { b.n_children = 1, b.missing_child = 0; }},
        {"a subset of a combination", of_subset(), [](auto& b) { b.terms = {{0, 1.0, 1.0F}}; }},
        {"a subset by number", of_subset(), [](auto& b) { b.subset = LevelRule(1.0); }},
        {"a subset by NaN", of_subset(), [=](auto& b) { b.subset = LevelRule(nan); }},
        {"a subset out of range", of_subset(),
         [](auto& b) { b.subset = LevelRule(LevelRule::Form::apart, 5, false); }},
        {"a pending subset", of_subset(), [](auto& b) { b.subset = LevelRule::pending(0); }},
        {"a record in a record", of_subset(),
         [](auto& b) { b.subset = SplitRule::record(0).levels(); }},
    };
    for (auto& [what, of, apply] : all) {
        CAPTURE(std::string(what));
        CHECK(valid(recorded(of)));
        apply(of);
        CHECK_FALSE(valid(recorded(of)));
    }
}

TEST_CASE("a record has one subset") {
    const std::size_t n_cuts = 5;  // the word
    auto none = recorded(of_subset()), two = none;
    none[n_cuts] = 0;
    CHECK_FALSE(valid(none));
    const std::uint32_t low = two[two.size() - 2], high = two.back();
    two.insert(two.end(), {low, high});
    CHECK(valid(two));
    two[n_cuts] = 2;
    CHECK_FALSE(valid(two));
}

TEST_CASE("a record is valid whatever its children: a tree looks at them") {
    for (const Branching& of : {of_thresholds(), of_levels(), of_subset()})
        for (std::uint32_t k = 0; k < of.n_children; ++k)
            for (const std::uint32_t child : {0U, 0x80000000U, 0xFFFFFFFFU}) {
                auto at = recorded(of);
                at[BranchRecord::child_offset(0, k)] = child;
                CHECK(valid(at));
            }
}

TEST_CASE("sizes that wrap around are refused") {
    for (const std::size_t place : {1U, 4U, 5U})
        for (const std::uint32_t size :
             {0xFFFFFFFFU, 0xFFFFFFFEU, 0x80000000U, 0x40000000U, 0x3FFFFFFFU}) {
            for (const Branching& of : {of_thresholds(), of_levels(), of_subset()}) {
                auto at = recorded(of);
                at[place] = size;
                CHECK_FALSE(valid(at));
            }
        }
}

TEST_CASE("infinite thresholds are thresholds") {
    Branching of = of_thresholds();
    of.thresholds = {-INFINITY, INFINITY};
    CHECK(valid(recorded(of)));
}

}  // namespace
}  // namespace silvics
