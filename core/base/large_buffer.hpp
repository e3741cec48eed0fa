// Memory for codes. They are read at random positions, and large pages save a look-up of the page
// table per read.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

#include "base/aligned_memory.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace silvics {

class LargeBuffer {
public:
    explicit LargeBuffer(std::size_t bytes) {
        const std::size_t align = bytes >= 2 * kPage ? kPage : kLine;
        const std::size_t rounded = (bytes + align - 1) / align * align;
        memory_.reset(allocate_aligned(align, rounded));
        if (!memory_) throw std::bad_alloc();
#if defined(__linux__)
        // Only whole large pages are requested, so that none is half used. A refusal does no harm.
        if (align == kPage) madvise(memory_.get(), bytes / kPage * kPage, MADV_HUGEPAGE);
#endif
    }
    std::byte* data() const { return memory_.get(); }

private:
    static constexpr std::size_t kPage = std::size_t{2} << 20, kLine = 64;
    struct Free {
        void operator()(std::byte* memory) const { free_aligned(memory); }
    };
    std::unique_ptr<std::byte, Free> memory_;
};

}  // namespace silvics
