// SPDX-License-Identifier: BSD-3-Clause
#include "core/store/session_file.h"

#include "core/base/log.h"
#include "core/session/byte_source.h"
#include "core/session/utf8.h"
#include "core/store/atomic_file.h"
#include "core/store/database.h"
#include "core/store/packing.h"
#include "core/store/schema.h"

#include <array>
#include <limits>
#include <optional>
#include <random>

namespace dynascope::store {

namespace {

using namespace std::string_view_literals;

constexpr std::size_t pieceSize = 4U << 20U;

Error damaged(const std::string& label, std::string_view why) {
    return {"session file is damaged: " + std::string(why), label, 0, 0};
}

std::string newCaptureId() {
    std::random_device device;
    std::uniform_int_distribution<int> letter('a', 'z');
    std::string id(32, ' ');
    for (char& c : id)
        c = static_cast<char>(letter(device));
    return id;
}

/// One input file, from its pieces.
class InputReader {
public:
    explicit InputReader(session::Spool spool, std::uint64_t bytes)
        : m_spool(std::move(spool))
        , m_bytes(bytes) {}

    static Result<void> start(std::optional<InputReader>& reader, std::uint64_t bytes) {
        Result<session::Spool> spool = session::Spool::create();
        if (!spool) return tl::unexpected(spool.error());
        reader.emplace(std::move(*spool), bytes);
        return {};
    }

    Result<void> feed(std::string_view piece, const TaskContext& task) {
        return m_unpacker.feed(piece, [&](std::string_view part) -> Result<void> {
            if (task.cancelled()) return cancellation();
            if (part.size() > m_bytes - m_spool.size()) return tl::unexpected(wrongLength());
            task.report("Unpacking", m_spool.size(), m_bytes);
            return m_spool.append(part);
        });
    }

    Result<session::ByteSourcePtr> finish() {
        if (!m_unpacker.finished() || m_spool.size() != m_bytes) return tl::unexpected(wrongLength());
        return std::move(m_spool).finish();
    }

private:
    static Error wrongLength() { return damaged({}, "the capture has another length than it should"); }

    session::Spool m_spool;
    std::uint64_t m_bytes;
    Unpacker m_unpacker;
};

class Reader {
public:
    Reader(Database& database, const std::string& label, const TaskContext& task, const SessionLimits& limits)
        : m_database(database)
        , m_label(label)
        , m_task(task)
        , m_limits(limits) {}

    Result<SessionContents> read() {
        for (const auto part :
             {&Reader::readCapture, &Reader::readInputs, &Reader::readStages, &Reader::readReplays,
              &Reader::readNotes, &Reader::readBookmarks, &Reader::readLayout})
            if (Result<void> done = (this->*part)(); !done) {
                if (done.error().file.empty() && !done.error().isCancelled()) done.error().file = m_label;
                return tl::unexpected(done.error());
            }
        return std::move(m_out);
    }

private:
    /// Calls `take` with each row, until it fails.
    template <typename Take>
    Result<void> forEach(std::string_view sql, Take take) {
        Result<Statement> query = m_database.prepare(sql);
        if (!query) return tl::unexpected(query.error());
        for (std::size_t rows = 0;; ++rows) {
            if (m_task.cancelled()) return cancellation();
            const Result<bool> row = query->step();
            if (!row) return tl::unexpected(row.error());
            if (!*row) return {};
            if (rows == m_limits.rows) return tl::unexpected(damaged(m_label, "too many rows"));
            if (Result<void> taken = take(*query); !taken) return taken;
        }
    }

    Result<void> readCapture() {
        std::size_t rows = 0;
        Result<void> done = forEach("SELECT id, path, is_folder FROM capture", [&](Statement& row) {
            ++rows;
            m_out.captureId = row.text(0);
            m_out.inputs.path = session::toValidUtf8(row.text(1));
            m_out.inputs.isFolder = row.integer(2) != 0;
            return Result<void>();
        });
        if (done && rows != 1) return tl::unexpected(damaged(m_label, "holds no capture"));
        return done;
    }

    Result<void> readInputs() {
        std::vector<std::int64_t> ids;
        std::vector<std::uint64_t> sizes;
        Result<void> done =
            forEach("SELECT id, name, bytes FROM input ORDER BY id", [&](Statement& row) -> Result<void> {
                const std::int64_t bytes = row.integer(2);
                if (bytes < 0 || std::uint64_t(bytes) > m_limits.bytes - m_bytes)
                    return failure("holds more than " + std::to_string(m_limits.bytes) + " bytes unpacked",
                                   m_label);
                m_bytes += std::uint64_t(bytes);
                ids.push_back(row.integer(0));
                sizes.push_back(std::uint64_t(bytes));
                m_out.inputs.files.push_back({session::toValidUtf8(row.text(1)), nullptr});
                return {};
            });
        if (!done) return done;

        // One pass: the pieces lie in the order of the inputs.
        std::optional<InputReader> reader;
        std::size_t next = 0;
        const auto finish = [&]() -> Result<void> {
            if (!reader) return {};
            Result<session::ByteSourcePtr> source = reader->finish();
            if (!source) return tl::unexpected(source.error());
            m_out.inputs.files[next++].source = std::move(*source);
            reader.reset();
            return {};
        };
        done = forEach("SELECT input, data FROM piece ORDER BY id", [&](Statement& row) -> Result<void> {
            if (reader && row.integer(0) != ids[next])
                if (Result<void> ended = finish(); !ended) return ended;
            if (!reader) {
                if (next == ids.size() || row.integer(0) != ids[next])
                    return tl::unexpected(damaged(m_label, "a piece belongs nowhere"));
                if (Result<void> started = InputReader::start(reader, sizes[next]); !started) return started;
            }
            return reader->feed(row.blob(1), m_task);
        });
        if (done) done = finish();
        if (done && next != ids.size()) return tl::unexpected(damaged(m_label, "a piece is missing"));
        return done;
    }

    /// A packed text; at most what is left of the limit.
    Result<std::string> text(std::string_view packed) {
        if (packed.empty()) return std::string();
        Result<std::string> out = unpack(packed, m_limits.texts - m_texts);
        if (out) m_texts += out->size();
        return out;
    }

    Result<ir::Address> address(std::string_view text) {
        std::optional<ir::Address> parsed = ir::Address::parse(session::toValidUtf8(text));
        if (!parsed) return tl::unexpected(damaged(m_label, "an address cannot be read"));
        return std::move(*parsed);
    }

    Result<void> readStages() {
        return forEach(
            "SELECT parent, root, name, k, detail, graph, recording, verdict FROM stage ORDER BY id",
            [&](Statement& row) -> Result<void> {
                SavedStage stage;
                const std::int64_t parent = row.integer(0);
                if (parent < -1 || parent >= std::int64_t(m_out.stages.size()))
                    return tl::unexpected(damaged(m_label, "a stage has no parent"));
                stage.parent = static_cast<int>(parent);
                Result<ir::Address> root = address(row.text(1));
                if (!root) return tl::unexpected(root.error());
                stage.root = std::move(*root);
                stage.name = session::toValidUtf8(row.text(2));
                const std::int64_t k = row.integer(3);
                if (k < 0 || k > std::numeric_limits<int>::max())
                    return tl::unexpected(damaged(m_label, "a stage has a wrong number"));
                stage.k = static_cast<int>(k);
                stage.detail = session::toValidUtf8(row.text(4));
                int column = 5;
                for (std::string* part : {&stage.graph, &stage.recording, &stage.verdict}) {
                    Result<std::string> unpacked = text(row.blob(column++));
                    if (!unpacked) return tl::unexpected(unpacked.error());
                    *part = std::move(*unpacked);
                }
                m_out.stages.push_back(std::move(stage));
                return {};
            });
    }

    Result<void> readReplays() {
        return forEach("SELECT root, backend, result FROM replay ORDER BY id",
                       [&](Statement& row) -> Result<void> {
                           Result<ir::Address> root = address(row.text(0));
                           if (!root) return tl::unexpected(root.error());
                           Result<std::string> result = text(row.blob(2));
                           if (!result) return tl::unexpected(result.error());
                           m_out.replays.push_back(
                               {std::move(*root), session::toValidUtf8(row.text(1)), std::move(*result)});
                           return {};
                       });
    }

    Result<void> readNotes() {
        return forEach(
            "SELECT address, text, changed FROM note ORDER BY id", [&](Statement& row) -> Result<void> {
                Result<ir::Address> at = address(row.text(0));
                if (!at) return tl::unexpected(at.error());
                m_out.notes.push_back({std::move(*at), session::toValidUtf8(row.text(1)), row.integer(2)});
                return {};
            });
    }

    Result<void> readBookmarks() {
        return forEach("SELECT address FROM bookmark ORDER BY id", [&](Statement& row) -> Result<void> {
            Result<ir::Address> at = address(row.text(0));
            if (!at) return tl::unexpected(at.error());
            m_out.bookmarks.push_back({std::move(*at)});
            return {};
        });
    }

    Result<void> readLayout() {
        return forEach("SELECT part, state FROM layout ORDER BY id", [&](Statement& row) -> Result<void> {
            Result<std::string> state = text(row.blob(1));
            if (!state) return tl::unexpected(state.error());
            m_out.layout.insert_or_assign(session::toValidUtf8(row.text(0)), std::move(*state));
            return {};
        });
    }

    Database& m_database;
    const std::string& m_label;
    const TaskContext& m_task;
    const SessionLimits& m_limits;
    std::uint64_t m_bytes = 0, m_texts = 0;
    SessionContents m_out;
};

class Writer {
public:
    Writer(Database& database, const SessionContents& contents, const TaskContext& task)
        : m_database(database)
        , m_contents(contents)
        , m_task(task) {}

    Result<void> writeCapture(const std::string& id) {
        Result<Statement> capture = m_database.prepare("INSERT INTO capture VALUES (?, ?, ?)");
        if (!capture) return tl::unexpected(capture.error());
        const session::Inputs& inputs = m_contents.inputs;
        capture->bind(0, id).bind(1, inputs.path).bind(2, std::int64_t{inputs.isFolder});
        if (Result<void> done = capture->run(); !done) return done;

        Result<Statement> input = m_database.prepare("INSERT INTO input VALUES (?, ?, ?)");
        if (!input) return tl::unexpected(input.error());
        Result<Statement> piece = m_database.prepare("INSERT INTO piece(input, data) VALUES (?, ?)");
        if (!piece) return tl::unexpected(piece.error());
        for (std::size_t i = 0; i < inputs.files.size(); ++i) {
            const std::string_view bytes = inputs.files[i].source->bytes();
            const auto number = static_cast<std::int64_t>(i);
            input->bind(0, number).bind(1, inputs.files[i].name).bind(2, std::int64_t(bytes.size()));
            if (Result<void> done = input->run(); !done) return done;
            Result<void> done = pack(
                bytes, pieceSize,
                [&](std::string_view part) { return piece->bind(0, number).bindBlob(1, part).run(); },
                m_task);
            if (!done) return done;
        }
        return {};
    }

    /// Everything but the capture, in the place of what was there.
    Result<void> writeRest() {
        for (const auto part : {&Writer::writeStages, &Writer::writeReplays, &Writer::writeNotes,
                                &Writer::writeBookmarks, &Writer::writeLayout})
            if (Result<void> done = (this->*part)(); !done) return done;
        return {};
    }

private:
    /// Empties a table, and inserts a row for each item as `bind` says.
    template <typename Items, typename Bind>
    Result<void> fill(const std::string& table, const std::string& columns, const Items& items, Bind bind) {
        if (Result<void> done = m_database.run("DELETE FROM " + table); !done) return done;
        std::string marks = "?";
        for (const char c : columns)
            if (c == ',') marks += ", ?";
        Result<Statement> insert =
            m_database.prepare("INSERT INTO " + table + '(' + columns + ") VALUES (" + marks + ')');
        if (!insert) return tl::unexpected(insert.error());
        for (const auto& item : items) {
            if (m_task.cancelled()) return cancellation();
            if (Result<void> bound = bind(*insert, item); !bound) return bound;
            if (Result<void> done = insert->run(); !done) return done;
        }
        return {};
    }

    Result<void> writeStages() {
        std::array<std::string, 3> packed;
        std::string root;
        return fill("stage", "parent, root, name, k, detail, graph, recording, verdict", m_contents.stages,
                    [&](Statement& row, const SavedStage& stage) -> Result<void> {
                        root = stage.root.toString();
                        row.bind(0, std::int64_t{stage.parent}).bind(1, root).bind(2, stage.name);
                        row.bind(3, std::int64_t{stage.k}).bind(4, stage.detail);
                        int column = 5;
                        for (const std::string* text : {&stage.graph, &stage.recording, &stage.verdict}) {
                            Result<std::string> small = pack(*text);
                            if (!small) return tl::unexpected(small.error());
                            std::string& kept = packed[static_cast<std::size_t>(column - 5)];
                            kept = std::move(*small);
                            row.bindBlob(column++, kept);
                        }
                        return {};
                    });
    }

    Result<void> writeReplays() {
        std::string root, result;
        return fill("replay", "root, backend, result", m_contents.replays,
                    [&](Statement& row, const Replay& replay) -> Result<void> {
                        Result<std::string> small = pack(replay.result);
                        if (!small) return tl::unexpected(small.error());
                        root = replay.root.toString();
                        result = std::move(*small);
                        row.bind(0, root).bind(1, replay.backend).bindBlob(2, result);
                        return {};
                    });
    }

    Result<void> writeNotes() {
        std::string address;
        return fill("note", "address, text, changed", m_contents.notes,
                    [&](Statement& row, const Note& note) -> Result<void> {
                        address = note.address.toString();
                        row.bind(0, address).bind(1, note.text).bind(2, note.changed);
                        return {};
                    });
    }

    Result<void> writeBookmarks() {
        std::string address;
        return fill("bookmark", "address", m_contents.bookmarks,
                    [&](Statement& row, const Bookmark& bookmark) -> Result<void> {
                        address = bookmark.address.toString();
                        row.bind(0, address);
                        return {};
                    });
    }

    Result<void> writeLayout() {
        std::string packed;
        return fill(
            "layout", "part, state", m_contents.layout,
            [&](Statement& row, const std::pair<const std::string, std::string>& part) -> Result<void> {
                Result<std::string> small = pack(part.second);
                if (!small) return tl::unexpected(small.error());
                packed = std::move(*small);
                row.bind(0, part.first).bindBlob(1, packed);
                return {};
            });
    }

    Database& m_database;
    const SessionContents& m_contents;
    const TaskContext& m_task;
};

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
    if (done) done = Writer(*database, contents, task).writeRest();
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
    Writer writer(*database, contents, task);
    if (done) done = writer.writeCapture(id);
    if (done) done = writer.writeRest();
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
    Result<SessionContents> contents = Reader(*database, label, task, limits).read();
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
