// SPDX-License-Identifier: BSD-3-Clause
//
// The program of a torch.export archive: models/NAME.json, whose schema is torch/_export/serde/schema.py
// (major version 8).
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/ir/graph.h"
#include "core/session/session.h"

#include <string>
#include <string_view>
#include <vector>

namespace dynascope::capture {

struct ExportedProgram {
    /// As PyTorch's loader builds it: getitem nodes for several results, get_attr for subgraphs
    ir::GraphPtr graph;
    std::string torchVersion;
    std::string schema;                       ///< "8.20"
    std::vector<session::SymbolInfo> symbols; ///< with ranges
    std::vector<std::string> guards;
    /// Placeholders that hold tensors; `source` is what the signature says
    std::vector<session::TensorInput> inputs;
};

/// Reads the JSON; nothing in it is evaluated. An Error names the node that cannot be understood. A schema of
/// another major version is read as far as it agrees.
[[nodiscard]] Result<ExportedProgram> readExportedProgram(std::string_view text);

} // namespace dynascope::capture
