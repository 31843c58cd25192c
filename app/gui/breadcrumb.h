// SPDX-License-Identifier: BSD-3-Clause
//
// Where we are: capture, rank, frame, compile. Each part opens a list of its siblings.
#pragma once

#include "views/theme/theme.h"
#include "views/workspace/workspace.h"

#include <QWidget>
#include <functional>

class QHBoxLayout;
class QMenu;

namespace dynascope::app {

class Breadcrumb : public QWidget {
    Q_OBJECT
public:
    Breadcrumb(views::Workspace& workspace, views::Theme& theme, QWidget* parent = nullptr);
    [[nodiscard]] QStringList parts() const { return m_parts; }

private:
    void rebuild();
    void addPart(const QString& text, bool last, const std::function<void(QMenu&)>& fill);
    void fillCaptures(QMenu& menu) const;
    void fillRanks(QMenu& menu) const;
    void fillFrames(QMenu& menu) const;
    void fillCompiles(QMenu& menu) const;
    void fillPages(QMenu& menu) const;
    void addCompileAction(QMenu& menu, std::size_t compile, const QString& text) const;

    views::Workspace& m_workspace;
    views::Theme& m_theme;
    QHBoxLayout* m_row;
    QStringList m_parts;
};

} // namespace dynascope::app
