#include <numeric>

#include "splitter/general/general_parts.hpp"
#include "splitter/general/value_bins.hpp"

namespace silvics {
namespace {

using test::kNeverStop;

// Where cuts are tried between sorted values.
std::vector<std::size_t> cuts_of(const std::vector<double>& values, NodeBins kind, std::size_t n) {
    SearchRules rules;
    rules.node_bins = kind;
    rules.n_node_bins = n;
    ValueBins bins(rules, kNeverStop);
    const Column column;
    CHECK(bins.used(column, true));
    std::vector<Position> sorted(values.size());
    std::iota(sorted.begin(), sorted.end(), Position{0});
    const bool one = bins.number(column, {}, values, sorted);
    std::vector<std::size_t> cuts;
    for (std::size_t k = 1; k < values.size(); ++k)
        if (bins.parts(k)) cuts.push_back(k);
    CHECK(one == cuts.empty());
    return cuts;
}

using Cuts = std::vector<std::size_t>;

TEST_CASE("bins of equal width") {
    CHECK(cuts_of({0.0, 1.0, 2.0, 3.0, 10.0}, NodeBins::width, 2) == Cuts{4});
    CHECK(cuts_of({0.0, 2.4, 2.5, 5.0, 10.0}, NodeBins::width, 4) == Cuts{2, 3, 4});
    const double most = std::numeric_limits<double>::max();
    CHECK(cuts_of({-most, 1.0, most}, NodeBins::width, 2) == Cuts{1});
}

TEST_CASE("bins of equal frequency keep equal values together") {
    CHECK(cuts_of({0.0, 1.0, 2.0, 100.0}, NodeBins::frequency, 2) == Cuts{2});
    CHECK(cuts_of({1.0, 1.0, 1.0, 1.0, 1.0, 2.0}, NodeBins::frequency, 3) == Cuts{5});
    CHECK(cuts_of({0.0, 1.0, 2.0, 3.0, 4.0, 5.0}, NodeBins::frequency, 3) == Cuts{2, 4});
}

TEST_CASE("missing values at an end are a bin of their own") {
    CHECK(cuts_of({-kInfinity, 0.0, 1.0, 2.0, 100.0}, NodeBins::frequency, 2) == Cuts{1, 3});
    CHECK(cuts_of({5.0, 5.0, kInfinity}, NodeBins::width, 4) == Cuts{2});
    CHECK(cuts_of({5.0, 5.0}, NodeBins::width, 4).empty());
}

TEST_CASE("without bins of nodes, those of the column are used") {
    const SearchRules rules;
    const ValueBins bins(rules, kNeverStop);
    Column column;
    CHECK_FALSE(bins.used(column, false));
    column.kind = Column::Kind::bin;
    CHECK(bins.used(column, false));
    CHECK_FALSE(bins.used(column, true));
}

}  // namespace
}  // namespace silvics
