#include "data/matrix.hpp"
#include "doctest/doctest.h"

namespace silvics {
namespace {

TEST_CASE("a matrix of one block of numbers is simple") {
    Matrix X(MatrixView{nullptr, 5, 3, 24, 8, Scalar::f64});
    CHECK(X.rows == 5);
    CHECK(X.cols == 3);
    CHECK(X.simple());
    X.n_levels = {-1, -1, -1};
    CHECK(X.simple());
    CHECK_FALSE(X.has_categories());
    X.n_levels = {-1, 0, 7};
    CHECK_FALSE(X.simple());
    CHECK(X.has_categories());
    CHECK_FALSE(X.category(0));
    CHECK(X.category(1));  // of no level: all missing
    CHECK(X.category(2));
}

TEST_CASE("a part has consecutive rows") {
    const std::vector<double> values{0, 1, 2, 3, 4, 5};
    const Matrix X(
        MatrixView{reinterpret_cast<const std::byte*>(values.data()), 3, 2, 16, 8, Scalar::f64});
    const Matrix part = X.part(1, 2);
    CHECK(part.rows == 2);
    CHECK(part.cols == 2);
    CHECK(part.blocks[0].column(1)[0] == 3.0);
    CHECK(part.blocks[0].column(0)[1] == 4.0);

    const std::vector<std::int64_t> starts{0, 2, 3, 7};
    Matrix rows;
    rows.rows = 3;
    rows.cols = 4;
    rows.sparse = SparseView{
        false, {reinterpret_cast<const std::byte*>(starts.data()), 8, Scalar::i64}, {}, {}};
    CHECK(rows.part(1, 2).sparse->starts[0] == 2.0);
    CHECK(rows.part(2, 1).sparse->starts[1] == 7.0);
}

TEST_CASE("blocks are visited with the index of their first column") {
    Matrix X;
    X.rows = 2;
    for (const std::size_t cols : {3U, 1U, 4U}) {
        X.blocks.push_back({nullptr, 2, cols, 0, 0, Scalar::f32});
        X.cols += cols;
    }
    CHECK_FALSE(X.simple());
    std::vector<std::size_t> firsts, widths;
    X.for_blocks([&](const MatrixView& block, std::size_t first) {
        firsts.push_back(first);
        widths.push_back(block.cols);
    });
    CHECK(firsts == std::vector<std::size_t>{0, 3, 4});
    CHECK(widths == std::vector<std::size_t>{3, 1, 4});
}

}  // namespace
}  // namespace silvics
