#include <string>

#include "builder/copy_limit.hpp"
#include "doctest/doctest.h"

namespace silvics {
namespace {

TEST_CASE("copies are allowed up to the limit, summed over all calls") {
    CopyLimit copies(100);
    const std::size_t limit = copies.limit();
    CHECK(limit == (std::size_t{1} << 18) + 3200);
    CHECK_NOTHROW(copies.add(limit - 1));
    CHECK_NOTHROW(copies.add(1));
    CHECK_THROWS_AS(copies.add(1), std::invalid_argument);
}

TEST_CASE("the limit grows with the samples, and the error names both and a remedy") {
    CHECK(CopyLimit(1000).limit() > CopyLimit(10).limit());
    CopyLimit copies(7);
    std::string message;
    try {
        copies.add(copies.limit() + 1);
    } catch (const std::invalid_argument& error) {
        message = error.what();
    }
    CHECK(message.find("7 samples") != std::string::npos);
    CHECK(message.find(std::to_string(copies.limit())) != std::string::npos);
    CHECK(message.find("missing=\"learned\"") != std::string::npos);
}

}  // namespace
}  // namespace silvics
