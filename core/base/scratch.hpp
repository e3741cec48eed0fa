// A buffer that every node uses again: it grows, never shrinks, and is not cleared.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace silvics {

// n plus up to 3 %. Bootstrap replicates differ a little in size, and the buffer of one tree
// should fit into the memory that the buffer of the last one left.
constexpr std::size_t with_margin(std::size_t n) {
    const std::size_t step = std::max<std::size_t>(std::bit_floor(n) / 32, 1);
    return (n + step - 1) / step * step;
}

template <class T>
class Scratch {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    // Returns at least n elements of unspecified content.
    T* ensure(std::size_t n) {
        if (n > capacity_) {
            // The root of a tree comes first and needs the most.
            const std::size_t wanted = capacity_ == 0 ? with_margin(n) : n + n / 2;
            memory_.reset();  // The old memory is freed before the new memory is allocated.
            capacity_ = 0;
            // Aligned by hand: the heap does not place memory of a larger alignment where the
            // buffer of the last tree was.
            constexpr std::size_t kAlignmentSlack =
                alignof(T) > alignof(std::max_align_t) ? alignof(T) : 0;
            memory_ =
                std::make_unique_for_overwrite<std::byte[]>(wanted * sizeof(T) + kAlignmentSlack);
            std::byte* begin = memory_.get();
            if constexpr (kAlignmentSlack != 0)
                begin +=
                    kAlignmentSlack - reinterpret_cast<std::uintptr_t>(begin) % kAlignmentSlack;
            first_ = reinterpret_cast<T*>(begin);
            capacity_ = wanted;
        }
        return first_;
    }
    T* cleared(std::size_t n) {
        T* const first = ensure(n);
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
        std::swap(capacity_, other.capacity_);
    }

private:
    std::unique_ptr<std::byte[]> memory_;
    T* first_ = nullptr;
    std::size_t capacity_ = 0;
};

}  // namespace silvics
