// The output variables.
#include <nanobind/stl/optional.h>

#include "splitter/make_splitter.hpp"
#include "views.hpp"

namespace silvics::bindings {

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
            nb::arg("weights").none());
}

}  // namespace silvics::bindings
