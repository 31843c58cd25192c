// SPDX-License-Identifier: BSD-3-Clause
#include "core/store/session_writer.h"

#include "core/session/byte_source.h"
#include "core/store/packing.h"

#include <array>

namespace dynascope::store {

namespace {

constexpr std::size_t pieceSize = 4U << 20U;

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
            if (Result<void> all = inputs.files[i].source->need(0, bytes.size()); !all) return all;
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

} // namespace

Result<void> writeCapture(Database& database, const std::string& id, const SessionContents& contents,
                          const TaskContext& task) {
    return Writer(database, contents, task).writeCapture(id);
}

Result<void> writeRest(Database& database, const SessionContents& contents, const TaskContext& task) {
    return Writer(database, contents, task).writeRest();
}

} // namespace dynascope::store
