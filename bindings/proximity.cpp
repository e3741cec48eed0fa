// Proximities and kernels of a forest.
#include "proximity/proximity.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include "views.hpp"

namespace silvics::bindings {
namespace {

ProximityKind kind_named(const std::string& name) {
    if (name == "original") return ProximityKind::original;
    if (name == "oob") return ProximityKind::oob;
    if (name == "gap") return ProximityKind::gap;
    if (name == "kernel") return ProximityKind::kernel;
    throw std::invalid_argument("unknown kind of proximity '" + name + "'");
}

const Matrix* rows_of(const HeldMatrix* X) {
    if (X != nullptr) require_rows(*X);
    return X;
}

template <class T>
auto array_of(std::unique_ptr<T[]> values, std::size_t n_rows, std::size_t n_columns) {
    nb::capsule owner(values.get(), [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return nb::ndarray<nb::numpy, T>(values.release(), {n_rows, n_columns}, owner);
}

// The core writes all elements. Memory is not set to zero before, which takes long for a large
// matrix and cannot be interrupted.
auto dense(const Proximity& self, const HeldMatrix* X, std::size_t n_jobs, nb::object progress) {
    const Matrix* rows = rows_of(X);
    const std::size_t n = self.n_rows(rows), width = self.n_columns();
    const std::size_t size = checked_product(n, width);
    auto out = std::make_unique_for_overwrite<double[]>(size);
    unlocked_or_raise(
        n_jobs, [&](ThreadTeam& team) { self.dense(rows, {out.get(), size}, team); },
        std::move(progress));
    return array_of(std::move(out), n, width);
}

auto sparse(const Proximity& self, const HeldMatrix* X, std::size_t n_jobs, nb::object progress) {
    const Matrix* rows = rows_of(X);
    SparseRows out;
    unlocked_or_raise(
        n_jobs, [&](ThreadTeam& team) { out = self.sparse(rows, team); }, std::move(progress));
    const std::size_t n_starts = out.starts.size(), n = out.columns.size();
    return std::make_tuple(to_numpy(std::move(out.starts), n_starts),
                           to_numpy(std::move(out.columns), n), to_numpy(std::move(out.values), n));
}

auto neighbors(const Proximity& self, const HeldMatrix* X, std::size_t n_neighbors,
               std::size_t n_jobs, nb::object progress) {
    const Matrix* rows = rows_of(X);
    const std::size_t n = self.n_rows(rows);
    const std::size_t size = checked_product(n, n_neighbors);
    auto indices = std::make_unique_for_overwrite<std::int32_t[]>(size);
    auto values = std::make_unique_for_overwrite<double[]>(size);
    unlocked_or_raise(
        n_jobs,
        [&](ThreadTeam& team) {
            self.neighbors(rows, n_neighbors, {indices.get(), size}, {values.get(), size}, team);
        },
        std::move(progress));
    return std::make_tuple(array_of(std::move(indices), n, n_neighbors),
                           array_of(std::move(values), n, n_neighbors));
}

auto product(const Proximity& self, const HeldMatrix* X,
             nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu> factors,
             bool squares, bool without_diagonal, std::size_t n_jobs, nb::object progress) {
    const Matrix* rows = rows_of(X);
    const std::size_t width = factors.shape(1), n = self.n_rows(rows);
    std::vector<double> out(checked_product(n, width));
    const std::span<const double> columns(factors.data(), factors.size());
    unlocked_or_raise(
        n_jobs,
        [&](ThreadTeam& team) {
            self.product(rows, columns, width, squares, without_diagonal, out, team);
        },
        std::move(progress));
    return to_numpy(std::move(out), n, width);
}

}  // namespace

void bind_proximity(nb::module_& m) {
    m.def(
        "rows_by_leaf",
        [](const Predictor& predictor, const HeldMatrix& X, std::size_t n_jobs) {
            require_rows(X);
            auto membership = std::make_shared<LeafMembership>();
            unlocked_or_raise(
                n_jobs, [&](ThreadTeam& team) { *membership = rows_by_leaf(predictor, X, team); });
            return membership;
        },
        nb::arg("predictor"), nb::arg("X"), nb::arg("n_jobs"),
        "Any rows by leaf, all in one part, for proximities of the original kind.");
    nb::class_<Proximity>(m, "Proximity",
                          "Proximities of rows to columns, which are the rows of a membership. X "
                          "is None if the rows are the columns.")
        .def(
            "__init__",
            [](Proximity* self, const Predictor& predictor, const LeafMembership& columns,
               const std::string& kind, Vector<std::uint32_t> leaf_sizes, std::size_t min_samples,
               std::size_t max_depth, std::size_t n_jobs) {
                const ProximityKind which = kind_named(kind);
                unlocked_or_raise(n_jobs, [&](ThreadTeam& team) {
                    new (self) Proximity(predictor, columns, which, span_of(leaf_sizes),
                                         min_samples, max_depth, team);
                });
            },
            nb::arg("predictor"), nb::arg("columns"), nb::arg("kind"), nb::arg("leaf_sizes"),
            nb::arg("min_samples"), nb::arg("max_depth"), nb::arg("n_jobs"), nb::keep_alive<1, 2>(),
            nb::keep_alive<1, 3>())
        .def_prop_ro("n_columns", &Proximity::n_columns)
        .def("dense", &dense, nb::arg("X").none(), nb::arg("n_jobs"),
             nb::arg("progress") = nb::none(), "Rows x columns.")
        .def("sparse", &sparse, nb::arg("X").none(), nb::arg("n_jobs"),
             nb::arg("progress") = nb::none(),
             "Row starts, columns and values of the sparse matrix.")
        .def("neighbors", &neighbors, nb::arg("X").none(), nb::arg("n_neighbors"),
             nb::arg("n_jobs"), nb::arg("progress") = nb::none(),
             "The columns of the largest values of every row, descending, and these values.")
        .def("product", &product, nb::arg("X").none(), nb::arg("factors"), nb::arg("squares"),
             nb::arg("without_diagonal"), nb::arg("n_jobs"), nb::arg("progress") = nb::none(),
             "The matrix, or its squared elements, times a dense matrix.")
        .def(
            "limit_leaves",
            [](Proximity& self, std::size_t max_rows, std::size_t n_jobs) {
                unlocked_or_raise(n_jobs,
                                  [&](ThreadTeam& team) { self.limit_leaves(max_rows, team); });
            },
            nb::arg("max_rows"), nb::arg("n_jobs"),
            "Let a row meet at most this number of rows of each leaf; zero means all.")
        .def(
            "work",
            [](const Proximity& self, std::size_t n_jobs) {
                double work = 0.0;
                unlocked_or_raise(n_jobs, [&](ThreadTeam& team) { work = self.work(team); });
                return work;
            },
            nb::arg("n_jobs"), "The number of rows met for all training rows together.")
        .def(
            "has_rows",
            [](const Proximity& self, const HeldMatrix& X, std::size_t n_jobs) {
                require_rows(X);
                bool same = false;
                unlocked_or_raise(n_jobs, [&](ThreadTeam& team) { same = self.has_rows(X, team); });
                return same;
            },
            nb::arg("X"), nb::arg("n_jobs"),
            "Whether X has the leaves of the training rows, in the same order.");
}

}  // namespace silvics::bindings
