// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli save PATH -o FILE.dynascope
#include "app/cli/command.h"
#include "core/capture/open.h"
#include "core/remote/open.h"
#include "core/store/session_file.h"

#include <memory>

namespace dynascope::cli {

namespace {

struct SaveOptions {
    std::string path, output;
};

int run(const SaveOptions& options) {
    const Result<capture::Opened> opened = options.path == "-"
                                               ? openInput(options.path).map([](session::SessionPtr session) {
                                                     return capture::Opened{std::move(session), nullptr};
                                                 })
                                               : remote::openSaved(options.path);
    if (!opened) return fail(opened.error());
    store::SessionContents contents;
    if (opened->saved) contents = *opened->saved;
    contents.inputs = opened->session->inputs;
    if (const auto saved = store::saveSession(options.output, contents); !saved) return fail(saved.error());
    return exitOk;
}

} // namespace

void addSave(Parser& parser) {
    auto options = std::make_shared<SaveOptions>();
    Command command =
        parser.command("save", "Save a capture as one session file that needs none of its inputs");
    command
        .add("path", options->path,
             "Trace log, folder of rank logs, archive, graph text or session file; - for standard input")
        .required();
    command.add("-o,--output", options->output, "The session file to write (NAME.dynascope)").required();
    command.run([options] { return run(*options); });
}

} // namespace dynascope::cli
