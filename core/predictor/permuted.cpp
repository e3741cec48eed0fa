// Samples whose values come from other samples, variable by variable: what a permutation does.
//
// A sample goes down a tree once, as it is. Wherever a node tests a variable of a group, the values
// that the permutations give it are compared as well; those that go another way than the sample are
// followed from there, together as long as they agree. Before that nothing changes, and where it
// never happens nothing does.
#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>

#include "predictor/permuted_changes.hpp"
#include "predictor/walker_inside.hpp"

namespace silvics {
namespace {

using Repeats = std::uint64_t;  // a bit for each

}  // namespace

template <class Gathered>
class Walker::Permuter {
public:
    Permuter(const Walker& walker, const RowBlock& block, const PermutedColumns& columns,
             Gathered gathered)
        : gathered_(std::move(gathered)),
          walker_(walker),
          columns_(columns),
          first_(block.first),
          size_(block.size),
          width_(block.width),
          n_groups_(columns.groups.variables.size()),
          n_repeats_(columns.groups.n_repeats),
          values_(block.values, block.values + block.size * block.width),
          given_(block.size * columns.group_of.size() * n_repeats_),
          stay_(block.size * n_groups_),
          before_(block.size * walker.width_),
          after_(walker.width_),
          ended_(block.size) {
        for (std::size_t i = 0; i < size_; ++i)
            for (std::size_t k = 0; k < columns_.group_of.size(); ++k)
                for (std::size_t r = 0; r < n_repeats_; ++r)
                    given(i)[k * n_repeats_ + r] =
                        columns_.values[k * columns_.n_rows + row_of(columns_.group_of[k], r, i)];
        whole_ = columns_.whole && block.whole;
    }

    // Some samples down a tree, as they are and with other values.
    void operator()(const PackedTree& tree, std::span<const std::uint32_t> some) {
        if (walker_.forest_.both_ways) return in_place(tree, some);
        ways_.clear();
        const Repeats all = ~Repeats{0} >> (64 - n_repeats_);
        for (const std::uint32_t i : some) std::fill_n(&stay_[i * n_groups_], n_groups_, all);
        if (whole_ && !tree.shape().ruled) {
            as_they_are<true>(tree, some);
            follow<true>(tree);
        } else {
            as_they_are<false>(tree, some);
            follow<false>(tree);
        }
        gather(tree, some);
    }

    void finish() { gathered_.finish(); }

private:
    // The way of sample i with the values of some repeats for group g, where it is.
    struct Way {
        Child at;
        std::uint32_t i = 0, g = 0;
        Repeats repeats = 0;
    };

    std::size_t place(std::size_t g, std::size_t r, std::size_t i) const {
        return (g * n_repeats_ + r) * columns_.n_rows + first_ + i;
    }
    std::size_t row_of(std::size_t g, std::size_t r, std::size_t i) const {
        return columns_.groups.rows[place(g, r, i)];
    }
    // A node comes while the other ways take their steps; it may lie across two lines of the cache.
    static void fetch(const PackedTree& tree, Child child) {
        const char* const node = reinterpret_cast<const char*>(tree.nodes() + child.content());
        __builtin_prefetch(node);
        __builtin_prefetch(node + PackedNode::kBytes - 1);
    }
    // What the permutations give to sample i: all repeats of a column, then of the next.
    double* given(std::size_t i) { return &given_[i * columns_.group_of.size() * n_repeats_]; }

    template <bool kOrdered>
    void as_they_are(const PackedTree& tree, std::span<const std::uint32_t> some) {
        open_.assign(some.begin(), some.end());
        for (const std::uint32_t i : some) ended_[i] = Child::inner(PackedTree::kRoot);
        for (std::size_t n = open_.size(); n > 0;) {
            std::size_t still = 0;
            for (std::size_t k = 0; k < n; ++k) {
                const std::uint32_t i = open_[k];
                const PackedNode& node = tree.nodes()[ended_[i].place()];
                const double* sample = &values_[i * width_];
                const auto [to, which] = tree.next<kOrdered>(node, sample);
                fetch(tree, to);
                leave<kOrdered>(tree, node, i, which);
                ended_[i] = to;
                open_[still] = i;
                still += !to.leaf();
            }
            n = still;
        }
    }

    // The ways that leave that of sample i at a node.
    template <bool kOrdered>
    void leave(const PackedTree& tree, const PackedNode& node, std::uint32_t i,
               std::uint32_t which) {
        if constexpr (kOrdered) {
            const auto [g, first] = columns_.of_feature[node.feature()];
            if (g == kNone) return;
            Repeats& stay = stay_[i * n_groups_ + g];
            if (stay == 0) return;
            const Repeats low = below(given(i) + first, node.threshold());
            const Repeats leaves = stay & (which == 0 ? ~low : low);
            stay &= ~leaves;
            if (leaves != 0) ways_.push_back({node.child(1 - which), i, g, leaves});
        } else {
            for_groups(tree, node, [&](std::uint32_t g) {
                Repeats& stay = stay_[i * n_groups_ + g];
                Repeats leaves = 0;
                for_each(stay, [&](std::uint32_t r) {
                    if (tree.next_of<false>(node, sample_of(i, g, r)).which != which)
                        leaves |= Repeats{1} << r;
                });
                stay &= ~leaves;
                while (leaves != 0) {
                    const auto [to, together] = together_at(tree, node, i, g, leaves);
                    ways_.push_back({to, i, g, together});
                    leaves &= ~together;
                }
            });
        }
    }

    // Which repeats have values up to the threshold.
    Repeats below(const double* values, double threshold) const {
        Repeats low = 0;
        for (std::size_t r = 0; r < n_repeats_; ++r)
            low |= static_cast<Repeats>(values[r] <= threshold) << r;
        return low;
    }

    template <class Visit>
    static void for_each(Repeats repeats, Visit&& visit) {
        for (; repeats != 0; repeats &= repeats - 1)
            visit(static_cast<std::uint32_t>(std::countr_zero(repeats)));
    }

    // The child of the first of some repeats, and all that go there with it.
    std::pair<Child, Repeats> together_at(const PackedTree& tree, const PackedNode& node,
                                          std::uint32_t i, std::uint32_t g, Repeats repeats) {
        PackedTree::Step first{};
        Repeats together = 0;
        for_each(repeats, [&](std::uint32_t r) {
            const auto step = tree.next_of<false>(node, sample_of(i, g, r));
            if (together == 0) first = step;
            if (step.which == first.which) together |= Repeats{1} << r;
        });
        return {first.to, together};
    }

    template <class Visit>
    void for_groups(const PackedTree& tree, const PackedNode& node, Visit&& visit) const {
        const auto look = [&](FeatureId f) {
            if (const std::uint32_t g = columns_.of_feature[f].group; g != kNone) visit(g);
        };
        if (!tree.shape().records || !node.record()) return look(node.feature());
        const BranchRecord record = tree.record_of(node);
        if (record.n_terms() == 0) return look(node.feature());
        for (std::uint32_t k = 0; k < record.n_terms(); ++k) look(record.term(k).feature);
    }

    // The values of a sample on such a way.
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
        return {&values_[i * width_], given(i) + r, columns_.of_feature.data(), g};
    }

    // A way on its way.
    struct Going {
        std::size_t at;             // in bytes; where it has ended, as if leaves were nodes
        const double *own, *first;  // values of the sample, and of the first of the repeats
        Repeats repeats;
        std::uint32_t i, g;
        bool several;  // repeats
    };

    // A step. Repeats that disagree about it part: the others wait as a way of their own.
    template <bool kOrdered>
    Child step(const PackedTree& tree, const PackedNode& node, const PermutedColumns::Place* places,
               Going& way) {
        if constexpr (kOrdered) {
            // Without a branch, since nobody could foretell it.
            const FeatureId f = node.feature();
            const auto [group, first] = places[f];
            const bool tested = group == way.g;
            const double* const x = tested ? way.first + first : way.own + f;
            const double threshold = node.threshold();
            const auto which = static_cast<std::uint32_t>(!(*x <= threshold));
            if (tested & way.several) {
                const Repeats low = below(given(way.i) + first, threshold);
                part(way, (which == 0 ? low : ~low) & way.repeats, node.child(1 - which));
            }
            return node.child(which);
        } else {
            bool tested = false;
            for_groups(tree, node, [&](std::uint32_t g) { tested |= g == way.g; });
            if (!tested) return tree.next<false>(node, way.own).to;
            const auto [to, together] = together_at(tree, node, way.i, way.g, way.repeats);
            part(way, together, Child::inner(static_cast<Place>(way.at / PackedNode::kBytes)));
            return to;
        }
    }

    // Without counting bits, for which older processors have no instruction.
    static bool several(Repeats repeats) { return (repeats & (repeats - 1)) != 0; }

    // Those of a way that stay together; the first of its repeats is one of them.
    void part(Going& way, Repeats together, Child others_at) {
        if (together == way.repeats) return;
        ways_.push_back({others_at, way.i, way.g, way.repeats & ~together});
        way.repeats = together;
        way.several = several(together);
    }

    template <bool kOrdered>
    void follow(const PackedTree& tree) {
        std::array<Going, Walk::kMost> going;
        std::array<std::uint32_t, Walk::kMost> open;
        const PermutedColumns::Place* const places = columns_.of_feature.data();
        const char* const nodes = reinterpret_cast<const char*>(tree.nodes());
        for (std::size_t begin = 0, size = 0; begin < ways_.size(); begin += size) {
            size = std::min(Walk::kMost, ways_.size() - begin);
            std::size_t n = 0;
            for (std::uint32_t k = 0; k < size; ++k) {
                const Way& way = ways_[begin + k];
                going[k] = {way.at.content() * PackedNode::kBytes,
                            &values_[way.i * width_],
                            given(way.i) + std::countr_zero(way.repeats),
                            way.repeats,
                            way.i,
                            way.g,
                            several(way.repeats)};
                open[n] = k;
                n += !way.at.leaf();
            }
            while (n > 0) {
                std::size_t still = 0;
                for (std::size_t o = 0; o < n; ++o) {
                    const std::uint32_t k = open[o];
                    Going& way = going[k];
                    const auto& node = *reinterpret_cast<const PackedNode*>(nodes + way.at);
                    const Child to = step<kOrdered>(tree, node, places, way);
                    // It comes while the other ways take their steps, and may lie across two lines.
                    way.at = to.content() * PackedNode::kBytes;
                    __builtin_prefetch(nodes + way.at);
                    __builtin_prefetch(nodes + way.at + PackedNode::kBytes - 1);
                    open[still] = k;
                    still += !to.leaf();
                }
                n = still;
            }
            for (std::size_t k = 0; k < size; ++k) {
                const auto content = static_cast<std::uint32_t>(going[k].at / PackedNode::kBytes);
                ways_[begin + k].at = Child::leaf(content);
                ways_[begin + k].repeats = going[k].repeats;
            }
        }
    }

    void gather(const PackedTree& tree, std::span<const std::uint32_t> some) {
        const std::size_t w = after_.size();
        // What leaves say comes from far away, if each says something else.
        constexpr std::size_t kAhead = 16;
        const double* const leaves =
            walker_.forest_.one_number()
                ? std::get<std::span<const double>>(walker_.forest_.values).data() +
                      tree.shape().first_leaf
                : nullptr;
        walker_.with_leaves(tree, [&](auto&& add) {
            for (const std::uint32_t i : some) {
                const auto before = std::span(before_).subspan(i * w, w);
                std::ranges::fill(before, 0.0);
                add(PackedLeaf{ended_[i].content()}, before);
            }
            for (std::size_t k = 0; k < ways_.size(); ++k) {
                const Way& way = ways_[k];
                if (leaves != nullptr && k + kAhead < ways_.size())
                    __builtin_prefetch(leaves + ways_[k + kAhead].at.content());
                if (way.at.content() == ended_[way.i].content()) continue;
                std::ranges::fill(after_, 0.0);
                add(PackedLeaf{way.at.content()}, std::span(after_));
                for_each(way.repeats, [&](std::uint32_t r) {
                    gathered_.add(way.i, way.g, r, {&before_[way.i * w], w}, after_);
                });
            }
        });
    }

    // Samples that go several ways: all of them again, with their values changed and put back.
    void in_place(const PackedTree& tree, std::span<const std::uint32_t> some) {
        const std::size_t w = after_.size();
        const RowBlock block{first_, size_, width_, values_.data()};
        const auto walk = [&](std::span<const std::uint32_t> which, auto&& into) {
            walker_.leaves_of(tree, block, which, walk_,
                              [&](std::uint32_t i, PackedLeaf leaf, auto&& add) {
                                  std::ranges::fill(after_, 0.0);
                                  add(leaf, std::span(after_));
                                  into(i);
                              });
        };
        walk(some, [&](std::uint32_t i) { std::ranges::copy(after_, &before_[i * w]); });
        const std::size_t n_columns = columns_.group_of.size();
        for (std::size_t g = 0, column = 0; g < n_groups_; ++g) {
            const auto& variables = columns_.groups.variables[g];
            for (std::size_t r = 0; r < n_repeats_; ++r) {
                const auto swap = [&] {
                    for (const std::uint32_t i : some)
                        for (std::size_t k = 0; k < variables.size(); ++k)
                            std::swap(values_[i * width_ + variables[k]],
                                      given_[(i * n_columns + column + k) * n_repeats_ + r]);
                };
                swap();
                walk(some, [&](std::uint32_t i) {
                    gathered_.add(i, g, r, {&before_[i * w], w}, after_);
                });
                swap();
            }
            column += variables.size();
        }
    }

    Gathered gathered_;
    const Walker& walker_;
    const PermutedColumns& columns_;
    std::size_t first_, size_, width_, n_groups_, n_repeats_;
    std::vector<double> values_, given_;
    std::vector<Repeats> stay_;  // those that have not left the way of their sample
    std::vector<double> before_, after_;
    std::vector<Child> ended_;  // where the samples are as they are
    std::vector<Way> ways_;
    std::vector<std::uint32_t> open_;
    bool whole_ = false;
    Walk walk_;
};

template <class Gather>
void Walker::permute(const Matrix& X, const DrawnTrees& trees, const PermutedGroups& groups,
                     std::size_t kept_of_row, ThreadTeam& team, Gather&& gather) const {
    check_width(X);
    if (groups.n_repeats < 1 || groups.n_repeats > 64)
        throw std::invalid_argument("1 to 64 repeats at a time");
    if (groups.rows.size() != groups.variables.size() * groups.n_repeats * X.rows ||
        !std::ranges::all_of(groups.rows, [&](std::uint32_t r) { return r < X.rows; }))
        throw std::invalid_argument("a row to take from, for each group, repeat and row");
    PermutedColumns columns{groups, {}, {}, {}, false, X.rows};
    columns.of_feature.resize(n_features());
    std::vector<FeatureId> variables;
    for (std::uint32_t g = 0; g < columns.n_groups(); ++g)
        for (const FeatureId j : groups.variables[g]) {
            if (j >= n_features()) throw std::invalid_argument("there is no such variable");
            if (columns.of_feature[j].group != kNone)
                throw std::invalid_argument("a variable is in two groups");
            columns.of_feature[j] = {
                g, static_cast<std::uint32_t>(variables.size() * groups.n_repeats)};
            columns.group_of.push_back(g);
            variables.push_back(j);
        }
    columns.values = columns_of(X, variables, as_float32_, team);
    columns.whole = !any_missing(columns.values);
    // What is kept of a block stays in the second-level cache.
    constexpr std::size_t kNumbers = 50000;
    const std::size_t of_row = groups.n_repeats * variables.size() + kept_of_row + width_ + 1;
    const std::size_t most_rows = std::clamp<std::size_t>(kNumbers / of_row, 8, 1024);
    for_out_of_bag(X, trees, most_rows, team, [&](const RowBlock& block) {
        auto gathered = gather(columns, block);
        return Permuter<decltype(gathered)>(*this, block, columns, std::move(gathered));
    });
}

void Walker::permuted_out_of_bag(const Matrix& X, const DrawnTrees& trees,
                                 const PermutedGroups& groups, std::span<double> changes,
                                 ThreadTeam& team) const {
    if (changes.size() != groups.rows.size() * width_)
        throw std::invalid_argument("a place for each change");
    std::ranges::fill(changes, 0.0);
    const std::size_t kept = groups.n_repeats * groups.variables.size() * width_;
    permute(X, trees, groups, kept, team,
            [&](const PermutedColumns& columns, const RowBlock& block) {
                return PredictionChanges(columns, block, width_, changes);
            });
}

void Walker::permuted_losses(const Matrix& X, const DrawnTrees& trees, const PermutedGroups& groups,
                             const LossOfRows& loss, std::span<double> changes,
                             ThreadTeam& team) const {
    if (changes.size() != groups.variables.size() * groups.n_repeats * loss.n_parts())
        throw std::invalid_argument("a place for each change");
    if (loss.target.n_rows != X.rows || loss.target.value_width() != width_ ||
        loss.target.classification() != !forest_.n_classes.empty())
        throw std::invalid_argument("the outputs are not of these trees and rows");
    SumsOfBlocks blocks;
    permute(X, trees, groups, 0, team, [&](const PermutedColumns& columns, const RowBlock& block) {
        return LossChanges(columns, block, loss, blocks);
    });
    std::ranges::fill(changes, 0.0);
    blocks.add_to(changes);
}

}  // namespace silvics
