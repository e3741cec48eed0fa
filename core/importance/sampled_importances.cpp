#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "base/types.hpp"
#include "importance/gathered_importances.hpp"
#include "importance/randomized_trees.hpp"
#include "sampling/random_stream.hpp"

namespace silvics {
namespace {

// Grows random trees by their definition, one at a time.
class TreeSampler {
public:
    TreeSampler(const Distribution& d, const RandomizedTrees& trees, const Ties& ties)
        : d_(d),
          trees_(trees),
          ties_(ties),
          reader_(d),
          n_words_((d.n_variables + 63) / 64),
          rows_(d.n_rows),
          order_(d.n_variables) {}

    // The importances of the tree are added to `tree_importances`.
    void grow(RandomStream stream, GatheredImportances& gathered, double* tree_importances,
              const StopFlag& stop) {
        std::iota(rows_.begin(), rows_.end(), 0U);
        std::iota(order_.begin(), order_.end(), 0U);
        stack_.assign(1, {0, d_.n_rows, 0, Bits(n_words_, 0)});
        while (!stack_.empty()) {
            stop.check();
            const Open node = std::move(stack_.back());
            stack_.pop_back();
            if (node.depth == trees_.depth) continue;
            const std::span rows(&rows_[node.begin], node.end - node.begin);
            reader_.open(rows);
            const bool settled = rows.size() == 1 || ties_.is_pure(reader_.mass());
            // All decreases below are zero. Only the weights of small contexts still change.
            if (settled && (is_binary() || n_others_above(node) > trees_.most_in_context)) continue;
            const double tie = ties_.at(reader_.mass());
            const Offer* drawn = draw(node, tie, stream);
            if (drawn == nullptr) continue;
            const Offer& offer = *drawn;
            gathered.add(offer.variable, node.above, reader_.weight(), offer.decrease);
            tree_importances[trees_.part_of.empty() ? offer.variable
                                                    : trees_.part_of[offer.variable]] +=
                offer.decrease;
            if (is_binary())
                gathered.add_cut(offer.variable, offer.low, offer.high, offer.decrease);
            if (trees_.wants_hidden)
                for (const Offer& other : offers_)
                    if (other.variable != offer.variable)
                        gathered.add_hidden(other.variable, offer.variable, other.decrease);
            split(node, offer, rows);
        }
    }

private:
    struct Open {
        std::size_t begin, end, depth;
        Bits above;
    };

    bool is_binary() const { return trees_.splits != TreeSplits::multiway; }

    // The minimum number of other variables in the context of a test at this node.
    std::size_t n_others_above(const Open& node) const {
        if (trees_.part_of.empty()) return node.depth;
        Bits wholes(n_words_, 0);
        std::size_t n = 0;
        for (std::size_t j = 0; j < trees_.part_of.size(); ++j)
            if (const std::uint32_t whole = trees_.part_of[j];
                has_bit(node.above, j) && !has_bit(wholes, whole)) {
                set_bit(wholes, whole);
                ++n;
            }
        return n == 0 ? 0 : n - 1;
    }

    // Fills offers_ with those of the drawn variables. Returns the best, or null if it is a leaf.
    const Offer* draw(const Open& node, double tie, RandomStream& stream) {
        offers_.clear();
        if (!trees_.part_of.empty()) return draw_part(node, stream);
        std::size_t n_counted = 0;
        const std::size_t p = d_.n_variables;
        for (std::size_t i = 0; i < p && n_counted < trees_.n_drawn; ++i) {
            std::swap(order_[i], order_[i + stream.below(p - i)]);
            const std::size_t j = order_[i];
            if (!is_binary() && has_bit(node.above, j)) continue;
            const std::size_t before = offers_.size();
            found_.clear();
            reader_.offers(j, trees_.splits, tie, found_);
            if (!found_.empty()) offers_.push_back(one_of(found_, stream));
            n_counted += offers_.size() > before || (trees_.constants_count && is_binary());
            // All drawn variables are constant: drawing continues until one is not.
            if (n_counted == trees_.n_drawn && offers_.empty()) --n_counted;
        }
        if (offers_.empty()) return nullptr;
        double most = 0.0;
        for (const Offer& offer : offers_) most = std::max(most, offer.decrease);
        std::size_t n_best = 0, best = 0;
        for (std::size_t i = 0; i < offers_.size(); ++i)
            if (offers_[i].decrease >= most - tie && stream.below(++n_best) == 0) best = i;
        return &offers_[best];
    }

    // Draws one of the wholes, and then one of its parts that are not used yet.
    const Offer* draw_part(const Open& node, RandomStream& stream) {
        unused_.clear();
        for (std::uint32_t j = 0; j < d_.n_variables; ++j)
            if (!has_bit(node.above, j)) unused_.push_back(j);
        if (unused_.empty()) return nullptr;
        std::ranges::sort(unused_, {}, [&](std::uint32_t j) { return trees_.part_of[j]; });
        std::size_t n_wholes = 0, begin = 0, end = 0;
        for (std::size_t i = 0, first = 0; i < unused_.size(); ++i) {
            const std::uint32_t whole = trees_.part_of[unused_[i]];
            if (i == 0 || whole != trees_.part_of[unused_[i - 1]]) {
                first = i;
                if (stream.below(++n_wholes) == 0) begin = end = i;
            }
            if (first == begin) end = i + 1;
        }
        reader_.offers(unused_[begin + stream.below(end - begin)], trees_.splits, 0.0, offers_);
        return offers_.data();
    }

    static const Offer& one_of(const std::vector<Offer>& offers, RandomStream& stream) {
        if (offers.size() == 1) return offers[0];
        double left = stream.uniform();
        for (const Offer& offer : offers)
            if ((left -= offer.probability) < 0.0) return offer;
        return offers.back();
    }

    void split(const Open& node, const Offer& offer, std::span<std::uint32_t> rows) {
        const std::uint32_t* levels = d_.levels_of(offer.variable);
        const auto part = [&](std::uint32_t r) {
            return is_binary() ? std::uint32_t{levels[r] > offer.low} : levels[r];
        };
        std::ranges::sort(rows, {}, part);
        Bits above = node.above;
        set_bit(above, offer.variable);
        for (std::size_t k = 0; k < rows.size();) {
            const std::size_t begin = k;
            while (k < rows.size() && part(rows[k]) == part(rows[begin])) ++k;
            stack_.push_back({node.begin + begin, node.begin + k, node.depth + 1, above});
        }
    }

    const Distribution& d_;
    const RandomizedTrees& trees_;
    const Ties& ties_;
    NodeOfDistribution reader_;
    std::size_t n_words_;
    std::vector<std::uint32_t> rows_, order_, unused_;
    std::vector<Open> stack_;
    std::vector<Offer> offers_, found_;
};

}  // namespace

TreeImportances sampled_importances(const Distribution& d, const RandomizedTrees& trees,
                                    std::uint64_t seed, std::size_t n_trees, ThreadTeam& team) {
    check(d);
    check(trees, d);
    if (n_trees == 0) throw std::invalid_argument("the number of trees must be positive");
    constexpr std::size_t kBlock = 32;  // trees per block; blocks are added in order
    const Ties ties(d);
    const std::size_t p = GatheredImportances::n_reported(d, trees);
    const std::size_t n_blocks = (n_trees + kBlock - 1) / kBlock;
    std::vector<double> of_trees(checked_product(n_trees, p), 0.0);
    std::vector<std::unique_ptr<TreeSampler>> samplers(team.size());
    std::vector<std::unique_ptr<GatheredImportances>> gathered(n_blocks);
    team.run(n_blocks, [&](std::size_t b, std::size_t w) {
        if (!samplers[w]) samplers[w] = std::make_unique<TreeSampler>(d, trees, ties);
        gathered[b] = std::make_unique<GatheredImportances>(d, trees);
        for (std::size_t t = b * kBlock; t < std::min(n_trees, (b + 1) * kBlock); ++t)
            samplers[w]->grow(RandomStream(derive(seed, t)), *gathered[b], &of_trees[t * p],
                              team.stop());
    });
    GatheredImportances sums(d, trees);
    for (const auto& block : gathered) sums.add(*block);
    double whole = 0.0;
    const WeightedImpurity impurity(d);
    for (std::size_t r = 0; r < d.n_rows; ++r) whole += impurity.weight(d.statistics_of(r));
    TreeImportances found = sums.finish(whole * static_cast<double>(n_trees));
    for (double& v : of_trees) v /= whole;
    found.of_trees = std::move(of_trees);
    return found;
}

}  // namespace silvics
