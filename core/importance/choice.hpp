// The probability that each variable is chosen at a node: K variables are drawn without
// replacement, the one with the largest decrease is chosen, and ties are broken at random.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace silvics {

// A split that a variable offers. A variable has one offer, or several with probabilities.
struct Offer {
    double decrease = 0.0;
    double probability = 1.0;  // of this offer, if the variable is drawn
    std::size_t variable = 0;
    std::uint32_t low = 0, high = 0;  // levels around a cut; unused by multiway splits
    double chosen = 0.0;              // result: the probability that this offer is chosen
};

struct Draw {
    std::size_t n_drawn = 1;      // K
    std::size_t n_variables = 0;  // the number of variables to draw from
    // The number of variables without an offer. They count as drawn, but are never chosen. If all
    // drawn variables are such, drawing continues until one has an offer.
    std::size_t n_without = 0;
    double tie = 0.0;  // decreases that differ by at most this tie
};

// Sets `chosen` of all offers, if each variable has one.
void choose_among_sure(std::span<Offer> offers, const Draw& draw);
// The same for variables with several offers. The offers of a variable are adjacent.
void choose_among_random(std::span<Offer> offers, const Draw& draw);

// The same for variables that are parts of others: one whole is drawn, and then one of its parts.
void choose_by_part(std::span<Offer> offers, std::span<const std::uint32_t> part_of);

// For one offer per variable, sorted by decreasing decrease: element [i * n + j] is the probability
// that i is chosen and j is drawn as well.
std::vector<double> chosen_with_other(std::span<const Offer> offers, const Draw& draw);

}  // namespace silvics
