// SPDX-License-Identifier: BSD-3-Clause
//
// The layers of the source tree: core (core/engine apart) reaches neither Qt nor LibTorch; app and views
// reach no LibTorch. "Reaches" follows the includes of the project's own headers. Between rooms
// (docs/layers.md) arrows go one way.
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QHash>
#include <QMap>
#include <QRegularExpression>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

namespace {

enum class Library { None, Qt, LibTorch };

/// The outside library that an include such as "QtCore/qstring.h" or "ATen/ATen.h" belongs to.
Library libraryOf(const QString& header) {
    static const QRegularExpression qt(
        "^(Qt[A-Z0-9]\\w*(/.*)?|Qsci/.*|QCustomPlot.*|Q[A-Z]\\w*(\\.h)?|q[a-z0-9_]+\\.h|Qt)$");
    static const QRegularExpression torch("^(torch|ATen|c10|caffe2|torchgen)/");
    if (torch.match(header).hasMatch()) return Library::LibTorch;
    return qt.match(header).hasMatch() ? Library::Qt : Library::None;
}

/// What a source text includes, as written between the brackets or quotes. Comments do not count.
QStringList includesOf(QString text) {
    static const QRegularExpression block("/\\*.*?\\*/", QRegularExpression::DotMatchesEverythingOption);
    static const QRegularExpression line(
        "^[ \\t]*(?:#|%:)[ \\t]*(?:include|include_next|import)[ \\t]*[<\"]([^>\"\\n]+)[>\"]",
        QRegularExpression::MultilineOption);
    text.remove("\\\n").replace(block, " ");
    QStringList found;
    for (auto it = line.globalMatch(text); it.hasNext();)
        found << it.next().captured(1).trimmed();
    return found;
}

QString readAll(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// A source tree whose includes start at its root or beside the including file.
class Tree {
public:
    explicit Tree(const QString& root)
        : m_root(root) {}

    /// Sources and headers below a folder, relative to the root.
    [[nodiscard]] QStringList files(const QString& folder) const {
        QStringList found;
        QDirIterator it(m_root.filePath(folder), {"*.h", "*.hpp", "*.inl", "*.cpp", "*.cc", "*.cxx"},
                        QDir::Files, QDirIterator::Subdirectories);
        while (it.hasNext())
            found << m_root.relativeFilePath(it.next());
        found.sort();
        return found;
    }

    /// The chain of includes by which a file reaches one of the libraries: "core/a.h > core/b.h > QString".
    /// Empty if none.
    [[nodiscard]] QString pathTo(const QString& file, const QSet<Library>& forbidden) const {
        QSet<QString> seen;
        QList<QStringList> open{{file}};
        while (!open.isEmpty()) {
            const QStringList chain = open.takeFirst();
            if (seen.contains(chain.last())) continue;
            seen.insert(chain.last());
            for (const QString& header : includes(chain.last())) {
                if (forbidden.contains(libraryOf(header))) return (chain + QStringList{header}).join(" > ");
                if (const QString own = resolve(chain.last(), header); !own.isEmpty())
                    open << chain + QStringList{own};
            }
        }
        return {};
    }

    /// The project's own headers that a file includes, relative to the root.
    [[nodiscard]] QStringList ownIncludes(const QString& file) const {
        QStringList found;
        for (const QString& header : includes(file))
            if (const QString own = resolve(file, header); !own.isEmpty()) found << own;
        return found;
    }

private:
    [[nodiscard]] QStringList includes(const QString& file) const {
        auto known = m_includes.constFind(file);
        if (known == m_includes.constEnd())
            known = m_includes.insert(file, includesOf(readAll(m_root.filePath(file))));
        return *known;
    }
    [[nodiscard]] QString resolve(const QString& from, const QString& header) const {
        for (const QString& path : {header, QFileInfo(from).path() + '/' + header})
            if (QFileInfo(m_root.filePath(path)).isFile()) return QDir::cleanPath(path);
        return {};
    }

    QDir m_root;
    mutable QHash<QString, QStringList> m_includes;
};

/// Every violation below the root, one chain each.
QStringList violations(const QString& root) {
    const Tree tree(root);
    QStringList found;
    const auto check = [&](const QString& folder, const QSet<Library>& forbidden) {
        for (const QString& file : tree.files(folder)) {
            if (file.startsWith("core/engine/")) continue;
            if (const QString chain = tree.pathTo(file, forbidden); !chain.isEmpty()) found << chain;
        }
    };
    check("core", {Library::Qt, Library::LibTorch});
    check("views", {Library::LibTorch});
    check("app", {Library::LibTorch});
    return found;
}

/// Files of the window that name the JSON library: what it shows comes to it in types.
QStringList filesWithJson(const QString& root) {
    const Tree tree(root);
    QStringList found;
    for (const QString& file : tree.files("views") + tree.files("app/gui"))
        if (readAll(root + '/' + file).contains("nlohmann")) found << file;
    return found;
}

/// core/NAME, core/engine/NAME, views/NAME or app/NAME: a folder with everything below it. Empty for files
/// elsewhere.
QString roomOf(const QString& file) {
    const QStringList parts = file.split('/');
    const bool known = parts[0] == "core" || parts[0] == "views" || parts[0] == "app";
    const qsizetype depth = file.startsWith("core/engine/") ? 3 : 2;
    return known && parts.size() > depth ? QStringList(parts.mid(0, depth)).join('/') : QString();
}

/// Which rooms include headers of which others, by their sources.
QMap<QString, QSet<QString>> arrows(const QString& root) {
    const Tree tree(root);
    QMap<QString, QSet<QString>> found;
    for (const char* top : {"core", "views", "app"})
        for (const QString& file : tree.files(top)) {
            const QString own = roomOf(file);
            if (own.isEmpty()) continue;
            QSet<QString>& reached = found[own];
            for (const QString& header : tree.ownIncludes(file))
                if (const QString room = roomOf(header); !room.isEmpty() && room != own) reached << room;
        }
    return found;
}

/// A class that a header names without including it, in a namespace that is not the header's own.
struct Declared {
    QString header, space, name;
};
QList<Declared> declaredElsewhere(const QString& header, const QString& text) {
    static const QRegularExpression block(
        "^namespace (dynascope::[\\w:]+) \\{\\n((?:(?:class|struct) \\w+;\\n)+)\\}",
        QRegularExpression::MultilineOption);
    static const QRegularExpression one("(?:class|struct) (\\w+);");
    QList<Declared> found;
    for (auto it = block.globalMatch(text); it.hasNext();) {
        const QRegularExpressionMatch match = it.next();
        for (auto name = one.globalMatch(match.captured(2)); name.hasNext();)
            found << Declared{header, match.captured(1), name.next().captured(1)};
    }
    return found;
}

/// Arrows that no include shows: a header declares a class of a room that its own room does not include from.
QStringList hiddenArrows(const QString& root) {
    static const QRegularExpression space("^namespace (dynascope::[\\w:]+) \\{$",
                                          QRegularExpression::MultilineOption);
    static const QRegularExpression definition("^(?:class|struct) (\\w+)(?: final)?(?: :[^;{]*)? \\{",
                                               QRegularExpression::MultilineOption);
    const Tree tree(root);
    QList<Declared> declared;
    QHash<QString, QString> roomOfClass;
    for (const char* top : {"core", "views", "app"})
        for (const QString& file : tree.files(top)) {
            if (!file.endsWith(".h")) continue;
            const QString text = readAll(QDir(root).filePath(file));
            declared << declaredElsewhere(file, text);
            QString own;
            for (auto it = space.globalMatch(text); it.hasNext();)
                own = it.next().captured(1); // those of declarations stand in front
            for (auto it = definition.globalMatch(text); it.hasNext();)
                roomOfClass.insert(own + "::" + it.next().captured(1), roomOf(file));
        }
    const QMap<QString, QSet<QString>> sources = arrows(root);
    QStringList found;
    for (const Declared& one : declared) {
        const QString own = roomOf(one.header), other = roomOfClass.value(one.space + "::" + one.name);
        if (!other.isEmpty() && other != own && !sources.value(own).contains(other))
            found << one.header + " declares " + one.name + " of " + other;
    }
    return found;
}

/// What is wrong with a table of rooms, whose rows are "| `room` | words | rooms that it reaches |": rooms
/// that it lacks or invents, arrows that differ from the sources', and arrows to a room that does not stand
/// above.
QStringList faultsOfTable(const QString& table, const QMap<QString, QSet<QString>>& sources) {
    QStringList faults;
    QSet<QString> above;
    for (const QString& line : table.split('\n')) {
        if (!line.startsWith("| `")) continue;
        const QStringList cells = line.split('|');
        const QString room = cells.value(1).trimmed().remove('`');
        if (cells.value(2).trimmed().isEmpty()) faults << room + ": no word says what it is";
        const QStringList named = cells.value(3).trimmed().split(' ', Qt::SkipEmptyParts);
        const QSet<QString> reaches(named.begin(), named.end());
        if (!sources.contains(room)) faults << room + ": there is no such room";
        for (const QString& other : reaches - above)
            faults << room + " reaches " + other + ", which does not stand above it";
        for (const QString& other : sources.value(room) - reaches)
            faults << room + " reaches " + other + ", which the table does not allow";
        for (const QString& other : reaches - sources.value(room))
            faults << room + " does not reach " + other + ", as the table says";
        above << room;
    }
    for (auto it = sources.begin(); it != sources.end(); ++it)
        if (!above.contains(it.key())) faults << it.key() + ": not in the table";
    faults.sort();
    return faults;
}

/// What is wrong with the header that says what a room of the engine is, core/engine/ROOM/ROOM.h: it is missing, begins
/// with less than two lines of words, or says in which order to read headers that are not there.
QStringList faultsOfRoomHeaders(const QString& root) {
    static const QRegularExpression named("\\b([a-z][a-z0-9_]*(?:/[a-z0-9_]+)*\\.h)\\b");
    const QDir engine(root + "/core/engine");
    QStringList faults;
    for (const QString& room : engine.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        const QString own = room + '/' + room + ".h";
        const QStringList comment = readAll(engine.filePath(own)).section("#pragma once", 0, 0).split('\n');
        qsizetype words = 0;
        for (const QString& line : comment) {
            words += line.size() > 20;
            for (auto it = named.globalMatch(line); it.hasNext();) {
                const QString header = it.next().captured(1);
                const QStringList places{engine.filePath(room + '/' + header), engine.filePath(header),
                                         root + '/' + header};
                if (std::ranges::none_of(places, [](const QString& path) { return QFileInfo::exists(path); }))
                    faults << own + ": there is no " + header;
            }
        }
        if (words < 3) faults << own + ": does not say what the room is"; // the licence is one
    }
    return faults;
}

/// The lines of a CMake file that link or look for Qt or LibTorch.
QStringList forbiddenLinks(const QString& cmake) {
    static const QRegularExpression bad(
        "\\b(Qt[56]?::|Qt[56]\\b|qscintilla|QCustomPlot|[Tt]orch\\b|TORCH_|AUTOMOC|AUTOUIC|AUTORCC)");
    QStringList found;
    for (const QString& line : cmake.split('\n'))
        if (const QString code = line.section('#', 0, 0); bad.match(code).hasMatch()) found << code.trimmed();
    return found;
}

} // namespace

class TestLayering : public QObject {
    Q_OBJECT
private slots:
    void tellsLibraries_data() {
        QTest::addColumn<QString>("line");
        QTest::addColumn<int>("library");
        const auto row = [](const char* line, Library library) {
            QTest::newRow(line) << QString(line) << int(library);
        };
        row("#include <QString>", Library::Qt);
        row("#include <QtCore/qstring.h>", Library::Qt);
        row("#include \"qstring.h\"", Library::Qt);
        row("  #  include   <QtTest>", Library::Qt);
        row("#include <Qsci/qsciscintilla.h>", Library::Qt);
        row("#include <qcustomplot.h>", Library::Qt);
        row("#include /* why */ <QObject>", Library::Qt);
        row("#incl\\\nude <QObject>", Library::Qt);
        row("#include <torch/torch.h>", Library::LibTorch);
        row("#include \"ATen/core/Tensor.h\"", Library::LibTorch);
        row("#include <c10/core/DispatchKey.h>", Library::LibTorch);
        row("#include <queue>", Library::None);
        row("#include <vector> // not <QList>", Library::None);
        row("#include \"core/ir/graph.h\"", Library::None);
        row("// #include <QString>", Library::None);
        row("/*\n#include <torch/torch.h>\n*/", Library::None);
    }
    void tellsLibraries() {
        QFETCH(QString, line);
        QFETCH(int, library);
        auto found = Library::None;
        for (const QString& header : includesOf(line))
            if (libraryOf(header) != Library::None) found = libraryOf(header);
        QCOMPARE(int(found), library);
    }

    void findsPlantedViolations() {
        QTemporaryDir planted;
        const auto write = [&](const QString& path, const QByteArray& text) {
            QDir(planted.path()).mkpath(QFileInfo(path).path());
            QFile file(planted.filePath(path));
            QVERIFY(file.open(QIODevice::WriteOnly));
            QVERIFY(file.write(text) >= 0);
        };
        write("core/ir/clean.cpp", "#include <string>\n#include \"core/ir/clean.h\"\n");
        write("core/ir/clean.h", "#include \"core/ir/clean.cpp\"\n"); // a cycle ends
        write("core/diff/qt.cpp", "#include <QString>\n");
        write("core/session/far.h", "#include \"near.h\"\n");
        write("core/session/near.h", "#include \"core/engine/trace/tracer.h\"\n");
        write("core/engine/trace/tracer.h", "#include <ATen/ATen.h>\n");
        write("views/theme/theme.cpp", "#include <QColor>\n");
        write("views/canvas/far.cpp", "#include \"core/engine/trace/tracer.h\"\n");
        write("app/main.cpp", "#include <torch/torch.h>\n");
        write("app/gui/window.cpp", "#include <QMap>\nnlohmann::json j;\n");
        QCOMPARE(filesWithJson(planted.path()), QStringList("app/gui/window.cpp"));
        QCOMPARE(violations(planted.path()),
                 QStringList(
                     {"core/diff/qt.cpp > QString",
                      "core/session/far.h > core/session/near.h > core/engine/trace/tracer.h > ATen/ATen.h",
                      "core/session/near.h > core/engine/trace/tracer.h > ATen/ATen.h",
                      "views/canvas/far.cpp > core/engine/trace/tracer.h > ATen/ATen.h",
                      "app/main.cpp > torch/torch.h"}));
    }

    void sourceTreeKeepsItsLayers() {
        const QString root(DYNASCOPE_SOURCE_DIR);
        QVERIFY(Tree(root).files("core").size() > 20); // the walk reached the tree
        const QStringList found = violations(root);
        QVERIFY2(found.isEmpty(), qPrintable("\n" + found.join('\n')));
        QCOMPARE(filesWithJson(root), QStringList());
    }

    void tellsFaultsOfTheTable() {
        const QMap<QString, QSet<QString>> sources{
            {"core/base", {}}, {"core/ir", {"core/base"}}, {"core/diff", {"core/ir"}}, {"core/new", {}}};
        QCOMPARE(faultsOfTable("| `core/base` | results | |\n| `core/diff` | diffs | core/ir |\n"
                               "| `core/ir` | graphs | core/diff |\n| `core/gone` | | |\n",
                               sources),
                 QStringList({"core/diff reaches core/ir, which does not stand above it",
                              "core/gone: no word says what it is", "core/gone: there is no such room",
                              "core/ir does not reach core/diff, as the table says",
                              "core/ir reaches core/base, which the table does not allow",
                              "core/new: not in the table"}));
    }

    void roomsFollowTheTable() {
        const QString root(DYNASCOPE_SOURCE_DIR);
        const QMap<QString, QSet<QString>> sources = arrows(root);
        QVERIFY(sources.size() > 40);
        const QStringList faults = faultsOfTable(readAll(root + "/docs/layers.md"), sources);
        QVERIFY2(faults.isEmpty(),
                 qPrintable("\n" + faults.join('\n') + "\nscripts/layers prints what the sources say"));
    }

    void roomsOfTheEngineSayWhatTheyAre() {
        QTemporaryDir planted;
        const auto write = [&](const QString& path, const QByteArray& text) {
            QDir(planted.path()).mkpath(QFileInfo(path).path());
            QFile file(planted.filePath(path));
            QVERIFY(file.open(QIODevice::WriteOnly));
            QVERIFY(file.write(text) >= 0);
        };
        write("core/engine/exec/exec.h",
              "// SPDX-License-Identifier: X\n//\n// Programs, and their interpreter,\n"
              "// in program.h, then in gone.h, over trace/tracer.h.\n#pragma once\n");
        write("core/engine/exec/program.h", "#pragma once\n");
        write("core/engine/trace/tracer.h", "#pragma once\n");
        QCOMPARE(
            faultsOfRoomHeaders(planted.path()),
            QStringList({"exec/exec.h: there is no gone.h", "trace/trace.h: does not say what the room is"}));

        const QStringList found = faultsOfRoomHeaders(DYNASCOPE_SOURCE_DIR);
        QVERIFY2(found.isEmpty(), qPrintable("\n" + found.join('\n')));
    }

    void noArrowHidesBehindADeclaration() {
        QTemporaryDir planted;
        const auto write = [&](const QString& path, const QByteArray& text) {
            QDir(planted.path()).mkpath(QFileInfo(path).path());
            QFile file(planted.filePath(path));
            QVERIFY(file.open(QIODevice::WriteOnly));
            QVERIFY(file.write(text) >= 0);
        };
        write("core/session/session.h",
              "namespace dynascope::dynamo {\nclass Recording;\nstruct State;\n}\n\n"
              "namespace dynascope::session {\nstruct Session {};\n}\n");
        write("core/dynamo/recording.h",
              "namespace dynascope::dynamo {\nclass Recording : public Base {\n};\n}\n");
        write("core/dynamo/state.h", "namespace dynascope::session {\nstruct Session;\n}\n\n"
                                     "namespace dynascope::dynamo {\nstruct Other {\n};\n}\n");
        write("core/dynamo/state.cpp", "#include \"core/session/session.h\"\n");
        QCOMPARE(hiddenArrows(planted.path()),
                 QStringList({"core/session/session.h declares Recording of core/dynamo"}));

        const QStringList found = hiddenArrows(DYNASCOPE_SOURCE_DIR);
        QVERIFY2(found.isEmpty(), qPrintable("\n" + found.join('\n')));
    }

    void tellsForbiddenLinks() {
        QCOMPARE(forbiddenLinks("target_link_libraries(a PUBLIC Qt6::Core)\n# Qt6::Core\nset(B "
                                "${TORCH_LIBRARIES})\nlink(sqlite)"),
                 QStringList({"target_link_libraries(a PUBLIC Qt6::Core)", "set(B ${TORCH_LIBRARIES})"}));
    }

    void coreLinksNeither() {
        QVERIFY(QString(DYNASCOPE_CORE_LINKS).contains("nlohmann_json")); // the property was read
        QCOMPARE(forbiddenLinks(DYNASCOPE_CORE_LINKS), QStringList());

        const QDir root(DYNASCOPE_SOURCE_DIR);
        QDirIterator it(root.filePath("core"), {"CMakeLists.txt"}, QDir::Files, QDirIterator::Subdirectories);
        int seen = 0;
        while (it.hasNext()) {
            const QString path = it.next();
            if (root.relativeFilePath(path).startsWith("core/engine/")) continue;
            ++seen;
            // The guard that leaves core/engine out may name the option, never the library.
            QVERIFY2(forbiddenLinks(readAll(path)).isEmpty(),
                     qPrintable(path + ": " + forbiddenLinks(readAll(path)).join("; ")));
        }
        QVERIFY(seen > 3);
    }
};

QTEST_GUILESS_MAIN(TestLayering)
#include "tst_layering.moc"
