// SPDX-License-Identifier: BSD-3-Clause
//
// Breakpoints as the reader keeps them: lines and conditions, switched on or off.
#pragma once

#include "core/dynamo/breakpoint.h"

#include <QAbstractListModel>
#include <QStringList>
#include <optional>
#include <set>
#include <vector>

namespace dynascope::views {

class Theme;

/// GUI thread only. What does not parse is kept, said to be wrong, and halts nowhere.
class BreakpointsModel : public QAbstractListModel {
    Q_OBJECT
public:
    explicit BreakpointsModel(Theme& theme, QObject* parent = nullptr);

    /// Its error, empty if it was taken. One that is there already is switched on.
    QString add(const QString& text);
    void remove(int row);
    /// A line gets one, or loses it.
    void toggleLine(const QString& file, std::uint32_t line);
    /// Those that are on; `rows` gets their rows.
    [[nodiscard]] std::vector<dynamo::Breakpoint> enabled(std::vector<int>* rows = nullptr) const;
    /// Lines of a file that have one, those that are off in `off`.
    [[nodiscard]] std::set<std::uint32_t> linesOf(std::string_view file, std::set<std::uint32_t>* off) const;

    /// "+cap.py:31", "-nodes > 10": what restore() takes.
    [[nodiscard]] QStringList saved() const;
    void restore(const QStringList& saved);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;

signals:
    void edited(); ///< by the reader: not by restore()

private:
    struct Row {
        QString text;
        bool on = true;
        std::optional<dynamo::Breakpoint> breakpoint;
        QString error;
    };
    [[nodiscard]] static Row rowOf(const QString& text, bool on);

    Theme& m_theme;
    std::vector<Row> m_rows;
};

} // namespace dynascope::views
