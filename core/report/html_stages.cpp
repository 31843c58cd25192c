// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/html_stages.h"

#include "core/base/digest.h"
#include "core/base/shown_text.h"
#include "core/session/generated_code.h"
#include "core/session/stage_links.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

namespace dynascope::report {

namespace {

using session::Compile;
using session::Stage;

/// No text of a capture has it: control codes are made visible.
constexpr char marker = '\x01';
constexpr std::size_t mostQuietRows = 60, leastCode = 16'000, leastRoom = 2'000;

std::string stageId(std::size_t number) {
    return 's' + std::to_string(number);
}

/// "+3 −1 ~1"; "≈" where only spelling differs, "=" where nothing does.
std::string deltaText(const diff::GraphDiff& diff) {
    std::string out;
    const auto add = [&](std::size_t n, const char* sign) {
        if (n > 0) out += (out.empty() ? "" : " ") + std::string(sign) + std::to_string(n);
    };
    add(diff.added, "+");
    add(diff.removed, "−");
    add(diff.changed, "~");
    add(diff.moved, "↕");
    if (!out.empty()) return out;
    return diff.respelled > 0 ? "≈" : "=";
}

std::string letters(const std::vector<diff::Change>& changes) {
    std::string out;
    for (const diff::Change change : changes)
        out += changeLetter(change);
    return out;
}

/// -1 for npos.
template <typename T>
std::string numbers(const std::vector<T>& values) {
    std::string out = "[";
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i > 0) out += ',';
        out += values[i] == std::numeric_limits<T>::max() ? "-1" : std::to_string(values[i]);
    }
    return out + ']';
}

std::string pairs(const std::vector<std::pair<ir::NodeIndex, ir::NodeIndex>>& values) {
    std::vector<ir::NodeIndex> flat;
    for (const auto& [a, b] : values) {
        flat.push_back(a);
        flat.push_back(b);
    }
    return numbers(flat);
}

/// What changed, in the order of both graphs; with what was only respelled where that is not much.
std::vector<std::pair<ir::NodeIndex, ir::NodeIndex>> changedRows(const diff::GraphDiff& diff) {
    const bool withQuiet = diff.rows.size() <= mostQuietRows;
    std::vector<std::pair<ir::NodeIndex, ir::NodeIndex>> out;
    for (const diff::Row& row : diff.rows) {
        if (row.change == diff::Change::Same || (row.change == diff::Change::Respelled && !withQuiet))
            continue;
        out.emplace_back(row.a, row.b);
    }
    return out;
}

/// Links beyond the one-to-one partners.
std::vector<std::pair<ir::NodeIndex, ir::NodeIndex>> furtherLinks(const diff::GraphDiff& diff) {
    std::vector<std::pair<ir::NodeIndex, ir::NodeIndex>> out;
    for (const diff::Link& link : diff.links)
        if (diff.partnerOfB[link.b] != link.a) out.emplace_back(link.a, link.b);
    return out;
}

std::string kindsOf(const ir::Graph& graph) {
    std::string out;
    for (const ir::NodePtr& node : graph.nodes())
        out += static_cast<char>('0' + static_cast<int>(ir::opKind(*node)));
    return out;
}

/// By node those that it reads: "0 1,2,,3".
std::string inputsOf(const ir::Graph& graph) {
    std::string out;
    for (ir::NodeIndex n = 0; n < graph.size(); ++n) {
        if (n > 0) out += ',';
        for (const ir::NodeIndex input : graph.inputs(n))
            out += (out.empty() || out.back() == ',' ? "" : " ") + std::to_string(input);
    }
    return out;
}

std::string dumped(const nlohmann::json& value) {
    return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string notesOf(const ir::Graph& graph) {
    nlohmann::json out = nlohmann::json::object();
    for (ir::NodeIndex n = 0; n < graph.size(); ++n)
        if (const ir::Node& node = graph.node(n); !node.note.empty())
            out[std::to_string(n)] = withoutControlCodes(node.note);
    return dumped(out);
}

/// File, line, function, code, and the id of the line in the appendix.
std::string placesOf(const ProgramLines& program, const std::vector<ir::SourceLocation>& lines) {
    std::string out = "[";
    for (const ir::SourceLocation& at : lines)
        out += (out.size() == 1 ? "" : ",\n") +
               dumped(nlohmann::json::array({withoutControlCodes(at.file), at.line,
                                             withoutControlCodes(at.function),
                                             withoutControlCodes(program.codeOf(at)), program.id(at)}));
    return out + ']';
}

std::string sizeText(const Stage& stage) {
    return stage.content == Stage::Content::Code ? count(stage.kernelCount(), "kernel")
                                                 : count(stage.nodeCount(), "node");
}

/// With the post-grad nodes that each kernel's comments name.
std::string kernelsHtml(std::string_view code) {
    std::string rows;
    for (const session::GeneratedKernel& kernel : session::readGeneratedCode(code).kernels) {
        std::string nodes;
        for (const std::string& node : kernel.atenNodes)
            nodes += (nodes.empty() ? "" : ", ") + node;
        std::size_t line = kernel.definition.first;
        if (line == 0 && !kernel.calls.empty()) line = kernel.calls.front().lines.first;
        rows += htmlRow({htmlCode(kernel.name), '>' + (line == 0 ? std::string() : std::to_string(line)),
                         '>' + std::to_string(kernel.calls.size()), htmlCode(firstLetters(nodes, 400))});
    }
    return rows.empty() ? rows
                        : "<details class=\"kernels\" open=\"\"><summary>Kernels</summary>" +
                              htmlTable({"Kernel", ">Line", ">Calls", "Nodes that its comments name"}, rows) +
                              "</details>\n";
}

std::string leftOut(const Stage& stage) {
    return "<p class=\"left\">Neither picture nor text is here: they would exceed the size of a report. "
           "<code>dynascope-cli print CAPTURE --stage " +
           htmlText(stage.label()) + "</code> prints it.</p>\n";
}

} // namespace

struct StageWriter::Naming {
    session::NamingPtr names;
    session::ModuleClasses classes;
    session::StageTree tree;
};

StageWriter::StageWriter(const PageContext& page, std::size_t room)
    : m_page(page)
    , m_room(room) {}

bool StageWriter::take(std::size_t bytes) {
    if (bytes > m_room) return false;
    m_room -= bytes;
    return true;
}

std::string StageWriter::codeHtml(const Stage& stage) {
    const std::string text = stage.payload.text();
    std::string code = htmlText(text), left;
    if (!take(code.size())) {
        const std::size_t lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
        std::size_t end = std::min(code.rfind('\n', std::min(m_room / 2, leastCode)), code.size());
        if (m_room < leastCode || end == std::string::npos) end = 0;
        code.resize(end);
        m_room -= std::min(m_room, end);
        ++m_notWritten;
        left = "<p class=\"left\">The first " + std::to_string(std::ranges::count(code, '\n')) + " of " +
               count(lines, "line") + " are here: the whole would exceed the size of a report.</p>\n";
    }
    std::string kernels = kernelsHtml(text);
    if (!take(kernels.size())) kernels.clear();
    return left + kernels + "<details class=\"text\"><summary>Output code</summary><pre>" + code +
           "</pre></details>\n";
}

std::string StageWriter::graphHtml(std::size_t index, const ir::GraphPtr& graph, const Naming& naming,
                                   const Before& before, std::string& attributes) {
    const Compile& compile = m_page.session.compiles[m_compile];
    const Stage& stage = *compile.stages[index];
    const diff::GraphDiff* diff = before.diff ? &*before.diff : nullptr;
    const StageText text = textOf(*graph);
    Result<StagePicture> picture = pictureOf(graph, naming.names, naming.classes, m_page.task);
    const std::string svg = picture ? svgOf(*picture, diff ? diff->b : std::vector<diff::Change>(),
                                            stage.label() + ", " + sizeText(stage))
                                    : std::string();
    std::string data = "{\"k\":\"" + kindsOf(*graph) + "\",\n\"p\":" + numbers(text.lengths) +
                       ",\n\"s\":" + numbers(text.places) +
                       ",\n\"src\":" + placesOf(m_page.lines, text.lines) + ",\n\"n\":" + notesOf(*graph) +
                       ",\n\"in\":\"" + inputsOf(*graph) + '"';
    if (picture) data += ",\n\"i\":" + numbers(picture->folded.itemOfNode);
    if (diff)
        data += ",\n\"b\":\"" + letters(diff->b) + "\",\n\"a\":\"" + letters(diff->a) +
                "\",\n\"of\":" + numbers(diff->partnerOfB) + ",\n\"l\":" + pairs(furtherLinks(*diff)) +
                ",\n\"w\":" + pairs(changedRows(*diff));
    data = scriptText(data + "}");

    const std::string all =
        text.html + '\0' + (before.graph ? textOf(*before.graph).html : "") + '\0' + svg + data;
    const auto [known, isNew] = m_written.try_emplace(
        sha256(all), m_first + index, compileName(m_page.session, compile) + ' ' + stage.label());
    if (!isNew) {
        const std::string id = stageId(known->second.first);
        attributes = " data-same=\"" + id + '"';
        return "<p class=\"same\">Word for word <a href=\"#" + id + "\">" + htmlText(known->second.second) +
               "</a>, and so is the stage before.</p>\n";
    }
    std::string out;
    if (!take(text.html.size() + data.size())) {
        ++m_notWritten;
        ++m_notDrawn;
        return leftOut(stage);
    }
    if (!svg.empty() && take(svg.size())) {
        out += "<div class=\"pic\">" + svg + "</div>\n";
        if (picture->isFolded)
            out += "<p class=\"dim\">Modules, repeated layers and rows of inputs are blocks; the text has "
                   "every node.</p>\n";
    } else {
        ++m_notDrawn;
        out += "<p class=\"left\">No picture is here: it would exceed the size of a report. The text has "
               "every node.</p>\n";
    }
    if (!graph->subgraphs().empty())
        out += "<p class=\"dim\">" + count(graph->subgraphs().size(), "nested graph") +
               " stand in the text alone.</p>\n";
    out += "<details class=\"text\"><summary>Text of " + count(graph->size(), "node") + "</summary><pre>" +
           text.html + "</pre></details>\n<script type=\"application/json\">" + data + "</script>\n";
    if (picture && picture->isFolded && !blocksOf(*picture).empty()) {
        out += marker + std::to_string(m_insides.size()) + marker;
        m_insides.push_back({std::move(*picture), diff ? diff->b : std::vector<diff::Change>()});
    }
    return out;
}

std::string StageWriter::stageHtml(const Compile& compile, std::size_t index, const Naming& naming,
                                   std::string& delta) {
    const Stage& stage = *compile.stages[index];
    const std::string id = stageId(m_first + index);
    Before before;
    before.stage =
        naming.tree.parent[index] == session::StageTree::none ? SIZE_MAX : naming.tree.parent[index];
    std::string body, attributes;
    if (m_room < leastRoom) {
        ++m_notWritten;
        ++m_notDrawn;
        body = leftOut(stage);
    } else if (stage.content == Stage::Content::Code) {
        body = codeHtml(stage);
    } else if (const Result<ir::GraphPtr> graph = stage.graph(); !graph) {
        body = "<p class=\"left\">Not read: " + htmlText(graph.error().toString()) + "</p>\n";
    } else {
        if (before.stage != SIZE_MAX)
            if (const auto other = compile.stages[before.stage]->graph()) {
                before.graph = *other;
                before.diff = diff::diffGraphs(**other, **graph);
                delta = deltaText(*before.diff);
            }
        // What is word for word the stage before is there once.
        if (before.diff && before.diff->identical() && before.diff->respelled == 0 &&
            textOf(**graph).html == textOf(*before.graph).html) {
            body = "<p class=\"same\">Word for word the graph of the stage before, " +
                   htmlText(compile.stages[before.stage]->label()) + ".</p>\n";
            attributes = " data-equal=\"\" data-same=\"" + stageId(m_first + before.stage) + '"';
        } else {
            body = graphHtml(index, *graph, naming, before, attributes);
        }
    }
    if (before.stage != SIZE_MAX) attributes += " data-before=\"" + stageId(m_first + before.stage) + '"';
    return "<figure class=\"stage\" id=\"" + id + "\" data-name=\"" + htmlText(stage.label()) +
           "\" data-size=\"" + sizeText(stage) + '"' + attributes + ">\n<figcaption><b>" +
           htmlText(stage.label()) + "</b> " + htmlText(stage.detail) + " <span class=\"dim\">" +
           htmlText(session::phaseName(stage.phase)) + ", " + sizeText(stage) +
           (delta.empty() ? "" : ", " + delta) + "</span></figcaption>\n" + body + "</figure>\n";
}

void StageWriter::drawInsides(std::string& html) {
    std::string out;
    std::size_t at = 0;
    for (std::size_t i = 0; i < m_insides.size(); ++i) {
        const std::string mark = marker + std::to_string(i) + marker;
        const std::size_t found = html.find(mark, at);
        if (found == std::string::npos) break;
        out.append(html, at, found - at);
        at = found + mark.size();
        const Insides& of = m_insides[i];
        std::size_t left = 0;
        for (const std::uint32_t item : blocksOf(of.picture)) {
            const std::optional<StagePicture> inside =
                m_room < leastRoom ? std::nullopt : insideOf(of.picture, item, m_page.task);
            if (inside && inside->folded.items.size() < 2) continue;
            const std::string name = of.picture.tree.groups[of.picture.folded.items[item].group].name;
            const std::string drawn =
                !inside ? std::string()
                        : "<details class=\"inside\" data-of=\"" + std::to_string(item) +
                              "\"><summary>Inside " + htmlCode(name) + "</summary><div class=\"pic\">" +
                              svgOf(*inside, of.changes, "inside " + name) + "</div></details>\n";
            if (inside && take(drawn.size()))
                out += drawn;
            else
                ++left;
        }
        if (left > 0)
            out += "<p class=\"left\">What " + count(left, "block") + (left == 1 ? " holds" : " hold") +
                   " is not drawn: it would exceed the size of a report. The text has every node.</p>\n";
    }
    html = out + html.substr(at);
}

std::string StageWriter::sameCompile(const Compile& compile, const session::NamingPtr& names) {
    // All that pictures, texts and what changed are made of.
    std::string all;
    for (const session::StagePtr& stage : compile.stages)
        all += stage->label() + '\0' + stage->detail + '\0' + stage->payload.text() + '\0';
    if (names)
        for (const std::string& source : names->sources)
            all += source + '\0';
    for (const auto& [module, className] : session::moduleClasses(compile.guards))
        all += module + '\0' + className + '\0';
    const bool isThere = std::ranges::any_of(
        compile.stages, [](const session::StagePtr& stage) { return !stage->payload.empty(); });
    const auto [known, isNew] = m_compiles.try_emplace(sha256(all), m_compile);
    if (isNew || !isThere) return {};
    return "<p class=\"same\">Its " + count(compile.stages.size(), "stage") +
           (compile.stages.size() == 1 ? " is" : " are") + " word for word " +
           (compile.stages.size() == 1 ? "that" : "those") + " of " + m_page.compileLink(known->second) +
           ".</p>\n";
}

std::string StageWriter::html(std::size_t index) {
    const Compile& compile = m_page.session.compiles[index];
    m_compile = index;
    m_first = m_next;
    m_next += compile.stages.size();
    if (compile.stages.empty()) return "<p class=\"dim\">No graph of this compile is in the capture.</p>\n";
    const session::NamingPtr names = session::namingOf(compile);
    if (std::string same = sameCompile(compile, names); !same.empty()) return same;
    if (m_room < leastRoom) {
        m_notDrawn += compile.stages.size();
        m_notWritten += compile.stages.size();
        return "<p class=\"left\">" + count(compile.stages.size(), "stage") +
               ", left out: they would exceed the size of a report.</p>\n";
    }
    const std::size_t room = m_room;
    std::string out = viewerHtml(compile, names);
    // What stands around pictures and texts takes room as well.
    const std::size_t taken = room - m_room;
    m_room -= std::min(m_room, out.size() - std::min(out.size(), taken));
    return out;
}

std::string StageWriter::viewerHtml(const Compile& compile, const session::NamingPtr& names) {
    const Naming naming{names, session::moduleClasses(compile.guards),
                        session::makeStageTree(m_page.session, compile)};
    std::string strip, figures;
    session::Phase phase{};
    bool isLong = false;
    for (std::size_t i = 0; i < compile.stages.size() && !m_page.task.cancelled(); ++i) {
        const Stage& stage = *compile.stages[i];
        std::string delta;
        figures += stageHtml(compile, i, naming, delta);
        isLong = isLong || delta.size() > 20;
        const bool isFirst = i == 0 || stage.phase != phase;
        phase = stage.phase;
        strip += "<li><span class=\"phase\">" +
                 (isFirst ? htmlText(session::phaseName(phase)) : std::string()) + "</span><a href=\"#" +
                 stageId(m_first + i) + "\" data-stage=\"" + stageId(m_first + i) + "\">" +
                 htmlText(stage.shortLabel()) + "</a><span class=\"dot\"></span><span class=\"dim\">" +
                 sizeText(stage) + "</span><span class=\"delta\">" + delta + "</span></li>\n";
    }
    return "<div class=\"viewer\">\n<ol class=\"strip" + std::string(isLong ? " long" : "") + "\">\n" +
           strip + "</ol>\n" + figures + "</div>\n";
}

} // namespace dynascope::report
