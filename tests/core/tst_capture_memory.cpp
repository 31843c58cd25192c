// SPDX-License-Identifier: BSD-3-Clause
//
// Pickles of plain data, and the memory snapshots made of them (tests/data/memory).
#include "core/answers/answer.h"
#include "core/capture/memory_reader.h"
#include "core/capture/open.h"
#include "core/capture/pickle.h"
#include "core/session/memory_timeline.h"
#include "core/store/session_file.h"
#include "tests/support/archive.h"

#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <map>

using namespace dynascope;
using capture::Pickle;

namespace {

constexpr std::uint64_t KiB = 1024;

const std::map<std::string, std::string>& pickles() {
    static const std::map<std::string, std::string> files = [] {
        std::map<std::string, std::string> out;
        for (test::ArchiveFile& file :
             test::readArchive(DYNASCOPE_SOURCE_DIR "/tests/data/memory/snapshots.tar.xz"))
            out.emplace(std::move(file.path), std::move(file.content));
        return out;
    }();
    return files;
}

/// Python's repr of a value, for those that the tests write.
std::string repr(const Pickle& pickle, Pickle::Id id, int depth = 0) {
    if (depth > 5) return "...";
    const auto join = [&](const std::vector<Pickle::Id>& items) {
        std::string out;
        for (const Pickle::Id item : items)
            out += (out.empty() ? "" : ", ") + repr(pickle, item, depth + 1);
        return out;
    };
    const Pickle::Value& value = pickle.value(id);
    if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "True" : "False";
    if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
    if (const auto* number = std::get_if<std::uint64_t>(&value)) return std::to_string(*number);
    if (const auto* real = std::get_if<double>(&value))
        return QByteArray::number(*real, 'g', 6).toStdString();
    if (const auto* text = std::get_if<std::string_view>(&value)) return '\'' + std::string(*text) + '\'';
    if (const auto* list = std::get_if<Pickle::Sequence>(&value))
        return list->shape == Pickle::Shape::List ? '[' + join(list->items) + ']'
                                                  : '(' + join(list->items) + ')';
    if (const auto* dict = std::get_if<Pickle::Dict>(&value)) return '{' + join(dict->items) + '}';
    return "None";
}

std::string message(const std::string& bytes) {
    const auto read = Pickle::read(bytes);
    return read ? "no error" : read.error().message;
}

std::string group(const session::MemoryGroup& group) {
    return group.at.file + ':' + std::to_string(group.at.line) + ' ' + group.at.function + ' ' +
           std::to_string(group.blocks) + ' ' + std::to_string(group.bytes);
}

} // namespace

class TestCaptureMemory : public QObject {
    Q_OBJECT

private slots:
    void values() {
        const auto binary = Pickle::read(pickles().at("values.pickle"));
        QVERIFY(binary);
        QCOMPARE(
            repr(*binary, binary->root()),
            std::string("[0, 1, -1, 255, 256, 65535, 65536, -2147483648, 2147483648, 9223372036854775807, "
                        "-9223372036854775808, 9223372036854775808, 18446744073709551615, 1.84467e+19, 1.5, "
                        "True, None, "
                        "'é☃😀\n', (), (1), (1, 2), (1, 2, 3), (1, 2, 3, 4), {'a', [1]}]"));
        const auto text = Pickle::read(pickles().at("values.0.pickle"));
        QVERIFY(text);
        QCOMPARE(
            repr(*text, text->root()),
            std::string(
                "[0, -7, 1099511627776, 1.20893e+24, 1.5, True, False, None, 'é☃😀\\n\n', (1), {'a', [1]}]"));
    }

    void byHand() {
        const auto of = [](std::string_view bytes) {
            const auto read = Pickle::read(bytes);
            return read ? repr(*read, read->root()) : read.error().message;
        };
        QCOMPARE(of("(S'a\\x41\\n'\nI01\nd."), std::string("{'aA\n', True}"));
        QCOMPARE(of(std::string_view("U\x02\xff!.", 5)), std::string("'\xef\xbf\xbd!'")); // not UTF-8
        QCOMPARE(of("(I1\nI2\n1N."), std::string("None"));
        QCOMPARE(of("K\x01"
                    "2\x86."),
                 std::string("(1, 1)"));
        QCOMPARE(of(std::string_view("\x8a\x00.", 3)), std::string("0"));
        QCOMPARE(of(std::string_view("\x8a\x01\xff.", 4)), std::string("-1"));
        const auto last = Pickle::read("(U\1aK\1U\1aK\2d.");
        QVERIFY(last);
        QCOMPARE(last->integer(last->find(last->root(), "a")), std::int64_t(2));
        QCOMPARE(last->find(last->root(), "b"), Pickle::none);
    }

    void refused_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QByteArray>("opcode");
        QTest::addColumn<int>("at");
        const std::pair<const char*, const char*> codes[] = {
            {"cos\nsystem\n.", "GLOBAL"}, {"NR.", "REDUCE"},         {"Nb.", "BUILD"},
            {"(ios\nsystem\n.", "INST"},  {"(No.", "OBJ"},           {"P1\n.", "PERSID"},
            {"NQ.", "BINPERSID"},         {"NN\x81.", "NEWOBJ"},     {"\x82\1.", "EXT1"},
            {"\x83\1\1.", "EXT2"},        {"\x84\1\1\1\1.", "EXT4"}, {"NNN\x92.", "NEWOBJ_EX"},
            {"NN\x93.", "STACK_GLOBAL"},  {"\x97.", "NEXT_BUFFER"},  {"N\x98.", "READONLY_BUFFER"},
        };
        for (const auto& [bytes, opcode] : codes) {
            const QByteArray code(bytes);
            int at = 0;
            while (code[at] == 'N' || code[at] == '(')
                ++at;
            QTest::newRow(opcode) << code << QByteArray(opcode) << at;
        }
    }
    void refused() {
        QFETCH(QByteArray, bytes);
        QFETCH(QByteArray, opcode);
        QFETCH(int, at);
        QCOMPARE(message(bytes.toStdString()),
                 "the pickle is not plain data: opcode " + opcode.toStdString() +
                     " would import or call something, and is never carried out (at byte " +
                     std::to_string(at) + ')');
    }
    void refusesWhatPythonWrites() {
        for (const char* name : {"call.0", "call.2", "call.4", "object.0", "object.2", "object.4"})
            QVERIFY2(message(pickles().at(std::string(name) + ".pickle"))
                             .find("the pickle is not plain data: opcode ") == 0,
                     name);
    }

    void damaged() {
        QCOMPARE(message(""), std::string("the pickle ends without STOP (at byte 0)"));
        QCOMPARE(message("."), std::string("STOP finds no finished value (at byte 0)"));
        QCOMPARE(message("(."), std::string("STOP finds no finished value (at byte 1)"));
        QCOMPARE(message("e"), std::string("an opcode needs a mark that is not there (at byte 0)"));
        QCOMPARE(message("(a"), std::string("an opcode needs more values than there are (at byte 1)"));
        QCOMPARE(message("NNNs"), std::string("entries are set in something that is no dict (at byte 3)"));
        QCOMPARE(message("NNa"), std::string("items are added to something else (at byte 2)"));
        QCOMPARE(message("h\1"), std::string("a remembered value is missing (at byte 0)"));
        QCOMPARE(message("X\xff\xff\xff\x7f"
                         "a"),
                 std::string("the pickle ends early (at byte 0)"));
        QCOMPARE(message("Ix\n."), std::string("a number cannot be read (at byte 0)"));
        QCOMPARE(message("\xff"), std::string("byte 255 is no opcode of a pickle (at byte 0)"));
        QCOMPARE(message(std::string(201, '(')),
                 std::string("the pickle is nested too deeply (at byte 200)"));
        const auto few = Pickle::read("]]]]]]]].", {}, {.values = 5, .depth = 200});
        QVERIFY(!few);
        QCOMPARE(few.error().message, std::string("the pickle holds too many values (at byte 4)"));
        const std::string whole = pickles().at("training.4.pickle");
        for (std::size_t length = 0; length < whole.size(); ++length)
            QVERIFY(!Pickle::read(std::string_view(whole).substr(0, length)));
    }

    void deepAndCyclic() {
        // A million lists, each in the next: nothing recurses.
        const std::string deep = std::string(1'000'000, ']') + std::string(999'999, 'a') + '.';
        QVERIFY(Pickle::read(deep));
        const auto cycle = capture::readMemorySnapshot(pickles().at("cycle.pickle"));
        QVERIFY(cycle);
        QCOMPARE(cycle->segments.size(), std::size_t(1));
        // One list of blocks in many segments must not be multiplied out.
        std::string shared = "}(U\x08segments](}(U\6blocks](";
        shared.append(1000, '}').append("eu");
        for (int i = 0; i < 3000; ++i)
            shared += '2'; // the same segment again
        const auto bomb = capture::readMemorySnapshot(shared + "eu.");
        QVERIFY(!bomb);
        QCOMPARE(bomb.error().message, std::string("the snapshot repeats its parts beyond measure"));
    }

    void training_data() {
        QTest::addColumn<int>("protocol");
        for (int protocol = 0; protocol <= 5; ++protocol)
            QTest::addRow("protocol %d", protocol) << protocol;
    }
    void training() {
        QFETCH(int, protocol);
        const auto snapshot =
            capture::readMemorySnapshot(pickles().at("training." + std::to_string(protocol) + ".pickle"));
        QVERIFY(snapshot);
        QCOMPARE(snapshot->segments.size(), std::size_t(3));
        QCOMPARE(snapshot->segments[0].blocks.size(), std::size_t(4));
        QCOMPARE(snapshot->segments[0].blocks[1].address, std::uint64_t(0x7F0000000000 + 2 * KiB));
        QVERIFY(snapshot->segments[2].expandable);
        QCOMPARE(snapshot->segments[2].stream, std::uint64_t(7));
        QCOMPARE(snapshot->traces.size(), std::size_t(2));
        QCOMPARE(snapshot->traces[0].size(), std::size_t(12));
        QCOMPARE(snapshot->stacks.size(), std::size_t(4));
        QCOMPARE(snapshot->settings.size(), std::size_t(4));
        QCOMPARE(snapshot->settings[3].second, std::string("False"));

        const auto devices = session::summarizeMemory(*snapshot);
        QCOMPARE(devices.size(), std::size_t(2));
        const session::DeviceMemory& first = devices[0];
        QCOMPARE(first.reserved, 22528 * KiB);
        QCOMPARE(first.allocated, 8195 * KiB);
        QCOMPARE(first.requested, 8192 * KiB + 2900);
        QCOMPARE(first.pending, KiB);
        QCOMPARE(first.blocks, std::size_t(3));
        QCOMPARE(first.largestFree, 12288 * KiB);
        QCOMPARE(first.outOfMemory, std::size_t(1));
        QCOMPARE(first.live.size(), std::size_t(2));
        QCOMPARE(group(first.live[0]), "/home/user/train.py:12 __init__ 2 " + std::to_string(8194 * KiB));
        QCOMPARE(group(first.live[1]), "/home/user/train.py:44 step 1 1024");
        QCOMPARE(first.live[0].stack.size(), std::size_t(2));
        QCOMPARE(first.live[0].stack.front().line, 90u);
        QCOMPARE(first.peak, 16388 * KiB);
        QCOMPARE(first.peakEvent, std::size_t(4));
        QCOMPARE(first.peakTimeUs, std::int64_t(1030));
        QCOMPARE(first.atPeak.size(), std::size_t(4));
        QCOMPARE(group(first.atPeak[0]), "/home/user/train.py:12 __init__ 2 " + std::to_string(8194 * KiB));
        QCOMPARE(group(first.atPeak[1]), "/home/user/train.py:20 forward 2 " + std::to_string(8192 * KiB));
        QCOMPARE(group(first.atPeak[2]), std::string("/home/user/train.py:44 step 1 1024"));
        QCOMPARE(group(first.atPeak[3]), std::string(":0  1 1024")); // allocated before the trace begins
        std::uint64_t sum = 0;
        for (const session::MemoryGroup& item : first.atPeak)
            sum += item.bytes;
        QCOMPARE(sum, first.peak);
        QCOMPARE(devices[1].allocated, std::uint64_t(512));
        QCOMPARE(devices[1].events, std::size_t(0));
    }

    void olderFormat() {
        const auto snapshot = capture::readMemorySnapshot(pickles().at("old.pickle"));
        QVERIFY(snapshot);
        const auto& blocks = snapshot->segments.front().blocks;
        QCOMPARE(blocks[1].address, std::uint64_t(4608));
        QCOMPARE(blocks[1].requested, std::uint64_t(1000));
        QCOMPARE(session::summarizeMemory(*snapshot).front().live.front().at.line, 44u);
    }

    void files() {
        QTemporaryDir folder;
        const std::string path = folder.filePath("snapshot.pickle.gz").toStdString();
        QVERIFY(test::writeArchive(path, {{"snapshot.pickle", pickles().at("training.4.pickle")}}, "raw",
                                   "gzip"));
        QVERIFY(capture::openMemorySnapshot(path));
        const auto other = capture::readMemorySnapshot("}.");
        QVERIFY(!other);
        QCOMPARE(other.error().message, std::string("not a memory snapshot: it has no list \"segments\""));
        const auto opened = capture::open(path);
        QVERIFY(opened);
        QCOMPARE((*opened)->kind, session::Kind::MemorySnapshot);
        QCOMPARE((*opened)->title, std::string("snapshot"));
        QVERIFY((*opened)->memory && (*opened)->memory->segments.size() == 3);
        const auto values = capture::openText(pickles().at("values.pickle"), "x.pickle");
        QVERIFY(!values);
        QVERIFY2(
            values.error().message.starts_with("a pickle, which is never loaded, and not a memory snapshot"),
            values.error().message.c_str());
    }

    void timeline() {
        const auto snapshot = capture::readMemorySnapshot(pickles().at("training.4.pickle"));
        QVERIFY(snapshot);
        const session::MemoryTimeline timeline = session::memoryTimeline(*snapshot, 0);
        QCOMPARE(timeline.moments(), std::size_t(13));
        QCOMPARE(timeline.peak(), std::size_t(5));
        // Segments: 2 MiB and 20 MiB, one on the other.
        QCOMPARE(timeline.ranges.size(), std::size_t(2));
        QCOMPARE(timeline.height, 22528 * KiB);
        QCOMPARE(timeline.ranges[1].place, 2048 * KiB);
        QStringList lives;
        for (const session::MemoryLife& life : timeline.lives)
            lives << QStringLiteral("%1 %2 %3-%4%5%6")
                         .arg(life.place / KiB)
                         .arg(life.bytes / KiB)
                         .arg(life.begin)
                         .arg(life.end)
                         .arg(life.older ? " older" : "", life.lasts ? " lasts" : "");
        QCOMPARE(lives.join(u'\n'), QStringLiteral("3 1 0-8 older\n"
                                                   "2048 8192 0-13 older lasts\n"
                                                   "0 2 2-13 lasts\n"
                                                   "10240 4096 3-6\n"
                                                   "14336 4096 4-9\n"
                                                   "2 1 5-13 lasts"));
        // What is held at a moment is what the curve says.
        for (std::size_t moment = 0; moment < timeline.moments(); ++moment) {
            std::uint64_t sum = 0;
            for (const session::MemoryGroup& alive : session::memoryAlive(*snapshot, timeline, moment))
                sum += alive.bytes;
            QCOMPARE(sum, timeline.allocated[moment]);
        }
        QCOMPARE(timeline.reserved.front(), 20480 * KiB);
        QCOMPARE(timeline.reserved.back(), 22528 * KiB);
        const session::MemoryLines lines = session::memoryLines(*snapshot, timeline);
        QCOMPARE(lines.lines.front().at.line, 12u);
        QCOMPARE(lines.ofLife.size(), timeline.lives.size());
        QCOMPARE(lines.ofLife[1], std::size_t(0));
        QCOMPARE(session::memoryTimeline(*snapshot, 7).moments(), std::size_t(1));
    }

    /// In a folder with a trace they belong to it, by rank; what is no snapshot is left alone, what is damaged said.
    void besideATrace() {
        const QTemporaryDir folder, elsewhere;
        const auto put = [&](const char* name, const std::string& bytes) {
            QFile file(folder.filePath(name));
            if (!file.open(QIODevice::WriteOnly) || file.write(bytes.data(), qint64(bytes.size())) < 0)
                qFatal("cannot write");
        };
        const std::string& whole = pickles().at("training.4.pickle");
        put("memory_snapshot_rank_1_7_ab.pickle", whole);
        put("memory_snapshot_rank_0_6_cd.pickle", pickles().at("old.pickle"));
        put("weights.pickle", pickles().at("values.pickle"));
        put("cut.pkl", whole.substr(0, whole.size() / 2));
        const std::string path = folder.path().toStdString();
        const auto alone = capture::open(path);
        QVERIFY2(alone, alone ? "" : alone.error().message.c_str());
        QCOMPARE((*alone)->kind, session::Kind::MemorySnapshot);
        QVERIFY(QFile::copy(DYNASCOPE_SOURCE_DIR "/resources/samples/graph_breaks.log",
                            folder.filePath("dedicated_log_torch_trace_x.log")));
        const auto holds = [](const session::Session& session) {
            QCOMPARE(session.kind, session::Kind::TorchTrace);
            QVERIFY(!session.compiles.empty());
            QCOMPARE(session.memories.size(), std::size_t(2));
            QCOMPARE(session.memories[0].rank, 0);
            QCOMPARE(session.memories[1].file, std::string("memory_snapshot_rank_1_7_ab.pickle"));
            QVERIFY(session.memory == session.memories[0].snapshot);
            QCOMPARE(session.memories[1].snapshot->segments.size(), std::size_t(3));
            QCOMPARE(session.warnings.size(), std::size_t(1));
            QCOMPARE(session.warnings[0].error.file, std::string("cut.pkl"));
            const answers::Answer answer = answers::answer(session, answers::Question::Memory);
            QVERIFY2(answer.of.find("of rank 1, as the allocator recorded it") != std::string::npos,
                     answer.of.c_str());
            QVERIFY2(answer.note.find("peak of one graph") != std::string::npos && !answer.items.empty(),
                     answer.note.c_str());
        };
        const auto opened = capture::open(path);
        QVERIFY2(opened, opened ? "" : opened.error().message.c_str());
        holds(**opened);
        const std::string saved = elsewhere.filePath("kept.dynascope").toStdString();
        store::SessionContents contents;
        contents.inputs = (*opened)->inputs;
        QVERIFY(store::saveSession(saved, contents));
        QVERIFY(QDir(folder.path()).removeRecursively());
        const auto again = capture::openSaved(saved);
        QVERIFY2(again, again ? "" : again.error().message.c_str());
        holds(*again->session);
    }

    /// Events that cannot be: freed twice, allocated twice, more freed than there was.
    void oddTraces() {
        using Action = session::MemoryEvent::Action;
        session::MemorySnapshot odd;
        odd.traces = {{{Action::Alloc, 64, 8, 0, 0},
                       {Action::Alloc, 64, 16, 1, 0},
                       {Action::FreeRequested, 64, 16, 2, 0},
                       {Action::FreeRequested, 64, 16, 3, 0},
                       {Action::FreeRequested, UINT64_MAX, UINT64_MAX, 4, 0},
                       {Action::FreeRequested, 8, UINT64_MAX, 5, 0}}};
        const session::MemoryTimeline timeline = session::memoryTimeline(odd, 0);
        QCOMPARE(timeline.lives.size(), std::size_t(4));
        for (const session::MemoryLife& life : timeline.lives) {
            QVERIFY(life.begin < life.end);
            QVERIFY(life.end <= timeline.moments());
            QVERIFY(life.place <= timeline.height);
        }
        QCOMPARE(timeline.allocated.back(), std::uint64_t(0));
    }
};

QTEST_GUILESS_MAIN(TestCaptureMemory)
#include "tst_capture_memory.moc"
