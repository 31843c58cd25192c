// SPDX-License-Identifier: BSD-3-Clause
//
// Captures of random programs on fake CUDA tensors, held against what PyTorch itself says about their graphs:
// find_input_mutations, check_for_skip, check_for_mutation, get_device_index. DYNASCOPE_CUDAGRAPH_CAPTURES
// names a folder of tests/oracle/generate/cudagraph_captures.py to hold all of it.
#include "core/capture/open.h"
#include "core/replay/coverage.h"
#include "core/replay/input_categories.h"
#include "tests/support/archive.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>
#include <nlohmann/json.hpp>
#include <set>

using namespace dynascope;
using namespace dynascope::replay;
using nlohmann::json;

namespace {

struct Answered {
    std::string name;
    std::string log; ///< path
    json answers;
};

std::vector<Answered> fromFolder(const QString& folder) {
    std::vector<Answered> out;
    for (const QString& seed : QDir(folder).entryList({"seed_*"}, QDir::Dirs, QDir::Name)) {
        QFile answers(folder + '/' + seed + "/answers.json");
        if (!answers.open(QIODevice::ReadOnly)) continue;
        out.push_back({seed.toStdString(), (folder + '/' + seed + "/trace.log").toStdString(),
                       json::parse(answers.readAll().toStdString())});
    }
    return out;
}

std::string asText(const std::vector<std::size_t>& numbers) {
    return json(numbers).dump();
}

std::string_view categoryWord(MutationCategory category) {
    switch (category) {
    case MutationCategory::Static:
        return "static";
    case MutationCategory::Recorded:
        return "recorded";
    case MutationCategory::Other:
        return "other";
    case MutationCategory::None:
        break;
    }
    return "none";
}

/// What PyTorch raised, as GraphCoverage::message has it; empty where it answered.
std::string errorText(const json& answer) {
    if (!answer.is_object() || !answer.contains("error")) return {};
    return answer["error"][0].get<std::string>() + ": " + answer["error"][1].get<std::string>();
}

/// PyTorch underlines what a line is about; a graph's text keeps the line alone.
std::string withoutCarets(const std::string& message) {
    std::string out;
    for (std::size_t at = 0; at < message.size();) {
        const std::size_t end = std::min(message.find('\n', at), message.size() - 1) + 1;
        const std::string line = message.substr(at, end - at);
        if (line.find_first_not_of(" ^~\n") != std::string::npos) out += line;
        at = end;
    }
    return out;
}

/// Differences between an answer and what is said of the graph.
std::vector<std::string> differences(const json& answer, const GraphCoverage& graph, GraphBackend backend) {
    std::vector<std::string> out;
    const auto same = [&](const std::string& what, const std::string& expected, const std::string& got) {
        if (expected != got) out.push_back(what + ": PyTorch has " + expected + ", here " + got);
    };
    const ReplayGraphFacts facts = factsOf(*graph.stage->graph());
    const InputMutations mutations = findInputMutations(facts);
    if (const std::string error = errorText(answer["mutated"]); !error.empty())
        same("writes", error,
             mutations.error ? mutations.error->type + ": " + mutations.error->message : "none");
    else
        same("writes", answer["mutated"].dump(), asText({mutations.inputs.begin(), mutations.inputs.end()}));
    same("static inputs", answer["static"].dump(), asText(graph.fixed));

    std::vector<std::size_t> recorded;
    for (const RecordedInput& input : graph.recorded)
        recorded.push_back(input.input);
    std::string skip = errorText(answer["skip"]);
    if (answer["skip"].is_string()) skip = answer["skip"].get<std::string>();
    const std::string device = errorText(answer["device"]);
    const bool raises = !errorText(answer["skip"]).empty() || !device.empty();
    // What a graph that Inductor cuts returns lies in a recording or not: no GPU has told.
    const bool certain = answer.value("certain", true);
    if (answer["called"].get<bool>() && certain) {
        json categories = json::object();
        for (const InputCategory& input : inputCategories(facts, graph.fixed, recorded).inputs)
            if (input.category != MutationCategory::None)
                categories[std::to_string(input.input)] = categoryWord(input.category);
        same("categories", answer["categories"].dump(), categories.dump());
    }
    if (backend == GraphBackend::Cudagraphs) {
        const CoverageVerdict verdict = raises         ? CoverageVerdict::Raises
                                        : skip.empty() ? CoverageVerdict::CudaGraph
                                                       : CoverageVerdict::Skipped;
        same("verdict", std::string(coverageVerdictName(verdict)),
             std::string(coverageVerdictName(graph.verdict)));
        same("message", withoutCarets(!device.empty() ? device : skip), graph.message);
        return out;
    }
    if (!answer["called"].get<bool>() || !certain) return out;
    // compile_fx.py (count_calls) hands such a graph back before anything that the answers hold is asked.
    const auto& nodes = (*graph.stage->graph())->nodes();
    if (std::ranges::none_of(
            nodes, [](const ir::NodePtr& node) { return ir::opName(node->op).starts_with("call"); })) {
        same("needs none", "true", graph.needsNone ? "true" : "false");
        return out;
    }
    // Inductor cuts a graph around single ops and CPU tensors; several GPUs, or a write that is asked about at
    // run time, stop all of it. A graph on the CPU is judged as on a GPU too.
    const auto lowering = answer["lowering"].get<std::string>();
    const auto message = lowering.empty() ? answer["message"].get<std::string>() : lowering;
    const auto devices = answer["devices"].get<std::set<std::string>>();
    const bool onCpu = devices == std::set<std::string>{"cpu"};
    const bool onGpu = devices.contains("cuda");
    const bool cut = answer["unsafe"].get<bool>() || (onGpu && devices.contains("cpu"));
    const CoverageVerdict verdict = !message.empty() ? CoverageVerdict::Skipped
                                    : cut            ? CoverageVerdict::Split
                                                     : CoverageVerdict::CudaGraph;
    same("verdict", std::string(coverageVerdictName(onGpu ? verdict : CoverageVerdict::Skipped)),
         std::string(coverageVerdictName(graph.verdict)));
    same("message", onGpu ? withoutCarets(message) : std::string(), graph.message);
    if (!onCpu) return out;
    same("on a GPU", std::string(coverageVerdictName(verdict)),
         graph.onGpu ? std::string(coverageVerdictName(*graph.onGpu)) : "not asked");
    same("message on a GPU", withoutCarets(message), graph.messageOnGpu);
    return out;
}

} // namespace

class TestReplayCaptures : public QObject {
    Q_OBJECT

private slots:
    void agreesWithPyTorch() {
        QTemporaryDir unpacked;
        QString folder = qEnvironmentVariable("DYNASCOPE_CUDAGRAPH_CAPTURES");
        if (folder.isEmpty()) {
            folder = unpacked.path();
            for (const test::ArchiveFile& file :
                 test::readArchive(DYNASCOPE_SOURCE_DIR "/tests/oracle/cudagraphs.tar.xz")) {
                const QString path = folder + '/' + QString::fromStdString(file.path);
                QVERIFY(QDir().mkpath(QFileInfo(path).path()));
                QFile out(path);
                QVERIFY(out.open(QIODevice::WriteOnly));
                out.write(file.content.data(), qint64(file.content.size()));
            }
        }
        const std::vector<Answered> captures = fromFolder(folder);
        QVERIFY(captures.size() >= (qEnvironmentVariableIsEmpty("DYNASCOPE_CUDAGRAPH_CAPTURES") ? 200 : 1));
        std::size_t graphs = 0, agree = 0, captured = 0;
        std::map<std::string, std::size_t> seen; ///< by what was asked about
        std::vector<std::string> wrong;
        for (const Answered& capture : captures) {
            const auto session = capture::open(capture.log);
            QVERIFY2(session, capture.name.c_str());
            const GraphBackend backend = capture.answers["backend"] == "cudagraphs"
                                             ? GraphBackend::Cudagraphs
                                             : GraphBackend::ReduceOverhead;
            const CoverageReport report = cudagraphCoverage(**session, backend);
            bool fits = true;
            for (const json& answer : capture.answers["graphs"]) {
                ++graphs;
                const auto compile = answer["compile"].get<std::string>();
                const auto part = answer["part"].get<std::string>();
                const auto found =
                    std::find_if(report.graphs.begin(), report.graphs.end(), [&](const GraphCoverage& graph) {
                        return (*session)->compiles[graph.compile].id.toString() == compile &&
                               graph.part == part;
                    });
                std::vector<std::string> all{"there is no such graph"};
                if (found != report.graphs.end()) all = differences(answer, *found, backend);
                agree += all.empty() ? 1 : 0;
                fits = fits && all.empty();
                for (const std::string& difference : all)
                    wrong.push_back(capture.name + ' ' + answer["compile"].get<std::string>() + ' ' +
                                    answer["part"].get<std::string>() + ": " + difference);
                if (answer.contains("categories"))
                    for (const auto& [input, category] : answer["categories"].items())
                        ++seen[category.get<std::string>()];
                if (answer["device"].is_object()) ++seen["raised"];
            }
            captured += fits ? 1 : 0;
        }
        qInfo("%zu of %zu captures, %zu of %zu graphs agree; inputs written: %zu static, %zu recorded, %zu "
              "other",
              captured, captures.size(), agree, graphs, seen["static"], seen["recorded"], seen["other"]);
        for (const std::string& difference : wrong)
            qWarning("%s", difference.c_str());
        QVERIFY(wrong.empty());
        // What is not asked is not tested.
        for (const char* asked : {"static", "recorded", "other", "raised"})
            QVERIFY2(seen[asked] > 0, asked);
    }
};

QTEST_APPLESS_MAIN(TestReplayCaptures)
#include "tst_replay_captures.moc"
