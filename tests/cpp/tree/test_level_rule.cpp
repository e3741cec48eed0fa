#include <bit>
#include <cmath>
#include <set>

#include "doctest/doctest.h"
#include "support/problem.hpp"
#include "tree/level_rule.hpp"

namespace silvics {
namespace {

using Form = LevelRule::Form;
using Sets = std::vector<std::uint32_t>;
using Levels = std::vector<Level>;
using test::Rng;

constexpr std::uint32_t kListBit = std::uint32_t{1} << 31;

// Checks the side of every level, and of several levels beyond the last one named.
void check_rule(const LevelRule& rule, const Levels& left, const Levels& right, bool others_left,
                const Sets& sets) {
    CHECK(std::isnan(rule.in_place()));
    CHECK(rule.valid(sets));
    CHECK(rule.others_left() == others_left);
    // What a node keeps is all of it.
    const LevelRule kept(rule.in_place());
    CHECK(kept.form() == rule.form());
    CHECK(kept.content() == rule.content());
    const std::set<Level> in_left(left.begin(), left.end()), in_right(right.begin(), right.end());
    std::set<Level> asked = {0,  1,  31,    32,    46,         47,        48,
                             63, 64, 65535, 65536, 0x7FFFFFFF, 0xFFFFFFFF};
    for (const auto& levels : {left, right})
        for (const Level level : levels)
            for (const Level near : {level - 1, level, level + 1, level + 32}) asked.insert(near);
    bool right_side = true;
    for (const Level level : asked) {
        const bool expected = in_left.contains(level)    ? true
                              : in_right.contains(level) ? false
                                                         : others_left;
        right_side &= kept.goes_left(level, sets) == expected;
    }
    CHECK(right_side);
}

LevelRule checked_rule(const Levels& left, const Levels& right, bool others_left, Sets& sets) {
    const std::size_t before = sets.size();
    const LevelRule rule = LevelRule::of(left, right, others_left, sets);
    check_rule(rule, left, right, others_left, sets);
    CHECK((rule.form() == Form::apart) == (sets.size() > before));
    return rule;
}

TEST_CASE("a set of the first 47 levels fits into the node") {
    Sets sets;
    for (const bool others_left : {false, true}) {
        CHECK(checked_rule({0}, {1}, others_left, sets).form() == Form::in_place_bits);
        CHECK(checked_rule({46}, {0}, others_left, sets).form() == Form::in_place_bits);
        CHECK(checked_rule({0, 46}, {45}, others_left, sets).form() == Form::in_place_bits);
        CHECK(checked_rule({}, {}, others_left, sets).form() == Form::in_place_bits);
        Levels all(47);
        std::iota(all.begin(), all.end(), Level{0});
        CHECK(checked_rule(all, {}, others_left, sets).form() == Form::in_place_bits);
        CHECK(checked_rule({}, all, others_left, sets).form() == Form::in_place_bits);
    }
    CHECK(sets.empty());
}

TEST_CASE("levels that go where others go need no place, however far") {
    Sets sets;
    CHECK(checked_rule({3, 1000000}, {2, 5}, true, sets).form() == Form::in_place_bits);
    CHECK(checked_rule({2, 5}, {3, 1000000}, false, sets).form() == Form::in_place_bits);
    CHECK(sets.empty());
}

TEST_CASE("a small number of large levels is stored as a list in the level sets") {
    for (const bool others_left : {false, true}) {
        Sets sets = {9, 9, 9};  // of other nodes
        const Levels named = {70000, 12, 500}, others = {3, 47};
        const LevelRule rule = others_left ? checked_rule(others, named, true, sets)
                                           : checked_rule(named, others, false, sets);
        CHECK(rule.form() == Form::apart);
        CHECK(rule.content() == 3);
        CHECK(sets == Sets{9, 9, 9, kListBit | 3, 12, 500, 70000});
    }
}

TEST_CASE("many levels are bits apart") {
    for (const bool others_left : {false, true}) {
        Sets sets = {7};
        const Levels named = {1, 33, 47, 64}, others = {0, 2};
        const LevelRule rule = others_left ? checked_rule(others, named, true, sets)
                                           : checked_rule(named, others, false, sets);
        CHECK(rule.form() == Form::apart);
        CHECK(rule.content() == 1);
        REQUIRE(sets.size() == 1 + 1 + 3);
        CHECK(sets[1] == 65);
        const std::uint32_t flip = others_left ? ~0U : 0U;
        CHECK(sets[2] == (0x2U ^ flip));
        CHECK(sets[3] == (0x8002U ^ flip));
        CHECK(sets[4] == (0x1U ^ flip));
    }
}

TEST_CASE("level 47 alone, which just does not fit") {
    for (const bool others_left : {false, true}) {
        Sets sets;
        const LevelRule rule =
            others_left ? checked_rule({}, {47}, true, sets) : checked_rule({47}, {}, false, sets);
        CHECK(rule.form() == Form::apart);
    }
}

TEST_CASE("levels go to the side of their set, for all forms of rules in one tree") {
    Rng rng(200);
    Sets sets;
    std::vector<LevelRule> rules;
    std::vector<std::pair<Levels, Levels>> said;
    std::size_t lists = 0, bits = 0;
    for (int repeat = 0; repeat < 400; ++repeat) {
        const std::size_t kinds[] = {3, 10, 46, 47, 48, 64, 65, 200, 3000, 100000};
        const std::size_t n_levels = kinds[test::pick(rng, 10)];
        const std::size_t n_named = 1 + test::pick(rng, std::min<std::size_t>(n_levels, 300));
        std::set<Level> seen;
        Levels side[2];
        for (std::size_t i = 0; i < n_named; ++i) {
            const auto level = static_cast<Level>(test::pick(rng, n_levels));
            if (seen.insert(level).second) side[test::pick(rng, 2)].push_back(level);
        }
        const bool others_left = test::pick(rng, 2) == 0;
        const std::size_t at = sets.size();
        rules.push_back(checked_rule(side[0], side[1], others_left, sets));
        said.push_back({side[0], side[1]});
        if (rules.back().form() == Form::apart) ++((sets[at] & kListBit) != 0 ? lists : bits);
        // No larger than the other kind of set would be.
        const auto& differing = others_left ? side[1] : side[0];
        if (!differing.empty())
            CHECK(
                sets.size() - at <=
                1 + std::min<std::size_t>(differing.size(), std::ranges::max(differing) / 32 + 1));
    }
    CHECK(lists > 20);
    CHECK(bits > 20);
    // Those made later have not touched those made before.
    for (std::size_t i = 0; i < rules.size(); ++i)
        check_rule(rules[i], said[i].first, said[i].second, rules[i].others_left(), sets);
}

TEST_CASE("every level has a fair coin of its own, and a seed of 47 bits") {
    const Sets none;
    Rng rng(201);
    std::size_t heads = 0, pairs[4] = {};
    for (int repeat = 0; repeat < 200; ++repeat) {
        const std::uint64_t seed = rng() >> 17;
        for (const bool others_left : {false, true}) {
            const LevelRule rule(Form::coin, seed, others_left);
            CHECK(rule.form() == Form::coin);
            CHECK(rule.content() == seed);
            CHECK(rule.others_left() == others_left);
            CHECK(rule.valid(none));
            bool same = true;
            for (Level level = 0; level < 100; ++level)
                same &= LevelRule(rule.in_place()).goes_left(level, none) ==
                        LevelRule::coin(seed, level);
            CHECK(same);
        }
        for (Level level = 0; level < 100; ++level) {
            heads += LevelRule::coin(seed, level);
            ++pairs[2 * LevelRule::coin(seed, level) + LevelRule::coin(seed, level + 1)];
        }
    }
    // 20,000 throws: within five standard deviations, and neighbours have nothing in common.
    CHECK(std::abs(static_cast<double>(heads) - 10000.0) < 5 * std::sqrt(5000.0));
    for (const std::size_t pair : pairs)
        CHECK(std::abs(static_cast<double>(pair) - 5000.0) < 5 * std::sqrt(20000.0 * 3 / 16));
}

TEST_CASE("the content of a rule touches nothing else") {
    for (const Form form : {Form::in_place_bits, Form::coin, Form::apart})
        for (const bool others_left : {false, true})
            for (const std::uint64_t content :
                 {std::uint64_t{0}, LevelRule::kContent, ~std::uint64_t{0}}) {
                const LevelRule rule(form, content, others_left);
                CHECK(rule.form() == form);
                CHECK(rule.others_left() == others_left);
                CHECK(rule.content() == (content & LevelRule::kContent));
                CHECK(std::isnan(rule.in_place()));
            }
}

TEST_CASE("numbers that are not rules are not valid") {
    const Sets sets = {kListBit | 2, 5, 60, 40, 0xFFFFFFFF, 0xFF};  // a list, then 40 bits
    const auto valid = [&](double in_place, const Sets& of) {
        return LevelRule(in_place).valid(of);
    };
    const auto rule = [](Form form, std::uint64_t content) {
        return LevelRule(form, content, false).in_place();
    };
    CHECK(valid(rule(Form::apart, 0), sets));
    CHECK(valid(rule(Form::apart, 3), sets));
    CHECK(valid(rule(Form::in_place_bits, 0), {}));
    CHECK(valid(rule(Form::coin, 0), {}));
    // Numbers, and NaN that nobody wrote as a rule.
    for (const double number : {0.0, -2.0, 1e300, static_cast<double>(INFINITY), -HUGE_VAL,
                                static_cast<double>(NAN), -static_cast<double>(NAN)})
        CHECK_FALSE(valid(number, sets));
    const auto bits = [](std::uint64_t b) { return std::bit_cast<double>(b); };
    const auto few = std::bit_cast<std::uint64_t>(rule(Form::in_place_bits, 0));
    CHECK(valid(bits(few), sets));
    CHECK_FALSE(valid(bits(few | 1ULL << 63), sets));
    CHECK_FALSE(valid(bits(few & ~(1ULL << 51)), sets));  // a signaling one
    for (std::uint64_t form = 0; form < 8; ++form)
        CHECK(valid(bits((few & ~(7ULL << 48)) | form << 48), sets) == (form >= 1 && form <= 3));
    // Sets that are not there, or not whole, or not in order.
    CHECK_FALSE(valid(rule(Form::apart, 0), {}));
    CHECK_FALSE(valid(rule(Form::apart, 6), sets));
    CHECK_FALSE(valid(rule(Form::apart, LevelRule::kContent), sets));
    CHECK_FALSE(valid(rule(Form::apart, 4), sets));  // a list of 2^31 - 1
    CHECK_FALSE(valid(rule(Form::apart, 5), sets));  // 255 bits
    CHECK_FALSE(valid(rule(Form::apart, 0), {kListBit | 2, 60, 5}));
    CHECK_FALSE(valid(rule(Form::apart, 0), {kListBit | 3, 5, 60}));
    CHECK_FALSE(valid(rule(Form::apart, 0), {33, 0}));
    CHECK(valid(rule(Form::apart, 0), {32, 0}));
    CHECK(valid(rule(Form::apart, 0), {0}));
    CHECK(valid(rule(Form::apart, 0), {kListBit}));
}

}  // namespace
}  // namespace silvics
