// The importances of a grown forest, by how many other variables were tested above, and by which.
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
    std::vector<std::uint32_t> set;       // ascending
    double weight = 0.0, decrease = 0.0;  // p(t), and times the decrease: means over the trees
};

struct ContextDecomposition {
    std::size_t n_degrees = 1;
    std::vector<double> by_degree;  // [variable * n_degrees + degree], mean over the trees
    std::vector<TestsInContext> contexts;
};

// Sets of more than `most_in_context` variables are left out of the contexts, not of the degrees.
// A variable above a test of itself does not count. A combination's decrease belongs to its
// variables by their shares. Nodes of fewer than `min_samples` samples do not count. `group_of`:
// variables that are to be told of as one share a number.
ContextDecomposition decompose_importances(std::span<const std::shared_ptr<const StoredTree>> trees,
                                           std::span<const std::uint32_t> group_of,
                                           std::size_t most_in_context, std::size_t min_samples,
                                           ThreadTeam& team);

}  // namespace silvics
