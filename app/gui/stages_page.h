// SPDX-License-Identifier: BSD-3-Clause
//
// The centre while a compile is looked at: timeline, canvases, and the texts below them.
#pragma once

#include "views/theme/theme.h"
#include "views/workspace/page_spec.h"

#include <QJsonObject>
#include <QWidget>
#include <map>
#include <vector>

class QSplitter;
class QTabWidget;

namespace dynascope::views {
class CompareView;
class TimelineView;
class Panel;
class TextDiffPanel;
} // namespace dynascope::views

namespace dynascope::app {

class StagesPage : public QWidget, public views::CentrePage {
    Q_OBJECT
public:
    static constexpr views::Page id = views::Page::Stages;
    StagesPage(views::Workspace& workspace, views::Theme& theme, QWidget* parent = nullptr);

    [[nodiscard]] views::CompareView* compare() const { return m_compare; }
    [[nodiscard]] views::TimelineView* timeline() const { return m_timeline; }
    [[nodiscard]] QTabWidget* tabs() const { return m_tabs; }
    /// Raises text diff, source, bytecode or output code; false for other panels.
    bool raisePanel(views::PanelId panel);
    [[nodiscard]] const std::vector<views::PanelId>& panels() const { return m_order; } ///< those, as tabs

    void applyDefaultSizes(int windowWidth) override;
    [[nodiscard]] bool isSettled() const override;
    [[nodiscard]] QByteArray saveState() const override;
    void restoreState(const QByteArray& state) override;
    /// For a session file: text panel in front, canvas mode, shares of the splitter.
    [[nodiscard]] QJsonObject state() const;
    void restore(const QJsonObject& state);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void setWide(bool wide);
    void followStages();
    /// One graph has its text beside it where there is room, two have theirs below.
    void arrangeTexts();
    void moveTools(bool intoPanel);

    views::Workspace& m_workspace;
    views::Theme& m_theme;
    views::TimelineView* m_timeline;
    QSplitter* m_split;
    views::CompareView* m_compare;
    QSplitter* m_texts;
    QTabWidget* m_tabs;
    views::TextDiffPanel* m_textDiff;
    std::map<views::PanelId, views::Panel*> m_panels;
    std::vector<views::PanelId> m_order;
    QWidget* m_tools;             ///< of the text diff
    QByteArray m_below, m_beside; ///< what the splitter was like with the texts there
    bool m_textsBeside = false;
    int m_lastCodeStage = -1;
    bool m_wide = false;
};

[[nodiscard]] views::PageSpec stagesPageSpec();

} // namespace dynascope::app
