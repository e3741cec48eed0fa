// Shapley values of predictions.
#include "shap/shap.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include "conversions.hpp"

namespace silvics::bindings {
namespace {

auto path_values(const Predictor& predictor, const std::vector<std::shared_ptr<StoredTree>>& trees,
                 const HeldMatrix& X, bool interactions, std::size_t n_jobs, nb::object progress) {
    require_rows(X);
    const std::size_t n = predictor.n_features(), width = predictor.value_width();
    const std::size_t size = checked_product(X.rows, checked_product(n, width));
    std::vector<double> values(size), pairs(interactions ? checked_product(size, n) : 0),
        base(width);
    unlocked_or_raise(
        n_jobs,
        [&](ThreadTeam& team) {
            shap_of_paths(predictor, const_trees(trees), X, {values, pairs, base}, team);
        },
        std::move(progress));
    const std::size_t n_rows = X.rows, n_pairs = interactions ? n : 0;
    return std::make_tuple(to_numpy(std::move(values), n_rows, n, width),
                           to_numpy(std::move(base), width),
                           to_numpy(std::move(pairs), n_rows, n, n_pairs, width));
}

auto background_values(const Predictor& predictor, const HeldMatrix& X,
                       const HeldMatrix& background, std::size_t n_jobs, nb::object progress) {
    require_rows(X);
    require_rows(background);
    const std::size_t n = predictor.n_features(), width = predictor.value_width();
    std::vector<double> values(checked_product(X.rows, checked_product(n, width))), base(width);
    unlocked_or_raise(
        n_jobs,
        [&](ThreadTeam& team) {
            shap_against_rows(predictor, X, background, {values, {}, base}, team);
        },
        std::move(progress));
    const std::size_t n_rows = X.rows;
    return to_numpy(std::move(values), n_rows, n, width);
}

}  // namespace

void bind_shap(nb::module_& m) {
    m.def("path_shap", &path_values, nb::arg("predictor"), nb::arg("trees"), nb::arg("X"),
          nb::arg("interactions"), nb::arg("n_jobs"), nb::arg("progress") = nb::none(),
          "Values (rows x variables x value width), base and interactions of path-dependent "
          "Shapley values.");
    m.def("background_shap", &background_values, nb::arg("predictor"), nb::arg("X"),
          nb::arg("background"), nb::arg("n_jobs"), nb::arg("progress") = nb::none(),
          "Interventional Shapley values: rows x variables x value width.");
}

}  // namespace silvics::bindings
