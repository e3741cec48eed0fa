// Python's buffers as views of the core, and calls without the interpreter lock. A view keeps its
// buffer alive. The lock is released after all views are taken (see `unlocked`).
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <span>
#include <string>

#include "base/thread_team.hpp"
#include "data/matrix.hpp"
#include "data/target.hpp"

namespace silvics::bindings {

namespace nb = nanobind;

// A matrix of any numeric dtype, any strides, writable or not.
class MatrixBuffer {
public:
    explicit MatrixBuffer(nb::handle object);
    ~MatrixBuffer() { PyBuffer_Release(&buffer_); }
    MatrixBuffer(const MatrixBuffer&) = delete;
    MatrixBuffer& operator=(const MatrixBuffer&) = delete;

    const MatrixView& view() const { return view_; }

private:
    Py_buffer buffer_{};
    MatrixView view_;
};

// A user's X: dense blocks of columns, or a sparse matrix.
struct HeldMatrix : Matrix {
    HeldMatrix() = default;
    HeldMatrix(HeldMatrix&&) = default;
    HeldMatrix(const HeldMatrix&) = delete;

    std::vector<std::unique_ptr<MatrixBuffer>> held;
};

// Throws std::invalid_argument unless a sparse matrix can be read row by row.
inline void require_rows(const Matrix& X) {
    if (X.sparse && X.sparse->by_columns)
        throw std::invalid_argument("prediction needs a sparse matrix that is compressed by rows");
}

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> span_of(const Vector<T>& array) {
    return {array.data(), array.size()};
}

// Transfers the memory of a vector to a NumPy array.
template <class T, class... Shape>
auto to_numpy(std::vector<T> values, Shape... shape) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T>(owned->data(), {static_cast<std::size_t>(shape)...}, owner);
}

// Checks for Ctrl-C and reports progress while workers run. A Python exception during that stops
// the work and is kept until rethrow().
class PythonMonitor final : public Monitor {
public:
    explicit PythonMonitor(nb::object progress) : progress_(std::move(progress)) {}
    bool poll(std::size_t done, std::size_t total) override;
    bool failed() const { return static_cast<bool>(error_); }
    void rethrow();
    nb::object error() const { return error_; }

private:
    nb::object progress_;
    nb::object error_;
    std::size_t reported_ = ~std::size_t{0};
};

// Runs work(team) without the interpreter lock.
template <class Work>
void unlocked(std::size_t n_jobs, PythonMonitor& monitor, Work&& work) {
    nb::gil_scoped_release release;
    ThreadTeam team(n_jobs, &monitor);
    work(team);
}

// The same for work without partial results: raises the exception that stopped it. If n_jobs is
// zero, the work is so small that it runs in this thread, with the lock.
template <class Work>
void unlocked_or_raise(std::size_t n_jobs, Work&& work, nb::object progress = {}) {
    if (n_jobs == 0) {
        ThreadTeam team;
        return work(team);
    }
    PythonMonitor monitor{std::move(progress)};
    try {
        unlocked(n_jobs, monitor, std::forward<Work>(work));
    } catch (const Interrupted&) {
    }
    monitor.rethrow();
}

// Raises the exception of the user's function that a criterion called.
[[noreturn]] void rethrow_impurity(const Target& target);

void bind_enums(nb::module_& m);
void bind_matrix(nb::module_& m);
void bind_table(nb::module_& m);
void bind_target(nb::module_& m);
void bind_sampling(nb::module_& m);
void bind_rules(nb::module_& m);
void bind_tree(nb::module_& m);
void bind_grow(nb::module_& m);
void bind_packed_forest(nb::module_& m);
void bind_training_stats(nb::module_& m);
void bind_checksum(nb::module_& m);
void bind_predictor(nb::module_& m);
void bind_leaf_membership(nb::module_& m);
void bind_proximity(nb::module_& m);
void bind_quantiles(nb::module_& m);
void bind_shap(nb::module_& m);
void bind_dependence(nb::module_& m);
void bind_row_predictor(nb::module_& m);
void bind_distribution(nb::module_& m);
void bind_importance(nb::module_& m);
void bind_tuning(nb::module_& m);

}  // namespace silvics::bindings
