// SPDX-License-Identifier: BSD-3-Clause
#include "views/palette/palette.h"

#include "views/inductor/pass_place.h"
#include "views/palette/palette_model.h"
#include "views/workspace/break_place.h"
#include "views/workspace/labels.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

namespace dynascope::views {

namespace {
constexpr int recentLimit = 40;
constexpr int shadow = 10;
const QString taskTag = QStringLiteral("palette");
} // namespace

Palette::Palette(Workspace& workspace, Theme& theme, QWidget* window)
    : QFrame(window)
    , m_workspace(workspace)
    , m_theme(theme)
    , m_field(new QLineEdit(this))
    , m_list(new QListView(this))
    , m_model(new PaletteModel(this))
    , m_summary(new QLabel(this))
    , m_icon(new QLabel(this)) {
    setObjectName(QStringLiteral("palette"));
    m_field->setObjectName(QStringLiteral("palette.field"));
    hide();
    m_field->setFrame(false);
    m_field->setPlaceholderText(tr("Search nodes, source, frames, passes, notes, actions"));
    m_field->setAccessibleName(tr("Palette"));
    m_field->installEventFilter(this);
    m_list->setModel(m_model);
    m_list->setItemDelegate(new PaletteDelegate(theme, m_list));
    m_list->setMouseTracking(true);
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_summary->setTextFormat(Qt::PlainText);
    m_summary->setProperty("role", "label");

    auto* head = new QHBoxLayout;
    head->setContentsMargins(14, 8, 12, 8);
    head->setSpacing(6);
    head->addWidget(m_icon);
    head->addWidget(m_field, 1);
    // The kinds have a row of their own, so that the field shows all of what is typed.
    auto* kinds = new QHBoxLayout;
    kinds->setContentsMargins(14, 0, 12, 8);
    kinds->setSpacing(6);
    const auto chip = [&](std::optional<PaletteKind> kind, const QString& text) {
        auto* button = new QToolButton(this);
        button->setText(text);
        button->setCheckable(true);
        button->setFocusPolicy(Qt::NoFocus);
        button->setProperty("chip", true);
        connect(button, &QToolButton::clicked, this, [this, kind] { narrow(kind); });
        kinds->addWidget(button);
        m_chips.emplace_back(kind, button);
    };
    chip(std::nullopt, tr("Everything"));
    chip(PaletteKind::Action, tr("> actions"));
    chip(PaletteKind::Node, tr("@ nodes"));
    chip(PaletteKind::Module, tr("% modules"));
    chip(PaletteKind::Source, tr("/ source"));
    chip(PaletteKind::Frame, tr("# frames"));
    chip(PaletteKind::Note, tr("* notes"));
    chip(PaletteKind::Pass, tr("~ passes"));
    kinds->addStretch(1);

    m_none = new QLabel(
        tr("Nothing matches. The first letter narrows the search, and may be in the way: > actions, "
           "@ nodes, % modules, / source, # frames, * notes, ~ passes."),
        this);
    m_none->setObjectName(QStringLiteral("palette.none"));
    m_none->setTextFormat(Qt::PlainText);
    m_none->setWordWrap(true);
    m_none->setAlignment(Qt::AlignCenter);
    m_none->setMargin(24);
    m_none->setProperty("role", "label");
    m_none->hide();
    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(14, 5, 14, 6);
    auto* keys =
        new QLabel(tr("Enter opens    Ctrl+Enter opens beside as B    Tab narrows to this kind"), this);
    keys->setProperty("role", "label");
    foot->addWidget(keys);
    foot->addStretch(1);
    foot->addWidget(m_summary);

    auto* box = new QVBoxLayout(this);
    box->setContentsMargins(shadow + 1, shadow + 1, shadow + 1, shadow + 1);
    box->setSpacing(0);
    box->addLayout(head);
    box->addLayout(kinds);
    const auto line = [this] {
        auto* separator = new QFrame(this);
        separator->setProperty("box", "line");
        separator->setFixedHeight(1);
        return separator;
    };
    box->addWidget(line());
    box->addWidget(m_list, 1);
    box->addWidget(m_none, 1);
    box->addWidget(line());
    box->addLayout(foot);

    connect(m_field, &QLineEdit::textChanged, this, &Palette::search);
    connect(m_list, &QListView::clicked, this,
            [this] { choose(QApplication::keyboardModifiers() & Qt::ControlModifier); });
    connect(&m_theme, &Theme::changed, this, &Palette::restyle);
    window->installEventFilter(this);
    restyle();
}

Palette::~Palette() = default;

void Palette::setActionSource(std::function<std::vector<PaletteAction>()> source) {
    m_actions = std::move(source);
}

void Palette::restyle() {
    m_icon->setPixmap(m_theme.icon(QStringLiteral("search"), m_theme.colours().accent)
                          .pixmap(QSize(18, 18), devicePixelRatioF()));
    QFont font = m_theme.font(FontRole::Text);
    font.setPixelSize(m_theme.scaled(14));
    m_field->setStyleSheet(
        QStringLiteral("QLineEdit { background: transparent; border: 0; font-size: %1px; }")
            .arg(font.pixelSize()));
    update();
}

void Palette::open(const QString& query) {
    auto data = std::make_shared<PaletteData>();
    if (m_actions) data->actions = m_actions();
    if (m_notes) data->notes = m_notes();
    for (const Workspace::Capture& capture : m_workspace.captures()) {
        const int index = int(data->sessions.size());
        data->sessions.push_back(capture.session);
        const std::vector<session::BreakGroup>& groups = capture.breaks.groups;
        for (std::size_t g = 0; g < groups.size(); ++g)
            data->breaks.push_back({index, int(g), toQString(groups[g].reason),
                                    QStringLiteral("%1:%2  %3")
                                        .arg(fileName(groups[g].location.file))
                                        .arg(groups[g].location.line)
                                        .arg(toQString(capture.session->title))});
    }
    const Place& place = m_workspace.place();
    data->capture = place.capture;
    data->compile = place.compile;
    for (int i = 0; i < m_workspace.stageCount(); ++i)
        data->stages.push_back(m_workspace.stageAt(i));
    data->stageA = place.stageA;
    data->stageB = place.stageB;
    data->recent = m_recent;
    m_data = std::move(data);
    if (!isVisible()) m_focusBefore = window()->focusWidget();
    this->place();
    show();
    raise();
    m_field->setFocus(Qt::PopupFocusReason);
    if (m_field->text() == query)
        search();
    else
        m_field->setText(query);
    m_field->setCursorPosition(int(query.size()));
}

void Palette::dismiss() {
    if (!isVisible()) return;
    m_workspace.tasks().cancel(taskTag);
    hide();
    if (m_focusBefore) m_focusBefore->setFocus(Qt::PopupFocusReason);
    m_data.reset();
}

void Palette::place() {
    const QWidget* over = parentWidget();
    const int width = std::min(m_theme.scaled(660), over->width() - 40) + 2 * shadow;
    const int height = std::min(m_theme.scaled(500), over->height() - m_theme.scaled(130)) + 2 * shadow;
    setGeometry((over->width() - width) / 2, m_theme.scaled(90) - shadow, width, height);
}

void Palette::narrow(std::optional<PaletteKind> kind) {
    QString text = m_field->text();
    if (paletteKind(text)) text.remove(0, 1);
    m_field->setText(kind ? palettePrefix(*kind) + text : text);
    m_field->setFocus();
}

void Palette::search() {
    if (!m_data) return;
    const QString query = m_field->text();
    const auto kind = paletteKind(query);
    for (const auto& [chipKind, button] : m_chips)
        button->setChecked(chipKind == kind);
    m_workspace.tasks().run<PaletteResult>(
        taskTag, this,
        [data = m_data, query](const TaskContext& task) { return searchPalette(*data, query, task); },
        [this](PaletteResult result) {
            const std::size_t count = result.hits.size();
            m_summary->setText(count == 0
                                   ? tr("Nothing matches")
                                   : tr("%1, %2 ms")
                                         .arg(countText(count, tr("result"), tr("results")))
                                         .arg(result.milliseconds, 0, 'f', result.milliseconds < 10 ? 1 : 0));
            m_model->setResult(std::move(result));
            m_none->setVisible(count == 0);
            m_list->setVisible(count > 0);
            moveCurrent(0);
        });
}

void Palette::moveCurrent(int rows) {
    const int count = m_model->rowCount();
    int row = m_list->currentIndex().row();
    if (rows == 0) row = -1;
    const int direction = rows < 0 ? -1 : 1;
    for (int step = 0; step < std::max(1, std::abs(rows)); ++step) {
        int next = row + direction;
        while (next >= 0 && next < count && !m_model->hit(next))
            next += direction;
        if (next < 0 || next >= count) break;
        row = next;
    }
    if (row < 0) return;
    m_list->setCurrentIndex(m_model->index(row));
    // The heading above the first row of a group comes into view with it.
    if (row > 0 && !m_model->hit(row - 1)) m_list->scrollTo(m_model->index(row - 1));
    m_list->scrollTo(m_model->index(row));
}

void Palette::choose(bool beside) {
    const PaletteHit* hit = m_model->hit(m_list->currentIndex().row());
    if (!hit) return;
    if (!hit->needs.isEmpty()) {
        m_summary->setText(hit->title + QStringLiteral(": ") + hit->needs);
        return;
    }
    const PaletteHit chosen = *hit;
    m_recent.removeAll(chosen.id);
    m_recent.prepend(chosen.id);
    while (m_recent.size() > recentLimit)
        m_recent.removeLast();
    dismiss();
    go(chosen, beside);
}

void Palette::go(const PaletteHit& hit, bool beside) {
    switch (hit.kind) {
    case PaletteKind::Action:
        emit actionChosen(hit.id.mid(1));
        break;
    case PaletteKind::Note:
        emit noteChosen(hit.capture, hit.address);
        break;
    case PaletteKind::Frame: {
        if (hit.breakGroup < 0) {
            m_workspace.selectCompile(hit.capture, hit.compile);
            break;
        }
        Place place = m_workspace.place();
        if (place.capture != hit.capture) {
            place = {};
            place.capture = hit.capture;
        }
        setBreak(place, hit.breakGroup);
        m_workspace.go(place);
        break;
    }
    case PaletteKind::Pass: {
        Place place = m_workspace.place();
        if (place.capture != hit.capture) {
            place = {};
            place.capture = hit.capture;
        }
        place.compile = hit.compile;
        place.page = Page::Inductor;
        place.own.set(PassPlace{hit.pass});
        m_workspace.go(place);
        break;
    }
    case PaletteKind::Source:
        if (hit.file.isEmpty()) {
            Place place = m_workspace.place();
            place.page = Page::Stages;
            place.stageB = hit.stage;
            place.node = {};
            m_workspace.go(place);
            m_workspace.selectCode(hit.stage, std::uint32_t(hit.line));
            emit m_workspace.panelRequested(PanelId::OutputCode);
            break;
        }
        emit m_workspace.panelRequested(PanelId::Source);
        emit m_workspace.sourceRequested(hit.file, hit.line);
        break;
    case PaletteKind::Node:
    case PaletteKind::Module: {
        Place place = m_workspace.place();
        place.page = Page::Stages;
        const bool inA = !beside && hit.stage == place.stageA && hit.stage != place.stageB;
        if (!inA) place.stageB = hit.stage;
        place.node = {inA ? Side::A : Side::B, hit.node};
        m_workspace.go(place);
        m_workspace.seekNode();
        break;
    }
    }
}

bool Palette::eventFilter(QObject* watched, QEvent* event) {
    if (watched == parentWidget()) {
        if (event->type() == QEvent::Resize && isVisible()) place();
        if (event->type() == QEvent::MouseButtonPress && isVisible()) dismiss();
        return false;
    }
    if (event->type() == QEvent::FocusOut && isVisible()) {
        // The window itself losing the focus keeps the palette; a click elsewhere in it does not.
        if (static_cast<QFocusEvent*>(event)->reason() == Qt::MouseFocusReason) dismiss();
        return false;
    }
    if (event->type() == QEvent::ShortcutOverride) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Escape || key == Qt::Key_Tab || key == Qt::Key_Return || key == Qt::Key_Enter)
            event->accept();
        return false;
    }
    if (event->type() != QEvent::KeyPress) return false;
    const auto* key = static_cast<QKeyEvent*>(event);
    switch (key->key()) {
    case Qt::Key_Escape:
        dismiss();
        return true;
    case Qt::Key_Down:
        moveCurrent(1);
        return true;
    case Qt::Key_Up:
        moveCurrent(-1);
        return true;
    case Qt::Key_PageDown:
        moveCurrent(8);
        return true;
    case Qt::Key_PageUp:
        moveCurrent(-8);
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        choose(key->modifiers() & Qt::ControlModifier);
        return true;
    case Qt::Key_Tab:
        if (const PaletteHit* hit = m_model->hit(m_list->currentIndex().row())) narrow(hit->kind);
        return true;
    default:
        return false;
    }
}

void Palette::paintEvent(QPaintEvent*) {
    const Colours& c = m_theme.colours();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF body = QRectF(rect()).adjusted(shadow, shadow, -shadow, -shadow);
    painter.setPen(Qt::NoPen);
    for (int i = shadow; i > 0; --i) {
        painter.setBrush(QColor(0, 0, 0, (c.dark ? 90 : 40) / shadow));
        painter.drawRoundedRect(body.adjusted(-i, -i + 2, i, i), 8 + i, 8 + i);
    }
    painter.setPen(c.line2);
    painter.setBrush(c.bg1);
    painter.drawRoundedRect(body.adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);
}

} // namespace dynascope::views
