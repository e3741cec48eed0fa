#include "support/allocation_failure.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> seen{0};
std::atomic<std::size_t> first_refused{0};  // 0: none
std::atomic<bool> all_after{false};
std::atomic<bool> refused{false};

bool is_refused() noexcept {
    if (const std::size_t k = first_refused.load(); k != 0) {
        const std::size_t number = seen.fetch_add(1) + 1;
        if (number == k || (number > k && all_after.load())) {
            refused.store(true);
            return true;
        }
    }
    return false;
}

void* allocate(std::size_t size) noexcept {
    return is_refused() ? nullptr : std::malloc(size == 0 ? 1 : size);
}

void* allocate_aligned(std::size_t align, std::size_t size) noexcept {
    void* memory = nullptr;
    if (is_refused() || posix_memalign(&memory, align, size == 0 ? 1 : size) != 0) return nullptr;
    return memory;
}

void* or_throw(void* memory) {
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace

// What the core asks for besides operator new.
extern "C" void* aligned_alloc(std::size_t align, std::size_t size) noexcept {
    return allocate_aligned(align, size);
}

void* operator new(std::size_t size) { return or_throw(allocate(size)); }
void* operator new[](std::size_t size) { return or_throw(allocate(size)); }
void* operator new(std::size_t size, std::align_val_t align) {
    return or_throw(allocate_aligned(static_cast<std::size_t>(align), size));
}
void* operator new[](std::size_t size, std::align_val_t align) {
    return or_throw(allocate_aligned(static_cast<std::size_t>(align), size));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
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
