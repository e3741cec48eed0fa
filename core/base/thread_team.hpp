// Threads for one call: started by run(), joined before it returns, none left behind.
//
// The calling thread does no work of its own: it waits, and every few milliseconds asks
// the monitor whether to go on (Ctrl-C) and tells it how far the work is (progress).
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

#include "base/stop.hpp"

namespace silvics {

class Monitor {
public:
    virtual ~Monitor() = default;
    // Called on the calling thread; false asks the work to stop.
    virtual bool poll(std::size_t done, std::size_t total) = 0;
};

// More threads than this are never started, whatever is asked for, so that products with the size
// of a team do not wrap.
inline constexpr std::size_t kMaxThreads = 1024;

class ThreadTeam {
public:
    ThreadTeam(std::size_t size, Monitor* monitor)
        : size_(std::clamp<std::size_t>(size, 1, kMaxThreads)), monitor_(monitor) {}
    // For work that is over before a thread has started: the calling thread does it, and asks
    // nobody.
    ThreadTeam() : ThreadTeam(1, nullptr) { alone_ = true; }

    // task(i, worker) for i in [0, n), each once, started in order. An exception of a task
    // stops the others and is thrown here; a stop asked by the monitor throws Interrupted.
    void run(std::size_t n, const std::function<void(std::size_t, std::size_t)>& task);

    // The same for tasks that are steps of one out of `total`: they do not count as progress,
    // which report() tells.
    void run_steps(std::size_t n, const std::function<void(std::size_t, std::size_t)>& task);
    void set_total(std::size_t total) { total_ = total; }
    void report(std::size_t done);

    std::size_t size() const { return size_; }
    const StopFlag& stop() const { return stop_; }

private:
    std::size_t size_;
    Monitor* monitor_;
    StopFlag stop_;
    std::size_t reported_ = 0, total_ = 0;  // of the whole; zero: the run at hand is all
    bool in_steps_ = false, alone_ = false;
};

}  // namespace silvics
