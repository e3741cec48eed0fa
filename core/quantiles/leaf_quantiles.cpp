#include "quantiles/leaf_quantiles.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace silvics {

template <class Use>
void LeafQuantiles::with_weights(Use&& use) const {
    if (size_of(membership_.weights) > 0)
        return std::visit(
            [&](auto all) {
                use([all](std::size_t position) { return static_cast<double>(all[position]); });
            },
            membership_.weights);
    if (membership_.row_weights.empty()) return use([](std::size_t) { return 1.0; });
    use([this](std::size_t position) {
        return membership_.row_weights[membership_.rows[position]];
    });
}

LeafQuantiles::LeafQuantiles(const Predictor& predictor, const LeafMembership& membership,
                             std::span<const double> outputs, std::size_t n_outputs,
                             ThreadTeam& team)
    : predictor_(predictor), membership_(membership), numbers_(predictor) {
    const std::size_t n = membership.n_rows;
    if (membership.n_trees() != predictor.n_trees() || n_outputs == 0 ||
        outputs.size() != checked_product(n, n_outputs))
        throw std::invalid_argument("outputs, rows and trees do not belong together");
    if (!std::ranges::all_of(outputs, [](double y) { return std::isfinite(y); }))
        throw std::invalid_argument("outputs must be finite");
    shift_ = static_cast<unsigned>(std::bit_width(n) + 1) / 2;
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
    inverse_weights_.assign(membership.first_leaf.back(), 0.0);
    team.run(membership.n_trees(), [&](std::size_t m, std::size_t) {
        with_weights([&](const auto& weight) {
            const TreeMembership tree = membership.tree(m);
            for (std::size_t leaf = 0; leaf < tree.n_leaves(); ++leaf) {
                const std::size_t begin = m * n + tree.begin(leaf);
                double whole = 0.0;
                for (std::size_t k = 0; k < tree.in_bag(leaf).size(); ++k)
                    whole += weight(begin + k);
                if (whole > 0.0) inverse_weights_[membership.first_leaf[m] + leaf] = 1.0 / whole;
            }
        });
    });
}

LeafQuantiles::InBag LeafQuantiles::in_bag(std::size_t m, std::uint32_t leaf) const {
    const std::size_t number = membership_.first_leaf[m] + leaf;
    const std::size_t part = number * membership_.n_parts;
    const std::size_t begin = leaf == 0 ? 0 : membership_.ends[part - 1];
    return {m * membership_.n_rows + begin, membership_.ends[part] - begin,
            inverse_weights_[number]};
}

void LeafQuantiles::fetch(std::span<const std::uint32_t> leaves) const {
    for (std::size_t m = 0; m < leaves.size(); ++m) {
        if (leaves[m] == LeafTable::kNone) continue;
        const std::size_t number = membership_.first_leaf[m] + leaves[m];
        __builtin_prefetch(&membership_.ends[number * membership_.n_parts]);
        __builtin_prefetch(&inverse_weights_[number]);
    }
}

template <class Weight>
void LeafQuantiles::collect(std::span<const std::uint32_t> leaves, const Weight& weight,
                            Scratch& scratch) const {
    std::size_t n = 0;
    for (std::size_t m = 0; m < leaves.size(); ++m) {
        if (leaves[m] == LeafTable::kNone) continue;
        const InBag of_leaf = in_bag(m, leaves[m]);
        if (of_leaf.size == 0) continue;
        __builtin_prefetch(&membership_.rows[of_leaf.begin]);
        __builtin_prefetch(&membership_.rows[of_leaf.begin + of_leaf.size - 1]);
        n += of_leaf.size;
    }
    scratch.rows.resize(n);
    scratch.weights.resize(n);
    RowId* rows = scratch.rows.data();
    double* weights = scratch.weights.data();
    for (std::size_t m = 0; m < leaves.size(); ++m) {
        if (leaves[m] == LeafTable::kNone) continue;
        const InBag of_leaf = in_bag(m, leaves[m]);
        const RowId* const from = membership_.rows.data() + of_leaf.begin;
        for (std::size_t k = 0; k < of_leaf.size; ++k) {
            rows[k] = from[k];
            weights[k] = weight(of_leaf.begin + k) * of_leaf.inverse;
        }
        rows += of_leaf.size;
        weights += of_leaf.size;
    }
}

void LeafQuantiles::invert(std::size_t output, std::span<const double> levels, double* out,
                           Scratch& scratch) const {
    const std::vector<std::uint32_t>& rank = ranks_[output];
    const std::size_t size = std::size_t{1} << shift_, n = scratch.rows.size();
    scratch.parts.assign((rank.size() >> shift_) + 1, 0.0);
    scratch.ranks.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        scratch.ranks[i] = rank[scratch.rows[i]];
        scratch.parts[scratch.ranks[i] >> shift_] += scratch.weights[i];
    }
    std::partial_sum(scratch.parts.begin(), scratch.parts.end(), scratch.parts.begin());
    const double total = scratch.parts.back();
    for (const double level : levels) {
        // The smallest positive number stands for level zero: the first rank with any weight.
        const double target =
            std::max((level - kTolerance) * total, std::numeric_limits<double>::denorm_min());
        const auto part = static_cast<std::size_t>(std::ranges::lower_bound(scratch.parts, target) -
                                                   scratch.parts.begin());
        scratch.ranks_of_part.assign(size, 0.0);
        for (std::size_t i = 0; i < n; ++i)
            if (scratch.ranks[i] >> shift_ == part)
                scratch.ranks_of_part[scratch.ranks[i] & (size - 1)] += scratch.weights[i];
        double sum = part == 0 ? 0.0 : scratch.parts[part - 1];
        std::size_t found = 0;
        for (std::size_t r = 0; r < size; ++r) {
            if (scratch.ranks_of_part[r] == 0.0) continue;
            sum += scratch.ranks_of_part[r];
            found = r;
            if (sum >= target) break;
        }
        *out = sorted_[output][(part << shift_) + found];
        out += n_outputs();
    }
}

void LeafQuantiles::interpolate(std::size_t output, std::span<const double> levels,
                                Interpolation how, double* out, Scratch& scratch) const {
    auto& ordered = scratch.ordered;
    ordered.clear();
    for (std::size_t i = 0; i < scratch.rows.size(); ++i)
        ordered.emplace_back(ranks_[output][scratch.rows[i]], scratch.weights[i]);
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

void LeafQuantiles::quantiles(const Matrix* X, std::span<const double> levels,
                              Interpolation interpolation, std::span<double> out,
                              ThreadTeam& team) const {
    const std::size_t n = n_rows(X), width = levels.size() * n_outputs();
    if (out.size() != checked_product(n, width))
        throw std::invalid_argument("the output needs one element for each row and quantile");
    team.set_total(n);
    LeafTable table;
    std::vector<Scratch> scratches(team.size());
    const std::size_t at_once = rows_of_table(membership_.n_trees());
    for (std::size_t first = 0; first < n; first += at_once) {
        const std::size_t some = std::min(at_once, n - first);
        if (X == nullptr)
            table.read(membership_, RowPart::out_of_bag, first, some, team);
        else
            table.read(predictor_, numbers_, *X, first, some, team);
        constexpr std::size_t kRows = 64;
        team.run_steps((some + kRows - 1) / kRows, [&](std::size_t block, std::size_t worker) {
            team.stop().check();
            Scratch& scratch = scratches[worker];
            const std::size_t last = std::min(some, (block + 1) * kRows);
            with_weights([&](const auto& weight) {
                for (std::size_t i = block * kRows; i < last; ++i) {
                    if (i + 1 < last) fetch(table.row(i + 1));
                    collect(table.row(i), weight, scratch);
                    const auto of_row = out.subspan((first + i) * width, width);
                    if (scratch.rows.empty()) {
                        std::ranges::fill(of_row, std::numeric_limits<double>::quiet_NaN());
                        continue;
                    }
                    for (std::size_t k = 0; k < n_outputs(); ++k) {
                        if (interpolation == Interpolation::inverted_cdf)
                            invert(k, levels, &of_row[k], scratch);
                        else
                            interpolate(k, levels, interpolation, &of_row[k], scratch);
                    }
                }
            });
        });
        team.report(first + some);
    }
}

}  // namespace silvics
