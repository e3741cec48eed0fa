// Room that is asked for anew at every node: it grows, never shrinks, and is not cleared.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace silvics {

template <class T>
class Scratch {
public:
    // At least n elements, of unknown content.
    T* take(std::size_t n) {
        if (n > room_) {
            const std::size_t wanted = n + n / 2;
            memory_.reset();  // before the new one is there, not after
            room_ = 0;
            memory_ = std::make_unique_for_overwrite<T[]>(wanted);
            room_ = wanted;
        }
        return memory_.get();
    }
    T* cleared(std::size_t n) {
        T* const first = take(n);
        for (std::size_t i = 0; i < n; ++i) first[i] = T{};
        return first;
    }
    T* data() { return memory_.get(); }
    const T* data() const { return memory_.get(); }
    T& operator[](std::size_t i) { return memory_[i]; }
    const T& operator[](std::size_t i) const { return memory_[i]; }
    void swap(Scratch& other) noexcept {
        memory_.swap(other.memory_);
        std::swap(room_, other.room_);
    }

private:
    std::unique_ptr<T[]> memory_;
    std::size_t room_ = 0;
};

}  // namespace silvics
