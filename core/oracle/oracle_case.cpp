// SPDX-License-Identifier: BSD-3-Clause
#include "core/oracle/oracle_case.h"

#include "core/base/text.h"

#include <algorithm>

namespace dynascope::engine {

using nlohmann::json;

namespace {

/// Python and C++ name a tensor's type differently: [torch.FloatTensor [2]] and [CPUFloatType [2]].
std::string withoutTypes(std::string_view text) {
    std::string out(text);
    for (std::size_t open = out.find('['); open != std::string::npos; open = out.find('[', open + 1)) {
        const std::size_t end = out.find_first_of(" ]", open);
        if (end == std::string::npos) break;
        const std::string_view word = std::string_view(out).substr(open + 1, end - open - 1);
        if (word.ends_with("Tensor") || word.ends_with("Type")) out.erase(open + 1, end - open - 1);
    }
    return out;
}

} // namespace

bool sameCause(std::string_view expected, std::string_view got) {
    constexpr std::size_t compared = 120;
    return !expected.empty() &&
           withoutTypes(expected).substr(0, compared) == withoutTypes(got).substr(0, compared);
}

std::string firstDifferentLine(std::string_view expected, std::string_view got) {
    for (std::size_t line = 1;; ++line) {
        const std::string_view a = firstLine(expected);
        const std::string_view b = firstLine(got);
        if (a != b)
            return "line " + std::to_string(line) + " of the graph is '" + std::string(b) + "', expected '" +
                   std::string(a) + "'";
        if (a.size() == expected.size() || b.size() == got.size()) return "the graphs differ in length";
        expected.remove_prefix(a.size() + 1);
        got.remove_prefix(b.size() + 1);
    }
}

std::string joined(const json& sentences) {
    std::string out;
    if (!sentences.is_array()) return out;
    for (const json& sentence : sentences) {
        if (!sentence.is_string()) continue;
        if (!out.empty()) out += "; ";
        out += sentence.get<std::string>();
    }
    return out;
}

bool engineGone(const CallError& error) {
    return error.kind != CallError::Kind::Refused;
}

std::string lostGradMode(const json& oracleCase) {
    const std::string source = stringField(oracleCase, "python_source"),
                      graph = stringField(oracleCase, "before");
    const json& inputs = field(field(oracleCase, "inputs"), "inputs");
    const bool differentiates = std::any_of(inputs.begin(), inputs.end(), [](const json& input) {
        return field(input, "requires_grad") == true;
    });
    if (!differentiates || graph.find("grad_enabled") != std::string::npos ||
        graph.find("inference_mode") != std::string::npos)
        return {};
    for (const char* name :
         {"torch.no_grad()", "torch.enable_grad()", "torch.set_grad_enabled(", "torch.inference_mode("})
        if (source.find(name) != std::string::npos)
            return "the program calls " + std::string(name, std::string_view(name).find('(')) +
                   ", and make_fx does not record in the graph where the grad mode changes";
    return {};
}

std::string Part::difference(const json& expected, const json& got) {
    if (expected == got) return {};
    return "it is " + got.dump(-1, ' ', false, json::error_handler_t::replace) + ", expected " +
           expected.dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace dynascope::engine
