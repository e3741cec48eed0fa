// Threads for one call: started by run() and joined before it returns.
//
// The calling thread waits. Every few milliseconds it asks the monitor whether to continue
// (Ctrl-C) and reports how far the work is (progress).
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

// The largest size of a team, so that products with it do not wrap around.
inline constexpr std::size_t kMaxThreads = 1024;

class ThreadTeam {
public:
    ThreadTeam(std::size_t size, Monitor* monitor)
        : size_(std::clamp<std::size_t>(size, 1, kMaxThreads)), monitor_(monitor) {}
    // A team without threads, for work that takes less time than starting one: the calling thread
    // does it and polls no monitor.
    ThreadTeam() : ThreadTeam(1, nullptr) { alone_ = true; }

    // Calls task(i, worker) once for each i in [0, n), started in order. An exception of a task
    // stops the others and is rethrown here; a stop requested by the monitor throws Interrupted.
    void run(std::size_t n, const std::function<void(std::size_t, std::size_t)>& task);

    // The same for tasks that are steps of one out of `total` units of work. Steps do not count as
    // progress; report() does. Once there is a total, the tasks of run() do not count either.
    void run_steps(std::size_t n, const std::function<void(std::size_t, std::size_t)>& task);
    void set_total(std::size_t total) { total_ = total; }
    void report(std::size_t done);

    std::size_t size() const { return size_; }
    const StopFlag& stop() const { return stop_; }

private:
    std::size_t size_;
    Monitor* monitor_;
    StopFlag stop_;
    std::size_t reported_ = 0,
                total_ =
                    0;  // of the whole work; a total of zero: the current run is the whole work
    bool in_steps_ = false, alone_ = false;
};

}  // namespace silvics
