// SPDX-License-Identifier: BSD-3-Clause
//
// Indexing, choosing, sorting and element by element: torch._numpy of PyTorch 2.13.
#include "core/engine/exec/torch_level/indexing.h"
#include "core/engine/exec/torch_level/numpy_arrays.h"
#include "core/engine/exec/torch_level/numpy_functions.h"

#include <algorithm>
#include <array>

namespace dynascope::engine::torch_level::numpy {

namespace {

using Kind = Value::Kind;

bool isAdvanced(const Value& index) {
    if (index.isSequence() || index.isBool()) return true;
    return index.isTensor() && (dtypeOfTensor(index) == at::kBool || index.tensor().dim() > 0);
}

Value wideInteger(const Value& index) {
    if (!index.isTensor()) return index;
    const c10::ScalarType dtype = dtypeOfTensor(index);
    const bool narrow = dtype == at::kChar || dtype == at::kShort || dtype == at::kInt || dtype == at::kByte;
    return narrow ? cast(index, at::kLong) : index;
}

/// An index as NumPy reads it: a number beside advanced indices is one of these.
Value indexOf(const Value& given) {
    std::vector<Value> items = given.kind() == Kind::Tuple ? given.items() : std::vector<Value>{given};
    for (Value& item : items)
        item = wideInteger(item);
    if (std::none_of(items.begin(), items.end(), isAdvanced)) return Value::tuple(std::move(items));
    const auto ellipsis = std::find_if(items.begin(), items.end(),
                                       [](const Value& item) { return item.kind() == Kind::Ellipsis; });
    TORCH_CHECK(std::none_of(items.begin(), ellipsis, isAdvanced) ||
                    std::none_of(ellipsis, items.end(), isAdvanced),
                "arrays as indices on both sides of an ellipsis are not supported");
    for (Value& item : items) {
        const bool number =
            item.isInt() || (item.isTensor() && item.tensor().dim() == 0 &&
                             !c10::isFloatingType(dtypeOfTensor(item)) && dtypeOfTensor(item) != at::kBool);
        if (number) item = Value::list({item});
    }
    return Value::tuple(std::move(items));
}

Value getItemOf(const Arguments& a) {
    const Value& given = a["index"];
    if (!a["x"].isTensor()) return getItem(a["x"], given); // of several results
    Value x = a["x"];
    std::vector<Value> items = given.isSequence() ? given.items() : std::vector<Value>{given};
    for (std::size_t i = 0; i < items.size(); ++i) {
        Value& item = items[i];
        if (item.kind() != Kind::Slice) continue;
        const std::vector<Value> part = item.items();
        if (part[2].isNone() || part[2].integer() >= 0) continue;
        // Backwards: of the flipped array, whose bounds torch._numpy leaves as they were.
        x = torchCall("flip", {x, Value(Dims{static_cast<std::int64_t>(i)})});
        const auto shifted = [](const Value& bound) {
            return bound.isNone() || bound.integer() == 0 ? Value() : Value(bound.integer() + 1);
        };
        item = Value::slice(shifted(part[1]), shifted(part[0]), -part[2].integer());
    }
    if (given.kind() == Kind::List) return getItem(x, indexOf(Value::list(std::move(items))));
    return getItem(x, indexOf(given.isSequence() ? Value::tuple(std::move(items)) : items[0]));
}

Value setItemOf(const Arguments& a) {
    const Value& value = a["value"];
    setItem(a["x"], indexOf(a["index"]),
            value.isNumber() ? value : cast(array(value), dtypeOfTensor(a["x"])));
    return {};
}

Value take(const Arguments& a) {
    const auto [x, axis] = alongAxis(array(a["a"]), a["axis"]);
    std::vector<Value> index(static_cast<std::size_t>(axis), Value::slice({}, {}, {}));
    index.push_back(array(a["indices"]));
    index.push_back(Value::ellipsis());
    return copiedTo(a["out"], getItem(x, Value::tuple(std::move(index))));
}

Value takeAlongAxis(const Arguments& a) {
    const auto [x, axis] = alongAxis(array(a["arr"]), a["axis"]);
    return torchCall("take_along_dim", {x, array(a["indices"]), axis});
}

Value where(const Arguments& a) {
    const Value condition = cast(array(a["condition"]), at::kBool);
    if (a["x"].isNone()) return torchCall("where", {condition});
    return torchCall("where", {condition, arrayOrNumber(a["x"]), arrayOrNumber(a["y"])});
}

Value sortedBy(const Arguments& a, bool places) {
    const auto [x, axis] = alongAxis(array(a["a"]), a["axis"]);
    const Keywords options{{"dim", axis}, {"stable", a["kind"].isString() && a["kind"].text() == "stable"}};
    return places ? torchCall("argsort", {x}, options) : torchCall("sort", {x}, options).items().at(0);
}

Value optionalArray(const Value& value) {
    return value.isNone() ? value : array(value);
}

Value clip(const Arguments& a) {
    const Value x = array(a["a"]), low = optionalArray(a["min"]), high = optionalArray(a["max"]);
    return copiedTo(a["out"], torchCall("clamp", {x, low, high}));
}

Value rounded(const Arguments& a) {
    const Value x = array(a["a"]), &decimals = a["decimals"];
    TORCH_CHECK(!decimals.isNone(),
                "np.round without decimals, np.rint and np.fix have one name in a capture");
    TORCH_CHECK(!c10::isComplexType(dtypeOfTensor(x)), "round of complex numbers is not supported");
    const bool floats = c10::isFloatingType(dtypeOfTensor(x));
    return copiedTo(a["out"], floats ? torchCall("round", {x}, {{"decimals", decimals}}) : x);
}

Value nanToNum(const Arguments& a) {
    const Value x = array(a["x"]);
    TORCH_CHECK(!c10::isComplexType(dtypeOfTensor(x)), "nan_to_num of complex numbers is not supported");
    return torchCall("nan_to_num", {x},
                     {{"nan", a["nan"]}, {"posinf", a["posinf"]}, {"neginf", a["neginf"]}});
}

Value imagOf(const Value& x) {
    return c10::isComplexType(dtypeOfTensor(x)) ? torchCall("imag", {x}) : torchCall("zeros_like", {x});
}

Value isclose(const Arguments& a) {
    const std::vector<Value> x = castTogether({array(a["a"]), array(a["b"])});
    return torchCall("isclose", {x[0], x[1]},
                     {{"rtol", a["rtol"]}, {"atol", a["atol"]}, {"equal_nan", a["equal_nan"]}});
}

Value diff(const Arguments& a) {
    const Value x = array(a["a"]);
    TORCH_CHECK(a["prepend"].isNone() && a["append"].isNone(), "diff with more at its ends is not supported");
    const std::int64_t axis = axisOf(a["axis"].integer(), x.tensor().dim());
    return a["n"].integer() == 0 ? x : torchCall("diff", {x, a["n"]}, {{"dim", axis}});
}

Value filled(const Arguments& a) {
    (void)method("fill_", {a["self"], array(a["value"])});
    return {};
}

/// x.T and others that Dynamo reads by name.
Value attributeOf(const Arguments& a) {
    const std::string& name = a["name"].text();
    const Value& x = a["x"];
    if (name == "T") {
        Dims reversed;
        for (std::int64_t i = x.tensor().dim(); i-- > 0;)
            reversed.push_back(i);
        return method("permute", {x, Value(reversed)});
    }
    if (name == "real") return torchCall("real", {x});
    if (name == "imag") return imagOf(x);
    if (name == "flat") return torchCall("flatten", {x});
    if (name == "size") return x.tensor().numel();
    TORCH_CHECK(name == "shape", "ndarray.", name, " is not supported");
    return Value(x.tensor().sizes().vec());
}

constexpr std::array elementTable{
    Entry{"getitem", "x, index", getItemOf},
    Entry{"__getitem__", "x, index", getItemOf},
    Entry{"__setitem__", "x, index, value", setItemOf},
    Entry{"setitem", "x, index, value", setItemOf},
    Entry{"numpy_attr_wrapper", "x, name", attributeOf},
    Entry{"take", "a, indices, axis=None, out=None, mode='raise'", take},
    Entry{"take_along_axis", "arr, indices, axis", takeAlongAxis},
    Entry{"where", "condition, x=None, y=None", where},
    Entry{"sort", "a, axis=-1, kind=None, order=None", [](const Arguments& a) { return sortedBy(a, false); }},
    Entry{"argsort", "a, axis=-1, kind=None, order=None",
          [](const Arguments& a) { return sortedBy(a, true); }},
    Entry{"searchsorted", "a, v, side='left', sorter=None",
          [](const Arguments& a) {
              return torchCall("searchsorted", {array(a["a"]), array(a["v"])},
                               {{"side", a["side"]}, {"sorter", optionalArray(a["sorter"])}});
          }},
    Entry{"clip", "a, min=None, max=None, out=None", clip},
    Entry{"round", "a, decimals=None, out=None", rounded},
    Entry{"around", "a, decimals=0, out=None", rounded},
    Entry{"nan_to_num", "x, copy=True, nan=0.0, posinf=None, neginf=None", nanToNum},
    Entry{"real", "a", [](const Arguments& a) { return torchCall("real", {array(a["a"])}); }},
    Entry{"imag", "a", [](const Arguments& a) { return imagOf(array(a["a"])); }},
    Entry{"isclose", "a, b, rtol=1e-5, atol=1e-8, equal_nan=False", isclose},
    Entry{"diff", "a, n=1, axis=-1, prepend=None, append=None", diff},
    Entry{"fill", "self, value", filled},
    Entry{"item", "self", [](const Arguments& a) { return method("item", {a["self"]}); }},
    Entry{"nonzero", "a",
          [](const Arguments& a) {
              return torchCall("nonzero", {array(a["a"])}, {{"as_tuple", true}});
          }},
    Entry{"argwhere", "a", [](const Arguments& a) { return torchCall("argwhere", {array(a["a"])}); }},
    Entry{"flatnonzero", "a",
          [](const Arguments& a) {
              const Value flat = torchCall("flatten", {array(a["a"])});
              return torchCall("nonzero", {flat}, {{"as_tuple", true}}).items().at(0);
          }},
};

} // namespace

std::span<const Entry> elements() {
    return elementTable;
}

} // namespace dynascope::engine::torch_level::numpy
