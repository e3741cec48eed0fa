// A table and the caller's arrays, which the core reads again while trees grow.
#pragma once

#include "data/table.hpp"
#include "views.hpp"

namespace silvics::bindings {

struct HeldTable : Table {
    HeldTable() = default;
    HeldTable(const HeldTable&) = delete;
    nb::object source;
};

}  // namespace silvics::bindings
