// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/capture_setup.h"
#include "app/cli/child.h"
#include "app/cli/command.h"
#include "app/cli/doctor.h"
#include "app/cli/table.h"
#include "core/base/own_program.h"
#include "core/engine/client/confinement_words.h"
#include "core/layout/layout.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace dynascope::cli {

namespace {

namespace fs = std::filesystem;
using doctor::Finding;
using State = Finding::State;

constexpr std::chrono::seconds patience{60}; // a cold disk loads PyTorch for half a minute

std::string gib(std::uint64_t bytes) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f GiB", static_cast<double>(bytes) / (1U << 30U));
    return text.data();
}

bool isSet(const char* variable) {
    const char* const value = std::getenv(variable);
    return value && *value;
}

Finding windowFinding() {
    const std::string program = ownFolder().string() + "/dynascope";
    std::error_code error;
    if (!fs::exists(program, error))
        return {"window", State::Missing, "this build has none: " + program + " is not there",
                "build the target dynascope (preset release); the command line works without it"};
    const auto child = runChild({program, "--self-check"}, patience);
    if (!child) return {"window", State::Missing, child.error().message, {}};
    const auto said = doctor::windowAnswerFrom(child->out);
    if (!child->succeeded || !said) {
        const std::string why = child->lastWords();
        const bool display = isSet("DISPLAY") || isSet("WAYLAND_DISPLAY");
        return {
            "window", State::Missing, why.empty() ? "dynascope --self-check ended with " + child->end : why,
            display ? "allow this user on the display, or unset DISPLAY and WAYLAND_DISPLAY to work offscreen"
                    : "start it on a desktop or under Xvfb; 'dynascope --export DIR' needs no display"};
    }
    return {"window",
            State::Works,
            "Qt " + said->qt + ", platform " + said->platform + ", screen " + said->screen,
            {}};
}

Finding graphvizFinding() {
    layout::LayoutInput two;
    two.boxes.resize(2);
    two.edges.push_back({0, 1, 1});
    const auto laidOut = layout::layoutDot(two);
    if (laidOut && laidOut->boxes.size() == 2) return {"Graphviz", State::Works, "dot lays out a graph", {}};
    return {"Graphviz", State::Limited, laidOut ? "dot lost a node" : laidOut.error().message,
            "install the package libgvc6; the canvas uses its own layers instead"};
}

Finding confinementFinding(const wire::Confinement& confinement) {
    const int landlock = confinement.landlock;
    const std::uint64_t limit = confinement.memoryLimitBytes;
    const std::string memory =
        limit > 0 ? ", at most " + gib(limit) + " of private memory" : ", memory without a limit";
    const std::vector<std::string> open = engine::unconfined(confinement);
    if (open.empty())
        return {
            "sandbox",
            State::Works,
            "the engine can neither write files nor read any but libraries, nor use the network, nor start "
            "programs (Landlock, ABI " +
                std::to_string(landlock) + ", and seccomp)" + memory,
            {}};
    std::string can;
    for (std::size_t i = 0; i < open.size(); ++i)
        can += (i == 0 ? "" : i + 1 == open.size() ? " and " : ", ") + open[i];
    return {
        "sandbox", State::Limited,
        "a graph that takes over the engine could " + can + " (" +
            (landlock > 0 ? "Landlock, ABI " + std::to_string(landlock) : "this kernel has no Landlock") +
            ')' + memory,
        "open captures of strangers on a kernel with Landlock (5.13 or newer) and seccomp, in a build with "
        "libseccomp, or in a container"};
}

std::vector<Finding> cudaFindings(const wire::CudaPresence& cuda) {
    std::vector<Finding> out;
    if (const std::string& problem = cuda.pluginProblem; !problem.empty()) {
        const bool torch = problem.find("is built without CUDA") != std::string::npos;
        out.push_back(
            {"CUDA", State::Missing, problem,
             torch ? "build the engine with a CUDA build of PyTorch: -DDYNASCOPE_PYTHON=.../bin/python"
                   : ""});
        return out;
    }
    const wire::CudaStatus status = cuda.status.value_or(wire::CudaStatus());
    const std::string& problem = status.problem;
    std::string text = "driver for CUDA " + status.driver;
    for (std::size_t i = 0; i < status.devices.size(); ++i)
        text += (i == 0 ? "; " : ", ") + ("cuda:" + std::to_string(i)) + ' ' + status.devices[i].name + " (" +
                gib(status.devices[i].bytes) + ", compute capability " + status.devices[i].capability + ')';
    out.push_back(
        {"CUDA", problem.empty() ? State::Works : State::Missing, problem.empty() ? text : problem, {}});
    if (!problem.empty()) return out;
    const std::string& cupti = status.cuptiProblem;
    out.push_back({"CUPTI", cupti.empty() ? State::Works : State::Limited,
                   cupti.empty() ? "version " + status.cupti : cupti,
                   cupti.empty()
                       ? ""
                       : "pip install nvidia-cuda-cupti beside PyTorch; without it nodes of CUDA graphs "
                         "have no times"});
    return out;
}

std::vector<Finding> engineFindings(engine::Client& client) {
    const auto started = client.start();
    if (!started)
        return {{"engine", State::Missing, started.error().message,
                 // Of one that lacks its PyTorch the message says what to do.
                 started.error().lacksTorch()
                     ? std::string()
                     : "build the target dynascope-engine with PyTorch in .venv (./run does)"}};
    std::vector<Finding> out;
    const auto said = client.environment();
    if (!said) return {{"engine", State::Missing, said.error().message, {}}};
    out.push_back({"engine",
                   State::Works,
                   "dynascope-engine " + started->engine + ", LibTorch " + started->torch + ", " +
                       count(std::size_t(said->threads), "thread"),
                   {}});
    out.push_back(confinementFinding(said->confinement));
    for (Finding& finding : cudaFindings(said->cuda))
        out.push_back(std::move(finding));
    return out;
}

/// Versions without importing PyTorch, which takes seconds. Printed as one JSON line.
constexpr const char* askPython = R"(
import importlib.metadata as m, json, sys
try: torch = m.version("torch")
except m.PackageNotFoundError: torch = ""
print(json.dumps({"python": sys.version.split()[0], "torch": torch})))";

Finding recorderFinding(const std::string& python) {
    const Result<std::string> folder = recorderFolder();
    if (!folder)
        return {"recorder", State::Missing, folder.error().toString(), "build or install Dynascope again"};
    const auto child = runChild({python, "-c", askPython}, patience);
    if (!child || !child->succeeded)
        return {"recorder", State::Missing,
                child ? python + ": " + child->lastWords() : child.error().message,
                "name the interpreter of your programs with --python"};
    const auto said = doctor::pythonAnswerFrom(child->out);
    if (!said) return {"recorder", State::Missing, python + " prints something else", {}};
    const std::string& torch = said->torch;
    const std::string text = python + ": Python " + said->python + ", ";
    if (torch.empty())
        return {"recorder", State::Missing, text + "no PyTorch",
                "name the interpreter of your programs with --python"};
    int major = 0, minor = 0;
    if (std::sscanf(torch.c_str(), "%d.%d", &major, &minor) != 2 || major < 2 || (major == 2 && minor < 6))
        return {"recorder", State::Missing, text + "PyTorch " + torch,
                "Dynamo is recorded from PyTorch 2.6 on"};
    return {"recorder", State::Works, text + "PyTorch " + torch, {}};
}

} // namespace

std::vector<Finding> doctorFindings(engine::Client& client, const std::string& python) {
    std::vector<Finding> out{windowFinding(), graphvizFinding()};
    for (Finding& finding : engineFindings(client))
        out.push_back(std::move(finding));
    out.push_back(recorderFinding(python));
    return out;
}

std::string findingsText(const std::vector<Finding>& findings) {
    std::string out;
    for (const Finding& finding : findings) {
        std::string head(doctor::stateName(finding.state));
        head.resize(9, ' ');
        std::string what = finding.what;
        what.resize(10, ' ');
        out += head + what + finding.text + '\n';
        if (!finding.advice.empty()) out += std::string(19, ' ') + finding.advice + '\n';
    }
    return out;
}

} // namespace dynascope::cli
