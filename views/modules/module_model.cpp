// SPDX-License-Identifier: BSD-3-Clause
#include "views/modules/module_model.h"

#include "core/layout/module_classes.h"
#include "views/workspace/labels.h"

#include <algorithm>

namespace dynascope::views {

ModuleModel::ModuleModel(QObject* parent)
    : ItemTreeModel(1, parent) {}

void ModuleModel::setTree(std::shared_ptr<const ModuleTree> tree) {
    beginResetModel();
    m_tree = std::move(tree);
    rebuild();
    endResetModel();
}

void ModuleModel::setFilter(session::Filter filter) {
    beginResetModel();
    m_filter = std::move(filter);
    rebuild();
    endResetModel();
}

void ModuleModel::rebuild() {
    clearItems();
    m_rowOfNode.clear();
    if (!m_tree || m_tree->groups.groups.empty()) return;
    m_rowOfNode.assign(m_tree->graph->size(), topId);
    addContents(0, topItem);

    // Rows are in preorder: a pass from the back sums every subtree, and rows without a node left fall out.
    for (std::size_t i = m_items.size() - 1; i > topItem; --i) {
        ModuleRow& row = m_items[i];
        if (row.kind == ModuleRow::Kind::Node) row.nodes = 1;
        m_items[std::size_t(row.parent)].nodes += row.nodes;
    }
    for (std::size_t i = topItem + 1; i < m_items.size(); ++i)
        if (m_items[i].nodes > 0) placeItem(int(i));
    addTimes();
}

void ModuleModel::setTimes(std::shared_ptr<const NodeTimes> times) {
    if (times == m_times) return;
    emit layoutAboutToBeChanged(); // the same rows, drawn anew
    m_times = std::move(times);
    addTimes();
    emit layoutChanged();
}

void ModuleModel::addTimes() {
    for (ModuleRow& row : m_items)
        row.us = -1;
    if (!m_times) return;
    for (std::size_t i = m_items.size() - 1; i > topItem; --i) {
        ModuleRow& row = m_items[i];
        if (row.kind == ModuleRow::Kind::Node)
            if (const auto known = m_times->us.find(m_tree->graph->node(row.node).name);
                known != m_times->us.end())
                row.us = known->second;
        if (row.us < 0) continue;
        double& above = m_items[std::size_t(row.parent)].us;
        above = std::max(above, 0.0) + row.us;
    }
}

void ModuleModel::addGroup(layout::GroupId id, int parent) {
    ModuleRow row;
    row.kind = ModuleRow::Kind::Group;
    row.parent = parent;
    row.group = id;
    addContents(id, appendItem(std::move(row)));
}

void ModuleModel::addContents(layout::GroupId id, int parent) {
    const layout::GroupTree& tree = m_tree->groups;
    const layout::Group& group = tree.groups[id];

    // Groups and single nodes stand in graph order: a group at its first node.
    struct Item {
        ir::NodeIndex at;
        layout::GroupId group;
    };
    std::vector<Item> items;
    for (const ir::NodeIndex node : group.nodes) {
        items.push_back({node, layout::noGroup});
    }
    const auto firstNodeOf = [&tree](layout::GroupId g) {
        ir::NodeIndex first = ir::npos;
        std::vector<layout::GroupId> open{g};
        while (!open.empty()) {
            const layout::Group& top = tree.groups[open.back()];
            open.pop_back();
            if (!top.nodes.empty()) first = std::min(first, top.nodes.front());
            open.insert(open.end(), top.children.begin(), top.children.end());
        }
        return first;
    };
    for (const layout::GroupId child : group.children) {
        items.push_back({firstNodeOf(child), child});
    }
    std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.at < b.at; });

    layout::GroupId run = layout::noGroup;
    int runRow = parent;
    for (const Item& item : items) {
        if (item.group == layout::noGroup) {
            const ir::Node& node = m_tree->graph->node(item.at);
            if (!m_filter.matches({nullptr, nullptr, &node, &m_tree->names[item.at]})) continue;
            ModuleRow row;
            row.parent = parent;
            row.node = item.at;
            m_rowOfNode[item.at] = RowId(appendItem(std::move(row)));
            continue;
        }
        const layout::GroupId alike = tree.groups[item.group].alike;
        if (alike == layout::noGroup) {
            addGroup(item.group, parent);
            continue;
        }
        if (alike != run) {
            const auto members =
                std::count_if(group.children.begin(), group.children.end(),
                              [&](layout::GroupId g) { return tree.groups[g].alike == alike; });
            ModuleRow row;
            row.kind = ModuleRow::Kind::Run;
            row.parent = parent;
            row.group = alike;
            row.alike = std::size_t(members);
            runRow = appendItem(std::move(row));
            run = alike;
        }
        addGroup(item.group, runRow);
    }
}

QModelIndex ModuleModel::indexOf(ir::NodeIndex node) const {
    return node < m_rowOfNode.size() ? indexOfId(m_rowOfNode[node]) : QModelIndex();
}

ir::NodeIndex ModuleModel::firstNode(const QModelIndex& index) const {
    const ModuleRow* row = itemAt(index);
    while (row && row->kind != ModuleRow::Kind::Node && !row->children.empty()) {
        row = &m_items[std::size_t(row->children.front())];
    }
    return row ? row->node : ir::npos;
}

QString ModuleModel::title(const ModuleRow& row) const {
    switch (row.kind) {
    case ModuleRow::Kind::Node: {
        const std::string& module = m_tree->groups.loneModule(row.node);
        return QString::fromStdString(module.empty() ? m_tree->graph->node(row.node).name : module);
    }
    case ModuleRow::Kind::Group:
        return QString::fromStdString(m_tree->groups.groups[row.group].name);
    case ModuleRow::Kind::Run:
        break;
    }
    // "layers.0 … layers.23": the members' own names, whatever the filter hides.
    const layout::Group& first = m_tree->groups.groups[row.group];
    const std::vector<layout::GroupId>& siblings = m_tree->groups.groups[first.parent].children;
    layout::GroupId last = row.group;
    for (const layout::GroupId id : siblings) {
        if (m_tree->groups.groups[id].alike == row.group) last = id;
    }
    return QStringLiteral("%1 \u2026 %2")
        .arg(QString::fromStdString(first.name), QString::fromStdString(m_tree->groups.groups[last].name));
}

QString ModuleModel::detail(const ModuleRow& row) const {
    const auto withClass = [](const std::string& className, const std::string& text) {
        return QString::fromStdString(className.empty() ? text : className + " \u00b7 " + text);
    };
    const layout::GroupTree& tree = m_tree->groups;
    if (row.kind == ModuleRow::Kind::Run)
        return withClass(layout::classOfRun(tree, row.group, row.alike),
                         layout::stackText(tree, row.group, row.alike));
    if (row.kind == ModuleRow::Kind::Group)
        return withClass(tree.groups[row.group].className, tree.groups[row.group].detail);
    const ir::Node& node = m_tree->graph->node(row.node);
    const bool named = !m_tree->groups.loneModule(row.node).empty();
    return QString::fromStdString((named ? node.name + ' ' : "") + ir::shortTarget(node.target));
}

QVariant ModuleModel::data(const QModelIndex& index, int role) const {
    const ModuleRow* row = itemAt(index);
    if (!row) return {};
    const bool isNode = row->kind == ModuleRow::Kind::Node;
    switch (role) {
    case Qt::DisplayRole:
        return title(*row);
    case KindRole:
        return int(row->kind);
    case DetailRole:
        return detail(*row);
    case CountRole:
        return isNode ? QVariant() : QVariant(qulonglong(row->nodes));
    case TimeRole:
        return row->us < 0 ? QVariant() : QVariant(row->us);
    case HeatRole:
        return row->us < 0 || m_times->sum <= 0 ? QVariant() : QVariant(row->us / m_times->sum);
    case OpKindRole:
        return isNode ? QVariant(int(ir::opKind(m_tree->graph->node(row->node)))) : QVariant();
    case NodeRole:
        return row->node == ir::npos ? QVariant() : QVariant(row->node);
    case Qt::ToolTipRole: {
        if (!isNode) {
            const layout::Group& group = m_tree->groups.groups[row->group];
            QString text = QString::fromStdString(group.path.empty() ? group.name : group.path);
            if (!group.className.empty()) text += QLatin1Char('\n') + QString::fromStdString(group.className);
            if (!group.detail.empty()) text += QLatin1Char('\n') + QString::fromStdString(group.detail);
            if (row->kind == ModuleRow::Kind::Run)
                text += QLatin1Char('\n') + tr("%1 isomorphic blocks: same ops, arguments and inner edges; "
                                               "only names and weights differ.")
                                                .arg(row->alike);
            return text;
        }
        const ir::Node& node = m_tree->graph->node(row->node);
        QString text = QString::fromStdString(node.name + "\n" + node.target);
        if (node.meta) text += QLatin1Char('\n') + QString::fromStdString(node.meta->annotation());
        if (row->us >= 0)
            text += QLatin1Char('\n') +
                    (m_times->inParts ? tr("%1, of a kernel that computes several an equal part") : tr("%1"))
                        .arg(durationText(row->us));
        return text;
    }
    case Qt::AccessibleTextRole:
        return title(*row) + QLatin1Char(' ') + detail(*row);
    default:
        return {};
    }
}

} // namespace dynascope::views
