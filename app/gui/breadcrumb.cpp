// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/breadcrumb.h"

#include "app/gui/pages.h"
#include "views/theme/shown_text.h"
#include "views/workspace/labels.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QToolButton>
#include <algorithm>

namespace dynascope::app {

using namespace views;

namespace {

/// Beyond it a menu is no longer a list to read; the palette finds the rest
constexpr std::size_t menuLimit = 40;

/// "&" would become a mnemonic.
QString menuText(QString text) {
    return text.replace(u'&', QStringLiteral("&&"));
}

const session::Frame* frameOf(const session::Session& session, std::size_t compile) {
    for (const session::Frame& frame : session.frames)
        if (std::find(frame.compiles.begin(), frame.compiles.end(), compile) != frame.compiles.end())
            return &frame;
    return nullptr;
}

} // namespace

Breadcrumb::Breadcrumb(Workspace& workspace, Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_workspace(workspace)
    , m_theme(theme)
    , m_row(new QHBoxLayout(this)) {
    setObjectName(QStringLiteral("breadcrumb"));
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_row->setContentsMargins(4, 0, 4, 0);
    m_row->setSpacing(0);
    connect(&m_workspace, &Workspace::placeChanged, this, [this](const Place& now, const Place& before) {
        if (now.capture != before.capture || now.compile != before.compile || now.page != before.page)
            rebuild();
    });
    connect(&m_workspace, &Workspace::captureClosed, this, &Breadcrumb::rebuild);
    connect(&m_workspace, &Workspace::captureReplaced, this, &Breadcrumb::rebuild);
    connect(&m_theme, &Theme::changed, this, &Breadcrumb::rebuild);
    rebuild();
}

void Breadcrumb::rebuild() {
    while (QLayoutItem* item = m_row->takeAt(0)) {
        if (QWidget* widget = item->widget()) widget->deleteLater();
        delete item;
    }
    m_parts.clear();
    const session::Session* session = m_workspace.session();
    if (session) {
        const Place& place = m_workspace.place();
        const session::Compile* compile = m_workspace.compile();
        const PageSpec* spec = pageSpec(place.page);
        const PageSpec::About about = spec ? spec->about : PageSpec::About::Compile;
        const QString page = spec && spec->inPath ? spec->title : QString();
        addPart(toQString(session->title), page.isEmpty() && !compile,
                [this](QMenu& menu) { fillCaptures(menu); });
        if (about == PageSpec::About::Capture) compile = nullptr;
        if (compile && session->ranks.size() > 1)
            addPart(tr("rank %1").arg(compile->rank), false, [this](QMenu& menu) { fillRanks(menu); });
        if (about == PageSpec::About::Compile && compile && compile->id.frame >= 0) {
            if (const session::Frame* frame = frameOf(*session, std::size_t(place.compile)))
                addPart(toQString(frame->function) + u' ' + placeText(frame->location), false,
                        [this](QMenu& menu) { fillFrames(menu); });
            addPart(toQString(compile->id.toString()), page.isEmpty(),
                    [this](QMenu& menu) { fillCompiles(menu); });
        }
        if (!page.isEmpty()) addPart(page, true, [this](QMenu& menu) { fillPages(menu); });
    }
    m_row->addStretch(1);
}

void Breadcrumb::addPart(const QString& text, bool last, const std::function<void(QMenu&)>& fill) {
    if (!m_parts.isEmpty()) {
        auto* arrow = new QLabel(QStringLiteral("›"), this);
        arrow->setProperty("role", "hint");
        m_row->addWidget(arrow);
    }
    m_parts << text;
    auto* button = new QToolButton(this);
    button->setText(menuText(
        elided(QFontMetrics(m_theme.font(FontRole::Text)), text, Qt::ElideMiddle, m_theme.scaled(220))));
    button->setToolTip(text);
    button->setFont(m_theme.font(last ? FontRole::Strong : FontRole::Text));
    button->setPopupMode(QToolButton::InstantPopup);
    button->setFocusPolicy(Qt::TabFocus);
    auto* menu = new QMenu(button);
    connect(menu, &QMenu::aboutToShow, this, [menu, fill] {
        menu->clear();
        fill(*menu);
    });
    button->setMenu(menu);
    m_row->addWidget(button);
}

void Breadcrumb::addCompileAction(QMenu& menu, std::size_t compile, const QString& text) const {
    const int capture = m_workspace.place().capture;
    QAction* action = menu.addAction(menuText(text));
    action->setCheckable(true);
    action->setChecked(int(compile) == m_workspace.place().compile);
    connect(action, &QAction::triggered, &m_workspace,
            [this, capture, compile] { m_workspace.selectCompile(capture, int(compile)); });
}

void Breadcrumb::fillCaptures(QMenu& menu) const {
    for (int i = 0; i < int(m_workspace.captures().size()); ++i) {
        QAction* action =
            menu.addAction(menuText(toQString(m_workspace.captures()[std::size_t(i)].session->title)));
        action->setCheckable(true);
        action->setChecked(i == m_workspace.place().capture);
        connect(action, &QAction::triggered, &m_workspace, [this, i] {
            Place place;
            place.capture = i;
            place.page = m_workspace.place().page; // which says what the other capture lacks for it
            m_workspace.go(place);
        });
    }
}

void Breadcrumb::fillRanks(QMenu& menu) const {
    const session::Session& session = *m_workspace.session();
    const session::Compile* here = m_workspace.compile();
    for (const int rank : session.ranks) {
        // The same compile id of another rank, or that rank's first compile.
        std::size_t target = SIZE_MAX;
        for (std::size_t i = 0; i < session.compiles.size(); ++i) {
            const session::Compile& c = session.compiles[i];
            if (c.rank != rank) continue;
            if (target == SIZE_MAX) target = i;
            if (here && c.id == here->id) target = i;
        }
        if (target != SIZE_MAX) addCompileAction(menu, target, tr("rank %1").arg(rank));
    }
}

void Breadcrumb::fillFrames(QMenu& menu) const {
    const session::Session& session = *m_workspace.session();
    const session::Compile* here = m_workspace.compile();
    std::size_t shown = 0;
    for (const session::Frame& frame : session.frames) {
        if (frame.compiles.empty() || (here && std::pair(frame.rank, frame.run) != here->origin())) continue;
        if (++shown > menuLimit) {
            menu.addAction(tr("%1 more: Ctrl+K, then #").arg(session.frames.size() - menuLimit))
                ->setEnabled(false);
            break;
        }
        addCompileAction(menu, frame.compiles.front(),
                         toQString(frame.function) + u' ' + placeText(frame.location));
    }
}

void Breadcrumb::fillCompiles(QMenu& menu) const {
    const session::Session& session = *m_workspace.session();
    const session::Frame* frame = frameOf(session, std::size_t(m_workspace.place().compile));
    if (!frame) return;
    std::size_t shown = 0;
    for (const std::size_t compile : frame->compiles) {
        if (++shown > menuLimit) {
            menu.addAction(tr("%1 more: Ctrl+K, then #").arg(frame->compiles.size() - menuLimit))
                ->setEnabled(false);
            break;
        }
        const session::Compile& c = session.compiles[compile];
        addCompileAction(menu, compile, toQString(c.id.toString()) + QStringLiteral("  ") + statusChip(c));
    }
}

void Breadcrumb::fillPages(QMenu& menu) const {
    connect(menu.addAction(tr("Stages")), &QAction::triggered, &m_workspace, [this] {
        Place place = m_workspace.place();
        place.page = Page::Stages;
        m_workspace.go(place);
    });
}

} // namespace dynascope::app
