// A request to stop, raised by the calling thread and checked by every worker.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>

namespace silvics {

struct Interrupted : std::exception {
    const char* what() const noexcept override { return "interrupted"; }
};

class StopFlag {
public:
    void request() noexcept { requested_.store(true, std::memory_order_relaxed); }
    bool requested() const noexcept { return requested_.load(std::memory_order_relaxed); }
    void check() const {
        if (requested()) throw Interrupted{};
    }

private:
    std::atomic<bool> requested_{false};
};

// Long loops check the flag once per block, which is about a millisecond of work.
inline constexpr std::size_t kStopBlock = std::size_t{1} << 17;

// Calls body(begin, end) for the blocks of [0, n) and checks the flag before each of them.
template <class Body>
void in_blocks(std::size_t n, const StopFlag& stop, Body&& body) {
    for (std::size_t begin = 0; begin < n; begin += kStopBlock) {
        stop.check();
        body(begin, n - begin < kStopBlock ? n : begin + kStopBlock);
    }
}

}  // namespace silvics
