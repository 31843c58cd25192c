// SPDX-License-Identifier: BSD-3-Clause
//
// The panels that can be asked for: the docks of the window, and the texts below the canvases.
#pragma once

#include <QMetaType>
#include <QString>
#include <optional>
#include <utility>

namespace dynascope::views {

enum class PanelId {
    Capture,
    Inspector,
    Guards,
    Inputs,
    Modules,
    Values,
    Provenance,
    Problems,
    Records,
    Notes,
    CompileTime,
    Lesson,
    PassSteps,
    TextDiff,
    Source,
    Bytecode,
    OutputCode
};

/// As session files, settings and the links of the inspector write them; never changed.
inline constexpr std::pair<PanelId, const char*> panelNames[] = {
    {PanelId::Capture, "capture"},       {PanelId::Inspector, "inspector"},     {PanelId::Guards, "guards"},
    {PanelId::Inputs, "inputs"},         {PanelId::Modules, "modules"},         {PanelId::Values, "values"},
    {PanelId::Provenance, "provenance"}, {PanelId::Problems, "problems"},       {PanelId::Records, "records"},
    {PanelId::Notes, "notes"},           {PanelId::CompileTime, "compiletime"}, {PanelId::Lesson, "lesson"},
    {PanelId::PassSteps, "passsteps"},   {PanelId::TextDiff, "textdiff"},       {PanelId::Source, "source"},
    {PanelId::Bytecode, "bytecode"},     {PanelId::OutputCode, "outputcode"}};

[[nodiscard]] inline QString panelName(PanelId panel) {
    for (const auto& [id, name] : panelNames)
        if (id == panel) return QLatin1String(name);
    return {};
}

[[nodiscard]] inline std::optional<PanelId> panelNamed(const QString& text) {
    for (const auto& [id, name] : panelNames)
        if (text == QLatin1String(name)) return id;
    return std::nullopt;
}

} // namespace dynascope::views

Q_DECLARE_METATYPE(dynascope::views::PanelId)
