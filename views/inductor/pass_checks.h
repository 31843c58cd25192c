// SPDX-License-Identifier: BSD-3-Clause
//
// Verify all passes: the engine runs every graph between passes beside the one before it, and what it said of each.
#pragma once

#include "core/rederive/verify_passes.h"
#include "views/base/row_table.h"
#include "views/inspector/facts.h"

#include <QObject>
#include <QString>
#include <memory>
#include <vector>

namespace dynascope::views {

class Engine;

/// GUI thread only. Verdicts come while it runs; those that came before a cancel stay.
class PassChecks : public QObject {
    Q_OBJECT
public:
    explicit PassChecks(Engine& engine, QObject* parent = nullptr);
    ~PassChecks() override;

    /// Forgets what was known and asks anew. `hints` are values of the compile's symbols.
    void start(const inductor::CompilePasses& passes, const ir::SymbolValues& hints);
    void cancel();
    /// Forgets everything: other passes are shown.
    void clear();
    [[nodiscard]] bool isRunning() const;
    /// Of a row: the worst of the graphs that it left; null where it was not asked.
    [[nodiscard]] const engine::PassVerdict* of(int row) const;
    [[nodiscard]] const std::vector<engine::PassVerdict>& all() const { return m_verdicts; }
    /// "12 equal, 1 different, 1 declined", with how far it is while it runs; empty before anything was asked.
    [[nodiscard]] QString summary() const;
    /// Why there is no answer, or no whole one; empty where there is.
    [[nodiscard]] const QString& trouble() const { return m_trouble; }
    /// The first row at which a value changed; -1 for none.
    [[nodiscard]] int firstDifferent() const;

signals:
    void changed();

private:
    struct Arrived;
    void take();

    Engine& m_engine;
    std::shared_ptr<Arrived> m_arrived; ///< shared with the worker
    std::vector<engine::PassVerdict> m_verdicts;
    std::size_t m_steps = 0;
    bool m_asked = false;
    QString m_trouble;
};

/// A cell for the table of passes; empty for null.
[[nodiscard]] TableCell verdictCell(const engine::PassVerdict* verdict);
/// What the engine said of a pass.
[[nodiscard]] Section verdictSection(const engine::PassVerdict& verdict);

} // namespace dynascope::views
