#include <algorithm>
#include <numeric>

#include "doctest/doctest.h"
#include "importance/choice.hpp"
#include "support/problem.hpp"

namespace silvics {
namespace {

struct Outcome {
    double decrease, probability;
};
using Outcomes = std::vector<std::vector<Outcome>>;  // of each variable; none: it has no offer

constexpr double kTie = 0.01;

// Probabilities by trying all there is: every order in which variables can be drawn, and every
// combination of what those drawn may offer.
struct Enumeration {
    std::vector<std::vector<double>> chosen;      // [variable][outcome]
    std::vector<std::vector<double>> with_other;  // [winner][another one drawn]

    Enumeration(const Outcomes& outcomes, std::size_t n_drawn) : outcomes_(outcomes) {
        const std::size_t n = outcomes.size();
        for (const auto& of : outcomes) chosen.emplace_back(of.size(), 0.0);
        with_other.assign(n, std::vector<double>(n, 0.0));
        std::vector<std::size_t> order(n);
        std::iota(order.begin(), order.end(), std::size_t{0});
        double n_orders = 0.0;
        do {
            n_orders += 1.0;
            draw(order, n_drawn);
        } while (std::ranges::next_permutation(order).found);
        for (auto* table : {&chosen, &with_other})
            for (auto& row : *table)
                for (double& v : row) v /= n_orders;
    }

private:
    void draw(const std::vector<std::size_t>& order, std::size_t n_drawn) {
        std::vector<std::size_t> drawn;
        for (std::size_t i = 0; i < order.size(); ++i)
            if ((i < n_drawn || drawn.empty()) && !outcomes_[order[i]].empty())
                drawn.push_back(order[i]);
        std::vector<std::size_t> which(drawn.size(), 0);
        offer(drawn, which, 0, 1.0);
    }

    void offer(const std::vector<std::size_t>& drawn, std::vector<std::size_t>& which,
               std::size_t i, double probability) {
        if (i == drawn.size()) return decide(drawn, which, probability);
        const auto& mine = outcomes_[drawn[i]];
        for (which[i] = 0; which[i] < mine.size(); ++which[i])
            offer(drawn, which, i + 1, probability * mine[which[i]].probability);
    }

    void decide(const std::vector<std::size_t>& drawn, const std::vector<std::size_t>& which,
                double probability) {
        const auto decrease = [&](std::size_t i) { return outcomes_[drawn[i]][which[i]].decrease; };
        double most = 0.0;
        for (std::size_t i = 0; i < drawn.size(); ++i) most = std::max(most, decrease(i));
        std::vector<std::size_t> best;
        for (std::size_t i = 0; i < drawn.size(); ++i)
            if (decrease(i) >= most - kTie) best.push_back(i);
        const double each = probability / static_cast<double>(best.size());
        for (const std::size_t i : best) {
            chosen[drawn[i]][which[i]] += each;
            for (const std::size_t other : drawn)
                if (other != drawn[i]) with_other[drawn[i]][other] += each;
        }
    }

    const Outcomes& outcomes_;
};

// Few different decreases, and rounding that is no difference.
double some_decrease(test::Rng& rng) {
    return static_cast<double>(test::pick(rng, 4)) +
           0.002 * static_cast<double>(test::pick(rng, 3));
}

Outcomes some_outcomes(test::Rng& rng, std::size_t n, std::size_t n_without, std::size_t most) {
    Outcomes outcomes(n);
    for (std::size_t j = n_without; j < n; ++j) {
        double whole = 0.0;
        for (std::size_t left = 1 + test::pick(rng, most); left > 0; --left) {
            outcomes[j].push_back({some_decrease(rng), test::pick_real(rng, 0.1, 1.0)});
            whole += outcomes[j].back().probability;
        }
        for (Outcome& outcome : outcomes[j]) outcome.probability /= whole;
    }
    std::ranges::shuffle(outcomes, rng);
    return outcomes;
}

std::vector<Offer> offers_of(const Outcomes& outcomes) {
    std::vector<Offer> offers;
    for (std::size_t j = 0; j < outcomes.size(); ++j)
        for (std::uint32_t i = 0; i < outcomes[j].size(); ++i)
            offers.push_back(
                {outcomes[j][i].decrease, outcomes[j][i].probability, j, i, i + 1, -1.0});
    return offers;
}

Draw draw_of(const Outcomes& outcomes, std::size_t n_drawn) {
    std::size_t n_without = 0;
    for (const auto& of : outcomes) n_without += of.empty();
    return {n_drawn, outcomes.size(), n_without, kTie};
}

void check_chosen(const std::vector<Offer>& offers, const Enumeration& expected) {
    double whole = 0.0;
    for (const Offer& offer : offers) {
        CHECK(offer.chosen ==
              doctest::Approx(expected.chosen[offer.variable][offer.low]).epsilon(1e-12));
        whole += offer.chosen;
    }
    CHECK(whole == doctest::Approx(1.0).epsilon(1e-12));
}

// Every number of variables, of those without an offer, and of those drawn.
template <class Call>
void for_draws(std::size_t most_variables, Call&& call) {
    for (std::size_t n = 1; n <= most_variables; ++n)
        for (std::size_t n_without = 0; n_without < n; ++n_without)
            for (std::size_t n_drawn = 1; n_drawn <= n; ++n_drawn) {
                CAPTURE(n);
                CAPTURE(n_without);
                CAPTURE(n_drawn);
                call(n, n_without, n_drawn);
            }
}

TEST_CASE("probabilities of sure offers equal the sum over all drawn sets") {
    test::Rng rng(180);
    for_draws(6, [&](std::size_t n, std::size_t n_without, std::size_t n_drawn) {
        for (int repeat = 0; repeat < 3; ++repeat) {
            const Outcomes outcomes = some_outcomes(rng, n, n_without, 1);
            std::vector<Offer> offers = offers_of(outcomes);
            choose_among_sure(offers, draw_of(outcomes, n_drawn));
            CHECK(std::ranges::is_sorted(offers, std::greater{}, &Offer::decrease));
            CHECK(offers.size() == n - n_without);
            check_chosen(offers, Enumeration(outcomes, n_drawn));
        }
    });
}

TEST_CASE("probabilities of random offers equal the sum over all drawn sets and combinations") {
    test::Rng rng(181);
    for_draws(5, [&](std::size_t n, std::size_t n_without, std::size_t n_drawn) {
        for (int repeat = 0; repeat < 3; ++repeat) {
            const Outcomes outcomes = some_outcomes(rng, n, n_without, 3);
            std::vector<Offer> offers = offers_of(outcomes);
            choose_among_random(offers, draw_of(outcomes, n_drawn));
            check_chosen(offers, Enumeration(outcomes, n_drawn));
        }
    });
}

TEST_CASE(
    "probabilities of a choice and another variable drawn equal the sum over all drawn sets") {
    test::Rng rng(182);
    for_draws(6, [&](std::size_t n, std::size_t n_without, std::size_t n_drawn) {
        const Outcomes outcomes = some_outcomes(rng, n, n_without, 1);
        std::vector<Offer> offers = offers_of(outcomes);
        std::ranges::stable_sort(offers, std::greater{}, &Offer::decrease);
        const std::vector<double> got = chosen_with_other(offers, draw_of(outcomes, n_drawn));
        const Enumeration expected(outcomes, n_drawn);
        REQUIRE(got.size() == offers.size() * offers.size());
        for (std::size_t i = 0; i < offers.size(); ++i)
            for (std::size_t j = 0; j < offers.size(); ++j)
                CHECK(got[i * offers.size() + j] ==
                      doctest::Approx(expected.with_other[offers[i].variable][offers[j].variable])
                          .epsilon(1e-12));
    });
}

TEST_CASE("offers that all tie are as likely as one another") {
    for_draws(6, [&](std::size_t n, std::size_t n_without, std::size_t n_drawn) {
        Outcomes outcomes(n);
        for (std::size_t j = n_without; j < n; ++j) outcomes[j] = {{0.0, 1.0}};
        std::vector<Offer> sure = offers_of(outcomes), random = sure;
        choose_among_sure(sure, draw_of(outcomes, n_drawn));
        choose_among_random(random, draw_of(outcomes, n_drawn));
        for (const auto* offers : {&sure, &random})
            for (const Offer& offer : *offers)
                CHECK(offer.chosen * static_cast<double>(n - n_without) ==
                      doctest::Approx(1.0).epsilon(1e-12));
    });
}

TEST_CASE("if all are drawn the best wins, and a variable that never wins has no chance") {
    const Outcomes outcomes = {{{1.0, 1.0}}, {{3.0, 1.0}}, {}, {{2.0, 1.0}}};
    std::vector<Offer> offers = offers_of(outcomes);
    choose_among_sure(offers, draw_of(outcomes, 4));
    CHECK(offers[0].variable == 1);
    CHECK(offers[0].chosen == 1.0);
    CHECK(offers[1].chosen == 0.0);
    CHECK(offers[2].chosen == 0.0);
}

TEST_CASE("offers that are sure are chosen alike as random ones, of many variables too") {
    test::Rng rng(183);
    for (const std::size_t n_drawn : {1U, 2U, 7U, 30U, 59U, 60U}) {
        const Outcomes outcomes = some_outcomes(rng, 60, 13, 1);
        std::vector<Offer> sure = offers_of(outcomes), random = sure;
        choose_among_sure(sure, draw_of(outcomes, n_drawn));
        choose_among_random(random, draw_of(outcomes, n_drawn));
        std::ranges::sort(sure, {}, &Offer::variable);
        for (std::size_t i = 0; i < sure.size(); ++i)
            CHECK(sure[i].chosen == doctest::Approx(random[i].chosen).epsilon(1e-10));
    }
}

TEST_CASE("a whole is drawn first, and then one of its parts that has an offer") {
    test::Rng rng(184);
    for (int repeat = 0; repeat < 50; ++repeat) {
        const std::size_t n = 1 + test::pick(rng, 7);
        std::vector<std::uint32_t> part_of(n);
        for (auto& whole : part_of) whole = static_cast<std::uint32_t>(test::pick(rng, n));
        std::vector<Offer> offers;
        std::vector<std::vector<std::size_t>> parts(n);
        for (std::size_t j = 0; j < n; ++j) {
            if (test::pick(rng, 3) == 0 && j + 1 < n) continue;  // used already
            offers.push_back({some_decrease(rng), 1.0, j, 0, 0, -1.0});
            parts[part_of[j]].push_back(j);
        }
        std::erase_if(parts, [](const auto& of) { return of.empty(); });
        std::vector<double> expected(n, 0.0);
        for (const auto& of : parts)
            for (const std::size_t j : of)
                expected[j] +=
                    1.0 / static_cast<double>(parts.size()) / static_cast<double>(of.size());
        choose_by_part(offers, part_of);
        for (const Offer& offer : offers)
            CHECK(offer.chosen == doctest::Approx(expected[offer.variable]).epsilon(1e-12));
    }
}

}  // namespace
}  // namespace silvics
