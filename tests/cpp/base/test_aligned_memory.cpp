#include <cstdint>
#include <cstring>

#include "base/aligned_memory.hpp"
#include "doctest/doctest.h"

TEST_CASE("aligned memory has the alignment that is asked for, and can be written to") {
    for (const std::size_t align : {std::size_t{64}, std::size_t{4096}, std::size_t{2} << 20}) {
        for (const std::size_t bytes : {align, 3 * align}) {
            std::byte* const memory = silvics::allocate_aligned(align, bytes);
            REQUIRE(memory != nullptr);
            CHECK(reinterpret_cast<std::uintptr_t>(memory) % align == 0);
            std::memset(memory, 7, bytes);
            CHECK(memory[bytes - 1] == std::byte{7});
            silvics::free_aligned(memory);
        }
    }
}
