// Variables known to be constant on a branch: found once, skipped in all nodes below.
//
// Each node refers to the list it inherits. Lists are linked upwards and kept until
// forget_later(). One list at a time is loaded into a table of marks, so that known() is one look-
// up; to load the list of another node, only the difference of the two branches is touched.
#pragma once

#include <vector>

#include "base/types.hpp"

namespace silvics {

class Constants {
public:
    using ListId = std::uint32_t;

    explicit Constants(std::size_t n_features) : known_(n_features, 0), lists_(1) {}

    ListId root() const { return 0; }

    void load(ListId wanted) {
        fresh_.clear();
        while (loaded_ != wanted) {
            if (lists_[loaded_].depth >= lists_[wanted].depth) {
                mark(loaded_, 0);
                loaded_ = lists_[loaded_].parent;
            } else {
                coming_.push_back(wanted);
                wanted = lists_[wanted].parent;
            }
        }
        for (; !coming_.empty(); coming_.pop_back()) mark(loaded_ = coming_.back(), 1);
    }

    // Removes all lists made after the loaded one. In depth-first growth their nodes are done.
    void forget_later() {
        if (lists_.size() == loaded_ + std::size_t{1}) return;
        lists_.resize(loaded_ + std::size_t{1});
        features_.resize(lists_.back().end);
    }

    bool known(FeatureId f) const { return known_[f] != 0; }
    void found(FeatureId f) { fresh_.push_back(f); }

    // The list for the children of the loaded node.
    ListId inherit() {
        if (fresh_.empty()) return loaded_;
        const auto begin = features_.size();
        features_.insert(features_.end(), fresh_.begin(), fresh_.end());
        lists_.push_back({loaded_, lists_[loaded_].depth + 1, begin, features_.size()});
        fresh_.clear();
        return checked_id(lists_.size() - 1, kMaxIds, "lists of constants");
    }

private:
    struct List {
        ListId parent = 0;
        std::uint32_t depth = 0;
        std::size_t begin = 0, end = 0;  // range among the features of all lists
    };

    void mark(ListId list, char value) {
        for (std::size_t i = lists_[list].begin; i < lists_[list].end; ++i)
            known_[features_[i]] = value;
    }

    std::vector<char> known_;
    std::vector<List> lists_;
    std::vector<FeatureId> features_, fresh_;
    std::vector<ListId> coming_;
    ListId loaded_ = 0;
};

}  // namespace silvics
