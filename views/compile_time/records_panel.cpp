// SPDX-License-Identifier: BSD-3-Clause
#include "views/compile_time/records_panel.h"

#include "core/base/json_indent.h"
#include "views/base/code_view.h"
#include "views/base/nothing_matches.h"
#include "views/theme/splitter.h"
#include "views/workspace/labels.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QStyle>
#include <QStyledItemDelegate>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace dynascope::views {

namespace {

/// Bytes of a header and of a payload: cut into lines in a frame
constexpr std::uint64_t shownAtFirst = 1U << 18U;
constexpr std::size_t mostLookups = 40; ///< that a menu holds

class RecordDelegate : public QStyledItemDelegate {
public:
    RecordDelegate(Theme& theme, QObject* parent)
        : QStyledItemDelegate(parent)
        , m_theme(theme) {}

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        option->font = m_theme.font(FontRole::CodeSmall);
        if (!index.data(RecordModel::KnownRole).toBool() && index.column() == RecordModel::Type) {
            option->palette.setColor(QPalette::Text, m_theme.colours().changed);
            option->palette.setColor(QPalette::HighlightedText, m_theme.colours().changed);
        }
    }

private:
    Theme& m_theme;
};

} // namespace

RecordsPanel::RecordsPanel(Workspace& workspace, Theme& theme, QWidget* parent)
    : Panel(workspace, theme, parent)
    , m_model(new RecordModel(this))
    , m_proxy(new RecordFilter(this))
    , m_list(new QTreeView)
    , m_filter(addFilter(tr("Filter by type"), m_list))
    , m_thisCompile(new QCheckBox(tr("This compile only")))
    , m_indent(new QCheckBox(tr("Indent JSON")))
    , m_find(new QLineEdit)
    , m_compare(new QToolButton)
    , m_note(new QLabel)
    , m_text(new CodeView(theme)) {
    m_text->setObjectName(QStringLiteral("records.text"));
    m_list->setObjectName(QStringLiteral("records.list"));
    m_proxy->setSourceModel(m_model);
    m_list->setModel(m_proxy);
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setSortingEnabled(true);
    m_list->sortByColumn(RecordModel::Line, Qt::AscendingOrder);
    m_list->setItemDelegate(new RecordDelegate(theme, m_list));
    m_list->setAccessibleName(tr("Records"));
    m_list->header()->resizeSection(RecordModel::Line, theme.scaled(84));
    m_list->header()->resizeSection(RecordModel::Type, theme.scaled(240));
    m_list->header()->resizeSection(RecordModel::CompileId, theme.scaled(100));
    m_list->header()->resizeSection(RecordModel::Size, theme.scaled(80));
    m_find->setPlaceholderText(tr("Find in this record"));
    m_find->setClearButtonEnabled(true);
    m_find->setMaximumWidth(theme.scaled(240));
    m_compare->setObjectName(QStringLiteral("compareLookup"));
    m_compare->setText(tr("Compare with"));
    m_compare->setToolTip(
        tr("Another lookup of the same cache: the keys, and what they were made from, beside each other"));
    m_compare->setPopupMode(QToolButton::InstantPopup);
    m_compare->setMenu(new QMenu(m_compare));
    m_compare->hide();
    m_note->setTextFormat(Qt::PlainText);
    m_note->setProperty("role", "label");
    m_text->setAccessibleName(tr("Record text"));
    m_indent->setObjectName(QStringLiteral("indentJson"));
    m_indent->setChecked(true);
    m_indent->setToolTip(
        tr("On several lines, every number and name as the file spells it. Off: byte for byte as "
           "the file has it."));

    const auto column = [](QWidget* widget, std::initializer_list<QWidget*> bar) {
        auto* box = new QVBoxLayout(widget);
        box->setContentsMargins(0, 0, 0, 0);
        box->setSpacing(0);
        auto* row = new QHBoxLayout;
        row->setContentsMargins(8, 5, 8, 5);
        row->setSpacing(8);
        for (QWidget* w : bar)
            row->addWidget(w, qobject_cast<QLabel*>(w) ? 1 : 0);
        box->addLayout(row);
        return box;
    };
    auto* left = new QWidget;
    column(left, {m_filter, m_thisCompile})->addWidget(m_list, 1);
    auto* right = new QWidget;
    column(right, {m_note, m_compare, m_indent, m_find})->addWidget(m_text, 1);
    auto* splitter = new Splitter(Qt::Horizontal);
    splitter->addWidget(left);
    splitter->addWidget(right);
    splitter->setStretchFactor(0, 5);
    splitter->setStretchFactor(1, 6);
    setContent(splitter);

    auto* nothing = new NothingMatches(theme, *m_list, *m_filter, tr("No record is of a type with %1."));
    nothing->narrowBy(*m_thisCompile, tr("No record is of this compile."),
                      tr("No record of this compile is of a type with %1."));
    connect(m_filter, &QLineEdit::textChanged, m_proxy, &RecordFilter::setText);
    connect(m_thisCompile, &QCheckBox::toggled, this, &RecordsPanel::sync);
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex& now) { showText(m_proxy->mapToSource(now).row(), false); });
    connect(m_indent, &QCheckBox::toggled, this, [this] { showText(m_shown, m_whole); });
    connect(m_find, &QLineEdit::returnPressed, this, [this] { find(false); });
    connect(m_note, &QLabel::linkActivated, this,
            [this](const QString& link) { showText(m_shown, link == QStringLiteral("all") || m_whole); });
    connect(m_compare->menu(), &QMenu::aboutToShow, this, &RecordsPanel::fillLookups);
}

void RecordsPanel::sync() {
    const Workspace::Capture* capture = workspace().capture();
    const session::SessionPtr session = capture ? capture->session : nullptr;
    if (session != m_model->session()) {
        m_model->setSession(session);
        m_shown = -1;
        m_text->clear();
        m_note->clear();
        m_compare->hide();
    }
    m_proxy->setCompile(m_thisCompile->isChecked() ? workspace().place().compile : -1);
}

void RecordsPanel::refresh() {
    sync();
    if (showNothingOpen()) return;
    if (m_model->rowCount() == 0)
        showMessage(tr("This file is a graph text, not a trace, so it has no records."));
    else
        showContent();
    if (m_shown < 0 && m_proxy->rowCount() > 0) m_list->setCurrentIndex(m_proxy->index(0, 0));
}

void RecordsPanel::showRecord(int capture, int record) {
    if (workspace().place().capture != capture) {
        Place place;
        place.capture = capture;
        workspace().go(place);
    }
    sync();
    if (record < 0 || record >= m_model->rowCount()) return;
    QModelIndex index = m_proxy->mapFromSource(m_model->index(record, 0));
    if (!index.isValid()) {
        m_filter->clear();
        m_thisCompile->setChecked(false);
        sync();
        index = m_proxy->mapFromSource(m_model->index(record, 0));
    }
    m_list->setCurrentIndex(index);
    m_list->scrollTo(index, QAbstractItemView::PositionAtCenter);
}

void RecordsPanel::showText(int record, bool whole) {
    if (!m_model->session() || record < 0 || record >= m_model->rowCount()) return;
    m_shown = record;
    m_whole = whole;
    const session::Record& r = m_model->session()->records[std::size_t(record)];
    if (const session::Payload& payload = r.payload; !payload.isHere()) {
        m_text->setDocument(makeCodeDocument(tr("Reading it on the other machine..."), Language::Plain), {});
        workspace().tasks().run<bool>(
            QStringLiteral("record.get"), this,
            [payload](const TaskContext&) { return payload.bytes().has_value(); },
            [this, record, whole](bool isHere) {
                if (m_shown != record) return;
                if (isHere) return showText(record, whole);
                m_text->setDocument(
                    makeCodeDocument(tr("The other machine does not answer."), Language::Plain), {});
            });
        return;
    }
    std::uint64_t shown = 0;
    const auto take = [&](session::Payload part) {
        // What is long is cut before it is copied.
        if (!whole) part.length = std::min(part.length, shownAtFirst);
        shown += part.length;
        const auto text = part.text();
        const auto indented = m_indent->isChecked() ? indentJson(text) : std::nullopt;
        return indented ? toQString(*indented) : toQString(text);
    };
    const auto lookup = compare::lookupOf(*m_model->session(), std::size_t(record));
    m_compare->setVisible(lookup && !compare::otherLookups(*m_model->session(), *lookup).empty());
    QString text = take(r.header);
    if (!r.payload.empty()) text += QStringLiteral("\n\n") + take(r.payload);
    const std::uint64_t all = r.header.length + r.payload.length;
    m_text->setDocument(makeCodeDocument(text, Language::Plain), {});
    m_found.clear();
    if (shown < all) {
        m_note->setTextFormat(Qt::RichText);
        m_note->setText(tr("Showing %1 of %2. <a href='all' style='color:%3'>Show all</a>")
                            .arg(bytesText(qulonglong(shown)), bytesText(qulonglong(all)),
                                 theme().colours().accent.name()));
    } else {
        m_note->setTextFormat(Qt::PlainText);
        m_note->setText(r.known ? toQString(r.type)
                                : tr("%1: no reader knows this type").arg(toQString(r.type)));
    }
}

void RecordsPanel::fillLookups() {
    QMenu& menu = *m_compare->menu();
    menu.clear();
    if (!m_model->session() || m_shown < 0) return;
    const session::Session& session = *m_model->session();
    const auto lookup = compare::lookupOf(session, std::size_t(m_shown));
    if (!lookup) return;
    const std::vector<compare::Lookup> others = compare::otherLookups(session, *lookup);
    const std::size_t count = std::min(others.size(), mostLookups);
    // Those around it, where there are more than a menu holds.
    const auto next = std::ranges::find_if(others, [&](const compare::Lookup& at) {
        return std::pair(at.compile, at.event) > std::pair(lookup->compile, lookup->event);
    });
    const std::size_t before = std::min(std::size_t(next - others.begin()), count / 2);
    const std::size_t first = std::min(std::size_t(next - others.begin()) - before, others.size() - count);
    for (std::size_t i = first; i < first + count; ++i)
        menu.addAction(toQString(compare::lookupName(session, others[i])).replace(u'&', QStringLiteral("&&")),
                       this, [this, a = *lookup, b = others[i]] { showLookups(a, b); });
    if (count < others.size())
        menu.addAction(tr("%1 farther away")
                           .arg(countText(others.size() - count, tr("more lookup"), tr("more lookups"))))
            ->setEnabled(false);
}

void RecordsPanel::showLookups(const compare::Lookup& a, const compare::Lookup& b) {
    if (!m_model->session()) return;
    const QString text = toQString(compare::explainLookups(*m_model->session(), a, b));
    m_text->setDocument(makeCodeDocument(text, Language::Plain), {});
    m_found.clear();
    m_note->setTextFormat(Qt::RichText);
    m_note->setText(tr("Two lookups. <a href='record' style='color:%1'>Show the record</a>")
                        .arg(theme().colours().accent.name()));
}

void RecordsPanel::offerLookups() {
    sync();
    const session::SessionPtr session = m_model->session();
    const int compile = workspace().place().compile;
    const auto lookup =
        session ? compare::comparableLookup(*session, compile < 0 ? compare::none : std::size_t(compile))
                : std::nullopt;
    if (!lookup) return;
    const std::size_t record = session->compiles[lookup->compile].caches[lookup->event].record;
    showRecord(workspace().place().capture, int(record));
    m_compare->setFocus(Qt::ShortcutFocusReason);
    m_compare->menu()->popup(m_compare->mapToGlobal(QPoint(0, m_compare->height())));
}

void RecordsPanel::find(bool backwards) {
    bool found = true;
    const bool searched =
        std::exchange(m_found, m_find->text()) != m_find->text() || m_text->findText() != m_found;
    if (searched)
        found = m_text->find(m_found) > 0;
    else if (!m_found.isEmpty())
        found = m_text->hasMatches();
    if (found && !searched && !m_found.isEmpty()) m_text->findNext(backwards ? -1 : 1);
    m_find->setProperty("error", !found && !m_find->text().isEmpty());
    m_find->style()->unpolish(m_find);
    m_find->style()->polish(m_find);
}

} // namespace dynascope::views
