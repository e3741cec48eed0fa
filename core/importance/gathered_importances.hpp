// Sums of impurity decreases by degree, by context and by cut.
#pragma once

#include <bit>
#include <cstdint>
#include <unordered_map>

#include "base/hash.hpp"
#include "importance/node_of_distribution.hpp"
#include "importance/randomized_trees.hpp"

namespace silvics {

struct BitsHash {
    std::size_t operator()(const Bits& bits) const {
        std::uint64_t key = 0;
        for (const std::uint64_t word : bits) key = scatter(key ^ word) + 0x9E3779B97F4A7C15ULL;
        return key;
    }
};

class GatheredImportances {
public:
    GatheredImportances(const Distribution& d, const RandomizedTrees& trees)
        : d_(d),
          part_of_(trees.part_of),
          most_in_context_(trees.most_in_context),
          p_(n_reported(d, trees)),
          set_((p_ + 63) / 64) {
        if (!part_of_.empty())
            sums_.by_cut = {std::vector<double>(d.n_variables, 0.0)};
        else if (trees.splits != TreeSplits::multiway)
            for (const std::uint32_t n : d.n_levels) sums_.by_cut.emplace_back(n - 1, 0.0);
        if (trees.wants_hidden) sums_.hidden.assign(p_ * p_, 0.0);
    }

    // The number of variables in the result: parts are reported as their whole.
    static std::size_t n_reported(const Distribution& d, const RandomizedTrees& trees) {
        if (trees.part_of.empty()) return d.n_variables;
        return *std::ranges::max_element(trees.part_of) + std::size_t{1};
    }

    // Adds a test of variable j at a node of this weight, below tests of the variables in `above`.
    void add(std::size_t j, std::span<const std::uint64_t> above, double weight, double decrease) {
        if (part_of_.empty()) {
            set_.assign(above.begin(), above.end());
        } else {
            std::ranges::fill(set_, 0);
            for (std::size_t i = 0; i < part_of_.size(); ++i)
                if (has_bit(above, i)) set_bit(set_, part_of_[i]);
            sums_.by_cut[0][j] += decrease;
            j = part_of_[j];
        }
        set_[j / 64] &= ~(std::uint64_t{1} << (j % 64));
        std::size_t degree = 0;
        for (const std::uint64_t word : set_)
            degree += static_cast<std::size_t>(std::popcount(word));
        if (by_degree_.size() <= degree) by_degree_.resize(degree + 1);
        if (by_degree_[degree].empty()) by_degree_[degree].resize(p_, 0.0);
        by_degree_[degree][j] += decrease;
        if (degree > most_in_context_) return;
        key_.assign(set_.begin(), set_.end());
        key_.push_back(j);
        Sum& sum = contexts_[key_];
        sum.weight += weight;
        sum.decrease += decrease;
    }

    // Divides a decrease over the gaps between the levels `low` and `high`, by their widths.
    void add_cut(std::size_t j, std::uint32_t low, std::uint32_t high, double decrease) {
        const std::vector<double>& v = d_.values[j];
        const double width = v[high] - v[low];
        for (std::uint32_t l = low; l < high; ++l)
            sums_.by_cut[j][l] += decrease * (v[l + 1] - v[l]) / width;
    }

    void add_hidden(std::size_t j, std::size_t by, double decrease) {
        sums_.hidden[j * p_ + by] += decrease;
    }

    // Adds the sums of another object.
    void add(const GatheredImportances& other) {
        const auto plus = [](std::vector<double>& to, const std::vector<double>& from) {
            for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
        };
        by_degree_.resize(std::max(by_degree_.size(), other.by_degree_.size()));
        for (std::size_t k = 0; k < other.by_degree_.size(); ++k) {
            if (other.by_degree_[k].empty()) continue;
            by_degree_[k].resize(p_, 0.0);
            plus(by_degree_[k], other.by_degree_[k]);
        }
        plus(sums_.hidden, other.sums_.hidden);
        for (std::size_t j = 0; j < sums_.by_cut.size(); ++j)
            plus(sums_.by_cut[j], other.sums_.by_cut[j]);
        for (const auto& [key, sum] : other.contexts_) {
            contexts_[key].weight += sum.weight;
            contexts_[key].decrease += sum.decrease;
        }
    }

    // All sums, divided by a number. Contexts are sorted, so that the order of the hash table does
    // not matter.
    TreeImportances finish(double divisor);

private:
    struct Sum {
        double weight = 0.0, decrease = 0.0;
    };
    const Distribution& d_;
    const std::vector<std::uint32_t>& part_of_;
    std::size_t most_in_context_, p_;
    Bits set_, key_;
    TreeImportances sums_;
    std::vector<std::vector<double>>
        by_degree_;  // [degree][variable]; empty if no test has the degree
    // The key is the bits of the set, followed by the variable.
    std::unordered_map<Bits, Sum, BitsHash> contexts_;
};

inline TreeImportances GatheredImportances::finish(double divisor) {
    const auto divide = [&](std::vector<double>& values) {
        for (double& v : values) v /= divisor;
    };
    sums_.by_degree.assign(p_ * p_, 0.0);
    for (std::size_t k = 0; k < by_degree_.size(); ++k)
        for (std::size_t j = 0; j < by_degree_[k].size(); ++j)
            sums_.by_degree[j * p_ + k] = by_degree_[k][j] / divisor;
    divide(sums_.hidden);
    for (auto& cuts : sums_.by_cut) divide(cuts);
    for (const auto& [key, sum] : contexts_)
        if (sum.weight > 0.0)
            sums_.contexts.push_back({static_cast<std::uint32_t>(key.back()),
                                      Bits(key.begin(), key.end() - 1), sum.weight / divisor,
                                      sum.decrease / divisor});
    std::ranges::sort(sums_.contexts, [](const ContextSum& a, const ContextSum& b) {
        return a.variable != b.variable ? a.variable < b.variable : a.set < b.set;
    });
    return std::move(sums_);
}

}  // namespace silvics
