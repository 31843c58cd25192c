// SPDX-License-Identifier: BSD-3-Clause
//
// SQLite with results for errors, and closed to what a stranger's file may try: no triggers, no views, no
// extensions, no functions in a schema, no attached files. Used by core/store and core/find.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace dynascope::store {

/// A prepared statement. Lives no longer than its database. Parameters and columns count from 0.
class Statement {
public:
    Statement& bind(int parameter, std::int64_t value);
    /// `text` must stay until the next step() is over.
    Statement& bind(int parameter, std::string_view text);
    Statement& bindBlob(int parameter, std::string_view bytes);
    /// True with a row, false at the end.
    [[nodiscard]] Result<bool> step();
    /// Runs a statement that gives no row, and makes it ready for the next.
    [[nodiscard]] Result<void> run();

    [[nodiscard]] std::int64_t integer(int column) const;
    /// Valid until the next step().
    [[nodiscard]] std::string_view text(int column) const;
    [[nodiscard]] std::string_view blob(int column) const;

private:
    friend class Database;
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const;
    };
    Statement(sqlite3_stmt* statement, std::string label)
        : m_statement(statement)
        , m_label(std::move(label)) {}
    [[nodiscard]] Error error() const;

    std::unique_ptr<sqlite3_stmt, Finalize> m_statement;
    std::string m_label;
};

/// A connection. Movable; used by one thread at a time. Errors carry `label` as their file.
class Database {
public:
    /// Reads a database that lies in memory, without a copy: `bytes` must outlive the connection.
    [[nodiscard]] static Result<Database> readBytes(std::string_view bytes, const std::string& label);
    /// Opens a file for writing; it may be empty. Without a journal on disk: whoever writes does so to a
    /// copy.
    [[nodiscard]] static Result<Database> openForWriting(const std::string& path, const std::string& label);
    /// A copy of `source` that may be written; in memory, on disk where it is large, gone with the
    /// connection.
    [[nodiscard]] static Result<Database> copyOf(const Database& source);

    [[nodiscard]] Result<Statement> prepare(std::string_view sql);
    /// Runs statements without parameters, the rows they give unseen.
    [[nodiscard]] Result<void> run(const std::string& sql);
    /// The first column of the first row.
    [[nodiscard]] Result<std::int64_t> integer(std::string_view sql);
    /// Closes it and says whether all was written.
    [[nodiscard]] Result<void> close() &&;

private:
    struct Close {
        void operator()(sqlite3* database) const;
    };
    static Result<Database> open(const std::string& path, int flags, const std::string& label);
    [[nodiscard]] Error error() const;

    std::unique_ptr<sqlite3, Close> m_database;
    std::string m_label;
};

} // namespace dynascope::store
