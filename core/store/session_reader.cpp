// SPDX-License-Identifier: BSD-3-Clause
#include "core/store/session_reader.h"

#include "core/session/byte_source.h"
#include "core/session/utf8.h"
#include "core/store/packing.h"

#include <limits>
#include <optional>

namespace dynascope::store {

namespace {

Error damaged(const std::string& label, std::string_view why) {
    return {"session file is damaged: " + std::string(why), label, 0, 0};
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

} // namespace

Result<SessionContents> readTables(Database& database, const std::string& label, const TaskContext& task,
                                   const SessionLimits& limits) {
    return Reader(database, label, task, limits).read();
}

} // namespace dynascope::store
