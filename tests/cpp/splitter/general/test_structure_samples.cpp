#include "splitter/general/general_parts.hpp"
#include "splitter/general/structure_samples.hpp"

namespace silvics {
namespace {

using test::GeneralParts;
using test::GiniCounts;

// Six samples of classes 0 0 0 1 1 1, of which the third and the sixth have no value.
struct SixSamples {
    GeneralParts of{{6, 1, {1.0, 2.0, NAN, 3.0, 4.0, NAN}}, {-1}, {0, 0, 0, 1, 1, 1}};
    StructureSamples<GiniCounts> structure{of.parts()};

    SixSamples() {
        structure.samples = of.order;
        structure.enter_all();
        structure.values = {1.0, 2.0, NAN, 3.0, 4.0, NAN};
    }
};

TEST_CASE("missing values that are learned from stay among the samples") {
    SixSamples made;
    made.structure.separate_missing(MissingRule::learned);
    CHECK(made.structure.has_missing());
    CHECK(made.structure.n_missing() == 0);
    CHECK(made.structure.values.size() == 6);
    CHECK(made.structure.criterion.weight() == 6.0);
    CHECK(made.structure.weight_entered() == 1.0);
}

TEST_CASE("missing values in a child of their own add a constant part to the decrease") {
    SixSamples made;
    StructureSamples<GiniCounts>& structure = made.structure;
    structure.separate_missing(MissingRule::apart);
    CHECK(structure.n_missing() == 2);
    CHECK(structure.missing_weight() == 2.0);
    CHECK(structure.values == std::vector<double>{1.0, 2.0, 3.0, 4.0});
    CHECK(structure.entered().rows == std::vector<RowId>{0, 1, 3, 4});
    CHECK(structure.weight_entered() == doctest::Approx(4.0 / 6.0));
    // The cut that separates the four: what remains is the impurity of the missing ones.
    structure.criterion.begin_scan();
    structure.criterion.move(0);
    structure.criterion.move(1);
    CHECK(structure.decrease_of(structure.criterion.score()) ==
          doctest::Approx(0.5 - 2.0 / 6.0 * 0.5));
    // The next variable has no missing values.
    structure.values.assign(6, 1.0);
    structure.separate_missing(MissingRule::apart);
    CHECK_FALSE(structure.has_missing());
    CHECK(structure.entered().size() == 6);
    CHECK(structure.criterion.weight() == 6.0);
}

TEST_CASE("samples that go to both children are entered at both ends with half their weight") {
    SixSamples made;
    made.structure.separate_missing(MissingRule::both);
    CHECK(made.structure.n_missing() == 2);
    CHECK(made.structure.values ==
          std::vector<double>{1.0, 2.0, 3.0, 4.0, -kInfinity, -kInfinity, kInfinity, kInfinity});
    CHECK(made.structure.entered().weights ==
          std::vector<double>{1.0, 1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.5});
    CHECK(made.structure.criterion.weight() == 6.0);
}

TEST_CASE("a part has its own weight and impurity") {
    SixSamples made;
    const std::vector<std::size_t> places = {0, 3, 4, 5};
    const auto part = made.structure.part_of(places);
    CHECK(part.weight == 4.0);
    CHECK(part.impurity == doctest::Approx(2.0 * 0.25 * 0.75));
    CHECK(made.structure.criterion.weight() == 6.0);
}

}  // namespace
}  // namespace silvics
