// Entropy of any number of classes in integers, for nodes in which many cuts are scored.
//
// The terms of a class that depend on the cut are t(l) + t(n - l), with the words of
// integer_entropy.hpp, and those of the whole node t(L) + t(W - L). They are computed once for a
// node, for every l and L, so that a sample that moves costs one look-up, and a score another one.
#pragma once

#include <vector>

#include "criterion/integer_entropy.hpp"

namespace silvics {

class TabledEntropy : public IntegerEntropy {
public:
    TabledEntropy(const Target& target, const LearningSubset& subset, const StopFlag& stop)
        : IntegerEntropy(target, subset, stop),
          t_(static_cast<std::size_t>(subset.whole)),
          first_(target.n_classes[0], 0),
          at_(target.n_classes[0], 0) {}

    void enter(const SampleOrder& order, std::size_t begin, std::size_t n) {
        IntegerEntropy::enter(order, begin, n);
        tabled_ = false;
    }

    // Whether the tables, which are as long as the weight of the node, are worth making.
    bool pays() const {
        constexpr double kMaxWeightOfSample = 4.0;
        return weight() <= kMaxWeightOfSample * static_cast<double>(samples().size());
    }

    struct LeftSums {
        std::uint64_t weight = 0, classes = 0;  // the sum of the terms of all classes
    };

    LeftSums begin_scan() {
        if (!tabled_) make_tables();
        LeftSums left;
        for (const ClassId c : present()) {
            at_[c] = first_[c];
            left.classes += of_classes_[first_[c]];
        }
        return left;
    }
    void move(LeftSums& left, ClassId c, std::uint64_t w) {
        const std::size_t from = at_[c], to = from + static_cast<std::size_t>(w);
        left.classes += of_classes_[to] - of_classes_[from];
        left.weight += w;
        at_[c] = to;
    }
    double score(const LeftSums& left) const {
        const std::uint64_t sum = left.classes - of_all_[static_cast<std::size_t>(left.weight)];
        return static_cast<double>(static_cast<std::int64_t>(sum)) * kNLogNUnit;
    }

private:
    void make_tables() {
        of_classes_.clear();
        for (const ClassId c : present()) {
            first_[c] = of_classes_.size();
            append_terms(total(c), of_classes_);
        }
        of_all_.clear();
        append_terms(static_cast<std::uint64_t>(weight()), of_all_);
        tabled_ = true;
    }
    void append_terms(std::uint64_t whole, std::vector<std::uint64_t>& to) const {
        for (std::uint64_t l = 0; l <= whole; ++l) to.push_back(t_(l) + t_(whole - l));
    }

    NLogN t_;
    std::vector<std::uint64_t> of_classes_, of_all_;
    std::vector<std::size_t> first_;  // where the terms of a class begin
    std::vector<std::size_t> at_;     // the place of what is left of the cut
    bool tabled_ = false;
};

}  // namespace silvics
