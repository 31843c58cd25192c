// SPDX-License-Identifier: BSD-3-Clause
//
// The palette: one field that finds nodes, actions, source lines, frames and notes, and goes there.
#pragma once

#include "views/palette/palette_search.h"
#include "views/theme/theme.h"
#include "views/workspace/workspace.h"

#include <QFrame>
#include <QPointer>
#include <functional>
#include <memory>

class QLabel;
class QLineEdit;
class QListView;
class QToolButton;

namespace dynascope::views {

class PaletteModel;

/// Lies over its parent window. Searches on the TaskRunner, tag "palette"; the newest query wins. GUI thread
/// only.
class Palette : public QFrame {
    Q_OBJECT
public:
    Palette(Workspace& workspace, Theme& theme, QWidget* window);
    ~Palette() override;

    /// Asked each time the palette opens, so that only actions that work now are offered.
    void setActionSource(std::function<std::vector<PaletteAction>()> source);
    void setNoteSource(std::function<std::vector<PaletteNote>()> source) { m_notes = std::move(source); }
    void setRecent(const QStringList& ids) { m_recent = ids; }
    [[nodiscard]] const QStringList& recent() const { return m_recent; }

    void open(const QString& query = {});
    void dismiss();
    [[nodiscard]] const PaletteModel& model() const { return *m_model; }

signals:
    void actionChosen(const QString& id);
    void noteChosen(int capture, const dynascope::ir::Address& address);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void search();
    void place();
    void moveCurrent(int rows);
    void choose(bool beside);
    void go(const PaletteHit& hit, bool beside);
    void narrow(std::optional<PaletteKind> kind);
    void restyle();

    Workspace& m_workspace;
    Theme& m_theme;
    QLineEdit* m_field;
    QListView* m_list;
    PaletteModel* m_model;
    QLabel* m_summary;
    QLabel* m_none = nullptr; ///< in the place of the list where nothing matches
    QLabel* m_icon;
    std::vector<std::pair<std::optional<PaletteKind>, QToolButton*>> m_chips;
    std::function<std::vector<PaletteAction>()> m_actions;
    std::function<std::vector<PaletteNote>()> m_notes;
    std::shared_ptr<const PaletteData> m_data;
    QStringList m_recent;
    QPointer<QWidget> m_focusBefore;
};

} // namespace dynascope::views
