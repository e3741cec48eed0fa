// One variable at one node, made by hand, and the best cut on it found by trying all.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "doctest/doctest.h"
#include "splitter/gather.hpp"
#include "support/problem.hpp"

namespace silvics::test {

using Kind = Column::Kind;

class MadeColumn {
public:
    // Codes of a node's samples. The values of one code are `per_code`: one, unless the kind of
    // the column allows for several.
    MadeColumn(Rng& rng, std::vector<std::uint16_t> codes, Kind kind, std::size_t per_code = 1)
        : codes_(std::move(codes)) {
        for (const std::uint16_t code : codes_)
            values_.push_back(least_value(code) + static_cast<double>(pick(rng, per_code)) /
                                                      static_cast<double>(8 * per_code));
        // Samples stand at every second row, last first.
        rows_.resize(codes_.size());
        of_row_.assign(2 * codes_.size(), -1e9);
        for (std::size_t i = 0; i < codes_.size(); ++i) {
            rows_[i] = static_cast<RowId>(2 * (codes_.size() - 1 - i));
            of_row_[rows_[i]] = values_[i];
        }
        column_.n_codes = kMaxCodes;
        column_.kind = kind;
        column_.values = {reinterpret_cast<const std::byte*>(of_row_.data()), sizeof(double),
                          Scalar::f64};
        column_.code_value_shift = 8;
        for (Code code = 0; code < kMaxCodes; code += 256)
            column_.code_values.push_back(least_value(code));
    }
    MadeColumn(const MadeColumn&) = delete;
    MadeColumn& operator=(const MadeColumn&) = delete;

    NodeColumn node() const {
        return {column_, rows_, codes_.data(), range_of(codes_.data(), codes_.size())};
    }
    const std::vector<double>& values() const { return values_; }  // of the samples
    const std::vector<std::uint16_t>& codes() const { return codes_; }

    static double least_value(Code code) { return static_cast<double>(code) / 4 - 100.0; }

private:
    std::vector<std::uint16_t> codes_;
    std::vector<double> values_, of_row_;
    std::vector<RowId> rows_;
    Column column_;
};

// n codes out of `levels`, `step` apart.
inline std::vector<std::uint16_t> spread_codes(Rng& rng, std::size_t n, std::size_t levels,
                                               std::size_t step, std::size_t low = 0) {
    std::vector<std::uint16_t> codes(n);
    for (auto& code : codes) code = static_cast<std::uint16_t>(low + step * pick(rng, levels));
    return codes;
}

struct HandCut {
    double score = -kInfinity;
    double threshold = 0.0, middle = 0.0;
    std::vector<std::uint8_t> goes_left;
};

struct HandScore {
    double left_weight = 0.0, right_weight = 0.0, score = 0.0;
};

// The marks of every cut: between any two values of the node, or between bins.
inline std::vector<HandCut> cuts_by_hand(const MadeColumn& made) {
    const NodeColumn node = made.node();
    const bool bins = node.column.kind == Kind::bin;
    const auto place = [&](std::size_t i) {
        return bins ? static_cast<double>(made.codes()[i]) : made.values()[i];
    };
    std::vector<double> places;
    for (std::size_t i = 0; i < node.size(); ++i) places.push_back(place(i));
    std::ranges::sort(places);
    places.erase(std::unique(places.begin(), places.end()), places.end());
    std::vector<HandCut> cuts;
    for (std::size_t p = 0; p + 1 < places.size(); ++p) {
        HandCut cut;
        double below = -kInfinity, above = kInfinity;
        for (std::size_t i = 0; i < node.size(); ++i) {
            const bool left = place(i) <= places[p];
            cut.goes_left.push_back(left ? 1 : 0);
            if (left)
                below = std::max(below, made.values()[i]);
            else
                above = std::min(above, made.values()[i]);
        }
        cut.threshold = middle_of_gap(below, above);
        cuts.push_back(cut);
    }
    return cuts;
}

// The first of the best allowed cuts that beat the floor; scored(marks) gives a HandScore.
template <class Scored>
HandCut best_by_hand(const MadeColumn& made, const CutLimits& limits, double floor,
                     Scored&& scored) {
    HandCut best;
    best.score = floor;
    for (HandCut& cut : cuts_by_hand(made)) {
        const auto n_left = static_cast<std::size_t>(std::ranges::count(cut.goes_left, 1));
        const HandScore score = scored(cut.goes_left);
        if (n_left < limits.min_samples_leaf || limits.n - n_left < limits.min_samples_leaf ||
            score.left_weight < limits.min_weight_leaf ||
            score.right_weight < limits.min_weight_leaf || !(score.score > best.score))
            continue;
        cut.score = score.score;
        best = cut;
    }
    return best;
}

// What a cut does to the node's samples.
inline HandCut carried_out(const NodeColumn& node, const Cut& cut) {
    Scratch<Position> places;
    Scratch<std::uint8_t> goes_left;
    HandCut made;
    made.score = cut.score;
    made.middle = cut.middle;
    made.threshold = threshold_of_cut(node, cut, places);
    const std::size_t n_left =
        mark_sides(node, sides_of_cut(cut), made.threshold, goes_left, places);
    made.goes_left.assign(goes_left.data(), goes_left.data() + node.size());
    CHECK(static_cast<std::size_t>(std::ranges::count(made.goes_left, 1)) == n_left);
    return made;
}

// To the last bit.
inline bool same_cuts(const HandCut& a, const HandCut& b) {
    return a.score == b.score && a.threshold == b.threshold && a.middle == b.middle &&
           a.goes_left == b.goes_left;
}

inline constexpr Search kAllSearches[] = {Search::sort, Search::histogram, Search::automatic};

// A kind of variable: how its values lie among codes.
struct Shape {
    std::size_t levels, step, low;
    Kind kind;
    std::size_t per_code;
};
inline constexpr Shape kShapes[] = {
    {2, 1, 0, Kind::one_value, 1},           // two values
    {3, 7, 65521, Kind::one_value, 1},       // few, at the end of the codes
    {40, 1, 300, Kind::one_value, 1},        // some, with ties
    {1000, 1, 0, Kind::one_value, 1},        // many, close together
    {65536, 1, 0, Kind::one_value, 1},       // many, all over
    {6, 1000, 5, Kind::one_value, 1},        // few, far apart
    {1, 1, 77, Kind::several_values, 5},     // all of one code
    {3, 1, 65533, Kind::several_values, 3},  // few codes of few values
    {30, 50, 2, Kind::several_values, 100},  // some codes of many values
    {65536, 1, 0, Kind::several_values, 3},  // as in a table of more values than codes
    {20, 3, 0, Kind::bin, 9},                // bins, which no cut parts
};

// check(shape, column) for columns of every shape with at least two places.
template <class Check>
void for_all_shapes(Rng& rng, std::size_t n, Check&& check) {
    for (const Shape& shape : kShapes) {
        CAPTURE(n);
        CAPTURE(shape.levels);
        CAPTURE(shape.step);
        CAPTURE(shape.per_code);
        const MadeColumn made(rng, spread_codes(rng, n, shape.levels, shape.step, shape.low),
                              shape.kind, shape.per_code);
        if (!cuts_by_hand(made).empty()) check(shape, made);
    }
}

}  // namespace silvics::test
