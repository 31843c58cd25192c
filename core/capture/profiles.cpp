// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/profiles.h"

#include "core/capture/packed.h"
#include "core/session/byte_source.h"

#include <algorithm>
#include <filesystem>
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
        return tl::unexpected(Error{"an archive of several files, and no profile", label, 0, 0});
    damages.insert(damages.end(), unpacked->damages.begin(), unpacked->damages.end());
    return profile::read(unpacked->files.front().source->bytes(), label, task);
}

void addTo(session::Session& session, const profile::ProfilePtr& profile, const std::string& name) {
    for (const std::string& warning : profile->warnings)
        session.warnings.push_back({Error{warning, name, 0, 0}, SIZE_MAX});
    session.profiles.push_back(profile);
}

} // namespace

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
