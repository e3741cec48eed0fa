// The cuts of one variable that a search keeps: the best, or the n best.
//
// Only what identifies a cut is kept while the variable is scanned, since a good cut is often
// followed by a better one. The decrease never falls as the score grows, so that the score of a cut
// that was not kept is a bar for the cuts that follow: no decrease is computed below it.
#pragma once

#include <algorithm>
#include <span>
#include <tuple>
#include <vector>

#include "splitter/split.hpp"

namespace silvics {

struct KeptCut {
    double score = -kInfinity, decrease = -kInfinity;
    double left_weight = 0.0, right_weight = 0.0;
    double middle = 0.0;     // as in Cut
    double threshold = 0.0;  // if it is known already
    MissingSide missing = MissingSide::unseen;
    Position at_left = 0, at_right = 0;  // samples next to the cut
    std::size_t number = 0;              // in the order of offers
};

class KeptCuts {
public:
    // Keeps the best cut: the first of those whose decreases differ by at most the tolerance.
    void begin_best(double tolerance) {
        begin(1, -kInfinity);
        tolerance_ = tolerance;
    }
    // Keeps the n best cuts of a larger decrease than `least`, the first of equal ones.
    void begin(std::size_t n, double least) {
        n_ = n;
        least_ = least;
        tolerance_ = 0.0;
        bar_ = -kInfinity;
        n_offered_ = 0;
        cuts_.clear();
    }

    // Only cuts of a larger score need be offered.
    double bar() const { return bar_; }
    bool empty() const { return cuts_.empty(); }

    void offer(KeptCut cut) {
        cut.number = n_offered_++;
        if (!(cut.decrease > least_)) {
            bar_ = std::max(bar_, cut.score);
            return;
        }
        if (n_ == 1) {
            cuts_.assign(1, cut);
            least_ = cut.decrease + tolerance_;
            bar_ = std::max(bar_, cut.score);
            return;
        }
        cuts_.push_back(cut);
        if (cuts_.size() >= kSpare * n_) remove_others();
    }

    // The cuts kept, in the order of offers. Valid until the next variable.
    std::span<KeptCut> finish() {
        if (cuts_.size() > n_) remove_others();
        std::ranges::sort(cuts_, {}, &KeptCut::number);
        return cuts_;
    }

private:
    static constexpr std::size_t kSpare = 4;  // cuts held, as a multiple of those kept

    // Removes all but the n best.
    void remove_others() {
        const auto last = cuts_.begin() + static_cast<std::ptrdiff_t>(n_ - 1);
        std::ranges::nth_element(cuts_, last, {}, [](const KeptCut& cut) {
            return std::tuple(-cut.decrease, cut.number);
        });
        least_ = last->decrease;
        bar_ = std::max(bar_, last->score);
        cuts_.resize(n_);
    }

    std::size_t n_ = 1, n_offered_ = 0;
    double least_ = -kInfinity, tolerance_ = 0.0, bar_ = -kInfinity;
    std::vector<KeptCut> cuts_;
};

}  // namespace silvics
