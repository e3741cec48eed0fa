// Growing trees from a table, outputs and rules.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include <chrono>
#include <limits>

#include "forest/grower.hpp"
#include "held_table.hpp"

namespace silvics::bindings {
namespace {

// Asks the work to stop when its time is over. Before that it does what another monitor does.
class TimeLimit final : public Monitor {
public:
    TimeLimit(PythonMonitor& inner, double seconds) : inner_(inner), seconds_(seconds) {}
    bool poll(std::size_t done, std::size_t total) override {
        const std::chrono::duration<double> spent = Clock::now() - begin_;
        return spent.count() < seconds_ && inner_.poll(done, total);
    }

private:
    using Clock = std::chrono::steady_clock;
    PythonMonitor& inner_;
    double seconds_;
    Clock::time_point begin_ = Clock::now();
};

nb::list work_of(const GrownTrees& grown) {
    nb::list work;
    for (const Work& done : grown.work)
        work.append(nb::make_tuple(done.samples, done.values, done.sorted, done.cuts));
    return work;
}

// The trees, the work of each, and the exception that interrupted the growth, or None.
nb::tuple as_python(const GrownTrees& grown, PythonMonitor& monitor) {
    nb::list trees;
    for (const auto& tree : grown.trees)
        trees.append(nb::cast(std::const_pointer_cast<StoredTree>(tree)));
    return nb::make_tuple(trees, work_of(grown), monitor.failed() ? monitor.error() : nb::none());
}

nb::tuple grow_detailed(const HeldTable& table, const Target& target, const SamplingPlan& sampling,
                        const std::string& criterion, GrowthRules rules,
                        std::vector<std::uint32_t> seeds, std::size_t n_jobs, nb::object progress) {
    rules.detailed = true;
    const ForestPlan plan{find_criterion(criterion), rules, sampling, std::move(seeds)};
    PythonMonitor monitor(std::move(progress));
    GrownTrees grown;
    try {
        unlocked(n_jobs, monitor,
                 [&](ThreadTeam& team) { grown = grow_forest(table, target, plan, team); });
    } catch (const ImpurityFailed&) {
        rethrow_impurity(target);
    }
    monitor.rethrow();
    nb::list trees;
    for (const auto& tree : grown.detailed)
        trees.append(nb::cast(std::const_pointer_cast<DetailedTree>(tree)));
    return nb::make_tuple(trees, work_of(grown));
}

}  // namespace

void bind_grow(nb::module_& m) {
    m.def(
        "grow",
        [](const HeldTable& table, const Target& target, const SamplingPlan& sampling,
           const std::string& criterion, const GrowthRules& rules, std::vector<std::uint32_t> seeds,
           std::size_t n_jobs, nb::object progress, double seconds) {
            const ForestPlan plan{find_criterion(criterion), rules, sampling, std::move(seeds)};
            PythonMonitor monitor(std::move(progress));
            TimeLimit limit(monitor, seconds);
            GrownTrees grown;
            try {
                nb::gil_scoped_release release;
                ThreadTeam team(n_jobs, &limit);
                grown = grow_forest(table, target, plan, team);
            } catch (const ImpurityFailed&) {
                rethrow_impurity(target);
            }
            return as_python(grown, monitor);
        },
        nb::arg("table"), nb::arg("target"), nb::arg("sampling"), nb::arg("criterion"),
        nb::arg("rules"), nb::arg("seeds"), nb::arg("n_jobs"), nb::arg("progress").none(),
        nb::arg("seconds") = std::numeric_limits<double>::infinity(),
        nb::sig("def grow(table: Table, target: Target, sampling: Sampling, criterion: str, "
                "rules: GrowthRules, seeds: collections.abc.Sequence[int], n_jobs: int, "
                "progress: collections.abc.Callable[[int, int], object] | None, "
                "seconds: float = float('inf')) "
                "-> tuple[list[Tree], list[tuple[int, int, int, int]], BaseException | None]"),
        "The trees of the seeds, the work of each (samples, values, sorted, cuts), and the "
        "exception that interrupted the growth, or None. After an interruption, or after so many "
        "seconds, the trees are those of the first seeds.");

    m.def("grow_detailed", grow_detailed, nb::arg("table"), nb::arg("target"), nb::arg("sampling"),
          nb::arg("criterion"), nb::arg("rules"), nb::arg("seeds"), nb::arg("n_jobs"),
          nb::arg("progress").none(),
          nb::sig("def grow_detailed(table: Table, target: Target, sampling: Sampling, "
                  "criterion: str, rules: GrowthRules, seeds: collections.abc.Sequence[int], "
                  "n_jobs: int, progress: collections.abc.Callable[[int, int], object] | None) "
                  "-> tuple[list[DetailedTree], list[tuple[int, int, int, int]]]"),
          "As `grow`, with the statistics of the inner nodes; an interruption is raised.");

    m.def(
        "grow_patches",
        [](const nb::list& given, const std::string& criterion, const GrowthRules& rules,
           std::vector<std::uint32_t> seeds, std::size_t n_jobs, nb::object progress) {
            std::vector<Patch> patches;
            for (nb::handle patch : given)
                patches.push_back({nb::cast<const HeldTable*>(patch[0]),
                                   nb::cast<const Target*>(patch[1]),
                                   nb::cast<const SamplingPlan*>(patch[2])});
            const ForestPlan plan{find_criterion(criterion), rules, {}, std::move(seeds)};
            PythonMonitor monitor(std::move(progress));
            GrownTrees grown;
            unlocked(n_jobs, monitor,
                     [&](ThreadTeam& team) { grown = grow_patches(patches, plan, team); });
            return as_python(grown, monitor);
        },
        nb::arg("patches"), nb::arg("criterion"), nb::arg("rules"), nb::arg("seeds"),
        nb::arg("n_jobs"), nb::arg("progress").none(),
        nb::sig("def grow_patches(patches: list[tuple[Table, Target, Sampling]], criterion: str, "
                "rules: GrowthRules, seeds: collections.abc.Sequence[int], n_jobs: int, "
                "progress: collections.abc.Callable[[int, int], object] | None) "
                "-> tuple[list[Tree], list[tuple[int, int, int, int]], BaseException | None]"),
        "As `grow`, with one tree for each seed and patch: a table, its outputs, and the draw of "
        "their rows.");
}

}  // namespace silvics::bindings
