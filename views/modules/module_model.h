// SPDX-License-Identifier: BSD-3-Clause
//
// A graph as a tree: modules, source lines and, at the leaves, FX nodes. Runs of isomorphic siblings
// ("layers.0 … layers.23, 24 alike") are one row whose children are the members.
#pragma once

#include "core/ir/graph.h"
#include "core/layout/fold.h"
#include "core/session/filter.h"
#include "views/base/item_tree_model.h"
#include "views/workspace/workspace.h"

#include <memory>
#include <vector>

namespace dynascope::views {

/// What a row stands for.
struct ModuleRow : TreeItem {
    enum class Kind { Group, Run, Node } kind = Kind::Node;
    layout::GroupId group = layout::noGroup; ///< Group; Run: the first member
    std::size_t alike = 0;                   ///< Run: how many
    ir::NodeIndex node = ir::npos;           ///< Node
    std::size_t nodes = 0;                   ///< FX nodes below, those the filter hides left out
    double us = -1;                          ///< that those nodes took; negative where that of none is known
};

/// A graph with its groups, as the worker hands it over. Immutable and shared.
struct ModuleTree {
    ir::GraphPtr graph;
    layout::GroupTree groups;
    std::vector<std::string> names; ///< layout::moduleNames() of groups
};

/// GUI thread only. One column; further data by role.
class ModuleModel : public ItemTreeModel<ModuleRow> {
    Q_OBJECT
public:
    enum Role { KindRole = Qt::UserRole, DetailRole, CountRole, OpKindRole, NodeRole, TimeRole, HeatRole };

    explicit ModuleModel(QObject* parent = nullptr);

    /// Null empties the model.
    void setTree(std::shared_ptr<const ModuleTree> tree);
    /// What nodes took, by name: rows have the sum of theirs. Null for nothing that is known.
    void setTimes(std::shared_ptr<const NodeTimes> times);
    /// Keeps the nodes that match, and what holds them.
    void setFilter(session::Filter filter);
    [[nodiscard]] const ir::Graph* graph() const { return m_tree ? m_tree->graph.get() : nullptr; }
    [[nodiscard]] std::size_t shownNodes() const { return m_items.front().nodes; }

    /// The row of a node; invalid where the filter hides it.
    [[nodiscard]] QModelIndex indexOf(ir::NodeIndex node) const;
    /// The node to select for a row: itself, or the first node below. ir::npos for an invalid index.
    [[nodiscard]] ir::NodeIndex firstNode(const QModelIndex& index) const;

    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    void rebuild();
    void addTimes();
    void addGroup(layout::GroupId id, int parent);
    void addContents(layout::GroupId id, int parent);
    [[nodiscard]] QString title(const ModuleRow& row) const;
    [[nodiscard]] QString detail(const ModuleRow& row) const;

    std::shared_ptr<const ModuleTree> m_tree;
    session::Filter m_filter;
    std::vector<RowId> m_rowOfNode; ///< topId where the filter hides it
    std::shared_ptr<const NodeTimes> m_times;
};

} // namespace dynascope::views
