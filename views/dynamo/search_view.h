// SPDX-License-Identifier: BSD-3-Clause
//
// What a search of a recording found, by step.
#pragma once

#include "core/dynamo/search.h"

#include <QWidget>

class QLabel;

namespace dynascope::views {

class RowTable;
class Theme;

/// GUI thread only.
class SearchView : public QWidget {
    Q_OBJECT
public:
    explicit SearchView(Theme& theme, QWidget* parent = nullptr);

    void setResult(const QString& text, dynamo::SearchResult result);
    void setMessage(const QString& text);
    [[nodiscard]] const std::vector<dynamo::SearchHit>& hits() const { return m_result.hits; }
    /// The hit after or before a step; noStep where there is none.
    [[nodiscard]] dynamo::StepIndex neighbour(dynamo::StepIndex step, bool back) const;
    /// Selects the hit at a step, if there is one.
    void setStep(dynamo::StepIndex step);

signals:
    void stepChosen(dynascope::dynamo::StepIndex step);

private:
    dynamo::SearchResult m_result;
    RowTable* m_table;
    QLabel* m_caption;
};

} // namespace dynascope::views
