// Branch records: nodes that are not a plain split in two, because they have any number of children
// or compare a combination of variables.
//
// Such a node has the offset of its record in the place of a threshold (split_rule.hpp). A record
// maps each value to a child; its children are in the order of their node numbers.
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

// A variable of a combination, its coefficient, and its share in the decrease of impurity:
// coefficients have units, shares have none.
struct Term {
    FeatureId feature = 0;
    double coefficient = 1.0;
    float share = 1.0F;
};

// The content of a record that is yet to be written.
struct Branching {
    enum class Test : std::uint32_t {
        thresholds,  // child k gets the values in (threshold k - 1, threshold k]
        levels,      // child k gets level k of the list
        subset,      // a rule of levels sends each level to the first child or the second
    };

    Test test = Test::thresholds;
    std::uint32_t n_children = 2;
    std::uint32_t missing_child = kUnseen;  // of missing values
    std::uint32_t other_child = kUnseen;    // of levels that the node has not seen
    std::vector<Term> terms;                // of a combination; none: the variable of the node
    std::vector<double> thresholds;         // ascending
    std::vector<Level> levels;              // ascending
    LevelRule subset{LevelRule::Form::none, 0, false};

    static constexpr std::uint32_t kUnseen = ~std::uint32_t{0};
};

// A view of a record in the records of a tree: words of 32 bits, two of them for a double.
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
    LevelRule subset() const { return LevelRule(number(cuts())); }
    std::span<const Level> levels() const { return {cuts(), n_cuts()}; }
    std::size_t size() const { return size_of(at_); }
    std::span<const std::uint32_t> words() const { return {at_, size()}; }
    // Levels that the node treats as missing: in a merged forest, those that were not in the
    // training data of the tree.
    bool some_missing() const { return (at_[0] & kSomeMissing) != 0; }
    LevelRule missing_levels() const { return LevelRule(number(at_ + size() - 2)); }

    // Whether a complete record begins at the first of these words, for a tree with this number of
    // variables. The children are not checked.
    static bool valid(std::span<const std::uint32_t> at, std::size_t n_features,
                      std::span<const std::uint32_t> sets);

    // The child of a value; the value of a combination is its sum.
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
                return level_goes_left(subset(), false, x, sets) ? 0 : 1;
            }
        }
    }

    // The value that is compared: the variable of the node, or the sum of the combination. It is
    // NaN if a part is missing.
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

    // Appends a record, whose children are 0, and returns its offset.
    static std::size_t append(const Branching& branching, std::vector<std::uint32_t>& records);
    // Appends a copy of a record without its missing levels.
    static std::size_t append_without_missing(const BranchRecord& record,
                                              std::vector<std::uint32_t>& records);
    // Adds the missing levels to a record that has none. It is the last one.
    static void append_missing(std::size_t at, LevelRule levels,
                               std::vector<std::uint32_t>& records);

    // Parts of the record at an offset that may be written.
    static std::span<NodeId> children_at(std::span<std::uint32_t> records, std::size_t at) {
        return records.subspan(child_offset(at, 0), records[at + 1]);
    }
    static std::span<Level> levels_at(std::span<std::uint32_t> records, std::size_t at) {
        const BranchRecord record(records.data() + at);
        return records.subspan(at + record.cuts_offset(), record.n_cuts());
    }
    static void set_subset(std::span<std::uint32_t> records, std::size_t at, LevelRule rule) {
        const std::size_t to = at + BranchRecord(records.data() + at).cuts_offset();
        const auto bits = std::bit_cast<std::uint64_t>(rule.in_place());
        records[to] = static_cast<std::uint32_t>(bits);
        records[to + 1] = static_cast<std::uint32_t>(bits >> 32);
    }
    // Gives missing values and levels that the node has not seen a child, if they have none.
    static void set_unseen(std::span<std::uint32_t> records, std::size_t at, std::uint32_t child) {
        for (const std::size_t i : {at + 2, at + 3})
            if (records[i] == Branching::kUnseen) records[i] = child;
    }
    // The offset of a child of the record at an offset.
    static std::size_t child_offset(std::size_t at, std::size_t which) {
        return at + kHead + which;
    }

private:
    static constexpr std::size_t kHead = 6, kTerm = 4;
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
    std::size_t cuts_offset() const { return kHead + n_children() + kTerm * n_terms(); }
    const std::uint32_t* cuts() const { return at_ + cuts_offset(); }

    const std::uint32_t* at_;
};

}  // namespace silvics
