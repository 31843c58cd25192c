// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/shell_help.h"
#include "app/gui/desktop_libraries.h"
#include "app/gui/export.h"
#include "app/gui/main_window.h"
#include "core/base/log.h"
#include "core/session/byte_source.h"

#include <CLI/CLI.hpp>

#include <QApplication>
#include <QIcon>
#include <QLoggingCategory>
#include <QRegularExpression>
#include <QScreen>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

using namespace dynascope;

struct Options {
    std::vector<std::string> paths, sizes, engine;
    std::string exportFolder, theme, completion, lesson;
    bool benchStart = false, compare = false, follow = false, selfCheck = false;
};

bool isSet(const char* variable) {
    const char* value = std::getenv(variable);
    return value && *value;
}

/// Milliseconds since this process was started, to 10 ms; negative where /proc does not tell.
double sinceStart() {
    std::ifstream file("/proc/self/stat");
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const std::size_t name = text.rfind(')');
    if (name == std::string::npos) return -1;
    std::istringstream fields(text.substr(name + 2));
    std::string field;
    for (int i = 3; i <= 22 && fields >> field; ++i) {
    }
    timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (double(now.tv_sec) + double(now.tv_nsec) / 1e9 -
            std::stod(field) / double(sysconf(_SC_CLK_TCK))) *
           1e3;
}

std::optional<views::ColourScheme> schemeOf(const std::string& name) {
    if (name == "dark") return views::ColourScheme::Dark;
    if (name == "light") return views::ColourScheme::Light;
    return std::nullopt;
}

int runWindow(QApplication& app, const Options& options) {
    app::Settings settings;
    views::Theme theme;
    theme.setScheme(schemeOf(options.theme).value_or(settings.scheme()));
    theme.setFontSize(settings.fontSize());
    theme.apply(app);
    QApplication::setWindowIcon(QIcon(QStringLiteral(":/dynascope/dynascope.svg")));
    views::TaskRunner tasks;
    views::Workspace workspace(tasks);
    app::MainWindow window(workspace, theme, settings, nullptr, options.engine);
    // No larger than the screen: without a window manager, or with a plain one, nothing else sees to that.
    window.setKeptOnScreen(true);
    window.resize(QSize(1600, 1000).boundedTo(window.screen()->availableSize()));
    if (options.benchStart)
        QObject::connect(&window, &app::MainWindow::painted, &app, [&app] {
            std::printf("%.0f\n", sinceStart());
            app.quit();
        });
    window.show();
    QStringList paths;
    for (const std::string& path : options.paths)
        paths << QString::fromLocal8Bit(path.c_str());
    if (options.follow) window.followAll();
    options.compare ? window.comparePaths(paths) : window.openPaths(paths);
    if (!options.lesson.empty()) window.openLesson(QString::fromLocal8Bit(options.lesson.c_str()));
    return QApplication::exec();
}

/// What `dynascope-cli doctor` asks: that there is a display that Qt can draw on.
int printSelfCheck() {
    const QScreen* const screen = QGuiApplication::primaryScreen();
    const QSize size = screen ? screen->size() : QSize();
    std::printf("{\"qt\": \"%s\", \"platform\": \"%s\", \"screen\": \"%dx%d at scale %g\"}\n", qVersion(),
                qPrintable(QGuiApplication::platformName()), size.width(), size.height(),
                screen ? screen->devicePixelRatio() : 1.0);
    return screen ? 0 : 1;
}

/// The topic's category of Qt: "dynascope.engine", off unless DYNASCOPE_LOG or QT_LOGGING_RULES says
/// otherwise.
QLoggingCategory& categoryOf(log::Topic topic) {
    struct Named {
        std::string name; // which the category refers to
        QLoggingCategory category;
        explicit Named(log::Topic topic)
            : name("dynascope." + std::string(log::nameOf(topic)))
            , category(name.c_str(), QtInfoMsg) {}
    };
    static const std::vector<std::unique_ptr<Named>> all = [] {
        std::vector<std::unique_ptr<Named>> made;
        for (std::size_t i = 0; i < log::topicCount; ++i)
            made.push_back(std::make_unique<Named>(static_cast<log::Topic>(i)));
        return made;
    }();
    return all[static_cast<std::size_t>(topic)]->category;
}

void logByQt() {
    log::chooseByEnvironment();
    log::Topics chosen = log::topics();
    for (unsigned i = 0; i < log::topicCount; ++i) {
        QLoggingCategory& category = categoryOf(static_cast<log::Topic>(i));
        if ((chosen >> i & 1U) != 0) category.setEnabled(QtDebugMsg, true);
        if (category.isDebugEnabled()) chosen |= 1U << i;
    }
    log::setTopics(chosen);
    log::setSink([](log::Topic topic, const std::string& line) {
        qCDebug(categoryOf(topic)).noquote() << QString::fromStdString(line);
    });
}

/// The offscreen platform announces what it cannot do for every window; nobody waits for that here.
void quietMessages(QtMsgType type, const QMessageLogContext& context, const QString& text) {
    if (QByteArrayView(context.category).startsWith("dynascope.")) {
        std::fprintf(stderr, "%s: %s\n", context.category, qPrintable(text));
        return;
    }
    if (type == QtDebugMsg || type == QtInfoMsg ||
        text.startsWith(QLatin1String("This plugin does not support")))
        return;
    std::fprintf(stderr, "%s\n", qPrintable(text));
}

} // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App parser{"Dynascope: a debugger for PyTorch's compiler", "dynascope"};
    parser.add_option("PATH", options.paths,
                      "Traces, folders of ranks, graph texts or sessions to open, here or on another "
                      "machine: ssh://HOST/PATH");
    parser
        .add_option("--export", options.exportFolder,
                    "Write the windows as PNG and a summary into this folder, without a display")
        ->type_name("DIR");
    parser.add_option("--size", options.sizes, "Window size for --export; may be given several times")
        ->type_name("WxH")
        ->allow_extra_args(false)
        ->default_str("1600x1000");
    parser.add_flag("--compare", options.compare, "Compare the two PATHs, or the ranks of one");
    parser.add_flag("--follow", options.follow,
                    "Read the PATHs on as they grow, as a program that runs writes them");
    parser.add_option("--theme", options.theme, "Colours: dark or light")
        ->check(CLI::IsMember({"dark", "light"}));
    parser.add_option("--lesson", options.lesson, "Open a lesson: its name in Help > Lessons, or its file")
        ->type_name("NAME");
    parser
        .add_option(
            "--engine", options.engine,
            "The engine's command as an argument list, or ssh://HOST for the engine of another machine. "
            "Comes last")
        ->expected(-1);
    parser
        .add_option_function<std::uint64_t>(
            "--max-unpacked", [](std::uint64_t gib) { session::Spool::setMost(gib << 30U); },
            "Most temporary files that archives, pipes and sessions may take, in GiB (16)")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 20U));
    parser.add_flag("--self-check", options.selfCheck, "Print what Qt and the display offer, and exit");
    parser
        .add_option("--completion", options.completion,
                    "Print what bash, zsh or fish completes the command line by, or a manual page, and exit")
        ->check(CLI::IsMember({"bash", "zsh", "fish", "man"}));
    parser.add_flag("--bench-start", options.benchStart)->group("");
    parser.set_version_flag("--version", std::string("dynascope ") + DYNASCOPE_VERSION);
    try {
        parser.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return parser.exit(error) == 0 ? 0 : 2;
    }
    if (!options.completion.empty()) {
        const cli::ProgramHelp help = cli::describe(parser, DYNASCOPE_VERSION);
        const std::string text = options.completion == "man"
                                     ? manualPage(help)
                                     : completions(help, options.completion).value_or(std::string());
        return std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0 ? 2 : 0;
    }

    if (options.compare && (options.paths.empty() || options.paths.size() > 2)) {
        std::fputs("dynascope: --compare takes two captures, or one with several ranks\n", stderr);
        return 2;
    }
    app::ExportOptions exporting;
    exporting.compare = options.compare;
    static const QRegularExpression sizePattern(QStringLiteral("^(\\d{3,5})x(\\d{3,5})$"));
    if (!options.sizes.empty()) exporting.sizes.clear();
    for (const std::string& size : options.sizes) {
        const auto match = sizePattern.match(QString::fromStdString(size));
        if (!match.hasMatch()) {
            std::fprintf(stderr, "dynascope: --size %s: a size is written like 1600x1000\n", size.c_str());
            return 2;
        }
        exporting.sizes.emplace_back(match.captured(1).toInt(), match.captured(2).toInt());
    }

    const bool display = isSet("DISPLAY") || isSet("WAYLAND_DISPLAY");
    if (!display && !isSet("QT_QPA_PLATFORM")) {
        if (options.exportFolder.empty()) {
            std::fputs("dynascope: there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set). "
                       "--export DIR writes the "
                       "windows as PNG; dynascope-cli works in a terminal\n",
                       stderr);
            return 2;
        }
        qputenv("QT_QPA_PLATFORM", "offscreen");
    }
    logByQt();
    app::loadDesktopLibraries(app::desktopLibraryFolder());
    QApplication app(argc, argv);
    QApplication::setApplicationName(QStringLiteral("dynascope"));
    QGuiApplication::setDesktopFileName(QStringLiteral("dynascope"));
    QApplication::setApplicationDisplayName(QStringLiteral("Dynascope"));
    QApplication::setApplicationVersion(QStringLiteral(DYNASCOPE_VERSION));
    if (options.selfCheck) return printSelfCheck();
    if (options.exportFolder.empty()) return runWindow(app, options);
    exporting.folder = QString::fromLocal8Bit(options.exportFolder.c_str());
    for (const std::string& path : options.paths)
        exporting.paths << QString::fromLocal8Bit(path.c_str());
    exporting.scheme = schemeOf(options.theme);
    exporting.engine = options.engine;
    qInstallMessageHandler(quietMessages);
    return app::exportWindows(app, exporting);
}
