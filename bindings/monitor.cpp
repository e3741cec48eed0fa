// Reports progress and checks for Ctrl-C while the core works.
#include "views.hpp"

namespace silvics::bindings {

bool PythonMonitor::poll(std::size_t done, std::size_t total) {
    nb::gil_scoped_acquire acquire;
    try {
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (progress_ && !progress_.is_none() && done != reported_) {
            reported_ = done;
            progress_(done, total);
        }
        return true;
    } catch (nb::python_error& e) {
        if (!error_) error_ = nb::borrow(e.value());
        return false;
    }
}

void PythonMonitor::rethrow() {
    if (!error_) return;
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error_.ptr())), error_.ptr());
    throw nb::python_error();
}

}  // namespace silvics::bindings
