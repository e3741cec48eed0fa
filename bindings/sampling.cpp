// The rows and the columns that trees draw.
#include <nanobind/stl/optional.h>

#include <algorithm>

#include "sampling/count_products.hpp"
#include "sampling/draw_counts.hpp"
#include "sampling/feature_draw.hpp"
#include "sampling/learning_subset.hpp"
#include "sampling/patch_rows.hpp"
#include "views.hpp"

namespace silvics::bindings {

namespace {

auto rows(const SamplingPlan& plan, std::uint32_t seed) {
    std::vector<RowId> drawn;
    unlocked_or_raise(plan.n_draws > kStopBlock ? 1 : 0, [&](ThreadTeam& team) {
        team.run(1, [&](std::size_t, std::size_t) { drawn = draw_rows(plan, seed, team.stop()); });
    });
    return to_numpy(std::vector<std::int64_t>(drawn.begin(), drawn.end()), drawn.size());
}

// Trees x rows, or nothing if a number does not fit its type.
template <class Count>
nb::object counts_of_draws(const SamplingPlan& plan, const std::vector<std::uint32_t>& seeds,
                           std::size_t first, std::size_t size, std::size_t n_jobs) {
    std::vector<Count> counts(checked_product(seeds.size(), size));
    std::vector<char> fits(seeds.size(), 1);
    unlocked_or_raise(n_jobs, [&](ThreadTeam& team) {
        team.run(seeds.size(), [&](std::size_t m, std::size_t) {
            fits[m] = count_draws(plan, seeds[m], first, std::span(counts).subspan(m * size, size),
                                  team.stop());
        });
    });
    if (!std::ranges::all_of(fits, [](char fit) { return fit != 0; })) return nb::none();
    return nb::cast(to_numpy(std::move(counts), seeds.size(), size));
}

nb::object counts(const SamplingPlan& plan, const std::vector<std::uint32_t>& seeds,
                  std::size_t first, std::size_t size, std::size_t n_jobs) {
    const nb::object narrow = counts_of_draws<std::uint8_t>(plan, seeds, first, size, n_jobs);
    return narrow.is_none() ? counts_of_draws<std::uint32_t>(plan, seeds, first, size, n_jobs)
                            : narrow;
}

void bind_plan(nb::module_& m) {
    nb::class_<SamplingPlan>(m, "Sampling", "How the rows of a tree are drawn.")
        .def(
            "__init__",
            [](SamplingPlan* self, std::size_t n_rows, bool bootstrap, std::size_t n_draws,
               bool balanced_subsample, std::optional<Vector<double>> weights, bool subsample,
               double structure, std::optional<std::vector<RowId>> held_out, bool patches,
               std::optional<Vector<std::uint32_t>> groups,
               std::optional<Vector<std::uint32_t>> strata,
               std::vector<std::size_t> stratum_draws) {
                new (self)
                    SamplingPlan{.n_rows = n_rows,
                                 .bootstrap = bootstrap,
                                 .n_draws = n_draws,
                                 .balanced_subsample = balanced_subsample,
                                 .weights = {},
                                 .running = {},
                                 .subsample = subsample,
                                 .patches = patches,
                                 .structure = structure,
                                 .candidates = {},
                                 .held_out = std::move(held_out).value_or(std::vector<RowId>{}),
                                 .groups = {},
                                 .strata = {},
                                 .stratum_draws = std::move(stratum_draws),
                                 .rows_of_stratum = {},
                                 .group_rows = {},
                                 .group_start = {}};
                if (weights)
                    self->weights.assign(weights->data(), weights->data() + weights->size());
                if (groups) self->groups.assign(groups->data(), groups->data() + groups->size());
                if (strata) self->strata.assign(strata->data(), strata->data() + strata->size());
                self->prepare();
            },
            nb::arg("n_rows"), nb::arg("bootstrap"), nb::arg("n_draws"),
            nb::arg("balanced_subsample"), nb::arg("weights").none(), nb::arg("subsample") = false,
            nb::arg("structure") = 0.0, nb::arg("held_out") = nb::none(),
            nb::arg("patches") = false, nb::arg("groups").none() = nb::none(),
            nb::arg("strata").none() = nb::none(),
            nb::arg("stratum_draws") = std::vector<std::size_t>{})
        .def("rows", &rows, nb::arg("seed"),
             "The rows that the tree of this seed draws, in the order drawn.")
        .def(
            "counts", &counts, nb::arg("seeds"), nb::arg("first"), nb::arg("size"),
            nb::arg("n_jobs"),
            nb::sig("def counts(self, seeds: collections.abc.Sequence[int], first: int, size: int, "
                    "n_jobs: int) -> typing.Any"),
            "How often the trees of these seeds draw the rows from `first` on, trees x rows: of 8 "
            "bits if they fit, or of 32.");
}

}  // namespace

void bind_sampling(nb::module_& m) {
    bind_plan(m);
    m.def(
        "add_count_products",
        [](nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu> counts,
           nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu> sums,
           std::size_t n_jobs) {
            if (sums.shape(0) != counts.shape(0) || sums.shape(1) != counts.shape(0))
                throw std::invalid_argument("the sums need one element for each pair of trees");
            bool added = false;
            unlocked_or_raise(n_jobs, [&](ThreadTeam& team) {
                added = add_count_products({counts.data(), counts.size()}, counts.shape(0),
                                           {sums.data(), sums.size()}, team);
            });
            return added;
        },
        nb::arg("counts"), nb::arg("sums").noconvert(), nb::arg("n_jobs"),
        "Add the sums over rows of the products of the counts of each pair of trees. False if the "
        "processor or the counts do not allow it; then nothing is added.");
    nb::class_<PatchRows>(m, "PatchRows", "The rows of the random patch of a tree, one by one.")
        .def(nb::init<std::uint32_t, std::uint64_t, std::uint64_t, bool, std::uint64_t>(),
             nb::arg("seed"), nb::arg("n_rows"), nb::arg("n_drawn"), nb::arg("replacement") = false,
             nb::arg("stratum") = 0)
        .def(
            "below",
            [](PatchRows& rows, std::uint64_t end) {
                std::vector<std::int64_t> found;
                rows.visit_below(end, [&](std::uint64_t row) {
                    found.push_back(static_cast<std::int64_t>(row));
                });
                const std::size_t n = found.size();
                return to_numpy(std::move(found), n);
            },
            nb::arg("end"),
            "The rows below `end` that were not returned yet, ascending; with replacement, as "
            "often "
            "as they were drawn.");

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
}

}  // namespace silvics::bindings
