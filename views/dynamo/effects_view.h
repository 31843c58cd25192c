// SPDX-License-Identifier: BSD-3-Clause
//
// Side effects of a recording's graphs: what Dynamo tracked, what it took for changed and why, and how
// generated code makes the changes real, step by step.
#pragma once

#include "core/dynamo/side_effects.h"

#include <QWidget>

class QComboBox;
class QLabel;

namespace dynascope::views {

class RowTable;
class Theme;

struct EffectReports {
    std::vector<dynamo::SideEffectReport> graphs;
    std::vector<dynamo::RefusedEffect> refused;
};

/// GUI thread only.
class EffectsView : public QWidget {
    Q_OBJECT
public:
    explicit EffectsView(Theme& theme, QWidget* parent = nullptr);

    void setReports(dynamo::RecordingPtr recording, EffectReports reports);

signals:
    void stepChosen(dynascope::dynamo::StepIndex step);

private:
    void showGraph(int index);

    dynamo::RecordingPtr m_recording;
    EffectReports m_reports;
    QComboBox* m_graphs;
    RowTable *m_objects, *m_replay, *m_refused;
    QWidget* m_refusedBox;
    QLabel *m_note, *m_verdict;
};

} // namespace dynascope::views
