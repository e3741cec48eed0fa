// Importances of grown trees.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include "conversions.hpp"
#include "held_table.hpp"
#include "importance/by_context.hpp"
#include "importance/impurity_decrease.hpp"
#include "importance/node_importances.hpp"
#include "importance/randomized_trees.hpp"
#include "importance/subset_impurities.hpp"
#include "importance/surrogates.hpp"
#include "importance/target_importances.hpp"
#include "predictor/leaf_membership.hpp"
#include "views.hpp"

namespace silvics::bindings {
namespace {

void find_leaves(const Predictor& predictor, const HeldMatrix& X, std::size_t first,
                 std::size_t size, std::vector<std::int64_t>& leaves, ThreadTeam& team) {
    leaves.resize(checked_product(X.rows, size));
    predictor.apply(X, first, size, leaves, team);
}

void find_leaves(const Predictor& predictor, const LeafMembership& rows, std::size_t first,
                 std::size_t size, std::vector<std::int64_t>& leaves, ThreadTeam& team) {
    leaves.resize(checked_product(rows.n_rows, size));
    apply(rows, predictor, first, size, leaves, team);
}

template <class Rows>
void bind_node_importances(nb::module_& m, const char* doc) {
    m.def(
        "node_importances",
        [](const Predictor& predictor, const std::vector<std::shared_ptr<StoredTree>>& trees,
           std::size_t first, const Rows& rows, const Target& target,
           std::vector<std::uint32_t> seeds, const SamplingPlan& sampling, NodeMeasure measure,
           std::vector<std::uint32_t> group_of, std::size_t n_groups, std::size_t min_samples,
           bool by_output, std::size_t n_jobs) {
            const auto kept = const_trees(trees);
            const NodeImportances wanted{measure, group_of, n_groups, min_samples, by_output};
            std::vector<double> found;
            unlocked_or_raise(n_jobs, [&](ThreadTeam& team) {
                std::vector<std::int64_t> leaves;
                find_leaves(predictor, rows, first, kept.size(), leaves, team);
                found =
                    node_importances(kept, leaves, target, {first, seeds, sampling}, wanted, team);
            });
            const std::size_t width = by_output ? target.value_width() : 1;
            return to_numpy(std::move(found), kept.size(), n_groups, width);
        },
        nb::arg("predictor"), nb::arg("trees"), nb::arg("first"), nb::arg("rows"),
        nb::arg("target"), nb::arg("seeds"), nb::arg("sampling"), nb::arg("measure"),
        nb::arg("group_of"), nb::arg("n_groups"), nb::arg("min_samples"), nb::arg("by_output"),
        nb::arg("n_jobs"), doc);
}

void bind_target_importances(nb::module_& m) {
    m.def(
        "target_importances",
        [](const HeldTable& table, Vector<double> values, std::vector<std::int64_t> columns,
           const SamplingPlan& sampling, const std::string& criterion, const GrowthRules& rules,
           std::vector<std::uint32_t> seeds, std::size_t n_jobs, nb::object progress) {
            const ForestPlan plan{find_criterion(criterion), rules, sampling, std::move(seeds)};
            const ManyTargets targets{span_of(values), std::move(columns)};
            PythonMonitor monitor(std::move(progress));
            TargetImportances found;
            unlocked(n_jobs, monitor, [&](ThreadTeam& team) {
                found = target_importances(table, targets, plan, team);
            });
            const std::size_t n = found.finished.size();
            return std::tuple(to_numpy(std::move(found.values), n, table.n_features()),
                              to_numpy(std::move(found.finished), n),
                              monitor.failed() ? monitor.error() : nb::object(nb::none()));
        },
        nb::arg("table"), nb::arg("values"), nb::arg("columns"), nb::arg("sampling"),
        nb::arg("criterion"), nb::arg("rules"), nb::arg("seeds"), nb::arg("n_jobs"),
        nb::arg("progress").none(),
        "Importances of the variables for each target (targets x variables), which targets are "
        "finished, and the exception that interrupted the others, or None.");
}

}  // namespace

void bind_importance(nb::module_& m) {
    nb::enum_<NodeMeasure>(m, "NodeMeasure", "The quantity that is computed at every node.")
        .value("out_of_bag", NodeMeasure::out_of_bag)
        .value("cross_fitted", NodeMeasure::cross_fitted)
        .value("drawn", NodeMeasure::drawn)
        .value("null_part", NodeMeasure::null_part)
        .value("null_entropy", NodeMeasure::null_entropy);
    bind_node_importances<HeldMatrix>(m, "From the rows of fit, which descend the trees.");
    bind_node_importances<LeafMembership>(m, "From the leaf membership of the rows of fit.");
    m.def(
        "add_local_importances",
        [](const Predictor& predictor, const std::vector<std::shared_ptr<StoredTree>>& trees,
           std::size_t first, const HeldMatrix& X, std::vector<std::uint32_t> group_of,
           nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu> sums,
           std::size_t n_jobs) {
            const auto kept = const_trees(trees);
            const std::span<double> into(sums.data(), sums.size());
            unlocked_or_raise(n_jobs, [&](ThreadTeam& team) {
                add_local_importances(predictor, kept, first, X, group_of, sums.shape(1), into,
                                      team);
            });
        },
        nb::arg("predictor"), nb::arg("trees"), nb::arg("first"), nb::arg("X"), nb::arg("group_of"),
        nb::arg("sums"), nb::arg("n_jobs"),
        "Adds the decrease of impurity along the decision path of each sample, summed over trees.");
    m.def(
        "surrogate_importances",
        [](const Predictor& predictor, const std::vector<std::shared_ptr<StoredTree>>& trees,
           std::size_t first, const HeldMatrix& X, const Target& target,
           std::vector<std::uint32_t> seeds, const SamplingPlan& sampling,
           std::vector<bool> categories, const std::string& impurity, bool wants_mimicry,
           std::size_t n_jobs) {
            const auto kept = const_trees(trees);
            Surrogates found;
            unlocked_or_raise(n_jobs, [&](ThreadTeam& team) {
                found = surrogate_importances(predictor, kept, X, target, {first, seeds, sampling},
                                              categories, impurity_named(impurity), wants_mimicry,
                                              team);
            });
            const std::size_t p = predictor.n_features();
            return nb::make_tuple(to_numpy(std::move(found.importances), kept.size(), p),
                                  to_numpy(std::move(found.mimicry), wants_mimicry ? p : 0, p));
        },
        nb::arg("predictor"), nb::arg("trees"), nb::arg("first"), nb::arg("X"), nb::arg("target"),
        nb::arg("seeds"), nb::arg("sampling"), nb::arg("categories"), nb::arg("impurity"),
        nb::arg("wants_mimicry"), nb::arg("n_jobs"),
        "Importances from surrogate splits (trees x variables), and how well variables mimic "
        "each other.");
    bind_target_importances(m);
    m.def(
        "impurity_decrease_by_output",
        [](const StoredTree& tree, const std::string& impurity, std::size_t min_samples) {
            auto found = impurity_decrease_by_output(tree, impurity_named(impurity), min_samples);
            return to_numpy(std::move(found), tree->n_features, tree->value_width());
        },
        nb::arg("tree"), nb::arg("impurity"), nb::arg("min_samples") = 0,
        "Mean decrease of impurity of one tree: variables x classes or outputs.");
}

}  // namespace silvics::bindings
