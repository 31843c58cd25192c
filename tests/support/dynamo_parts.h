// SPDX-License-Identifier: BSD-3-Clause
//
// The widgets of the page Dynamo and of its views.
#pragma once

#include "tests/support/parts.h"
#include "views/base/code_view.h"
#include "views/base/row_table.h"
#include "views/dynamo/breakpoints_view.h"
#include "views/dynamo/breaks_view.h"
#include "views/dynamo/cache_view.h"
#include "views/dynamo/console_view.h"
#include "views/dynamo/effects_view.h"
#include "views/dynamo/generated_view.h"
#include "views/dynamo/key_view.h"
#include "views/dynamo/live_bar.h"
#include "views/dynamo/partial_graph.h"
#include "views/dynamo/search_view.h"
#include "views/dynamo/steps_strip.h"
#include "views/dynamo/symbol_names_view.h"
#include "views/inspector/fact_view.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QSpinBox>
#include <QTabWidget>
#include <QTreeView>

namespace dynascope::test {

class DynamoParts : public Parts {
public:
    using Parts::Parts;

    [[nodiscard]] views::StepsStrip* strip() const { return find<views::StepsStrip>(); }
    [[nodiscard]] views::CodeView* source() const { return find<views::CodeView>("dynamo.source"); }
    [[nodiscard]] views::CodeView* bytecode() const { return find<views::CodeView>("dynamo.bytecode"); }
    [[nodiscard]] views::PartialGraph* graph() const { return find<views::PartialGraph>(); }
    [[nodiscard]] QTreeView* state() const { return find<QTreeView>("dynamo.state"); }
    [[nodiscard]] QTreeView* changes() const { return find<QTreeView>("dynamo.changes"); }
    [[nodiscard]] QTreeView* symbols() const { return find<QTreeView>("dynamo.symbols"); }
    [[nodiscard]] QTabWidget* stateTabs() const { return find<QTabWidget>("dynamo.states"); }
    [[nodiscard]] QTabWidget* tools() const { return find<QTabWidget>("dynamo.tools"); }
    [[nodiscard]] QTabWidget* pages() const { return find<QTabWidget>("dynamo.tabs"); }
    [[nodiscard]] views::RowTable* callStack() const { return find<views::RowTable>("dynamo.calls"); }
    [[nodiscard]] views::FactView* story() const { return find<views::FactView>("dynamo.story"); }
    [[nodiscard]] views::BreakpointsView* breakpoints() const { return find<views::BreakpointsView>(); }
    [[nodiscard]] views::SearchView* search() const { return find<views::SearchView>(); }
    [[nodiscard]] QLineEdit* searchField() const { return find<QLineEdit>("dynamo.search"); }
    [[nodiscard]] QLineEdit* condition() const { return find<QLineEdit>("dynamo.condition"); }
    [[nodiscard]] views::ConsoleView* console() const { return find<views::ConsoleView>(); }
    [[nodiscard]] views::LiveBar* live() const { return find<views::LiveBar>(); }
    [[nodiscard]] views::RecordedBreaksView* breaks() const { return find<views::RecordedBreaksView>(); }
    [[nodiscard]] views::CacheView* cache() const { return find<views::CacheView>(); }
    [[nodiscard]] views::KeyView* keys() const { return find<views::KeyView>(); }
    [[nodiscard]] views::EffectsView* effects() const { return find<views::EffectsView>(); }
    [[nodiscard]] views::GeneratedView* generated() const { return find<views::GeneratedView>(); }
    [[nodiscard]] views::SymbolNamesView* symbolNames() const { return find<views::SymbolNamesView>(); }
    // Of the views behind the tabs, which may also be looked at alone.
    [[nodiscard]] QComboBox* cacheCodes() const { return find<QComboBox>("dynamo.cacheCodes"); }
    [[nodiscard]] views::RowTable* cacheGuards() const { return find<views::RowTable>("dynamo.cacheGuards"); }
    [[nodiscard]] QComboBox* cacheCall() const { return find<QComboBox>("dynamo.cacheCall"); }
    [[nodiscard]] QLineEdit* cacheSequence() const { return find<QLineEdit>("dynamo.cacheSequence"); }
    [[nodiscard]] QSpinBox* cacheLimit() const { return find<QSpinBox>("dynamo.cacheLimit"); }
    [[nodiscard]] views::RowTable* cacheAnswers() const {
        return find<views::RowTable>("dynamo.cacheAnswers");
    }
    [[nodiscard]] views::RowTable* keyQuestions() const {
        return find<views::RowTable>("dynamo.keyQuestions");
    }
    [[nodiscard]] QComboBox* keyOther() const { return find<QComboBox>("dynamo.keyOther"); }
    [[nodiscard]] QComboBox* symbolsA() const { return find<QComboBox>("dynamo.symbolsA"); }
    [[nodiscard]] QComboBox* symbolsB() const { return find<QComboBox>("dynamo.symbolsB"); }
    [[nodiscard]] QLineEdit* consoleInput() const { return find<QLineEdit>("dynamo.consoleInput"); }
    [[nodiscard]] views::RowTable* generatedCodes() const {
        return find<views::RowTable>("dynamo.generatedCodes");
    }
    [[nodiscard]] views::RowTable* effectObjects() const {
        return find<views::RowTable>("dynamo.effectObjects");
    }
    [[nodiscard]] views::RowTable* effectReplay() const {
        return find<views::RowTable>("dynamo.effectReplay");
    }
    [[nodiscard]] QLineEdit* breakpointField() const { return find<QLineEdit>("dynamo.breakpointField"); }
    [[nodiscard]] QListView* breakpointList() const { return find<QListView>("dynamo.breakpointList"); }
    [[nodiscard]] views::FactView* breakStory() const { return find<views::FactView>("dynamo.breakStory"); }
    /// What the header says of the step.
    [[nodiscard]] QString caption() const { return find<QLabel>("dynamo.caption")->text(); }
    /// What became of the last run or search.
    [[nodiscard]] QString answer() const { return find<QLabel>("dynamo.answer")->text(); }
    [[nodiscard]] QString keyNote() const { return find<QLabel>("dynamo.keyNote")->text(); }
    [[nodiscard]] QString cacheNote() const { return find<QLabel>("dynamo.cacheNote")->text(); }
    [[nodiscard]] QString effectNote() const { return find<QLabel>("dynamo.effectNote")->text(); }
    [[nodiscard]] QString symbolNote() const { return find<QLabel>("dynamo.symbolNote")->text(); }
    [[nodiscard]] QString searchCaption() const { return find<QLabel>("dynamo.searchCaption")->text(); }
    /// What is wrong with a breakpoint's text; empty where nothing is.
    [[nodiscard]] QString breakpointAnswer() const {
        const auto* answer = find<QLabel>("dynamo.breakpointAnswer");
        return answer->isHidden() ? QString() : answer->text();
    }
};

/// `in(*page).source()`
[[nodiscard]] inline DynamoParts in(const QWidget& page) {
    return DynamoParts(page);
}

} // namespace dynascope::test
