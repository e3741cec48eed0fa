// Partial dependence.
#include "dependence/dependence.hpp"

#include <nanobind/stl/tuple.h>

#include "views.hpp"

namespace silvics::bindings {
namespace {

std::vector<GridAxis> axes_of(const std::vector<FeatureId>& variables,
                              const std::vector<Vector<double>>& points) {
    if (variables.size() != points.size())
        throw std::invalid_argument("points are needed for each variable");
    std::vector<GridAxis> axes;
    for (std::size_t a = 0; a < variables.size(); ++a)
        axes.push_back({variables[a], span_of(points[a])});
    return axes;
}

std::size_t curve_size(const Predictor& predictor, const std::vector<GridAxis>& axes) {
    std::size_t size = predictor.value_width();
    for (const GridAxis& axis : axes) size = checked_product(size, axis.points.size());
    return size;
}

auto average(const Predictor& predictor, const HeldMatrix& X,
             const std::vector<FeatureId>& variables, const std::vector<Vector<double>>& points,
             bool centered, std::size_t n_jobs, nb::object progress) {
    require_rows(X);
    const auto axes = axes_of(variables, points);
    const std::size_t size = curve_size(predictor, axes);
    std::vector<double> mean(size), squares(size);
    unlocked_or_raise(
        n_jobs,
        [&](ThreadTeam& team) {
            average_dependence(predictor, X, axes, centered, {mean, squares}, team);
        },
        std::move(progress));
    return std::make_tuple(to_numpy(std::move(mean), size), to_numpy(std::move(squares), size));
}

auto individual(const Predictor& predictor, const HeldMatrix& X,
                const std::vector<FeatureId>& variables, const std::vector<Vector<double>>& points,
                std::size_t n_jobs, nb::object progress) {
    require_rows(X);
    const auto axes = axes_of(variables, points);
    const std::size_t size = curve_size(predictor, axes), n_rows = X.rows;
    std::vector<double> found(checked_product(n_rows, size), 0.0);
    unlocked_or_raise(
        n_jobs, [&](ThreadTeam& team) { individual_dependence(predictor, X, axes, found, team); },
        std::move(progress));
    return to_numpy(std::move(found), n_rows, size);
}

}  // namespace

void bind_dependence(nb::module_& m) {
    m.def("average_dependence", &average, nb::arg("predictor"), nb::arg("X"), nb::arg("variables"),
          nb::arg("points"), nb::arg("centered"), nb::arg("n_jobs"),
          nb::arg("progress") = nb::none(),
          "The mean prediction at each point of a grid (points of the last variable, then value "
          "width, change fastest), and sums over trees of squared differences from it.");
    m.def("individual_dependence", &individual, nb::arg("predictor"), nb::arg("X"),
          nb::arg("variables"), nb::arg("points"), nb::arg("n_jobs"),
          nb::arg("progress") = nb::none(),
          "The same for each row: rows x (points x value width).");
}

}  // namespace silvics::bindings
