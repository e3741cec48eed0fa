// A matrix in compressed form, made from a dense one.
#pragma once

#include <cstring>
#include <functional>
#include <vector>

#include "data/matrix.hpp"
#include "support/problem.hpp"

namespace silvics::test {

// Numbers of any type, as a caller keeps them.
class Numbers {
public:
    template <class Range>
    Numbers(const Range& numbers, Scalar type) : type_(type) {
        visit_scalar(type, [&]<class T>(std::type_identity<T>) {
            size_ = sizeof(T);
            bytes_.resize(std::size(numbers) * sizeof(T) + 1);  // never nowhere
            std::byte* to = bytes_.data();
            for (const auto number : numbers) {
                const T value = static_cast<T>(number);
                std::memcpy(to, &value, sizeof value);
                to += sizeof value;
            }
        });
    }
    ColumnView view() const { return {bytes_.data(), size_, type_}; }

private:
    Scalar type_;
    std::ptrdiff_t size_ = 0;
    std::vector<std::byte> bytes_;
};

struct SparseRules {
    bool by_columns = true;
    Scalar index_type = Scalar::i32;
    Scalar type = Scalar::f64;
    std::function<bool(std::size_t, std::size_t)> zero_is_stored = {};  // row, column
};

class SparseMatrix {
public:
    explicit SparseMatrix(const Matrix& X, const SparseRules& rules = {})
        : rows_(X.rows), cols_(X.cols), by_columns_(rules.by_columns) {
        std::vector<std::size_t> starts = {0}, places;
        std::vector<double> values;
        const std::size_t n_lines = by_columns_ ? X.cols : X.rows;
        const std::size_t n_places = by_columns_ ? X.rows : X.cols;
        for (std::size_t line = 0; line < n_lines; ++line) {
            for (std::size_t place = 0; place < n_places; ++place) {
                const std::size_t i = by_columns_ ? place : line, j = by_columns_ ? line : place;
                const double value = X.row(i)[j];
                const bool stored =
                    value != 0.0 || (rules.zero_is_stored && rules.zero_is_stored(i, j));
                if (!stored) continue;
                places.push_back(place);
                values.push_back(value);
            }
            starts.push_back(places.size());
        }
        n_cells_ = places.size();
        parts_ = {Numbers(starts, rules.index_type), Numbers(places, rules.index_type),
                  Numbers(values, rules.type)};
    }

    silvics::Matrix view() const {
        silvics::Matrix X;
        X.rows = rows_;
        X.cols = cols_;
        X.sparse = SparseView{by_columns_, parts_[0].view(), parts_[1].view(), parts_[2].view()};
        return X;
    }
    std::size_t n_cells() const { return n_cells_; }

private:
    std::size_t rows_, cols_, n_cells_ = 0;
    bool by_columns_;
    std::vector<Numbers> parts_;  // starts, places, values
};

// Most values become zero.
inline Matrix thinned(Rng& rng, Matrix X, std::size_t one_in) {
    for (double& x : X.values)
        if (pick(rng, one_in) != 0) x = 0.0;
    return X;
}

// Some values become NaN.
inline Matrix with_missing(Rng& rng, Matrix X, std::size_t one_in) {
    for (double& x : X.values)
        if (pick(rng, one_in) == 0) x = NAN;
    return X;
}

}  // namespace silvics::test
