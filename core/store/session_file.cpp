// SPDX-License-Identifier: BSD-3-Clause
#include "core/store/session_file.h"

#include "core/base/log.h"
#include "core/session/byte_source.h"
#include "core/store/atomic_file.h"
#include "core/store/database.h"
#include "core/store/schema.h"
#include "core/store/session_reader.h"
#include "core/store/session_writer.h"

#include <random>

namespace dynascope::store {

namespace {

using namespace std::string_view_literals;

std::string newCaptureId() {
    std::random_device device;
    std::uniform_int_distribution<int> letter('a', 'z');
    std::string id(32, ' ');
    for (char& c : id)
        c = static_cast<char>(letter(device));
    return id;
}

/// Whether `database` is a sound session file of this version with this capture.
bool holdsCapture(Database& database, const std::string& id, const std::string& label) {
    const Result<int> version = checkedVersion(database, label);
    if (!version || *version != newestVersion) return false;
    Result<Statement> query = database.prepare("SELECT id FROM capture");
    if (!query) return false;
    const Result<bool> row = query->step();
    return row && *row && query->text(0) == id;
}

/// Replaces all but the capture in a copy of the target; false where the target holds another capture.
Result<bool> update(AtomicFile& file, const SessionContents& contents, const TaskContext& task) {
    const Result<session::ByteSourcePtr> old = session::openByteSource(file.target());
    if (!old || !looksLikeSession((*old)->bytes())) return false;
    if (Result<void> done = file.copyTarget(); !done) return tl::unexpected(done.error());
    Result<Database> database = Database::openForWriting(file.path(), file.target());
    if (!database || !holdsCapture(*database, contents.captureId, file.target())) {
        if (Result<void> done = file.clear(); !done) return tl::unexpected(done.error());
        return false;
    }
    Result<void> done = database->run("BEGIN");
    if (done) done = writeRest(*database, contents, task);
    if (done) done = database->run("COMMIT");
    if (done) done = std::move(*database).close();
    if (!done) return tl::unexpected(done.error());
    return true;
}

Result<void> writeNew(AtomicFile& file, const std::string& id, const SessionContents& contents,
                      const TaskContext& task) {
    Result<Database> database = Database::openForWriting(file.path(), file.target());
    if (!database) return tl::unexpected(database.error());
    Result<void> done = createTables(*database);
    if (done) done = database->run("BEGIN");
    if (done) done = writeCapture(*database, id, contents, task);
    if (done) done = writeRest(*database, contents, task);
    if (done) done = database->run("COMMIT");
    if (done) done = std::move(*database).close();
    return done;
}

} // namespace

bool looksLikeSession(std::string_view head) {
    return head.starts_with("SQLite format 3\0"sv);
}

Result<SessionContents> readSession(const session::ByteSource& file, const std::string& label,
                                    const TaskContext& task, const SessionLimits& limits) {
    const log::Stopwatch watch;
    Result<Database> database = Database::readBytes(file.bytes(), label);
    if (!database) return tl::unexpected(database.error());
    const Result<int> version = checkedVersion(*database, label);
    if (!version) return tl::unexpected(version.error());
    if (*version < newestVersion) {
        database = Database::copyOf(*database);
        if (!database) return tl::unexpected(database.error());
        if (const Result<void> done = migrate(*database, *version); !done)
            return tl::unexpected(done.error());
    }
    Result<SessionContents> contents = readTables(*database, label, task, limits);
    log::write(log::Topic::Store, contents ? "read " : "not read: ", label, ", version ", *version, ", ",
               file.bytes().size(), " bytes, in ", watch.ms(), " ms",
               contents ? std::string() : ": " + contents.error().toString());
    return contents;
}

Result<std::string> saveSession(const std::string& path, const SessionContents& contents,
                                const TaskContext& task, const SessionLimits& limits) {
    if (Result<void> fits = withinLimits(contents, limits); !fits) {
        fits.error().file = path;
        return tl::unexpected(fits.error());
    }
    const log::Stopwatch watch;
    Result<AtomicFile> file = AtomicFile::create(path);
    if (!file) return tl::unexpected(file.error());
    std::string id = contents.captureId;
    bool updated = false;
    if (!id.empty()) {
        const Result<bool> done = update(*file, contents, task);
        if (!done) return tl::unexpected(done.error());
        updated = *done;
    } else {
        id = newCaptureId();
    }
    if (!updated)
        if (const Result<void> done = writeNew(*file, id, contents, task); !done)
            return tl::unexpected(done.error());
    if (const Result<void> done = std::move(*file).commit(); !done) return tl::unexpected(done.error());
    log::write(log::Topic::Store, "saved ", path, updated ? ", its capture copied" : ", written anew",
               ", in ", watch.ms(), " ms");
    return id;
}

} // namespace dynascope::store
