// Which variables may be on one path from the root (interaction constraints).
//
// A node refers to the groups of variables that contain all variables of its path, and may be
// split on the variables of these groups. Equal sets of groups are kept once.
#pragma once

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "splitter/search_rules.hpp"

namespace silvics {

class Interactions {
public:
    using SetId = std::uint32_t;

    Interactions(const SearchRules& rules, std::size_t n_features)
        : groups_(rules.interactions), pairwise_(rules.pairwise) {
        if (!rules.limits_interactions()) return;
        std::vector<char> mentioned(n_features, pairwise_);
        for (std::vector<FeatureId>& group : groups_) {
            std::ranges::sort(group);
            for (const FeatureId f : group) mentioned[f] = 1;
        }
        // The other variables form one more group.
        std::vector<FeatureId> rest;
        for (std::size_t f = 0; f < n_features; ++f)
            if (mentioned[f] == 0) rest.push_back(static_cast<FeatureId>(f));
        if (!rest.empty()) groups_.push_back(std::move(rest));
        std::vector<std::uint32_t> all;
        if (!pairwise_)
            for (std::size_t g = 0; g < groups_.size(); ++g)
                all.push_back(static_cast<std::uint32_t>(g));
        add(std::move(all));
    }

    // The set of the children of a node that is split on a variable.
    SetId after(SetId set, FeatureId f) {
        if (sets_.empty()) return 0;
        const auto known = children_.find({set, f});
        if (known != children_.end()) return known->second;
        std::vector<std::uint32_t> left = sets_[set].members;
        if (!pairwise_)
            std::erase_if(
                left, [&](std::uint32_t g) { return !std::ranges::binary_search(groups_[g], f); });
        else if (!std::ranges::binary_search(left, f))
            left.insert(std::ranges::upper_bound(left, f), f);
        const SetId next = add(std::move(left));
        children_.insert({{set, f}, next});
        return next;
    }

    // The variables that a node may be split on, ascending; null if it may be split on any.
    const std::vector<FeatureId>* allowed(SetId set) const {
        if (sets_.empty() || (pairwise_ && sets_[set].members.size() < 2)) return nullptr;
        return &sets_[set].allowed;
    }

private:
    struct Set {
        // The groups; or, if any two variables may be on one path, the variables of the path.
        std::vector<std::uint32_t> members;
        std::vector<FeatureId> allowed;
    };

    SetId add(std::vector<std::uint32_t> members) {
        const auto known = numbers_.find(members);
        if (known != numbers_.end()) return known->second;
        Set set;
        if (pairwise_)
            set.allowed.assign(members.begin(), members.end());
        else
            for (const std::uint32_t g : members)
                set.allowed.insert(set.allowed.end(), groups_[g].begin(), groups_[g].end());
        std::ranges::sort(set.allowed);
        set.allowed.erase(std::unique(set.allowed.begin(), set.allowed.end()), set.allowed.end());
        set.members = members;
        const SetId id = checked_id(sets_.size(), kMaxIds, "sets of variables");
        sets_.push_back(std::move(set));
        numbers_.insert({std::move(members), id});
        return id;
    }

    std::vector<std::vector<FeatureId>> groups_;
    bool pairwise_;
    std::vector<Set> sets_;  // empty if there are no constraints
    std::map<std::vector<std::uint32_t>, SetId> numbers_;
    std::map<std::pair<SetId, FeatureId>, SetId> children_;
};

}  // namespace silvics
