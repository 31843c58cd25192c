// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/session.h"

#include "core/session/utf8.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <tuple>

namespace dynascope::session {

Result<void> ByteSource::need(std::uint64_t /*offset*/, std::uint64_t /*length*/) const {
    return {};
}

bool ByteSource::isHere(std::uint64_t /*offset*/, std::uint64_t /*length*/) const {
    return true;
}

Result<std::string_view> Payload::bytes() const {
    if (!source) return std::string_view("");
    const std::string_view all = source->bytes();
    if (offset > all.size()) return std::string_view("");
    if (const Result<void> got = source->need(offset, length); !got) return tl::unexpected(got.error());
    return all.substr(offset, length);
}

bool Payload::isHere() const {
    return !source || source->isHere(offset, length);
}

std::string Payload::text() const {
    Result<std::string> read = this->read();
    return read ? std::move(*read) : "(not read: " + read.error().toString() + ")";
}

Result<std::string> Payload::read() const {
    const Result<std::string_view> raw = bytes();
    if (!raw) return tl::unexpected(raw.error());
    const std::string_view piece = *raw;
    if (!tabbed) return toValidUtf8(piece);

    std::string out;
    out.reserve(piece.size());
    for (std::size_t at = 0;;) {
        if (at < piece.size() && piece[at] == '\t') ++at;
        const std::size_t end = piece.find('\n', at);
        std::string_view line = piece.substr(at, end - at);
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        out += line;
        if (end == std::string_view::npos) break;
        out += '\n';
        at = end + 1;
    }
    return isUtf8(out) ? out : toValidUtf8(out);
}

Result<void> needAll(const Session& session) {
    for (const InputFile& file : session.inputs.files)
        if (file.source)
            if (Result<void> got = file.source->need(0, file.source->bytes().size()); !got) return got;
    return {};
}

std::string CompileId::toString() const {
    std::string out;
    if (autograd >= 0) out = '!' + std::to_string(autograd);
    if (frame >= 0) {
        if (!out.empty()) out += '/';
        out += std::to_string(frame) + '/' + std::to_string(compile);
    }
    if (out.empty()) out = '-';
    return run > 1 ? out + '@' + std::to_string(run) : out;
}

std::string compileName(const Session& session, const Compile& compile) {
    const std::string rank = session.ranks.size() > 1 ? std::to_string(compile.rank) + ':' : std::string();
    return rank + compile.id.toString();
}

std::string runWords(const Run& run) {
    const std::string line = run.line == 0 ? std::string() : " in line " + std::to_string(run.line);
    std::string name = run.file.substr(run.file.find_last_of('/') + 1);
    switch (run.cause) {
    case Run::Cause::IdsAgain:
        return "compile ids begin again" + line + ", as after torch._dynamo.reset()";
    case Run::Cause::Process:
        return "another process, which begins" + line;
    case Run::Cause::First:
    case Run::Cause::File:
        break;
    }
    return name;
}

std::string_view outcomeName(CacheEvent::Outcome outcome) {
    switch (outcome) {
    case CacheEvent::Outcome::Hit:
        return "hit";
    case CacheEvent::Outcome::Miss:
        return "miss";
    case CacheEvent::Outcome::Bypass:
        return "bypass";
    }
    return "";
}

std::string_view phaseName(Phase phase) {
    static constexpr std::array<std::string_view, 13> names = {"Dynamo",
                                                               "export",
                                                               "pre-grad",
                                                               "joint",
                                                               "inference",
                                                               "hooks",
                                                               "forward",
                                                               "backward",
                                                               "post-grad, forward",
                                                               "post-grad, backward",
                                                               "code",
                                                               "graph text",
                                                               "computed"};
    return names[static_cast<std::size_t>(phase)];
}

std::string_view statusName(Status status) {
    static constexpr std::array<std::string_view, 6> names = {"compiled", "break",      "skipped",
                                                              "failed",   "incomplete", "exported"};
    return names[static_cast<std::size_t>(status)];
}

std::string_view kindName(Kind kind) {
    static constexpr std::array<std::string_view, 12> names = {"TORCH_TRACE",
                                                               "FX text",
                                                               "print_readable text",
                                                               "torch.export archive",
                                                               "oracle case",
                                                               "TORCH_LOGS",
                                                               "TORCH_COMPILE_DEBUG",
                                                               "memory snapshot",
                                                               "CUDA-graph tree case",
                                                               "recording",
                                                               "profile",
                                                               "unknown"};
    return names[static_cast<std::size_t>(kind)];
}

StagePtr Compile::findStage(std::string_view name, int k) const {
    const auto found = std::find_if(stages.rbegin(), stages.rend(), [&](const StagePtr& stage) {
        return stage->name == name && stage->k == k;
    });
    return found == stages.rend() ? nullptr : *found;
}

bool Compile::hitRecompileLimit() const {
    if (failType.empty() && failReason.empty()) return false;
    if (failType == "FailOnRecompileLimitHit" || failType == "CacheLimitExceeded") return true;
    // As PyTorch 2.8 to 2.13, 2.7, and 2.5 and 2.6 say it.
    for (const std::string_view text : {"Dynamo recompile limit exceeded", "Dynamo cache limit exceeded",
                                        "recompile_limit reached", "accumulated_recompile_limit reached",
                                        "cache_size_limit reached", "accumulated_cache_size_limit reached"})
        if (failReason.starts_with(text)) return true;
    return false;
}

std::vector<const GraphBreak*> Compile::finalBreaks() const {
    int last = -1;
    for (const GraphBreak& item : breaks)
        last = std::max(last, item.attempt);
    std::vector<const GraphBreak*> out;
    std::set<std::tuple<std::string_view, std::string_view, std::uint32_t>> known; // title, innermost place
    for (const GraphBreak& item : breaks) {
        if (item.attempt != last) continue;
        const ir::SourceLocation* at = item.location();
        if (known.emplace(item.title, at ? std::string_view(at->file) : "", at ? at->line : 0).second)
            out.push_back(&item);
    }
    return out;
}

namespace {

/// The id that toString() spells so; nothing where none is.
std::optional<CompileId> idOf(std::string_view text) {
    CompileId out;
    std::string_view rest = text;
    const auto number = [&rest](int& value) {
        const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        return error == std::errc();
    };
    const auto take = [&rest](char c) {
        if (!rest.starts_with(c)) return false;
        rest.remove_prefix(1);
        return true;
    };
    if (!take('-')) {
        if (take('!') && !number(out.autograd)) return std::nullopt;
        if (out.autograd >= 0 && !rest.empty() && rest.front() != '@' && !take('/')) return std::nullopt;
        if (!rest.empty() && rest.front() != '@' &&
            (!number(out.frame) || !take('/') || !number(out.compile)))
            return std::nullopt;
    }
    if (take('@') && !number(out.run)) return std::nullopt;
    if (out.toString() != text) return std::nullopt;
    return out;
}

} // namespace

const Compile* Session::find(int rank, std::string_view compileId) const {
    const std::optional<CompileId> id = idOf(compileId);
    if (!id) return nullptr;
    // As they are spelled: what stands in a field that toString() leaves out makes no difference.
    const auto sameId = [&id](const CompileId& other) {
        return (id->frame < 0 ? other.frame < 0 : id->frame == other.frame && id->compile == other.compile) &&
               (id->autograd < 0 ? other.autograd < 0 : id->autograd == other.autograd) &&
               std::max(id->run, 1) == std::max(other.run, 1);
    };
    const auto found = std::find_if(compiles.begin(), compiles.end(), [&](const Compile& compile) {
        return compile.rank == rank && sameId(compile.id);
    });
    return found == compiles.end() ? nullptr : &*found;
}

const Compile* Session::findBeside(const Compile& of, std::string_view compileId) const {
    return find(of.rank, of.id.run > 1 ? std::string(compileId) + '@' + std::to_string(of.id.run)
                                       : std::string(compileId));
}

const Run* Session::runOf(const Compile& compile) const {
    if (runCount(compile.rank) < 2) return nullptr;
    const auto found = std::find_if(runs.begin(), runs.end(), [&](const Run& run) {
        return run.rank == compile.rank && run.number == compile.id.run;
    });
    return found == runs.end() ? nullptr : &*found;
}

std::size_t Session::runCount(int rank) const {
    const auto count =
        std::count_if(runs.begin(), runs.end(), [rank](const Run& run) { return run.rank == rank; });
    return std::max<std::size_t>(1, static_cast<std::size_t>(count));
}

} // namespace dynascope::session
