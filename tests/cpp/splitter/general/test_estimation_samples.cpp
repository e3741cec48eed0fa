#include "splitter/general/estimation_samples.hpp"
#include "splitter/general/general_parts.hpp"

namespace silvics {
namespace {

using test::GeneralParts;

TEST_CASE("a threshold must leave enough estimation samples on both sides") {
    GeneralParts of({6, 1, {3.0, 1.0, NAN, 2.0, 5.0, 4.0}}, {-1}, {0, 1, 0, 1, 0, 1}, 2,
                    {1.0, 1.0, 2.0, 1.0, 1.0, 3.0});
    const ColumnReader reader(of.made.table(), of.rules);
    EstimationSamples estimation(of.rules);
    estimation.samples = of.order;
    of.rules.min_samples_leaf = 2;
    estimation.set_order(reader, 0, {});
    CHECK_FALSE(estimation.on_both_sides(1.5, MissingSide::right));
    CHECK(estimation.on_both_sides(1.5, MissingSide::left));
    CHECK(estimation.on_both_sides(2.5, MissingSide::right));
    CHECK(estimation.on_both_sides(4.5, MissingSide::right));  // 5 and the missing one
    CHECK_FALSE(estimation.on_both_sides(4.5, MissingSide::left));
    CHECK_FALSE(estimation.on_both_sides(kInfinity, MissingSide::right));
    of.rules.min_weight_leaf = 4.0;  // left of 3.5: 1 + 1 + 1, right: 3 + 1 + 2
    CHECK_FALSE(estimation.on_both_sides(3.5, MissingSide::right));
    CHECK(estimation.on_both_sides(3.5, MissingSide::left));
    of.rules.min_weight_leaf = 0.0;
    CHECK(estimation.n_on_sides() == 6);
    of.rules.missing = MissingRule::apart;
    CHECK(estimation.n_on_sides() == 5);
    CHECK_FALSE(estimation.on_both_sides(4.5, MissingSide::right));
}

TEST_CASE("estimation samples are counted by level, and no leaf is empty") {
    GeneralParts of({5, 1, {2.0, 0.0, -1.0, 2.0, 2.0}}, {4}, {0, 1, 0, 1, 0});
    const ColumnReader reader(of.made.table(), of.rules);
    EstimationSamples estimation(of.rules);
    estimation.samples = of.order;
    CHECK(estimation.count_levels(reader, 0) == std::vector<std::uint32_t>{1, 0, 3, 0, 1});
    of.rules.min_samples_leaf = 0;
    CHECK(estimation.min_samples() == 1);
    CHECK_FALSE(estimation.enough(0, 0.0));
    CHECK(estimation.enough(1, 0.0));
}

}  // namespace
}  // namespace silvics
