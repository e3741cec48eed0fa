// Forests as flat arrays, for model files. Arrays that are returned are views of the core's memory;
// arrays that are passed are views of the caller's memory, such as a mapped file.
#pragma once

#include <algorithm>
#include <thread>

#include "conversions.hpp"
#include "predictor/packed_tree.hpp"
#include "views.hpp"

namespace silvics::bindings {

// Keeps the caller's arrays alive for as long as the core reads them.
class HeldArrays {
public:
    explicit HeldArrays(nb::dict arrays) : arrays_(std::move(arrays)) {}
    ~HeldArrays() {
        nb::gil_scoped_acquire lock;
        arrays_.reset();
    }
    HeldArrays(const HeldArrays&) = delete;

    bool has(const char* name) {
        seen_ += arrays_.contains(name);
        return arrays_.contains(name);
    }
    // The array of this name; empty if there is none.
    template <class T>
    std::span<const T> vector(const char* name) {
        if (!has(name)) return {};
        Vector<T> array;
        if (!nb::try_cast(arrays_[name], array, false)) refuse(name);
        return span_of(array);
    }
    Numbers numbers(const char* name) {
        if (!has(name)) refuse(name);
        Numbers found;
        if (!(try_numbers<std::uint8_t>(name, found) || try_numbers<std::uint16_t>(name, found) ||
              try_numbers<std::uint32_t>(name, found) || try_numbers<double>(name, found)))
            refuse(name);
        return found;
    }
    std::span<const PackedNode> nodes(const char* name) {
        if (!has(name)) refuse(name);
        nb::ndarray<const std::uint8_t, nb::shape<-1, PackedNode::kBytes>, nb::c_contig,
                    nb::device::cpu>
            array;
        if (!nb::try_cast(arrays_[name], array, false)) refuse(name);
        return {reinterpret_cast<const PackedNode*>(array.data()), array.shape(0)};
    }
    void require_no_others() const {
        if (seen_ != arrays_.size())
            throw std::invalid_argument("not a valid forest: an array has an unknown name");
    }

private:
    template <class T>
    bool try_numbers(const char* name, Numbers& found) {
        Vector<T> array;
        if (!nb::try_cast(arrays_[name], array, false)) return false;
        found = span_of(array);
        return true;
    }
    [[noreturn]] static void refuse(const char* name) {
        throw std::invalid_argument(std::string("not a valid forest: ") + name +
                                    " is missing or has the wrong type");
    }

    nb::dict arrays_;
    std::size_t seen_ = 0;
};

// Collects arrays that are views of the memory of `owner`.
class ArrayViews {
public:
    explicit ArrayViews(nb::handle owner) : owner_(owner) {}

    template <class T>
    void put(const char* name, std::span<const T> values, bool always = false) {
        if (values.empty() && !always) return;
        arrays[name] = nb::ndarray<nb::numpy, const T>(values.data(), {values.size()}, owner_);
    }
    void put(const char* name, const Numbers& numbers) {
        std::visit([&](auto values) { put(name, values, true); }, numbers);
    }

    nb::dict arrays;

private:
    nb::handle owner_;
};

// Runs work(team) without the interpreter lock. `parallel`: several threads are worth starting,
// which takes about a millisecond of work.
template <class Work>
void with_team(bool parallel, Work&& work) {
    nb::gil_scoped_release release;
    ThreadTeam alone, several(std::min(std::thread::hardware_concurrency(), 4U), nullptr);
    work(parallel ? several : alone);
}
inline bool large(const PackedForest& forest) { return forest.nodes.size() > 200'000; }

}  // namespace silvics::bindings
