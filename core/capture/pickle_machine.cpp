// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/pickle.h"
#include "core/capture/pickle_opcodes.h"
#include "core/capture/pickle_text.h"
#include "core/session/utf8.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

namespace dynascope::capture {

using namespace opcode;

/// The pickle machine: a stack, marks in it, and a memo.
class Pickle::Reader {
public:
    Reader(std::string_view bytes, const TaskContext& task, const PickleLimits& limits)
        : m_bytes(bytes)
        , m_task(task)
        , m_limits(limits) {}

    [[nodiscard]] Result<Pickle> run() {
        for (std::size_t count = 1;; ++count) {
            m_opcodeAt = m_at;
            if (m_at >= m_bytes.size()) return fail("the pickle ends without STOP");
            const auto code = static_cast<std::uint8_t>(m_bytes[m_at++]);
            if (code == Stop) {
                if (m_stack.empty() || !m_marks.empty()) return fail("STOP finds no finished value");
                m_out.m_root = m_stack.back();
                return std::move(m_out);
            }
            if (const std::string_view refused = refusedName(code); !refused.empty())
                return fail("the pickle is not plain data: opcode " + std::string(refused) +
                            " would import or call something, and is never carried out");
            if (!step(code)) return fail(m_problem.empty() ? "the pickle is damaged" : m_problem);
            if (m_out.m_values.size() > m_limits.values) return fail("the pickle holds too many values");
            if (count % 65536 != 0) continue;
            if (m_task.cancelled()) return cancellation();
            m_task.report("Reading", m_at, m_bytes.size());
        }
    }

private:
    [[nodiscard]] tl::unexpected<Error> fail(std::string message) const {
        return failure(std::move(message) + " (at byte " + std::to_string(m_opcodeAt) + ')');
    }
    bool problem(std::string text) {
        m_problem = std::move(text);
        return false;
    }

    // Input.
    std::optional<std::string_view> take(std::uint64_t count) {
        if (count > m_bytes.size() - m_at) {
            m_problem = "the pickle ends early";
            return std::nullopt;
        }
        const std::string_view out = m_bytes.substr(m_at, count);
        m_at += count;
        return out;
    }
    template <std::size_t bytes>
    std::optional<std::uint64_t> number() {
        const auto data = take(bytes);
        if (!data) return std::nullopt;
        std::uint64_t out = 0;
        for (std::size_t i = bytes; i-- > 0;)
            out = (out << 8U) | static_cast<unsigned char>((*data)[i]);
        return out;
    }
    template <std::size_t bytes>
    std::optional<std::string_view> counted() {
        const auto count = number<bytes>();
        return count ? take(*count) : std::nullopt;
    }
    std::optional<std::string_view> line() {
        const std::size_t end = m_bytes.find('\n', m_at);
        if (end == std::string_view::npos) {
            m_problem = "the pickle ends early";
            return std::nullopt;
        }
        std::string_view out = m_bytes.substr(m_at, end - m_at);
        m_at = end + 1;
        if (out.ends_with('\r')) out.remove_suffix(1);
        return out;
    }

    // Stack.
    bool push(Value value) {
        m_stack.push_back(static_cast<Id>(m_out.m_values.size()));
        m_out.m_values.push_back(std::move(value));
        return true;
    }
    bool pushText(std::string_view text) {
        return session::isUtf8(text) ? push(text) : pushDecoded(session::toValidUtf8(text));
    }
    bool pushDecoded(std::string text) {
        return push(std::string_view(m_out.m_decoded.emplace_back(std::move(text))));
    }
    /// Values above the last mark, which goes.
    std::optional<std::vector<Id>> popMark() {
        if (m_marks.empty()) {
            m_problem = "an opcode needs a mark that is not there";
            return std::nullopt;
        }
        const auto begin = m_stack.begin() + static_cast<std::ptrdiff_t>(m_marks.back());
        std::vector<Id> out(begin, m_stack.end());
        m_stack.erase(begin, m_stack.end());
        m_marks.pop_back();
        return out;
    }
    /// Values above the innermost mark.
    [[nodiscard]] std::size_t free() const { return m_stack.size() - (m_marks.empty() ? 0 : m_marks.back()); }
    std::optional<std::vector<Id>> popSome(std::size_t count) {
        if (free() < count) {
            m_problem = "an opcode needs more values than there are";
            return std::nullopt;
        }
        std::vector<Id> out(m_stack.end() - static_cast<std::ptrdiff_t>(count), m_stack.end());
        m_stack.resize(m_stack.size() - count);
        return out;
    }
    template <typename Container>
    Container* top() {
        if (free() == 0) return nullptr;
        return std::get_if<Container>(&m_out.m_values[m_stack.back()]);
    }

    // Opcodes.
    bool step(std::uint8_t code);
    bool pushSequence(Shape shape, std::optional<std::vector<Id>> items) {
        return items && push(Sequence{shape, std::move(*items)});
    }
    bool extend(Shape shape, std::optional<std::vector<Id>> items) {
        if (!items) return false;
        Sequence* to = top<Sequence>();
        if (!to || to->shape != shape) return problem("items are added to something else");
        to->items.insert(to->items.end(), items->begin(), items->end());
        return true;
    }
    bool assign(std::optional<std::vector<Id>> items) {
        if (!items) return false;
        Dict* to = top<Dict>();
        if (!to || items->size() % 2 != 0) return problem("entries are set in something that is no dict");
        to->items.insert(to->items.end(), items->begin(), items->end());
        return true;
    }
    bool put(std::uint64_t key) {
        if (free() == 0) return problem("nothing is there to remember");
        m_memo[key] = m_stack.back();
        return true;
    }
    bool get(std::uint64_t key) {
        const auto found = m_memo.find(key);
        if (found == m_memo.end()) return problem("a remembered value is missing");
        m_stack.push_back(found->second);
        return true;
    }
    bool pushDecimal(std::string_view digits) {
        if (digits.ends_with('L')) digits.remove_suffix(1);
        std::int64_t value = 0;
        const char* const end = digits.data() + digits.size();
        if (const auto [stop, error] = std::from_chars(digits.data(), end, value);
            stop == end && !digits.empty()) {
            if (error == std::errc()) return push(value);
        }
        std::uint64_t large = 0;
        const auto [stop, error] = std::from_chars(digits.data(), end, large);
        if (digits.empty() || stop != end) return problem("a number cannot be read");
        if (error == std::errc()) return push(large);
        return pushReal(digits);
    }
    bool pushReal(std::string_view digits) {
        double value = 0;
        const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error == std::errc::result_out_of_range) return push(std::numeric_limits<double>::infinity());
        if (error != std::errc() || stop != digits.data() + digits.size())
            return problem("a number cannot be read");
        return push(value);
    }
    /// Little-endian two's complement of any length.
    bool pushLong(std::optional<std::string_view> bytes) {
        if (!bytes) return false;
        if (bytes->empty()) return push(std::int64_t{0});
        const bool negative = (static_cast<unsigned char>(bytes->back()) & 0x80U) != 0;
        if (bytes->size() <= 8 || (bytes->size() == 9 && bytes->back() == '\0')) {
            std::uint64_t value = negative ? ~std::uint64_t{0} : 0;
            for (std::size_t i = std::min<std::size_t>(bytes->size(), 8); i-- > 0;)
                value = (value << 8U) | static_cast<unsigned char>((*bytes)[i]);
            if (bytes->size() == 9 && value > static_cast<std::uint64_t>(INT64_MAX)) return push(value);
            return push(static_cast<std::int64_t>(value));
        }
        double value = 0;
        for (std::size_t i = bytes->size(); i-- > 0;) {
            const auto byte = static_cast<unsigned char>((*bytes)[i]);
            value = value * 256 + static_cast<double>(negative ? 255 - byte : byte);
            if (std::isinf(value)) break;
        }
        return push(negative ? -value - 1 : value);
    }

    std::string_view m_bytes;
    const TaskContext& m_task;
    const PickleLimits& m_limits;
    std::size_t m_at = 0, m_opcodeAt = 0;
    std::vector<Id> m_stack;
    std::vector<std::size_t> m_marks; ///< sizes of the stack
    std::unordered_map<std::uint64_t, Id> m_memo;
    std::string m_problem;
    Pickle m_out;
};

bool Pickle::Reader::step(std::uint8_t code) {
    const auto decimal = [](std::string_view text) -> std::optional<std::uint64_t> {
        std::uint64_t out = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
        if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
        return out;
    };
    switch (code) {
    case Proto:
        return take(1).has_value();
    case Frame:
        return take(8).has_value();
    case Mark:
        if (m_marks.size() >= m_limits.depth) return problem("the pickle is nested too deeply");
        m_marks.push_back(m_stack.size());
        return true;
    case Pop: // takes a mark too where that is on top
        if (free() == 0 && !m_marks.empty())
            m_marks.pop_back();
        else
            return popSome(1).has_value();
        return true;
    case PopMark:
        return popMark().has_value();
    case Dup:
        if (free() == 0) return problem("an opcode needs more values than there are");
        m_stack.push_back(m_stack.back());
        return true;
    case None:
        m_stack.push_back(none);
        return true;
    case NewTrue:
    case NewFalse:
        return push(code == NewTrue);
    case Int: {
        const auto digits = line();
        if (digits == "00" || digits == "01") return push(digits == "01");
        return digits && pushDecimal(*digits);
    }
    case Long: {
        const auto digits = line();
        return digits && pushDecimal(*digits);
    }
    case BinInt: {
        const auto value = number<4>();
        return value &&
               push(static_cast<std::int64_t>(static_cast<std::int32_t>(static_cast<std::uint32_t>(*value))));
    }
    case BinInt1: {
        const auto value = number<1>();
        return value && push(static_cast<std::int64_t>(*value));
    }
    case BinInt2: {
        const auto value = number<2>();
        return value && push(static_cast<std::int64_t>(*value));
    }
    case Long1:
        return pushLong(counted<1>());
    case Long4:
        return pushLong(counted<4>());
    case Float: {
        const auto digits = line();
        return digits && pushReal(*digits);
    }
    case BinFloat: {
        const auto data = take(8);
        if (!data) return false;
        std::uint64_t bits = 0;
        for (const char c : *data)
            bits = (bits << 8U) | static_cast<unsigned char>(c);
        return push(std::bit_cast<double>(bits));
    }
    case String: {
        const auto literal = line();
        if (!literal) return false;
        std::optional<std::string> text = decodeLiteral(*literal);
        return text ? pushDecoded(session::toValidUtf8(*text)) : problem("a text has no quotes");
    }
    case Unicode: {
        const auto raw = line();
        return raw && pushDecoded(decodeRawUnicode(*raw));
    }
    case BinString:
    case BinUnicode: {
        const auto text = counted<4>();
        return text && pushText(*text);
    }
    case ShortBinString:
    case ShortBinUnicode: {
        const auto text = counted<1>();
        return text && pushText(*text);
    }
    case BinUnicode8: {
        const auto text = counted<8>();
        return text && pushText(*text);
    }
    case BinBytes: {
        const auto bytes = counted<4>();
        return bytes && push(Bytes{*bytes});
    }
    case ShortBinBytes: {
        const auto bytes = counted<1>();
        return bytes && push(Bytes{*bytes});
    }
    case BinBytes8:
    case ByteArray8: {
        const auto bytes = counted<8>();
        return bytes && push(Bytes{*bytes});
    }
    case EmptyList:
        return push(Sequence{Shape::List, {}});
    case EmptyTuple:
        return push(Sequence{Shape::Tuple, {}});
    case EmptySet:
        return push(Sequence{Shape::Set, {}});
    case EmptyDict:
        return push(Dict{});
    case List:
        return pushSequence(Shape::List, popMark());
    case Tuple:
        return pushSequence(Shape::Tuple, popMark());
    case FrozenSet:
        return pushSequence(Shape::Set, popMark());
    case Tuple1:
    case Tuple2:
    case Tuple3:
        return pushSequence(Shape::Tuple, popSome(code - Tuple1 + std::size_t{1}));
    case DictOfMark: {
        auto items = popMark();
        if (!items || items->size() % 2 != 0) return problem("a dict lacks a value");
        return push(Dict{std::move(*items)});
    }
    case Append:
        return extend(Shape::List, popSome(1));
    case Appends:
        return extend(Shape::List, popMark());
    case AddItems:
        return extend(Shape::Set, popMark());
    case SetItem:
        return assign(popSome(2));
    case SetItems:
        return assign(popMark());
    case Put:
    case Get: {
        const auto digits = line();
        const auto key = digits ? decimal(*digits) : std::nullopt;
        if (!key) return false;
        return code == Put ? put(*key) : get(*key);
    }
    case BinPut:
    case BinGet: {
        const auto key = number<1>();
        return key && (code == BinPut ? put(*key) : get(*key));
    }
    case LongBinPut:
    case LongBinGet: {
        const auto key = number<4>();
        return key && (code == LongBinPut ? put(*key) : get(*key));
    }
    case Memoize:
        return put(m_memo.size());
    default:
        return problem("byte " + std::to_string(code) + " is no opcode of a pickle");
    }
}

Result<Pickle> Pickle::read(std::string_view bytes, const TaskContext& task, const PickleLimits& limits) {
    return Reader(bytes, task, limits).run();
}

} // namespace dynascope::capture
