// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/keyboard_page.h"

#include "views/base/nothing_matches.h"

#include <QHeaderView>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QTreeView>
#include <QVBoxLayout>

namespace dynascope::app {

KeyboardPage::KeyboardPage(const ActionRegistry& actions, views::Theme& theme, QWidget* parent)
    : QDialog(parent) {
    setWindowTitle(tr("Keyboard"));
    resize(theme.scaled(560), theme.scaled(600));
    auto* model = new QStandardItemModel(this);
    model->setHorizontalHeaderLabels({tr("Action"), tr("Key")});
    for (const Scope scope : {Scope::Window, Scope::Canvas, Scope::Timeline, Scope::FlameChart,
                              Scope::ProfileLanes, Scope::List, Scope::Palette}) {
        auto* head = new QStandardItem(scopeName(scope));
        QFont font = theme.font(views::FontRole::Strong);
        head->setFont(font);
        for (const ActionRegistry::Entry& entry : actions.entries()) {
            if (entry.spec.scope != scope || entry.spec.keys.isEmpty()) continue;
            QStringList keys;
            for (const QKeySequence& key : entry.spec.keys)
                keys << key.toString(QKeySequence::NativeText);
            auto* text =
                new QStandardItem(QString(entry.spec.text).remove(QStringLiteral("...")).remove(u'&'));
            auto* key = new QStandardItem(keys.join(QStringLiteral(", ")));
            key->setFont(theme.font(views::FontRole::Code));
            head->appendRow({text, key});
        }
        if (head->rowCount() > 0) model->appendRow({head, new QStandardItem});
    }
    auto* proxy = new QSortFilterProxyModel(this);
    proxy->setSourceModel(model);
    proxy->setRecursiveFilteringEnabled(true);
    proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);
    proxy->setFilterKeyColumn(-1);
    auto* filter = new QLineEdit(this);
    filter->setPlaceholderText(tr("Filter keys and actions"));
    filter->setClearButtonEnabled(true);
    auto* tree = new QTreeView(this);
    tree->setModel(proxy);
    tree->setEditTriggers(QAbstractItemView::NoEditTriggers);
    tree->setUniformRowHeights(true);
    tree->header()->setStretchLastSection(false);
    tree->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    tree->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    tree->expandAll();
    new views::NothingMatches(theme, *tree, *filter, tr("No action and no key matches %1."));
    connect(filter, &QLineEdit::textChanged, this, [proxy, tree](const QString& text) {
        proxy->setFilterFixedString(text);
        tree->expandAll();
    });
    auto* box = new QVBoxLayout(this);
    box->setContentsMargins(8, 8, 8, 8);
    box->addWidget(filter);
    box->addWidget(tree, 1);
}

} // namespace dynascope::app
