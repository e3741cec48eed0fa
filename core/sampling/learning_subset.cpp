#include "sampling/learning_subset.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "sampling/draw_counts.hpp"
#include "sampling/patch_rows.hpp"

namespace silvics {
namespace {

// scikit-learn's "balanced" on the drawn rows: draws / (classes present * draws of the class),
// multiplied over the outputs.
void balance_classes(std::vector<double>& weights, const Target& target) {
    const std::vector<double> counts = weights;
    const double n_draws = std::accumulate(counts.begin(), counts.end(), 0.0);
    for (std::size_t k = 0; k < target.n_outputs; ++k) {
        const ClassId* label = target.classes.data() + k * target.n_rows;
        std::vector<double> drawn(target.n_classes[k], 0.0);
        for (std::size_t i = 0; i < counts.size(); ++i) drawn[label[i]] += counts[i];
        const auto present =
            static_cast<double>(std::ranges::count_if(drawn, [](double d) { return d > 0.0; }));
        for (std::size_t i = 0; i < weights.size(); ++i)
            if (counts[i] > 0.0) weights[i] *= n_draws / (present * drawn[label[i]]);
    }
}

// Divides the weights by a power of two, which changes none of their digits: products of weights
// of 1e100 or 1e-100 would overflow or underflow.
void bring_near_one(LearningSubset& subset) {
    if (subset.weights.empty()) return;
    const double largest = std::ranges::max(subset.weights);
    if (!(largest > 0.0) || (largest > 0x1.0p-20 && largest < 0x1.0p20)) return;
    const int exponent = std::ilogb(largest);
    subset.unit = std::ldexp(1.0, std::clamp(exponent, -1000, 1000));
    for (double& w : subset.weights)  // a positive weight stays positive
        if (w > 0.0) w = std::max(w / subset.unit, std::numeric_limits<double>::denorm_min());
}

// Random positions within a sum of denormal weights would take only a few values. A power of two
// brings such sums into the range where doubles have all their digits. Other sums are unchanged.
void scale_up(std::vector<double>& running) {
    constexpr double kMinAccurateSum = 0x1.0p-900, kScale = 0x1.0p900;
    if (!running.empty() && running.back() < kMinAccurateSum)
        for (double& sum : running) sum *= kScale;
}

// Draws `wanted` of the numbers below n without replacement and returns them in ascending order
// (Floyd): each number from n - wanted on is taken, unless the number drawn up to it has not been
// taken yet.
std::vector<RowId> draw_without_replacement(std::size_t n, std::size_t wanted,
                                            RandomStream& stream) {
    std::vector<RowId> some;
    some.reserve(wanted);
    std::vector<bool> taken(n, false);
    for (std::size_t j = n - wanted; j < n; ++j) {
        const auto drawn = static_cast<std::size_t>(stream.below(j + 1));
        const std::size_t i = taken[drawn] ? j : drawn;
        taken[i] = true;
        some.push_back(static_cast<RowId>(i));
    }
    std::ranges::sort(some);
    return some;
}

// Numbers the groups of some rows in the order in which they appear; without groups, the rows.
std::vector<std::size_t> units_of(const std::vector<RowId>& rows, const SamplingPlan& plan) {
    std::vector<std::size_t> units(rows.size());
    if (!plan.grouped()) {
        std::iota(units.begin(), units.end(), std::size_t{0});
        return units;
    }
    const std::size_t unseen = rows.size();
    std::vector<std::size_t> number(plan.group_start.size(), unseen);
    std::size_t n = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::size_t& of_group = number[plan.groups[rows[i]]];
        if (of_group == unseen) of_group = n++;
        units[i] = of_group;
    }
    return units;
}

// Divides the rows, or their groups, into structure and estimation samples, at least one of each.
void assign_roles(LearningSubset& subset, const SamplingPlan& plan, std::uint32_t seed) {
    const std::vector<std::size_t> units = units_of(subset.rows, plan);
    const std::size_t n = units.empty() ? 0 : std::ranges::max(units) + 1;
    if (n < 2)
        throw std::invalid_argument(
            plan.grouped() ? "honest trees need groups to find splits and others to fill leaves, "
                             "and one has 1 group"
                           : "honest trees need rows to find splits and others to fill leaves, and "
                             "one has 1 sample");
    const auto wanted = static_cast<std::size_t>(plan.structure * static_cast<double>(n) + 0.5);
    RandomStream stream(derive(root_key(seed), kRolesPart));
    std::vector<std::uint8_t> estimates(n, 1);
    for (const RowId i :
         draw_without_replacement(n, std::clamp<std::size_t>(wanted, 1, n - 1), stream))
        estimates[i] = 0;
    subset.estimates.resize(units.size());
    for (std::size_t i = 0; i < units.size(); ++i) subset.estimates[i] = estimates[units[i]];
}

// Calls visit(row) for the rows of the groups drawn for a tree, in the order drawn.
template <class Visit>
void for_drawn_groups(const SamplingPlan& plan, RandomStream& stream, const StopFlag& stop,
                      Visit&& visit) {
    const std::size_t n = plan.candidates.size();
    std::size_t n_visited = 0;
    const auto visit_group = [&](std::size_t place) {
        const std::size_t group = plan.candidates[place];
        for (std::size_t i = plan.group_start[group]; i < plan.group_start[group + 1]; ++i) {
            if (n_visited++ % kStopBlock == 0) stop.check();
            visit(plan.group_rows[i]);
        }
    };
    if (plan.subsample) {
        for (const RowId place : draw_without_replacement(n, std::min(plan.n_draws, n), stream))
            visit_group(place);
        return;
    }
    for (std::size_t draw = 0; draw < plan.n_draws; ++draw) visit_group(stream.below(n));
}

// One of the first n numbers; with weights, whose prefix sums are given, in proportion to them.
std::size_t draw_one(std::size_t n, const std::vector<double>& running, RandomStream& stream) {
    if (running.empty()) return static_cast<std::size_t>(stream.below(n));
    const double place = stream.uniform() * running.back();
    // The first row whose prefix sum exceeds the position, which never has weight zero. If the
    // product rounds up to the whole sum, that is the last row with a weight.
    auto at = std::ranges::upper_bound(running, place);
    if (at == running.end()) at = std::ranges::lower_bound(running, running.back());
    return static_cast<std::size_t>(at - running.begin());
}

// Calls visit(row) for the rows drawn of each stratum, one stratum after another.
template <class Visit>
void for_drawn_strata(const SamplingPlan& plan, RandomStream& stream, const StopFlag& stop,
                      Visit&& visit) {
    for (std::size_t s = 0; s < plan.stratum_draws.size(); ++s) {
        const SamplingPlan::Stratum& of = plan.rows_of_stratum[s];
        const std::size_t n = of.rows.size(), wanted = plan.stratum_draws[s];
        if (plan.subsample) {
            for (const RowId place : draw_without_replacement(n, wanted, stream))
                visit(of.rows[place]);
            continue;
        }
        for (std::size_t draw = 0; draw < wanted; ++draw) {
            if (draw % kStopBlock == 0) stop.check();
            visit(of.rows[draw_one(n, of.running, stream)]);
        }
    }
}

// Marks the groups that belong to the patch of a tree. Their weights do not matter.
std::vector<bool> groups_of_patch(const SamplingPlan& plan, std::uint32_t seed) {
    const std::size_t n = plan.group_start.size() - 1;
    std::vector<bool> drawn(n, false);
    PatchRows(seed, n, std::min(plan.n_draws, n)).visit_below(n, [&](std::uint64_t group) {
        drawn[group] = true;
    });
    return drawn;
}

// Calls visit(row) for the rows of the patch of a tree, ascending.
template <class Visit>
void for_patch(const SamplingPlan& plan, std::uint32_t seed, const StopFlag& stop, Visit&& visit) {
    if (plan.grouped()) {
        const std::vector<bool> drawn = groups_of_patch(plan, seed);
        in_blocks(plan.n_rows, stop, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                if (drawn[plan.groups[i]]) visit(static_cast<RowId>(i));
        });
        return;
    }
    if (!plan.strata.empty()) {  // the i-th row of a stratum is its number i
        const std::size_t n = plan.stratum_draws.size();
        std::vector<PatchRows> rows;
        std::vector<std::uint64_t> sizes(n, 0), seen(n, 0);
        for (const RowId stratum : plan.strata) ++sizes[stratum];
        for (std::size_t s = 0; s < n; ++s)
            rows.emplace_back(seed, sizes[s], plan.stratum_draws[s], false, s + 1);
        in_blocks(plan.n_rows, stop, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const RowId s = plan.strata[i];
                rows[s].visit_below(++seen[s],
                                    [&](std::uint64_t) { visit(static_cast<RowId>(i)); });
            }
        });
        return;
    }
    PatchRows rows(seed, plan.n_rows, plan.n_draws, plan.bootstrap);
    in_blocks(plan.n_rows, stop, [&](std::size_t, std::size_t end) {
        rows.visit_below(end, [&](std::uint64_t row) { visit(static_cast<RowId>(row)); });
    });
}

// Calls visit(row) for the rows drawn for a tree, in the order drawn.
template <class Visit>
void for_drawn(const SamplingPlan& plan, std::uint32_t seed, const StopFlag& stop, Visit&& visit) {
    if (plan.patches) return for_patch(plan, seed, stop, visit);
    RandomStream stream(derive(root_key(seed), kRowsPart));
    if (plan.grouped()) return for_drawn_groups(plan, stream, stop, visit);
    if (plan.stratified()) return for_drawn_strata(plan, stream, stop, visit);
    if (plan.subsample) {
        const auto& of = plan.candidates;
        const std::size_t n = of.empty() ? plan.n_rows : of.size();
        for (const RowId i : draw_without_replacement(n, std::min(plan.n_draws, n), stream))
            visit(of.empty() ? i : of[i]);
        return;
    }
    for (std::size_t draw = 0; draw < plan.n_draws; ++draw) {
        if (draw % kStopBlock == 0) stop.check();
        visit(static_cast<RowId>(draw_one(plan.n_rows, plan.running, stream)));
    }
}

// Sorts the rows by group. Groups without weight are not drawn.
void prepare_groups(SamplingPlan& plan) {
    if (plan.groups.size() != plan.n_rows)
        throw std::invalid_argument("groups do not have one value per row");
    for (const RowId group : plan.groups)
        if (group >= plan.n_rows)
            throw std::invalid_argument("a group has a number above that of the rows");
    const std::size_t n_groups = std::size_t{std::ranges::max(plan.groups)} + 1;
    std::vector<double> weight(n_groups, 0.0);
    plan.group_start.assign(n_groups + 1, 0);
    for (std::size_t i = 0; i < plan.n_rows; ++i) {
        ++plan.group_start[plan.groups[i] + 1];
        weight[plan.groups[i]] += plan.weights.empty() ? 1.0 : plan.weights[i];
    }
    std::partial_sum(plan.group_start.begin(), plan.group_start.end(), plan.group_start.begin());
    std::vector<std::size_t> next = plan.group_start;
    plan.group_rows.resize(plan.n_rows);
    for (std::size_t i = 0; i < plan.n_rows; ++i)
        plan.group_rows[next[plan.groups[i]]++] = static_cast<RowId>(i);
    plan.candidates.clear();
    for (std::size_t g = 0; g < n_groups; ++g)
        if (weight[g] > 0.0) plan.candidates.push_back(static_cast<RowId>(g));
}

// Counts the rows of each stratum, whatever their weights, and checks the numbers to draw.
void check_strata_of_patches(const SamplingPlan& plan) {
    std::vector<std::size_t> sizes(plan.stratum_draws.size(), 0);
    for (const RowId stratum : plan.strata) ++sizes[stratum];
    for (std::size_t s = 0; s < sizes.size(); ++s)
        if (plan.stratum_draws[s] > sizes[s])
            throw std::invalid_argument("a patch cannot have more rows than its stratum");
}

// Sorts the rows by stratum. Rows without weight are not drawn.
void prepare_strata(SamplingPlan& plan) {
    if (plan.strata.size() != plan.n_rows)
        throw std::invalid_argument("strata do not have one value per row");
    if (plan.grouped() || (plan.patches ? plan.bootstrap : !plan.bootstrap && !plan.subsample))
        throw std::invalid_argument(
            "strata need draws of single rows, and patches without replacement");
    for (const RowId stratum : plan.strata)
        if (stratum >= plan.stratum_draws.size())
            throw std::invalid_argument("a stratum has no number of rows to draw");
    if (plan.patches) return check_strata_of_patches(plan);
    plan.rows_of_stratum.assign(plan.stratum_draws.size(), {});
    for (std::size_t i = 0; i < plan.n_rows; ++i)
        if (plan.weights.empty() || plan.weights[i] > 0.0)
            plan.rows_of_stratum[plan.strata[i]].rows.push_back(static_cast<RowId>(i));
    std::size_t n_draws = 0;
    for (std::size_t s = 0; s < plan.stratum_draws.size(); ++s) {
        SamplingPlan::Stratum& of = plan.rows_of_stratum[s];
        const std::size_t most = of.rows.empty() ? 0 : plan.bootstrap ? kMaxIds : of.rows.size();
        if (plan.stratum_draws[s] > most)
            throw std::invalid_argument("a stratum has fewer rows than are drawn of it");
        n_draws += plan.stratum_draws[s];
        if (plan.subsample || plan.weights.empty()) continue;
        double sum = 0.0;
        for (const RowId row : of.rows) of.running.push_back(sum += plan.weights[row]);
        scale_up(of.running);
    }
    if (n_draws != plan.n_draws || n_draws == 0)
        throw std::invalid_argument("the draws of all strata are not the draws of a tree");
}

}  // namespace

void SamplingPlan::prepare() {
    if (!weights.empty() && weights.size() != n_rows)
        throw std::invalid_argument("sample_weight does not have one value per row");
    for (const RowId row : held_out)
        if (row >= n_rows)
            throw std::invalid_argument("a row that is held out is not in the table");
    checked_id(n_rows, kMaxRows, "rows");
    checked_id(n_draws, kMaxIds, "rows drawn for a tree");
    double sum = 0.0;
    running.clear();
    for (const double w : weights) {
        if (!(w >= 0.0)) throw std::invalid_argument("sample_weight has a negative value");
        sum += w;
        if (bootstrap && !grouped() && !patches) running.push_back(sum);
    }
    scale_up(running);
    candidates.clear();
    if (subsample && !patches)
        for (std::size_t i = 0; i < weights.size(); ++i)
            if (weights[i] > 0.0) candidates.push_back(static_cast<RowId>(i));
    if (!weights.empty() && !(sum > 0.0 && std::isfinite(sum)))
        throw std::invalid_argument("the sum of sample_weight must be positive and finite");
    if (grouped()) prepare_groups(*this);
    if (stratified()) prepare_strata(*this);
}

std::size_t SamplingPlan::usual_size() const {
    const auto n = static_cast<double>(n_rows), draws = static_cast<double>(n_draws);
    const double of = grouped() ? static_cast<double>(candidates.size()) : n;
    if (bootstrap && stratified()) return std::min(n_draws, n_rows);
    if (bootstrap) return static_cast<std::size_t>(n * -std::expm1(-draws / of));
    if (subsample && grouped()) return static_cast<std::size_t>(n * std::min(draws / of, 1.0));
    return subsample ? std::min(n_draws, n_rows) : n_rows;
}

std::vector<RowId> draw_rows(const SamplingPlan& plan, std::uint32_t seed, const StopFlag& stop) {
    std::vector<RowId> rows;
    rows.reserve(plan.n_draws);
    for_drawn(plan, seed, stop, [&](RowId row) { rows.push_back(row); });
    return rows;
}

template <class Count>
bool count_draws(const SamplingPlan& plan, std::uint32_t seed, std::size_t first,
                 std::span<Count> counts, const StopFlag& stop) {
    std::ranges::fill(counts, Count{0});
    bool fits = true;
    for_drawn(plan, seed, stop, [&](RowId row) {
        const std::size_t i = row - first;  // wraps around for rows before
        if (i < counts.size()) fits &= ++counts[i] != 0;
    });
    return fits;
}
template bool count_draws(const SamplingPlan&, std::uint32_t, std::size_t, std::span<std::uint8_t>,
                          const StopFlag&);
template bool count_draws(const SamplingPlan&, std::uint32_t, std::size_t, std::span<std::uint32_t>,
                          const StopFlag&);

std::vector<bool> out_of_bag(const SamplingPlan& plan, std::uint32_t seed, const StopFlag& stop) {
    std::vector<bool> out(plan.n_rows, true);
    for (const RowId row : plan.held_out) out[row] = false;
    for_drawn(plan, seed, stop, [&](RowId row) { out[row] = false; });
    return out;
}

LearningSubset learning_subset(const SamplingPlan& plan, const Target& target, std::uint32_t seed,
                               const StopFlag& stop) {
    LearningSubset subset;
    if (plan.bootstrap) {
        subset.weights.assign(plan.n_rows, 0.0);
        for_drawn(plan, seed, stop, [&](RowId row) { subset.weights[row] += 1.0; });
        if (plan.balanced_subsample) balance_classes(subset.weights, target);
        if ((plan.grouped() || plan.patches) && !plan.weights.empty())
            for (std::size_t i = 0; i < plan.n_rows; ++i) subset.weights[i] *= plan.weights[i];
    } else if (plan.subsample && plan.weights.empty()) {
        subset.rows = draw_rows(plan, seed, stop);
        if (plan.grouped() || plan.stratified()) std::ranges::sort(subset.rows);
        subset.whole = static_cast<double>(subset.rows.size());
        if (plan.structure > 0.0) assign_roles(subset, plan, seed);
        return subset;
    } else if (plan.subsample) {
        subset.weights.assign(plan.n_rows, 0.0);
        for_drawn(plan, seed, stop, [&](RowId row) { subset.weights[row] = plan.weights[row]; });
    } else {
        subset.weights = plan.weights;
    }
    bring_near_one(subset);
    const std::size_t zeros = static_cast<std::size_t>(std::ranges::count(subset.weights, 0.0));
    // One more than needed: the loop writes each row before it decides whether to keep it.
    subset.rows.reserve(with_margin(plan.n_rows - zeros + 1));
    subset.rows.resize(plan.n_rows - zeros + 1);
    std::size_t n = 0;
    for (std::size_t i = 0; i < plan.n_rows; ++i) {
        const double w = subset.weight(static_cast<RowId>(i));
        subset.rows[n] = static_cast<RowId>(i);  // branch-free: the branch would be unpredictable
        n += w > 0.0;
        subset.whole += w;
        subset.whole_weights &=
            w < 0x1.0p20 && w == static_cast<double>(static_cast<std::int32_t>(w));
    }
    subset.rows.resize(n);
    if (plan.structure > 0.0) assign_roles(subset, plan, seed);
    return subset;
}

LearningSubset estimation_subset(LearningSubset subset, std::size_t n_rows) {
    if (subset.estimates.empty()) return subset;
    LearningSubset estimation = subset;
    estimation.rows.clear();
    estimation.estimates.clear();
    estimation.weights.assign(n_rows, 0.0);  // callers may ask for the weight of any row
    estimation.whole = 0.0;
    for (std::size_t i = 0; i < subset.rows.size(); ++i)
        if (subset.estimates[i] != 0) {
            const RowId row = subset.rows[i];
            estimation.rows.push_back(row);
            estimation.weights[row] = subset.weight(row);
            estimation.whole += subset.weight(row);
        }
    return estimation;
}

}  // namespace silvics
