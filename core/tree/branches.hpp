// Nodes that are not a plain split in two: any number of children, or a cut on a combination of
// variables.
//
// Such a node has, in the place of its threshold, a NaN that says where the tree keeps its record.
// A record tells which child each value goes to; its children are in the order of their numbers.
// A plain node pays nothing for any of this.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "tree/goes_left.hpp"
#include "tree/level_rule.hpp"

namespace silvics {

// A variable of a combination, its coefficient, and its share in what the combination achieves:
// coefficients have units, shares have none.
struct Term {
    FeatureId feature = 0;
    double coefficient = 1.0;
    float share = 1.0F;
};

// What a record says, when it is made.
struct Branching {
    enum class Test : std::uint32_t {
        thresholds,  // child k has the values up to threshold k that none before it has
        levels,      // child k has level k of the list
        subset,      // a rule of levels: to the first child or the second
    };

    Test test = Test::thresholds;
    std::uint32_t n_children = 2;
    std::uint32_t missing_child = kUnseen;  // where missing values go
    std::uint32_t other_child = kUnseen;    // levels that the node has not seen
    std::vector<Term> terms;                // of a combination; none: the node's variable itself
    std::vector<double> thresholds;         // ascending; of a subset: its rule
    std::vector<Level> levels;              // ascending

    static constexpr std::uint32_t kUnseen = ~std::uint32_t{0};
};

// A record, where it is kept: numbers of 32 bits, those of 64 in two of them.
class BranchRecord {
public:
    explicit BranchRecord(const std::uint32_t* at) : at_(at) {}

    Branching::Test test() const { return static_cast<Branching::Test>(at_[0] & ~kSomeMissing); }
    std::uint32_t n_children() const { return at_[1]; }
    std::uint32_t missing_child() const { return at_[2]; }
    std::uint32_t other_child() const { return at_[3]; }
    std::uint32_t n_terms() const { return at_[4]; }
    std::uint32_t n_cuts() const { return at_[5]; }
    std::span<const NodeId> children() const { return {at_ + kHead, n_children()}; }
    Term term(std::size_t i) const {
        const std::uint32_t* const t = at_ + kHead + n_children() + kTerm * i;
        return {t[0], number(t + 1), std::bit_cast<float>(t[3])};
    }
    double threshold(std::size_t i) const { return number(cuts() + 2 * i); }
    std::span<const Level> levels() const { return {cuts(), n_cuts()}; }
    std::size_t size() const { return size_of(at_); }
    // Levels that the node takes for missing values: of trees of a merged forest, those that their
    // own did not know.
    bool some_missing() const { return (at_[0] & kSomeMissing) != 0; }
    LevelRule missing_levels() const { return LevelRule(number(at_ + size() - 2)); }

    // Whether a record that fits into so many numbers begins here, for a tree of so many variables;
    // its children are for others to look at.
    static bool valid(std::span<const std::uint32_t> at, std::size_t n_features,
                      std::span<const std::uint32_t> sets);

    // The child that a value goes to; a combination's value is its sum.
    std::uint32_t child_of(double x, std::span<const std::uint32_t> sets) const {
        if (some_missing() && level_goes_left(missing_levels(), false, x, sets))
            return missing_child();
        switch (test()) {
            case Branching::Test::thresholds: {
                if (std::isnan(x)) return missing_child();
                std::uint32_t low = 0, high = n_cuts();  // how many thresholds are below x
                while (low < high) {
                    const std::uint32_t middle = (low + high) / 2;
                    if (x <= threshold(middle))
                        high = middle;
                    else
                        low = middle + 1;
                }
                return low;
            }
            case Branching::Test::levels: {
                if (!(x >= 0.0)) return x == kUnknownLevel ? other_child() : missing_child();
                const auto known = levels();
                const auto at = std::ranges::lower_bound(
                    known, x, {}, [](Level l) { return static_cast<double>(l); });
                return at != known.end() && static_cast<double>(*at) == x
                           ? static_cast<std::uint32_t>(at - known.begin())
                           : other_child();
            }
            default: {
                if (!(x >= 0.0) && x != kUnknownLevel) return missing_child();
                return level_goes_left(LevelRule(threshold(0)), false, x, sets) ? 0 : 1;
            }
        }
    }

    // What is compared: the node's variable, or the sum of a combination. NaN if a part is missing.
    template <class ValueOf>
    double value(FeatureId feature, ValueOf&& value_of) const {
        const std::uint32_t n = n_terms();
        if (n == 0) return value_of(feature);
        double sum = 0.0;
        for (std::uint32_t i = 0; i < n; ++i) {
            const Term t = term(i);
            sum += t.coefficient * value_of(t.feature);
        }
        return sum;
    }

    // Puts a record at the end; its children are yet to be told.
    static std::size_t append(const Branching& branching, std::vector<std::uint32_t>& records);

    // Says which levels are missing ones, of a record at the end that says nothing of it yet.
    static void append_missing(std::size_t at, LevelRule levels,
                               std::vector<std::uint32_t>& records);

    static void set_threshold(std::uint32_t* at, std::size_t i, double threshold) {
        std::uint32_t* const to = at + (BranchRecord(at).cuts() - at) + 2 * i;
        const auto bits = std::bit_cast<std::uint64_t>(threshold);
        to[0] = static_cast<std::uint32_t>(bits);
        to[1] = static_cast<std::uint32_t>(bits >> 32);
    }

    static constexpr std::size_t kHead = 6, kTerm = 4;

private:
    static constexpr std::uint32_t kSomeMissing = std::uint32_t{1} << 31;  // beside the test

    static double number(const std::uint32_t* at) {
        return std::bit_cast<double>(std::uint64_t{at[0]} | std::uint64_t{at[1]} << 32);
    }
    static std::size_t size_of(const std::uint32_t* at) {
        const BranchRecord record(at);
        const bool levels = record.test() == Branching::Test::levels;
        return kHead + at[1] + kTerm * at[4] + std::size_t{levels ? 1U : 2U} * at[5] +
               (record.some_missing() ? 2 : 0);
    }
    const std::uint32_t* cuts() const { return at_ + kHead + n_children() + kTerm * n_terms(); }

    const std::uint32_t* at_;
};

}  // namespace silvics
