// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/words.h"
#include "core/layout/module_paths.h"

namespace dynascope::layout {

namespace {

constexpr int maxModuleDepth = 100; ///< names come from captures; what is deeper counts as this deep

} // namespace

PathId PathTable::child(PathId parent, std::string_view component) {
    const auto [at, isNew] = m_children.try_emplace({parent, std::string(component)}, PathId(m_nodes.size()));
    if (isNew) m_nodes.push_back({parent, std::string(component), m_nodes[parent].depth + 1});
    return at->second;
}

PathId PathTable::add(PathId parent, std::string_view component) {
    m_nodes.push_back({parent, std::string(component), m_nodes[parent].depth + 1});
    return PathId(m_nodes.size() - 1);
}

PathId PathTable::moduleOf(std::string_view tensor) {
    const std::size_t last = tensor.rfind('.');
    if (last == std::string_view::npos) return rootPath;
    std::string_view rest = tensor.substr(0, last);
    std::vector<std::string> components;
    while (!rest.empty()) {
        const std::size_t dot = rest.find('.');
        const std::string_view piece = rest.substr(0, dot);
        if (isDigits(piece) && !components.empty())
            components.back() += '.' + std::string(piece);
        else
            components.emplace_back(piece);
        rest = dot == std::string_view::npos ? std::string_view{} : rest.substr(dot + 1);
    }
    PathId id = rootPath;
    for (const std::string& c : components) {
        if (depth(id) >= maxModuleDepth) break;
        id = child(id, c);
    }
    return id;
}

PathId PathTable::common(PathId a, PathId b) const {
    while (a != b) {
        if (m_nodes[a].depth >= m_nodes[b].depth)
            a = m_nodes[a].parent;
        else
            b = m_nodes[b].parent;
    }
    return a;
}

PathId PathTable::ancestor(PathId id, int depth) const {
    while (m_nodes[id].depth > depth) {
        id = m_nodes[id].parent;
    }
    return id;
}

} // namespace dynascope::layout
