// The importances of a grown forest by degree (how many other variables are tested above a node)
// and by context (which ones).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "tree/stored_tree.hpp"

namespace silvics {

// Tests of `variable` at nodes below tests of exactly these others.
struct TestsInContext {
    std::uint32_t variable = 0;
    std::vector<std::uint32_t> set;  // ascending
    double weight = 0.0,
           decrease = 0.0;  // sums of p(t), and of p(t) times the decrease; means over trees
};

struct ContextDecomposition {
    std::size_t n_degrees = 1;
    std::vector<double> by_degree;  // [variable * n_degrees + degree], mean over the trees
    std::vector<TestsInContext> contexts;
};

// Sets of more than `most_in_context` variables are counted by degree, but not by context. A
// variable is not part of its own context. The decrease of an oblique split is divided over its
// variables by their shares. Nodes of fewer than `min_samples` samples are skipped. `group_of`: the
// group of each variable; the variables of a group are reported as one.
ContextDecomposition decompose_importances(std::span<const std::shared_ptr<const StoredTree>> trees,
                                           std::span<const std::uint32_t> group_of,
                                           std::size_t most_in_context, std::size_t min_samples,
                                           ThreadTeam& team);

}  // namespace silvics
