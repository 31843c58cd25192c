// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/torch_level/call.h"

#include "core/base/text.h"

#include <algorithm>
#include <charconv>

namespace dynascope::engine::torch_level {

namespace {

Value literal(std::string_view text) {
    if (text == "None") return {};
    if (text == "True") return true;
    if (text == "False") return false;
    if (text == "()") return Value::tuple({});
    if (text.starts_with('\'')) return std::string(text.substr(1, text.size() - 2));
    if (text.find_first_of(".e") == std::string_view::npos) {
        std::int64_t number = 0;
        std::from_chars(text.data(), text.data() + text.size(), number);
        return number;
    }
    double number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

} // namespace

const Value* Call::keyword(std::string_view name) const {
    const auto found =
        std::find_if(kwargs.begin(), kwargs.end(), [&](const auto& kwarg) { return kwarg.first == name; });
    return found == kwargs.end() ? nullptr : &found->second;
}

Value Call::take(std::string_view name) {
    const auto found =
        std::find_if(kwargs.begin(), kwargs.end(), [&](const auto& kwarg) { return kwarg.first == name; });
    if (found == kwargs.end()) return {};
    Value out = std::move(found->second);
    kwargs.erase(found);
    return out;
}

Signature::Signature(std::string_view text) {
    bool keywordOnly = false;
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        const std::string_view word = trimmed(text.substr(0, comma));
        text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
        if (word == "*") {
            keywordOnly = true;
            continue;
        }
        Parameter& parameter = m_parameters.emplace_back();
        parameter.keywords = word.starts_with("**");
        parameter.rest = !parameter.keywords && word.starts_with('*');
        parameter.keywordOnly = keywordOnly;
        keywordOnly |= parameter.rest;
        const std::size_t equals = word.find('=');
        const std::size_t stars = word.find_first_not_of('*');
        parameter.name = word.substr(stars, equals == std::string_view::npos ? equals : equals - stars);
        if (equals != std::string_view::npos) parameter.fallback = literal(word.substr(equals + 1));
        parameter.required = equals == std::string_view::npos && !parameter.rest && !parameter.keywords;
    }
}

Arguments Signature::bind(const Call& call) const {
    std::vector<Value> values;
    std::size_t position = 0;
    std::vector<bool> used(call.kwargs.size());
    for (const Parameter& parameter : m_parameters) {
        if (parameter.rest) {
            values.push_back(
                Value::tuple({call.args.begin() + static_cast<std::ptrdiff_t>(position), call.args.end()}));
            position = call.args.size();
            continue;
        }
        if (parameter.keywords) {
            std::vector<Value> rest;
            for (std::size_t i = 0; i < call.kwargs.size(); ++i) {
                if (used[i]) continue;
                used[i] = true;
                rest.emplace_back(call.kwargs[i].first);
                rest.push_back(call.kwargs[i].second);
            }
            values.push_back(Value::dict(std::move(rest)));
            continue;
        }
        if (!parameter.keywordOnly && position < call.args.size()) {
            values.push_back(call.args[position++]);
            continue;
        }
        const auto named = std::find_if(call.kwargs.begin(), call.kwargs.end(),
                                        [&](const auto& kwarg) { return kwarg.first == parameter.name; });
        if (named != call.kwargs.end()) {
            used[static_cast<std::size_t>(named - call.kwargs.begin())] = true;
            values.push_back(named->second);
        } else {
            TORCH_CHECK_TYPE(!parameter.required, "argument '", parameter.name, "' is missing");
            values.push_back(parameter.fallback);
        }
    }
    TORCH_CHECK_TYPE(position == call.args.size(), "takes ", position, " positional arguments, not ",
                     call.args.size());
    for (std::size_t i = 0; i < used.size(); ++i)
        TORCH_CHECK_TYPE(used[i], "has no argument '", call.kwargs[i].first, "'");
    return {*this, std::move(values), call.context};
}

const Value& Arguments::operator[](std::string_view name) const {
    const auto& parameters = m_signature.m_parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (parameters[i].name == name) return m_values[i];
    }
    TORCH_INTERNAL_ASSERT(false, "no parameter '", name, "'");
}

Function functionOf(const Entry& entry) {
    return [signature = std::make_shared<const Signature>(entry.signature),
            run = entry.run](const Call& call) { return run(signature->bind(call)); };
}

} // namespace dynascope::engine::torch_level
