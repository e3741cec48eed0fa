#include "importance/choice.hpp"

#include <algorithm>
#include <cmath>

namespace silvics {
namespace {

// The binomial coefficient C(n, k), which is zero for negative arguments.
double choose(std::ptrdiff_t n, std::ptrdiff_t k) {
    if (k < 0 || k > n) return 0.0;
    double product = 1.0;
    for (std::ptrdiff_t i = 1; i <= std::min(k, n - k); ++i)
        product =
            product * static_cast<double>(n - std::min(k, n - k) + i) / static_cast<double>(i);
    return std::round(product);
}

// The probability that none of `n` given variables is drawn.
double none_of(std::size_t n, const Draw& draw) {
    if (draw.n_drawn > draw.n_variables - n) return 0.0;
    double product = 1.0;
    for (std::size_t i = 0; i < draw.n_drawn; ++i)
        product *= static_cast<double>(draw.n_variables - n - i) /
                   static_cast<double>(draw.n_variables - i);
    return product;
}

// The end of the offers that tie with offers[first]; they are sorted by decrease.
std::size_t end_of_ties(std::span<const Offer> offers, std::size_t first, double tie) {
    std::size_t end = first + 1;
    while (end < offers.size() && offers[end].decrease >= offers[first].decrease - tie) ++end;
    return end;
}

}  // namespace

void choose_among_sure(std::span<Offer> offers, const Draw& draw) {
    std::ranges::stable_sort(offers, std::greater{}, &Offer::decrease);
    const double all_without = draw.n_without == 0 ? 0.0 : none_of(offers.size(), draw);
    const double when_redrawn = all_without / static_cast<double>(offers.size());
    double none_better = 1.0;
    for (std::size_t first = 0; first < offers.size();) {
        const std::size_t end = end_of_ties(offers, first, draw.tie);
        const double none_as_good = none_of(end, draw);
        const double each = (none_better - none_as_good) / static_cast<double>(end - first);
        for (std::size_t i = first; i < end; ++i) offers[i].chosen = each + when_redrawn;
        none_better = none_as_good;
        first = end;
    }
}

void choose_among_random(std::span<Offer> offers, const Draw& draw) {
    if (draw.n_drawn == 1) {  // all variables with offers are equally likely
        std::size_t n_offering = 0;
        for (std::size_t i = 0; i < offers.size(); ++i)
            n_offering += i == 0 || offers[i].variable != offers[i - 1].variable;
        for (Offer& offer : offers)
            offer.chosen = offer.probability / static_cast<double>(n_offering);
        return;
    }
    struct Run {
        std::size_t begin, end;
    };
    std::vector<Run> runs;
    for (std::size_t i = 0; i < offers.size(); ++i) {
        if (i == 0 || offers[i].variable != offers[i - 1].variable) runs.push_back({i, i});
        runs.back().end = i + 1;
    }
    const std::size_t K = draw.n_drawn;
    const auto n_choices = [&](std::size_t n, std::size_t k) {
        return choose(static_cast<std::ptrdiff_t>(n), static_cast<std::ptrdiff_t>(k));
    };
    const double all_choices = n_choices(draw.n_variables, K);
    const double all_without =
        draw.n_without == 0 ? 0.0 : n_choices(draw.n_without, K) / all_choices;
    const double when_redrawn = all_without / static_cast<double>(runs.size());
    // drawn[k * K + t]: the sum, over all sets of k other variables with offers, of the probability
    // that t of them offer the same decrease and none offers more.
    std::vector<double> drawn(K * K);
    for (std::size_t r = 0; r < runs.size(); ++r) {
        for (std::size_t o = runs[r].begin; o < runs[r].end; ++o) {
            std::ranges::fill(drawn, 0.0);
            drawn[0] = 1.0;
            for (std::size_t other = 0; other < runs.size(); ++other) {
                if (other == r) continue;
                double less = 0.0, same = 0.0;
                for (std::size_t i = runs[other].begin; i < runs[other].end; ++i) {
                    const double ahead = offers[i].decrease - offers[o].decrease;
                    if (ahead < -draw.tie)
                        less += offers[i].probability;
                    else if (ahead <= draw.tie)
                        same += offers[i].probability;
                }
                for (std::size_t k = K - 1; k > 0; --k)
                    for (std::size_t t = k + 1; t-- > 0;)
                        drawn[k * K + t] += drawn[(k - 1) * K + t] * less +
                                            (t > 0 ? drawn[(k - 1) * K + t - 1] * same : 0.0);
            }
            double sum = 0.0;
            for (std::size_t k = 0; k < K; ++k) {
                const double rest = n_choices(draw.n_without, K - 1 - k);
                for (std::size_t t = 0; t <= k; ++t)
                    sum += drawn[k * K + t] * rest / static_cast<double>(t + 1);
            }
            offers[o].chosen = offers[o].probability * (sum / all_choices + when_redrawn);
        }
    }
}

void choose_by_part(std::span<Offer> offers, std::span<const std::uint32_t> part_of) {
    std::vector<std::size_t> n_parts(part_of.size(),
                                     0);  // there are at most as many wholes as parts
    std::size_t n_wholes = 0;
    for (const Offer& offer : offers) n_wholes += n_parts[part_of[offer.variable]]++ == 0;
    for (Offer& offer : offers)
        offer.chosen = 1.0 / static_cast<double>(n_wholes * n_parts[part_of[offer.variable]]);
}

std::vector<double> chosen_with_other(std::span<const Offer> offers, const Draw& draw) {
    const std::size_t n = offers.size();
    std::vector<double> found(n * n, 0.0);
    const auto K = static_cast<std::ptrdiff_t>(draw.n_drawn);
    const double all_choices = choose(static_cast<std::ptrdiff_t>(draw.n_variables), K);
    for (std::size_t first = 0; first < n;) {
        const std::size_t end = end_of_ties(offers, first, draw.tie);
        const auto ties = static_cast<std::ptrdiff_t>(end - first - 1);
        const auto worse = static_cast<std::ptrdiff_t>(draw.n_variables - end);
        double with_worse = 0.0, with_tied = 0.0;
        for (std::ptrdiff_t t = 0; t <= std::min(ties, K - 1); ++t) {
            const double share = 1.0 / static_cast<double>(t + 1) / all_choices;
            with_worse += choose(ties, t) * choose(worse - 1, K - 2 - t) * share;
            if (t > 0) with_tied += choose(ties - 1, t - 1) * choose(worse, K - 1 - t) * share;
        }
        for (std::size_t i = first; i < end; ++i) {
            for (std::size_t j = first; j < end; ++j)
                if (j != i) found[i * n + j] = with_tied;
            for (std::size_t j = end; j < n; ++j) found[i * n + j] = with_worse;
        }
        first = end;
    }
    return found;
}

}  // namespace silvics
