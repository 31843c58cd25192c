// SPDX-License-Identifier: BSD-3-Clause
#include "views/engine/plugins_dialog.h"

#include "views/base/row_table.h"
#include "views/workspace/labels.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace dynascope::views {

namespace {

std::vector<TableColumn> pluginColumns() {
    return {{PluginsDialog::tr("Plugin"), PluginsDialog::tr("File name without its ending"), 160},
            {PluginsDialog::tr("Kind"), PluginsDialog::tr("Passes on graphs, or a device to replay on"), 80},
            {PluginsDialog::tr("State"), PluginsDialog::tr("What it brought, or why it is not loaded"), 420},
            {PluginsDialog::tr("Owner"), PluginsDialog::tr("The user whom the file belongs to"), 100},
            {PluginsDialog::tr("PyTorch"), PluginsDialog::tr("The one it is built for; empty: any"), 100},
            {PluginsDialog::tr("Path"), {}, 600}};
}

TableRow pluginRow(const engine::PluginEntry& plugin) {
    using Look = TableCell::Look;
    const Tone tone = !plugin.loaded ? Tone::Bad : plugin.problems.empty() ? Tone::Good : Tone::Warn;
    const QString state = toQString(engine::stateWords(plugin)), path = toQString(plugin.path);
    return {{toQString(plugin.name), Look::Strong, Tone::None},
            {toQString(engine::kindName(plugin.kind)), Look::Quiet},
            {state, Look::Text, tone, state},
            {toQString(plugin.owner)},
            {toQString(plugin.torch)},
            {path, Look::MonoQuiet, Tone::None, path}};
}

} // namespace

PluginsDialog::PluginsDialog(Engine& engine, Theme& theme, QWidget* parent)
    : QDialog(parent)
    , m_engine(engine)
    , m_table(new RowTable(QStringLiteral("plugins"), pluginColumns(), theme, this))
    , m_note(new QLabel(this))
    , m_copy(new QPushButton(tr("Copy all"), this)) {
    m_table->setObjectName(QStringLiteral("plugins.table"));
    m_note->setObjectName(QStringLiteral("plugins.note"));
    setObjectName(QStringLiteral("pluginsDialog"));
    setWindowTitle(tr("Plugins"));
    resize(theme.scaled(960), theme.scaled(360));
    m_note->setTextFormat(Qt::PlainText);
    m_note->setWordWrap(true);
    m_note->setProperty("role", "label");
    m_note->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_copy->setEnabled(false);
    m_copy->setToolTip(tr("Copy every plugin with its path and state, as dynascope-cli status prints it"));
    auto* close = new QPushButton(tr("Close"), this);
    connect(m_copy, &QPushButton::clicked, this, &PluginsDialog::copyAll);
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
    auto* copyRow = new QAction(tr("Copy"), m_table);
    copyRow->setShortcut(QKeySequence::Copy);
    copyRow->setShortcutContext(Qt::WidgetShortcut);
    m_table->addAction(copyRow);
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    connect(copyRow, &QAction::triggered, this, [this] {
        const int row = m_table->selected();
        if (row < 0) return;
        QStringList cells;
        for (const TableCell& cell : m_table->rows().rows()[std::size_t(row)])
            cells << cell.text;
        QApplication::clipboard()->setText(cells.join(u'\t'));
    });
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_note, 1);
    buttons->addWidget(m_copy);
    buttons->addWidget(close);
    auto* box = new QVBoxLayout(this);
    box->setContentsMargins(8, 8, 8, 8);
    box->addWidget(m_table, 1);
    box->addLayout(buttons);
    refresh();
}

void PluginsDialog::refresh() {
    if (m_engine.state() == Engine::State::Absent) {
        m_table->setEmptyText(m_engine.trouble());
        m_note->setText(m_engine.trouble());
        return;
    }
    m_note->setText(tr("Asking the engine"));
    using List = engine::PluginList;
    m_engine.run<List>(
        QStringLiteral("plugins"), tr("plugins"), this,
        [](engine::Client& client, const engine::CallOptions& options) {
            return client.plugins(options).map(engine::pluginListOf);
        },
        [this](tl::expected<List, engine::CallError> list) {
            if (list)
                show(*list);
            else
                m_note->setText(toQString(list.error().message));
        });
}

void PluginsDialog::show(const engine::PluginList& list) {
    std::vector<TableRow> rows;
    for (const engine::PluginEntry& plugin : list.plugins)
        rows.push_back(pluginRow(plugin));
    m_table->setRows(std::move(rows));
    QStringList folders;
    for (const std::string& folder : list.folders)
        folders << toQString(folder);
    m_note->setText(tr("Searched when the engine started: %1").arg(folders.join(tr(", "))));
    m_text = toQString(engine::pluginText(list));
    m_copy->setEnabled(true);
}

void PluginsDialog::copyAll() const {
    QApplication::clipboard()->setText(m_text);
}

} // namespace dynascope::views
