// SPDX-License-Identifier: BSD-3-Clause
//
// What the sections of an HTML report share. Used by core/report only.
#pragma once

#include "core/base/task.h"
#include "core/base/words.h"
#include "core/report/documents.h"
#include "core/session/breaks.h"
#include "core/session/session.h"

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dynascope::report {

/// Text for an element or an attribute in double quotes: every text of a capture goes through here. Control codes and marks of
/// direction are made visible.
[[nodiscard]] std::string htmlText(std::string_view text);
/// <code>text</code>; empty for an empty text.
[[nodiscard]] std::string htmlCode(std::string_view text);
/// Of JSON, so that it stands in a <script> without ending it.
[[nodiscard]] std::string scriptText(std::string_view json);
/// `text` with its first `most` letters at most, and an ellipsis where some are left out.
[[nodiscard]] std::string firstLetters(std::string_view text, std::size_t most);
/// A bar as long as its share of the whole, for people who see; its figure stands beside it.
[[nodiscard]] std::string htmlBar(double part, double whole);
/// "<tr><td>...</td></tr>" of cells that are HTML already. A cell that begins with '>' stands at the right, a number.
[[nodiscard]] std::string htmlRow(std::initializer_list<std::string> cells);
/// A table with these columns; a name that begins with '>' stands at the right.
[[nodiscard]] std::string htmlTable(std::initializer_list<std::string_view> columns, const std::string& rows,
                                    std::string_view className = {});

/// The lines of programs that a capture quotes, as places that can be linked.
class ProgramLines {
public:
    explicit ProgramLines(const session::Session& session);
    /// "cap.py:27" as a link to that line where the capture quotes it, with the whole path as its title; empty where no file is
    /// known.
    [[nodiscard]] std::string link(const ir::SourceLocation& at) const;
    /// Of the element that link() leads to; empty where there is none.
    [[nodiscard]] std::string id(const ir::SourceLocation& at) const;
    /// The line's code, from the place itself or from elsewhere in the capture; may be empty.
    [[nodiscard]] std::string_view codeOf(const ir::SourceLocation& at) const;
    /// The lines around a place, itself marked, in a <pre>; empty where its code is not known.
    [[nodiscard]] std::string around(const ir::SourceLocation& at) const;
    /// All of them, with the ids that link() leads to.
    [[nodiscard]] std::string all() const;
    [[nodiscard]] std::size_t files() const { return m_session.sources.size(); }

private:
    [[nodiscard]] const session::SourceFile* fileOf(const ir::SourceLocation& at, std::size_t& number) const;

    const session::Session& m_session;
};

/// A card of the page, with an entry in its contents.
struct Section {
    std::string id, title;
    std::string figure; ///< in the contents, plain text: "16"
    std::string note;   ///< at the right of the card's title, HTML
    std::string body;   ///< HTML
    std::string className;
};

struct PageContext {
    const Contents& contents;
    session::SessionPtr shared;
    const session::Session& session;
    const ProgramLines& lines;
    const TaskContext& task;

    /// "0/0" as a link to the compile's stages.
    [[nodiscard]] std::string compileLink(std::size_t compile) const;
    [[nodiscard]] const answers::Answer* answer(answers::Question question) const;
    /// Its sentence and its note as paragraphs; empty where it is not answered.
    [[nodiscard]] std::string sentences(answers::Question question) const;
};

[[nodiscard]] Section breaksSection(const PageContext& page);
/// Empty where none is given.
[[nodiscard]] Section budgetsSection(const PageContext& page);
[[nodiscard]] Section recompilesSection(const PageContext& page);
[[nodiscard]] Section timesSection(const PageContext& page);
[[nodiscard]] Section cudaGraphsSection(const PageContext& page);
[[nodiscard]] Section memorySection(const PageContext& page);
/// Empty without a profile.
[[nodiscard]] Section profileSection(const PageContext& page);
/// Empty where there is one rank.
[[nodiscard]] Section ranksSection(const PageContext& page);
/// What the capture does not answer, warnings, how the numbers were made.
[[nodiscard]] std::vector<Section> appendix(const PageContext& page);

/// Style sheet and script of the page, files of resources/report.
[[nodiscard]] std::string_view reportStyle();
[[nodiscard]] std::string_view reportScript();

} // namespace dynascope::report
