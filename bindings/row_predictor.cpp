// Prediction of one row at a time, for services. The row is read directly from a list, a tuple, a
// dict or a vector. Rows with anything but plain numbers and known levels are left to the general
// path in Python, which raises the errors.
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "predictor/predictor.hpp"
#include "views.hpp"

namespace silvics::bindings {
namespace {

// Items of containers, empty if there is none. Only functions of the stable ABI are called; without
// an interpreter lock, another thread may change the container, and the item is taken as owned.
#ifdef Py_GIL_DISABLED
nb::object item_of_list(PyObject* list, std::size_t j) {
    PyObject* const item = PyList_GetItemRef(list, static_cast<Py_ssize_t>(j));
    if (item == nullptr) PyErr_Clear();
    return nb::steal(item);
}
nb::object item_of_dict(PyObject* dict, PyObject* key) {
    PyObject* item = nullptr;
    if (PyDict_GetItemRef(dict, key, &item) < 0) PyErr_Clear();
    return nb::steal(item);
}
#else
nb::object item_of_list(PyObject* list, std::size_t j) {
    PyObject* const item = PyList_GetItem(list, static_cast<Py_ssize_t>(j));
    if (item == nullptr) PyErr_Clear();
    return nb::borrow(item);
}
nb::object item_of_dict(PyObject* dict, PyObject* key) {
    PyObject* const item = PyDict_GetItemWithError(dict, key);
    if (item == nullptr) PyErr_Clear();
    return nb::borrow(item);
}
#endif
nb::object item_of_tuple(PyObject* tuple, std::size_t j) {
    return nb::borrow(PyTuple_GetItem(tuple, static_cast<Py_ssize_t>(j)));
}

class RowPredictor {
public:
    // `levels` has one entry per variable: None for a number, a dict from levels to their numbers
    // for a category, and any other object for a variable that only the general path can read.
    RowPredictor(std::shared_ptr<Predictor> predictor, nb::object names, nb::list levels,
                 bool missing)
        : predictor_(std::move(predictor)), missing_(missing) {
        for (nb::handle entry : levels) {
            levels_.push_back(nb::borrow(entry));
            kinds_.push_back(entry.is_none()                   ? Kind::number
                             : nb::isinstance<nb::dict>(entry) ? Kind::category
                                                               : Kind::other);
        }
        all_numbers_ = std::ranges::all_of(kinds_, [](Kind k) { return k == Kind::number; });
        if (levels_.size() != predictor_->n_features())
            throw std::invalid_argument("levels does not have one entry per variable of the trees");
        if (!names.is_none())
            for (nb::handle name : names) names_.push_back(nb::borrow(name));
        if (!names_.empty() && names_.size() != levels_.size())
            throw std::invalid_argument("names does not have one name per variable");
    }

    // The numbers of a row; empty if the general path has to read it.
    std::optional<std::vector<double>> sample(nb::handle row) const {
        std::vector<double> numbers(levels_.size());
        if (!read(row.ptr(), numbers)) return std::nullopt;
        return numbers;
    }

    // The mean prediction of the trees for a row; empty if the general path has to read the row.
    std::optional<std::vector<double>> values(nb::handle row) const {
        std::vector<double> sample(levels_.size());
        if (!read(row.ptr(), sample)) return std::nullopt;
        std::vector<double> out(predictor_->value_width());
        if (predictor_->n_steps() < kMinStepsUnlocked) {
            predictor_->average(sample, out);
        } else {
            nb::gil_scoped_release release;
            predictor_->average(sample, out);
        }
        return out;
    }

private:
    enum class Kind : std::uint8_t { number, category, other };

    // The number of steps, some tens of microseconds, from which on the interpreter lock is
    // released.
    static constexpr std::size_t kMinStepsUnlocked = 20'000;

    bool read(PyObject* row, std::vector<double>& into) const {
        const std::size_t n = into.size();
        const bool list = PyList_CheckExact(row) != 0;
        if (list || PyTuple_CheckExact(row)) {
            if (static_cast<std::size_t>(list ? PyList_Size(row) : PyTuple_Size(row)) != n)
                return false;
            for (std::size_t j = 0; j < n; ++j) {
                const nb::object value = list ? item_of_list(row, j) : item_of_tuple(row, j);
                if (!value.is_valid() || !read(value.ptr(), j, into[j])) return false;
            }
            // Reading a value may run Python code, which may change the list.
            return !list || static_cast<std::size_t>(PyList_Size(row)) == n;
        }
        if (PyDict_CheckExact(row)) {
            if (names_.empty() || static_cast<std::size_t>(PyDict_Size(row)) != n) return false;
            for (std::size_t j = 0; j < n; ++j) {
                const nb::object value = item_of_dict(row, names_[j].ptr());
                if (!value.is_valid() || !read(value.ptr(), j, into[j])) return false;
            }
            return true;
        }
        return read_vector(row, into);
    }

    // Reads an array of numbers. Subclasses, such as masked arrays, are left to the general path.
    bool read_vector(PyObject* row, std::vector<double>& into) const {
        Py_buffer buffer;
        if (!all_numbers_ || reinterpret_cast<PyObject*>(Py_TYPE(row)) != array_type_.ptr() ||
            PyObject_GetBuffer(row, &buffer, PyBUF_STRIDES | PyBUF_FORMAT) != 0)
            return PyErr_Clear(), false;
        const char* format = buffer.format != nullptr ? buffer.format : "B";
        const bool wide = format[0] == 'd' && format[1] == 0;
        const bool narrow = format[0] == 'f' && format[1] == 0;
        const bool fits = buffer.ndim == 1 && (wide || narrow) &&
                          static_cast<std::size_t>(buffer.shape[0]) == into.size();
        bool good = fits;
        for (std::size_t j = 0; good && j < into.size(); ++j) {
            const char* at = static_cast<const char*>(buffer.buf) +
                             static_cast<std::ptrdiff_t>(j) * buffer.strides[0];
            if (wide) {
                std::memcpy(&into[j], at, sizeof(double));
            } else {
                float x;
                std::memcpy(&x, at, sizeof(float));
                into[j] = static_cast<double>(x);
            }
            good = allowed(into[j]);
        }
        PyBuffer_Release(&buffer);
        return good;
    }

    bool allowed(double x) const { return std::isfinite(x) || (std::isnan(x) && missing_); }

    bool read(PyObject* value, std::size_t j, double& into) const {
        const Kind kind = kinds_[j];
        if (kind == Kind::other) return false;
        if (value == Py_None) {
            into = kind == Kind::number ? std::nan("") : kMissingLevel;
            return missing_;
        }
        if (kind == Kind::category) {
            if (!PyUnicode_CheckExact(value)) return false;
            const nb::object number = item_of_dict(levels_[j].ptr(), value);
            if (!number.is_valid()) return false;
            into = PyLong_AsDouble(number.ptr());
            return true;
        }
        if (PyFloat_Check(value))
            into = PyFloat_AsDouble(value);
        else if (PyLong_CheckExact(value))
            into = PyLong_AsDouble(value);
        else
            return false;
        if (PyErr_Occurred() != nullptr) return PyErr_Clear(), false;
        return allowed(into) && (PyFloat_Check(value) || std::fabs(into) < 0x1.0p53);
    }

    static constexpr double kMissingLevel = -1.0;

    std::shared_ptr<Predictor> predictor_;
    std::vector<nb::object> names_;
    std::vector<nb::object> levels_;
    std::vector<Kind> kinds_;
    nb::object array_type_ = nb::module_::import_("numpy").attr("ndarray");
    bool all_numbers_ = false, missing_;
};

}  // namespace

void bind_row_predictor(nb::module_& m) {
    nb::class_<RowPredictor>(m, "RowPredictor", "Predicts one row at a time.")
        .def(nb::init<std::shared_ptr<Predictor>, nb::object, nb::list, bool>(),
             nb::arg("predictor"), nb::arg("names").none(), nb::arg("levels"), nb::arg("missing"))
        .def(
            "values",
            [](const RowPredictor& self, nb::handle row) -> nb::object {
                auto values = self.values(row);
                if (!values) return nb::none();
                const std::size_t n = values->size();
                return nb::cast(to_numpy(std::move(*values), n));
            },
            nb::arg("row").none(),
            "The mean prediction of the trees; None if the row is not plain.")
        .def(
            "sample",
            [](const RowPredictor& self, nb::handle row) -> nb::object {
                auto numbers = self.sample(row);
                if (!numbers) return nb::none();
                const std::size_t n = numbers->size();
                return nb::cast(to_numpy(std::move(*numbers), n));
            },
            nb::arg("row").none(), "The numbers of a row; None if the row is not plain.")
        .def(
            "likeliest",
            [](const RowPredictor& self, nb::handle row) {
                const auto values = self.values(row);
                return values ? std::ranges::max_element(*values) - values->begin() : -1;
            },
            nb::arg("row").none(),
            "The index of the largest value, the first of ties; -1 if the row is not plain.")
        .def(
            "number",
            [](const RowPredictor& self, nb::handle row) -> nb::object {
                const auto values = self.values(row);
                return values ? nb::object(nb::float_((*values)[0])) : nb::none();
            },
            nb::arg("row").none(), "The first predicted value; None if the row is not plain.");
}

}  // namespace silvics::bindings
