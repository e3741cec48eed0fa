// Which of the variables drawn at a node wins, in probability: K are drawn without replacement,
// the largest decrease is taken, and ties are broken at random.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace silvics {

// What a variable offers: one decrease for sure, or one of several.
struct Offer {
    double decrease = 0.0;
    double probability = 1.0;  // that the variable, once drawn, offers this one
    std::size_t variable = 0;
    std::uint32_t low = 0, high = 0;  // levels that a cut lies between; not of multiway splits
    double chosen = 0.0;              // the probability sought
};

struct Draw {
    std::size_t n_drawn = 1;      // K
    std::size_t n_variables = 0;  // that it is drawn from
    // Of these, those that have no offer: they count, but never win. If all that are drawn are
    // such, drawing goes on until one is not.
    std::size_t n_without = 0;
    double tie = 0.0;  // decreases no further apart are the same
};

// Sets `chosen` of offers, of which each variable has one.
void choose_among_sure(std::span<Offer> offers, const Draw& draw);
// The same for variables with several offers; those of a variable lie together.
void choose_among_random(std::span<Offer> offers, const Draw& draw);

// The same for variables that are parts of others, of which one is drawn, and then a part of it.
void choose_by_part(std::span<Offer> offers, std::span<const std::uint32_t> part_of);

// Of sure offers by falling decrease: the probability that i is chosen while another one, j, has
// been drawn. At [i * n + j].
std::vector<double> chosen_with_other(std::span<const Offer> offers, const Draw& draw);

}  // namespace silvics
