// Quantiles of the training outputs in the leaves of a row.
#include "quantiles/leaf_quantiles.hpp"
#include "views.hpp"

namespace silvics::bindings {
namespace {

Interpolation interpolation_named(const std::string& name) {
    if (name == "inverted_cdf") return Interpolation::inverted_cdf;
    if (name == "linear") return Interpolation::linear;
    if (name == "lower") return Interpolation::lower;
    if (name == "higher") return Interpolation::higher;
    if (name == "midpoint") return Interpolation::midpoint;
    if (name == "nearest") return Interpolation::nearest;
    throw std::invalid_argument("unknown interpolation '" + name + "'");
}

auto quantiles(const LeafQuantiles& self, const HeldMatrix* X, Vector<double> levels,
               const std::string& interpolation, std::size_t n_jobs, nb::object progress) {
    const Interpolation how = interpolation_named(interpolation);
    if (X != nullptr) require_rows(*X);
    const std::size_t n = self.n_rows(X), width = levels.size();
    std::vector<double> out(checked_product(n, checked_product(width, self.n_outputs())));
    unlocked_or_raise(
        n_jobs, [&](ThreadTeam& team) { self.quantiles(X, span_of(levels), how, out, team); },
        std::move(progress));
    return to_numpy(std::move(out), n, width, self.n_outputs());
}

// Quantiles of one row of numbers, in the calling thread.
auto quantiles_of_row(const LeafQuantiles& self, Vector<double> row, Vector<double> levels,
                      const std::string& interpolation) {
    const std::size_t width = row.size();
    const Matrix X(MatrixView{reinterpret_cast<const std::byte*>(row.data()), 1, width,
                              static_cast<std::ptrdiff_t>(width * sizeof(double)), sizeof(double),
                              Scalar::f64});
    std::vector<double> out(checked_product(levels.size(), self.n_outputs()));
    ThreadTeam team;
    self.quantiles(&X, span_of(levels), interpolation_named(interpolation), out, team);
    return to_numpy(std::move(out), levels.size(), self.n_outputs());
}

}  // namespace

void bind_quantiles(nb::module_& m) {
    nb::class_<LeafQuantiles>(m, "LeafQuantiles",
                              "Quantiles of the training outputs in the leaves of rows.")
        .def(
            "__init__",
            [](LeafQuantiles* self, const Predictor& predictor, const LeafMembership& membership,
               nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu> outputs,
               std::size_t n_jobs) {
                const std::span<const double> values(outputs.data(), outputs.size());
                unlocked_or_raise(n_jobs, [&](ThreadTeam& team) {
                    new (self) LeafQuantiles(predictor, membership, values, outputs.shape(1), team);
                });
            },
            nb::arg("predictor"), nb::arg("membership"), nb::arg("outputs"), nb::arg("n_jobs"),
            nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
        .def("quantiles", &quantiles, nb::arg("X").none(), nb::arg("levels"),
             nb::arg("interpolation"), nb::arg("n_jobs"), nb::arg("progress") = nb::none(),
             "Rows x levels x outputs. X is None for the training rows, with out-of-bag trees.")
        .def("quantiles_of_row", &quantiles_of_row, nb::arg("row"), nb::arg("levels"),
             nb::arg("interpolation"), "Levels x outputs of one row, in this thread.");
}

}  // namespace silvics::bindings
