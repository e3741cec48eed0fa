#include "forest/grower.hpp"

#include <algorithm>

#include "builder/build_tree.hpp"
#include "splitter/column_ranges.hpp"

namespace silvics {
namespace {

// Forests whose nodes take fewer bytes per thread do without page pools.
constexpr std::size_t kMinPooledBytes = std::size_t{1} << 20;

// Adds the statistics of whole columns that the rules need, and checks those that were given.
GrowthRules with_column_ranges(GrowthRules rules, const Table& table, ThreadTeam& team) {
    SearchRules& search = rules.search;
    const std::size_t p = table.n_features();
    if (search.by_cells() || search.kind == SplitKind::oblique)
        search.ranges = column_ranges(table, team);
    if (search.kind == SplitKind::multiway)
        search.edges = column_edges(table, search.max_values, team);
    if (search.honest && search.missing == MissingRule::both)
        throw std::invalid_argument("honest trees do not send samples to both children");
    if (search.variable_draw == VariableDraw::weighted && search.probabilities.size() != p)
        throw std::invalid_argument("one probability for each variable is needed");
    const auto check_variables = [&](const std::vector<FeatureId>& variables) {
        if (std::ranges::any_of(variables, [&](FeatureId f) { return f >= p; }))
            throw std::invalid_argument("there is no variable of such a number");
        if (!std::ranges::is_sorted(variables))
            throw std::invalid_argument("variables must be given in ascending order");
    };
    check_variables(search.always);
    for (const auto& group : search.interactions) check_variables(group);
    if (search.node_bins != NodeBins::none && search.n_node_bins < 2)
        throw std::invalid_argument("at least two bins are needed");
    if (search.presort && (search.missing == MissingRule::both || search.random_cut ||
                           search.kind == SplitKind::oblique))
        throw std::invalid_argument(
            "samples that are copied, combined or not scanned have no order");
    if (search.split_sample != 0 && search.missing == MissingRule::both)
        throw std::invalid_argument("samples of both children cannot be searched on a sample");
    if (search.cut_draw == CutDraw::relevance && search.relevant.size() != p)
        throw std::invalid_argument("one flag for each variable is needed: whether it is relevant");
    return rules;
}

// Raises an error unless the outputs, the rows drawn and the rules fit the table.
void check_inputs(const Table& table, const Target& target, const SamplingPlan& sampling,
                  const ForestPlan& plan) {
    if (target.n_rows != table.n_rows || sampling.n_rows != table.n_rows)
        throw std::invalid_argument("X, y and sample_weight do not have the same number of rows");
    if (plan.criterion.classification != target.classification())
        throw std::invalid_argument("the criterion does not fit the target");
    if (const std::size_t m = plan.rules.search.monotonic.size(); m != 0 && m != table.n_features())
        throw std::invalid_argument("monotonic_cst does not have one value per variable");
}

// Calls grow_all(grown), and after a stop request keeps the trees before the first unfinished one.
template <class GrowAll>
GrownTrees grow_until_stopped(std::size_t n_trees, GrowAll&& grow_all) {
    GrownTrees grown;
    grown.trees.resize(n_trees);
    grown.work.resize(n_trees);
    grown.detailed.resize(n_trees);
    try {
        grow_all(grown);
    } catch (const Interrupted&) {
        grown.complete = false;
        grown.trees.erase(std::ranges::find(grown.trees, nullptr), grown.trees.end());
        grown.work.resize(grown.trees.size());
        grown.detailed.resize(grown.trees.size());
    }
    return grown;
}

}  // namespace

std::size_t n_shared(std::size_t n_trees, std::size_t n_threads) {
    // The speed-up of n threads on one tree is about the square root of n.
    const std::size_t rest = n_trees % n_threads;
    return rest * rest < n_threads ? rest : 0;
}

GrownTrees grow_forest(const Table& table, const Target& target, const ForestPlan& plan,
                       ThreadTeam& team) {
    check_inputs(table, target, plan.sampling, plan);
    const GrowthRules rules = with_column_ranges(plan.rules, table, team);
    if (rules.detailed && (rules.search.honest || rules.ccp_alpha > 0.0 ||
                           rules.search.missing == MissingRule::both || rules.search.by_cells()))
        throw std::invalid_argument("trees of this kind have no prefixes");
    const std::size_t n_trees = plan.seeds.size();
    const std::size_t n_nodes = n_trees / team.size() * 2 * table.n_rows;  // at most, per thread
    std::vector<PagePool> pools(n_nodes * sizeof(Node) < kMinPooledBytes ? 0 : team.size());
    const bool share = rules.shareable() && plan.sampling.usual_size() >= rules.search.shared_from;
    const std::size_t n_single = n_trees - (share ? n_shared(n_trees, team.size()) : 0);
    return grow_until_stopped(n_trees, [&](GrownTrees& grown) {
        // `shared_by` is the team that grows this tree together, if it does.
        const auto grow = [&](std::size_t i, std::size_t worker, ThreadTeam* shared_by) {
            PagePool* const pool = pools.empty() ? nullptr : &pools[worker];
            if (pool != nullptr) pool->expect((n_trees - i) / team.size());
            BuiltTree built = build_tree(
                {plan.criterion, table, target, rules, team.stop(), shared_by, pool},
                learning_subset(plan.sampling, target, plan.seeds[i], team.stop()), plan.seeds[i]);
            if (built.detailed) {
                grown.detailed[i] =
                    std::make_shared<const DetailedTree>(*std::move(built.detailed));
                grown.trees[i] = grown.detailed[i]->tree;
            } else {
                grown.trees[i] = std::make_shared<const StoredTree>(std::move(built.tree));
            }
            grown.work[i] = built.work;
        };
        if (n_single < n_trees) team.set_total(n_trees);
        team.run(n_single, [&](std::size_t i, std::size_t worker) { grow(i, worker, nullptr); });
        if (n_single < n_trees) team.report(n_single);
        for (std::size_t i = n_single; i < n_trees; ++i) {
            grow(i, 0, &team);
            team.report(i + 1);
        }
    });
}

GrownTrees grow_patches(const std::vector<Patch>& patches, const ForestPlan& plan,
                        ThreadTeam& team) {
    if (patches.size() != plan.seeds.size())
        throw std::invalid_argument("each patch needs the seed of its tree");
    std::vector<GrowthRules> rules;
    for (const Patch& patch : patches) {
        check_inputs(*patch.table, *patch.target, *patch.sampling, plan);
        rules.push_back(with_column_ranges(plan.rules, *patch.table, team));
    }
    return grow_until_stopped(patches.size(), [&](GrownTrees& grown) {
        team.run(patches.size(), [&](std::size_t i, std::size_t) {
            const auto& [table, target, sampling] = patches[i];
            BuiltTree built = build_tree(
                {plan.criterion, *table, *target, rules[i], team.stop()},
                learning_subset(*sampling, *target, plan.seeds[i], team.stop()), plan.seeds[i]);
            grown.trees[i] = std::make_shared<const StoredTree>(std::move(built.tree));
            grown.work[i] = built.work;
        });
    });
}

}  // namespace silvics
