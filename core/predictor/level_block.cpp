#include "predictor/level_block.hpp"

#include <algorithm>

#include "tree/goes_left.hpp"

namespace silvics {
namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

}  // namespace

LevelColumns::LevelColumns(const PackedForest& forest) : number_(forest.n_features, kNone) {
    for (std::size_t m = 0; m < forest.n_trees(); ++m) {
        if (!forest.shapes[m].ruled) continue;
        for (const PackedNode& node : part_of(forest.nodes, forest.first_node, m)) {
            if (!node.rule().is_levels() || number_[node.feature()] != kNone) continue;
            number_[node.feature()] = static_cast<std::uint32_t>(features_.size());
            features_.push_back(node.feature());
        }
    }
}

LevelBlock::LevelBlock(const LevelColumns& columns, const RowBlock& block)
    : columns_(columns),
      n_values_(block.width),
      whole_(block.whole),
      n_levels_(columns.features().size(), 0) {
    const auto features = columns.features();
    values_.resize(block.size * width());
    for (std::size_t i = 0; i < block.size; ++i) {
        const double* const row = block.row(i);
        std::uint64_t* const values = &values_[i * width()];
        for (std::size_t j = 0; j < n_values_; ++j)
            values[j] = std::isnan(row[j]) ? kMissingKey : key_of(row[j]);
        for (std::size_t k = 0; k < features.size(); ++k) {
            const double x = row[features[k]];
            const bool known = x >= 0.0 && x < 0x1.0p32;
            const Level level = std::min<Level>(known ? static_cast<Level>(x) : 0, kOther);
            if (known) n_levels_[k] = std::max(n_levels_[k], level + 1);
            const unsigned bit = known ? level : x == kUnknownLevel ? kOther : kMissing;
            values[n_values_ + k] = std::uint64_t{1} << bit;
        }
    }
}

std::optional<std::uint64_t> LevelBlock::right_of(const PackedNode& node,
                                                  std::span<const std::uint32_t> sets) const {
    const LevelRule rule = node.rule().levels();
    std::uint64_t left = std::uint64_t{rule.others_left()} << kOther |
                         std::uint64_t{node.missing_first()} << kMissing;
    if (rule.form() == LevelRule::Form::in_place_bits) return kAll & ~(left | rule.content());
    const Level n = n_levels_[columns_.number_of(node.feature())];
    if (n > kOther) return std::nullopt;
    for (Level level = 0; level < n; ++level)
        left |= std::uint64_t{rule.goes_left(level, sets)} << level;
    return kAll & ~left;
}

}  // namespace silvics
