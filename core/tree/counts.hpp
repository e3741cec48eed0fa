// An array of whole numbers, two bytes each where all of them fit and four otherwise.
#pragma once

#include <cstdint>
#include <vector>

namespace silvics {

struct Counts {
    std::vector<std::uint16_t> narrow;
    std::vector<std::uint32_t> wide;

    bool operator==(const Counts&) const = default;
    std::size_t size() const { return narrow.size() + wide.size(); }
    bool empty() const { return size() == 0; }
    std::uint32_t operator[](std::size_t i) const { return wide.empty() ? narrow[i] : wide[i]; }
    void push_back(std::uint32_t count) {
        if (wide.empty() && count < 1 << 16)
            narrow.push_back(static_cast<std::uint16_t>(count));
        else
            push_wide(count);
    }
    void shrink_to_fit() {
        narrow.shrink_to_fit();
        wide.shrink_to_fit();
    }

private:
    void push_wide(std::uint32_t count) {
        if (wide.empty()) wide.assign(narrow.begin(), narrow.end());
        narrow = std::vector<std::uint16_t>();
        wide.push_back(count);
    }
};

}  // namespace silvics
