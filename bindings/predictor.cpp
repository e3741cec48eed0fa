// Predictions, leaves and decision paths of a user's samples.
#include "predictor/predictor.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include "importance/permutation.hpp"
#include "predictor/tree_predictions.hpp"
#include "views.hpp"

namespace silvics::bindings {
namespace {

LossOfRows::Kind loss_named(const std::string& name) {
    if (name == "error") return LossOfRows::Kind::error;
    if (name == "log_loss") return LossOfRows::Kind::log_loss;
    if (name == "squared_error") return LossOfRows::Kind::squared_error;
    if (name == "absolute_error") return LossOfRows::Kind::absolute_error;
    throw std::invalid_argument("unknown loss '" + name + "'");
}

LossOfRows::Parts parts_named(const std::string& by) {
    if (by == "class") return LossOfRows::Parts::classes;
    if (by == "output") return LossOfRows::Parts::outputs;
    return LossOfRows::Parts::none;
}

void bind_predictions(nb::class_<Predictor>& predictor) {
    predictor
        .def(nb::init<PackedForest, bool, bool>(), nb::arg("forest"), nb::arg("as_float32"),
             nb::arg("by_majority") = false)
        .def_prop_ro("n_trees", &Predictor::n_trees)
        .def_prop_ro("n_features", &Predictor::n_features)
        .def_prop_ro("n_nodes", &Predictor::n_nodes)
        .def_prop_ro("value_width", &Predictor::value_width,
                     "Number of values that are predicted for a sample.")
        .def_prop_ro("n_steps", &Predictor::n_steps,
                     "Maximum number of steps that a sample takes through all trees.")
        .def(
            "predict",
            [](const Predictor& self, const HeldMatrix& X, std::size_t n_jobs) {
                require_rows(X);
                std::vector<double> out(checked_product(X.rows, self.value_width()));
                unlocked_or_raise(n_jobs, [&](ThreadTeam& team) { self.average(X, out, team); });
                return to_numpy(std::move(out), X.rows, self.value_width());
            },
            nb::arg("X"), nb::arg("n_jobs"), "Mean prediction of the trees: rows x value width.")
        .def(
            "predict_trees",
            [](const Predictor& self, const HeldMatrix& X, std::size_t n_jobs, std::size_t first,
               std::size_t size) {
                require_rows(X);
                if (first > X.rows || size > X.rows - first)
                    throw std::invalid_argument("the range of rows is beyond the last row");
                const std::size_t width = self.value_width();
                std::vector<double> out(
                    checked_product(size, checked_product(self.n_trees(), width)));
                const Matrix some = X.part(first, size);
                unlocked_or_raise(
                    n_jobs, [&](ThreadTeam& team) { tree_predictions(self, some, out, team); });
                return to_numpy(std::move(out), size, self.n_trees(), width);
            },
            nb::arg("X"), nb::arg("n_jobs"), nb::arg("first"), nb::arg("size"),
            "Predictions of every tree for some rows: rows x trees x value width.")
        .def(
            "apply",
            [](const Predictor& self, const HeldMatrix& X, std::size_t n_jobs) {
                require_rows(X);
                std::vector<std::int64_t> out(checked_product(X.rows, self.n_trees()));
                unlocked_or_raise(n_jobs, [&](ThreadTeam& team) { self.apply(X, out, team); });
                return to_numpy(std::move(out), X.rows, self.n_trees());
            },
            nb::arg("X"), nb::arg("n_jobs"), "Leaf of every sample in every tree: rows x trees.")
        .def(
            "decision_paths",
            [](const Predictor& self, const HeldMatrix& X, std::size_t n_jobs) {
                require_rows(X);
                DecisionPaths paths;
                unlocked_or_raise(n_jobs, [&](ThreadTeam& team) { paths = self.paths(X, team); });
                const std::size_t n_starts = paths.starts.size(), n_nodes = paths.nodes.size();
                return std::make_tuple(to_numpy(std::move(paths.starts), n_starts),
                                       to_numpy(std::move(paths.nodes), n_nodes));
            },
            nb::arg("X"), nb::arg("n_jobs"),
            "Row starts and columns of the sparse matrix of visited nodes.")
        .def(
            "out_of_bag",
            [](const Predictor& self, const HeldMatrix& X, std::vector<std::uint32_t> seeds,
               const SamplingPlan& sampling, std::size_t n_jobs, std::size_t first) {
                require_rows(X);
                std::vector<double> sums(checked_product(X.rows, self.value_width()));
                std::vector<std::int64_t> counts(X.rows);
                unlocked_or_raise(n_jobs, [&](ThreadTeam& team) {
                    self.out_of_bag(X, {first, seeds, sampling}, {sums, counts}, team);
                });
                return std::make_tuple(to_numpy(std::move(sums), X.rows, self.value_width()),
                                       to_numpy(std::move(counts), X.rows));
            },
            nb::arg("X"), nb::arg("seeds"), nb::arg("sampling"), nb::arg("n_jobs"),
            nb::arg("first") = 0,
            "Sums of out-of-bag predictions of every row, and the number of trees in each sum. The "
            "seeds are those of tree `first` and the trees after it.");
}

void bind_permutations(nb::class_<Predictor>& predictor) {
    predictor
        .def(
            "permuted_out_of_bag",
            [](const Predictor& self, const HeldMatrix& X, std::vector<std::uint32_t> seeds,
               const SamplingPlan& sampling, std::vector<std::vector<FeatureId>> variables,
               nb::ndarray<const std::uint32_t, nb::ndim<3>, nb::c_contig, nb::device::cpu> rows,
               std::size_t n_jobs, std::size_t first) {
                require_rows(X);
                const std::size_t n_groups = rows.shape(0), n_repeats = rows.shape(1);
                const PermutedGroups groups{
                    std::move(variables), n_repeats, {rows.data(), rows.size()}};
                const std::size_t width = self.value_width();
                std::vector<double> changes(checked_product(rows.size(), width));
                std::vector<double> sums(checked_product(X.rows, width));
                std::vector<std::int64_t> counts(X.rows);
                unlocked_or_raise(n_jobs, [&](ThreadTeam& team) {
                    permuted_out_of_bag(self, X, {first, seeds, sampling}, groups, changes,
                                        {sums, counts}, team);
                });
                return std::make_tuple(
                    to_numpy(std::move(changes), n_groups, n_repeats, X.rows, width),
                    to_numpy(std::move(sums), X.rows, width), to_numpy(std::move(counts), X.rows));
            },
            nb::arg("X"), nb::arg("seeds"), nb::arg("sampling"), nb::arg("variables"),
            nb::arg("rows"), nb::arg("n_jobs"), nb::arg("first") = 0,
            "Changes of the sums of out-of-bag predictions when each group of variables takes "
            "its values from other rows: groups x repeats x rows x value width. Then the sums "
            "and counts of `out_of_bag`.")
        .def(
            "permuted_losses",
            [](const Predictor& self, const HeldMatrix& X, std::vector<std::uint32_t> seeds,
               const SamplingPlan& sampling, std::vector<std::vector<FeatureId>> variables,
               nb::ndarray<const std::uint32_t, nb::ndim<3>, nb::c_contig, nb::device::cpu> rows,
               const Target& target, const std::string& loss, const std::string& by,
               std::size_t n_jobs, std::size_t first) {
                require_rows(X);
                const std::size_t n_groups = rows.shape(0), n_repeats = rows.shape(1);
                const PermutedGroups groups{
                    std::move(variables), n_repeats, {rows.data(), rows.size()}};
                const LossOfRows row_loss{loss_named(loss), parts_named(by), target};
                std::vector<double> changes(
                    checked_product(checked_product(n_groups, n_repeats), row_loss.n_parts()));
                unlocked_or_raise(n_jobs, [&](ThreadTeam& team) {
                    permuted_losses(self, X, {first, seeds, sampling}, groups, row_loss, changes,
                                    team);
                });
                return to_numpy(std::move(changes), n_groups, n_repeats, row_loss.n_parts());
            },
            nb::arg("X"), nb::arg("seeds"), nb::arg("sampling"), nb::arg("variables"),
            nb::arg("rows"), nb::arg("target"), nb::arg("loss"), nb::arg("by"), nb::arg("n_jobs"),
            nb::arg("first") = 0,
            "Changes of the losses of single trees when each group of variables takes its values "
            "from other rows, summed over the rows that a tree did not draw: groups x repeats x "
            "classes or outputs.");
}

}  // namespace

void bind_predictor(nb::module_& m) {
    nb::class_<Predictor> predictor(m, "Predictor", "A forest packed for prediction.");
    bind_predictions(predictor);
    bind_permutations(predictor);
}

}  // namespace silvics::bindings
