// Makes memory run out on demand: this executable's operator new and aligned_alloc count and
// refuse.
#pragma once

#include <cstddef>

namespace silvics::test {

enum class Refusal { once, from_then_on };

// While it lives, allocation number k (from 1, over all threads) throws std::bad_alloc.
class FailAllocation {
public:
    FailAllocation(std::size_t k, Refusal refusal);
    ~FailAllocation();
    FailAllocation(const FailAllocation&) = delete;
    FailAllocation& operator=(const FailAllocation&) = delete;
};

// Whether the last FailAllocation has refused any.
bool an_allocation_was_refused();

}  // namespace silvics::test
