// From tables, outputs and rules to grown trees.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include "forest/grower.hpp"
#include "held_table.hpp"

namespace silvics::bindings {

void bind_grow(nb::module_& m) {
    m.def(
        "grow",
        [](const HeldTable& table, const Target& target, const SamplingPlan& sampling,
           const std::string& criterion, const GrowthRules& rules, std::vector<std::uint32_t> seeds,
           std::size_t n_jobs, nb::object progress) {
            const ForestPlan plan{find_criterion(criterion), rules, sampling, std::move(seeds)};
            PythonMonitor monitor(std::move(progress));
            GrownTrees grown;
            unlocked(n_jobs, monitor,
                     [&](ThreadTeam& team) { grown = grow_forest(table, target, plan, team); });
            nb::list trees;
            for (const auto& tree : grown.trees)
                trees.append(nb::cast(std::const_pointer_cast<StoredTree>(tree)));
            nb::list work;
            for (const Work& of_tree : grown.work)
                work.append(
                    nb::make_tuple(of_tree.samples, of_tree.values, of_tree.sorted, of_tree.cuts));
            return nb::make_tuple(trees, work, monitor.failed() ? monitor.error() : nb::none());
        },
        nb::arg("table"), nb::arg("target"), nb::arg("sampling"), nb::arg("criterion"),
        nb::arg("rules"), nb::arg("seeds"), nb::arg("n_jobs"), nb::arg("progress").none(),
        nb::sig("def grow(table: Table, target: Target, sampling: Sampling, criterion: str, "
                "rules: GrowthRules, seeds: collections.abc.Sequence[int], n_jobs: int, "
                "progress: collections.abc.Callable[[int, int], object] | None) "
                "-> tuple[list[Tree], list[tuple[int, int, int, int]], BaseException | None]"),
        "Trees of the seeds, the work of each (samples, values, sorted, cuts), and the exception "
        "that cut the growing short, if any: then the "
        "trees are the first so many.");
}

}  // namespace silvics::bindings
