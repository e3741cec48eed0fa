// Draws variables of a node until K have been tried and at least one of them was useful
// (definition 2).
#pragma once

#include <cstddef>
#include <vector>

#include "base/types.hpp"

namespace silvics {

struct DrawLimits {
    std::size_t max_features = 1;  // K
    bool constants_count = true;   // whether constants count among the K, or are skipped
    std::size_t batch_size = 1;    // variables in a batch
    std::size_t useful = 0;        // useful variables that were tried before
};

struct DrawCounts {
    std::size_t counted = 0, useful = 0;
};

// `draw` returns variables by next() until it is done(). Variables that are certain to be tried
// come in batches: begin(batch), then try_variable(i, f) for each, which returns whether it was
// useful, that is, not constant. enough() ends the draw early. A variable for which
// constants.known(f) holds costs its draw only.
template <class Draw, class Known, class Begin, class Try, class Enough>
DrawCounts draw_variables(Draw& draw, const Known& constants, const DrawLimits& limits,
                          std::vector<FeatureId>& batch, Begin&& begin, Try&& try_variable,
                          Enough&& enough) {
    DrawCounts counts{.counted = 0, .useful = limits.useful};
    while (!draw.done() && (counts.counted < limits.max_features || counts.useful == 0)) {
        batch.clear();
        const std::size_t wanted =
            counts.counted < limits.max_features ? limits.max_features - counts.counted : 1;
        for (std::size_t i = 0; i < wanted && batch.size() < limits.batch_size && !draw.done();
             ++i) {
            const FeatureId f = draw.next();
            if (constants.known(f))
                counts.counted += limits.constants_count;
            else
                batch.push_back(f);
        }
        if (batch.empty()) continue;
        begin(batch);
        for (std::size_t i = 0; i < batch.size(); ++i) {
            const bool use = try_variable(i, batch[i]);
            counts.useful += use;
            counts.counted += use || limits.constants_count;
            if (enough()) return counts;
        }
    }
    return counts;
}

}  // namespace silvics
