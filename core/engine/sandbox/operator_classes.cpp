// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/sandbox/operator_classes.h"

#include "core/engine/sandbox/checks/families.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <algorithm>
#include <array>
#include <unordered_set>

namespace dynascope::engine {

namespace {

constexpr SafeOperator safe;
constexpr RefusedOperator reachesOutside{"it reaches outside the graph"};
constexpr RefusedOperator internal{
    "only PyTorch's own code calls it, and it believes what it is told about indices and sizes"};
constexpr RefusedOperator quantizedOnly{"it is for quantized tensors, whose kernels nobody has checked"};
constexpr RefusedOperator oneToOne{"only the graph of the other rank says what is sent or received"};

using namespace checks;
constexpr auto table = std::to_array<OperatorClass>({
#include "core/engine/sandbox/operator_classes.inc"
});

constexpr bool byName(const OperatorClass& a, const OperatorClass& b) {
    return a.name < b.name;
}
static_assert(std::is_sorted(table.begin(), table.end(), byName), "operator_classes.inc is sorted by name");
static_assert(std::adjacent_find(table.begin(), table.end(),
                                 [](const auto& a, const auto& b) { return a.name == b.name; }) ==
                  table.end(),
              "operator_classes.inc has each name once");

using Names = std::unordered_set<std::string>;

const Names& builtIn() {
    static const Names names = [] {
        Names out;
        for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames())
            out.insert(name.name);
        return out;
    }();
    return names;
}

} // namespace

const OperatorClass* operatorClass(std::string_view name) {
    const auto found = std::lower_bound(table.begin(), table.end(), OperatorClass(name, safe), byName);
    return found == table.end() || found->name != name ? nullptr : &*found;
}

std::span<const OperatorClass> operatorClasses() {
    return table;
}

bool isBuiltInOperator(std::string_view name) {
    return builtIn().contains(std::string(name));
}

void rememberBuiltInOperators() {
    static_cast<void>(builtIn());
}

} // namespace dynascope::engine
