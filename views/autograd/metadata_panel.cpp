// SPDX-License-Identifier: BSD-3-Clause
#include "views/autograd/metadata_panel.h"

#include "views/autograd/metadata_rows.h"
#include "views/base/page_parts.h"
#include "views/engine/rederivations.h"
#include "views/workspace/go_to.h"
#include "views/workspace/labels.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>
#include <algorithm>

namespace dynascope::views {

struct MetadataPanel::Private {
    Rederivations* rederived = nullptr;
    QLabel *verdict = nullptr, *note = nullptr;
    QCheckBox* only = nullptr;
    QLineEdit* filter = nullptr;
    RowTable* fields = nullptr;
    computed::AliasTable table;
    bool read = false; ///< `table` is of this compile
    std::vector<MetadataRow> rows;
    std::vector<TableRow> cells;    ///< of `rows`
    std::vector<std::size_t> shown; ///< into `rows`, by row of the list
};

MetadataPanel::MetadataPanel(Workspace& workspace, Theme& theme, QWidget* parent)
    : CompilePanel(workspace, theme, parent)
    , d(std::make_unique<Private>()) {
    setObjectName(QStringLiteral("metadata"));
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    d->fields = new RowTable(tr("Fields of the metadata"), metadataColumns(), theme);
    d->fields->setObjectName(QStringLiteral("metadata.fields"));
    QHBoxLayout* row = nullptr;
    column->addWidget(headerBar(row));
    row->setContentsMargins(12, 3, 12, 3);
    row->addWidget(d->verdict = plainLabel({}, "strong"));
    row->addWidget(d->note = plainLabel({}, "hint"));
    d->note->setObjectName(QStringLiteral("metadata.note"));
    row->addStretch(1);
    row->addWidget(d->only = new QCheckBox(tr("Only what differs")));
    d->only->setObjectName(QStringLiteral("metadata.onlyDifferent"));
    row->addWidget(d->filter = addFilter(tr("Filter fields"), d->fields));
    d->filter->setMaximumWidth(theme.scaled(220));
    column->addWidget(d->fields, 1);
    setContent(page);
    setFocusProxy(d->fields);
    addCopyRows(d->fields);
    connect(d->only, &QCheckBox::toggled, this, &MetadataPanel::showRows);
    connect(d->filter, &QLineEdit::textChanged, this, &MetadataPanel::showRows);
    connect(d->fields, &RowTable::linkActivated, this, &MetadataPanel::goTo);
    connect(d->fields, &RowTable::rowActivated, this, &MetadataPanel::goTo);
}

MetadataPanel::~MetadataPanel() = default;

void MetadataPanel::setRederived(Rederivations& rederived) {
    d->rederived = &rederived;
    connect(&rederived, &Rederivations::changed, this, &Panel::invalidate);
    invalidate();
}

void MetadataPanel::forget() {
    workspace().tasks().cancel(QStringLiteral("autograd.metadata"));
    d->fields->setRows({});
    d->table = {};
    d->read = false;
    d->rows.clear();
    d->cells.clear();
    d->shown.clear();
}

void MetadataPanel::begin(const session::SessionPtr& session, std::size_t compile) {
    workspace().tasks().run<computed::AliasTable>(
        QStringLiteral("autograd.metadata"), this,
        [session, compile](const TaskContext&) { return computed::aliasTable(*session, compile); },
        [this](computed::AliasTable table) {
            setLoading(false);
            d->table = std::move(table);
            d->read = true;
            showAgain();
        });
}

void MetadataPanel::showAgain() {
    if (!d->read) return; // comes when it is
    d->rows.clear();
    d->cells.clear();
    d->shown.clear();
    const engine::RederivedStage* derived =
        d->rederived ? d->rederived->metadataOf(d->table.stage.get()) : nullptr;
    const bool alone = !d->table.metadata;
    if (alone && !d->table.stage)
        return showMessage(tr("There is no metadata to compare with: %1.").arg(toQString(d->table.problem)));
    if (d->rederived && d->rederived->isRunning(*session(), std::size_t(compile())))
        return showMessage(tr("The graphs of this compile are being re-derived."));
    if (!derived || !derived->hasMetadata()) {
        QString why = alone ? tr("Nothing was derived, and %1.").arg(toQString(d->table.problem))
                            : tr("Nothing was derived to compare the captured metadata with.");
        if (derived) why = tr("The metadata was not derived: %1.").arg(toQString(derived->reason));
        if (!d->rederived) return showMessage(why);
        return showMessage(why, derived ? tr("Re-derive the graphs once more") : tr("Re-derive the graphs"),
                           [this] { d->rederived->run(); });
    }
    const computed::AliasTable shown = alone ? computed::withDerivedMetadata(d->table, *derived) : d->table;
    if (!shown.metadata || !shown.graph)
        return showMessage(tr("The derived metadata does not fit together."));
    d->rows = metadataRows(shown, computed::compareMetadata(shown, *derived));
    if (alone)
        for (MetadataRow& row : d->rows) {
            row.captured.clear();
            row.alone = true;
        }
    d->cells = metadataCells(shown, d->rows);
    d->only->setEnabled(!alone);
    if (alone) {
        d->only->setChecked(false);
        d->verdict->setText(tr("only derived"));
        d->verdict->setStyleSheet({});
        d->note->setText(
            tr("%1; all of this is derived by the engine from Dynamo's graph: %2")
                .arg(toQString(d->table.problem), toQString(computed::mutationWords(shown, *derived))));
        showContent();
        return showRows();
    }
    const auto same = std::size_t(
        std::count_if(d->rows.begin(), d->rows.end(), [](const auto& row) { return row.same(); }));
    const bool all = same == d->rows.size();
    d->verdict->setText(all ? tr("✓ isomorphic") : tr("✗ different"));
    const QColor tone = all ? theme().colours().added : theme().colours().removed;
    d->verdict->setStyleSheet(QStringLiteral("color:%1").arg(tone.name()));
    d->note->setText(
        tr("%1 of %2 equal").arg(same).arg(countText(d->rows.size(), tr("field"), tr("fields"))));
    d->only->setEnabled(!all);
    if (all) d->only->setChecked(false);
    showContent();
    showRows();
}

void MetadataPanel::showRows() {
    const QString wanted = d->filter->text().trimmed();
    std::vector<TableRow> cells;
    d->shown.clear();
    for (std::size_t i = 0; i < d->rows.size(); ++i) {
        if (d->only->isChecked() && d->rows[i].same()) continue;
        const TableRow& row = d->cells[i];
        if (!wanted.isEmpty() && std::none_of(row.begin(), row.end(), [&](const TableCell& cell) {
                return cell.text.contains(wanted, Qt::CaseInsensitive);
            }))
            continue;
        d->shown.push_back(i);
        cells.push_back(row);
    }
    const bool narrowed = d->only->isChecked();
    d->fields->setEmptyText(wanted.isEmpty() ? tr("No field differs.")
                            : narrowed       ? tr("No field that differs matches %1.").arg(wanted)
                                             : tr("No field matches %1.").arg(wanted));
    d->fields->setRows(std::move(cells));
}

void MetadataPanel::goTo(int shown) {
    if (std::size_t(shown) >= d->shown.size()) return;
    const MetadataRow& row = d->rows[d->shown[std::size_t(shown)]];
    if (row.node != ir::npos && compile() >= 0)
        goToStage(workspace(), std::size_t(compile()), d->table.stage, d->table.graph->node(row.node).name);
}

} // namespace dynascope::views
