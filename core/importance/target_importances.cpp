#include "importance/target_importances.hpp"

#include <algorithm>
#include <stdexcept>

#include "builder/build_tree.hpp"
#include "importance/impurity_decrease.hpp"
#include "sampling/feature_draw.hpp"

namespace silvics {
namespace {

void check(const Table& table, const ManyTargets& targets, const ForestPlan& plan) {
    const std::size_t n = targets.columns.size();
    if (plan.criterion.classification) throw std::invalid_argument("the targets must be numbers");
    if (targets.values.size() != n * table.n_rows || plan.sampling.n_rows != table.n_rows)
        throw std::invalid_argument("the targets must have a value for each row of the table");
    if (plan.rules.search.needs_general_splitter())
        throw std::invalid_argument("these rules need the general splitter");
    if (plan.seeds.empty()) throw std::invalid_argument("at least one tree is needed");
    for (const std::int64_t column : targets.columns) {
        if (column < -1 || column >= static_cast<std::int64_t>(table.n_features()))
            throw std::invalid_argument("the column of a target is out of range");
        if (column >= 0 && table.n_features() == 1)
            throw std::invalid_argument("there is no column to predict a target from");
    }
}

class TargetForests {
public:
    TargetForests(const Table& table, const ManyTargets& targets, const ForestPlan& plan,
                  TargetImportances& found)
        : table_(table), targets_(targets), plan_(plan), found_(found) {}

    // Trees grow on the calling thread.
    void grow(std::size_t t, const StopFlag& stop) {
        const Target target = target_of(t);
        const GrowthRules rules = rules_of(t);
        for (const std::uint32_t seed : plan_.seeds) {
            stop.check();
            const BuiltTree built =
                build_tree({plan_.criterion, table_, target, rules, stop},
                           learning_subset(plan_.sampling, target, seed, stop), seed);
            add(t, built.tree);
        }
        finish(t);
    }

    // The trees of a target grow on several threads, and are added in the same order.
    void grow_by(std::size_t t, ThreadTeam& team) {
        ForestPlan plan = plan_;
        plan.rules = rules_of(t);
        const GrownTrees grown = grow_forest(table_, target_of(t), plan, team);
        if (!grown.complete) throw Interrupted{};
        for (const SharedTree& tree : grown.trees) add(t, *tree);
        finish(t);
    }

private:
    Target target_of(std::size_t t) const {
        const auto y = targets_.values.subspan(t * table_.n_rows, table_.n_rows);
        return real_target(y, table_.n_rows, 1, plan_.criterion.centred);
    }

    GrowthRules rules_of(std::size_t t) const {
        GrowthRules rules = plan_.rules;
        if (const std::int64_t own = targets_.columns[t]; own >= 0) {
            rules.columns = FeatureDraw::first_features(table_.n_features());
            rules.columns.erase(rules.columns.begin() + own);
        }
        return rules;
    }

    std::span<double> sums(std::size_t t) {
        return std::span(found_.values).subspan(t * table_.n_features(), table_.n_features());
    }
    void add(std::size_t t, const StoredTree& tree) {
        const std::vector<double> decreases = impurity_decrease(tree, false);
        std::ranges::transform(sums(t), decreases, sums(t).begin(), std::plus{});
    }
    void finish(std::size_t t) {
        for (double& value : sums(t)) value /= static_cast<double>(plan_.seeds.size());
        found_.finished[t] = 1;
    }

    const Table& table_;
    const ManyTargets& targets_;
    const ForestPlan& plan_;
    TargetImportances& found_;
};

}  // namespace

TargetImportances target_importances(const Table& table, const ManyTargets& targets,
                                     const ForestPlan& plan, ThreadTeam& team) {
    check(table, targets, plan);
    const std::size_t n = targets.columns.size();
    TargetImportances found;
    found.values.resize(n * table.n_features());
    found.finished.resize(n);
    TargetForests forests(table, targets, plan, found);
    // With a thread for each target, the threads should not wait long for the last one.
    constexpr std::size_t kTargetsOfThread = 4;
    try {
        if (n >= kTargetsOfThread * team.size()) {
            team.run(n, [&](std::size_t t, std::size_t) { forests.grow(t, team.stop()); });
        } else {
            team.set_total(n);
            for (std::size_t t = 0; t < n; ++t) {
                forests.grow_by(t, team);
                team.report(t + 1);
            }
        }
    } catch (const Interrupted&) {
        // The targets that are finished are marked.
    }
    return found;
}

}  // namespace silvics
