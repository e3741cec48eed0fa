#include "base/thread_team.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#ifdef __linux__
#include <pthread.h>
#include <sched.h>
#endif

namespace silvics {
namespace {

// std::jthread without its stop token, which some C++ libraries do not have.
class JoiningThread {
public:
    template <class Work>
    JoiningThread(const Work& work, std::size_t worker) : thread_(work, worker) {}
    JoiningThread(JoiningThread&&) = default;
    ~JoiningThread() {
        if (thread_.joinable()) thread_.join();
    }
    auto native_handle() { return thread_.native_handle(); }

private:
    std::thread thread_;
};

// Moves a thread to the processor of the caller, which is about to sleep. Linux counts that
// processor as busy and would let the last thread wait for milliseconds behind another one.
void take_place_of_caller([[maybe_unused]] JoiningThread& thread) {
#ifdef __linux__
    cpu_set_t all, here;
    CPU_ZERO(&here);
    const int cpu = sched_getcpu();
    if (cpu < 0 || cpu >= CPU_SETSIZE ||
        pthread_getaffinity_np(pthread_self(), sizeof all, &all) != 0)
        return;
    CPU_SET(cpu, &here);
    const pthread_t id = thread.native_handle();
    if (pthread_setaffinity_np(id, sizeof here, &here) == 0)
        pthread_setaffinity_np(id, sizeof all, &all);  // free to move from here on
#endif
}

}  // namespace

void ThreadTeam::run(std::size_t n, const std::function<void(std::size_t, std::size_t)>& task) {
    if (alone_) {
        for (std::size_t i = 0; i < n; ++i) task(i, 0);
        return;
    }
    std::mutex mutex;
    std::condition_variable finished;
    std::atomic<std::size_t> next{0}, done{0};
    std::size_t working = 0;
    std::exception_ptr failure;
    const auto goes_on = [&] {
        return monitor_->poll(in_steps_ || total_ > 0 ? reported_ : done.load(),
                              total_ == 0 ? n : total_);
    };

    const auto work = [&](std::size_t worker) {
        try {
            for (std::size_t i; !stop_.requested() && (i = next.fetch_add(1)) < n;) {
                task(i, worker);
                done.fetch_add(1);
            }
        } catch (const Interrupted&) {
        } catch (...) {
            stop_.request();
            const std::lock_guard lock(mutex);
            if (!failure) failure = std::current_exception();
        }
        const std::lock_guard lock(mutex);
        --working;
        finished.notify_one();
    };

    std::vector<JoiningThread> threads;
    {
        std::unique_lock lock(mutex);
        for (std::size_t w = 0; w < std::min(size_, n); ++w) {
            try {
                threads.emplace_back(work, w);
                ++working;
            } catch (const std::system_error&) {
                if (threads.empty()) throw;
                break;  // fewer threads than requested: slower, with the same result
            } catch (...) {
                stop_.request();  // otherwise the threads already started would finish all the work
                                  // first
                throw;
            }
        }
        if (threads.size() > 1) take_place_of_caller(threads.back());
        using namespace std::chrono_literals;
        while (!finished.wait_for(lock, 20ms, [&] { return working == 0; })) {
            lock.unlock();
            try {
                if (monitor_ && !goes_on()) stop_.request();
            } catch (...) {
                stop_.request();
                lock.lock();
                if (!failure) failure = std::current_exception();
                lock.unlock();
            }
            lock.lock();
        }
    }
    threads.clear();
    if (failure) std::rethrow_exception(failure);
    if (monitor_ && !stop_.requested() && !goes_on()) stop_.request();
    if (done < n) throw Interrupted{};
}

void ThreadTeam::run_steps(std::size_t n,
                           const std::function<void(std::size_t, std::size_t)>& task) {
    in_steps_ = true;
    run(n, task);  // not reset after an exception, which ends the work
    in_steps_ = false;
}

void ThreadTeam::report(std::size_t done) {
    reported_ = done;
    if (monitor_ && !stop_.requested() && !monitor_->poll(done, total_)) stop_.request();
    stop_.check();
}

}  // namespace silvics
