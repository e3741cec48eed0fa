#include "base/page_pool.hpp"

#include <algorithm>
#include <cstdint>
#include <new>

#include "base/aligned_memory.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace silvics {
namespace {

constexpr std::size_t kLine = 64, kLargePage = std::size_t{2} << 20, kPiece = 4 * kLargePage;

std::size_t rounded(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

// Allocates a piece, whose pages are only touched when they are written to. A large page begins
// `first` bytes after the start: behind the first array, if only that array can announce more.
std::shared_ptr<std::byte> make_piece(std::size_t bytes, std::size_t first) {
#if defined(__linux__)
    // Mapped instead of taken from the heap, which would keep what is freed between two pieces.
    const std::size_t whole = bytes + kLargePage;
    void* const map = mmap(nullptr, whole, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) throw std::bad_alloc();
    const std::uintptr_t after = reinterpret_cast<std::uintptr_t>(map) + first;
    return {static_cast<std::byte*>(map) + (rounded(after, kLargePage) - after),
            [map, whole](std::byte*) { munmap(map, whole); }};
#else
    (void)first;
    std::byte* const made = allocate_aligned(kLine, bytes);
    if (made == nullptr) throw std::bad_alloc();
    return {made, free_aligned};
#endif
}

}  // namespace

PagePool::Block PagePool::take(std::size_t bytes) {
    bytes = rounded(bytes, kLine);
    if (bytes > left_) {
        // The piece is not much larger than needed: one tree that outlives its forest keeps all of
        // it.
        const std::size_t size = std::max(kPiece, 4 * bytes);
        free_.piece = make_piece(size, expected_ == 0 ? bytes : 0);
        free_.data = asked_ = free_.piece.get();
        left_ = size;
        ask_for_large_pages();
    }
    Block block = free_;
    last_ = free_.data;
    free_.data += bytes;
    left_ -= bytes;
    return block;
}

void PagePool::give_back_from(const std::byte* end) {
    const auto used = rounded(static_cast<std::size_t>(end - last_), kLine);
    const auto taken = static_cast<std::size_t>(free_.data - last_);
    if (used > taken) return;
    free_.data = last_ + used;
    left_ += taken - used;
}

void PagePool::expect(std::size_t more) {
    if (free_.data == last_) return;
    each_ = static_cast<std::size_t>(free_.data - last_);
    expected_ = more;
    ask_for_large_pages();
}

void PagePool::ask_for_large_pages() {
#if defined(__linux__)
    // Offsets are relative to the start of the free memory.
    const auto here = reinterpret_cast<std::uintptr_t>(free_.data);
    const std::size_t begin =
        std::max(rounded(here, kLargePage) - here,
                 static_cast<std::size_t>(std::max(asked_, free_.data) - free_.data));
    if (expected_ == 0) return;
    const std::size_t until = std::min(expected_, left_ / each_) * each_;  // arrays that still fit
    const std::size_t over = (here + until) % kLargePage;
    if (until < begin + over + kLargePage) return;
    const std::size_t end = until - over;
    madvise(free_.data + begin, end - begin, MADV_HUGEPAGE);  // a refusal does no harm
    asked_ = free_.data + end;
#endif
}

}  // namespace silvics
