// SPDX-License-Identifier: BSD-3-Clause
//
// Every record of the trace as it was written: known or not, readable or not.
#pragma once

#include "core/compare/lookups.h"
#include "views/base/panel.h"
#include "views/compile_time/record_model.h"

class QCheckBox;
class QLabel;
class QLineEdit;
class QToolButton;
class QTreeView;

namespace dynascope::views {

class CodeView;

class RecordsPanel : public Panel {
    Q_OBJECT
public:
    RecordsPanel(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);

    /// Selects a record of a capture and shows its text.
    void showRecord(int capture, int record);
    /// Shows a lookup of a cache, of the place's compile if it has one, and offers those that it can be compared with.
    /// Nothing happens where the capture has no two of one cache.
    void offerLookups();

protected:
    void refresh() override;

private:
    void sync();
    void showText(int record, bool whole);
    void find(bool backwards);
    void fillLookups(); ///< the menu of m_compare, for the record that is shown
    void showLookups(const compare::Lookup& a, const compare::Lookup& b);

    RecordModel* m_model;
    RecordFilter* m_proxy;
    QTreeView* m_list;
    QLineEdit* m_filter;
    QCheckBox* m_thisCompile;
    QCheckBox* m_indent;
    QLineEdit* m_find;
    QToolButton* m_compare; ///< shown where the record is a lookup that has another one to compare with
    QLabel* m_note;
    CodeView* m_text;
    QString m_found; ///< that was searched for last
    int m_shown = -1;
    bool m_whole = false; ///< what is shown is not cut, however long
};

} // namespace dynascope::views
