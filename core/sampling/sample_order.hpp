// The samples of a tree, those of each node side by side and in row order.
//
// What a criterion reads of a sample moves along with its row, so that a node is read from end
// to end and nothing is looked up by row but the variables themselves.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/scratch.hpp"
#include "base/types.hpp"

namespace silvics {

// Those of the left first, both sides in the order they had; several arrays at once. Both places
// are written, one is kept.
template <class... T>
void split_arrays(const std::uint8_t* goes_left, std::size_t n, std::uint64_t* scratch, T*... of) {
    const auto split = [&]<std::size_t... I>(std::index_sequence<I...>) {
        const std::tuple<T*...> aside{reinterpret_cast<T*>(scratch + I * n)...};
        std::size_t left = 0, right = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t goes = goes_left[i];
            const std::tuple<T...> sample{of[i]...};
            ((of[left] = std::get<I>(sample)), ...);
            ((std::get<I>(aside)[right] = std::get<I>(sample)), ...);
            left += goes;
            right += 1 - goes;
        }
        if (right < 16)  // not worth a call
            for (std::size_t i = 0; i < right; ++i) ((of[left + i] = std::get<I>(aside)[i]), ...);
        else
            (std::memcpy(of + left, std::get<I>(aside), right * sizeof(T)), ...);
    };
    split(std::index_sequence_for<T...>{});
}

struct SampleOrder {
    std::vector<RowId> rows;

    // Of these, what the criterion asked for (see its fill()); several outputs one after another.
    std::vector<double> weights;
    std::vector<ClassId> labels;
    std::vector<double> values;
    std::vector<std::uint64_t> packed;

    std::size_t size() const { return rows.size(); }

    // goes_left[i] of sample begin + i: one or zero.
    void split(std::size_t begin, std::span<const std::uint8_t> goes_left,
               Scratch<std::uint64_t>& scratch) {
        const std::size_t n = goes_left.size();
        std::uint64_t* const aside = scratch.take(3 * n);
        const std::uint8_t* const goes = goes_left.data();
        RowId* const row = rows.data() + begin;
        // What most trees have goes in one pass.
        if (!packed.empty()) return split_arrays(goes, n, aside, row, packed.data() + begin);
        if (values.size() == size() && labels.empty() && weights.empty())
            return split_arrays(goes, n, aside, row, values.data() + begin);
        if (values.size() == size() && labels.empty())
            return split_arrays(goes, n, aside, row, weights.data() + begin, values.data() + begin);
        const auto each = [&]<class T>(std::vector<T>& array) {
            for (std::size_t at = begin; at < array.size(); at += size())
                split_arrays(goes, n, aside, array.data() + at);
        };
        each(rows);
        each(weights);
        each(labels);
        each(values);
    }

    void swap(std::size_t a, std::size_t b) {
        const auto each = [&]<class T>(std::vector<T>& array) {
            for (std::size_t at = 0; at < array.size(); at += size())
                std::swap(array[at + a], array[at + b]);
        };
        each(rows);
        each(weights);
        each(labels);
        each(values);
        each(packed);
    }

    // Some of the samples, by place.
    void copy_some(std::span<const std::size_t> places, SampleOrder& some) const {
        const auto each = [&]<class T>(const std::vector<T>& from, std::vector<T>& to) {
            to.clear();
            for (std::size_t first = 0; first < from.size(); first += size())
                for (const std::size_t place : places) to.push_back(from[first + place]);
        };
        each(rows, some.rows);
        each(weights, some.weights);
        each(labels, some.labels);
        each(values, some.values);
        each(packed, some.packed);
    }
};

}  // namespace silvics
