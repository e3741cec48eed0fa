// Reads a two-dimensional array of the caller through the buffer protocol.
#include "views.hpp"

namespace silvics::bindings {

MatrixBuffer::MatrixBuffer(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_STRIDED_RO | PyBUF_FORMAT) != 0)
        throw nb::python_error();
    const auto fail = [&](const std::string& what) {
        PyBuffer_Release(&buffer_);
        throw nb::type_error(what.c_str());
    };
    if (buffer_.ndim != 2) fail("expected a two-dimensional array");
    std::string format = buffer_.format ? buffer_.format : "B";
    if (!format.empty() && (format[0] == '@' || format[0] == '=' || format[0] == '<'))
        format.erase(0, 1);
    const auto sized = [&](Scalar s1, Scalar s2, Scalar s4, Scalar s8) {
        return buffer_.itemsize == 1   ? s1
               : buffer_.itemsize == 2 ? s2
               : buffer_.itemsize == 4 ? s4
                                       : s8;
    };
    if (format == "f")
        view_.type = Scalar::f32;
    else if (format == "d")
        view_.type = Scalar::f64;
    else if (format == "?")
        view_.type = Scalar::boolean;
    else if (format.size() == 1 && std::string("bhilq").find(format[0]) != std::string::npos)
        view_.type = sized(Scalar::i8, Scalar::i16, Scalar::i32, Scalar::i64);
    else if (format.size() == 1 && std::string("BHILQ").find(format[0]) != std::string::npos)
        view_.type = sized(Scalar::u8, Scalar::u16, Scalar::u32, Scalar::u64);
    else
        fail("arrays of this format are not supported: '" + format + "'");
    view_.data = static_cast<const std::byte*>(buffer_.buf);
    view_.rows = static_cast<std::size_t>(buffer_.shape[0]);
    view_.cols = static_cast<std::size_t>(buffer_.shape[1]);
    view_.row_stride = buffer_.strides[0];
    view_.col_stride = buffer_.strides[1];
}

}  // namespace silvics::bindings
