// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/recording.h"

#include "core/base/text.h"
#include "core/session/byte_source.h"

#include <algorithm>
#include <filesystem>

namespace dynascope::dynamo {

namespace {

/// Takes a node's arguments apart: calls `take` with the words before each node, its number and whether FX
/// prints its bare name there, and with the last words and 0.
template <typename Take>
void eachPart(std::string_view arguments, Take take) {
    for (std::size_t at = 0; at < arguments.size();) {
        const std::size_t mark = std::min(arguments.find('\x01', at), arguments.size());
        std::size_t end = mark + 1;
        std::uint64_t node = 0;
        for (; end < arguments.size() && arguments[end] >= '0' && arguments[end] <= '9' && node < INT32_MAX;
             ++end)
            node = node * 10 + static_cast<std::uint64_t>(arguments[end] - '0');
        const char sign = end < arguments.size() ? arguments[end] : '\0';
        take(arguments.substr(at, mark - at), node <= UINT32_MAX ? static_cast<std::uint32_t>(node) : 0,
             sign == '\x03');
        at = sign == '\x02' || sign == '\x03' ? end + 1 : end;
    }
}

} // namespace

const ValueInfo::Field* ValueInfo::field(std::string_view name) const {
    const auto found =
        std::find_if(fields.begin(), fields.end(), [name](const Field& field) { return field.name == name; });
    return found == fields.end() ? nullptr : &*found;
}

std::string_view ValueInfo::text(std::string_view name) const {
    const Field* found = field(name);
    return found ? found->text : std::string_view();
}

std::uint64_t ValueInfo::number(std::string_view name) const {
    const Field* found = field(name);
    return found ? found->number.value_or(0) : 0;
}

ValueId ValueInfo::value(std::string_view name) const {
    const Field* found = field(name);
    return found && found->values.size() == 1 ? found->values.front() : 0;
}

Result<RecordingPtr> Recording::open(const std::string& path, const TaskContext& task) {
    Result<session::ByteSourcePtr> file = session::openByteSource(path);
    if (!file) return tl::unexpected(file.error());
    session::ByteSourcePtr tail;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path + ".tail", ignored)) {
        // A copy: the program may still be writing to it, or delete it.
        if (const auto mapped = session::openByteSource(path + ".tail"))
            tail = session::makeByteSource(std::string((*mapped)->bytes()));
    }
    Result<RecordingPtr> recording = read(std::move(*file), std::move(tail), task);
    if (!recording) recording.error().file = path;
    return recording;
}

std::string_view Recording::text(TextId id) const {
    return id > 0 && id <= m_textOf.size() ? m_textOf[id - 1] : std::string_view();
}

TextId Recording::idOf(std::string_view text) const {
    const auto found = m_idOf.find(text);
    return found == m_idOf.end() ? 0 : found->second;
}

const Code* Recording::code(std::uint32_t id) const {
    return id > 0 && id <= m_codes.size() ? m_codes[id - 1].get() : nullptr;
}

const Code& Recording::codeOf(const FrameInfo& frame) const {
    const Code* found = code(frame.code);
    return found ? *found : m_noCode;
}

const Instruction* Recording::instructionAt(StepIndex step) const {
    const StepInfo& info = m_steps[step];
    const Code& code = codeOf(m_frames[info.frame]);
    return info.instruction < code.instructions.size() ? &code.instructions[info.instruction] : nullptr;
}

const ExceptionRange* Code::handlerAt(std::uint32_t instruction) const {
    const auto after = std::upper_bound(
        handlers.begin(), handlers.end(), instruction,
        [](std::uint32_t wanted, const ExceptionRange& range) { return wanted < range.first; });
    if (after == handlers.begin()) return nullptr;
    const ExceptionRange& found = *std::prev(after);
    return instruction <= found.last ? &found : nullptr;
}

std::string_view Recording::sourceLine(std::string_view file, std::uint32_t line) const {
    const auto found = m_sourcesOf.find(file);
    if (found == m_sourcesOf.end()) return {};
    for (const std::uint32_t index : found->second) {
        const Source& source = m_sources[index];
        if (line < source.firstLine) continue;
        std::string_view rest = source.text;
        for (std::uint32_t left = line - source.firstLine; left > 0 && !rest.empty(); --left) {
            const std::size_t end = rest.find('\n');
            rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
        }
        if (!rest.empty()) return firstLine(rest);
    }
    return {};
}

std::string_view Recording::payload(PayloadPlace place) const {
    if (place.block >= m_blocks.size()) return {};
    const BlockPtr block = m_blocks.block(place.block);
    if (!block || std::uint64_t(place.offset) + place.length > block->size()) return {};
    return std::string_view(*block).substr(place.offset, place.length);
}

const State* Recording::stateAt(StepIndex step) const {
    return replayTo(m_frames[m_steps[step].frame].attempt, step);
}

const State* Recording::stateAfter(std::uint32_t attempt) const {
    return replayTo(attempt, noStep);
}

const State* Recording::replayTo(std::uint32_t attempt, StepIndex step) const {
    const StepIndex target = step == noStep ? m_attempts[attempt].last : step;
    const auto after =
        std::partition_point(m_keyframes.begin(), m_keyframes.end(),
                             [&](const Keyframe& keyframe) { return keyframe.step <= target; });
    const Keyframe* nearest = nullptr;
    for (auto it = after; it != m_keyframes.begin() && nearest == nullptr;)
        if ((--it)->attempt == attempt) nearest = &*it;
    if (nearest == nullptr) return nullptr;
    const bool usable = m_replay.attempt == attempt && m_replay.step != noStep && m_replay.step <= target &&
                        m_replay.step >= nearest->step && (!m_replay.whole || step == noStep);
    if (!usable) {
        m_replay.attempt = attempt;
        m_replay.step = noStep;
        m_replay.whole = false;
        m_replay.spot = nearest->spot;
        m_replay.state = nearest->state;
        // The first record to come is that of the keyframe's step, or leads up to it.
        if (!carryOn(m_replay, nearest->step)) return nullptr;
    }
    if (m_replay.step == step && !m_replay.whole) return &m_replay.state;
    if (m_replay.whole && step == noStep) return &m_replay.state;
    return carryOn(m_replay, step) ? &m_replay.state : nullptr;
}

bool Recording::carryOn(Replay& replay, StepIndex step) const {
    // Steps are numbered over the whole file; those of attempts within this one are passed over.
    StepIndex next = replay.step == noStep ? UINT32_MAX : replay.step + 1;
    std::uint32_t inner = 0;
    for (; replay.spot.block < m_blocks.size(); ++replay.spot.block, replay.spot.offset = 0) {
        const BlockPtr block = m_blocks.block(replay.spot.block);
        if (!block) break; // what follows makes no sense without it
        for (RecordView record; readRecord(*block, replay.spot.offset, record);) {
            const Tag tag = static_cast<Tag>(record.tag);
            if (tag == Tag::Attempt) {
                ++inner;
                continue;
            }
            if (tag == Tag::AttemptEnd) {
                if (inner == 0) return replay.whole = step == noStep;
                --inner;
                continue;
            }
            if (inner > 0) {
                if (tag == Tag::Step && next != UINT32_MAX) ++next;
                continue;
            }
            if (tag == Tag::Step && next == UINT32_MAX) next = step;
            const State::Change change = replay.state.apply(
                tag, record.payload,
                {replay.spot.block, record.begin, static_cast<std::uint32_t>(record.payload.size())}, next);
            if (tag != Tag::Step || change.id == 0) continue;
            replay.step = next++;
            if (replay.step == step) return true;
        }
    }
    return replay.whole = step == noStep;
}

ValueInfo Recording::value(const State& state, ValueId id) const {
    ValueInfo out;
    out.id = id;
    if (id == 0 || id > state.values.size()) return out;
    Numbers numbers(payload(state.values[id - 1]));
    static_cast<void>(numbers.next());
    out.kind = text(numbers.nextId());
    while (!numbers.done()) {
        const std::uint64_t key = numbers.next();
        ValueInfo::Field field;
        field.name = text(static_cast<TextId>(std::min<std::uint64_t>(key >> 2U, UINT32_MAX)));
        switch (key & 3U) {
        case 0:
            field.text = text(numbers.nextId());
            break;
        case 1:
            field.number = numbers.next();
            break;
        case 2:
            field.values.push_back(numbers.nextId());
            break;
        default:
            for (std::uint64_t left = numbers.next(); left > 0 && !numbers.done(); --left)
                field.values.push_back(numbers.nextId());
        }
        if (!numbers.good()) break;
        out.fields.push_back(std::move(field));
    }
    return out;
}

std::string_view Recording::readNode(const State& state, std::uint32_t id, NodeInfo& out) const {
    if (id == 0 || id > state.nodes.size()) return {};
    Numbers numbers(payload(state.nodes[id - 1].place));
    for (int i = 0; i < 3; ++i)
        static_cast<void>(numbers.next());
    out.op = text(numbers.nextId());
    static_cast<void>(numbers.nextId());
    out.target = text(numbers.nextId());
    out.type = text(numbers.nextId());
    out.value = text(numbers.nextId());
    out.name = text(state.nodes[id - 1].name);
    return numbers.rest();
}

NodeInfo Recording::node(const State& state, std::uint32_t id) const {
    NodeInfo out;
    const std::string_view arguments = readNode(state, id, out);
    const bool plain = out.op == "output"; // FX prints a returned node without its sign
    eachPart(arguments, [&](std::string_view words, std::uint32_t other, bool bare) {
        out.arguments += words;
        if (other == 0) return;
        if (!plain && !bare) out.arguments += '%';
        if (other <= state.nodes.size()) out.arguments += text(state.nodes[other - 1].name);
    });
    return out;
}

std::string idText(const CompileInfo& compile) {
    return compile.run > 1 ? compile.id + '@' + std::to_string(compile.run) : compile.id;
}

std::string idText(const AttemptInfo& attempt) {
    return attempt.run > 1 ? attempt.compileId + '@' + std::to_string(attempt.run) : attempt.compileId;
}

std::uint32_t Recording::lastAttempt(std::size_t compile) const {
    for (std::size_t i = m_attempts.size(); i-- > 0;)
        if (m_attempts[i].compile == compile ||
            (m_attempts[i].compile == UINT32_MAX && idText(m_attempts[i]) == idText(m_compiles[compile])))
            return static_cast<std::uint32_t>(i);
    return UINT32_MAX;
}

std::span<const std::uint32_t> Recording::eventsFrom(StepIndex step) const {
    const auto before = [this](std::uint32_t event, StepIndex at) { return m_events[event].step < at; };
    return {std::lower_bound(m_eventsByStep.begin(), m_eventsByStep.end(), step, before),
            m_eventsByStep.end()};
}

std::span<const std::uint32_t> Recording::eventsAt(StepIndex step) const {
    const std::span<const std::uint32_t> from = eventsFrom(step);
    std::size_t count = 0;
    while (count < from.size() && m_events[from[count]].step == step)
        ++count;
    return from.first(count);
}

std::vector<std::uint32_t> Recording::nodeInputs(const State& state, std::uint32_t id) const {
    NodeInfo ignored;
    std::vector<std::uint32_t> out;
    eachPart(readNode(state, id, ignored), [&](std::string_view, std::uint32_t other, bool) {
        if (other > 0 && other <= state.nodes.size()) out.push_back(other);
    });
    return out;
}

std::uint64_t Recording::memoryBytes() const {
    std::uint64_t out = m_steps.capacity() * sizeof(StepInfo) + m_frames.capacity() * sizeof(FrameInfo) +
                        (m_nodes.capacity() + m_guards.capacity()) * sizeof(Birth);
    for (const std::string& text : m_texts)
        out += text.capacity() + sizeof(std::string) + 3 * sizeof(std::string_view) + 4 * sizeof(void*);
    for (const Source& source : m_sources)
        out += source.text.capacity();
    for (const Keyframe& keyframe : m_keyframes)
        out += sizeof(Keyframe) + keyframe.state.values.size() / 128 * sizeof(void*) * 2;
    return out;
}

} // namespace dynascope::dynamo
