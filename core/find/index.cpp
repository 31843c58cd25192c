// SPDX-License-Identifier: BSD-3-Clause
#include "core/find/index.h"

#include "core/base/log.h"
#include "core/capture/log_folder.h"
#include "core/capture/open.h"
#include "core/find/query.h"
#include "core/session/byte_source.h"
#include "core/store/atomic_file.h"
#include "core/store/database.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>

namespace dynascope::find {

namespace {

namespace fs = std::filesystem;
using store::AtomicFile;
using store::Database;
using store::Statement;

constexpr std::string_view indexName = ".dynascope-find.sqlite";
constexpr std::int64_t version = 1;

/// What tells whether a file is still the one that was read.
struct Stamp {
    std::int64_t bytes = 0, changed = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
};

/// A row of the index but for its entries.
struct Kept {
    Stamp stamp;
    std::int64_t id = 0;
};

struct CaptureFile {
    std::string name; ///< within the folder, with "/" between
    Stamp stamp;
};

bool isCaptureName(const std::string& name) {
    return capture::isLogFile(name) || name.ends_with(".pt2") || name.ends_with(".dynascope");
}

std::vector<CaptureFile> filesOf(const fs::path& folder) {
    std::vector<CaptureFile> out;
    std::error_code error;
    fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error);
    for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
        const std::string own = at->path().filename().string();
        std::error_code ignored;
        if (own.starts_with('.')) {
            if (at->is_directory(ignored)) at.disable_recursion_pending();
            continue;
        }
        if (!at->is_regular_file(ignored) || !isCaptureName(own)) continue;
        const auto changed = at->last_write_time(ignored).time_since_epoch();
        out.push_back({at->path().lexically_relative(folder).generic_string(),
                       {static_cast<std::int64_t>(at->file_size(ignored)),
                        std::chrono::duration_cast<std::chrono::nanoseconds>(changed).count()}});
    }
    std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return out;
}

/// The index as it was found; nothing of it is used where it is damaged.
class OldIndex {
public:
    explicit OldIndex(const std::string& path) {
        std::error_code ignored;
        if (!fs::is_regular_file(path, ignored)) return;
        Result<session::ByteSourcePtr> source = session::openByteSource(path);
        if (!source) return;
        m_source = std::move(*source);
        Result<Database> database = Database::readBytes(m_source->bytes(), path);
        if (!database || database->integer("PRAGMA user_version").value_or(0) != version) return;
        Result<Statement> rows = database->prepare("SELECT id, path, bytes, changed FROM capture");
        if (!rows) return;
        std::map<std::string, Kept, std::less<>> kept;
        for (;;) {
            const Result<bool> more = rows->step();
            if (!more) return;
            if (!*more) break;
            kept[std::string(rows->text(1))] = {{rows->integer(2), rows->integer(3)}, rows->integer(0)};
        }
        m_kept = std::move(kept);
        m_database = std::move(*database);
    }

    [[nodiscard]] const std::map<std::string, Kept, std::less<>>& kept() const { return m_kept; }
    [[nodiscard]] bool usable() const { return m_database.has_value(); }

    /// The title, entries and problem of a row; nothing where it is damaged.
    struct Row {
        std::string title, problem;
        Entries entries;
    };
    [[nodiscard]] std::optional<Row> row(std::int64_t id) {
        Result<Statement> query =
            m_database->prepare("SELECT title, problem, entries FROM capture WHERE id = ?");
        if (!query) return std::nullopt;
        query->bind(0, id);
        if (const Result<bool> one = query->step(); !one || !*one) return std::nullopt;
        Row out{std::string(query->text(0)), std::string(query->text(1)), {}};
        if (!out.problem.empty()) return out;
        Result<Entries> entries = unpackEntries(query->blob(2));
        if (!entries) return std::nullopt;
        out.entries = std::move(*entries);
        return out;
    }

private:
    session::ByteSourcePtr m_source;
    std::map<std::string, Kept, std::less<>> m_kept;
    std::optional<Database> m_database;
};

/// The index as it shall be; ends with the first error, which the search survives.
class NewIndex {
public:
    NewIndex(const std::string& path, bool fromOld) { begin(path, fromOld); }

    void remove(const std::string& path) {
        if (!usable()) return;
        Result<Statement> statement = m_database->prepare("DELETE FROM capture WHERE path = ?");
        if (!statement) return fail(statement.error());
        if (const Result<void> done = statement->bind(0, path).run(); !done) fail(done.error());
    }

    void add(const CaptureFile& file, const std::string& title, const std::string& problem,
             const std::string& entries) {
        remove(file.name);
        if (!usable()) return;
        Result<Statement> statement = m_database->prepare(
            "INSERT INTO capture(path, bytes, changed, title, problem, entries) VALUES (?, ?, ?, ?, ?, ?)");
        if (!statement) return fail(statement.error());
        statement->bind(0, file.name).bind(1, file.stamp.bytes).bind(2, file.stamp.changed);
        statement->bind(3, title).bind(4, problem).bindBlob(5, entries);
        if (const Result<void> done = statement->run(); !done) fail(done.error());
    }

    /// Why it could not be kept; empty where it is.
    [[nodiscard]] std::string finish() && {
        run("COMMIT");
        if (!usable()) return m_problem;
        if (const Result<void> closed = std::move(*m_database).close(); !closed)
            return closed.error().toString();
        if (const Result<void> done = std::move(*m_file).commit(); !done) return done.error().toString();
        return {};
    }

private:
    void begin(const std::string& path, bool fromOld) {
        Result<AtomicFile> file = AtomicFile::create(path);
        if (!file) return fail(file.error());
        m_file.emplace(std::move(*file));
        if (fromOld)
            if (const Result<void> copied = m_file->copyTarget(); !copied) return fail(copied.error());
        Result<Database> database = Database::openForWriting(m_file->path(), path);
        if (!database) return fail(database.error());
        m_database.emplace(std::move(*database));
        run("BEGIN");
        if (fromOld) return;
        run("PRAGMA user_version = " + std::to_string(version));
        run("CREATE TABLE capture (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, bytes INTEGER NOT "
            "NULL, "
            "changed INTEGER NOT NULL, title TEXT NOT NULL, problem TEXT NOT NULL, entries BLOB NOT NULL) "
            "STRICT");
    }

    [[nodiscard]] bool usable() const { return m_problem.empty(); }
    void run(const std::string& sql) {
        if (!usable()) return;
        if (const Result<void> done = m_database->run(sql); !done) fail(done.error());
    }
    void fail(const Error& error) { m_problem = error.toString(); }

    std::optional<AtomicFile> m_file;
    std::optional<Database> m_database;
    std::string m_problem;
};

class Search {
public:
    Search(const session::Filter& filter, const std::function<void(const FoundIn&)>& found,
           const TaskContext& task)
        : m_filter(filter)
        , m_found(found)
        , m_task(task) {}

    Result<Searched> file(const std::string& path) {
        const Result<session::SessionPtr> session = capture::open(path, m_task);
        if (!session) return tl::unexpected(session.error());
        const Entries entries = entriesOf(**session, m_task);
        if (m_task.cancelled()) return cancellation();
        ++m_out.read;
        look(path, (*session)->title, entries);
        return std::move(m_out);
    }

    Result<Searched> folder(const fs::path& folder) {
        const std::vector<CaptureFile> files = filesOf(folder);
        if (files.empty()) return failure("holds no capture (*.log, *.pt2, *.dynascope)", folder.string());
        const std::string path = (folder / indexName).string();
        OldIndex old(path);
        log::write(log::Topic::Find, path, old.usable() ? ": an index of " : ": no index that is of use, ",
                   old.kept().size(), " captures, ", files.size(), " files");
        std::optional<NewIndex> fresh;
        const auto writer = [&]() -> NewIndex& {
            if (!fresh) fresh.emplace(path, old.usable());
            return *fresh;
        };
        for (const auto& [name, kept] : old.kept())
            if (!std::binary_search(files.begin(), files.end(), CaptureFile{name, {}},
                                    [](const auto& a, const auto& b) { return a.name < b.name; }))
                writer().remove(name);
        for (std::size_t i = 0; i < files.size(); ++i) {
            if (m_task.cancelled()) return cancellation();
            const CaptureFile& file = files[i];
            std::optional<OldIndex::Row> row;
            const auto at = old.kept().find(file.name);
            if (at != old.kept().end() && at->second.stamp == file.stamp) row = old.row(at->second.id);
            if (!row) {
                m_task.report("Reading captures", i, files.size());
                row = read((folder / file.name).string());
                if (m_task.cancelled()) return cancellation();
                ++m_out.read;
                writer().add(file, row->title, row->problem,
                             row->problem.empty() ? packEntries(row->entries) : std::string());
            }
            if (row->problem.empty())
                look(file.name, row->title, row->entries);
            else
                m_out.problems.push_back({row->problem, (folder / file.name).string(), 0, 0});
        }
        if (fresh) m_out.notKept = std::move(*fresh).finish();
        // One that cannot be written to because it is damaged is no use to the next search either.
        if (std::error_code ignored; !m_out.notKept.empty() && old.usable()) fs::remove(path, ignored);
        return std::move(m_out);
    }

private:
    OldIndex::Row read(const std::string& path) {
        const Result<session::SessionPtr> session = capture::open(path, m_task);
        if (!session) return {{}, session.error().message, {}};
        return {(*session)->title, {}, entriesOf(**session, m_task)};
    }

    void look(const std::string& path, const std::string& title, const Entries& entries) {
        ++m_out.captures;
        m_out.unread += entries.unread;
        FoundIn in{path, title, entries, findIn(entries, title, m_filter)};
        if (!in.rows.empty()) m_found(in);
    }

    const session::Filter& m_filter;
    const std::function<void(const FoundIn&)>& m_found;
    const TaskContext& m_task;
    Searched m_out;
};

} // namespace

Result<Searched> search(const std::string& path, const session::Filter& filter,
                        const std::function<void(const FoundIn&)>& found, const TaskContext& task) {
    const log::Stopwatch watch;
    std::error_code ignored;
    Search search(filter, found, task);
    Result<Searched> out = fs::is_directory(path, ignored) ? search.folder(path) : search.file(path);
    if (out)
        log::write(log::Topic::Find, path, ": searched ", out->captures, " captures in ", watch.ms(), " ms, ",
                   out->read, " of them read anew, ", out->problems.size(), " cannot be read",
                   out->notKept.empty() ? "" : "; the index is not kept: ", out->notKept);
    else
        log::write(log::Topic::Find, path, ": given up after ", watch.ms(), " ms: ", out.error().toString());
    return out;
}

} // namespace dynascope::find
