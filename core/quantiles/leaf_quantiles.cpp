#include "quantiles/leaf_quantiles.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "base/kernels.hpp"
#include "proximity/cell_weights.hpp"

namespace silvics {
namespace {

constexpr std::uint32_t kNoPlace = std::numeric_limits<std::uint32_t>::max();

}  // namespace

LeafQuantiles::LeafQuantiles(const Predictor& predictor, const LeafMembership& membership,
                             std::span<const double> outputs, std::size_t n_outputs,
                             ThreadTeam& team)
    : predictor_(predictor), membership_(membership), rank_keys_(kernels().rank_keys) {
    const std::size_t n = membership.n_rows;
    if (membership.n_trees() != predictor.n_trees() || n_outputs == 0 ||
        outputs.size() != checked_product(n, n_outputs))
        throw std::invalid_argument("outputs, rows and trees do not belong together");
    if (!std::ranges::all_of(outputs, [](double y) { return std::isfinite(y); }))
        throw std::invalid_argument("outputs must be finite");
    constexpr int kMaxBits = 8;  // of the number of a part
    shift_ = static_cast<unsigned>(std::max(static_cast<int>(std::bit_width(n)) - kMaxBits, 0));
    sorted_.assign(n_outputs, std::vector<double>(n));
    ranks_.assign(n_outputs, std::vector<std::uint32_t>(n));
    team.run(n_outputs, [&](std::size_t k, std::size_t) {
        std::vector<RowId> order(n);
        std::iota(order.begin(), order.end(), RowId{0});
        const auto output = [&](RowId row) { return outputs[row * n_outputs + k]; };
        std::ranges::sort(order, [&](RowId a, RowId b) {
            return output(a) != output(b) ? output(a) < output(b) : a < b;
        });
        for (std::size_t r = 0; r < n; ++r) {
            sorted_[k][r] = output(order[r]);
            ranks_[k][order[r]] = static_cast<std::uint32_t>(r);
        }
    });
    rows_ = NumberedRows(membership, ranks_[0], team);
    for (std::size_t k = n_outputs; k-- > 1;) {
        std::vector<std::uint32_t> by_number(n);
        for (std::size_t row = 0; row < n; ++row) by_number[ranks_[0][row]] = ranks_[k][row];
        ranks_[k] = std::move(by_number);
    }
    // A leaf without rows in bag predicts what the node above does, whose rows count in its place.
    constexpr std::size_t kAnyDepth = std::numeric_limits<std::size_t>::max();
    cells_ = LeafCells(predictor, in_bag_sizes(membership), 1, kAnyDepth, team);
}

void LeafQuantiles::fetch(std::span<const std::uint32_t> leaves) const {
    for (std::size_t m = 0; m < leaves.size(); ++m)
        if (leaves[m] != LeafTable::kNone) __builtin_prefetch(rows_.offset(m, leaves[m]));
}

template <class Words>
void LeafQuantiles::locate(const Words& words, std::span<const std::uint32_t> leaves,
                           std::vector<InBag>& found) const {
    found.clear();
    for (std::size_t m = 0; m < leaves.size(); ++m) {
        if (leaves[m] == LeafTable::kNone) continue;
        const LeafRange cell = cells_.below(m, leaves[m]);
        double whole = 0.0;
        if (cell.end - cell.begin > 1)
            for (std::size_t leaf = cell.begin; leaf < cell.end; ++leaf)
                whole += words.of_leaf(words.words[rows_.begin(m, leaf)]);
        for (std::size_t leaf = cell.begin; leaf < cell.end; ++leaf) {
            const std::size_t begin = rows_.begin(m, leaf), end = rows_.begin(m, leaf + 1);
            if (end - begin == 1) continue;
            found.push_back({begin, end - begin - 1, whole});
            __builtin_prefetch(words.words + begin);
            __builtin_prefetch(words.words + end - 1);
        }
    }
}

template <class Words>
void LeafQuantiles::collect(const Words& words, Scratch& scratch) const {
    constexpr std::size_t kAtOnce = NumberedRows::kSpare;
    std::size_t n = 0;
    for (const InBag& leaf : scratch.leaves) n += leaf.size;
    checked_id(n, kNoPlace - 1, "training rows in the leaves of a sample");
    scratch.n = n;
    if (scratch.numbers.size() < n + kAtOnce) {  // arrays only grow: nothing is cleared for a row
        scratch.numbers.resize(2 * n + kAtOnce);
        scratch.weights.resize(2 * n + kAtOnce);
    }
    std::uint32_t* numbers = scratch.numbers.data();
    double* weights = scratch.weights.data();
    for (const InBag& leaf : scratch.leaves) {
        const auto* from = words.words + leaf.begin;
        const double inverse = 1.0 / (leaf.whole > 0.0 ? leaf.whole : words.of_leaf(*from));
        ++from;
        // What is written after the last row is overwritten, or dropped. Most leaves take one step.
        for (std::size_t first = 0; first < leaf.size; first += kAtOnce)
            for (std::size_t k = first; k < first + kAtOnce; ++k) {
                numbers[k] = words.number(from[k]);
                weights[k] = words.weight(from[k]) * inverse;
            }
        numbers += leaf.size;
        weights += leaf.size;
    }
}

// The ranks of the rows in the leaves.
std::span<const std::uint32_t> LeafQuantiles::ranks_of(std::size_t output, Scratch& scratch) const {
    const std::span numbers = std::span(scratch.numbers).first(scratch.n);
    if (output == 0) return numbers;
    scratch.ranks.resize(scratch.numbers.size());
    std::ranges::transform(numbers, scratch.ranks.begin(),
                           [&](std::uint32_t number) { return ranks_[output][number]; });
    return std::span(scratch.ranks).first(scratch.n);
}

void LeafQuantiles::add_up_parts(std::span<const std::uint32_t> ranks, std::size_t n_parts,
                                 Scratch& scratch) const {
    if (scratch.next_in_part.size() < ranks.size())
        scratch.next_in_part.resize(scratch.weights.size());
    scratch.parts.assign(n_parts, 0.0);
    scratch.last_in_part.assign(n_parts, kNoPlace);
    double* const sums = scratch.parts.data();
    std::uint32_t* const last = scratch.last_in_part.data();
    std::uint32_t* const next = scratch.next_in_part.data();
    const double* const weights = scratch.weights.data();
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        const std::size_t part = ranks[i] >> shift_;
        sums[part] += weights[i];
        next[i] = std::exchange(last[part], static_cast<std::uint32_t>(i));
    }
    std::partial_sum(scratch.parts.begin(), scratch.parts.end(), scratch.parts.begin());
}

void LeafQuantiles::find_in_part(std::span<const std::uint32_t> ranks, std::size_t part,
                                 Scratch& scratch) const {
    auto& [found, keys, order] = scratch.found;
    found.clear();
    for (std::uint32_t i = scratch.last_in_part[part]; i != kNoPlace; i = scratch.next_in_part[i])
        found.emplace_back(ranks[i], scratch.weights[i]);
    const std::size_t n = found.size();
    scratch.ordered.resize(n);
    if (n > kMaxSorted) {
        std::ranges::reverse_copy(found, scratch.ordered.begin());
        return;
    }
    // Few rows are sorted without branches: the place of a row is the number of smaller keys.
    constexpr unsigned kPlaceBits = 7;
    static_assert(kMaxSorted <= std::size_t{1} << kPlaceBits);
    const std::uint32_t within = (std::uint32_t{1} << shift_) - 1;
    for (std::size_t k = 0; k < n; ++k)
        keys[k] = (found[k].first & within) << kPlaceBits | static_cast<std::uint32_t>(k);
    rank_keys_(keys.data(), n, (n + 7) / 8 * 8, order.data());
    for (std::size_t k = 0; k < n; ++k) scratch.ordered[order[k]] = found[k];
}

std::uint32_t LeafQuantiles::rank_in_part(std::size_t part, double before, double target,
                                          Scratch& scratch) const {
    double sum = before;
    std::uint32_t found = 0;
    if (scratch.ordered.size() <= kMaxSorted) {
        for (const auto& [rank, weight] : scratch.ordered) {
            if (sum >= target && rank != found) break;
            sum += weight;
            found = rank;
        }
        return found;
    }
    const std::size_t size = std::size_t{1} << shift_;
    scratch.ranks_of_part.assign(size, 0.0);
    for (const auto& [rank, weight] : scratch.ordered)
        scratch.ranks_of_part[rank & (size - 1)] += weight;
    for (std::size_t r = 0; r < size; ++r) {
        if (scratch.ranks_of_part[r] == 0.0) continue;
        sum += scratch.ranks_of_part[r];
        found = static_cast<std::uint32_t>((part << shift_) + r);
        if (sum >= target) break;
    }
    return found;
}

void LeafQuantiles::invert(std::size_t output, std::span<const double> levels, double* out,
                           Scratch& scratch) const {
    const std::span<const std::uint32_t> ranks = ranks_of(output, scratch);
    const std::size_t n_parts = (sorted_[output].size() >> shift_) + 1;
    add_up_parts(ranks, n_parts, scratch);
    const std::vector<double>& parts = scratch.parts;
    std::size_t last_part = n_parts;  // none
    for (const double level : levels) {
        // The smallest positive number stands for level zero: the first rank with any weight.
        const double target = std::max((level - kTolerance) * parts.back(),
                                       std::numeric_limits<double>::denorm_min());
        const auto part =
            static_cast<std::size_t>(std::ranges::lower_bound(parts, target) - parts.begin());
        if (std::exchange(last_part, part) != part) find_in_part(ranks, part, scratch);
        const double before = part == 0 ? 0.0 : parts[part - 1];
        *out = sorted_[output][rank_in_part(part, before, target, scratch)];
        out += n_outputs();
    }
}

void LeafQuantiles::interpolate(std::size_t output, std::span<const double> levels,
                                Interpolation how, double* out, Scratch& scratch) const {
    auto& ordered = scratch.ordered;
    ordered.clear();
    const std::span<const std::uint32_t> ranks = ranks_of(output, scratch);
    for (std::size_t i = 0; i < ranks.size(); ++i)
        ordered.emplace_back(ranks[i], scratch.weights[i]);
    std::ranges::stable_sort(ordered, {}, [](const auto& entry) { return entry.first; });
    std::size_t n = 0;  // rows of several trees become one
    for (const auto& entry : ordered) {
        if (n > 0 && ordered[n - 1].first == entry.first)
            ordered[n - 1].second += entry.second;
        else
            ordered[n++] = entry;
    }
    ordered.resize(n);
    const auto value = [&](std::size_t i) { return sorted_[output][ordered[i].first]; };
    std::vector<double>& positions = scratch.parts;
    positions.assign(n, 0.0);
    for (std::size_t i = 1; i < n; ++i)
        positions[i] = positions[i - 1] + (ordered[i - 1].second + ordered[i].second) / 2;
    const double whole = positions.back();
    for (double& p : positions) p = n > 1 ? p / whole : 0.0;
    for (const double level : levels) {
        const auto after = std::ranges::upper_bound(positions, level + kTolerance);
        const auto i = static_cast<std::size_t>(after - positions.begin()) - 1;
        const double low = value(i), high = value(std::min(i + 1, n - 1));
        const double step = i + 1 < n ? positions[i + 1] - positions[i] : 1.0;
        double share = i + 1 < n ? std::max((level - positions[i]) / step, 0.0) : 0.0;
        if (share <= kTolerance) share = 0.0;
        if (how == Interpolation::lower) share = 0.0;
        if (how == Interpolation::higher && share > 0.0) share = 1.0;
        if (how == Interpolation::midpoint && share > 0.0) share = 0.5;
        if (how == Interpolation::nearest) {  // halves go to the even row, as in NumPy
            const bool half = std::fabs(share - 0.5) <= kTolerance;
            share = (half ? i % 2 == 1 : share > 0.5) ? 1.0 : 0.0;
        }
        *out = share == 0.0 ? low : share == 1.0 ? high : low + share * (high - low);
        out += n_outputs();
    }
}

void LeafQuantiles::of_block(const LeafTable& table, std::span<const std::uint32_t> rows,
                             std::span<const double> levels, Interpolation interpolation,
                             std::span<double> out, Scratch& scratch) const {
    const std::size_t width = levels.size() * n_outputs();
    const auto leaves_of = [&](std::size_t i) { return table.row(rows[i]); };
    rows_.with_words([&](const auto& words) {
        locate(words, leaves_of(0), scratch.next);
        if (rows.size() > 1) fetch(leaves_of(1));
        for (std::size_t i = 0; i < rows.size(); ++i) {
            std::swap(scratch.leaves, scratch.next);
            if (i + 1 < rows.size()) locate(words, leaves_of(i + 1), scratch.next);
            if (i + 2 < rows.size()) fetch(leaves_of(i + 2));
            const auto of_row = out.subspan((table.first + rows[i]) * width, width);
            if (scratch.leaves.empty()) {
                std::ranges::fill(of_row, std::numeric_limits<double>::quiet_NaN());
                continue;
            }
            collect(words, scratch);
            for (std::size_t k = 0; k < n_outputs(); ++k) {
                if (interpolation == Interpolation::inverted_cdf)
                    invert(k, levels, &of_row[k], scratch);
                else
                    interpolate(k, levels, interpolation, &of_row[k], scratch);
            }
        }
    });
}

void LeafQuantiles::quantiles(const Matrix* X, std::span<const double> levels,
                              Interpolation interpolation, std::span<double> out,
                              ThreadTeam& team) const {
    const std::size_t n = n_rows(X);
    if (out.size() != checked_product(n, levels.size() * n_outputs()))
        throw std::invalid_argument("the output needs one element for each row and quantile");
    team.set_total(n);
    LeafTable table;
    std::vector<Scratch> scratches(team.size());
    std::vector<std::uint32_t> order;
    const std::size_t at_once = rows_of_table(membership_.n_trees()) / 4 + 1;
    for (std::size_t first = 0; first < n; first += at_once) {
        const std::size_t some = std::min(at_once, n - first);
        if (X == nullptr)
            table.read(membership_, RowPart::out_of_bag, first, some, team);
        else
            table.read(predictor_, *X, first, some, team);
        // Rows with the same leaf in the first tree come one after the other: they share other
        // leaves, which are then in the cache.
        order.resize(some);
        std::iota(order.begin(), order.end(), 0U);
        std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return table.row(i)[0]; });
        constexpr std::size_t kRows = 64;
        team.run_steps((some + kRows - 1) / kRows, [&](std::size_t block, std::size_t worker) {
            team.stop().check();
            const std::size_t begin = block * kRows, size = std::min(kRows, some - begin);
            of_block(table, std::span(order).subspan(begin, size), levels, interpolation, out,
                     scratches[worker]);
        });
        team.report(first + some);
    }
}

}  // namespace silvics
