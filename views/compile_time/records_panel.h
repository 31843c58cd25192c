// SPDX-License-Identifier: BSD-3-Clause
//
// Every record of the trace as it was written: known or not, readable or not.
#pragma once

#include "views/base/panel.h"
#include "views/compile_time/record_model.h"

class QCheckBox;
class QLabel;
class QLineEdit;
class QTreeView;

namespace dynascope::views {

class CodeView;

class RecordsPanel : public Panel {
    Q_OBJECT
public:
    RecordsPanel(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);

    /// Selects a record of a capture and shows its text.
    void showRecord(int capture, int record);
    [[nodiscard]] CodeView* text() const { return m_text; }

protected:
    void refresh() override;

private:
    void sync();
    void showText(int record, bool whole);
    void find(bool backwards);

    RecordModel* m_model;
    RecordFilter* m_proxy;
    QTreeView* m_list;
    QLineEdit* m_filter;
    QCheckBox* m_thisCompile;
    QCheckBox* m_indent;
    QLineEdit* m_find;
    QLabel* m_note;
    CodeView* m_text;
    QString m_found; ///< that was searched for last
    int m_shown = -1;
    bool m_whole = false; ///< what is shown is not cut, however long
};

} // namespace dynascope::views
