// SPDX-License-Identifier: BSD-3-Clause
//
// What a placeholder of a captured graph stands for: the input of the frame that describe_source names.
#pragma once

#include "core/ir/graph.h"
#include "core/session/session.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::session {

/// The inputs that a compile describes, found by what Dynamo and AOTAutograd call them: "L_x_" and "x" for
/// "L['x']". Refers to the compile.
class InputsByName {
public:
    InputsByName() = default; ///< describes none
    explicit InputsByName(const Compile& compile);
    /// Null where no described input has the name.
    [[nodiscard]] const TensorInput* find(std::string_view name) const;
    /// What a placeholder of one of the compile's graphs is called by its source; its own name where that is
    /// not known.
    [[nodiscard]] std::string nameOf(const ir::Node& placeholder) const;

private:
    std::map<std::string, const TensorInput*, std::less<>> m_inputs; ///< by letters and digits
    std::vector<std::string> m_dynamo;                               ///< placeholders of Dynamo's graph
};

/// What "L['x'].size()[0]" and "L_x_size_0_" have in common: letters and digits, in lower case.
[[nodiscard]] std::string lettersAndDigits(std::string_view text);

/// Whether both are tensors of one dtype and number of dimensions: only then is one named after the other.
[[nodiscard]] bool isSameTensor(const ir::Node& a, const ir::Node& b);

/// Whether AOTAutograd made the input of the whole memory of others, which view it.
[[nodiscard]] bool isBaseInput(const ir::Node& placeholder);

/// Which of the Dynamo graph's inputs an AOTAutograd input is, or is the base of: by its description, such as
/// "ViewBaseAOTInput(base_of=PlainAOTInput(idx=0))".
struct InnerInput {
    std::size_t outer = 0;
    bool isBase = false;
};
[[nodiscard]] std::optional<InnerInput> innerInput(const ir::Node& placeholder);

/// For each placeholder the source that it stands for, as describe_source names it: "L['x']"; empty where the
/// capture describes none.
[[nodiscard]] std::vector<std::string> inputSources(const Compile& compile, const ir::Graph& graph);

/// For each placeholder that is a tensor which the program passes, what the program calls it: "x",
/// "kwargs['input_ids']"; Dynamo's name where no source is described, and empty where the capture does not tell: one
/// that is no such input, a base of views, one whose name several sources have. `graph` is Dynamo's or has
/// AOTAutograd's descriptions of its inputs ("PlainAOTInput(idx=0)"), `dynamo` is Dynamo's of the same compile or null,
/// `sources` are those of Compile::inputs. Linear but for a logarithm.
[[nodiscard]] std::vector<std::string> inputNames(const ir::Graph& graph, const ir::Graph* dynamo,
                                                  std::span<const std::string> sources);
/// The sources of Compile::inputs.
[[nodiscard]] std::vector<std::string> describedSources(const Compile& compile);

} // namespace dynascope::session
