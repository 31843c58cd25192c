// SPDX-License-Identifier: BSD-3-Clause
//
// The scorecard of functionalization over cells (functionalize_cells.h).
#pragma once

#include "core/engine/cells/cell_store.h"
#include "core/engine/functionalize/functionalization_run.h"

#include <map>
#include <string>

namespace dynascope::engine {

class CellScorecard {
public:
    /// `limit`: storages of at most so many cells are recorded with their values.
    CellScorecard(CellStore& store, StepLog& log, Functionalized& out, std::int64_t limit)
        : m_store(store)
        , m_log(log)
        , m_out(out)
        , m_limit(limit) {}

    /// A tensor that the step read or made, as it stands now, and its storage.
    void add(ir::NodeIndex value, const at::Tensor& eager, const FunctionalStep& step);
    /// A write that was just committed.
    void addUpdate(const at::Tensor& eager, const at::Tensor& written);

private:
    [[nodiscard]] std::uint32_t chainOf(const CellStorage& storage, const Geometry& geometry);
    void addStorage(const CellStorage& storage);

    CellStore& m_store;
    StepLog& m_log;
    Functionalized& m_out;
    std::int64_t m_limit;
    std::map<std::string, std::uint32_t> m_chains; ///< by the view's text
};

} // namespace dynascope::engine
