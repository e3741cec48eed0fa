// Importances of randomized trees on a distribution, and the decomposition of those of a forest.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include "conversions.hpp"
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

// A distribution and the caller's arrays that it reads.
struct HeldDistribution : Distribution {
    Grid<std::uint32_t> held_levels;
    Grid<double> held_statistics;
};

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
    for (auto& variable_cuts : found.by_cut) {
        const std::size_t size = variable_cuts.size();
        cuts.append(to_numpy(std::move(variable_cuts), size));
    }
    out["by_cut"] = cuts;
    if (!found.hidden.empty()) out["hidden"] = to_numpy(std::move(found.hidden), p, p);
    const std::size_t n_trees = found.of_trees.size() / p;
    out["of_trees"] = to_numpy(std::move(found.of_trees), n_trees, p);
    return out;
}

void bind_types(nb::module_& m) {
    nb::class_<HeldDistribution>(m, "Distribution",
                                 "The distinct rows of a table, and the statistics of Y in each.")
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
            nb::arg("values"),
            "`levels` has one row per variable, `statistics` one row per distinct row of the "
            "table.");

    nb::enum_<TreeSplits>(m, "TreeSplits", "The kind of split of randomized trees.")
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
}

void bind_theory(nb::module_& m) {
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
        "Weight times i(Y|B) of every set B, at the index whose bits are the variables of B.");
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
        "Expected importances over all trees; None if more than `max_work` rows would be read.");
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
        nb::arg("n_jobs"), nb::arg("progress").none(),
        "Mean importances over `n_trees` random trees.");
}

void bind_decomposition(nb::module_& m) {
    m.def(
        "decompose_importances",
        [](std::vector<std::shared_ptr<StoredTree>> trees, std::vector<std::uint32_t> group_of,
           std::size_t most_in_context, std::size_t n_jobs, std::size_t min_samples) {
            const auto kept = const_trees(trees);
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
        "Importances of trees by degree, and by context: variables, starts of the sets, variables "
        "of the sets, weights and decreases.");
}

}  // namespace

void bind_distribution(nb::module_& m) {
    bind_types(m);
    bind_theory(m);
    bind_decomposition(m);
}

}  // namespace silvics::bindings
