// A bound on the copies of samples that go to both children of a node.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace silvics {

// A copy can be copied again at the next node, so that the number of copies can double at every
// level of the tree.
class CopyLimit {
public:
    explicit CopyLimit(std::size_t n_samples) : n_samples_(n_samples) {}

    void add(std::size_t copies) {
        n_copies_ += copies;
        if (n_copies_ > limit()) refuse();
    }
    std::size_t limit() const { return (std::size_t{1} << 18) + 32 * n_samples_; }

private:
    [[noreturn, gnu::cold]] void refuse() const {
        throw std::invalid_argument(
            "missing=\"both\" puts samples with missing values into both children, and a tree on " +
            std::to_string(n_samples_) + " samples has made more than " + std::to_string(limit()) +
            " copies: use missing=\"learned\" or \"apart\", limit the tree (max_depth, "
            "min_samples_split, max_leaf_nodes), or fill in missing values first.");
    }

    std::size_t n_samples_;  // of the tree
    std::size_t n_copies_ = 0;
};

}  // namespace silvics
