// SPDX-License-Identifier: BSD-3-Clause
//
// Computed stages: runs the engine's passes on a stage, keeps what they recorded, and checks the result
// against eager. A stage that was computed stays in the workspace whatever happens to the engine.
#pragma once

#include "core/computed/saved_stages.h"
#include "core/engine/cases/input_form.h"
#include "views/engine/engine.h"
#include "views/workspace/workspace.h"

#include <QStringList>
#include <unordered_map>

namespace dynascope::views {

/// A pass as the engine lists it.
struct EnginePass {
    QString name;    ///< "functionalize"
    QString summary; ///< one sentence
};

/// GUI thread only. Owned by the window.
class Passes : public QObject {
    Q_OBJECT
public:
    Passes(Workspace& workspace, Engine& engine, QObject* parent = nullptr);

    struct Options {
        computed::FunctionalMode mode = {}; ///< of functionalize
        bool show = true;                   ///< the new stage becomes B, what it was made from A
    };
    /// Passes that the engine lists; before it was asked, those that every engine has and those that it
    /// listed in an earlier run.
    [[nodiscard]] const std::vector<EnginePass>& available() const { return m_available; }
    [[nodiscard]] bool has(const QString& pass) const;
    /// Adds what an engine listed in an earlier run; nothing once it was asked in this one.
    void remember(const std::vector<EnginePass>& passes);
    void askAvailable();
    /// Runs a pass on a stage of the current compile; -1 takes the stage that is selected: B where that is a
    /// graph, else A. The same pass on the same stage replaces its earlier result.
    void run(const QString& pass, int from, Options options);
    void run(const QString& pass, int from = -1) { run(pass, from, Options{}); }
    /// Takes a stage in that was derived from stage `from` of the current compile, in the place of an earlier
    /// one with the same twin. Its index.
    int addDerived(computed::ComputedStage derived, int from, computed::StageVerdict verdict);
    /// Runs the last pass of a computed stage again, on what the stage was made from. Not for derived ones.
    void recompute(int stage);
    /// Compares a computed stage with eager on the same inputs, a derived one with its twin.
    void verify(int stage);
    [[nodiscard]] const computed::ComputedStage* find(const session::Stage* stage) const;
    /// The stage to run a pass on when none is named.
    [[nodiscard]] int selectedStage() const;
    /// The functionalization to show for the current place: B, else A, else the newest of this compile.
    [[nodiscard]] const computed::ComputedStage* shownFunctionalization() const;
    [[nodiscard]] bool isBusy() const;

    /// What an engine needs to run a captured stage's graph: its text, and what it is run on.
    struct Source {
        std::string text;
        wire::RunOn on;
    };
    [[nodiscard]] Source sourceOf(const session::Stage& root) const;
    /// The form for the inputs of a captured stage's graph: as it was filled in, else as far as the text
    /// goes.
    [[nodiscard]] std::vector<engine::InputRow> inputRows(const session::Stage& root) const;
    /// What `root` is run on from now on. Refused, with false, where the form is not complete or another
    /// graph's.
    bool giveInputs(const session::StagePtr& root, std::vector<engine::InputRow> rows);
    [[nodiscard]] bool hasGivenInputs(const session::Stage& root) const { return givenRows(root) != nullptr; }
    /// What the text lacks to be run and nobody gave: "input 'x' has no shape"; empty for nothing.
    [[nodiscard]] QString lackOfInputs(const session::Stage& root) const;
    /// The captured or derived stage that a stage's graph goes back to; null where there is none.
    [[nodiscard]] session::StagePtr rootOf(int stage) const;
    /// Forms that were filled in, as a session file keeps them; null for none.
    [[nodiscard]] std::vector<engine::SavedForm> inputsToSave(const session::Session& session) const;
    void restoreInputs(const session::Session& session, const std::vector<engine::SavedForm>& saved);
    [[nodiscard]] Engine& engine() { return m_engine; }

    /// The computed stages of a capture, parents first; removed ones only where another was made from them.
    [[nodiscard]] std::vector<computed::StageToSave> stagesToSave(const session::Session& session) const;
    /// Takes the computed stages of a session file in. The session must be open.
    void restore(const session::Session& session, computed::RestoredStages restored);

signals:
    void availableChanged();
    void computed(int stage); ///< added or replaced
    void verified(int stage);
    void failed(const QString& message);
    /// Before failed(), where the engine refused or failed to run a pass on that stage.
    void passFailed(const QString& pass, const session::StagePtr& stage, const QString& message);
    /// A pass cannot run on stage `from`, since the text lacks what `why` says.
    void inputsNeeded(const QString& pass, int from, const QString& why);

private:
    struct Ran;
    [[nodiscard]] const std::vector<engine::InputRow>* givenRows(const session::Stage& root) const;
    void forgetClosed(); ///< what is known of stages that nobody holds any more
    void add(Ran ran);
    /// In the place of the computed stage `replaces`, if there is one.
    void keep(computed::ComputedStage known, int replaces);
    void compareWithTwin(const session::StagePtr& stage);
    /// `release` is the PyTorch that made the capture.
    void takeChecked(const session::StagePtr& stage,
                     tl::expected<computed::CheckedStage, engine::CallError> checked,
                     const std::string& release);

    Workspace& m_workspace;
    Engine& m_engine;
    std::vector<EnginePass> m_available;
    bool m_asked = false;
    std::unordered_map<session::StageId, computed::ComputedStage> m_computed;
    /// Forms that were filled in, by the stage that they are for.
    std::unordered_map<session::StageId, std::vector<engine::InputRow>> m_given;
};

/// The message for a call that has no result: says what failed, why, and where.
[[nodiscard]] QString callErrorText(const QString& what, const engine::CallError& error);

} // namespace dynascope::views
