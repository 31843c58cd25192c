// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "views/workspace/workspace.h"

#include <QDialog>
#include <array>

class QComboBox;
class QLabel;
class QPushButton;

namespace dynascope::app {

/// Picks what is compared: for each side a capture that is open, or for B a file, and of it everything, a
/// rank or a compile.
class CompareDialog : public QDialog {
    Q_OBJECT
public:
    /// A is the current capture, B another one that is open, else the next compile of the same.
    CompareDialog(const views::Workspace& workspace, QWidget* parent = nullptr);

    /// Without `b` where a file was picked.
    [[nodiscard]] views::ComparisonRequest request() const;
    [[nodiscard]] QString file() const { return m_file; } ///< empty unless B is a file
    void setFile(const QString& path);
    [[nodiscard]] QComboBox* captures(views::Side side) const {
        return m_sides[side == views::Side::B].capture;
    }
    [[nodiscard]] QComboBox* parts(views::Side side) const { return m_sides[side == views::Side::B].part; }

private:
    struct SideBoxes {
        QComboBox *capture = nullptr, *part = nullptr;
    };
    [[nodiscard]] session::SessionPtr sessionOf(const SideBoxes& side) const;
    void fillParts(const SideBoxes& side);
    void update();

    const views::Workspace& m_workspace;
    std::array<SideBoxes, 2> m_sides;
    QString m_file;
    QLabel* m_note;
    QPushButton* m_compare;
};

} // namespace dynascope::app
