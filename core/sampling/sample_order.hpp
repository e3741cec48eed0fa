// The samples of a tree: those of each node are contiguous and in row order.
//
// What a criterion reads of a sample moves along with its row, so that a node is read sequentially
// and only the variables are looked up by row.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "base/kernels.hpp"
#include "base/scratch.hpp"
#include "base/types.hpp"

namespace silvics {

// Branch-free stable partition: write each sample to both outputs, advance only the one it belongs
// to.
template <class T>
void split_array(const std::uint8_t* goes_left, std::size_t n, std::uint64_t* scratch, T* of) {
    T* const buffer = reinterpret_cast<T*>(scratch);
    std::size_t left = 0, right = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t goes = goes_left[i];
        const T sample = of[i];
        of[left] = sample;
        buffer[right] = sample;
        left += goes;
        right += 1 - goes;
    }
    std::memcpy(of + left, buffer, right * sizeof(T));
}

struct SampleOrder {
    std::vector<RowId> rows;

    // What the criterion reads of each sample (see its fill()); several outputs one after another.
    std::vector<double> weights;
    std::vector<ClassId> labels;
    std::vector<double> values;
    std::vector<std::uint64_t> packed;
    // In honest trees: one for estimation samples, zero for structure samples.
    std::vector<std::uint8_t> estimates;

    // Where the samples of a tree are sorted once: for each variable the rows in the order of its
    // values, those of each node contiguous (splitter/general/presorted.hpp).
    std::vector<std::vector<RowId>> sorted;

    std::size_t size() const { return rows.size(); }

    // Calls visit(array) for every array, or visit(a, b) for the arrays of two orders.
    template <class Visit>
    void for_arrays(Visit&& visit) {
        visit(rows);
        visit(weights);
        visit(labels);
        visit(values);
        visit(packed);
        visit(estimates);
    }
    template <class A, class B, class Visit>
    static void for_pairs(A& a, B& b, Visit&& visit) {
        visit(a.rows, b.rows);
        visit(a.weights, b.weights);
        visit(a.labels, b.labels);
        visit(a.values, b.values);
        visit(a.packed, b.packed);
        visit(a.estimates, b.estimates);
    }

    // Partitions the samples of a node into left and right child: goes_left[i] is one or zero for
    // sample begin + i. A buffer of any element type serves.
    template <class Any>
    void split(std::size_t begin, std::span<const std::uint8_t> goes_left, Scratch<Any>& scratch) {
        static_assert(sizeof(Any) % sizeof(std::uint64_t) == 0);
        constexpr std::size_t kWords = sizeof(Any) / sizeof(std::uint64_t);
        const std::size_t n = goes_left.size();
        const std::size_t n_words =
            weights.empty() ? 1 : 2;  // words to move per sample, besides its row
        const std::size_t wanted = (n + 1) / 2 + 4 + n_words * (n + 4);
        auto* const buffer =
            reinterpret_cast<std::uint64_t*>(scratch.ensure((wanted + kWords - 1) / kWords));
        const std::uint8_t* const goes = goes_left.data();
        // The arrays that most trees have are partitioned in one pass.
        const auto at_once = [&](auto* first, double* second) {
            kernels().partition_samples(goes, n, rows.data() + begin, first, second, buffer);
        };
        if (!packed.empty()) return at_once(packed.data() + begin, nullptr);
        if (values.size() == size() && labels.empty())
            return at_once(values.data() + begin,
                           weights.empty() ? nullptr : weights.data() + begin);
        const auto each = [&]<class T>(std::vector<T>& array) {
            for (std::size_t at = begin; at < array.size(); at += size())
                split_array(goes, n, buffer, array.data() + at);
        };
        for_arrays(each);
    }

    void swap(std::size_t a, std::size_t b) {
        const auto each = [&]<class T>(std::vector<T>& array) {
            for (std::size_t at = 0; at < array.size(); at += size())
                std::swap(array[at + a], array[at + b]);
        };
        for_arrays(each);
    }

    // Stable partition of the samples from `begin` on into any number of children.
    void partition(std::size_t begin, std::span<const std::uint32_t> child_of,
                   std::span<const std::size_t> sizes) {
        std::vector<std::size_t> places(child_of.size()), next(sizes.size(), 0);
        for (std::size_t k = 1; k < sizes.size(); ++k) next[k] = next[k - 1] + sizes[k - 1];
        for (std::size_t i = 0; i < child_of.size(); ++i) places[i] = next[child_of[i]]++;
        const auto each = [&]<class T>(std::vector<T>& array) {
            std::vector<T> parted(child_of.size());
            for (std::size_t at = begin; at < array.size(); at += size()) {
                for (std::size_t i = 0; i < places.size(); ++i) parted[places[i]] = array[at + i];
                std::ranges::copy(parted, array.begin() + static_cast<std::ptrdiff_t>(at));
            }
        };
        for_arrays(each);
    }

    // Appends copies of some samples, by position; their weights are multiplied by the factors.
    void append(std::span<const std::size_t> places, std::span<const double> factors) {
        const std::size_t n = size();
        const auto each = [&]<class T>(std::vector<T>& array) {
            std::vector<T> longer;
            longer.reserve(array.size() +
                           array.size() / std::max<std::size_t>(n, 1) * places.size());
            for (std::size_t first = 0; first < array.size(); first += n) {
                const auto from = array.begin() + static_cast<std::ptrdiff_t>(first);
                longer.insert(longer.end(), from, from + static_cast<std::ptrdiff_t>(n));
                for (const std::size_t place : places) longer.push_back(array[first + place]);
            }
            array = std::move(longer);
        };
        const auto at_end = [&]<class T>(std::vector<T>& array) {
            if (array.size() != n) return each(array);
            for (const std::size_t place : places) array.push_back(array[place]);
        };
        for_arrays(at_end);
        for (std::size_t i = 0; i < places.size(); ++i) weights[n + i] *= factors[i];
    }

    // Appends the samples of another order.
    void join(const SampleOrder& more) {
        const std::size_t n = size(), m = more.size();
        if (m == 0) return;
        const auto each = [&]<class T>(std::vector<T>& array, const std::vector<T>& from) {
            std::vector<T> joined;
            joined.reserve(array.size() + from.size());
            for (std::size_t k = 0; k * m < from.size(); ++k) {
                const auto first = array.begin() + static_cast<std::ptrdiff_t>(k * n);
                const auto second = from.begin() + static_cast<std::ptrdiff_t>(k * m);
                joined.insert(joined.end(), first, first + static_cast<std::ptrdiff_t>(n));
                joined.insert(joined.end(), second, second + static_cast<std::ptrdiff_t>(m));
            }
            array = std::move(joined);
        };
        for_pairs(*this, more, each);
    }

    // Keeps only the first n samples.
    void shorten(std::size_t n) {
        const std::size_t before = size();
        if (n >= before) return;
        const auto each = [&]<class T>(std::vector<T>& array) {
            const std::size_t planes = array.size() / before;
            for (std::size_t k = 1; k < planes; ++k)
                std::copy_n(array.begin() + static_cast<std::ptrdiff_t>(k * before), n,
                            array.begin() + static_cast<std::ptrdiff_t>(k * n));
            array.resize(planes * n);
        };
        for_arrays(each);
    }

    // Copies the n samples from `begin` on.
    void copy_range(std::size_t begin, std::size_t n, SampleOrder& some) const {
        const auto each = [&]<class T>(const std::vector<T>& from, std::vector<T>& to) {
            to.clear();
            for (std::size_t first = begin; first < from.size(); first += size()) {
                const auto at = from.begin() + static_cast<std::ptrdiff_t>(first);
                to.insert(to.end(), at, at + static_cast<std::ptrdiff_t>(n));
            }
        };
        for_pairs(*this, some, each);
    }

    // Copies some of the samples, by position.
    void copy_some(std::span<const std::size_t> places, SampleOrder& some) const {
        const auto each = [&]<class T>(const std::vector<T>& from, std::vector<T>& to) {
            to.clear();
            for (std::size_t first = 0; first < from.size(); first += size())
                for (const std::size_t place : places) to.push_back(from[first + place]);
        };
        for_pairs(*this, some, each);
    }
};

}  // namespace silvics
