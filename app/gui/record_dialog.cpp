// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/record_dialog.h"

#include "app/cli/capture_setup.h"
#include "app/gui/record_command.h"
#include "views/base/page_parts.h"
#include "views/dynamo/live_session.h"
#include "views/theme/theme.h"
#include "views/workspace/labels.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace dynascope::app {

using namespace views;

namespace {

constexpr int profiledSteps = 5;

constexpr int mostLines = 10'000; ///< of output that is kept
constexpr qsizetype mostPast = 12;

QPlainTextEdit* textField(const QString& name, int lines) {
    auto* out = new QPlainTextEdit;
    out->setAccessibleName(name);
    out->setLineWrapMode(QPlainTextEdit::NoWrap);
    out->setTabChangesFocus(true);
    out->setProperty("lines", lines);
    out->setProperty("box", "field");
    return out;
}

} // namespace

RecordDialog::RecordDialog(Theme& theme, QWidget* parent)
    : QDialog(parent)
    , m_theme(theme)
    , m_run(new RecordRun(this))
    , m_form(new QWidget)
    , m_history(new QComboBox)
    , m_interpreter(new QPushButton(tr("Interpreter")))
    , m_script(new QPushButton(tr("Script...")))
    , m_command(new QLineEdit)
    , m_working(new QLineEdit)
    , m_output(new QLineEdit)
    , m_settings(new QLineEdit)
    , m_variables(textField(tr("Further variables"), 2))
    , m_environment(textField(tr("Environment"), 4))
    , m_printed(textField(tr("Output of the program"), 0))
    , m_passes(new QCheckBox(tr("Record Inductor's passes")))
    , m_profiles(new QCheckBox(tr("Profile %1 steps").arg(profiledSteps)))
    , m_memory(new QCheckBox(tr("GPU memory")))
    , m_values(new QCheckBox(tr("What graphs are called with")))
    , m_flight(new QCheckBox(tr("Collectives")))
    , m_pauses(new QCheckBox(tr("Pause at breakpoints")))
    , m_atStart(new QCheckBox(tr("Wait before anything is traced")))
    , m_opens(new QCheckBox(tr("Open the result")))
    , m_state(plainLabel({}, "label"))
    , m_liveNote(plainLabel({}, "hint"))
    , m_trialNote(plainLabel({}, "strong")) {
    setWindowTitle(tr("Record"));
    setSizeGripEnabled(true);
    m_command->setPlaceholderText(tr("python train.py --epochs 1"));
    m_command->setAccessibleName(tr("Program and arguments"));
    m_command->setToolTip(
        tr("As on a command line: quotes keep words together; torchrun gives a recording a rank. "
           "Nothing in the program is changed."));
    m_history->setEditable(true);
    m_history->setLineEdit(m_command);
    m_history->setCompleter(nullptr); // it would finish words that nobody meant
    m_history->setInsertPolicy(QComboBox::NoInsert);
    m_history->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_history->setAccessibleName(tr("Program and arguments"));
    m_interpreter->setToolTip(tr("The Python that runs the program"));
    m_interpreter->setMenu(new QMenu(m_interpreter));
    m_script->setToolTip(tr("Choose the script that Python runs"));
    for (QPushButton* button : {m_interpreter, m_script})
        button->setAutoDefault(false);
    m_working->setAccessibleName(tr("Working directory"));
    m_output->setAccessibleName(tr("Output folder"));
    m_settings->setAccessibleName(tr("Settings of torch._dynamo.config"));
    m_settings->setPlaceholderText(tr("capture_scalar_outputs=True; reorderable_logging_functions+=print"));
    m_settings->setToolTip(
        tr("Settings of torch._dynamo.config for this run alone, separated by semicolons: the "
           "program need not make them, and what it sets itself later holds"));
    m_trialNote->setWordWrap(true);
    m_trialNote->hide();
    m_variables->setPlaceholderText(tr("CUDA_VISIBLE_DEVICES=0"));
    m_variables->setToolTip(tr("Further variables of the program's environment, NAME=value, one a line"));
    m_environment->setReadOnly(true);
    m_environment->setToolTip(tr("What the program's environment has beside the window's own"));
    m_printed->setReadOnly(true);
    m_printed->setPlaceholderText(tr("What the program prints comes here while it runs."));
    m_printed->setMaximumBlockCount(mostLines);
    m_passes->setToolTip(
        tr("Every pass of AOTAutograd and Inductor, with the graphs between, for the page Inductor; what is "
           "compiled stays the same, compiling takes longer"));
    m_profiles->setToolTip(tr("Once nothing is compiled any more, torch.profiler records so many calls of "
                              "the compiled function that "
                              "comes again and again, for the page Profile. Inductor's C++ kernels get names "
                              "for it, so the generated "
                              "code is not quite what it is without."));
    m_memory->setToolTip(
        tr("A snapshot of the GPU's allocator at the end, with who allocated what, one a process, for the "
           "page Memory. Without a GPU there is none."));
    m_values->setToolTip(
        tr("The inputs of each graph at its first call, up to a size, for the engine: a replay then "
           "computes what the program computed"));
    m_flight->setToolTip(
        tr("What PyTorch's flight recorder holds of each rank, for who waits for whom on the page Ranks"));
    m_pauses->setToolTip(
        tr("Live mode: Dynamo waits at the breakpoints of the page Dynamo while it traces, and goes on, "
           "steps or breaks the graph when told to"));
    m_opens->setChecked(true);

    auto* form = new QFormLayout(m_form);
    form->setContentsMargins(0, 0, 0, 0);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    auto* program = new QWidget;
    auto* programRow = new QHBoxLayout(program);
    programRow->setContentsMargins(0, 0, 0, 0);
    programRow->addWidget(m_history, 1);
    programRow->addWidget(m_interpreter);
    programRow->addWidget(m_script);
    form->addRow(tr("Program"), program);
    form->addRow(tr("Working directory"), withBrowse(m_working, tr("Working directory")));
    form->addRow(tr("Output folder"), withBrowse(m_output, tr("Output folder")));
    form->addRow(tr("Settings"), m_settings);
    form->addRow(tr("Passes"), m_passes);
    form->addRow(tr("Profile"), m_profiles);
    auto* also = new QHBoxLayout;
    for (QCheckBox* box : {m_memory, m_values, m_flight})
        also->addWidget(box);
    also->addStretch();
    form->addRow(tr("Also"), also);
    form->addRow(tr("Variables"), m_variables);
    form->addRow(tr("Environment"), m_environment);
    auto* live = new QHBoxLayout;
    live->addWidget(m_pauses);
    live->addWidget(m_atStart);
    live->addWidget(m_liveNote, 1);
    form->addRow(tr("Live"), live);
    form->addRow(QString(), m_opens);

    m_start = new QPushButton(tr("Record"));
    m_start->setDefault(true);
    m_cancel = new QPushButton(tr("Stop"));
    m_cancel->setToolTip(tr("Ends the program; what it has recorded stays whole up to its last step"));
    m_close = new QPushButton(tr("Close"));
    m_close->setToolTip(tr("The program runs on"));
    m_close->setAutoDefault(false);
    m_cancel->setAutoDefault(false);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_state, 1);
    m_state->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    for (QPushButton* button : {m_start, m_cancel, m_close})
        buttons->addWidget(button);
    auto* column = new QVBoxLayout(this);
    column->setSpacing(12);
    column->addWidget(m_trialNote);
    column->addWidget(m_form);
    column->addWidget(m_printed, 1);
    column->addLayout(buttons);

    const std::pair<QWidget*, const char*> named[] = {
        {m_history, "record.history"},     {m_interpreter, "record.interpreter"},
        {m_command, "record.command"},     {m_working, "record.workingFolder"},
        {m_output, "record.outputFolder"}, {m_settings, "record.settings"},
        {m_variables, "record.variables"}, {m_environment, "record.environment"},
        {m_printed, "record.printed"},     {m_passes, "record.passes"},
        {m_profiles, "record.profiles"},   {m_pauses, "record.pauses"},
        {m_memory, "record.memory"},       {m_values, "record.values"},
        {m_flight, "record.flight"},       {m_atStart, "record.stopsAtStart"},
        {m_start, "record.start"},         {m_cancel, "record.cancel"},
        {m_trialNote, "record.trialNote"}, {m_state, "record.state"}};
    for (const auto& [widget, name] : named)
        widget->setObjectName(QLatin1String(name));

    connect(m_interpreter->menu(), &QMenu::aboutToShow, this, &RecordDialog::fillInterpreters);
    connect(m_script, &QPushButton::clicked, this, &RecordDialog::browseScript);
    connect(m_history, &QComboBox::activated, this, [this](int index) {
        QVariantMap all = values();
        const QVariantMap past = m_past.value(index).toMap();
        for (const char* key : ofCommand)
            if (past.contains(QLatin1String(key))) all[QLatin1String(key)] = past[QLatin1String(key)];
        setValues(all);
    });
    connect(m_start, &QPushButton::clicked, this, &RecordDialog::start);
    connect(m_cancel, &QPushButton::clicked, m_run, &RecordRun::cancel);
    connect(m_close, &QPushButton::clicked, this, &QDialog::hide);
    for (QLineEdit* field : {m_command, m_working, m_output, m_settings})
        connect(field, &QLineEdit::textChanged, this, &RecordDialog::update);
    connect(m_variables, &QPlainTextEdit::textChanged, this, &RecordDialog::update);
    for (QCheckBox* box : {m_pauses, m_passes, m_profiles, m_memory, m_values, m_flight})
        connect(box, &QCheckBox::toggled, this, &RecordDialog::update);
    connect(m_run, &RecordRun::output, this, [this](const QString& text) {
        if (text.isEmpty()) return;
        m_printed->moveCursor(QTextCursor::End);
        m_printed->insertPlainText(text);
        m_printed->moveCursor(QTextCursor::End);
    });
    connect(m_run, &RecordRun::progressed, this, [this] { m_state->setText(m_run->progress()); });
    connect(m_run, &RecordRun::finished, this, &RecordDialog::finish);
    connect(&m_theme, &Theme::changed, this, &RecordDialog::restyle);
    setValues({});
    restyle();
    resize(m_theme.scaled(680), m_theme.scaled(620));
}

RecordDialog::~RecordDialog() = default;

QWidget* RecordDialog::withBrowse(QLineEdit* field, const QString& title) {
    auto* out = new QWidget;
    auto* row = new QHBoxLayout(out);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(field, 1);
    auto* browse = new QPushButton(tr("Browse..."));
    browse->setAutoDefault(false);
    browse->setAccessibleName(tr("Browse: %1").arg(title));
    row->addWidget(browse);
    connect(browse, &QPushButton::clicked, this, [this, field, title] {
        const QString chosen = QFileDialog::getExistingDirectory(this, title, field->text());
        if (!chosen.isEmpty()) field->setText(chosen);
    });
    return out;
}

void RecordDialog::fillInterpreters() {
    QMenu& menu = *m_interpreter->menu();
    menu.clear();
    const auto take = [this](const QString& path) {
        m_command->setText(withInterpreter(m_command->text(), path));
    };
    const QStringList found = pythonInterpreters(m_working->text().trimmed());
    for (const QString& path : found)
        menu.addAction(QString(path).replace(u'&', QStringLiteral("&&")), this, [take, path] { take(path); });
    if (found.isEmpty()) menu.addAction(tr("No Python on the PATH"))->setEnabled(false);
    menu.addSeparator();
    menu.addAction(tr("Another..."), this, [this, take] {
        const QString path = QFileDialog::getOpenFileName(this, tr("Interpreter"), m_working->text());
        if (!path.isEmpty()) take(path);
    });
}

void RecordDialog::browseScript() {
    const QString chosen = QFileDialog::getOpenFileName(this, tr("Script"), m_working->text(),
                                                        tr("Python scripts (*.py);;All files (*)"));
    if (chosen.isEmpty()) return;
    const QStringList found = pythonInterpreters(m_working->text().trimmed());
    m_command->setText(withScript(m_command->text(), chosen, found.value(0)));
}

QVariantMap RecordDialog::filled() const {
    const QVariantMap all = values();
    QVariantMap out;
    for (const char* key : ofCommand)
        out[QLatin1String(key)] = all[QLatin1String(key)];
    return out;
}

void RecordDialog::rememberCommand() {
    const QVariantMap now = filled();
    m_past.removeIf([&](const QVariant& past) {
        return past.toMap().value(QStringLiteral("command")) == now[QStringLiteral("command")];
    });
    m_past.prepend(now);
    if (m_past.size() > mostPast) m_past.resize(mostPast);
    showHistory();
}

void RecordDialog::showHistory() {
    const QString typed = m_command->text();
    m_history->clear();
    for (const QVariant& past : m_past)
        m_history->addItem(past.toMap().value(QStringLiteral("command")).toString());
    m_history->setCurrentIndex(-1);
    m_command->setText(typed);
}

void RecordDialog::restyle() {
    for (QPlainTextEdit* field : {m_variables, m_environment, m_printed}) {
        field->setFont(m_theme.font(FontRole::CodeSmall));
        if (const int lines = field->property("lines").toInt(); lines > 0)
            field->setFixedHeight(field->fontMetrics().lineSpacing() * lines + m_theme.scaled(14));
    }
    m_command->setFont(m_theme.font(FontRole::CodeSmall));
    m_settings->setFont(m_theme.font(FontRole::CodeSmall));
}

QVariantMap RecordDialog::values() const {
    return {{QStringLiteral("command"), m_command->text()},
            {QStringLiteral("working"), m_working->text()},
            {QStringLiteral("output"), m_untried.isEmpty() ? m_output->text() : m_untried},
            {QStringLiteral("variables"), m_variables->toPlainText()},
            {QStringLiteral("passes"), m_passes->isChecked()},
            {QStringLiteral("profiles"), m_profiles->isChecked()},
            {QStringLiteral("memory"), m_memory->isChecked()},
            {QStringLiteral("values"), m_values->isChecked()},
            {QStringLiteral("flight"), m_flight->isChecked()},
            {QStringLiteral("pauses"), m_pauses->isChecked()},
            {QStringLiteral("atStart"), m_atStart->isChecked()},
            {QStringLiteral("opens"), m_opens->isChecked()},
            {QStringLiteral("past"), m_past}};
}

void RecordDialog::setValues(const QVariantMap& values) {
    const auto text = [&](const char* key, const QString& otherwise) {
        return values.value(QLatin1String(key), otherwise).toString();
    };
    m_past = values.value(QStringLiteral("past")).toList().mid(0, mostPast);
    showHistory();
    m_command->setText(text("command", {}));
    m_working->setText(text("working", QDir::currentPath()));
    m_output->setText(text("output", QDir::current().filePath(QStringLiteral("dynascope-capture"))));
    m_variables->setPlainText(text("variables", {}));
    m_passes->setChecked(values.value(QStringLiteral("passes"), false).toBool());
    m_profiles->setChecked(values.value(QStringLiteral("profiles"), false).toBool());
    m_memory->setChecked(values.value(QStringLiteral("memory"), false).toBool());
    m_values->setChecked(values.value(QStringLiteral("values"), false).toBool());
    m_flight->setChecked(values.value(QStringLiteral("flight"), false).toBool());
    m_pauses->setChecked(values.value(QStringLiteral("pauses"), false).toBool());
    m_atStart->setChecked(values.value(QStringLiteral("atStart"), false).toBool());
    m_opens->setChecked(values.value(QStringLiteral("opens"), true).toBool());
    update();
}

void RecordDialog::setBreakpointCount(int count) {
    m_liveNote->setText(count == 0 ? tr("no breakpoint is set on the page Dynamo")
                                   : countText(qulonglong(count), tr("breakpoint"), tr("breakpoints")));
}

ProgramToRecord RecordDialog::request() const {
    ProgramToRecord out;
    out.arguments = QProcess::splitCommand(m_command->text());
    if (!out.arguments.isEmpty()) out.program = out.arguments.takeFirst();
    out.workingFolder = m_working->text().trimmed();
    const QString folder = m_output->text().trimmed();
    // As the program itself would take it: from its working directory on.
    out.outputFolder = folder.isEmpty() ? QString() : QDir(out.workingFolder).absoluteFilePath(folder);
    const QStringList settings = m_settings->text().split(u';', Qt::SkipEmptyParts);
    for (const QString& setting : settings)
        if (!setting.trimmed().isEmpty()) out.settings << setting.trimmed();
    out.variables = m_variables->toPlainText().split(u'\n', Qt::SkipEmptyParts);
    out.passes = m_passes->isChecked();
    out.profileSteps = m_profiles->isChecked() ? profiledSteps : 0;
    out.memory = m_memory->isChecked();
    out.values = m_values->isChecked();
    out.flight = m_flight->isChecked();
    if (m_pauses->isChecked()) out.live = m_live ? m_live->path() : tr("(a socket of its own)");
    return out;
}

void RecordDialog::update() {
    const ProgramToRecord asked = request();
    m_environment->setPlainText(RecordRun::environment(asked).join(u'\n'));
    const bool running = m_run->isRunning();
    m_form->setEnabled(!running);
    const QString whyNot = whyNotRecorded(asked);
    m_start->setEnabled(!running && whyNot.isEmpty());
    m_start->setToolTip(whyNot);
    m_cancel->setEnabled(running);
    m_atStart->setEnabled(m_pauses->isChecked());
    if (running) return;
    if (!whyNot.isEmpty())
        m_state->setText(whyNot);
    else if (const std::size_t there = cli::captureFiles(asked.outputFolder.toStdString()).recordings;
             there > 0)
        m_state->setText(tr("The folder holds %1 already; new ones are added.")
                             .arg(countText(there, tr("recording"), tr("recordings"))));
    else
        m_state->clear();
}

void RecordDialog::start() {
    m_live.reset();
    if (m_pauses->isChecked()) {
        auto session = LiveSession::listen();
        if (!session) {
            m_state->setText(toQString(session.error().toString()));
            return;
        }
        m_live = std::move(*session);
        m_live->setStopsAtStart(m_atStart->isChecked());
    }
    m_printed->clear();
    rememberCommand();
    const auto begun = m_run->start(request());
    update();
    if (!begun) {
        m_live.reset();
        m_state->setText(toQString(begun.error().toString()));
        return;
    }
    emit started();
}

void RecordDialog::finish(const QString& problem) {
    const QString folder = m_run->request().outputFolder;
    const QString found = m_run->progress();
    update();
    m_state->setText(problem.isEmpty() ? tr("Done. %1").arg(found)
                                       : tr("The program %1. %2").arg(problem, found));
    if (problem.isEmpty() && cli::captureFiles(folder.toStdString()).bytes == 0)
        m_state->setText(
            tr("Nothing was recorded: the program ended without compiling anything. Does it call "
               "what torch.compile returned?"));
    if (m_opens->isChecked() && cli::captureFiles(folder.toStdString()).bytes > 0)
        emit ended(folder, problem);
    else
        emit ended({}, problem);
}

} // namespace dynascope::app
