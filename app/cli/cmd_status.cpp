// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli status [--json] [--engine COMMAND...]
#include "app/cli/command.h"
#include "app/cli/engine_command.h"
#include "core/base/text.h"
#include "core/engine/client/confinement_words.h"
#include "core/engine/client/plugin_list.h"

#include <array>
#include <cstdio>
#include <memory>
#include <utility>

namespace dynascope::cli {

namespace {

using nlohmann::json;

struct StatusOptions {
    EngineOptions engine;
    bool json = false;
};

std::string statusLine(std::string_view what, const std::string& text) {
    std::string out(what);
    out.resize(12, ' ');
    return out + text + '\n';
}

std::string limitWords(const wire::Confinement& confinement) {
    const std::uint64_t bytes = confinement.memoryLimitBytes;
    if (bytes == 0) return "no limit on memory";
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "at most %.1f GiB of private memory",
                  static_cast<double>(bytes) / (1U << 30U));
    return text.data();
}

bool deniesFiles(const wire::Confinement& said) {
    return said.landlock > 0 && !said.readsFiles && !said.writesFiles;
}

/// What holds, part by part; what the engine does not say does not hold.
json confinementStatus(const wire::Confinement& said) {
    return {{"confined", engine::unconfined(said).empty()},
            {"landlock_abi", said.landlock},
            {"landlock", deniesFiles(said)},
            {"seccomp", said.seccomp},
            {"no_new_privileges", said.noNewPrivileges},
            {"memory_limit_bytes", said.memoryLimitBytes},
            {"other_threads", said.otherThreads},
            {"could", engine::unconfined(said)}};
}

std::string confinementText(const wire::Confinement& said) {
    const std::vector<std::string> could = engine::unconfined(said);
    const std::string abi = std::to_string(said.landlock);
    std::string out = statusLine(
        "confined", could.empty() ? "yes" : "no: a graph that takes it over could " + joined(could, ", "));
    out += statusLine("Landlock", said.landlock == 0  ? "not offered by this kernel"
                                  : deniesFiles(said) ? "holds, ABI " + abi
                                                      : "offered, ABI " + abi + ", does not hold");
    out += statusLine("seccomp", said.seccomp ? "holds" : "does not hold");
    out += statusLine("privileges", said.noNewPrivileges ? "none can be gained" : "can be gained");
    return out + statusLine("limits", limitWords(said));
}

int run(const StatusOptions& options) {
    engine::Client client = makeClient(options.engine);
    const auto started = client.start();
    if (!started) return fail(started.error().message);
    const auto environment = client.environment();
    if (!environment) return fail(environment.error().message);
    const auto plugins = client.plugins();
    if (!plugins) return fail(plugins.error().message);
    const wire::Confinement& said = environment->confinement;
    if (options.json) {
        const json answer = wire::encode(*plugins);
        const json document{{"engine", started->engine},
                            {"torch", started->torch},
                            {"confinement", confinementStatus(said)},
                            {"plugin_folders", answer["folders"]},
                            {"plugins", answer["plugins"]},
                            {"backends", answer["backends"]}};
        print(document.dump(-1, ' ', false, json::error_handler_t::replace) + '\n');
    } else {
        print(statusLine("engine", "dynascope-engine " + started->engine + ", LibTorch " + started->torch));
        print(confinementText(said));
        std::string head = "plugins";
        const std::string text = engine::pluginText(engine::pluginListOf(*plugins));
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = text.find('\n', at);
            print(statusLine(std::exchange(head, {}), text.substr(at, end - at)));
            at = end + 1;
        }
    }
    return engine::unconfined(said).empty() ? exitOk : exitFailure;
}

} // namespace

void addStatus(Parser& parser) {
    auto options = std::make_shared<StatusOptions>();
    Command command = parser.command(
        "status", "Say what confines the engine (Landlock, seccomp, privileges, limits) and which plugins it "
                  "loaded or refused; exit status 0 where it is confined, 1 where it is not");
    command.flag("--json", options->json, "One JSON document on stdout");
    addEngineOption(command, options->engine);
    command.run([options] { return run(*options); });
}

} // namespace dynascope::cli
