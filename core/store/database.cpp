// SPDX-License-Identifier: BSD-3-Clause
#include "core/store/database.h"

#include "core/session/utf8.h"

#include <algorithm>
#include <sqlite3.h>
#include <utility>

namespace dynascope::store {

namespace {

constexpr int longestValue = 256 << 20; ///< bytes of one text or blob
constexpr int longestSql = 64 << 10;

Error sqliteError(sqlite3* database, const std::string& label) {
    const int code = sqlite3_errcode(database);
    std::string why = sqlite3_errmsg(database); // it may quote the file
    std::replace_if(
        why.begin(), why.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
    why = session::toValidUtf8(why);
    switch (code & 0xff) {
    case SQLITE_NOTADB:
        return {"is no session file: " + why, label, 0, 0};
    case SQLITE_CORRUPT:
        return {"session file is damaged: " + why, label, 0, 0};
    case SQLITE_FULL:
        return {"session file cannot be written: the disk is full", label, 0, 0};
    default:
        return {"session file: " + why, label, 0, 0};
    }
}

void harden(sqlite3* database) {
    for (const auto& [option, value] : {std::pair(SQLITE_DBCONFIG_DEFENSIVE, 1),
                                        {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                        {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
                                        {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0}})
        sqlite3_db_config(database, option, value, nullptr);
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, longestValue);
    sqlite3_limit(database, SQLITE_LIMIT_SQL_LENGTH, longestSql);
    sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(database, SQLITE_LIMIT_COLUMN, 64);
    sqlite3_limit(database, SQLITE_LIMIT_EXPR_DEPTH, 50);
}

int sizeOf(std::string_view bytes) {
    // A value past the limit is refused by SQLite as too big, also where its size does not fit.
    return static_cast<int>(std::min<std::size_t>(bytes.size(), longestValue + 1));
}

} // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
    sqlite3_finalize(statement);
}

Error Statement::error() const {
    return sqliteError(sqlite3_db_handle(m_statement.get()), m_label);
}

Statement& Statement::bind(int parameter, std::int64_t value) {
    sqlite3_bind_int64(m_statement.get(), parameter + 1, value);
    return *this;
}

Statement& Statement::bind(int parameter, std::string_view text) {
    sqlite3_bind_text(m_statement.get(), parameter + 1, text.empty() ? "" : text.data(), sizeOf(text),
                      SQLITE_STATIC);
    return *this;
}

Statement& Statement::bindBlob(int parameter, std::string_view bytes) {
    sqlite3_bind_blob(m_statement.get(), parameter + 1, bytes.empty() ? "" : bytes.data(), sizeOf(bytes),
                      SQLITE_STATIC);
    return *this;
}

Result<bool> Statement::step() {
    const int code = sqlite3_step(m_statement.get());
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    return tl::unexpected(error());
}

Result<void> Statement::run() {
    const Result<bool> row = step();
    if (!row) return tl::unexpected(row.error());
    sqlite3_reset(m_statement.get());
    return {};
}

std::int64_t Statement::integer(int column) const {
    return sqlite3_column_int64(m_statement.get(), column);
}

std::string_view Statement::text(int column) const {
    const unsigned char* text = sqlite3_column_text(m_statement.get(), column);
    if (text == nullptr) return {};
    return {reinterpret_cast<const char*>(text),
            static_cast<std::size_t>(sqlite3_column_bytes(m_statement.get(), column))};
}

std::string_view Statement::blob(int column) const {
    const void* bytes = sqlite3_column_blob(m_statement.get(), column);
    if (bytes == nullptr) return {};
    return {static_cast<const char*>(bytes),
            static_cast<std::size_t>(sqlite3_column_bytes(m_statement.get(), column))};
}

void Database::Close::operator()(sqlite3* database) const {
    sqlite3_close(database);
}

Error Database::error() const {
    return sqliteError(m_database.get(), m_label);
}

Result<Database> Database::open(const std::string& path, int flags, const std::string& label) {
    sqlite3* opened = nullptr;
    const int code = sqlite3_open_v2(path.c_str(), &opened, flags | SQLITE_OPEN_NOMUTEX, nullptr);
    Database database;
    database.m_database.reset(opened);
    database.m_label = label;
    if (opened == nullptr) return failure("session file: out of memory", label);
    if (code != SQLITE_OK) return tl::unexpected(database.error());
    sqlite3_extended_result_codes(opened, 1);
    harden(opened);
    return database;
}

Result<Database> Database::readBytes(std::string_view bytes, const std::string& label) {
    Result<Database> database = open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, label);
    if (!database) return database;
    // SQLite takes a pointer to bytes that it could change, and promises not to.
    auto* data = const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(bytes.data()));
    const auto size = static_cast<sqlite3_int64>(bytes.size());
    if (sqlite3_deserialize(database->m_database.get(), "main", data, size, size,
                            SQLITE_DESERIALIZE_READONLY) != SQLITE_OK)
        return tl::unexpected(database->error());
    return database;
}

Result<Database> Database::openForWriting(const std::string& path, const std::string& label) {
    Result<Database> database = open(path, SQLITE_OPEN_READWRITE, label);
    if (!database) return database;
    for (const char* pragma : {"PRAGMA locking_mode = EXCLUSIVE", "PRAGMA journal_mode = MEMORY",
                               "PRAGMA synchronous = OFF", "PRAGMA page_size = 1024"})
        if (const Result<void> done = database->run(pragma); !done) return tl::unexpected(done.error());
    return database;
}

Result<Database> Database::copyOf(const Database& source) {
    // No name: SQLite's own temporary database.
    Result<Database> copy = open("", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, source.m_label);
    if (!copy) return copy;
    sqlite3_backup* backup =
        sqlite3_backup_init(copy->m_database.get(), "main", source.m_database.get(), "main");
    if (backup == nullptr) return tl::unexpected(copy->error());
    sqlite3_backup_step(backup, -1);
    if (sqlite3_backup_finish(backup) != SQLITE_OK) return tl::unexpected(copy->error());
    return copy;
}

Result<Statement> Database::prepare(std::string_view sql) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(m_database.get(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr) !=
        SQLITE_OK)
        return tl::unexpected(error());
    return Statement(statement, m_label);
}

Result<void> Database::run(const std::string& sql) {
    if (sqlite3_exec(m_database.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
        return tl::unexpected(error());
    return {};
}

Result<std::int64_t> Database::integer(std::string_view sql) {
    Result<Statement> query = prepare(sql);
    if (!query) return tl::unexpected(query.error());
    const Result<bool> row = query->step();
    if (!row) return tl::unexpected(row.error());
    return *row ? query->integer(0) : 0;
}

Result<void> Database::close() && {
    if (sqlite3_close(m_database.get()) != SQLITE_OK) return tl::unexpected(error());
    m_database.release(); // NOLINT(bugprone-unused-return-value): closed already
    return {};
}

} // namespace dynascope::store
