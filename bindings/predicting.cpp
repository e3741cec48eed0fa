// Trees walked by a user's samples.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include "predictor/average.hpp"
#include "predictor/out_of_bag.hpp"
#include "views.hpp"

namespace silvics::bindings {
namespace {

using Trees = std::vector<std::shared_ptr<Tree>>;

std::vector<SharedTree> shared(const Trees& trees) {
    if (trees.empty()) throw std::invalid_argument("no trees");
    for (const auto& tree : trees)
        if (!tree || tree->value_width() != trees[0]->value_width())
            throw std::invalid_argument("trees of different kinds");
    return {trees.begin(), trees.end()};
}

void require_rows(const Matrix& X) {
    if (X.sparse && X.sparse->by_columns)
        throw std::invalid_argument("trees are walked by a sparse matrix compressed by rows");
}

}  // namespace

void bind_predicting(nb::module_& m) {
    m.def(
        "predict",
        [](const Trees& trees, const HeldMatrix& X, bool as_float32, std::size_t n_jobs) {
            require_rows(X);
            const auto walked = shared(trees);
            const std::size_t width = walked[0]->value_width();
            std::vector<double> out(X.rows * width);
            unlocked_or_raise(n_jobs, [&](ThreadTeam& team) {
                average_trees(walked, X, as_float32, static_cast<double>(walked.size()), out, team);
            });
            return to_numpy(std::move(out), X.rows, width);
        },
        nb::arg("trees"), nb::arg("X"), nb::arg("as_float32"), nb::arg("n_jobs"),
        "Mean prediction of the trees: rows x value width.");
    m.def(
        "apply",
        [](const Trees& trees, const HeldMatrix& X, bool as_float32, std::size_t n_jobs) {
            require_rows(X);
            const auto walked = shared(trees);
            std::vector<std::int64_t> out(X.rows * walked.size());
            unlocked_or_raise(
                n_jobs, [&](ThreadTeam& team) { apply_trees(walked, X, as_float32, out, team); });
            return to_numpy(std::move(out), X.rows, walked.size());
        },
        nb::arg("trees"), nb::arg("X"), nb::arg("as_float32"), nb::arg("n_jobs"),
        "Leaf of every sample in every tree: rows x trees.");
    m.def(
        "decision_paths",
        [](const Trees& trees, const HeldMatrix& X, bool as_float32, std::size_t n_jobs) {
            require_rows(X);
            const auto walked = shared(trees);
            DecisionPaths paths;
            unlocked_or_raise(n_jobs, [&](ThreadTeam& team) {
                paths = decision_paths(walked, X, as_float32, team);
            });
            const std::size_t n_starts = paths.starts.size(), n_nodes = paths.nodes.size();
            return std::make_tuple(to_numpy(std::move(paths.starts), n_starts),
                                   to_numpy(std::move(paths.nodes), n_nodes));
        },
        nb::arg("trees"), nb::arg("X"), nb::arg("as_float32"), nb::arg("n_jobs"),
        "Row starts and columns of the sparse matrix of visited nodes.");
    m.def(
        "out_of_bag",
        [](const Trees& trees, std::vector<std::uint32_t> seeds, const SamplingPlan& sampling,
           const HeldMatrix& X, std::size_t n_jobs) {
            require_rows(X);
            const auto walked = shared(trees);
            const std::size_t n = X.rows, width = walked[0]->value_width();
            std::vector<double> sums(n * width);
            std::vector<std::int64_t> counts(n);
            unlocked_or_raise(n_jobs, [&](ThreadTeam& team) {
                out_of_bag_sums(walked, seeds, sampling, X, sums, counts, team);
            });
            return std::make_tuple(to_numpy(std::move(sums), n, width),
                                   to_numpy(std::move(counts), n));
        },
        nb::arg("trees"), nb::arg("seeds"), nb::arg("sampling"), nb::arg("X"), nb::arg("n_jobs"),
        "Sums of out-of-bag predictions, and how many trees gave one, for every row.");
}

}  // namespace silvics::bindings
