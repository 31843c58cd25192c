// SPDX-License-Identifier: BSD-3-Clause
#include "core/find/entries.h"

#include <bit>
#include <cstring>
#include <limits>

namespace dynascope::find {

namespace {

static_assert(std::endian::native == std::endian::little, "rows are kept as they lie in memory");

constexpr std::string_view magic = "dynascope entries 1\n";

class Packer {
public:
    template <typename T>
    void number(T value) {
        m_out.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    void text(std::string_view text) {
        number(static_cast<std::uint64_t>(text.size()));
        m_out += text;
    }
    std::string m_out{magic};
};

/// After a failure everything reads as zero or empty.
class Unpacker {
public:
    explicit Unpacker(std::string_view bytes)
        : m_rest(bytes) {
        m_failed = !m_rest.starts_with(magic);
        if (!m_failed) m_rest.remove_prefix(magic.size());
    }

    template <typename T>
    T number() {
        T value{};
        if (m_failed || m_rest.size() < sizeof value) {
            m_failed = true;
            return value;
        }
        std::memcpy(&value, m_rest.data(), sizeof value);
        m_rest.remove_prefix(sizeof value);
        return value;
    }
    std::string_view bytes(std::uint64_t size) {
        if (m_failed || m_rest.size() < size) {
            m_failed = true;
            return {};
        }
        const std::string_view out = m_rest.substr(0, size);
        m_rest.remove_prefix(size);
        return out;
    }
    std::string text() { return std::string(bytes(number<std::uint64_t>())); }
    /// How many things follow that take `least` bytes each.
    std::uint64_t count(std::size_t least) {
        const auto n = number<std::uint64_t>();
        if (n > m_rest.size() / least) m_failed = true;
        return m_failed ? 0 : n;
    }
    void fail() { m_failed = true; }
    [[nodiscard]] bool whole() const { return !m_failed && m_rest.empty(); }

private:
    std::string_view m_rest;
    bool m_failed = false;
};

bool isInRange(const Entry& row, const Entries& entries) {
    for (const TextId id :
         {row.stage, row.status, row.name, row.op, row.target, row.meta, row.module, row.places, row.text})
        if (id >= entries.texts.size()) return false;
    return row.compile < entries.compiles.size() && static_cast<std::size_t>(row.kind) < kinds.size();
}

} // namespace

std::string packEntries(const Entries& entries) {
    Packer out;
    out.number(static_cast<std::uint64_t>(entries.texts.size()));
    for (const std::string& text : entries.texts)
        out.text(text);
    out.number(static_cast<std::uint64_t>(entries.compiles.size()));
    for (const EntryCompile& compile : entries.compiles) {
        for (const std::string* text : {&compile.name, &compile.id, &compile.function, &compile.status})
            out.text(*text);
        out.number(static_cast<std::int64_t>(compile.rank));
        out.number(compile.seconds);
    }
    out.number(static_cast<std::uint64_t>(entries.unread));
    out.number(static_cast<std::uint64_t>(entries.rows.size()));
    out.m_out.append(reinterpret_cast<const char*>(entries.rows.data()), entries.rows.size() * sizeof(Entry));
    return std::move(out.m_out);
}

Result<Entries> unpackEntries(std::string_view bytes) {
    Unpacker in(bytes);
    Entries out;
    out.texts.resize(in.count(sizeof(std::uint64_t)));
    for (std::string& text : out.texts)
        text = in.text();
    if (out.texts.empty() || !out.texts.front().empty()) in.fail();
    out.compiles.resize(in.count(6 * sizeof(std::uint64_t)));
    for (EntryCompile& compile : out.compiles) {
        for (std::string* text : {&compile.name, &compile.id, &compile.function, &compile.status})
            *text = in.text();
        const auto rank = in.number<std::int64_t>();
        if (rank < std::numeric_limits<int>::min() || rank > std::numeric_limits<int>::max()) in.fail();
        compile.rank = static_cast<int>(rank);
        compile.seconds = in.number<double>();
    }
    out.unread = in.number<std::uint64_t>();
    out.rows.resize(in.count(sizeof(Entry)));
    const std::string_view rows = in.bytes(out.rows.size() * sizeof(Entry));
    if (!rows.empty()) std::memcpy(out.rows.data(), rows.data(), rows.size());
    if (!in.whole()) return failure("is no index of this version");
    for (const Entry& row : out.rows)
        if (!isInRange(row, out)) return failure("is no index: a row refers to what is not there");
    return out;
}

} // namespace dynascope::find
