// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/record_command.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStandardPaths>

namespace dynascope::app {

namespace {

QString wordsOf(const QStringList& words) {
    QStringList out;
    for (QString word : words) {
        // As QProcess::splitCommand takes them apart again.
        const bool quoted = word.contains(QRegularExpression(QStringLiteral("\\s")));
        word.replace(u'"', QStringLiteral("\"\"\""));
        out << (quoted ? u'"' + word + u'"' : word);
    }
    return out.join(u' ');
}

bool isPython(const QString& word) {
    static const QRegularExpression python(QStringLiteral("^(python|pypy)[0-9.]*t?$"));
    return python.match(QFileInfo(word).fileName()).hasMatch();
}

bool isScript(const QString& word) {
    return word.endsWith(QLatin1String(".py"));
}

QString tellOf(const char* text) {
    return RecordRun::tr(text);
}

} // namespace

QStringList pythonInterpreters(const QString& workingFolder) {
    QStringList out;
    const auto add = [&out](const QString& path) {
        const QFileInfo file(path);
        if (file.isFile() && file.isExecutable() && !out.contains(file.absoluteFilePath()))
            out << file.absoluteFilePath();
    };
    for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"})
        if (const QString root = qEnvironmentVariable(variable); !root.isEmpty())
            add(root + QStringLiteral("/bin/python"));
    if (!workingFolder.isEmpty())
        for (const char* folder : {".venv", "venv", "env"})
            add(QDir(workingFolder).filePath(QLatin1String(folder) + QStringLiteral("/bin/python")));
    for (const QString& folder : qEnvironmentVariable("PATH").split(u':', Qt::SkipEmptyParts))
        for (const char* name : {"python", "python3"})
            add(QDir(folder).filePath(QLatin1String(name)));
    return out;
}

QString withInterpreter(const QString& command, const QString& interpreter) {
    QStringList words = QProcess::splitCommand(command);
    if (!words.isEmpty() && isPython(words.front()))
        words.front() = interpreter;
    else if (!words.isEmpty() && QFileInfo(words.front()).fileName() == QLatin1String("torchrun"))
        words = QStringList{interpreter, QStringLiteral("-m"), QStringLiteral("torch.distributed.run")} +
                words.mid(1);
    else
        words.prepend(interpreter);
    return wordsOf(words);
}

QString withScript(const QString& command, const QString& script, const QString& interpreter) {
    QStringList words = QProcess::splitCommand(command);
    if (words.isEmpty())
        return wordsOf({interpreter.isEmpty() ? QStringLiteral("python") : interpreter, script});
    for (QString& word : words)
        if (isScript(word)) {
            word = script;
            return wordsOf(words);
        }
    words.insert(1, script);
    return wordsOf(words);
}

QString whyNotRecorded(const ProgramToRecord& request) {
    const QString& program = request.program;
    if (program.isEmpty()) return tellOf("Name the program to record, such as: python train.py");
    if (request.outputFolder.isEmpty()) return tellOf("Name a folder for what is recorded.");
    if (!request.workingFolder.isEmpty() && !QDir(request.workingFolder).exists())
        return tellOf("The working directory does not exist.");
    const bool asPath = program.contains(u'/');
    const QString path = QDir(request.workingFolder).absoluteFilePath(program);
    const QString found =
        asPath ? (QFileInfo(path).isFile() ? path : QString()) : QStandardPaths::findExecutable(program);
    if (isScript(program) && (found.isEmpty() || !QFileInfo(found).isExecutable()))
        return tellOf("A script is run by an interpreter: put python before it.");
    if (found.isEmpty())
        return asPath ? tellOf("There is no file %1.").arg(path)
                      : tellOf("There is no program %1 on the PATH. Interpreter lists those that are there.")
                            .arg(program);
    if (!QFileInfo(found).isExecutable()) return tellOf("%1 is no program.").arg(found);
    if (isPython(program) && !request.arguments.isEmpty() && isScript(request.arguments.front()) &&
        !QFileInfo(QDir(request.workingFolder).absoluteFilePath(request.arguments.front())).isFile())
        return tellOf("There is no script %1 in the working directory.").arg(request.arguments.front());
    if (isPython(program) && request.arguments.isEmpty())
        return tellOf("Name the script that Python is to run.");
    return {};
}

} // namespace dynascope::app
