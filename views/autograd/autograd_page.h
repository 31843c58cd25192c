// SPDX-License-Identifier: BSD-3-Clause
//
// The page about AOTAutograd: the joint graph cut in two, what is saved, what aliases and writes what,
// and how the compiled function is called.
#pragma once

#include "views/theme/theme.h"
#include "views/workspace/page_spec.h"
#include "views/workspace/workspace.h"

#include <QWidget>

class QComboBox;
class QStackedWidget;
class QTabBar;

namespace dynascope::views {

class AliasPanel;
class ConventionPanel;
class MetadataPanel;
class Rederivations;
class SplitPanel;

/// GUI thread only. Shows the workspace's current compile; another compile comes up in a view that has
/// something to show of it.
class AutogradPage : public QWidget, public CentrePage {
    Q_OBJECT
public:
    static constexpr Page id = Page::Autograd;
    enum Tab { SplitTab, AliasTab, MetadataTab, ConventionTab };

    AutogradPage(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);

    [[nodiscard]] SplitPanel* split() const { return m_split; }
    [[nodiscard]] ConventionPanel* convention() const { return m_convention; }
    /// Where derived metadata comes from; it outlives the page.
    void setRederived(Rederivations& rederived);
    [[nodiscard]] QTabBar* tabs() const { return m_tabs; }
    void applyDefaultSizes(int windowWidth) override;

private:
    void follow();
    [[nodiscard]] bool hasContent(Tab tab) const; ///< of the current compile; cheap
    void showFirstWithContent();

    Workspace& m_workspace;
    SplitPanel* m_split;
    AliasPanel* m_alias;
    MetadataPanel* m_metadata;
    ConventionPanel* m_convention;
    QTabBar* m_tabs;
    QComboBox* m_compiles;
    QStackedWidget* m_pages;
    session::SessionPtr m_session;
    const session::Compile* m_compile = nullptr;
};

[[nodiscard]] PageSpec autogradPageSpec();

} // namespace dynascope::views
