// SPDX-License-Identifier: BSD-3-Clause
#include "core/store/schema.h"

#include <array>
#include <set>
#include <span>
#include <utility>

namespace dynascope::store {

namespace {

struct Table {
    std::string_view name;
    std::string_view sql;
};

// Addresses are as ir::Address spells them. Blobs of `stage` and `replay` are packed by themselves; those of
// `piece`, in the order of their ids, are one packed text for each input.
constexpr Table capture{
    "capture",
    "CREATE TABLE capture (id TEXT NOT NULL, path TEXT NOT NULL, is_folder INTEGER NOT NULL) STRICT"};
constexpr Table input{
    "input",
    "CREATE TABLE input (id INTEGER PRIMARY KEY, name TEXT NOT NULL, bytes INTEGER NOT NULL) STRICT"};
constexpr Table piece{
    "piece",
    "CREATE TABLE piece (id INTEGER PRIMARY KEY, input INTEGER NOT NULL, data BLOB NOT NULL) STRICT"};
constexpr Table stage{
    "stage", "CREATE TABLE stage (id INTEGER PRIMARY KEY, parent INTEGER NOT NULL, root TEXT NOT NULL, "
             "name TEXT NOT NULL, k INTEGER NOT NULL, detail TEXT NOT NULL, graph BLOB NOT NULL, "
             "recording BLOB NOT NULL, verdict BLOB NOT NULL) STRICT"};
constexpr Table replay{
    "replay", "CREATE TABLE replay (id INTEGER PRIMARY KEY, root TEXT NOT NULL, backend TEXT NOT NULL, "
              "result BLOB NOT NULL) STRICT"};
constexpr Table note1{
    "note", "CREATE TABLE note (id INTEGER PRIMARY KEY, address TEXT NOT NULL, text TEXT NOT NULL) STRICT"};
constexpr Table note2{"note", "CREATE TABLE note (id INTEGER PRIMARY KEY, address TEXT NOT NULL, "
                              "text TEXT NOT NULL, changed INTEGER NOT NULL) STRICT"};
constexpr Table bookmark{"bookmark",
                         "CREATE TABLE bookmark (id INTEGER PRIMARY KEY, address TEXT NOT NULL) STRICT"};
constexpr Table layout2{
    "layout", "CREATE TABLE layout (id INTEGER PRIMARY KEY, part TEXT NOT NULL, state BLOB NOT NULL) STRICT"};

constexpr std::array version1{capture, input, piece, stage, replay, note1, bookmark};
constexpr std::array version2{capture, input, piece, stage, replay, note2, bookmark, layout2};

/// The tables of a version from 1 to newestVersion.
std::span<const Table> tablesOf(int version) {
    if (version == 1) return version1;
    return version2;
}

/// migrations[i] brings version i + 1 to i + 2. What a version did not know gets the value that means so.
constexpr std::array migrations{
    "ALTER TABLE note ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;"
    "CREATE TABLE layout (id INTEGER PRIMARY KEY, part TEXT NOT NULL, state BLOB NOT NULL) STRICT;",
};
static_assert(migrations.size() + 1 == newestVersion);

/// Everything the schema holds must be a table of this version, as it is spelled here.
Result<bool> hasTablesOf(Database& database, int version) {
    std::set<std::pair<std::string, std::string>> found;
    Result<Statement> query = database.prepare("SELECT name, sql FROM sqlite_schema");
    if (!query) return tl::unexpected(query.error());
    for (;;) {
        const Result<bool> row = query->step();
        if (!row) return tl::unexpected(row.error());
        if (!*row) break;
        found.emplace(query->text(0), query->text(1));
        if (found.size() > 64) return false;
    }
    std::set<std::pair<std::string, std::string>> expected;
    for (const Table& table : tablesOf(version))
        expected.emplace(table.name, table.sql);
    return found == expected;
}

} // namespace

Result<void> createTables(Database& database) {
    std::string sql = "PRAGMA application_id = " + std::to_string(applicationId) +
                      "; PRAGMA user_version = " + std::to_string(newestVersion) + ';';
    for (const Table& table : tablesOf(newestVersion))
        sql += std::string(table.sql) + ';';
    return database.run(sql);
}

Result<int> checkedVersion(Database& database, const std::string& label) {
    const Result<std::int64_t> application = database.integer("PRAGMA application_id");
    if (!application) return tl::unexpected(application.error());
    if (*application != applicationId) return failure("is a database, but no session of Dynascope", label);
    const Result<std::int64_t> version = database.integer("PRAGMA user_version");
    if (!version) return tl::unexpected(version.error());
    if (*version > newestVersion)
        return failure("was saved by a newer Dynascope (format " + std::to_string(*version) +
                           "; this one reads up to " + std::to_string(newestVersion) + ')',
                       label);
    const Error damaged{"session file is damaged: its tables are not those of a session", label, 0, 0};
    if (*version < 1) return tl::unexpected(damaged);
    const Result<bool> known = hasTablesOf(database, static_cast<int>(*version));
    if (!known) return tl::unexpected(known.error());
    if (!*known) return tl::unexpected(damaged);

    Result<Statement> check = database.prepare("PRAGMA quick_check(1)");
    if (!check) return tl::unexpected(check.error());
    const Result<bool> row = check->step();
    if (!row) return tl::unexpected(row.error());
    if (*row && check->text(0) != "ok") {
        std::string_view why = check->text(0); // "*** in database main ***", and one line more
        while (why.ends_with('\n'))
            why.remove_suffix(1);
        why = why.substr(why.rfind('\n') + 1);
        return failure("session file is damaged: " + std::string(why), label);
    }
    return static_cast<int>(*version);
}

Result<void> migrate(Database& database, int from) {
    for (std::size_t step = static_cast<std::size_t>(from) - 1; step < migrations.size(); ++step)
        if (Result<void> done = database.run(migrations[step]); !done) return done;
    return {};
}

} // namespace dynascope::store
