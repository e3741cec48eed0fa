// Room that is asked for anew at every node: it grows, never shrinks, and is not cleared.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace silvics {

// So many and up to 3 % more. Bootstrap replicates differ a little in size: what one tree takes
// is to fit where the last one's was.
constexpr std::size_t with_margin(std::size_t n) {
    const std::size_t step = std::max<std::size_t>(std::bit_floor(n) / 32, 1);
    return (n + step - 1) / step * step;
}

template <class T>
class Scratch {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    // At least n elements, of unknown content.
    T* take(std::size_t n) {
        if (n > room_) {
            // The root of a tree asks for the most, and asks first.
            const std::size_t wanted = room_ == 0 ? with_margin(n) : n + n / 2;
            memory_.reset();  // before the new one is there, not after
            room_ = 0;
            // Aligned by hand: what the heap aligns further than usual does not fit again into
            // the place that the last tree's had.
            constexpr std::size_t kMore = alignof(T) > alignof(std::max_align_t) ? alignof(T) : 0;
            memory_ = std::make_unique_for_overwrite<std::byte[]>(wanted * sizeof(T) + kMore);
            std::byte* begin = memory_.get();
            if constexpr (kMore != 0)
                begin += kMore - reinterpret_cast<std::uintptr_t>(begin) % kMore;
            first_ = reinterpret_cast<T*>(begin);
            room_ = wanted;
        }
        return first_;
    }
    T* cleared(std::size_t n) {
        T* const first = take(n);
        for (std::size_t i = 0; i < n; ++i) first[i] = T{};
        return first;
    }
    T* data() { return first_; }
    const T* data() const { return first_; }
    T& operator[](std::size_t i) { return first_[i]; }
    const T& operator[](std::size_t i) const { return first_[i]; }
    void swap(Scratch& other) noexcept {
        memory_.swap(other.memory_);
        std::swap(first_, other.first_);
        std::swap(room_, other.room_);
    }

private:
    std::unique_ptr<std::byte[]> memory_;
    T* first_ = nullptr;
    std::size_t room_ = 0;
};

}  // namespace silvics
