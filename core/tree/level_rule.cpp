#include "tree/level_rule.hpp"

#include <algorithm>

namespace silvics {
namespace {

// A set apart begins with one word. With kList, its other bits are the length of the sorted list
// that follows: the levels that do not go to the side of the others. Otherwise the word is the
// number of levels that have a bit in the words that follow.
constexpr std::uint32_t kList = std::uint32_t{1} << 31;

std::size_t words_of(std::uint32_t head) {
    return (head & kList) != 0 ? head & ~kList : (std::size_t{head} + 31) / 32;
}

}  // namespace

LevelRule LevelRule::of(std::span<const Level> left, std::span<const Level> right, bool others_left,
                        std::vector<std::uint32_t>& sets) {
    const auto differing = others_left ? right : left;
    const Level last = differing.empty() ? 0 : std::ranges::max(differing);
    if (last < kInlineLevels) {
        std::uint64_t bits = 0;
        for (const Level level : differing) bits |= std::uint64_t{1} << level;
        return {Form::in_place_bits, others_left ? ~bits : bits, others_left};
    }
    const std::size_t offset = checked_id(sets.size(), kMaxIds, "words of category sets per tree");
    const std::size_t words = (std::size_t{last} + 32) / 32;
    if (differing.size() < words) {
        sets.push_back(kList | static_cast<std::uint32_t>(differing.size()));
        sets.insert(sets.end(), differing.begin(), differing.end());
        std::ranges::sort(std::span(sets).subspan(offset + 1));
    } else {
        sets.push_back(last + 1);
        sets.resize(offset + 1 + words, others_left ? ~std::uint32_t{0} : 0);
        for (const Level level : differing)
            sets[offset + 1 + level / 32] ^= std::uint32_t{1} << level % 32;
    }
    return {Form::apart, offset, others_left};
}

LevelRule LevelRule::copied(std::span<const std::uint32_t> from,
                            std::vector<std::uint32_t>& to) const {
    if (form() != Form::apart) return *this;
    const auto set = from.subspan(static_cast<std::size_t>(content()));
    const std::size_t offset = checked_id(to.size(), kMaxIds, "words of category sets per tree");
    const auto whole = set.first(1 + words_of(set[0]));
    to.insert(to.end(), whole.begin(), whole.end());
    return {Form::apart, offset, others_left()};
}

bool LevelRule::goes_left_apart(Level level, std::span<const std::uint32_t> sets) const {
    const auto offset = static_cast<std::size_t>(content());
    const std::uint32_t head = sets[offset];
    const auto words = std::span(sets).subspan(offset + 1, words_of(head));
    if ((head & kList) != 0) return std::ranges::binary_search(words, level) != others_left();
    return level < head ? (words[level / 32] >> level % 32 & 1) != 0 : others_left();
}

std::size_t LevelRule::n_words(std::span<const std::uint32_t> sets) const {
    const auto offset = static_cast<std::size_t>(content());
    return form() == Form::apart && offset < sets.size() ? 1 + words_of(sets[offset]) : 0;
}

bool LevelRule::valid(std::span<const std::uint32_t> sets) const {
    if (bits_ >> 51 != kNaN >> 51) return false;
    if (form() == Form::in_place_bits || form() == Form::coin) return true;
    const auto offset = static_cast<std::size_t>(content());
    if (form() != Form::apart || offset >= sets.size()) return false;
    const std::uint32_t head = sets[offset];
    if (words_of(head) > sets.size() - offset - 1) return false;
    return (head & kList) == 0 ||
           std::ranges::is_sorted(std::span(sets).subspan(offset + 1, words_of(head)));
}

}  // namespace silvics
