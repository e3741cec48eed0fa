// Each training sample predicted by the trees that did not draw it (thesis 4.4.1).
#pragma once

#include <cstdint>
#include <span>

#include "data/matrix.hpp"
#include "forest/forest.hpp"

namespace silvics {

// Sums of predictions (X.rows x value_width) and numbers of trees (X.rows).
void out_of_bag_sums(std::span<const SharedTree> trees, std::span<const std::uint32_t> seeds,
                     const SamplingPlan& sampling, const Matrix& X, std::span<double> sums,
                     std::span<std::int64_t> counts, ThreadTeam& team);

}  // namespace silvics
