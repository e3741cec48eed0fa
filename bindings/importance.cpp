// A table taken as a distribution, in; importances of all randomized trees on it, out.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include "importance/by_context.hpp"
#include "importance/impurity_decrease.hpp"
#include "importance/node_importances.hpp"
#include "importance/randomized_trees.hpp"
#include "importance/subset_impurities.hpp"
#include "importance/surrogates.hpp"
#include "views.hpp"

namespace silvics::bindings {
namespace {

template <class T>
using Grid = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Keeps the arrays that a distribution looks at.
struct HeldDistribution : Distribution {
    Grid<std::uint32_t> held_levels;
    Grid<double> held_statistics;
};

Impurity impurity_named(const std::string& name) {
    if (name == "entropy") return Impurity::entropy;
    if (name == "gini") return Impurity::gini;
    if (name == "variance") return Impurity::variance;
    throw std::invalid_argument("no impurity is called '" + name + "'");
}

std::vector<SharedTree> shared(const std::vector<std::shared_ptr<Tree>>& trees) {
    return {trees.begin(), trees.end()};
}

nb::dict as_dict(TreeImportances found) {
    nb::dict out;
    std::size_t p = 1;
    while (p * p < found.by_degree.size()) ++p;
    const std::size_t n = found.contexts.size(), n_words = (p + 63) / 64;
    std::vector<std::uint32_t> variable(n);
    std::vector<std::uint64_t> set;
    std::vector<double> weight(n), decrease(n);
    set.reserve(n * n_words);
    for (std::size_t i = 0; i < n; ++i) {
        const ContextSum& context = found.contexts[i];
        variable[i] = context.variable;
        weight[i] = context.weight;
        decrease[i] = context.decrease;
        set.insert(set.end(), context.set.begin(), context.set.end());
    }
    out["by_degree"] = to_numpy(std::move(found.by_degree), p, p);
    out["variable"] = to_numpy(std::move(variable), n);
    out["set"] = to_numpy(std::move(set), n, n_words);
    out["weight"] = to_numpy(std::move(weight), n);
    out["decrease"] = to_numpy(std::move(decrease), n);
    nb::list cuts;
    for (auto& of_variable : found.by_cut) {
        const std::size_t size = of_variable.size();
        cuts.append(to_numpy(std::move(of_variable), size));
    }
    out["by_cut"] = cuts;
    if (!found.hidden.empty()) out["hidden"] = to_numpy(std::move(found.hidden), p, p);
    const std::size_t n_trees = found.of_trees.size() / p;
    out["of_trees"] = to_numpy(std::move(found.of_trees), n_trees, p);
    return out;
}

}  // namespace

void bind_importance(nb::module_& m) {
    nb::class_<HeldDistribution>(m, "Distribution",
                                 "Distinct rows of a table, and what is known of Y in each.")
        .def(
            "__init__",
            [](HeldDistribution* self, Grid<std::uint32_t> levels,
               std::vector<std::uint32_t> n_levels, Grid<double> statistics,
               const std::string& impurity, std::vector<std::vector<double>> values) {
                new (self) HeldDistribution;
                self->n_variables = levels.shape(0);
                self->n_rows = levels.shape(1);
                self->levels = {levels.data(), levels.size()};
                self->n_levels = std::move(n_levels);
                self->statistics = {statistics.data(), statistics.size()};
                self->width = statistics.shape(1);
                self->values = std::move(values);
                self->impurity = impurity_named(impurity);
                self->held_levels = std::move(levels);
                self->held_statistics = std::move(statistics);
                check(*self);
            },
            nb::arg("levels"), nb::arg("n_levels"), nb::arg("statistics"), nb::arg("impurity"),
            nb::arg("values"), "Levels have a row for each variable, statistics for each row.");

    nb::enum_<TreeSplits>(m, "TreeSplits", "What the tests of randomized trees are.")
        .value("multiway", TreeSplits::multiway)
        .value("random_cut", TreeSplits::random_cut)
        .value("best_cut", TreeSplits::best_cut);
    nb::class_<RandomizedTrees>(m, "RandomizedTrees", "How randomized trees are grown.")
        .def(nb::init<>())
        .def_rw("splits", &RandomizedTrees::splits)
        .def_rw("n_drawn", &RandomizedTrees::n_drawn)
        .def_rw("depth", &RandomizedTrees::depth)
        .def_rw("constants_count", &RandomizedTrees::constants_count)
        .def_rw("part_of", &RandomizedTrees::part_of)
        .def_rw("wants_hidden", &RandomizedTrees::wants_hidden)
        .def_rw("most_in_context", &RandomizedTrees::most_in_context);

    m.def(
        "subset_impurities",
        [](const HeldDistribution& distribution, std::size_t max_size, std::size_t n_jobs,
           nb::object progress) {
            std::vector<double> found;
            unlocked_or_raise(
                n_jobs,
                [&](ThreadTeam& team) { found = subset_impurities(distribution, max_size, team); },
                std::move(progress));
            const std::size_t n = found.size();
            return to_numpy(std::move(found), n);
        },
        nb::arg("distribution"), nb::arg("max_size"), nb::arg("n_jobs"), nb::arg("progress").none(),
        "Weight times i(Y|B) of every set B, at the number whose bits are its variables.");
    m.def(
        "expected_importances",
        [](const HeldDistribution& distribution, const RandomizedTrees& trees,
           std::uint64_t max_work, std::size_t n_jobs, nb::object progress) -> nb::object {
            std::optional<TreeImportances> found;
            unlocked_or_raise(
                n_jobs,
                [&](ThreadTeam& team) {
                    found = expected_importances(distribution, trees, max_work, team);
                },
                std::move(progress));
            if (!found) return nb::none();
            return as_dict(std::move(*found));
        },
        nb::arg("distribution"), nb::arg("trees"), nb::arg("max_work"), nb::arg("n_jobs"),
        nb::arg("progress").none(),
        nb::sig("def expected_importances(distribution: Distribution, trees: RandomizedTrees, "
                "max_work: int, n_jobs: int, progress: collections.abc.Callable[[int, int], "
                "object] | None) -> dict | None"),
        "Over all trees; None if that is more than `max_work` rows to look at.");
    m.def(
        "sampled_importances",
        [](const HeldDistribution& distribution, const RandomizedTrees& trees, std::uint64_t seed,
           std::size_t n_trees, std::size_t n_jobs, nb::object progress) {
            TreeImportances found;
            unlocked_or_raise(
                n_jobs,
                [&](ThreadTeam& team) {
                    found = sampled_importances(distribution, trees, seed, n_trees, team);
                },
                std::move(progress));
            return as_dict(std::move(found));
        },
        nb::arg("distribution"), nb::arg("trees"), nb::arg("seed"), nb::arg("n_trees"),
        nb::arg("n_jobs"), nb::arg("progress").none(), "The mean over so many random trees.");

    m.def(
        "decompose_importances",
        [](std::vector<std::shared_ptr<Tree>> trees, std::vector<std::uint32_t> group_of,
           std::size_t most_in_context, std::size_t n_jobs, std::size_t min_samples) {
            const auto kept = shared(trees);
            ContextDecomposition found;
            unlocked_or_raise(n_jobs, [&](ThreadTeam& team) {
                found = decompose_importances(kept, group_of, most_in_context, min_samples, team);
            });
            const std::size_t n = found.contexts.size();
            std::vector<std::uint32_t> variable(n), others;
            std::vector<std::int64_t> starts(n + 1, 0);
            std::vector<double> weight(n), decrease(n);
            for (std::size_t i = 0; i < n; ++i) {
                const TestsInContext& tests = found.contexts[i];
                variable[i] = tests.variable;
                weight[i] = tests.weight;
                decrease[i] = tests.decrease;
                others.insert(others.end(), tests.set.begin(), tests.set.end());
                starts[i + 1] = static_cast<std::int64_t>(others.size());
            }
            const std::size_t n_others = others.size(), k = found.n_degrees;
            const std::size_t p = found.by_degree.size() / k;
            return nb::make_tuple(
                to_numpy(std::move(found.by_degree), p, k), to_numpy(std::move(variable), n),
                to_numpy(std::move(starts), n + 1), to_numpy(std::move(others), n_others),
                to_numpy(std::move(weight), n), to_numpy(std::move(decrease), n));
        },
        nb::arg("trees"), nb::arg("group_of"), nb::arg("most_in_context"), nb::arg("n_jobs"),
        nb::arg("min_samples") = 0,
        "Importances of trees by degree, and by context: variables, starts of sets, their "
        "variables, weights and decreases.");

    nb::enum_<NodeMeasure>(m, "NodeMeasure", "What is found node by node.")
        .value("out_of_bag", NodeMeasure::out_of_bag)
        .value("cross_fitted", NodeMeasure::cross_fitted)
        .value("drawn", NodeMeasure::drawn)
        .value("null_part", NodeMeasure::null_part)
        .value("null_entropy", NodeMeasure::null_entropy);
    m.def(
        "node_importances",
        [](const Walker& walker, const std::vector<std::shared_ptr<Tree>>& trees, std::size_t first,
           const HeldMatrix& X, const Target& target, std::vector<std::uint32_t> seeds,
           const SamplingPlan& sampling, NodeMeasure measure, std::vector<std::uint32_t> group_of,
           std::size_t n_groups, std::size_t min_samples, bool by_output, std::size_t n_jobs) {
            const auto kept = shared(trees);
            const NodeImportances wanted{measure, group_of, n_groups, min_samples, by_output};
            std::vector<double> found;
            unlocked_or_raise(n_jobs, [&](ThreadTeam& team) {
                found = node_importances(walker, kept, X, target, {first, seeds, sampling}, wanted,
                                         team);
            });
            const std::size_t width = by_output ? target.value_width() : 1;
            return to_numpy(std::move(found), kept.size(), n_groups, width);
        },
        nb::arg("walker"), nb::arg("trees"), nb::arg("first"), nb::arg("X"), nb::arg("target"),
        nb::arg("seeds"), nb::arg("sampling"), nb::arg("measure"), nb::arg("group_of"),
        nb::arg("n_groups"), nb::arg("min_samples"), nb::arg("by_output"), nb::arg("n_jobs"),
        "Of trees, `first` and those after it, by group and output, from the rows of fit.");
    m.def(
        "add_local_importances",
        [](const Walker& walker, const std::vector<std::shared_ptr<Tree>>& trees, std::size_t first,
           const HeldMatrix& X, std::vector<std::uint32_t> group_of,
           nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu> sums,
           std::size_t n_jobs) {
            const auto kept = shared(trees);
            const std::span<double> into(sums.data(), sums.size());
            unlocked_or_raise(n_jobs, [&](ThreadTeam& team) {
                add_local_importances(walker, kept, first, X, group_of, sums.shape(1), into, team);
            });
        },
        nb::arg("walker"), nb::arg("trees"), nb::arg("first"), nb::arg("X"), nb::arg("group_of"),
        nb::arg("sums"), nb::arg("n_jobs"),
        "How the impurity falls on the ways of samples, added up over trees.");
    m.def(
        "surrogate_importances",
        [](const Walker& walker, const std::vector<std::shared_ptr<Tree>>& trees, std::size_t first,
           const HeldMatrix& X, const Target& target, std::vector<std::uint32_t> seeds,
           const SamplingPlan& sampling, std::vector<bool> categories, const std::string& impurity,
           bool wants_mimicry, std::size_t n_jobs) {
            const auto kept = shared(trees);
            Surrogates found;
            unlocked_or_raise(n_jobs, [&](ThreadTeam& team) {
                found = surrogate_importances(walker, kept, X, target, {first, seeds, sampling},
                                              categories, impurity_named(impurity), wants_mimicry,
                                              team);
            });
            const std::size_t p = walker.n_features();
            return nb::make_tuple(to_numpy(std::move(found.importances), kept.size(), p),
                                  to_numpy(std::move(found.mimicry), wants_mimicry ? p : 0, p));
        },
        nb::arg("walker"), nb::arg("trees"), nb::arg("first"), nb::arg("X"), nb::arg("target"),
        nb::arg("seeds"), nb::arg("sampling"), nb::arg("categories"), nb::arg("impurity"),
        nb::arg("wants_mimicry"), nb::arg("n_jobs"),
        "Of each tree and variable, and how well variables mimic each other.");
    m.def(
        "impurity_decrease_by_output",
        [](const Tree& tree, const std::string& impurity, std::size_t min_samples) {
            auto found = impurity_decrease_by_output(tree, impurity_named(impurity), min_samples);
            return to_numpy(std::move(found), tree.n_features, tree.value_width());
        },
        nb::arg("tree"), nb::arg("impurity"), nb::arg("min_samples") = 0,
        "Mean decrease of impurity of one tree, variables by classes or outputs.");
}

}  // namespace silvics::bindings
