#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "base/thread_team.hpp"
#include "doctest/doctest.h"
#include "support/allocation_failure.hpp"

#ifdef __linux__
#include <sched.h>
#endif

namespace silvics {
namespace {

using namespace std::chrono_literals;

struct Watcher : Monitor {
    std::function<bool(std::size_t, std::size_t)> answer = [](std::size_t, std::size_t) {
        return true;
    };
    std::vector<std::size_t> seen;
    std::set<std::thread::id> threads;

    bool poll(std::size_t done, std::size_t total) override {
        seen.push_back(done);
        threads.insert(std::this_thread::get_id());
        return answer(done, total);
    }
};

#ifdef __linux__
TEST_CASE("every thread may run wherever the caller may: taking its place is for the start only") {
    cpu_set_t all;
    REQUIRE(sched_getaffinity(0, sizeof all, &all) == 0);
    const auto is_free = [&] {
        cpu_set_t mine;
        return sched_getaffinity(0, sizeof mine, &mine) == 0 && CPU_EQUAL(&mine, &all);
    };
    for (std::size_t size = 1; size <= 4; ++size) {
        std::atomic<std::size_t> free{0};
        ThreadTeam team(size, nullptr);
        team.run(size, [&](std::size_t, std::size_t) {  // one each: those that are free wait
            const auto until = std::chrono::steady_clock::now() + 10s;
            std::this_thread::sleep_for(5ms);  // its place has been taken by then, as a rule
            bool now = is_free();
            while (!now && std::chrono::steady_clock::now() < until) {
                std::this_thread::yield();
                now = is_free();
            }
            free += now;
            while (free < size && std::chrono::steady_clock::now() < until)
                std::this_thread::yield();
        });
        CHECK(free == size);
        CHECK(is_free());  // the caller, too
    }
}
#endif

TEST_CASE("every task is done once, with more tasks than threads and with fewer") {
    for (std::size_t size = 1; size <= 8; ++size)
        for (const std::size_t n : {0U, 1U, 2U, 3U, 7U, 8U, 9U, 100U}) {
            CAPTURE(size);
            CAPTURE(n);
            std::vector<std::atomic<int>> times(n);
            std::atomic<std::size_t> highest_worker{0};
            ThreadTeam team(size, nullptr);
            team.run(n, [&](std::size_t i, std::size_t worker) {
                ++times[i];
                for (std::size_t high = highest_worker;
                     worker > high && !highest_worker.compare_exchange_weak(high, worker);) {
                }
            });
            CHECK(std::ranges::all_of(times, [](const auto& t) { return t == 1; }));
            CHECK(highest_worker < size);
        }
}

TEST_CASE("a team is never empty and can run again") {
    ThreadTeam team(0, nullptr);
    CHECK(team.size() == 1);
    std::atomic<int> tasks{0};
    for (int repeat = 0; repeat < 3; ++repeat)
        team.run(5, [&](std::size_t, std::size_t) { ++tasks; });
    CHECK(tasks == 15);
    CHECK_FALSE(team.stop().requested());
}

TEST_CASE("a worker does one task at a time") {
    ThreadTeam team(4, nullptr);
    std::vector<std::atomic<int>> busy(4);
    std::atomic<bool> clash{false};
    team.run(200, [&](std::size_t, std::size_t worker) {
        if (++busy[worker] != 1) clash = true;
        --busy[worker];
    });
    CHECK_FALSE(clash);
}

TEST_CASE("an exception of a task stops the others and reaches the caller") {
    for (std::size_t size = 1; size <= 8; ++size) {
        ThreadTeam team(size, nullptr);
        std::atomic<int> tasks{0};
        CHECK_THROWS_WITH_AS(team.run(10000,
                                      [&](std::size_t i, std::size_t) {
                                          ++tasks;
                                          if (i == 5) throw std::out_of_range("task five");
                                          std::this_thread::sleep_for(100us);
                                      }),
                             "task five", std::out_of_range);
        CHECK(tasks < 10000);
        CHECK(team.stop().requested());
    }
}

TEST_CASE("one exception of many is enough") {
    ThreadTeam team(8, nullptr);
    CHECK_THROWS_AS(team.run(8, [](std::size_t, std::size_t) { throw std::runtime_error("all"); }),
                    std::runtime_error);
}

TEST_CASE("what is thrown need not be a std::exception") {
    ThreadTeam team(2, nullptr);
    CHECK_THROWS_AS(team.run(3, [](std::size_t, std::size_t) { throw 42; }), int);
}

TEST_CASE("tasks done before an exception are a prefix and those being done") {
    // Started in order: when task 50 fails, at most the other workers' tasks come after it.
    ThreadTeam team(3, nullptr);
    std::mutex mutex;
    std::vector<std::size_t> started;
    CHECK_THROWS_AS(team.run(1000,
                             [&](std::size_t i, std::size_t) {
                                 {
                                     const std::lock_guard lock(mutex);
                                     started.push_back(i);
                                 }
                                 if (i == 50) throw std::runtime_error("fifty");
                                 std::this_thread::sleep_for(20us);
                             }),
                    std::runtime_error);
    std::ranges::sort(started);
    for (std::size_t i = 0; i < started.size(); ++i) CHECK(started[i] == i);
}

TEST_CASE("the monitor is polled on the calling thread with the progress, to the end") {
    Watcher watcher;
    ThreadTeam team(2, &watcher);
    team.run(40, [](std::size_t, std::size_t) { std::this_thread::sleep_for(3ms); });
    CHECK(std::ranges::is_sorted(watcher.seen));
    CHECK(watcher.seen.size() >= 2);
    CHECK(watcher.seen.back() == 40);
    CHECK(watcher.threads == std::set{std::this_thread::get_id()});
}

TEST_CASE("a stop asked by the monitor interrupts long before the work is done") {
    Watcher watcher;
    watcher.answer = [](std::size_t, std::size_t) { return false; };
    ThreadTeam team(3, &watcher);
    std::atomic<int> steps{0};
    // Tasks that would take a minute, and look at the flag as long work does.
    CHECK_THROWS_AS(team.run(3,
                             [&](std::size_t, std::size_t) {
                                 for (int i = 0; i < 60000; ++i) {
                                     team.stop().check();
                                     ++steps;
                                     std::this_thread::sleep_for(1ms);
                                 }
                             }),
                    Interrupted);
    CHECK(steps < 3 * 60000 / 2);  // about sixty on a quiet machine
    CHECK(team.stop().requested());
}

TEST_CASE("a stop asked when all is done interrupts nothing") {
    Watcher watcher;
    watcher.answer = [](std::size_t done, std::size_t total) { return done < total; };
    ThreadTeam team(2, &watcher);
    CHECK_NOTHROW(team.run(4, [](std::size_t, std::size_t) {}));
    CHECK(team.stop().requested());
    CHECK_THROWS_AS(team.run(4, [](std::size_t, std::size_t) {}),
                    Interrupted);  // what follows it is
}

TEST_CASE("an exception of the monitor stops the work and reaches the caller") {
    Watcher watcher;
    SUBCASE("while tasks run") {
        watcher.answer = [](std::size_t, std::size_t) -> bool {
            throw std::runtime_error("monitor");
        };
    }
    SUBCASE("at the end") {
        watcher.answer = [](std::size_t done, std::size_t total) {
            if (done == total) throw std::runtime_error("monitor");
            return true;
        };
    }
    ThreadTeam team(2, &watcher);
    std::atomic<int> tasks{0};
    CHECK_THROWS_WITH_AS(team.run(100,
                                  [&](std::size_t, std::size_t) {
                                      ++tasks;
                                      std::this_thread::sleep_for(2ms);
                                  }),
                         "monitor", std::runtime_error);
    CHECK(tasks <= 100);
}

TEST_CASE("teams run side by side and inside one another") {
    std::atomic<int> tasks{0};
    ThreadTeam outer(3, nullptr);
    outer.run(6, [&](std::size_t, std::size_t) {
        ThreadTeam inner(2, nullptr);
        inner.run(5, [&](std::size_t, std::size_t) { ++tasks; });
    });
    CHECK(tasks == 30);
}

TEST_CASE("a thread that cannot be started for lack of memory does not delay the others") {
    // Either fewer threads do all of the work, or the error comes at once: never an error after
    // all of the work was done.
    for (std::size_t k = 1;; ++k) {
        CAPTURE(k);
        std::atomic<std::size_t> done{0};
        bool failed = false;
        {
            ThreadTeam team(3, nullptr);
            const std::function<void(std::size_t, std::size_t)> task = [&](std::size_t,
                                                                           std::size_t) {
                std::this_thread::sleep_for(200us);
                ++done;
            };
            const test::FailAllocation fail(k, test::Refusal::once);
            try {
                team.run(500, task);
            } catch (const std::bad_alloc&) {
                failed = true;
            }
        }
        if (failed)
            CHECK(done.load() < 400);
        else
            CHECK(done.load() == 500);
        if (!test::an_allocation_was_refused()) break;
    }
}

// ---- the calling thread alone

TEST_CASE("without threads the calling thread does all tasks, in order, as the one worker") {
    ThreadTeam team;
    CHECK(team.size() == 1);
    for (const bool steps : {false, true})
        for (const std::size_t n : {0U, 1U, 2U, 100U}) {  // one run after another
            std::vector<std::size_t> done, workers;
            std::set<std::thread::id> threads = {std::this_thread::get_id()};
            const auto task = [&](std::size_t i, std::size_t worker) {
                done.push_back(i);
                workers.push_back(worker);
                threads.insert(std::this_thread::get_id());
            };
            steps ? team.run_steps(n, task) : team.run(n, task);
            CHECK(done.size() == n);
            CHECK(std::ranges::is_sorted(done));
            CHECK(std::set(done.begin(), done.end()).size() == n);
            CHECK(workers == std::vector<std::size_t>(n, 0));
            CHECK(threads.size() == 1);
        }
    CHECK_FALSE(team.stop().requested());
}

TEST_CASE("without threads an exception passes through at once, and the team can run again") {
    ThreadTeam team;
    int tasks = 0;
    const auto fails_at_five = [&](std::size_t i, std::size_t) {
        ++tasks;
        if (i == 5) throw std::out_of_range("task five");
    };
    CHECK_THROWS_WITH_AS(team.run(10000, fails_at_five), "task five", std::out_of_range);
    CHECK(tasks == 6);
    CHECK_THROWS_AS(team.run(3, [](std::size_t, std::size_t) { throw 42; }), int);
    CHECK_THROWS_AS(team.run(3, [](std::size_t, std::size_t) { throw Interrupted{}; }),
                    Interrupted);
    CHECK_FALSE(team.stop().requested());
    tasks = 0;
    team.run(5, [&](std::size_t, std::size_t) { ++tasks; });
    CHECK(tasks == 5);
}

TEST_CASE("without threads no monitor is polled and no progress is reported") {
    ThreadTeam team;
    team.set_total(3);
    team.run_steps(2, [](std::size_t, std::size_t) {});
    CHECK_NOTHROW(team.report(1));
    CHECK_NOTHROW(team.report(3));
}

TEST_CASE("the calling thread alone works in the tasks of a team, and has teams in its own") {
    std::atomic<int> tasks{0};
    const auto count = [&](std::size_t, std::size_t) { ++tasks; };
    ThreadTeam outer(3, nullptr);
    outer.run(6, [&](std::size_t, std::size_t) {
        ThreadTeam inner;
        inner.run(5, count);
    });
    CHECK(tasks == 30);
    ThreadTeam alone;
    alone.run(6, [&](std::size_t, std::size_t) {
        ThreadTeam inner(2, nullptr);
        inner.run(5, count);
    });
    CHECK(tasks == 60);
}

TEST_CASE("a team is never larger than its bound, whatever is asked for") {
    for (const std::size_t shift : {31U, 32U, 62U, 63U}) {
        const ThreadTeam team(std::size_t{1} << shift, nullptr);
        CHECK(team.size() == kMaxThreads);
    }
    CHECK(ThreadTeam(0, nullptr).size() == 1);
    CHECK(ThreadTeam(7, nullptr).size() == 7);
}

}  // namespace
}  // namespace silvics
