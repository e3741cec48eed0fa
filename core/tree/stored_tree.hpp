// A tree as a forest stores it: plain or compact.
//
// Readers that only traverse it use it as a TreeBase. Readers of the statistics of nodes call
// expand() (compact.hpp), and readers of leaves visit() the form.
#pragma once

#include <utility>
#include <variant>

#include "tree/compact_tree.hpp"
#include "tree/tree.hpp"

namespace silvics {

class StoredTree {
public:
    StoredTree() = default;
    StoredTree(Tree tree) : form_(std::move(tree)) {}
    StoredTree(CompactTree tree) : form_(std::move(tree)) {}

    // visitor(const Tree&) or visitor(const CompactTree&).
    template <class Visitor>
    decltype(auto) visit(Visitor&& visitor) const {
        return std::visit(std::forward<Visitor>(visitor), form_);
    }

    const TreeBase& base() const {
        return visit([](const auto& form) -> const TreeBase& { return form; });
    }
    operator const TreeBase&() const { return base(); }
    const TreeBase* operator->() const { return &base(); }

    // The tree in this form, or null if it is stored in the other one.
    const Tree* plain() const { return std::get_if<Tree>(&form_); }
    const CompactTree* compact() const { return std::get_if<CompactTree>(&form_); }
    // The rule of a compact tree; none for a plain one.
    CompactionRule compaction() const { return compact() ? compact()->rule : CompactionRule::none; }

    std::size_t memory_bytes() const {
        return sizeof(*this) + visit([](const auto& form) { return form.memory_bytes(); });
    }

private:
    std::variant<Tree, CompactTree> form_;
};

}  // namespace silvics
