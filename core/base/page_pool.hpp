// Memory for arrays that stay, such as the nodes of trees: one after another in large pieces, apart
// from what comes and goes meanwhile. Large pages are asked for as far as they will be filled: the
// first touch of an ordinary page costs as much as growing five nodes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace silvics {

// Of one thread at a time. What was taken lives as long as any array in the same piece.
class PagePool {
public:
    struct Room {
        std::shared_ptr<std::byte> piece;
        std::byte* data = nullptr;
    };
    Room take(std::size_t bytes);
    // What was last taken is used up to here.
    void give_back_from(const std::byte* end);
    // So many more are expected, as large as the last one.
    void expect(std::size_t more);

private:
    void ask_for_large_pages();

    Room free_;
    std::byte* last_ = nullptr;   // where what was last taken begins
    std::byte* asked_ = nullptr;  // up to where large pages have been asked for
    std::size_t left_ = 0;        // bytes of the piece
    std::size_t expected_ = 0;    // arrays
    std::size_t each_ = 0;        // bytes of one
};

// An array of plain values, as a vector is. In a pool it has just as much room as was asked for.
template <class T>
class PooledArray {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    PooledArray() = default;
    // With room for so many, in a pool or without one.
    PooledArray(PagePool* pool, std::size_t capacity) {
        if (pool == nullptr) {
            reserve(capacity);
        } else {
            PagePool::Room room = pool->take(capacity * sizeof(T));
            data_ = reinterpret_cast<T*>(room.data);
            owner_ = std::move(room.piece);
            capacity_ = capacity;
        }
    }
    // No more room than values. The array was the last one to be taken from the pool, if any.
    void fit(PagePool* pool) {
        if (pool == nullptr) {
            *this = PooledArray(*this);
        } else {
            pool->give_back_from(reinterpret_cast<std::byte*>(end()));
            capacity_ = size_;
        }
    }

    PooledArray(std::span<const T> values) { assign(values); }
    PooledArray(std::initializer_list<T> values) { assign({values.begin(), values.end()}); }
    PooledArray(const PooledArray& other) { assign(other); }
    PooledArray(PooledArray&& other) noexcept { swap(other); }
    PooledArray& operator=(PooledArray other) noexcept { return swap(other), *this; }

    std::size_t size() const { return size_; }
    std::size_t capacity() const { return capacity_; }
    bool empty() const { return size_ == 0; }
    T* data() { return data_; }
    const T* data() const { return data_; }
    T* begin() { return data_; }
    T* end() { return data_ + size_; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }
    T& back() { return data_[size_ - 1]; }
    const T& back() const { return data_[size_ - 1]; }

    void push_back(T value) {
        if (size_ == capacity_) reserve(std::max<std::size_t>(2 * size_, 8));
        std::construct_at(data_ + size_++, value);
    }
    void pop_back() { --size_; }
    void clear() { size_ = 0; }
    void resize(std::size_t n) {
        reserve(n);
        if (n > size_) std::uninitialized_fill_n(data_ + size_, n - size_, T{});
        size_ = n;
    }
    void assign(std::span<const T> values) {
        clear();
        reserve(values.size());
        std::uninitialized_copy(values.begin(), values.end(), data_);
        size_ = values.size();
    }
    void reserve(std::size_t n) {
        if (n <= capacity_) return;
        auto more = std::make_shared_for_overwrite<std::byte[]>(n * sizeof(T));
        T* const data = reinterpret_cast<T*>(more.get());
        std::uninitialized_copy(begin(), end(), data);
        owner_ = std::move(more);
        data_ = data;
        capacity_ = n;
    }

private:
    void swap(PooledArray& other) noexcept {
        std::swap(owner_, other.owner_);
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }

    std::shared_ptr<void> owner_;
    T* data_ = nullptr;
    std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace silvics
