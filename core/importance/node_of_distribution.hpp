// A node of a tree that is grown on a distribution, and the splits that its variables offer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "importance/choice.hpp"
#include "importance/distribution.hpp"
#include "importance/randomized_trees.hpp"

namespace silvics {

using Bits = std::vector<std::uint64_t>;

inline bool has_bit(std::span<const std::uint64_t> bits, std::size_t j) {
    return (bits[j / 64] >> (j % 64) & 1) != 0;
}

inline void set_bit(std::span<std::uint64_t> bits, std::size_t j) {
    bits[j / 64] |= std::uint64_t{1} << (j % 64);
}

// Computes the statistics of a node's rows by the levels of one variable at a time.
class NodeOfDistribution {
public:
    explicit NodeOfDistribution(const Distribution& d)
        : d_(d), impurity_(d), whole_(d.width), left_(d.width), right_(d.width) {
        std::uint32_t most = 0;
        for (const std::uint32_t n : d.n_levels) most = std::max(most, n);
        by_level_.resize(most * d.width);
        count_.resize(most, 0);
    }

    void open(std::span<const std::uint32_t> rows) {
        rows_ = rows;
        std::ranges::fill(whole_, 0.0);
        for (const std::uint32_t r : rows) add(whole_.data(), d_.statistics_of(r));
        mass_ = impurity_(whole_.data());
    }
    double mass() const { return mass_; }  // weight times impurity
    double weight() const { return impurity_.weight(whole_.data()); }

    // Sums the statistics by the levels of variable j. Returns the levels that occur, ascending.
    const std::vector<std::uint32_t>& count(std::size_t j) {
        for (const std::uint32_t l : present_) count_[l] = 0;
        present_.clear();
        const std::uint32_t* levels = d_.levels_of(j);
        for (const std::uint32_t r : rows_) {
            const std::uint32_t l = levels[r];
            double* sums = &by_level_[l * d_.width];
            if (count_[l]++ == 0) {
                present_.push_back(l);
                std::copy_n(d_.statistics_of(r), d_.width, sums);
            } else {
                add(sums, d_.statistics_of(r));
            }
        }
        std::ranges::sort(present_);
        return present_;
    }

    // After count(): weight times the decrease of a multiway split.
    double decrease_of_all() const {
        double children = 0.0;
        for (const std::uint32_t l : present_) children += impurity_(&by_level_[l * d_.width]);
        return std::max(0.0, mass_ - children);
    }

    // After count(): call(k, decrease) for the cut after each level present_[k] but the last.
    template <class Call>
    void for_cuts(Call&& call) {
        std::ranges::fill(left_, 0.0);
        right_ = whole_;
        for (std::size_t k = 0; k + 1 < present_.size(); ++k) {
            const double* sums = &by_level_[present_[k] * d_.width];
            for (std::size_t c = 0; c < d_.width; ++c) {
                left_[c] += sums[c];
                right_[c] -= sums[c];
            }
            call(k, std::max(0.0, mass_ - impurity_(left_.data()) - impurity_(right_.data())));
        }
    }

    // After count(): the probability that a uniform cut falls after present_[k].
    double share_of_gap(std::size_t j, std::size_t k) const {
        const std::vector<double>& v = d_.values[j];
        const double range = v[present_.back()] - v[present_.front()];
        return (v[present_[k + 1]] - v[present_[k]]) / range;
    }

    // Appends the offers of variable j. A constant variable has none if splits are binary.
    void offers(std::size_t j, TreeSplits splits, double tie, std::vector<Offer>& out) {
        count(j);
        if (splits == TreeSplits::multiway) {
            out.push_back({decrease_of_all(), 1.0, j, 0, 0, 0.0});
            return;
        }
        if (present_.size() < 2) return;
        if (splits == TreeSplits::random_cut) {
            for_cuts([&](std::size_t k, double decrease) {
                out.push_back({decrease, share_of_gap(j, k), j, present_[k], present_[k + 1], 0.0});
            });
            return;
        }
        Offer best{-1.0, 1.0, j, 0, 0, 0.0};
        for_cuts([&](std::size_t k, double decrease) {
            if (best.decrease < 0.0 || decrease > best.decrease + tie)
                best = {decrease, 1.0, j, present_[k], present_[k + 1], 0.0};
        });
        out.push_back(best);
    }

    const WeightedImpurity& impurity() const { return impurity_; }

private:
    void add(double* to, const double* from) const {
        for (std::size_t c = 0; c < d_.width; ++c) to[c] += from[c];
    }

    const Distribution& d_;
    WeightedImpurity impurity_;
    std::span<const std::uint32_t> rows_;
    std::vector<double> whole_, left_, right_, by_level_;
    std::vector<std::uint32_t> count_, present_;
    double mass_ = 0.0;
};

// Tolerances: decreases that differ by at most `at(mass)` tie, since they may differ by rounding
// only.
class Ties {
public:
    explicit Ties(const Distribution& d) {
        NodeOfDistribution root(d);
        std::vector<std::uint32_t> rows(d.n_rows);
        for (std::uint32_t r = 0; r < d.n_rows; ++r) rows[r] = r;
        root.open(rows);
        least_ = 1e-14 * root.mass();
    }
    double at(double mass) const { return 1e-10 * mass + least_; }
    bool is_pure(double mass) const { return mass <= least_; }

private:
    double least_;
};

}  // namespace silvics
