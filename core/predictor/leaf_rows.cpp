#include "predictor/leaf_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/hash.hpp"
#include "base/types.hpp"

namespace silvics {
namespace {

// visit(id) for all leaves that are not pure.
template <class Form, class Visit>
void for_mixed_leaves(const Form& tree, Visit&& visit) {
    for (NodeId id = 0; id < tree.nodes.size(); ++id)
        if (tree.nodes[id].leaf() && !tree.pure(tree.nodes[id])) visit(id);
}

// Whether class weights are whole numbers that add up to the weight of the leaf.
template <class Form>
bool are_whole(const Form& tree) {
    if (tree.has_node_values()) return false;
    std::vector<double> row(tree.value_width());
    bool whole = true;
    for_mixed_leaves(tree, [&](NodeId id) {
        if (!whole) return;
        const double weight = tree.write_leaf_row(id, row);
        auto at = row.begin();
        for (const std::uint32_t n : tree.n_classes) {
            double sum = 0.0;
            for (std::uint32_t c = 0; c < n; ++c, ++at) {
                whole &= *at >= 0.0 && *at < 0x1.0p32 && *at == std::floor(*at);
                sum += *at;
            }
            whole &= sum == weight;
        }
    });
    return whole;
}

bool all_whole(std::span<const SharedTree> trees, ThreadTeam& team) {
    if (!trees[0]->base().classification()) return false;
    std::vector<char> whole(trees.size());  // not bool: threads write to elements side by side
    team.run(trees.size(), [&](std::size_t m, std::size_t) {
        whole[m] = trees[m]->visit([](const auto& form) { return are_whole(form); }) ? 1 : 0;
    });
    return std::ranges::all_of(whole, [](char of_tree) { return of_tree != 0; });
}

}  // namespace

std::uint64_t DistinctRows::key_of(std::span<const double> row) {
    std::uint64_t key = 0;
    for (const double x : row) key = scatter(key ^ std::bit_cast<std::uint64_t>(x));
    return key;
}

std::uint32_t DistinctRows::number_of(std::span<const double> row, std::uint64_t key) {
    const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
    if (2 * (size() + 1) > slots_.size()) double_slots();
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = key & mask;
    for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
        const std::uint32_t number = slots_[slot] - 1;
        if (keys_[number] == key && std::ranges::equal(row, this->row(number), {}, bits, bits))
            return number;
    }
    const std::uint32_t number = checked_id(size(), kMaxIds, "rows of leaves");
    rows_.insert(rows_.end(), row.begin(), row.end());
    keys_.push_back(key);
    slots_[slot] = number + 1;
    return number;
}

void DistinctRows::double_slots() {
    std::vector<std::uint32_t> slots(2 * slots_.size(), 0);
    const std::size_t mask = slots.size() - 1;
    for (std::uint32_t number = 0; number < size(); ++number) {
        std::size_t slot = keys_[number] & mask;
        while (slots[slot] != 0) slot = (slot + 1) & mask;
        slots[slot] = number + 1;
    }
    slots_ = std::move(slots);
}

template <class Form>
DistinctRows LeafRows::distinct_rows_of(const Form& tree,
                                        std::vector<std::uint32_t>& contents) const {
    DistinctRows distinct(width_);
    std::vector<double> row(width_);
    for_mixed_leaves(tree, [&](NodeId id) {
        const double weight = tree.write_leaf_row(id, row);
        if (!whole_)
            for (double& x : row) x /= weight;
        if (n_pure_ > 0 && tree.has_node_values()) {  // pure leaves of such trees are not marked
            const auto one = std::ranges::find(row, 1.0);
            if (one != row.end() && std::ranges::count(row, 0.0) + 1 == std::ssize(row)) {
                contents.push_back(static_cast<std::uint32_t>(one - row.begin()));
                return;
            }
        }
        contents.push_back(checked_id(n_pure_ + distinct.number_of(row), kMaxIds, "rows"));
    });
    return distinct;
}

LeafRows::LeafRows(std::span<const SharedTree> trees, std::size_t n_pure, std::size_t width,
                   ThreadTeam& team)
    : n_pure_(n_pure),
      width_(width),
      whole_(all_whole(trees, team)),
      distinct_(width),
      contents_(trees.size()),
      rows_of_trees_(trees.size()) {
    // The rows of as many trees as there are threads are in memory at once. Tables of trees are
    // merged in tree order, which gives the numbers that one table would have given.
    for (std::size_t begin = 0; begin < trees.size(); begin += team.size()) {
        const std::size_t size = std::min(team.size(), trees.size() - begin);
        std::vector<DistinctRows> of_trees(size, DistinctRows(width));
        team.run(size, [&](std::size_t k, std::size_t) {
            of_trees[k] = trees[begin + k]->visit(
                [&](const auto& form) { return distinct_rows_of(form, contents_[begin + k]); });
        });
        for (std::size_t k = 0; k < size; ++k) {
            std::vector<std::uint32_t>& rows = rows_of_trees_[begin + k];
            rows.reserve(of_trees[k].size());
            for (std::size_t i = 0; i < of_trees[k].size(); ++i)
                rows.push_back(checked_id(n_pure + distinct_.number_of(of_trees[k], i), kMaxIds,
                                          "rows of leaves"));
        }
    }
}

}  // namespace silvics
