// The scan of criteria whose score is that of one weighted sum: squared error of one output and
// Gini of two classes, which is most of what is ever grown. The same cuts, scores and ties as
// scan_thresholds, in two plain loops: running sums first, then all scores, several at a time.
#pragma once

#include <span>
#include <vector>

#include "splitter/gather.hpp"
#include "splitter/node_sort.hpp"
#include "splitter/scan_thresholds.hpp"

namespace silvics {

class SumScan {
public:
    void sorted(const OneSum& node, std::span<const std::uint64_t> keys) {
        resize(keys.size());
        const auto sample = [&](std::size_t i) -> const WeightedTerm& {
            return node.samples[static_cast<Position>(keys[i])];
        };
        std::size_t m = 0;  // the group at hand
        const std::size_t last = keys.size() - 1;
        if (node.exact) {  // any order of sums is as good; every sample writes, the last one stays
            WeightedTerm sum;
            for (std::size_t i = 0; i < last; ++i) {
                put(m, sum += sample(i), i + 1, code_of(keys[i]));
                m += code_of(keys[i]) != code_of(keys[i + 1]);
            }
            put(m, sum += sample(last), last + 1, code_of(keys[last]));
        } else {
            WeightedTerm sum, group;
            for (std::size_t i = 0; i <= last; ++i) {
                group += sample(i);
                if (i < last && code_of(keys[i]) == code_of(keys[i + 1])) continue;
                put(m, sum += group, i + 1, code_of(keys[i]));
                m += i < last;
                group = {};
            }
        }
        n_groups_ = m + 1;
    }

    void histogram(const OneSum& node, std::span<const Code> codes, CodeRange range,
                   const StopFlag& stop) {
        cells_.assign(range.size(), {});
        counts_.assign(range.size(), 0);
        in_blocks(codes.size(), stop, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const std::size_t cell = codes[i] - range.low;
                ++counts_[cell];
                cells_[cell] += node.samples[i];
            }
        });
        resize(range.size());
        WeightedTerm sum;
        std::size_t n_left = 0;
        n_groups_ = 0;
        for (std::size_t cell = 0; cell < range.size(); ++cell) {
            if (counts_[cell] == 0) continue;
            n_left += counts_[cell];
            put(n_groups_++, sum += cells_[cell], n_left, range.low + static_cast<Code>(cell));
        }
    }

    void keep_best(const OneSum& node, const CutLimits& limits, Cut& best) {
        const std::size_t n_cuts = n_groups_ - 1;
        scores_.resize(n_cuts);
        for (std::size_t j = 0; j < n_cuts; ++j) {
            const double d = terms_[j] * node.weight - node.term * weights_[j];
            scores_[j] = node.factor * (d * d) / (weights_[j] * (node.weight - weights_[j]));
        }
        for (std::size_t j = 0; j < n_cuts; ++j)
            if (scores_[j] > best.score &&
                limits.allow(n_left_[j], weights_[j], node.weight - weights_[j]))
                best = {scores_[j], codes_[j], codes_[j + 1], 0.0};
    }

private:
    void resize(std::size_t n) {
        weights_.resize(n);
        terms_.resize(n);
        n_left_.resize(n);
        codes_.resize(n);
    }
    void put(std::size_t group, const WeightedTerm& sum, std::size_t n_left, Code code) {
        weights_[group] = sum.weight;
        terms_[group] = sum.term;
        n_left_[group] = static_cast<std::uint32_t>(n_left);
        codes_[group] = code;
    }

    // Of the groups up to and including each.
    std::vector<double> weights_, terms_, scores_;
    std::vector<std::uint32_t> n_left_;
    std::vector<Code> codes_;
    std::size_t n_groups_ = 0;
    std::vector<WeightedTerm> cells_;
    std::vector<std::uint32_t> counts_;
};

}  // namespace silvics
