#include "builder/compact_store.hpp"
#include "builder/full_store.hpp"
#include "builder/node_store.hpp"
#include "doctest/doctest.h"

namespace silvics {
namespace {

TEST_CASE("both stores hold nodes, and only the full store holds empty nodes and multiway splits") {
    CHECK(NodeStore<FullStore>);
    CHECK(NodeStore<CompactStore>);
    CHECK(BranchStore<FullStore>);
    CHECK_FALSE(BranchStore<CompactStore>);
}

TEST_CASE("a type that lacks an operation is not a store") {
    struct NoStore {
        void append(OpenNode&) {}
    };
    CHECK_FALSE(NodeStore<NoStore>);
    CHECK_FALSE(BranchStore<NoStore>);
}

}  // namespace
}  // namespace silvics
