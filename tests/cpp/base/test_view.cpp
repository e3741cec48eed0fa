#include <cstring>
#include <limits>
#include <vector>

#include "base/view.hpp"
#include "doctest/doctest.h"

namespace silvics {
namespace {

template <class T>
constexpr Scalar kScalarOf = [] {
    if constexpr (std::is_same_v<T, float>) return Scalar::f32;
    if constexpr (std::is_same_v<T, double>) return Scalar::f64;
    if constexpr (std::is_same_v<T, std::int8_t>) return Scalar::i8;
    if constexpr (std::is_same_v<T, std::uint8_t>) return Scalar::u8;
    if constexpr (std::is_same_v<T, std::int16_t>) return Scalar::i16;
    if constexpr (std::is_same_v<T, std::uint16_t>) return Scalar::u16;
    if constexpr (std::is_same_v<T, std::int32_t>) return Scalar::i32;
    if constexpr (std::is_same_v<T, std::uint32_t>) return Scalar::u32;
    if constexpr (std::is_same_v<T, std::int64_t>) return Scalar::i64;
    if constexpr (std::is_same_v<T, std::uint64_t>) return Scalar::u64;
    if constexpr (std::is_same_v<T, bool>) return Scalar::boolean;
}();

template <class T>
T example(std::size_t i) {
    if (i == 0) return std::numeric_limits<T>::lowest();
    if (i == 1) return std::numeric_limits<T>::max();
    return static_cast<T>(i % 100);
}

double load(const MatrixView& X, std::size_t i, std::size_t j) {
    return visit_scalar(
        X.type, [&]<class T>(std::type_identity<T>) { return load_as_double<T>(X.at(i, j)); });
}

#define SILVICS_ALL_SCALARS                                                              \
    float, double, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, \
        std::uint32_t, std::int64_t, std::uint64_t, bool

TEST_CASE_TEMPLATE("a view reads unaligned data at odd strides", T, SILVICS_ALL_SCALARS) {
    constexpr std::size_t kRows = 5, kCols = 3;
    constexpr std::ptrdiff_t kColStride = sizeof(T) + 1, kRowStride = kCols * kColStride + 3;
    std::vector<std::byte> bytes(1 + kRows * kRowStride);
    const std::byte* first = bytes.data() + 1;
    for (std::size_t i = 0; i < kRows; ++i)
        for (std::size_t j = 0; j < kCols; ++j) {
            const T value = example<T>(i * kCols + j);
            std::memcpy(bytes.data() + 1 + i * kRowStride + j * kColStride, &value, sizeof value);
        }

    SUBCASE("forwards") {
        const MatrixView X{first, kRows, kCols, kRowStride, kColStride, kScalarOf<T>};
        for (std::size_t i = 0; i < kRows; ++i)
            for (std::size_t j = 0; j < kCols; ++j)
                CHECK(load(X, i, j) == static_cast<double>(example<T>(i * kCols + j)));
    }
    SUBCASE("backwards") {
        const MatrixView X{first + (kRows - 1) * kRowStride + (kCols - 1) * kColStride,
                           kRows,
                           kCols,
                           -kRowStride,
                           -kColStride,
                           kScalarOf<T>};
        for (std::size_t i = 0; i < kRows; ++i)
            for (std::size_t j = 0; j < kCols; ++j)
                CHECK(load(X, kRows - 1 - i, kCols - 1 - j) ==
                      static_cast<double>(example<T>(i * kCols + j)));
    }
    SUBCASE("transposed") {
        const MatrixView X{first, kCols, kRows, kColStride, kRowStride, kScalarOf<T>};
        for (std::size_t i = 0; i < kRows; ++i)
            for (std::size_t j = 0; j < kCols; ++j)
                CHECK(load(X, j, i) == static_cast<double>(example<T>(i * kCols + j)));
    }
}

TEST_CASE_TEMPLATE("a column of a view is read row by row at its stride", T, SILVICS_ALL_SCALARS) {
    constexpr std::size_t kRows = 5, kCols = 3;
    constexpr std::ptrdiff_t kColStride = sizeof(T) + 1, kRowStride = kCols * kColStride + 3;
    std::vector<std::byte> bytes(1 + kRows * kRowStride);
    for (std::size_t i = 0; i < kRows; ++i)
        for (std::size_t j = 0; j < kCols; ++j) {
            const T value = example<T>(i * kCols + j);
            std::memcpy(bytes.data() + 1 + i * kRowStride + j * kColStride, &value, sizeof value);
        }
    const MatrixView X{bytes.data() + 1, kRows, kCols, kRowStride, kColStride, kScalarOf<T>};
    MatrixView backwards = X;
    backwards.data = X.at(kRows - 1, 0);
    backwards.row_stride = -kRowStride;
    for (std::size_t j = 0; j < kCols; ++j)
        for (std::size_t i = 0; i < kRows; ++i) {
            CHECK(X.column(j)[i] == static_cast<double>(example<T>(i * kCols + j)));
            CHECK(backwards.column(j)[i] == X.column(j)[kRows - 1 - i]);
        }
}

TEST_CASE("any byte but zero is true") {
    const std::byte bytes[] = {std::byte{0}, std::byte{1}, std::byte{2}, std::byte{255}};
    CHECK(load_as_double<bool>(bytes) == 0.0);
    for (int i = 1; i < 4; ++i) CHECK(load_as_double<bool>(bytes + i) == 1.0);
}

TEST_CASE("a view of stride zero repeats one value over more than 2^32 elements") {
    const double value = 2.5;
    const MatrixView X{
        reinterpret_cast<const std::byte*>(&value), std::size_t{1} << 33, 2, 0, 0, Scalar::f64};
    CHECK(load(X, X.rows - 1, 1) == 2.5);
}

TEST_CASE("an unknown scalar type is an error") {
    CHECK_THROWS_AS(visit_scalar(static_cast<Scalar>(99), [](auto) {}), std::invalid_argument);
}

}  // namespace
}  // namespace silvics
