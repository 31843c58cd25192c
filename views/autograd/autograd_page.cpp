// SPDX-License-Identifier: BSD-3-Clause
#include "views/autograd/autograd_page.h"

#include "core/computed/joint_split.h"
#include "views/autograd/alias_panel.h"
#include "views/autograd/alias_rows.h"
#include "views/autograd/convention_panel.h"
#include "views/autograd/metadata_panel.h"
#include "views/autograd/split_panel.h"
#include "views/base/page_parts.h"
#include "views/workspace/labels.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>
#include <algorithm>

namespace dynascope::views {

AutogradPage::AutogradPage(Workspace& workspace, Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_workspace(workspace)
    , m_split(new SplitPanel(workspace, theme))
    , m_alias(new AliasPanel(workspace, theme))
    , m_metadata(new MetadataPanel(workspace, theme))
    , m_convention(new ConventionPanel(workspace, theme))
    , m_tabs(new QTabBar)
    , m_compiles(new QComboBox)
    , m_pages(new QStackedWidget) {
    m_compiles->setObjectName(QStringLiteral("autograd.compiles"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    QHBoxLayout* row = nullptr;
    QWidget* bar = headerBar(row);
    row->setContentsMargins(0, 0, 12, 0);
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->setAccessibleName(tr("Views"));
    m_tabs->addTab(tr("Forward and backward"));
    m_tabs->setTabToolTip(SplitTab, tr("Where the joint graph is cut, and what is saved for backward"));
    m_tabs->addTab(tr("Alias and mutation"));
    m_tabs->setTabToolTip(AliasTab, tr("Which inputs are written and how, and which outputs alias what"));
    m_tabs->addTab(tr("Metadata"));
    m_tabs->setTabToolTip(MetadataTab,
                          tr("ViewAndMutationMeta as PyTorch recorded it beside what the engine derives"));
    m_tabs->addTab(tr("Calling convention"));
    m_tabs->setTabToolTip(ConventionTab,
                          tr("From the program's arguments to the graph's and back, step by step"));
    row->addWidget(m_tabs);
    row->addStretch(1);
    m_compiles->setAccessibleName(tr("Compile"));
    m_compiles->setToolTip(tr("The compile that is shown"));
    m_compiles->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    row->addWidget(m_compiles);
    column->addWidget(bar);
    for (CompilePanel* panel :
         {static_cast<CompilePanel*>(m_split), static_cast<CompilePanel*>(m_alias),
          static_cast<CompilePanel*>(m_metadata), static_cast<CompilePanel*>(m_convention)}) {
        m_pages->addWidget(panel); // in the order of the tabs
        connect(panel, &CompilePanel::elsewhereRequested, this, &AutogradPage::showFirstWithContent);
    }
    column->addWidget(m_pages, 1);
    setFocusProxy(m_split);
    connect(m_tabs, &QTabBar::currentChanged, this, [this](int tab) {
        m_pages->setCurrentIndex(tab);
        setFocusProxy(m_pages->currentWidget());
    });
    connect(m_compiles, &QComboBox::activated, this, [this](int compile) {
        Place place = m_workspace.place();
        place.compile = compile;
        place.node = {};
        m_workspace.go(place);
    });
    connect(&m_workspace, &Workspace::placeChanged, this, &AutogradPage::follow);
    connect(&m_workspace, &Workspace::captureClosed, this, &AutogradPage::follow);
    follow();
}

void AutogradPage::follow() {
    const session::SessionPtr session = m_workspace.capture() ? m_workspace.capture()->session : nullptr;
    if (session != m_session) {
        m_session = session;
        m_compiles->clear();
        if (session)
            for (const session::Compile& compile : session->compiles)
                m_compiles->addItem(toQString(session::compileName(*session, compile)) + u' ' +
                                    frameText(compile));
    }
    m_compiles->setVisible(m_compiles->count() > 1);
    m_compiles->setCurrentIndex(m_workspace.place().compile);
    if (const session::Compile* compile = m_workspace.compile(); compile != m_compile) {
        m_compile = compile;
        if (compile && !hasContent(Tab(m_tabs->currentIndex()))) showFirstWithContent();
    }
}

bool AutogradPage::hasContent(Tab tab) const {
    if (!m_compile) return false;
    switch (tab) {
    case SplitTab: {
        const std::vector<std::size_t> training = computed::trainingCompiles(*m_session);
        return std::binary_search(training.begin(), training.end(),
                                  std::size_t(m_compile - m_session->compiles.data()));
    }
    case AliasTab:
    case MetadataTab:
        return computed::hasMetadata(*m_session, *m_compile);
    case ConventionTab:
        return m_session->kind == session::Kind::OracleCase || computed::hasMetadata(*m_session, *m_compile);
    }
    return false;
}

void AutogradPage::showFirstWithContent() {
    for (const Tab tab : {SplitTab, AliasTab, MetadataTab, ConventionTab})
        if (hasContent(tab)) return m_tabs->setCurrentIndex(tab);
}

void AutogradPage::setRederived(Rederivations& rederived) {
    m_metadata->setRederived(rederived);
}

void AutogradPage::applyDefaultSizes(int windowWidth) {
    m_split->applyDefaultSizes(windowWidth);
}

} // namespace dynascope::views
