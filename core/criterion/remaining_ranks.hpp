// The weights of the ranks right of a cut, from which samples are removed one after another. The
// median moves by a few ranks for each of them, so that neither step searches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace silvics {

// Where half of the weight lies: the first rank up to which the weights are at least half of all,
// and the sums over the ranks below it.
struct MedianPlace {
    std::size_t rank = 0;
    double weight = 0.0, moment = 0.0;
};

class RemainingRanks {
public:
    void clear(std::size_t m) {
        ranks_.resize(m);
        for (std::size_t r = 0; r < m; ++r)
            ranks_[r] = {.previous = static_cast<std::uint32_t>(r - 1),
                         .next = static_cast<std::uint32_t>(r + 1)};
        whole_ = total_ = 0.0;
        at_ = {};
    }
    // Adds a sample; settle() must follow the last one.
    void add(std::size_t rank, double w, double wy) {
        ranks_[rank].weight += w;
        ranks_[rank].moment += wy;
        ++ranks_[rank].count;
        whole_ += w;
        total_ += wy;
    }
    void remove(std::size_t rank, double w, double wy) {
        Rank& of = ranks_[rank];
        whole_ -= w;
        total_ -= wy;
        if (rank < at_.rank) {
            at_.weight -= w;
            at_.moment -= wy;
        }
        if (--of.count == 0) {
            of.weight = of.moment = 0.0;
            if (of.next < ranks_.size()) ranks_[of.next].previous = of.previous;
            if (of.previous < ranks_.size()) ranks_[of.previous].next = of.next;
        } else {
            of.weight -= w;
            of.moment -= wy;
        }
        settle();
    }
    // Moves to the median from the place before.
    void settle() {
        const double half = whole_ / 2;
        while (at_.weight >= half && ranks_[at_.rank].previous < ranks_.size()) {
            at_.rank = ranks_[at_.rank].previous;
            at_.weight -= ranks_[at_.rank].weight;
            at_.moment -= ranks_[at_.rank].moment;
        }
        while (at_.weight + ranks_[at_.rank].weight < half &&
               ranks_[at_.rank].next < ranks_.size()) {
            at_.weight += ranks_[at_.rank].weight;
            at_.moment += ranks_[at_.rank].moment;
            at_.rank = ranks_[at_.rank].next;
        }
    }

    double weight() const { return whole_; }
    double total() const { return total_; }
    const MedianPlace& place() const { return at_; }
    // The first rank up to which the weights are more than half of all.
    std::size_t upper() const {
        const Rank& of = ranks_[at_.rank];
        const bool more = at_.weight + of.weight > whole_ / 2;
        return more || of.next >= ranks_.size() ? at_.rank : of.next;
    }

private:
    struct Rank {
        std::uint32_t previous, next;  // that have samples; no rank of ours beyond either end
        double weight = 0.0, moment = 0.0;
        std::uint32_t count = 0;
    };

    std::vector<Rank> ranks_;
    double whole_ = 0.0, total_ = 0.0;
    MedianPlace at_;
};

}  // namespace silvics
