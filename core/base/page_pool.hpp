// Memory for arrays that live long, such as the nodes of trees: allocated one after another in
// large pieces, separate from short-lived allocations. Large pages are requested as far as the
// pool expects to fill them, because the first touch of an ordinary page costs as much as growing
// five nodes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace silvics {

// A pool is used by one thread at a time. A piece is freed with the last array in it.
class PagePool {
public:
    struct Block {
        std::shared_ptr<std::byte> piece;
        std::byte* data = nullptr;
    };
    Block take(std::size_t bytes);
    // Returns the end of the block that was taken last, from here on, to the pool.
    void give_back_from(const std::byte* end);
    // Announces that `more` arrays of the size of the last one will follow.
    void expect(std::size_t more);

private:
    void ask_for_large_pages();

    Block free_;
    std::byte* last_ = nullptr;   // begin of the block that was taken last
    std::byte* asked_ = nullptr;  // end of the range for which large pages have been requested
    std::size_t left_ = 0;        // bytes of the piece that are free
    std::size_t expected_ = 0;    // arrays that will follow
    std::size_t each_ = 0;        // bytes of one of them
};

// An array of trivially copyable values with the interface of a vector. In a pool it has exactly
// the capacity that was requested.
template <class T>
class PooledArray {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    PooledArray() = default;
    // Reserves the capacity in a pool, or on the heap without one.
    PooledArray(PagePool* pool, std::size_t capacity) {
        if (pool == nullptr) {
            reserve(capacity);
        } else {
            PagePool::Block block = pool->take(capacity * sizeof(T));
            data_ = reinterpret_cast<T*>(block.data);
            owner_ = std::move(block.piece);
            capacity_ = capacity;
        }
    }
    // Reduces the capacity to the size. In a pool, the array must be the last one that was taken.
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
