// SPDX-License-Identifier: BSD-3-Clause
//
// The ops of the program before functionalization, with what each emitted.
#pragma once

#include "views/functionalize/stepper.h"
#include "views/theme/theme.h"

#include <QAbstractListModel>
#include <QStyledItemDelegate>
#include <QWidget>

class QLabel;
class QListView;

namespace dynascope::views {

class CodeView;

/// One row for each source node.
class SourceOpsModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role {
        NameRole = Qt::UserRole + 1, ///< QString
        TargetRole,                  ///< QString
        CallRole,                    ///< QString: "b[0]"
        EmittedRole,
        EmittedShortRole, ///< QString: "emits 4, 1 dead"
        ColourRole,       ///< ir::OpKind as int
        PlaceRole,        ///< -1 done, 0 current, 1 to come
    };
    SourceOpsModel(Stepper& stepper, QObject* parent = nullptr);
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    Stepper& m_stepper;
    int m_rows = 0;
};

class SourceOpsDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    SourceOpsDelegate(Theme& theme, QObject* parent);
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    Theme& m_theme;
};

/// The user's program where it is known, the list, and the totals. GUI thread only.
class SourceOpsPanel : public QWidget {
    Q_OBJECT
public:
    SourceOpsPanel(Workspace& workspace, Stepper& stepper, Theme& theme, QWidget* parent = nullptr);

private:
    void showRecording();
    void showPlace();
    void restyle();

    Workspace& m_workspace;
    Stepper& m_stepper;
    Theme& m_theme;
    QLabel* m_title;
    QLabel* m_name;
    CodeView* m_code;
    QListView* m_list;
    QLabel* m_totals;
    QWidget* m_head;
    std::vector<int> m_lineOfOp; ///< line of the code pane, -1 where unknown
};

} // namespace dynascope::views
