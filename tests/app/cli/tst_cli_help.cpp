// SPDX-License-Identifier: BSD-3-Clause
//
// What shells complete, and the manual page: made of --help, so that none of them lacks a command or an option.
#include "app/cli/shell_help.h"
#include "core/capture/open.h"

#include <CLI/CLI.hpp>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

using namespace dynascope;

namespace {

struct Ran {
    int exitCode = -1;
    QString out, err;
};
Ran run(const QString& program, const QStringList& arguments) {
    QProcess process;
    process.start(program, arguments);
    if (!process.waitForFinished(60'000)) qFatal("%s does not end", qPrintable(program));
    return {process.exitCode(), QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
}
Ran ask(const QStringList& arguments) {
    return run(QCoreApplication::applicationDirPath() + "/../bin/dynascope-cli", arguments);
}

/// A program whose texts hold what shells and roff would take for their own.
cli::ProgramHelp hostile() {
    CLI::App app("It's a program\n.de X", "odd-name");
    static std::string text;
    static bool flag = false;
    CLI::App* command = app.add_subcommand("do", "does it: [all] $(rm) `rm` 'now'");
    command->add_option("path", text, ".so /etc/passwd")->required();
    command->add_option("-f,--form", text, "'one' of \\these\\")->check(CLI::IsMember({"a", "b"}));
    command->add_flag("--quick", flag, "50 % off");
    command->footer("'quoted'\n.request\n\\escape");
    return cli::describe(app, "1.2");
}

} // namespace

class TestCliHelp : public QObject {
    Q_OBJECT
private slots:
    void everythingOfHelpIsThere() {
        const QString help = ask({"--help"}).out;
        QStringList commands;
        const qsizetype list = help.indexOf("Subcommands:");
        QVERIFY(list > 0);
        for (const QString& line : help.mid(list).split('\n').mid(1))
            if (line.startsWith("  ") && line[2] != ' ')
                commands.push_back(line.trimmed().section(' ', 0, 0));
        QVERIFY2(commands.size() > 25 && commands.contains("find"), qPrintable(commands.join(' ')));
        const QString man = ask({"completion", "man"}).out;
        for (const char* shell : {"bash", "zsh", "fish"}) {
            const Ran made = ask({"completion", shell});
            QCOMPARE(made.exitCode, 0);
            for (const QString& command : commands)
                QVERIFY2(made.out.contains(command), qPrintable(command));
            for (const char* option : {"scoreboard", "require-cudagraph", "max-unpacked"})
                QVERIFY2(made.out.contains(option), option);
        }
        for (const QString& command : commands) {
            QVERIFY2(man.contains("\n.SS " + QString(command).replace("-", "\\-") + '\n'),
                     qPrintable(command));
            for (const QString& line : ask({command, "--help"}).out.split('\n')) {
                const QString word = line.trimmed().section(' ', 0, 0).section(',', -1);
                if (line.startsWith("  -") && word.startsWith("--"))
                    QVERIFY2(man.contains(QString(word).replace("-", "\\-")),
                             qPrintable(command + ' ' + word));
            }
        }
        QCOMPARE(ask({"completion", "csh"}).exitCode, 2);
    }

    /// Bash itself completes: commands, options, words of an option, files.
    void bashCompletes() {
        const QTemporaryDir folder;
        QFile script(folder.filePath("try.bash"));
        QVERIFY(script.open(QIODevice::WriteOnly));
        script.write(
            ask({"completion", "bash"}).out.toUtf8() +
            "\ntry() { COMP_WORDS=(\"$@\"); COMP_CWORD=$(($#-1)); _dynascope_cli; echo \"${COMPREPLY[*]}\"; "
            "}\n"
            "try dynascope-cli rede\ntry dynascope-cli print --sta\ntry dynascope-cli print --format rea\n"
            "try dynascope-cli print " +
            script.fileName().chopped(2).toUtf8() +
            "\ntry dynascope-cli --vers\ntry dynascope-cli nothing --\n");
        script.close();
        const Ran said = run("bash", {script.fileName()});
        QVERIFY2(said.err.isEmpty(), qPrintable(said.err));
        QCOMPARE(said.out.split('\n').first(5),
                 (QStringList{"rederive", "--stage", "readable", script.fileName(), "--version"}));
    }

    /// What a desktop is told: each type of file that the menu entry opens is one, and told by the name of its files.
    void desktopFilesAgree() {
        const QString folder = QStringLiteral(DYNASCOPE_SOURCE_DIR "/resources/desktop/");
        const auto textOf = [&folder](const char* name) {
            QFile file(folder + name);
            if (!file.open(QIODevice::ReadOnly)) qFatal("no %s", name);
            return QString::fromUtf8(file.readAll());
        };
        const QString entry = textOf("dynascope.desktop");
        const QStringList opened = QRegularExpression("^MimeType=(.*);$", QRegularExpression::MultilineOption)
                                       .match(entry)
                                       .captured(1)
                                       .split(';');
        QStringList types, globs;
        for (const char* name : {"dynascope.xml", "dynascope.metainfo.xml"}) {
            QXmlStreamReader xml(textOf(name));
            while (!xml.atEnd()) {
                if (xml.readNext() != QXmlStreamReader::StartElement) continue;
                if (xml.name() == u"mime-type") types.push_back(xml.attributes().value("type").toString());
                if (xml.name() == u"glob") globs.push_back(xml.attributes().value("pattern").toString());
                if (xml.name() == u"mediatype") QVERIFY(types.contains(xml.readElementText()));
            }
            QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        }
        QCOMPARE(QSet<QString>(opened.begin(), opened.end()), QSet<QString>(types.begin(), types.end()));
        QVERIFY(globs.size() > 4);
        for (const QString& glob : globs) {
            const auto endings = capture::fileEndings();
            QVERIFY2(std::any_of(endings.begin(), endings.end(),
                                 [&](std::string_view end) { return glob.toStdString().ends_with(end); }),
                     qPrintable(glob));
        }
    }

    void nothingOfATextIsARequest() {
        const cli::ProgramHelp program = hostile();
        const auto text = [](const std::string& s) { return QString::fromStdString(s); };
        const QString man = text(manualPage(program));
        for (const QString& line : man.split('\n'))
            QVERIFY2(!line.startsWith('\'') && !line.startsWith(".so") && !line.startsWith(".de ") &&
                         !line.startsWith(".request"),
                     qPrintable(line));
        QVERIFY(man.contains("\\&.so /etc/passwd") && man.contains("\\eescape") &&
                man.contains("\\fBodd\\-name") == false);
        const auto bash = completions(program, "bash"), zsh = completions(program, "zsh"),
                   fish = completions(program, "fish");
        QVERIFY(bash && zsh && fish && !completions(program, "csh"));
        const QTemporaryDir folder;
        QFile script(folder.filePath("x"));
        QVERIFY(script.open(QIODevice::WriteOnly));
        script.write(QByteArray::fromStdString(*bash));
        script.close();
        QCOMPARE(run("bash", {"-n", script.fileName()}).exitCode, 0);
        QVERIFY(text(*zsh).contains(R"('do:does it\: \[all\] $(rm) `rm` '\''now'\''')"));
        QVERIFY(text(*fish).contains(R"(-d 'does it: [all] $(rm) `rm` \'now\'')"));
        QVERIFY(text(*fish).contains(R"(-x -a 'a b' -d '\'one\' of \these\')"));
    }
};

QTEST_GUILESS_MAIN(TestCliHelp)
#include "tst_cli_help.moc"
