#include <cstdint>
#include <utility>
#include <vector>

#include "base/large_buffer.hpp"
#include "doctest/doctest.h"
#include "support/allocation_failure.hpp"

namespace silvics {
namespace {

TEST_CASE("a buffer is aligned to lines, a large one to pages, and can be written to its end") {
    const std::size_t page = std::size_t{2} << 20;
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{63}, std::size_t{64},
                                    std::size_t{65}, 2 * page - 1, 2 * page, 3 * page + 1}) {
        CAPTURE(bytes);
        const LargeBuffer buffer(bytes);
        const auto address = reinterpret_cast<std::uintptr_t>(buffer.data());
        CHECK(address % (bytes < 2 * page ? 64 : page) == 0);
        for (std::size_t i = 0; i < bytes; i += 61) buffer.data()[i] = std::byte{1};
        buffer.data()[bytes - 1] = std::byte{2};
        CHECK(buffer.data()[bytes - 1] == std::byte{2});
    }
}

TEST_CASE("a buffer that moves keeps its memory") {
    std::vector<LargeBuffer> buffers;
    std::vector<std::byte*> places;
    for (std::size_t i = 0; i < 20; ++i) {
        buffers.emplace_back(100);
        places.push_back(buffers.back().data());
        *places.back() = static_cast<std::byte>(i);
    }
    for (std::size_t i = 0; i < 20; ++i) {
        CHECK(buffers[i].data() == places[i]);
        CHECK(*buffers[i].data() == static_cast<std::byte>(i));
    }
}

TEST_CASE("a buffer that cannot be had is an error") {
    std::byte* volatile place = nullptr;  // a compiler may omit memory that nothing refers to
    const test::FailAllocation fail(1, test::Refusal::once);
    CHECK_THROWS_AS(place = LargeBuffer(1000).data(), std::bad_alloc);
    CHECK(test::an_allocation_was_refused());
}

}  // namespace
}  // namespace silvics
