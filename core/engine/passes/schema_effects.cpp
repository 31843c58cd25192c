// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/passes/schema_effects.h"

#include "core/engine/exec/program.h"

#include <algorithm>
#include <array>

namespace dynascope::engine {

namespace {

/// Operators that change running statistics in training, or check something, with no mark in the schema.
constexpr std::array<std::string_view, 8> unmarkedWrites{
    "batch_norm",    "native_batch_norm", "cudnn_batch_norm", "miopen_batch_norm",
    "instance_norm", "_assert_async",     "_assert_scalar",   "_assert_tensor_metadata"};

} // namespace

passes::Effects schemaEffects(const ir::Node& node) {
    passes::Effects byName = passes::effectsByName(node);
    if (node.op != ir::Op::CallFunction) return byName;
    const Resolved resolved = resolve(node.target);
    if (!resolved.op) return byName;
    const c10::FunctionSchema& schema = resolved.op->schema();
    std::string_view name = schema.name();
    name = name.substr(name.find("::") + 2);
    passes::Effects effects{.known = true};
    effects.writes = schema.is_mutable() ||
                     std::find(unmarkedWrites.begin(), unmarkedWrites.end(), name) != unmarkedWrites.end();
    effects.random = resolved.op->hasTag(at::Tag::nondeterministic_seeded) || byName.random;
    // Composite operators such as reshape may alias without saying so.
    effects.aliases = byName.aliases ||
                      std::any_of(schema.returns().begin(), schema.returns().end(),
                                  [](const c10::Argument& result) { return result.alias_info() != nullptr; });
    return effects;
}

} // namespace dynascope::engine
