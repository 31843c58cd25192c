// SPDX-License-Identifier: BSD-3-Clause
#include "views/autograd/autograd_page.h"

#include "views/autograd/alias_panel.h"
#include "views/autograd/convention_panel.h"
#include "views/autograd/split_panel.h"
#include "views/models/labels.h"
#include "views/text/page_parts.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>

namespace dynascope::views {

AutogradPage::AutogradPage(Workspace& workspace, Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_workspace(workspace)
    , m_split(new SplitPanel(workspace, theme))
    , m_alias(new AliasPanel(workspace, theme))
    , m_convention(new ConventionPanel(workspace, theme))
    , m_tabs(new QTabBar)
    , m_compiles(new QComboBox)
    , m_pages(new QStackedWidget) {
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
    m_tabs->setTabToolTip(AliasTab, tr("Which inputs are written and how, and which outputs look at what"));
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
    m_pages->addWidget(m_split);
    m_pages->addWidget(m_alias);
    m_pages->addWidget(m_convention);
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
}

void AutogradPage::applyDefaultSizes(int windowWidth) {
    m_split->applyDefaultSizes(windowWidth);
}

} // namespace dynascope::views
