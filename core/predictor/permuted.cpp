// Samples whose values come from other samples, variable by variable: what a permutation does.
#include <algorithm>
#include <stdexcept>

#include "predictor/permuted_changes.hpp"
#include "predictor/permuted_ways.hpp"
#include "predictor/walker_inside.hpp"

namespace silvics {

template <class Gathered>
class Walker::Permuter {
public:
    Permuter(const Walker& walker, const RowBlock& block, const PermutedColumns& columns,
             Gathered gathered)
        : gathered_(std::move(gathered)),
          walker_(walker),
          first_(block.first),
          samples_(block, columns),
          ends_(block.size, columns.n_groups()),
          packed_(samples_, ends_),
          unpacked_(samples_, ends_, walker.n_features()),
          before_(block.size * walker.width_),
          after_(walker.width_),
          pure_(walker.forest_.n_pure() * walker.width_) {
        for (std::size_t c = 0; c < walker.forest_.n_pure(); ++c)
            pure_[c * walker.width_ + c] = 1.0;
    }

    // Some samples down a tree, as they are and with other values.
    void operator()(std::size_t m, std::span<const std::uint32_t> some) {
        const PackedTree& tree = walker_.trees_[m];
        if (walker_.forest_.both_ways) return in_place(tree, some);
        const std::size_t n_groups = samples_.columns.n_groups();
        const Repeats all = ~Repeats{0} >> (64 - samples_.n_repeats);
        for (const std::uint32_t i : some) std::fill_n(&ends_.stay[i * n_groups], n_groups, all);
        // A sample has many ways.
        constexpr std::size_t kWaysOfSample = 64;
        if (UnpackedTree<double>::pays(walker_.forest_, m, kWaysOfSample * some.size()))
            unpacked_.walk(tree, some);
        else
            packed_.walk(tree, some);
        gather(tree, some);
    }

    void finish() { gathered_.finish(); }

private:
    void gather(const PackedTree& tree, std::span<const std::uint32_t> some) {
        const std::size_t w = after_.size();
        // What leaves say comes from far away, if each says something else.
        constexpr std::size_t kAhead = 16;
        const double* const leaves =
            walker_.forest_.one_number()
                ? std::get<std::span<const double>>(walker_.forest_.values).data() +
                      tree.shape().first_leaf
                : nullptr;
        const std::size_t n_pure = walker_.forest_.n_pure();
        walker_.with_leaves(tree, [&](auto&& add) {
            for (const std::uint32_t i : some) {
                const auto before = std::span(before_).subspan(i * w, w);
                std::ranges::fill(before, 0.0);
                add(PackedLeaf{ends_.contents[i]}, before);
                gathered_.add(i, before);
            }
            for (std::size_t k = 0; k < ends_.ways.size(); ++k) {
                const PermutedWay& way = ends_.ways[k];
                if (leaves != nullptr && k + kAhead < ends_.ways.size())
                    __builtin_prefetch(leaves + ends_.ways[k + kAhead].at);
                if (way.at == ends_.contents[way.i]) continue;
                std::span<const double> after(after_);
                if (leaves != nullptr) {
                    after = {leaves + way.at, 1};
                } else if (way.at < n_pure) {
                    after = {&pure_[way.at * w], w};
                } else {
                    std::ranges::fill(after_, 0.0);
                    add(PackedLeaf{way.at}, std::span(after_));
                }
                for_each(way.repeats, [&](std::uint32_t r) {
                    gathered_.add(way.i, way.g, r, {&before_[way.i * w], w}, after);
                });
            }
        });
    }

    // Samples that go several ways: all of them again, with their values changed and put back.
    void in_place(const PackedTree& tree, std::span<const std::uint32_t> some) {
        const std::size_t w = after_.size();
        const RowBlock block = samples_.block(first_);
        const auto walk = [&](std::span<const std::uint32_t> which, auto&& into) {
            walker_.leaves_of(tree, block, which, walk_,
                              [&](std::uint32_t i, PackedLeaf leaf, auto&& add) {
                                  std::ranges::fill(after_, 0.0);
                                  add(leaf, std::span(after_));
                                  into(i);
                              });
        };
        walk(some, [&](std::uint32_t i) {
            std::ranges::copy(after_, &before_[i * w]);
            gathered_.add(i, after_);
        });
        const PermutedColumns& columns = samples_.columns;
        for (std::uint32_t g = 0; g < columns.n_groups(); ++g)
            for (std::size_t r = 0; r < samples_.n_repeats; ++r) {
                const PermutedSamples::Exchange exchange(samples_, g, r);
                for (const std::uint32_t i : some) exchange(i);
                walk(some, [&](std::uint32_t i) {
                    gathered_.add(i, g, r, {&before_[i * w], w}, after_);
                });
                for (const std::uint32_t i : some) exchange(i);
            }
    }

    Gathered gathered_;
    const Walker& walker_;
    std::size_t first_;
    PermutedSamples samples_;
    PermutedEnds ends_;
    PackedWays packed_;
    UnpackedWays unpacked_;
    std::vector<double> before_, after_;
    std::vector<double> pure_;  // what leaves of each class say
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
    columns.of_feature.resize(n_features() + 1);  // leaves have the one after the last
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
    constexpr std::size_t kNumbers = 250000;
    const std::size_t of_row = groups.n_repeats * variables.size() + kept_of_row + width_ + 1;
    const std::size_t most_rows = std::clamp<std::size_t>(kNumbers / of_row, 64, 2048);
    for_out_of_bag(X, trees, most_rows, team, [&](const RowBlock& block) {
        auto gathered = gather(columns, block);
        return Permuter<decltype(gathered)>(*this, block, columns, std::move(gathered));
    });
}

void Walker::permuted_out_of_bag(const Matrix& X, const DrawnTrees& trees,
                                 const PermutedGroups& groups, std::span<double> changes,
                                 OutOfBagSums as_they_are, ThreadTeam& team) const {
    if (changes.size() != groups.rows.size() * width_)
        throw std::invalid_argument("a place for each change");
    std::ranges::fill(changes, 0.0);
    as_they_are.clear(X.rows, width_);
    const std::size_t kept = groups.n_repeats * groups.variables.size() * width_;
    permute(X, trees, groups, kept, team,
            [&](const PermutedColumns& columns, const RowBlock& block) {
                return PredictionChanges(columns, block, width_, changes, as_they_are);
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
