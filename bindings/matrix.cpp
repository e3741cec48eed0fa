// A user's X as a matrix of the core.
#include <nanobind/stl/tuple.h>

#include "views.hpp"

namespace silvics::bindings {
namespace {

void check_levels(const Matrix& X) {
    if (!X.n_levels.empty() && X.n_levels.size() != X.cols)
        throw std::invalid_argument("n_levels does not have one number per column");
}

ColumnView vector_view(const MatrixView& view) {
    if (view.cols != 1) throw std::invalid_argument("expected a single column");
    return view.column(0);
}

}  // namespace

void bind_matrix(nb::module_& m) {
    nb::class_<HeldMatrix>(m, "Matrix", "X: blocks of columns side by side, or a sparse matrix.")
        .def(
            "__init__",
            [](HeldMatrix* self, nb::list blocks, std::vector<std::int64_t> n_levels) {
                HeldMatrix made;
                for (nb::handle block : blocks) {
                    const auto& buffer =
                        made.held.emplace_back(std::make_unique<MatrixBuffer>(block));
                    const MatrixView& view = buffer->view();
                    if (!made.blocks.empty() && view.rows != made.rows)
                        throw std::invalid_argument("blocks have different numbers of rows");
                    made.rows = view.rows;
                    made.cols += view.cols;
                    made.blocks.push_back(view);
                }
                made.n_levels = std::move(n_levels);
                check_levels(made);
                new (self) HeldMatrix(std::move(made));
            },
            nb::arg("blocks"), nb::arg("n_levels") = std::vector<std::int64_t>{},
            nb::sig("def __init__(self, blocks: list, n_levels: collections.abc.Sequence[int] = "
                    "[]) -> None"))
        .def_static(
            "sparse",
            [](nb::object starts, nb::object places, nb::object values,
               std::tuple<std::size_t, std::size_t> shape, bool by_columns) {
                auto made = std::make_unique<HeldMatrix>();
                std::tie(made->rows, made->cols) = shape;
                const auto hold = [&](const nb::object& array) {
                    return made->held.emplace_back(std::make_unique<MatrixBuffer>(array))->view();
                };
                const MatrixView s = hold(starts), p = hold(places), v = hold(values);
                SparseView sparse{by_columns, vector_view(s), vector_view(p), vector_view(v)};
                const std::size_t lines = by_columns ? made->cols : made->rows;
                double before = 0.0;
                bool valid = s.rows == lines + 1 && p.rows == v.rows;
                for (std::size_t i = 0; valid && i <= lines; ++i) {
                    const double start = sparse.starts[i];
                    valid = start >= before && start <= static_cast<double>(p.rows);
                    before = start;
                }
                if (!valid) throw std::invalid_argument("not a valid sparse matrix");
                made->sparse = sparse;
                return made.release();
            },
            nb::arg("starts"), nb::arg("places"), nb::arg("values"), nb::arg("shape"),
            nb::arg("by_columns"), nb::rv_policy::take_ownership,
            "A matrix compressed by columns or by rows. The vectors have shape (n, 1).")
        .def_prop_ro("shape", [](const HeldMatrix& X) { return std::make_tuple(X.rows, X.cols); });
}

}  // namespace silvics::bindings
