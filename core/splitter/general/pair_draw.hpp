// Draws two samples of different output (PERT, Algorithm 4.2).
#pragma once

#include <algorithm>
#include <vector>

#include "base/stop.hpp"
#include "criterion/concept.hpp"
#include "sampling/random_stream.hpp"

namespace silvics {

class PairDraw {
public:
    PairDraw(const Target& target, const StopFlag& stop) : target_(target), stop_(stop) {}

    void begin(const SampleOrder& samples) {
        samples_ = &samples;
        upto_.clear();
        const auto& w = samples.weights;
        if (std::ranges::all_of(w, [&](double x) { return x == w[0]; })) return;
        double sum = 0.0;
        for (const double x : w) upto_.push_back(sum += x);
    }

    // Draws both by their weights until they differ. If that is rare, the second is drawn among
    // those that differ from the first. Returns false if there are none.
    bool draw(RandomStream& stream) {
        constexpr std::size_t kMaxPairDraws = 1000;
        for (std::size_t i = 0; i < kMaxPairDraws; ++i) {
            first_ = draw_one(stream);
            second_ = draw_one(stream);
            if (differ(first_, second_)) return true;
        }
        stop_.check();
        std::vector<Position> others;
        for (Position i = 0; i < samples_->size(); ++i)
            if (differ(first_, i)) others.push_back(i);
        if (others.empty()) return false;
        second_ = others[static_cast<std::size_t>(stream.below(others.size()))];
        return true;
    }

    Position first() const { return first_; }
    Position second() const { return second_; }

private:
    Position draw_one(RandomStream& stream) const {
        if (upto_.empty()) return static_cast<Position>(stream.below(samples_->size()));
        const auto at = std::ranges::upper_bound(upto_, stream.uniform() * upto_.back());
        return static_cast<Position>(std::min(at, upto_.end() - 1) - upto_.begin());
    }

    // Whether any output differs; numbers are compared in their original form.
    bool differ(Position a, Position b) const {
        const std::size_t rows[] = {samples_->rows[a], samples_->rows[b]};
        for (std::size_t k = 0; k < target_.n_outputs; ++k) {
            const std::size_t at = k * target_.n_rows;
            if (target_.classification()
                    ? target_.classes[at + rows[0]] != target_.classes[at + rows[1]]
                    : target_.original[at + rows[0]] != target_.original[at + rows[1]])
                return true;
        }
        return false;
    }

    const Target& target_;
    const StopFlag& stop_;
    const SampleOrder* samples_ = nullptr;
    std::vector<double> upto_;  // prefix sums of the weights; empty if they are equal
    Position first_ = 0, second_ = 0;
};

}  // namespace silvics
