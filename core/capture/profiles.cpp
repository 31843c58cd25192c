// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/profiles.h"

#include "core/capture/packed.h"
#include "core/session/byte_source.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <zlib.h>

namespace dynascope::capture {

namespace {

/// The first bytes of what a gzip file holds; empty where it holds none.
std::string unpackedHead(std::string_view packed) {
    std::string out(65536, '\0');
    z_stream stream{};
    if (inflateInit2(&stream, 15 + 16) != Z_OK) return {};
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data())); // zlib only reads it
    stream.avail_in = static_cast<uInt>(std::min<std::size_t>(packed.size(), 65536));
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    static_cast<void>(inflate(&stream, Z_SYNC_FLUSH));
    out.resize(out.size() - stream.avail_out);
    inflateEnd(&stream);
    return out;
}

/// Warnings of unpacking are added to `damages`.
Result<profile::ProfilePtr> readPacked(const session::ByteSource& source, const std::string& label,
                                       const TaskContext& task, std::vector<session::Warning>& damages) {
    if (!looksPacked(source.bytes())) return profile::read(source.bytes(), label, task);
    Result<Unpacked> unpacked = unpack(source.bytes(), label, task);
    if (!unpacked) return tl::unexpected(unpacked.error());
    if (unpacked->files.size() != 1 || !unpacked->files.front().source)
        return failure("an archive of several files, and no profile", label);
    damages.insert(damages.end(), unpacked->damages.begin(), unpacked->damages.end());
    return profile::read(unpacked->files.front().source->bytes(), label, task);
}

void addTo(session::Session& session, const profile::ProfilePtr& profile, const std::string& name) {
    for (const std::string& warning : profile->warnings)
        session.warnings.push_back({Error{warning, name, 0, 0}, SIZE_MAX});
    session.profiles.push_back(profile);
}

/// As the label and the inputs of a session name it.
std::string wholePath(const std::string& path) {
    std::error_code error;
    const std::filesystem::path whole = std::filesystem::absolute(path, error);
    return error ? path : whole.lexically_normal().string();
}

/// Whether a file is one of the capture's own.
bool isAmong(const session::Inputs& inputs, const std::string& path) {
    const std::filesystem::path place(inputs.path);
    return std::ranges::any_of(inputs.files, [&](const session::InputFile& file) {
        return !isAttached(file) && path == wholePath((inputs.isFolder ? place / file.name : place).string());
    });
}

} // namespace

bool isAttached(const session::InputFile& file) {
    return std::filesystem::path(file.name).is_absolute();
}

bool isProfileFile(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return false;
    std::ifstream in(path, std::ios::binary);
    std::string head(65536, '\0');
    in.read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
    return isProfile(path, head);
}

Result<Attached> attachProfile(const session::Session& session, const std::string& path,
                               const TaskContext& task) {
    const std::string name = wholePath(path);
    Result<session::ByteSourcePtr> source = session::openByteSource(path);
    if (!source) return tl::unexpected(source.error());
    if (!isProfile(name, (*source)->bytes()))
        return failure("no profile: export_chrome_trace() of torch.profiler writes one (.json, .json.gz)",
                       path);
    if (isAmong(session.inputs, name)) return failure("was opened with this capture already", name);
    auto out = std::make_shared<session::Session>(session);
    std::erase_if(out->inputs.files, [&](const auto& file) { return file.name == name; });
    std::erase_if(out->warnings, [&](const auto& warning) { return warning.error.file == name; });
    std::erase_if(out->profiles, [&](const auto& one) {
        const auto known = session::attachedAs<profile::Profile>(one);
        return known && known->path == name;
    });
    const Result<profile::ProfilePtr> profile = readPacked(**source, name, task, out->warnings);
    if (!profile) return tl::unexpected(profile.error());
    addTo(*out, *profile, name);
    out->inputs.files.push_back({name, std::move(*source)});
    const Result<profile::JoinedPtr> joined = profile::join(out, *profile, task);
    if (!joined) return tl::unexpected(joined.error());
    return Attached{std::move(out), *joined, profile::joinDoubt(**joined)};
}

bool isProfile(std::string_view name, std::string_view bytes) {
    const bool packed = name.ends_with(".gz");
    if (packed) name.remove_suffix(3);
    if (!name.ends_with(".json")) return false;
    return profile::looksLikeProfile(packed ? unpackedHead(bytes) : bytes);
}

bool addProfiles(session::Session& session, const session::Inputs& inputs, const TaskContext& task) {
    for (const session::InputFile& file : inputs.files) {
        if (!isProfile(file.name, file.source->bytes())) continue;
        const Result<profile::ProfilePtr> profile = readPacked(
            *file.source, (std::filesystem::path(inputs.path) / file.name).string(), task, session.warnings);
        if (task.cancelled()) return false;
        if (profile)
            addTo(session, *profile, file.name);
        else
            session.warnings.push_back({Error{profile.error().message, file.name, 0, 0}, SIZE_MAX});
    }
    return true;
}

Result<session::Session> readProfile(std::string_view text, const std::string& label,
                                     const TaskContext& task) {
    const Result<profile::ProfilePtr> profile = profile::read(text, label, task);
    if (!profile) return tl::unexpected(profile.error());
    session::Session session;
    session.kind = session::Kind::Profile;
    addTo(session, *profile, label);
    return session;
}

} // namespace dynascope::capture
