// The table of codes or values in which splits are searched.
#include <nanobind/stl/shared_ptr.h>

#include "held_table.hpp"

namespace silvics::bindings {
namespace {

// The memory of the coded table. Values that stay in the caller's matrix do not count.
std::size_t memory_bytes(const Table& table) {
    std::size_t bytes = 0;
    for (const Column& column : table.columns) {
        const std::size_t n_codes = column.sparse ? column.cells.size() : table.n_rows;
        for (const CodeView& view : {column.codes, column.by_rows})
            if (view.data != nullptr) bytes += n_codes * (view.wide ? 2 : 1);
        bytes += sizeof column + column.code_values.size() * sizeof(double);
    }
    if (table.sparse) {
        const std::size_t cells = table.sparse->n_cells();
        const std::size_t of_cell = sizeof(RowId) + (table.n_features() > 0x10000 ? 4 : 2) + 4 + 4;
        bytes += cells * of_cell + table.n_rows * sizeof(std::size_t);
    }
    return bytes;
}

}  // namespace

void bind_table(nb::module_& m) {
    nb::class_<HeldTable>(
        m, "Table",
        "X in the form in which splits are searched: small integer codes, or its values.")
        .def_prop_ro("n_rows", [](const HeldTable& t) { return t.n_rows; })
        .def_prop_ro("n_features", [](const HeldTable& t) { return t.n_features(); })
        .def_prop_ro("memory_bytes", [](const HeldTable& t) { return memory_bytes(t); });

    const auto held = [](nb::object source, std::size_t n_jobs, auto&& make) {
        if (!nb::isinstance<HeldMatrix>(source))
            throw nb::type_error("incompatible function arguments: X must be a Matrix");
        const auto& X = nb::cast<const HeldMatrix&>(source);
        if (X.sparse && !X.sparse->by_columns)
            throw std::invalid_argument(
                "growing trees needs a sparse matrix that is compressed by columns");
        auto table = std::make_shared<HeldTable>();
        unlocked_or_raise(n_jobs,
                          [&](ThreadTeam& team) { static_cast<Table&>(*table) = make(X, team); });
        table->source = std::move(source);
        return table;
    };
    m.def(
        "code_table",
        [held](nb::object X, std::size_t max_bins, bool equal_width, std::size_t n_jobs) {
            const BinRule rule{max_bins, equal_width ? BinRule::Widths::equal_width
                                                     : BinRule::Widths::equal_frequency};
            return held(X, n_jobs, [&](const Matrix& matrix, ThreadTeam& team) {
                return code_table(matrix, rule, team);
            });
        },
        nb::arg("X"), nb::arg("max_bins"), nb::arg("equal_width"), nb::arg("n_jobs"),
        nb::sig(
            "def code_table(X: Matrix, max_bins: int, equal_width: bool, n_jobs: int) -> Table"));
    m.def(
        "table_of_values",
        [held](nb::object X, std::size_t n_jobs, bool rarely_read) {
            return held(X, n_jobs, [&](const Matrix& matrix, ThreadTeam& team) {
                return table_of_values(matrix, team, rarely_read);
            });
        },
        nb::arg("X"), nb::arg("n_jobs"), nb::arg("rarely_read"),
        nb::sig("def table_of_values(X: Matrix, n_jobs: int, rarely_read: bool) -> Table"));
}

}  // namespace silvics::bindings
