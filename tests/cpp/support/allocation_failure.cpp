#include "support/allocation_failure.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> seen{0};
std::atomic<std::size_t> first_refused{0};  // 0: none
std::atomic<bool> all_after{false};
std::atomic<bool> refused{false};

void* allocate(std::size_t size) noexcept {
    if (const std::size_t k = first_refused.load(); k != 0) {
        const std::size_t number = seen.fetch_add(1) + 1;
        if (number == k || (number > k && all_after.load())) {
            refused.store(true);
            return nullptr;
        }
    }
    return std::malloc(size == 0 ? 1 : size);
}

void* allocate_or_throw(std::size_t size) {
    if (void* memory = allocate(size)) return memory;
    throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return allocate_or_throw(size); }
void* operator new[](std::size_t size) { return allocate_or_throw(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

namespace silvics::test {

FailAllocation::FailAllocation(std::size_t k, Refusal refusal) {
    seen = 0;
    refused = false;
    all_after = refusal == Refusal::from_then_on;
    first_refused = k;
}

FailAllocation::~FailAllocation() { first_refused = 0; }

bool an_allocation_was_refused() { return refused.load(); }

}  // namespace silvics::test
