// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/symbol_report.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace dynascope::dynamo {

namespace {

using session::SymbolInfo;

std::optional<int> numberOf(std::string_view text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return {};
    return number;
}

/// Of "s77" and "zf7"; nothing for others.
std::optional<int> idOf(std::string_view symbol) {
    for (const std::string_view prefix : {"s", "zf"})
        if (symbol.starts_with(prefix)) return numberOf(symbol.substr(prefix.size()));
    return {};
}

/// The last symbol of each source: an earlier one belongs to an attempt that was given up.
std::map<std::string_view, const SymbolInfo*> bySource(const session::Compile& compile) {
    std::map<std::string_view, const SymbolInfo*> out;
    for (const SymbolInfo& symbol : compile.symbols)
        if (!symbol.source.empty()) out[symbol.source] = &symbol;
    return out;
}

/// What "L['x'].size()[0]" or "L['x'].stride()[1]" is among a compile's inputs; empty where that is unknown.
std::string inputDimension(const session::Compile& compile, std::string_view source) {
    for (const auto& [word, stride] :
         {std::pair<std::string_view, bool>{".size()[", false}, {".stride()[", true}}) {
        const std::size_t at = source.rfind(word);
        if (at == std::string_view::npos || !source.ends_with(']')) continue;
        const auto dimension =
            numberOf(source.substr(at + word.size(), source.size() - 1 - at - word.size()));
        const auto input =
            std::find_if(compile.inputs.begin(), compile.inputs.end(),
                         [&](const session::TensorInput& i) { return i.source == source.substr(0, at); });
        if (!dimension || *dimension < 0 || input == compile.inputs.end()) return {};
        const auto index = static_cast<std::size_t>(*dimension);
        if (!stride) return index < input->meta.sizes.size() ? input->meta.sizes[index] : std::string();
        const auto& strides = input->meta.strides;
        return strides && index < strides->size() ? (*strides)[index] : std::string();
    }
    return {};
}

/// Of one source's symbols; null where a compile has none of it.
SymbolPair pairOf(std::string_view source, const SymbolInfo* a, const SymbolInfo* b,
                  const session::Compile& compileA, const session::Compile& compileB) {
    using Kind = SymbolPair::Kind;
    SymbolPair pair;
    pair.source = std::string(source);
    pair.a = a ? a->symbol : inputDimension(compileA, pair.source);
    pair.b = b ? b->symbol : inputDimension(compileB, pair.source);
    if (a && b) {
        pair.kind = a->symbol == b->symbol ? Kind::Same : Kind::Renamed;
        if (pair.kind == Kind::Renamed)
            pair.sentence = "the number was taken in one run and free in the other";
        return pair;
    }
    const std::string& other = a ? pair.b : pair.a;
    const std::string run = a ? "B" : "A";
    if (numberOf(other)) {
        pair.kind = Kind::Specialised;
        pair.sentence = "a constant in " + run + ": compiled for " + other + " only";
    } else {
        pair.kind = other.empty() ? Kind::Missing : pair.a == pair.b ? Kind::Same : Kind::Renamed;
        pair.sentence = other.empty() ? "no symbol in " + run : "shares " + other + " in " + run;
    }
    return pair;
}

} // namespace

std::string SymbolNote::sentence() const {
    const std::string number = std::to_string(hashed);
    switch (origin) {
    case SymbolOrigin::Hash:
        return number + " is the hash of its source, modulo 100";
    case SymbolOrigin::Collision: {
        std::string out;
        for (const SymbolInfo* other : inTheWay) {
            out += out.empty() ? "its source hashes to " + number + ", which " : ", the next ";
            out += other->symbol + " (" + other->source + ") had taken";
        }
        return out;
    }
    case SymbolOrigin::Unexplained:
        return "its source hashes to " + number + "; the trace does not say why it has another number";
    case SymbolOrigin::Unbacked:
        return "a value that only running tells; such symbols are counted";
    }
    return {};
}

std::vector<SymbolNote> explainSymbols(const session::Compile& compile) {
    std::vector<SymbolNote> notes;
    std::map<int, const SymbolInfo*> taken;
    std::set<std::string_view> sources;
    for (const SymbolInfo& symbol : compile.symbols) {
        SymbolNote note{&symbol, SymbolOrigin::Unbacked, 0, {}};
        const std::optional<int> id = idOf(symbol.symbol);
        if (!id || symbol.source.empty()) {
            notes.push_back(std::move(note));
            continue;
        }
        if (!sources.insert(symbol.source).second) {
            taken.clear();
            sources = {symbol.source};
        }
        note.hashed = hashedSymbolId(symbol.source);
        int at = note.hashed;
        for (auto other = taken.find(at); other != taken.end(); other = taken.find(++at))
            note.inTheWay.push_back(other->second);
        note.origin = at != *id               ? SymbolOrigin::Unexplained
                      : note.inTheWay.empty() ? SymbolOrigin::Hash
                                              : SymbolOrigin::Collision;
        taken.emplace(*id, &symbol);
        notes.push_back(std::move(note));
    }
    return notes;
}

std::vector<SymbolPair> compareSymbols(const session::Compile& a, const session::Compile& b) {
    const auto inA = bySource(a), inB = bySource(b);
    std::vector<SymbolPair> pairs;
    for (const auto& [source, symbol] : inA) {
        const auto other = inB.find(source);
        pairs.push_back(pairOf(source, symbol, other == inB.end() ? nullptr : other->second, a, b));
    }
    for (const auto& [source, symbol] : inB)
        if (!inA.contains(source)) pairs.push_back(pairOf(source, nullptr, symbol, a, b));
    return pairs;
}

} // namespace dynascope::dynamo
