// Aligned memory from the heap, on every platform.
#pragma once

#include <cstddef>
#include <cstdlib>

#ifdef _WIN32
#include <malloc.h>
#endif

namespace silvics {

// Null if there is no memory. The alignment is a power of two, and the size a multiple of it.
inline std::byte* allocate_aligned(std::size_t align, std::size_t bytes) {
#ifdef _WIN32
    return static_cast<std::byte*>(_aligned_malloc(bytes, align));
#else
    return static_cast<std::byte*>(std::aligned_alloc(align, bytes));
#endif
}

inline void free_aligned(std::byte* memory) {
#ifdef _WIN32
    _aligned_free(memory);
#else
    std::free(memory);
#endif
}

}  // namespace silvics
