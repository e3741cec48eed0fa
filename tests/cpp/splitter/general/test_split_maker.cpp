#include "splitter/general/general_parts.hpp"
#include "splitter/general/split_maker.hpp"

namespace silvics {
namespace {

using test::GeneralParts;

TEST_CASE("a threshold sends samples left and right, missing values to their side") {
    GeneralParts of({5, 1, {3.0, 1.0, NAN, 5.0, 2.0}}, {-1}, {0, 1, 0, 1, 0});
    SplitMaker maker(of.parts());
    Candidate c;
    c.threshold = 2.5;
    c.decrease = 0.25;
    c.missing = MissingSide::left;
    const Split split = maker.make(of.node(), c, of.subset.rows);
    CHECK(split.threshold == 2.5);
    CHECK(split.decrease == 0.25);
    CHECK(split.n_left == 3);
    CHECK(split.missing == MissingSide::left);
    CHECK(of.order.rows == std::vector<RowId>{1, 2, 4, 0, 3});
    REQUIRE(split.general != nullptr);
    CHECK_FALSE(split.general->branches);
    CHECK_FALSE(split.general->copied);
}

TEST_CASE("levels go to their sides, and the split lists them") {
    GeneralParts of({5, 1, {3.0, 1.0, 0.0, 3.0, 2.0}}, {4}, {0, 1, 0, 1, 0});
    SplitMaker maker(of.parts());
    Candidate c;
    c.test = Candidate::Test::levels;
    c.left = {0, 3};
    const Split split = maker.make(of.node(), c, of.subset.rows);
    CHECK(split.by_levels);
    CHECK(std::vector<Code>(split.left.begin(), split.left.end()) == std::vector<Code>{0, 3});
    CHECK(std::vector<Code>(split.right.begin(), split.right.end()) == std::vector<Code>{1, 2});
    CHECK(of.order.rows == std::vector<RowId>{0, 2, 3, 1, 4});
}

TEST_CASE("missing values have a child of their own, or are copied to both children") {
    {
        GeneralParts of({4, 1, {3.0, NAN, 1.0, NAN}}, {-1}, {0, 1, 0, 1});
        of.rules.missing = MissingRule::apart;
        SplitMaker maker(of.parts());
        Candidate c;
        c.threshold = 2.0;
        const Split split = maker.make(of.node(), c, of.subset.rows);
        REQUIRE(split.general->branches);
        CHECK(split.general->sizes == std::vector<std::size_t>{1, 1, 2});
        CHECK(split.general->branching.missing_child == 2);
        CHECK(of.order.rows == std::vector<RowId>{2, 0, 1, 3});
    }
    GeneralParts of({4, 1, {3.0, NAN, 1.0, NAN}}, {-1}, {0, 1, 0, 1});
    of.rules.missing = MissingRule::both;
    SplitMaker maker(of.parts());
    Candidate c;
    c.threshold = 2.0;
    const Split split = maker.make(of.node(), c, of.subset.rows);
    REQUIRE(split.general->copied);
    CHECK(split.general->begin == 4);
    CHECK(split.n_left == 3);
    CHECK(split.general->n_right == 3);
    const std::vector<RowId> copies(of.order.rows.begin() + 4, of.order.rows.end());
    CHECK(copies == std::vector<RowId>{1, 2, 3, 0, 1, 3});
    const std::vector<double> weights(of.order.weights.begin() + 4, of.order.weights.end());
    CHECK(weights == std::vector<double>{0.5, 1.0, 0.5, 1.0, 0.5, 0.5});
}

TEST_CASE("values that a split by values has not seen go to the largest child") {
    GeneralParts of({6, 1, {0.0, 2.0, 2.0, 4.0, 1.0, -1.0}}, {5}, {0, 1, 0, 1, 0, 1});
    SplitMaker maker(of.parts());
    Candidate c;
    c.test = Candidate::Test::values;
    c.values = {0, 2, 4};
    const std::vector<RowId> seen = {0, 1, 2, 3};
    CHECK(maker.largest_child(c, seen) == 1);
    std::vector<std::size_t> sizes;
    maker.place(c, of.subset.rows, 1, sizes);
    CHECK(sizes == std::vector<std::size_t>{1, 4, 1});
    CHECK(maker.weights(of.order.weights, 3) == std::vector<double>{1.0, 4.0, 1.0});
    const Split split = maker.make(of.node(), c, seen);
    REQUIRE(split.general->branches);
    CHECK(split.general->branching.n_children == 3);
    CHECK(split.general->branching.other_child == 1);
    CHECK(of.order.rows == std::vector<RowId>{0, 1, 2, 4, 5, 3});
}

}  // namespace
}  // namespace silvics
