#include "support/kernel_tables.hpp"

namespace silvics {
namespace {

using namespace test;

TEST_CASE("the kernels picked are the best for this processor, unless a path is asked for") {
    const char* asked = std::getenv("SILVICS_CPU");
    CHECK(std::string(kernels().name) == (asked ? asked : tables().back()->name));
    CHECK(std::string(kPortableKernels.name) == "portable");
}

}  // namespace
}  // namespace silvics
