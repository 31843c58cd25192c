// SPDX-License-Identifier: BSD-3-Clause
//
// Shapes, joins and splits of torch._numpy in PyTorch 2.13.
#include "core/engine/exec/torch_level/numpy_arrays.h"
#include "core/engine/exec/torch_level/numpy_functions.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace dynascope::engine::torch_level::numpy {

namespace {

std::int64_t rankOf(const Value& tensor) {
    return tensor.tensor().dim();
}

/// x.reshape(2, 3), x.reshape((2, 3)) and np.reshape(x, (2, 3)).
Value reshape(const Arguments& a) {
    const std::vector<Value>& given = a["shape"].items();
    TORCH_CHECK_TYPE(!given.empty(), "reshape takes a shape");
    return method("reshape", {array(a["a"]), given.size() == 1 ? given[0] : a["shape"]});
}

/// x.transpose(), x.transpose(1, 0), x.transpose((1, 0)) and np.transpose(x, (1, 0)).
Value transpose(const Arguments& a) {
    const Value x = array(a["a"]);
    Value axes = a["axes"];
    if (axes.items().size() == 1) axes = axes.items()[0];
    if (axes.isInt()) axes = Value::tuple({axes});
    if (axes.isNone() || axes.items().empty()) {
        Dims reversed(static_cast<std::size_t>(rankOf(x)));
        std::iota(reversed.rbegin(), reversed.rend(), 0);
        axes = Value(reversed);
    }
    return method("permute", {x, axes});
}

Value squeeze(const Arguments& a) {
    const Value x = array(a["a"]), &axis = a["axis"];
    if (axis.isNone()) return method("squeeze", {x});
    if (!axis.isSequence()) return method("squeeze", {x, axis});
    return axis.items().empty() ? x : method("squeeze", {x, axis.items().back()}); // the last one alone
}

Value flip(const Arguments& a) {
    const Value x = array(a["m"]);
    Dims axes(static_cast<std::size_t>(rankOf(x)));
    std::iota(axes.begin(), axes.end(), 0);
    return torchCall("flip", {x, Value(a["axis"].isNone() ? axes : axesOf(a["axis"], rankOf(x)))});
}

Value roll(const Arguments& a) {
    const Value x = array(a["a"]), &shift = a["shift"];
    if (a["axis"].isNone()) return torchCall("roll", {x, shift});
    const Dims axes = axesOf(a["axis"], rankOf(x));
    const Value shifts =
        shift.kind() == Value::Kind::Tuple ? shift : Value::tuple(std::vector<Value>(axes.size(), shift));
    return torchCall("roll", {x, shifts, Value(axes)});
}

Value moveaxis(const Arguments& a) {
    const Value x = array(a["a"]);
    return torchCall("moveaxis",
                     {x, Value(axesOf(a["source"], rankOf(x))), Value(axesOf(a["destination"], rankOf(x)))});
}

Value swapaxes(const Arguments& a) {
    const Value x = array(a["a"]);
    return torchCall("swapaxes",
                     {x, axisOf(a["axis1"].integer(), rankOf(x)), axisOf(a["axis2"].integer(), rankOf(x))});
}

Value repeat(const Arguments& a) {
    return torchCall("repeat_interleave", {array(a["a"]), arrayOrNumber(a["repeats"]), a["axis"]});
}

Value tile(const Arguments& a) {
    const Value& reps = a["reps"];
    return torchCall("tile", {array(a["A"]), reps.isInt() ? Value::tuple({reps}) : reps});
}

Value meshgrid(const Arguments& a) {
    const std::vector<Value> given = arrays(a["xi"]);
    const bool swapped = a["indexing"].text() == "xy" && given.size() > 1;
    std::vector<Value> out;
    for (std::size_t i = 0; i < given.size(); ++i) {
        Dims shape(given.size(), 1);
        shape[i] = -1;
        out.push_back(method("reshape", {given[i], Value(shape)}));
    }
    for (std::size_t i = 0; swapped && i < 2; ++i) {
        Dims shape(given.size(), 1);
        shape[1 - i] = -1;
        out[i] = method("reshape", {out[i], Value(shape)});
    }
    if (!a["sparse"].flag()) out = torchCall("broadcast_tensors", out).items();
    if (a["copy"].flag())
        for (Value& one : out)
            one = method("clone", {one});
    return Value::list(std::move(out));
}

Value joined(std::vector<Value> tensors, const Value& axis, const Value& dtype) {
    std::int64_t dim = 0;
    if (axis.isNone()) {
        for (Value& tensor : tensors)
            tensor = method("flatten", {tensor});
    } else {
        dim = axis.integer();
    }
    return torchCall("cat", {Value::tuple(castTogether(std::move(tensors), dtype)), dim});
}

Value concatenate(const Arguments& a) {
    const Value dtype = a["out"].isNone() ? a["dtype"] : Value(dtypeOfTensor(a["out"]));
    return copiedTo(a["out"], joined(arrays(a["ar_tuple"]), a["axis"], dtype));
}

Value append(const Arguments& a) {
    Value x = array(a["arr"]), values = array(a["values"]);
    if (!a["axis"].isNone()) return joined({x, values}, a["axis"], {});
    if (rankOf(x) != 1) x = method("flatten", {x});
    return joined({x, method("flatten", {values})}, 0, {});
}

Value stacked(const Arguments& a, const char* name) {
    return torchCall(name, {Value::tuple(castTogether(arrays(a["tup"]), a["dtype"]))});
}

Value stack(const Arguments& a) {
    const Value dtype = a["out"].isNone() ? a["dtype"] : Value(dtypeOfTensor(a["out"]));
    const std::vector<Value> tensors = castTogether(arrays(a["arrays"]), dtype);
    const std::int64_t axis = axisOf(a["axis"].integer(), rankOf(tensors.at(0)) + 1);
    return copiedTo(a["out"], torchCall("stack", {Value::tuple(tensors)}, {{"dim", axis}}));
}

Value splitUp(const Value& tensor, const Value& given, std::int64_t axis, bool strict) {
    axis = given.isInt() ? axisOf(axis, rankOf(tensor)) : axis;
    const std::int64_t length = tensor.tensor().size(axis);
    Dims parts;
    if (given.isInt()) {
        const std::int64_t count = given.integer();
        TORCH_CHECK_VALUE(count > 0 && (!strict || length % count == 0),
                          "array split does not result in an equal division");
        for (std::int64_t i = 0; i < count; ++i)
            parts.push_back(length / count + (i < length % count ? 1 : 0));
    } else {
        std::int64_t before = 0;
        std::size_t beyond = 0;
        for (const std::int64_t at : given.integers()) {
            beyond += at > length ? 1U : 0U;
            if (at <= length) parts.push_back(at - std::exchange(before, at));
        }
        parts.push_back(length - before);
        parts.insert(parts.end(), beyond, 0);
    }
    return torchCall("split", {tensor, Value(parts), axis});
}

Value splitAt(const Arguments& a, std::int64_t axis) {
    return splitUp(array(a["ary"]), a["indices_or_sections"], axis, true);
}

/// The dimensions are given one by one: torch takes them so too.
Value atLeast(const Arguments& a, const char* name) {
    const Value out = torchCall(name, arrays(a["arys"]));
    return out.isSequence() ? Value::list(out.items()) : out;
}

constexpr std::array shapeTable{
    Entry{"reshape", "a, *shape, order='C'", reshape},
    Entry{"transpose", "a, *axes", transpose},
    Entry{"ravel", "a, order='C'", [](const Arguments& a) { return torchCall("flatten", {array(a["a"])}); }},
    Entry{"flatten", "a, order='C'",
          [](const Arguments& a) { return torchCall("flatten", {array(a["a"])}); }},
    Entry{"squeeze", "a, axis=None", squeeze},
    Entry{"expand_dims", "a, axis",
          [](const Arguments& a) {
              const Value x = array(a["a"]);
              return method("view", {x, Value(expandedShape(x.tensor().sizes(), a["axis"]))});
          }},
    Entry{"broadcast_to", "array, shape, subok=False",
          [](const Arguments& a) {
              return torchCall("broadcast_to", {array(a["array"])}, {{"size", a["shape"]}});
          }},
    Entry{"broadcast_arrays", "*args, subok=False",
          [](const Arguments& a) { return torchCall("broadcast_tensors", arrays(a["args"])); }},
    Entry{"atleast_1d", "*arys", [](const Arguments& a) { return atLeast(a, "atleast_1d"); }},
    Entry{"atleast_2d", "*arys", [](const Arguments& a) { return atLeast(a, "atleast_2d"); }},
    Entry{"atleast_3d", "*arys", [](const Arguments& a) { return atLeast(a, "atleast_3d"); }},
    Entry{"flip", "m, axis=None", flip},
    Entry{"flipud", "m", [](const Arguments& a) { return torchCall("flipud", {array(a["m"])}); }},
    Entry{"fliplr", "m", [](const Arguments& a) { return torchCall("fliplr", {array(a["m"])}); }},
    Entry{"roll", "a, shift, axis=None", roll},
    Entry{"moveaxis", "a, source, destination", moveaxis},
    Entry{"swapaxes", "a, axis1, axis2", swapaxes},
    Entry{"repeat", "a, repeats, axis=None", repeat},
    Entry{"tile", "A, reps", tile},
    Entry{"meshgrid", "*xi, copy=True, sparse=False, indexing='xy'", meshgrid},
    Entry{"concatenate", "ar_tuple, axis=0, out=None, dtype=None, casting='same_kind'", concatenate},
    Entry{"append", "arr, values, axis=None", append},
    Entry{"stack", "arrays, axis=0, out=None, *, dtype=None, casting='same_kind'", stack},
    Entry{"vstack", "tup, *, dtype=None, casting='same_kind'",
          [](const Arguments& a) { return stacked(a, "vstack"); }},
    Entry{"row_stack", "tup, *, dtype=None, casting='same_kind'",
          [](const Arguments& a) { return stacked(a, "vstack"); }},
    Entry{"hstack", "tup, *, dtype=None, casting='same_kind'",
          [](const Arguments& a) { return stacked(a, "hstack"); }},
    Entry{"dstack", "tup, *, dtype=None, casting='same_kind'",
          [](const Arguments& a) { return stacked(a, "dstack"); }},
    Entry{"column_stack", "tup, *, dtype=None, casting='same_kind'",
          [](const Arguments& a) { return stacked(a, "column_stack"); }},
    Entry{"split", "ary, indices_or_sections, axis=0",
          [](const Arguments& a) { return splitAt(a, a["axis"].integer()); }},
    Entry{"array_split", "ary, indices_or_sections, axis=0",
          [](const Arguments& a) {
              return splitUp(array(a["ary"]), a["indices_or_sections"], a["axis"].integer(), false);
          }},
    Entry{"hsplit", "ary, indices_or_sections",
          [](const Arguments& a) { return splitAt(a, rankOf(array(a["ary"])) > 1 ? 1 : 0); }},
    Entry{"vsplit", "ary, indices_or_sections", [](const Arguments& a) { return splitAt(a, 0); }},
    Entry{"dsplit", "ary, indices_or_sections", [](const Arguments& a) { return splitAt(a, 2); }},
};

} // namespace

std::span<const Entry> shapes() {
    return shapeTable;
}

} // namespace dynascope::engine::torch_level::numpy
