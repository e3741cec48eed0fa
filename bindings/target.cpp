// The output variables.
#include <nanobind/stl/optional.h>

#include "splitter/make_splitter.hpp"
#include "views.hpp"

namespace silvics::bindings {

namespace {

// Calls a function of Python, which takes an array of rows and returns an array of impurities.
class PythonImpurity final : public ImpurityFunction {
public:
    explicit PythonImpurity(nb::object function) : function_(std::move(function)) {}
    ~PythonImpurity() override {
        nb::gil_scoped_acquire acquire;
        function_.reset();
        error_.reset();
    }
    void impurities(const double* rows, std::size_t n, std::size_t width,
                    double* out) const override {
        nb::gil_scoped_acquire acquire;
        try {
            const auto given = to_numpy(std::vector<double>(rows, rows + n * width), n, width);
            const auto found = nb::cast<Vector<double>>(function_(given));
            if (found.size() != n) throw std::invalid_argument("one impurity per row is needed");
            std::copy_n(found.data(), n, out);
        } catch (nb::python_error& e) {
            if (!error_) error_ = nb::borrow(e.value());
            throw ImpurityFailed("the criterion failed");
        }
    }
    // Raises the first exception of the function.
    [[noreturn]] void rethrow() const {
        // Its traceback may refer to the target, which must not refer to it any longer.
        const nb::object error = std::move(error_);
        error_.reset();
        PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
        throw nb::python_error();
    }

private:
    nb::object function_;
    mutable nb::object error_;
};

}  // namespace

void rethrow_impurity(const Target& target) {
    static_cast<const PythonImpurity&>(*target.impurity).rethrow();
}

void bind_target(nb::module_& m) {
    nb::class_<Target>(m, "Target", "The output variables in the form that the criteria sum.")
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
            nb::arg("weights").none())
        .def(
            "set_impurity",
            [](Target& target, nb::object function) {
                target.impurity = std::make_shared<PythonImpurity>(std::move(function));
            },
            nb::arg("function"),
            nb::sig("def set_impurity(self, function: collections.abc.Callable[[numpy.ndarray], "
                    "numpy.ndarray]) -> None"),
            "The function that criteria of a user's own call: of class weights, or of moments.");
}

}  // namespace silvics::bindings
