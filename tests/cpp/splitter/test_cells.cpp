#include "doctest/doctest.h"
#include "splitter/cells.hpp"
#include "support/problem.hpp"

namespace silvics {
namespace {

// A box kept whole: all its sides.
struct Box {
    Cells::CellId id = Cells::whole();
    std::vector<std::pair<double, double>> sides;
};

TEST_CASE("the whole space has the range it is given") {
    const Cells cells;
    CHECK(cells.side(Cells::whole(), 3, {-1.0, 2.0}) == std::pair(-1.0, 2.0));
}

TEST_CASE("a cell's sides are those of a box that was cut in the same places") {
    test::Rng rng(450);
    for (int repeat = 0; repeat < 20; ++repeat) {
        const std::size_t p = 1 + test::pick(rng, 5);
        Cells cells;
        Box whole;
        for (std::size_t j = 0; j < p; ++j)
            whole.sides.emplace_back(-1.0 - static_cast<double>(j), 1.0);
        const auto ranges = whole.sides;
        std::vector<Box> boxes = {whole};
        for (int step = 0; step < 100; ++step) {
            const Box box = boxes[test::pick(rng, boxes.size())];
            const auto f = static_cast<FeatureId>(test::pick(rng, p));
            const double at = test::pick_real(rng, box.sides[f].first, box.sides[f].second);
            for (const bool left : {true, false}) {
                Box part = box;
                (left ? part.sides[f].second : part.sides[f].first) = at;
                part.id = cells.cut(box.id, f, at, left);
                boxes.push_back(part);
            }
        }
        for (const Box& box : boxes)
            for (FeatureId f = 0; f < p; ++f)
                CHECK(cells.side(box.id, f, ranges[f]) == box.sides[f]);
    }
}

}  // namespace
}  // namespace silvics
