#include "base/n_log_n.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

namespace silvics {
namespace {

struct Table {
    std::vector<std::uint64_t> values;
    const Table* smaller;  // still in use by criteria that were made before
};

// Tables are never freed: sizes double, so that all of them together take at most twice the memory
// of the largest. There is no lock that a fork could leave closed.
std::atomic<const Table*> largest_table{nullptr};

const Table* table_of(std::size_t size) {
    const Table* known = largest_table.load(std::memory_order_acquire);
    if (known != nullptr && known->values.size() >= size) return known;
    std::size_t room = 1024;
    while (room < size) room *= 2;
    auto made = std::make_unique<Table>();
    made->values.resize(room);
    const std::size_t n_known = known == nullptr ? 0 : known->values.size();
    if (known != nullptr) std::ranges::copy(known->values, made->values.begin());
    for (std::size_t n = n_known; n < room; ++n) made->values[n] = fixed_n_log2_n(n);
    made->smaller = known;
    if (largest_table.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel))
        return made.release();
    return table_of(size);  // another thread was first
}

}  // namespace

NLogN::NLogN(std::size_t largest) {
    const Table* const table = table_of(std::min(largest, kMaxTabled) + 1);
    table_ = table->values.data();
    size_ = table->values.size();
}

}  // namespace silvics
