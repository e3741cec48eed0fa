// The work that a search has done, to compare algorithms (thesis ch. 5).
#pragma once

#include <cstdint>

namespace silvics {

struct Work {
    std::uint64_t samples = 0;  // samples of nodes, over all nodes
    std::uint64_t values = 0;   // values read: samples of a node, for each variable tried there
    std::uint64_t sorted = 0;   // values that took part in a sort
    std::uint64_t cuts = 0;     // cuts scored

    Work& operator+=(const Work& other) {
        samples += other.samples;
        values += other.values;
        sorted += other.sorted;
        cuts += other.cuts;
        return *this;
    }
};

}  // namespace silvics
