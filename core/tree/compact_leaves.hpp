// The leaves of a compact tree of one output while it grows: each becomes a node at once, and the
// rest of its statistics is collected here.
#pragma once

#include <span>
#include <vector>

#include "tree/compact_tree.hpp"

namespace silvics {

// Leaves come in the order of nodes. Their weights have to be whole numbers; otherwise the leaves
// are not exact().
class CompactLeaves {
public:
    // `weighted`: some weights may differ from the number of samples.
    CompactLeaves(bool classification, int impurity_exponent, bool weighted)
        : classes_(classification),
          weighted_(weighted),
          scales_(LeafScales::of_impurities(impurity_exponent)) {}

    // A leaf of one class, and one with the weights of several.
    Node put_class(std::uint32_t n, double weight, ClassId only) {
        ++size_;
        return Node::leaf_of_counts({n, count(weight)}, kPureBit | only);
    }
    Node put_classes(std::uint32_t n, double weight, std::span<const double> weights) {
        ++size_;
        for (const double w : weights) weights_.push_back(count(w));
        return Node::leaf_of_counts({n, count(weight)},
                                    checked_id(n_impure_++, kMaxIds, "impure leaves"));
    }
    Node put_mean(const LeafStats& leaf) {
        exact_ &= leaf.impurity == 0.0 && scales_.suit(leaf);
        all_n_ &= leaf.weight == leaf.n;
        if (weighted_) weights_.push_back(count(leaf.weight));
        if (leaf.impurity != 0.0 || !impurities_.empty()) put_impurity(leaf.impurity);
        ++size_;
        return Node::leaf_of_mean(leaf.mean, leaf.n);
    }

    // The statistics of a leaf with a mean, by its number.
    LeafStats mean(const Node& leaf, std::size_t number) const {
        const std::uint32_t n = leaf.n_samples();
        return {.n = n,
                .weight = weighted_ ? weights_[number] : static_cast<double>(n),
                .impurity = impurities_.empty() ? 0.0 : impurities_[number],
                .mean = leaf.mean()};
    }
    std::size_t size() const { return size_; }
    // Whether the statistics of inner nodes follow from the leaves without rounding errors: with
    // whole class weights always, with means only if the outputs of each leaf are equal.
    bool exact() const { return exact_; }
    // Moves to the tree what is not in its nodes.
    void finish(CompactTree& tree) &&;

private:
    std::uint32_t count(double weight) {
        const bool whole = is_count(weight);
        exact_ &= whole;
        return whole ? static_cast<std::uint32_t>(weight) : 0;
    }
    void put_impurity(double impurity) {
        impurities_.resize(size_, 0.0);
        impurities_.push_back(impurity);
    }

    bool classes_, weighted_, exact_ = true, all_n_ = true;
    LeafScales scales_;
    std::size_t size_ = 0, n_impure_ = 0;
    Counts weights_;                  // of classes in impure leaves, or of leaves
    std::vector<double> impurities_;  // once one is not zero
};

}  // namespace silvics
