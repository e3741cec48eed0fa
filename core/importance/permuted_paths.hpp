// The paths of samples with permuted values.
//
// A sample descends a tree once with its own values. At every node that tests a permuted variable,
// the permuted values of all repeats are compared as well. A repeat that goes to another child
// leaves the path of the sample, and is followed from there. A repeat that never leaves it ends in
// the same leaf.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "importance/permuted_changes.hpp"
#include "predictor/row_blocks.hpp"
#include "predictor/traversal.hpp"
#include "predictor/unpacked_tree.hpp"

namespace silvics {

using Repeats = std::uint64_t;  // a set of repeats, one bit each

template <class Visit>
void for_each(Repeats repeats, Visit&& visit) {
    for (; repeats != 0; repeats &= repeats - 1)
        visit(static_cast<std::uint32_t>(std::countr_zero(repeats)));
}

// The samples of a block. Each has its own values, followed by its permuted values: all repeats of
// the first permuted column, then of the next.
class PermutedSamples {
public:
    PermutedSamples(const RowBlock& block, const PermutedColumns& permuted)
        : columns(permuted),
          n_repeats(permuted.groups.n_repeats),
          size(block.size),
          whole(permuted.whole && block.whole),
          width_(block.width),
          stride_(block.width + permuted.group_of.size() * n_repeats),
          values_(block.size * stride_ + 1) {
        for (std::size_t i = 0; i < size; ++i) {
            std::copy_n(block.row(i), width_, own(i));
            for (std::size_t k = 0; k < permuted.group_of.size(); ++k)
                for (std::size_t r = 0; r < n_repeats; ++r) {
                    const std::size_t g = permuted.group_of[k];
                    const std::size_t at = (g * n_repeats + r) * permuted.n_rows + block.first + i;
                    given(i)[k * n_repeats + r] =
                        permuted.values[k * permuted.n_rows + permuted.groups.rows[at]];
                }
        }
    }

    double* own(std::size_t i) { return &values_[i * stride_]; }
    double* given(std::size_t i) { return own(i) + width_; }
    // Exchanges the values of a group in a sample with those of a repeat; a second call undoes it.
    class Exchange {
    public:
        Exchange(PermutedSamples& samples, std::size_t g, std::size_t r) : samples_(samples) {
            for (const FeatureId f : samples.columns.groups.variables[g])
                places_.push_back({f, samples.width_ + samples.columns.of_feature[f].first + r});
        }
        void operator()(std::size_t i) const {
            double* const own = samples_.own(i);
            for (const auto& [f, given] : places_) std::swap(own[f], own[given]);
        }

    private:
        PermutedSamples& samples_;
        std::vector<std::pair<std::size_t, std::size_t>> places_;
    };
    // A sample with the values of one repeat for one group.
    struct Sample {
        const double *own = nullptr, *permuted = nullptr;
        const PermutedColumns::Place* places = nullptr;
        std::uint32_t g = 0;

        double operator()(FeatureId f) const {
            const auto [group, first] = places[f];
            return group == g ? permuted[first] : own[f];
        }
    };
    Sample sample_of(std::uint32_t i, std::uint32_t g, std::uint32_t r) {
        return {own(i), given(i) + r, columns.of_feature.data(), g};
    }
    RowBlock block(std::size_t first) const {
        return {.first = first, .size = size, .width = stride_, .values = values_.data()};
    }

    const PermutedColumns& columns;
    std::size_t n_repeats, size;
    bool whole;  // no value is missing

private:
    std::size_t width_, stride_;
    std::vector<double> values_;
};

// The path of sample i with the values of these repeats for group g; `at` is its current node.
struct PermutedPath {
    std::uint32_t at = 0, i = 0, g = 0;
    Repeats repeats = 0;
};

// Where the paths of the samples end in a tree.
struct PermutedEnds {
    PermutedEnds(std::size_t n_samples, std::size_t n_groups)
        : stay(n_samples * n_groups), contents(n_samples) {}

    std::vector<Repeats> stay;            // repeats that are n_open on the path of their sample
    std::vector<std::uint32_t> contents;  // the leaves of the unpermuted samples
    std::vector<PermutedPath> paths;      // the other paths; at the end `at` is a leaf's content
};

// Traverses packed trees of any kind. Repeats share a path as long as they agree.
class PackedPaths {
public:
    PackedPaths(PermutedSamples& samples, PermutedEnds& ends) : samples_(samples), ends_(ends) {}

    void traverse(const PackedTree& tree, std::span<const std::uint32_t> samples) {
        ends_.paths.clear();
        for (const std::uint32_t i : samples) {
            const double* const own = samples_.own(i);
            Child at = Child::inner(PackedTree::kRoot);
            while (!at.leaf()) {
                const PackedNode& node = tree.nodes()[at.place()];
                const auto [to, which] = tree.next<false>(node, own);
                leave(tree, node, i, which);
                at = to;
            }
            ends_.contents[i] = at.content();
        }
        // Repeats that disagree further down are appended as new paths.
        constexpr std::size_t kAhead = 8;  // first nodes are prefetched this many paths ahead
        for (std::size_t k = 0; k < ends_.paths.size(); ++k) {
            if (k + kAhead < ends_.paths.size())
                __builtin_prefetch(tree.nodes() + Child(ends_.paths[k + kAhead].at).content());
            follow(tree, k);
        }
    }

private:
    // Appends the paths that leave that of sample i at a node. `which`: the child of the sample.
    void leave(const PackedTree& tree, const PackedNode& node, std::uint32_t i,
               std::uint32_t which) {
        for_groups(tree, node, [&](std::uint32_t g) {
            Repeats& stay = ends_.stay[i * samples_.columns.n_groups() + g];
            Repeats leaves = 0;
            for_each(stay, [&](std::uint32_t r) {
                if (tree.next_of<false>(node, samples_.sample_of(i, g, r)).which != which)
                    leaves |= Repeats{1} << r;
            });
            stay &= ~leaves;
            while (leaves != 0) {
                const auto [to, together] = together_at(tree, node, i, g, leaves);
                ends_.paths.push_back({to.bits(), i, g, together});
                leaves &= ~together;
            }
        });
    }

    void follow(const PackedTree& tree, std::size_t k) {
        PermutedPath path = ends_.paths[k];
        Child at(path.at);
        while (!at.leaf()) {
            const PackedNode& node = tree.nodes()[at.place()];
            bool tested = false;
            for_groups(tree, node, [&](std::uint32_t g) { tested |= g == path.g; });
            if (!tested) {
                at = tree.next<false>(node, samples_.own(path.i)).to;
                continue;
            }
            const auto [to, together] = together_at(tree, node, path.i, path.g, path.repeats);
            if (together != path.repeats)
                ends_.paths.push_back({at.bits(), path.i, path.g, path.repeats & ~together});
            path.repeats = together;
            at = to;
        }
        ends_.paths[k] = {at.content(), path.i, path.g, path.repeats};
    }

    // The child that the first of the repeats goes to, and all repeats that go there.
    std::pair<Child, Repeats> together_at(const PackedTree& tree, const PackedNode& node,
                                          std::uint32_t i, std::uint32_t g, Repeats repeats) {
        PackedTree::Step first{};
        Repeats together = 0;
        for_each(repeats, [&](std::uint32_t r) {
            const auto step = tree.next_of<false>(node, samples_.sample_of(i, g, r));
            if (together == 0) first = step;
            if (step.which == first.which) together |= Repeats{1} << r;
        });
        return {first.to, together};
    }

    template <class Visit>
    void for_groups(const PackedTree& tree, const PackedNode& node, Visit&& visit) const {
        const auto visit_group = [&](FeatureId f) {
            if (const std::uint32_t g = samples_.columns.of_feature[f].group; g != kNone) visit(g);
        };
        if (!tree.shape().records || !node.rule().is_record()) return visit_group(node.feature());
        const BranchRecord record = tree.record_of(node);
        if (record.n_terms() == 0) return visit_group(node.feature());
        for (std::uint32_t k = 0; k < record.n_terms(); ++k) visit_group(record.term(k).feature);
    }

    PermutedSamples& samples_;
    PermutedEnds& ends_;
};

// Traverses unpacked trees. Every repeat has its own path, which is faster than sharing paths.
class UnpackedPaths {
public:
    UnpackedPaths(PermutedSamples& samples, PermutedEnds& ends, std::size_t n_features)
        : samples_(samples),
          ends_(ends),
          unpacked_(n_features),
          first_of_(samples.columns.n_groups() * samples.n_repeats + 1),
          at_(samples.size) {}

    void traverse(const PackedTree& tree, std::span<const std::uint32_t> samples) {
        unpacked_.unpack(tree);
        samples_.whole ? traverse<false>(samples) : traverse<true>(samples);
    }

private:
    using Unpacked = UnpackedTree<double>;

    template <bool kMissing>
    void traverse(std::span<const std::uint32_t> samples) {
        by_repeats(unpermuted<kMissing>(samples));
        for (std::size_t k = 0; k + 1 < first_of_.size(); ++k)
            follow<kMissing>(k, first_of_[k], first_of_[k + 1]);
    }

    // All unpermuted samples, one step each in turn; those that have ended are removed every few
    // steps. Returns the permuted paths that leave those of their samples.
    template <bool kMissing>
    std::span<const PermutedPath> unpermuted(std::span<const std::uint32_t> samples) {
        constexpr std::size_t kSteps = 4;
        const auto& places = samples_.columns.of_feature;
        const std::size_t n_groups = samples_.columns.n_groups();
        open_.assign(samples.begin(), samples.end());
        for (const std::uint32_t i : samples) at_[i] = Unpacked::kRoot;
        std::size_t n_paths = 0;
        for (std::size_t n = open_.size(); n > 0; n = remove_ended(n)) {
            left_.resize(std::max(left_.size(), n_paths + n * kSteps));
            for (std::size_t step = 0; step < kSteps; ++step)
                for (std::size_t k = 0; k < n; ++k) {
                    const std::uint32_t i = open_[k];
                    const UnpackedNode<double>& node = unpacked_.node(at_[i]);
                    const double threshold = node.threshold;
                    const std::size_t f = node.feature();
                    const std::uint32_t child = node.first_child();
                    const std::uint32_t missing = kMissing ? node.missing_second() : 0;
                    const auto which = second<kMissing>(samples_.own(i)[f], threshold, missing);
                    at_[i] = child + which;
                    const auto [g, first] = places[f];
                    if (g == kNone) continue;
                    // The repeats that leave the path of the sample here, found without a branch
                    // because they are unpredictable.
                    const double* const given = samples_.given(i) + first;
                    Repeats others = 0;
                    for (std::size_t r = 0; r < samples_.n_repeats; ++r)
                        others |= Repeats{second<kMissing>(given[r], threshold, missing)} << r;
                    Repeats& stay = ends_.stay[i * n_groups + g];
                    const Repeats leaves = stay & (which == 0 ? others : ~others);
                    stay ^= leaves;
                    left_[n_paths] = {child + 1 - which, i, g, leaves};
                    n_paths += leaves != 0;
                }
        }
        for (const std::uint32_t i : samples) ends_.contents[i] = unpacked_.leaf(at_[i]).content;
        return std::span(left_).first(n_paths);
    }

    template <bool kMissing>
    static std::uint32_t second(double x, double threshold, std::uint32_t missing_second) {
        std::uint32_t second = x > threshold;
        if constexpr (kMissing) second |= std::uint32_t{x != x} & missing_second;
        return second;
    }

    // Removes the samples that have ended, and returns the number of the others.
    std::size_t remove_ended(std::size_t n) {
        std::size_t n_open = 0;
        for (std::size_t k = 0; k < n; ++k) {
            const std::uint32_t i = open_[k];
            open_[n_open] = i;
            n_open += !unpacked_.ended(at_[i]);
        }
        return n_open;
    }

    // Splits paths into one per repeat, ordered by group and repeat.
    void by_repeats(std::span<const PermutedPath> left) {
        std::ranges::fill(first_of_, 0);
        for (const PermutedPath& path : left) {
            std::size_t* const n_of = &first_of_[path.g * samples_.n_repeats];
            for (std::size_t r = 0; r < samples_.n_repeats; ++r) n_of[r] += (path.repeats >> r) & 1;
        }
        std::size_t n = 0;
        for (std::size_t& first : first_of_) first = n += first;
        ends_.paths.resize(n);
        for (std::size_t k = left.size(); k-- > 0;) {
            const PermutedPath& path = left[k];
            for_each(path.repeats, [&](std::uint32_t r) {
                ends_.paths[--first_of_[path.g * samples_.n_repeats + r]] = {
                    path.at, path.i, path.g, Repeats{1} << r};
            });
        }
    }

    // Follows the paths of one group and repeat, each of another sample. Meanwhile the samples have
    // the values of the repeat.
    template <bool kMissing>
    void follow(std::size_t group_and_repeat, std::size_t begin, std::size_t end) {
        if (begin == end) return;
        const PermutedSamples::Exchange exchange(samples_, group_and_repeat / samples_.n_repeats,
                                                 group_and_repeat % samples_.n_repeats);
        Unpacked::Paths<kMissing> paths;
        for (std::size_t from = begin; from < end; from += paths.kSize) {
            const std::size_t to = std::min(from + paths.kSize, end);
            for (std::size_t k = from; k < to; ++k) exchange(ends_.paths[k].i);
            for (std::size_t k = 0; k < paths.kSize; ++k) {
                const PermutedPath& path = ends_.paths[std::min(from + k, to - 1)];
                paths.at[k] = path.at;
                paths.samples[k] = samples_.own(path.i);
            }
            unpacked_.down<kMissing>(paths);
            for (std::size_t k = from; k < to; ++k) {
                exchange(ends_.paths[k].i);
                ends_.paths[k].at = unpacked_.leaf(paths.at[k - from]).content;
            }
        }
    }

    PermutedSamples& samples_;
    PermutedEnds& ends_;
    Unpacked unpacked_;
    std::vector<PermutedPath> left_;
    std::vector<std::size_t> first_of_;  // the first path of each group and repeat
    std::vector<std::uint32_t> at_, open_;
};

}  // namespace silvics
