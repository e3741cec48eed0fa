// A read-only view of a caller's matrix: any scalar type, any strides, any alignment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <type_traits>

namespace silvics {

enum class Scalar : std::uint8_t { f32, f64, i8, u8, i16, u16, i32, u32, i64, u64, boolean };

struct MatrixView {
    const std::byte* data = nullptr;
    std::size_t rows = 0, cols = 0;
    std::ptrdiff_t row_stride = 0, col_stride = 0;  // in bytes
    Scalar type = Scalar::f64;

    const std::byte* at(std::size_t row, std::size_t col) const {
        return data + static_cast<std::ptrdiff_t>(row) * row_stride +
               static_cast<std::ptrdiff_t>(col) * col_stride;
    }
    inline struct ColumnView column(std::size_t col) const;
};

template <class T>
double load_as_double(const std::byte* from) {
    if constexpr (std::is_same_v<T, bool>) {
        return std::to_integer<int>(*from) != 0 ? 1.0 : 0.0;
    } else {
        T value;
        std::memcpy(&value, from, sizeof value);
        return static_cast<double>(value);
    }
}

// One column of a matrix.
struct ColumnView {
    const std::byte* data = nullptr;
    std::ptrdiff_t stride = 0;
    Scalar type = Scalar::f64;

    const std::byte* at(std::size_t row) const {
        return data + static_cast<std::ptrdiff_t>(row) * stride;
    }
    inline double operator[](std::size_t row) const;
};

// Calls f with std::type_identity<T> for the C++ type of the scalar.
template <class F>
decltype(auto) visit_scalar(Scalar type, F&& f) {
    switch (type) {
        case Scalar::f32:
            return f(std::type_identity<float>{});
        case Scalar::f64:
            return f(std::type_identity<double>{});
        case Scalar::i8:
            return f(std::type_identity<std::int8_t>{});
        case Scalar::u8:
            return f(std::type_identity<std::uint8_t>{});
        case Scalar::i16:
            return f(std::type_identity<std::int16_t>{});
        case Scalar::u16:
            return f(std::type_identity<std::uint16_t>{});
        case Scalar::i32:
            return f(std::type_identity<std::int32_t>{});
        case Scalar::u32:
            return f(std::type_identity<std::uint32_t>{});
        case Scalar::i64:
            return f(std::type_identity<std::int64_t>{});
        case Scalar::u64:
            return f(std::type_identity<std::uint64_t>{});
        case Scalar::boolean:
            return f(std::type_identity<bool>{});
    }
    throw std::invalid_argument("unknown scalar type");
}

inline ColumnView MatrixView::column(std::size_t col) const {
    return {at(0, col), row_stride, type};
}

inline double ColumnView::operator[](std::size_t row) const {
    return visit_scalar(type,
                        [&]<class T>(std::type_identity<T>) { return load_as_double<T>(at(row)); });
}

}  // namespace silvics
