// From a user's arrays to grown trees.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include "forest/forest.hpp"
#include "sampling/feature_draw.hpp"
#include "views.hpp"

namespace silvics::bindings {

void bind_growing(nb::module_& m) {
    nb::enum_<Growth>(m, "Growth", "Which open node is split next.")
        .value("depth_first", Growth::depth_first)
        .value("best_first", Growth::best_first)
        .value("breadth_first", Growth::breadth_first)
        .value("random", Growth::random);
    nb::enum_<CutDraw>(m, "CutDraw", "How a cut is drawn.")
        .value("uniform", CutDraw::uniform)
        .value("gap", CutDraw::gap)
        .value("between_pair", CutDraw::between_pair)
        .value("middle", CutDraw::middle)
        .value("relevance", CutDraw::relevance)
        .value("cell_uniform", CutDraw::cell_uniform)
        .value("cell_middle", CutDraw::cell_middle);
    nb::enum_<VariableDraw>(m, "VariableDraw", "How the variables of a node are drawn.")
        .value("uniform", VariableDraw::uniform)
        .value("unused", VariableDraw::unused)
        .value("poisson", VariableDraw::poisson)
        .value("weighted", VariableDraw::weighted);
    nb::enum_<Choice>(m, "Choice", "Which of the splits found at a node is taken.")
        .value("best", Choice::best)
        .value("gain_ratio", Choice::gain_ratio)
        .value("one_of_best", Choice::one_of_best)
        .value("near_best", Choice::near_best)
        .value("significant", Choice::significant);
    nb::enum_<SplitKind>(m, "SplitKind", "What a split is.")
        .value("binary", SplitKind::binary)
        .value("multiway", SplitKind::multiway)
        .value("multiway_categories", SplitKind::multiway_categories)
        .value("oblique", SplitKind::oblique);
    nb::enum_<MissingRule>(m, "MissingRule", "Where samples go whose value is missing.")
        .value("learned", MissingRule::learned)
        .value("apart", MissingRule::apart)
        .value("both", MissingRule::both);
    nb::enum_<Search>(m, "Search", "How the best cut on a variable is found.")
        .value("auto", Search::automatic)
        .value("sort", Search::sort)
        .value("bins", Search::histogram);

    // Codes are of X as it is: it is looked at again while trees grow.
    struct HeldTable : Table {
        HeldTable() = default;
        HeldTable(const HeldTable&) = delete;
        nb::object source;
    };
    nb::class_<HeldTable>(m, "Table", "X as it is searched: small integer codes, or its values.")
        .def_prop_ro("n_rows", [](const HeldTable& t) { return t.n_rows; })
        .def_prop_ro("n_features", [](const HeldTable& t) { return t.n_features(); });

    const auto held = [](nb::object source, std::size_t n_jobs, auto&& make) {
        if (!nb::isinstance<HeldMatrix>(source))
            throw nb::type_error("incompatible function arguments: X must be a Matrix");
        const auto& X = nb::cast<const HeldMatrix&>(source);
        if (X.sparse && !X.sparse->by_columns)
            throw std::invalid_argument("trees grow from a sparse matrix compressed by columns");
        auto table = std::make_shared<HeldTable>();
        unlocked_or_raise(n_jobs,
                          [&](ThreadTeam& team) { static_cast<Table&>(*table) = make(X, team); });
        table->source = std::move(source);
        return table;
    };
    m.def(
        "code_table",
        [held](nb::object X, std::size_t max_bins, bool equal_width, std::size_t n_jobs) {
            const BinRule rule{max_bins, equal_width ? BinRule::Widths::equal_width
                                                     : BinRule::Widths::equal_frequency};
            return held(X, n_jobs, [&](const Matrix& matrix, ThreadTeam& team) {
                return code_table(matrix, rule, team);
            });
        },
        nb::arg("X"), nb::arg("max_bins"), nb::arg("equal_width"), nb::arg("n_jobs"),
        nb::sig(
            "def code_table(X: Matrix, max_bins: int, equal_width: bool, n_jobs: int) -> Table"));
    m.def(
        "table_of_values",
        [held](nb::object X, std::size_t n_jobs, bool few_looks) {
            return held(X, n_jobs, [&](const Matrix& matrix, ThreadTeam& team) {
                return table_of_values(matrix, team, few_looks);
            });
        },
        nb::arg("X"), nb::arg("n_jobs"), nb::arg("few_looks"),
        nb::sig("def table_of_values(X: Matrix, n_jobs: int, few_looks: bool) -> Table"));

    nb::class_<Target>(m, "Target", "The output variables, as the core sums them.")
        .def_static(
            "of_classes",
            [](Vector<std::int64_t> y, std::size_t n_rows, std::vector<ClassId> n_classes) {
                return class_target(span_of(y), n_rows, std::move(n_classes));
            },
            nb::arg("y"), nb::arg("n_rows"), nb::arg("n_classes"))
        .def_static(
            "of_values",
            [](Vector<double> y, std::size_t n_rows, std::size_t n_outputs,
               const std::string& criterion, std::optional<Vector<double>> weights) {
                return real_target(span_of(y), n_rows, n_outputs, find_criterion(criterion).centred,
                                   weights ? span_of(*weights) : std::span<const double>{},
                                   std::make_shared<Vector<double>>(y));
            },
            nb::arg("y"), nb::arg("n_rows"), nb::arg("n_outputs"), nb::arg("criterion"),
            nb::arg("weights").none());

    nb::class_<SamplingPlan>(m, "Sampling", "How the rows of a tree are drawn.")
        .def(
            "__init__",
            [](SamplingPlan* self, std::size_t n_rows, bool bootstrap, std::size_t n_draws,
               bool balanced_subsample, std::optional<Vector<double>> weights, bool subsample,
               double structure) {
                new (self) SamplingPlan{.n_rows = n_rows,
                                        .bootstrap = bootstrap,
                                        .n_draws = n_draws,
                                        .balanced_subsample = balanced_subsample,
                                        .weights = {},
                                        .running = {},
                                        .subsample = subsample,
                                        .structure = structure,
                                        .candidates = {}};
                if (weights)
                    self->weights.assign(weights->data(), weights->data() + weights->size());
                self->prepare();
            },
            nb::arg("n_rows"), nb::arg("bootstrap"), nb::arg("n_draws"),
            nb::arg("balanced_subsample"), nb::arg("weights").none(), nb::arg("subsample") = false,
            nb::arg("structure") = 0.0)
        .def(
            "rows",
            [](const SamplingPlan& plan, std::uint32_t seed) {
                const auto rows = draw_rows(plan, seed);
                return to_numpy(std::vector<std::int64_t>(rows.begin(), rows.end()), rows.size());
            },
            nb::arg("seed"), "The rows that the tree of this seed draws, in the order drawn.");

    nb::class_<GrowthRules>(m, "GrowthRules", "Everything that decides the shape of a tree.")
        .def(nb::init<>())
        .def_rw("growth", &GrowthRules::growth)
        .def_rw("ccp_alpha", &GrowthRules::ccp_alpha)
        .def_rw("min_weight_fraction_leaf", &GrowthRules::min_weight_fraction_leaf)
        .def_rw("columns_of_tree", &GrowthRules::columns_of_tree)
        .def_prop_ro("needs_general_splitter",
                     [](const GrowthRules& r) { return r.search.needs_general_splitter(); })
#define SILVICS_RULE(part, name)                                 \
    .def_prop_rw(                                                \
        #name, [](const GrowthRules& r) { return r.part.name; }, \
        [](GrowthRules& r, decltype(GrowthRules{}.part.name) v) { r.part.name = std::move(v); })
            SILVICS_RULE(search, max_features) SILVICS_RULE(search, constants_count) SILVICS_RULE(
                search, adjust_levels) SILVICS_RULE(search, random_cut) SILVICS_RULE(search, search)
                SILVICS_RULE(search, split_sample) SILVICS_RULE(search, shared_from) SILVICS_RULE(
                    search, min_samples_leaf) SILVICS_RULE(search, monotonic)
                    SILVICS_RULE(stopping, max_depth) SILVICS_RULE(stopping, min_samples_split)
                        SILVICS_RULE(stopping, min_impurity_decrease) SILVICS_RULE(
                            stopping, max_leaf_nodes) SILVICS_RULE(stopping, split_pure)
                            SILVICS_RULE(search, cut_draw) SILVICS_RULE(search, variable_draw)
                                SILVICS_RULE(search, choice) SILVICS_RULE(search, kind)
                                    SILVICS_RULE(search, missing) SILVICS_RULE(
                                        search, n_best) SILVICS_RULE(search, near_best)
                                        SILVICS_RULE(search, near_best_depth) SILVICS_RULE(
                                            search, n_combined) SILVICS_RULE(search, range_sample)
                                            SILVICS_RULE(search, most_values)
                                                SILVICS_RULE(search, significance)
                                                    SILVICS_RULE(search, n_permutations)
                                                        SILVICS_RULE(search, honest)
                                                            SILVICS_RULE(search, general)
                                                                SILVICS_RULE(search, probabilities)
                                                                    SILVICS_RULE(search, relevant);
#undef SILVICS_RULE

    m.def(
        "tree_seeds",
        [](std::uint64_t forest_seed, std::uint32_t first, std::uint32_t count) {
            std::vector<std::uint32_t> seeds(count);
            for (std::uint32_t i = 0; i < count; ++i) seeds[i] = tree_seed(forest_seed, first + i);
            return seeds;
        },
        nb::arg("forest_seed"), nb::arg("first"), nb::arg("count"),
        "Seeds of a forest's trees first .. first + count - 1, all different.");

    m.def(
        "tree_columns",
        [](std::uint32_t seed, std::size_t n_features, std::size_t wanted) {
            const auto columns = draw_columns(n_features, wanted, seed);
            return to_numpy(std::vector<std::int64_t>(columns.begin(), columns.end()),
                            columns.size());
        },
        nb::arg("seed"), nb::arg("n_features"), nb::arg("wanted"),
        "Columns that the tree of this seed draws, ascending.");

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
                trees.append(nb::cast(std::const_pointer_cast<Tree>(tree)));
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
