// The classes of a node, counted from samples whose weight and class share a word.
#pragma once

#include <cstdint>
#include <span>

#include "base/types.hpp"

namespace silvics {

// A word has the whole weight of the sample in its upper half, and the class in its lower half.
inline ClassId class_of_word(std::uint64_t word) { return static_cast<ClassId>(word); }
inline std::uint64_t weight_of_word(std::uint64_t word) { return word >> 32; }

struct CountedClasses {
    std::size_t n_present = 0;
    std::uint64_t weight = 0;
};

// Adds the weight of each sample to the total of its class, all of which are zero at first, and
// lists the classes in order of appearance. `present` needs one element more than there are
// classes.
inline CountedClasses count_classes(std::span<const std::uint64_t> words, std::uint64_t* total,
                                    ClassId* present) {
    CountedClasses found;
    for (const std::uint64_t word : words) {
        std::uint64_t& of_class = total[class_of_word(word)];
        present[found.n_present] = class_of_word(word);
        found.n_present += of_class == 0;
        of_class += weight_of_word(word);
        found.weight += weight_of_word(word);
    }
    return found;
}

}  // namespace silvics
