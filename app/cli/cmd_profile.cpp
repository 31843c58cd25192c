// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli profile PATH [OTHER] [--capture CAPTURE] [--by WHAT] [--peaks FLOPS,BYTES|measure] [--top N]
//                            [--json | --csv]
#include "app/cli/engine_command.h"
#include "app/cli/profile_report.h"
#include "core/base/shown_text.h"
#include "core/rederive/measured_peaks.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>
#include <set>

namespace dynascope::cli {

namespace {

using nlohmann::json;
using profile::Facts;

struct ProfileOptions {
    EngineOptions engine;
    std::string path, other, capture, by = "node", device, peaks, mostStepUs, leastJoined;
    std::size_t top = 30;
    bool json = false, csv = false;
};

constexpr std::string_view measurePeaksWord = "measure";

/// A number that is not negative; 0 where nothing is given.
Result<double> limit(const std::string& text, const char* name) {
    double out = 0;
    if (text.empty()) return out;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error != std::errc() || end != text.data() + text.size() || !(out >= 0))
        return failure(std::string(name) + " is no number: " + text);
    return out;
}

/// What the engine measures for a profile, which `how` says.
Result<std::optional<profile::Peaks>> measuredFor(const profile::JoinedPtr& joined,
                                                  const ProfileOptions& options, std::string& how) {
    Facts facts(joined);
    engine::Client client = makeClient(options.engine);
    if (const auto info = client.start(); !info) return failure(info.error().message);
    const engine::PeakRequest request =
        engine::peaksFor(*joined->profile, grouped(facts, profile::By::Kernel));
    const auto measured = engine::measurePeaks(client, request);
    if (!measured && request.backend != "cpu")
        return failure("the profile's peaks are those of a GPU, which cannot be measured here: " +
                       measured.error().message + "; --peaks FLOPS,BYTES gives them");
    if (!measured) return failure(measured.error().message);
    how = "peaks: " + measured->toString() + '\n';
    if (const std::string doubt = engine::peakDoubt(*measured, *joined->profile); !doubt.empty())
        how += "but " + doubt + '\n';
    return measured->peaks;
}

/// "1.6e11,9e9"; nothing where nothing, or "measure", is given.
Result<std::optional<profile::Peaks>> peaksOf(const std::string& text) {
    if (text.empty() || text == measurePeaksWord) return std::nullopt;
    const std::size_t comma = std::min(text.find(','), text.size());
    const auto flops = limit(text.substr(0, comma), "--peaks");
    const auto bytes = limit(comma < text.size() ? text.substr(comma + 1) : "none", "--peaks");
    if (!flops) return tl::unexpected(flops.error());
    if (!bytes) return tl::unexpected(bytes.error());
    if (*flops <= 0 || *bytes <= 0)
        return failure("--peaks are FLOP/s and bytes/s, such as 1.6e11,9e9, or measure");
    return profile::Peaks{*flops, *bytes, {}};
}

Result<void> checkDevice(const std::string& device, const profile::Profile& profile) {
    if (device.empty() || std::ranges::find(profile.devices, device) != profile.devices.end()) return {};
    std::string known;
    for (const std::string& one : profile.devices)
        known += (known.empty() ? "" : ", ") + one;
    return failure("nothing in the profile ran on " + device + "; it has " + known, profile.path);
}

struct JoinedInput {
    std::vector<profile::JoinedPtr> profiles;
    std::vector<std::string> warnings; ///< of opening
};

/// The profiles of a path, each joined to the capture that is named, else to what was opened with it.
Result<JoinedInput> joinedProfiles(const ProfileOptions& options, const std::string& path) {
    const auto opened = openInput(path);
    if (!opened) return tl::unexpected(opened.error());
    session::SessionPtr capture = *opened;
    if (!options.capture.empty()) {
        const auto other = openInput(options.capture);
        if (!other) return tl::unexpected(other.error());
        capture = *other;
    }
    if ((*opened)->profiles.empty())
        return failure(
            "no profile: export_chrome_trace() of torch.profiler writes one, into the folder of the trace "
            "or elsewhere",
            path);
    JoinedInput out;
    std::set<std::string> own; // of the profiles, which tell them themselves
    for (const auto& one : session::attachedAs<profile::Profile>((*opened)->profiles))
        own.insert(one->warnings.begin(), one->warnings.end());
    for (const session::Warning& warning : (*opened)->warnings)
        if (!own.contains(warning.error.message)) out.warnings.push_back(warning.error.toString());
    for (const auto& one : session::attachedAs<profile::Profile>((*opened)->profiles)) {
        const auto joined = profile::join(capture, one);
        if (!joined) return tl::unexpected(joined.error());
        out.profiles.push_back(*joined);
    }
    return out;
}

/// What a limit that is missed says; empty where none is.
std::string missed(const profile::Joined& joined, double mostStepUs, double leastJoined) {
    std::string out;
    const double step = medianStepUs(*joined.profile);
    if (mostStepUs > 0 && joined.profile->steps.empty())
        out += joined.profile->path + ": no steps, so that --max-step-us cannot be judged\n";
    else if (mostStepUs > 0 && step > mostStepUs)
        out += joined.profile->path + ": the median step takes " + std::to_string(step) + " us, more than " +
               std::to_string(mostStepUs) + '\n';
    if (leastJoined > 0 && joined.share() < leastJoined)
        out += joined.profile->path + ": the share joined is " + std::to_string(joined.share()) +
               ", less than " + std::to_string(leastJoined) + '\n';
    return out;
}

/// Beside a document, which has no place for them.
void tellMisses(const std::string& misses) {
    std::fputs(withoutControlCodes(misses).c_str(), stderr);
}

/// Of each path the first profile.
int compare(const ProfileOptions& options, double mostStepUs, double leastJoined) {
    const auto a = joinedProfiles(options, options.path);
    if (!a) return fail(a.error());
    const auto b = joinedProfiles(options, options.other);
    if (!b) return fail(b.error());
    if (options.csv) return fail("--csv is of one profile; --json compares");
    const profile::By by = profile::byNamed(options.by).value_or(profile::By::Node);
    if (by == profile::By::Step) return fail("steps of two runs are not the same steps: choose another --by");
    for (const auto* const side : {&*a, &*b})
        if (side->profiles.front()->profile->steps.empty())
            return fail(Error{"a profile without steps cannot be compared",
                              side->profiles.front()->profile->path, 0, 0});
    Facts factsA(a->profiles.front()), factsB(b->profiles.front());
    const std::string misses = missed(*a->profiles.front(), mostStepUs, leastJoined) +
                               missed(*b->profiles.front(), mostStepUs, leastJoined);
    if (options.json) {
        print(comparedJson(factsA, factsB, by).dump(2, ' ', false, json::error_handler_t::replace) + '\n');
        tellMisses(misses);
    } else {
        print(comparedText(factsA, factsB, by, options.top) + misses);
    }
    return misses.empty() ? exitOk : exitFailure;
}

int run(const ProfileOptions& options) {
    if (options.json && options.csv) return fail("--json and --csv are two forms; choose one");
    const auto mostStepUs = limit(options.mostStepUs, "--max-step-us");
    if (!mostStepUs) return fail(mostStepUs.error());
    const auto leastJoined = limit(options.leastJoined, "--min-joined");
    if (!leastJoined) return fail(leastJoined.error());
    std::string measured;
    auto peaks = peaksOf(options.peaks);
    if (!peaks) return fail(peaks.error());
    if (!options.other.empty()) return compare(options, *mostStepUs, *leastJoined);
    const auto all = joinedProfiles(options, options.path);
    if (!all) return fail(all.error());
    if (options.peaks == measurePeaksWord) peaks = measuredFor(all->profiles.front(), options, measured);
    if (!peaks) return fail(peaks.error());
    const RowChoice choice{profile::byNamed(options.by).value_or(profile::By::Node), *peaks, options.device,
                           all->warnings};
    json documents = json::array();
    std::string text = options.json || options.csv ? std::string() : measured, misses;
    for (const profile::JoinedPtr& joined : all->profiles) {
        if (const auto known = checkDevice(options.device, *joined->profile); !known)
            return fail(known.error());
        Facts facts(joined);
        misses += missed(*joined, *mostStepUs, *leastJoined);
        if (options.json) {
            documents.push_back(profileJson(facts, choice));
        } else if (options.csv) {
            const std::string table = profileCsv(facts, choice);
            text += text.empty() ? table : table.substr(table.find('\n') + 1);
        } else {
            if (all->profiles.size() > 1)
                text += (text.empty() || text == measured ? "" : "\n") + joined->profile->path + '\n';
            text += profileText(facts, choice, options.top);
        }
    }
    if (options.json)
        text = (documents.size() == 1 ? documents.front() : documents)
                   .dump(2, ' ', false, json::error_handler_t::replace) +
               '\n';
    print(text);
    if (misses.empty()) return exitOk;
    if (options.json || options.csv)
        tellMisses(misses);
    else
        print('\n' + misses);
    return exitFailure;
}

} // namespace

void addProfile(Parser& parser) {
    auto options = std::make_shared<ProfileOptions>();
    Command command = parser.command(
        "profile",
        "Where run time goes: a profile of torch.profiler joined to nodes, kernels, lines, breaks");
    command
        .add("path", options->path,
             "Profile (Kineto or Chrome trace, .gz), or a folder with one beside its trace")
        .required();
    command.add("other", options->other,
                "Another one, to be compared with: what became slower, and by how much");
    command.add("--capture", options->capture, "The trace that it belongs to, where that lies elsewhere");
    command.add("--by", options->by, "What the rows are of")
        .oneOf({profile::byNames.begin(), profile::byNames.end()})
        .showDefault();
    command.add("--device", options->device,
                "Rows of one device alone, such as cuda:0; shares are of its busy time");
    command.add(
        "--peaks", options->peaks,
        "FLOP/s and bytes/s of the profile's device, or \"measure\": ranks rows by the time they could save");
    addEngineOption(command, options->engine);
    command.add("--top", options->top, "Rows to print; 0 prints all").showDefault();
    command.add("--max-step-us", options->mostStepUs, "Exit 1 where the median step takes longer");
    command.add("--min-joined", options->leastJoined,
                "Exit 1 where a smaller share of busy time is joined, 0 to 1");
    command.flag("--json", options->json, "One JSON document on stdout; a list of them for several profiles");
    command.flag("--csv", options->csv, "Comma separated rows on stdout");
    command.run([options] { return run(*options); });
}

} // namespace dynascope::cli
