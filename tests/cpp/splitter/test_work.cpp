#include "doctest/doctest.h"
#include "splitter/work.hpp"

namespace silvics {
namespace {

TEST_CASE("work adds up by kind") {
    Work work{1, 2, 3, 4};
    work += {10, 20, 30, 40};
    CHECK(work.samples == 11);
    CHECK(work.values == 22);
    CHECK(work.sorted == 33);
    CHECK(work.cuts == 44);
}

}  // namespace
}  // namespace silvics
