// Makes the split of the chosen candidate: partitions the samples, and describes what the node
// stores.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "sampling/sample_order.hpp"
#include "splitter/general/candidate.hpp"
#include "splitter/general/column_reader.hpp"
#include "splitter/splitter.hpp"

namespace silvics {

class SplitMaker {
public:
    explicit SplitMaker(const SplitterParts& parts)
        : rules_(parts.rules), order_(parts.order), reader_(parts.table, parts.rules) {}

    // Determines the child of each of these rows, and the number of rows of each child. Values
    // that the candidate has not seen go right, or to `other`; kBothChildren stands for both
    // children.
    void place(const Candidate& c, std::span<const RowId> rows, std::uint32_t other,
               std::vector<std::size_t>& sizes) {
        const bool apart = rules_.missing == MissingRule::apart;
        const bool both = rules_.missing == MissingRule::both;
        const std::uint32_t missing_child = apart                            ? 2
                                            : both                           ? kBothChildren
                                            : c.missing == MissingSide::left ? 0
                                                                             : 1;
        child_of_.resize(rows.size());
        if (c.test == Candidate::Test::values) {
            reader_.codes(c.feature, rows, codes_);
            for (std::size_t i = 0; i < rows.size(); ++i)
                child_of_[i] = child_of_value(c, codes_[i], other);
            sizes.assign(c.values.size() + c.missing_child, 0);
        } else if (c.test == Candidate::Test::levels) {
            reader_.levels(c.feature, rows, codes_);
            const std::uint64_t seed = LevelRule(c.threshold).content();
            for (std::size_t i = 0; i < rows.size(); ++i)
                child_of_[i] = codes_[i] == ColumnReader::kMissing ? missing_child
                               : (c.coins ? LevelRule::coin(seed, codes_[i])
                                          : std::ranges::binary_search(c.left, codes_[i]))
                                   ? 0
                                   : 1;
            sizes.assign(apart ? 3 : 2, 0);
        } else {
            reader_.numbers(c.feature, rows, c.terms, read_);
            for (std::size_t i = 0; i < rows.size(); ++i)
                child_of_[i] = std::isnan(read_[i])      ? missing_child
                               : read_[i] <= c.threshold ? 0
                                                         : 1;
            sizes.assign(apart ? 3 : 2, 0);
        }
        for (const std::uint32_t child : child_of_)
            if (child != kBothChildren) ++sizes[child];
    }

    // The child of each row last placed.
    std::span<const std::uint32_t> children() const { return child_of_; }

    // The child for values that a split by values has not seen: the largest of the others.
    std::uint32_t largest_child(const Candidate& c, std::span<const RowId> structure) {
        if (c.test != Candidate::Test::values) return 0;
        std::vector<std::size_t> sizes;
        place(c, structure, kBothChildren, sizes);
        return static_cast<std::uint32_t>(std::ranges::max_element(sizes) - sizes.begin());
    }

    // The weights of the children, given those of the rows last placed.
    std::vector<double> weights(std::span<const double> of_rows, std::size_t n_children) const {
        std::vector<double> sums(n_children, 0.0);
        for (std::size_t i = 0; i < of_rows.size(); ++i)
            if (child_of_[i] != kBothChildren) sums[child_of_[i]] += of_rows[i];
        return sums;
    }

    // Partitions the samples of the node. `structure` are the rows on which the split was found.
    Split make(const NodeSamples& node, const Candidate& c, std::span<const RowId> structure) {
        const auto rows = std::span(order_.rows).subspan(node.begin, node.n);
        made_ = {};
        const std::uint32_t other = largest_child(c, structure);
        place(c, rows, other, made_.sizes);
        Split split{.feature = c.feature,
                    .threshold = c.threshold,
                    .decrease = c.decrease,
                    .middle = c.middle,
                    .n_left = made_.sizes[0]};
        split.missing = missing_side(c);
        if (c.test == Candidate::Test::levels && !c.coins) set_levels_of(c, split);
        const bool apart =
            rules_.missing == MissingRule::apart && c.test != Candidate::Test::values;
        if (apart || !c.terms.empty() || c.test == Candidate::Test::values) {
            describe(c, other);
            made_.branches = true;
        }
        if (rules_.missing == MissingRule::both && std::ranges::count(child_of_, kBothChildren) > 0)
            copy_both(node, split);
        else
            order_.partition(node.begin, child_of_, made_.sizes);
        split.general = &made_;
        return split;
    }

private:
    // Levels that the node has not seen go to the largest child, such intervals to the child of
    // the next lower one.
    std::uint32_t child_of_value(const Candidate& c, Code code, std::uint32_t other) const {
        if (code == ColumnReader::kMissing)
            return c.missing_child ? static_cast<std::uint32_t>(c.values.size()) : other;
        const auto above = std::ranges::upper_bound(c.values, code);
        const auto upto = static_cast<std::uint32_t>(above - c.values.begin());
        const bool seen = upto > 0 && c.values[upto - 1] == code;
        if (!seen && reader_.category(c.feature)) return other;
        return upto > 0 ? upto - 1 : 0;
    }

    // The side of missing values, if any sample of the node has one, be it only an estimation
    // sample.
    MissingSide missing_side(const Candidate& c) const {
        if (rules_.missing != MissingRule::learned || c.test == Candidate::Test::values)
            return MissingSide::unseen;
        if (c.missing != MissingSide::unseen || !rules_.honest) return c.missing;
        const bool category = reader_.category(c.feature);
        for (std::size_t i = 0; i < child_of_.size(); ++i)
            if (category ? codes_[i] == ColumnReader::kMissing : std::isnan(read_[i]))
                return MissingSide::right;
        return MissingSide::unseen;
    }

    void set_levels_of(const Candidate& c, Split& split) {
        left_levels_ = c.left;
        right_levels_.clear();
        for (std::size_t i = 0; i < child_of_.size(); ++i)
            if (codes_[i] != ColumnReader::kMissing && child_of_[i] == 1)
                right_levels_.push_back(codes_[i]);
        std::ranges::sort(right_levels_);
        right_levels_.erase(std::unique(right_levels_.begin(), right_levels_.end()),
                            right_levels_.end());
        split.by_levels = true;
        split.left = left_levels_;
        split.right = right_levels_;
    }

    // Describes what the node stores.
    void describe(const Candidate& c, std::uint32_t other) {
        using Test = Branching::Test;
        Branching& branching = made_.branching;
        branching.terms = c.terms;
        branching.n_children = static_cast<std::uint32_t>(made_.sizes.size());
        if (c.test == Candidate::Test::values) {
            branching.other_child = other;
            branching.missing_child =
                c.missing_child ? static_cast<std::uint32_t>(c.values.size()) : other;
            if (reader_.category(c.feature)) {
                branching.test = Test::levels;
                branching.levels.assign(c.values.begin(), c.values.end());
            } else {  // unseen intervals belong to the next lower one, or to the first
                const auto& edges = rules_.edges[c.feature];
                for (std::size_t k = 1; k < c.values.size(); ++k)
                    branching.thresholds.push_back(edges[c.values[k] - 1]);
            }
            return;
        }
        branching.missing_child = rules_.missing == MissingRule::apart    ? 2
                                  : c.missing == MissingSide::left        ? 0
                                  : missing_side(c) == MissingSide::right ? 1
                                                                          : Branching::kUnseen;
        branching.test = c.test == Candidate::Test::levels ? Test::subset : Test::thresholds;
        branching.thresholds = {c.threshold};
        branching.other_child = 0;
    }

    // Samples whose value is missing go to both children, with half their weight.
    void copy_both(const NodeSamples& node, Split& split) {
        std::vector<std::size_t> places;
        std::vector<double> factors;
        std::size_t n[2] = {0, 0};
        for (const std::uint32_t side : {0U, 1U})
            for (std::size_t i = 0; i < child_of_.size(); ++i) {
                if (child_of_[i] != side && child_of_[i] != kBothChildren) continue;
                places.push_back(node.begin + i);
                factors.push_back(child_of_[i] == kBothChildren ? 0.5 : 1.0);
                ++n[side];
            }
        made_.copied = true;
        made_.begin = order_.size();
        made_.n_right = n[1];
        made_.sizes = {n[0], n[1]};
        split.n_left = n[0];
        order_.append(places, factors);
    }

    static constexpr std::uint32_t kBothChildren = ~std::uint32_t{0};

    const SearchRules& rules_;
    SampleOrder& order_;
    ColumnReader reader_;
    std::vector<std::uint32_t> child_of_;  // child of each row last placed
    std::vector<double> read_;
    std::vector<Code> codes_, left_levels_, right_levels_;
    GeneralSplit made_;
};

}  // namespace silvics
