// The leaves of a compact tree of one output, put into its nodes as they are made.
#pragma once

#include <bit>
#include <span>
#include <vector>

#include "tree/tree.hpp"

namespace silvics {

// In their order. Weights are counts: others are not told.
class CompactLeaves {
public:
    // `weighted`: some weights may be other than n.
    CompactLeaves(bool classification, int impurity_exponent, bool weighted)
        : classes_(classification),
          weighted_(weighted),
          scales_(LeafScales::of_impurities(impurity_exponent)) {}

    // Of one class, or with weights of several.
    Node put_class(std::uint32_t n, double weight, ClassId only) {
        ++size_;
        return {counts(n, weight), kLeaf, kPureBit | only};
    }
    Node put_classes(std::uint32_t n, double weight, std::span<const double> weights) {
        ++size_;
        for (const double w : weights) weights_.push_back(count(w));
        return {counts(n, weight), kLeaf, checked_id(n_impure_++, kMaxIds, "impure leaves")};
    }
    Node put_mean(const LeafStats& leaf) {
        exact_ &= leaf.impurity == 0.0 && scales_.suit(leaf);
        all_n_ &= leaf.weight == leaf.n;
        if (weighted_) weights_.push_back(count(leaf.weight));
        if (leaf.impurity != 0.0 || !impurities_.empty()) put_impurity(leaf.impurity);
        ++size_;
        return {leaf.value, kLeaf, leaf.n};
    }

    // What a mean has, the `number`-th leaf.
    LeafStats mean(const Node& leaf, std::size_t number) const {
        return {.n = leaf.link,
                .weight = weighted_ ? weights_[number] : static_cast<double>(leaf.link),
                .impurity = impurities_.empty() ? 0.0 : impurities_[number],
                .value = leaf.threshold};
    }
    std::size_t size() const { return size_; }
    // Whether they tell all there is: of classes they do, of outputs without a mean among them.
    bool exact() const { return exact_; }
    // What a tree keeps of them outside of its nodes.
    void finish(Tree& tree) &&;

private:
    std::uint32_t count(double weight) {
        const bool whole = is_count(weight);
        exact_ &= whole;
        return whole ? static_cast<std::uint32_t>(weight) : 0;
    }
    double counts(std::uint32_t n, double weight) {
        return std::bit_cast<double>(LeafCounts{n, count(weight)});
    }
    void put_impurity(double impurity) {
        impurities_.resize(size_, 0.0);
        impurities_.push_back(impurity);
    }

    bool classes_, weighted_, exact_ = true, all_n_ = true;
    LeafScales scales_;
    std::size_t size_ = 0, n_impure_ = 0;
    Counts weights_;                  // of the classes of impure leaves, or of leaves
    std::vector<double> impurities_;  // once one is not zero
};

}  // namespace silvics
