// SPDX-License-Identifier: BSD-3-Clause
//
// Logs that grow are read on from where they were read to: at any cut, what comes out is what reading them
// from the beginning gives.
#include "core/capture/follow.h"
#include "core/capture/log_memory.h"
#include "tests/support/captures.h"
#include "tests/support/trace_text.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <fstream>
#include <random>
#include <sstream>

using namespace dynascope;
using capture::Again;
using capture::LogMemory;

namespace {

std::ostream& operator<<(std::ostream& out, const session::Payload& payload) {
    return out << payload.offset << '+' << payload.length << (payload.tabbed ? "t " : " ")
               << qHash(QByteArray::fromStdString(payload.source ? payload.text() : "none"));
}

std::ostream& operator<<(std::ostream& out, const ir::SourceLocation& at) {
    return out << at.file << ':' << at.line << ' ' << at.function << ' ' << at.code;
}

template <typename T>
std::ostream& operator<<(std::ostream& out, const std::vector<T>& all) {
    out << all.size() << '[';
    for (const T& one : all)
        out << one << '|';
    return out << ']';
}

void tellRecords(std::ostream& out, const session::Session& session) {
    for (const session::Record& record : session.records)
        out << record.type << ' ' << record.rank << ' ' << record.compileId.toString() << ' '
            << record.attempt << ' ' << record.line << ' ' << record.header << ' ' << record.payload << ' '
            << record.seconds << ' ' << record.origin << ' ' << record.known << '\n';
}

void tellCompile(std::ostream& out, const session::Compile& compile) {
    out << compile.rank << ' ' << compile.id.toString() << ' ' << session::statusName(compile.status) << ' '
        << compile.attempts << compile.restartReasons << compile.isRecompile << compile.recompileReasons
        << compile.userStack << compile.function << compile.failType << compile.failReason << compile.failAt
        << compile.compileSeconds << ' ' << compile.backwardSeconds << ' ' << compile.metrics
        << compile.records << compile.guardText << '\n';
    for (const session::StagePtr& stage : compile.stages)
        out << "stage " << stage->label() << session::phaseName(stage->phase) << int(stage->content)
            << stage->attempt << stage->detail << ' ' << stage->record << ' ' << stage->line << ' '
            << stage->payload << '\n';
    for (const session::GraphBreak& one : compile.breaks)
        out << "break " << one.title << one.explanation << one.hints << one.context << one.userStack
            << one.skipsFunction << one.attempt << ' ' << one.record << '\n';
    for (const session::Guard& guard : compile.guards)
        out << "guard " << guard.depth << guard.type << guard.code << guard.source << guard.addedAt << '\n';
    for (const session::StorageInfo& storage : compile.storages)
        out << "storage " << storage.describer << ' ' << storage.id << ' ' << storage.bytes << '\n';
    for (const session::TensorInput& input : compile.inputs)
        out << "input " << input.describer << ' ' << input.id << input.source << input.storageOffset << ' '
            << input.storage << input.isLeaf << input.requiresGrad << input.isParameter << input.isView
            << input.base << ' ' << input.record << input.raw << '\n';
    for (const session::SymbolInfo& symbol : compile.symbols)
        out << "symbol " << symbol.symbol << symbol.value << symbol.range << symbol.source << symbol.userStack
            << symbol.became << symbol.becameReason << symbol.becameAt << symbol.upperBound << '\n';
    for (const session::Bytecode& code : compile.bytecode)
        out << "bytecode " << code.name << code.original << code.modified << '\n';
    for (const session::CacheEvent& cache : compile.caches)
        out << "cache " << session::outcomeName(cache.outcome) << cache.cache << cache.key << cache.reason
            << cache.record << '\n';
}

/// All that a session holds, as text.
std::string told(const session::Session& session) {
    std::ostringstream out;
    out.precision(17);
    out << session::kindName(session.kind) << ' ' << session.path << ' ' << session.title << ' '
        << session.torchVersion << ' ' << session.ranks << '\n';
    for (const session::Run& run : session.runs)
        out << "run " << run.rank << ' ' << run.number << int(run.cause) << run.file << ' ' << run.line
            << '\n';
    tellRecords(out, session);
    for (const session::Compile& compile : session.compiles)
        tellCompile(out, compile);
    for (const session::Frame& frame : session.frames)
        out << "frame " << frame.function << frame.location << frame.rank << ' ' << frame.run
            << frame.compiles << '\n';
    for (const session::TimingEvent& event : session.timings)
        out << "event " << event.name.str() << event.category.str() << ' ' << event.startUs << ' '
            << event.durationUs << ' ' << event.pid << ' ' << event.tid << ' ' << event.depth << ' '
            << event.rank << ' ' << event.compile << event.open << ' ' << event.record << ' '
            << event.endRecord << '\n';
    for (const session::Warning& warning : session.warnings)
        out << "warning " << warning.error.toString() << ' ' << warning.record << '\n';
    for (const auto& [path, file] : session.sources)
        for (const auto& [line, code] : file.lines)
            out << "source " << path << ':' << line << ' ' << code << '\n';
    for (const auto& [type, count] : session.recordCounts)
        out << "count " << type << ' ' << count << '\n';
    return out.str();
}

/// The first line in which two texts differ.
std::string difference(const std::string& a, const std::string& b) {
    std::istringstream left(a), right(b);
    std::string l, r;
    while (true) {
        const bool more = bool(std::getline(left, l)), also = bool(std::getline(right, r));
        if (!more && !also) return {};
        if (more != also || l != r)
            return "read on: " + (more ? l : "(end)") + "\nanew: " + (also ? r : "(end)");
    }
}

test::TraceText compile(int frame, int attempt = 0) {
    test::TraceText text;
    text.at(frame, 0, attempt).start("f" + std::to_string(frame));
    text.add("\"dynamo_output_graph\": {}", test::readableGraph(2));
    text.add("\"aot_backward_graph\": {}", test::readableGraph(1)).metrics();
    return text;
}

} // namespace

class TestCaptureReadOn : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<QTemporaryDir> m_folder;

    [[nodiscard]] std::string file(const std::string& name) const {
        return m_folder->filePath(QString::fromStdString(name)).toStdString();
    }
    /// Adds to a file, as a program that writes a log does.
    static void append(const std::string& path, std::string_view text) {
        std::ofstream(path, std::ios::app | std::ios::binary)
            .write(text.data(), std::streamsize(text.size()));
    }
    /// Reads on and anew; both are to say the same, of the log or folder as it is.
    void compareWithAnew(const std::string& path, bool isFolder, Again how, session::SessionPtr& before,
                         const std::shared_ptr<LogMemory>& memory) {
        if (!before) {
            auto none = std::make_shared<session::Session>();
            none->inputs.path = path;
            none->inputs.isFolder = isFolder;
            before = std::move(none);
        }
        session::Session none;
        none.inputs.path = path;
        none.inputs.isFolder = isFolder;
        const auto anew = capture::readAgain(none, how);
        const auto now = capture::readAgain(*before, how, {}, memory);
        QCOMPARE(bool(now), bool(anew));
        if (!now) return;
        const std::string found = difference(told(**now), told(**anew));
        QVERIFY2(found.empty(), found.c_str());
        before = *now;
    }
    /// Lets a log grow by pieces that end anywhere.
    void grow(const std::string& text, int pieces, unsigned seed, Again how) {
        std::mt19937 random(seed);
        std::vector<std::size_t> cuts{text.size()};
        for (int i = 1; i < pieces; ++i)
            cuts.push_back(random() % text.size());
        std::sort(cuts.begin(), cuts.end());
        const std::string path =
            file("train" + std::to_string(seed) + (how == Again::Whole ? "w" : "s") + ".log");
        const auto memory = std::make_shared<LogMemory>();
        session::SessionPtr session;
        std::size_t at = 0;
        std::uint64_t known = 0;
        for (const std::size_t cut : cuts) {
            append(path, std::string_view(text).substr(at, cut - at));
            at = cut;
            compareWithAnew(path, false, how, session, memory);
            if (QTest::currentTestFailed()) return;
            known = std::max(known, memory->known());
        }
        // Not all of it was read anew with every piece.
        QVERIFY2(known > text.size() / 20, std::to_string(known).c_str());
    }

private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void realLogs_data() {
        QTest::addColumn<QString>("path");
        for (const QString& path : test::traceLogs())
            if (const qint64 size = QFileInfo(path).size(); size > 100'000 && size < 700'000)
                QTest::newRow(qPrintable(path.section('/', -2))) << path;
    }
    void realLogs() {
        QFETCH(QString, path);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const std::string text = file.readAll().toStdString();
        // By name: the folder that the logs are unpacked into is another one each time.
        const auto seed = unsigned(std::hash<std::string>()(path.section('/', -1).toStdString()));
        grow(text, 7, seed, Again::SoFar);
        grow(text, 7, seed + 1, Again::Whole);
    }

    /// What comes later says where records before it belong.
    void whatComesLaterMovesWhatWasRead() {
        std::string text = compile(0).text() + compile(1).text() + "stray line\n";
        text += compile(0).text();                                // ids begin again
        text += compile(2, 1).text() + "another\n\twith a tab\n"; // a restart
        std::string ranked = compile(3).text();
        for (std::size_t at = 0; (at = ranked.find("V1121", at)) != std::string::npos; at += 12)
            ranked.insert(at, "[rank1]: ");
        text += ranked;
        for (std::size_t at = 0; (at = ranked.find("[rank1]", at)) != std::string::npos; ++at)
            ranked[at + 5] = '0';
        text += ranked + compile(0).text() + "V1121 01:29:50.608000 999 torch/x.py:1] {\"bad\": \n" +
                compile(4).text();
        for (unsigned seed = 0; seed < 6; ++seed) {
            grow(text, 25, seed, seed % 2 == 0 ? Again::SoFar : Again::Whole);
            if (QTest::currentTestFailed()) return;
        }
    }

    /// Only the log that comes last is read on; one before it that grew is read anew, with all of them.
    void ranksGrowInTurn() {
        const auto memory = std::make_shared<LogMemory>();
        session::SessionPtr session;
        for (int i = 0; i < 6; ++i) {
            for (const int rank : {1, 1, 0}) {
                append(file("x_rank_" + std::to_string(rank) + "_y.log"), compile(i, rank).text());
                compareWithAnew(m_folder->path().toStdString(), true, Again::SoFar, session, memory);
                if (QTest::currentTestFailed()) return;
            }
        }
        QCOMPARE(session->ranks.size(), 2U);
    }

    void anotherLogIsReadAnew() {
        const std::string path = file("train.log");
        const auto memory = std::make_shared<LogMemory>();
        session::SessionPtr session;
        append(path, compile(0).text() + compile(1).text());
        compareWithAnew(path, false, Again::SoFar, session, memory);
        QCOMPARE(memory->known(), 0U);
        append(path, compile(2).text());
        compareWithAnew(path, false, Again::SoFar, session, memory);
        QVERIFY(memory->known() > compile(0).text().size());
        QVERIFY(QFile::remove(QString::fromStdString(path)));
        append(path, compile(5).text() + compile(6).text() + compile(7).text() + compile(8).text());
        compareWithAnew(path, false, Again::SoFar, session, memory);
        QCOMPARE(memory->known(), 0U);
        QCOMPARE(session->compiles.size(), 4U);
    }
};

QTEST_GUILESS_MAIN(TestCaptureReadOn)
#include "tst_capture_read_on.moc"
