// SPDX-License-Identifier: Apache-2.0
#include "frontend/model/weights/torch_pickle.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <set>

#include "ir/core/refusal.h"

namespace mlc::model {

static constexpr ir::Refusals refusals{
    "ValueError",
    {
        {.name = "torch-archive",
         .meaning = "`torch.save` writes a zip archive with a `data.pkl` and the storages of the tensors."},
        {.name = "torch-pickle",
         .meaning = "The pickle of a state dict makes dicts, lists, numbers, texts and tensors. What does "
                    "more could "
                    "run any program, and is refused."},
        {.name = "torch-tensor",
         .meaning = "A tensor is a view of a storage: shape, strides and offset lie inside it."},
    }};
MLC_REFUSALS(weights_torch_pickle, refusals);

namespace {

constexpr size_t kMostValues = 4'000'000;  // of one pickle
constexpr int kMostNestedDicts = 16;       // of dicts

// What the machine works on. Lists, tuples and dicts hold indices of values; a dict keys and values in turn.
struct Value {
  enum Kind : uint8_t { kNone, kInt, kText, kGlobal, kTuple, kList, kDict, kStorage, kTensor, kOther };
  Kind kind = kNone;
  int64_t number = 0;           // kInt; kStorage: elements; kTensor: the offset in its storage
  std::string text;             // kText; kGlobal: module.name; kStorage: its entry
  std::vector<uint32_t> parts;  // kTuple, kList, kDict; kTensor: its storage
  ir::DataType dtype;           // kStorage
  std::vector<int64_t> shape, strides;
};

ir::DataType storage_type(std::string_view name) {
  using ir::DataType;
  static const std::map<std::string_view, DataType> types = {
      {"torch.FloatStorage", DataType::Float(32)}, {"torch.DoubleStorage", DataType::Float(64)},
      {"torch.HalfStorage", DataType::Float(16)},  {"torch.BFloat16Storage", DataType::BFloat16()},
      {"torch.LongStorage", DataType::Int(64)},    {"torch.IntStorage", DataType::Int(32)},
      {"torch.ShortStorage", DataType::Int(16)},   {"torch.CharStorage", DataType::Int(8)},
      {"torch.ByteStorage", DataType::UInt(8)},    {"torch.BoolStorage", DataType::Bool()},
  };
  auto found = types.find(name);
  return found == types.end() ? DataType::Void() : found->second;
}

class Machine {
 public:
  Machine(const Source& pickle, std::string folder) : source_(pickle), folder_(std::move(folder)) {}

  const Value& run() {
    while (!stopped_) step();
    return values_[pop()];
  }
  const Value& at(uint32_t index) const { return values_[index]; }

 private:
  const Source& source_;
  std::string folder_;  // of the archive, with a slash
  uint64_t at_ = 0;
  bool stopped_ = false;
  std::deque<Value> values_;
  std::vector<uint32_t> stack_;
  std::vector<size_t> marks_;
  std::map<uint64_t, uint32_t> memo_;

  ir::Error wrong(const std::string& what) const {
    return ir::refuse_as(refusals["torch-pickle"], "`{}`: at byte {}: {}", source_.name, at_, what);
  }
  const uint8_t* take(uint64_t count) {
    if (count > source_.bytes.size() - at_) throw wrong("the pickle ends too early");
    const uint8_t* found = source_.bytes.data() + at_;
    at_ += count;
    return found;
  }
  template <class T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  std::string text(uint64_t length) {
    const auto* first = reinterpret_cast<const char*>(take(length));
    std::string found(first, length);
    if (!is_utf8(found)) throw wrong("a text is no UTF-8");
    return found;
  }
  std::string line() {
    std::string found;
    for (char c; (c = static_cast<char>(*take(1))) != '\n';) found += c;
    return found;
  }

  Value& push(Value::Kind kind) {
    if (values_.size() >= kMostValues)
      throw wrong(fmt::format("the pickle makes more than {} values", kMostValues));
    stack_.push_back(static_cast<uint32_t>(values_.size()));
    Value& value = values_.emplace_back();
    value.kind = kind;
    return value;
  }
  uint32_t pop() {
    if (stack_.size() <= (marks_.empty() ? 0 : marks_.back()))
      throw wrong("the pickle takes a value that is not there");
    uint32_t top = stack_.back();
    stack_.pop_back();
    return top;
  }
  uint32_t top() {
    uint32_t found = pop();
    stack_.push_back(found);
    return found;
  }
  std::vector<uint32_t> pop_to_mark() {
    if (marks_.empty()) throw wrong("the pickle takes values to a mark that is not there");
    std::vector<uint32_t> all(stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back()), stack_.end());
    stack_.resize(marks_.back());
    marks_.pop_back();
    return all;
  }
  void push_int(int64_t value) { push(Value::kInt).number = value; }
  void push_tuple(size_t count) {
    std::vector<uint32_t> parts(count);
    for (size_t i = count; i-- > 0;) parts[i] = pop();
    push(Value::kTuple).parts = std::move(parts);
  }
  void get(uint64_t slot) {
    auto found = memo_.find(slot);
    if (found == memo_.end()) throw wrong(fmt::format("slot {} of the memo is empty", slot));
    stack_.push_back(found->second);
  }
  void extend(std::vector<uint32_t> parts, Value::Kind kind) {
    Value& target = values_[top()];
    if (target.kind != kind || (kind == Value::kDict && parts.size() % 2 != 0))
      throw wrong("values are put into what cannot hold them");
    if (target.parts.size() + parts.size() > kMostValues) throw wrong("a container grows without end");
    target.parts.insert(target.parts.end(), parts.begin(), parts.end());
  }

  void step() {
    auto code = *take(1);
    switch (code) {
      case 0x80:
        take(1);
        break;  // PROTO
      case 0x95:
        take(8);
        break;  // FRAME
      case '.':
        stopped_ = true;
        break;  // STOP
      case '(':
        marks_.push_back(stack_.size());
        break;
      case '0':
        pop();
        break;  // POP
      case 'N':
        push(Value::kNone);
        break;
      case 0x88:
        push_int(1);
        break;  // NEWTRUE
      case 0x89:
        push_int(0);
        break;  // NEWFALSE
      case 'K':
        push_int(number<uint8_t>());
        break;
      case 'M':
        push_int(number<uint16_t>());
        break;
      case 'J':
        push_int(number<int32_t>());
        break;
      case 0x8a:
        long_int(number<uint8_t>());
        break;
      case 'G':
        take(8);
        push(Value::kOther);
        break;  // BINFLOAT
      case 'X':
        push_text(number<uint32_t>());
        break;
      case 0x8c:
        push_text(number<uint8_t>());
        break;
      case '}':
        push(Value::kDict);
        break;
      case ']':
        push(Value::kList);
        break;
      case ')':
        push(Value::kTuple);
        break;
      case 0x85:
        push_tuple(1);
        break;
      case 0x86:
        push_tuple(2);
        break;
      case 0x87:
        push_tuple(3);
        break;
      case 't': {
        std::vector<uint32_t> parts = pop_to_mark();
        push(Value::kTuple).parts = std::move(parts);
        break;
      }
      case 's': {
        uint32_t value = pop(), key = pop();
        extend({key, value}, Value::kDict);
        break;
      }
      case 'u':
        extend(pop_to_mark(), Value::kDict);
        break;
      case 'a':
        extend({pop()}, Value::kList);
        break;
      case 'e':
        extend(pop_to_mark(), Value::kList);
        break;
      case 'q':
        memo_[number<uint8_t>()] = top();
        break;
      case 'r':
        memo_[number<uint32_t>()] = top();
        break;
      case 0x94: {
        uint32_t value = top();
        memo_.insert_or_assign(memo_.size(), value);
        break;
      }
      case 'h':
        get(number<uint8_t>());
        break;
      case 'j':
        get(number<uint32_t>());
        break;
      case 'c': {
        std::string module = line(), name = line();
        global(module + "." + name);
        break;
      }
      case 0x93: {  // STACK_GLOBAL
        uint32_t name = pop(), module = pop();
        global(values_[module].text + "." + values_[name].text);
        break;
      }
      case 'Q':
        storage();
        break;
      case 'R':
        call();
        break;
      case 'b': {  // BUILD: attributes of an OrderedDict, which say nothing of its tensors
        pop();
        if (values_[top()].kind != Value::kDict) throw wrong("attributes are set on what is no dict");
        break;
      }
      default:
        throw wrong(fmt::format("the pickle does what no state dict needs (opcode 0x{:02x})", code));
    }
  }
  void push_text(uint64_t length) {
    std::string found = text(length);
    push(Value::kText).text = std::move(found);
  }
  void long_int(uint64_t length) {
    if (length > 8) throw wrong("an integer of more than eight bytes");
    const uint8_t* bytes = take(length);
    uint64_t value = length > 0 && bytes[length - 1] >= 0x80 ? ~uint64_t{0} : 0;
    for (uint64_t i = length; i-- > 0;) value = value << 8 | bytes[i];
    push_int(static_cast<int64_t>(value));
  }
  void global(const std::string& name) {
    bool known = name == "collections.OrderedDict" || name == "torch._utils._rebuild_tensor_v2" ||
                 name == "torch._utils._rebuild_parameter" || !storage_type(name).is_void();
    if (!known)
      throw wrong(
          fmt::format("the pickle asks for `{}`; of a state dict's tensors only plain ones are read", name))
          .help("save `model.state_dict()`, or convert the file to safetensors");
    push(Value::kGlobal).text = name;
  }
  // The storage that a tuple ("storage", type, key, device, elements) names.
  void storage() {
    const Value& id = values_[pop()];
    auto part = [&](size_t i) -> const Value& { return values_[id.parts[i]]; };
    if (id.kind != Value::kTuple || id.parts.size() != 5 || part(0).text != "storage" ||
        part(1).kind != Value::kGlobal || storage_type(part(1).text).is_void() ||
        part(2).kind != Value::kText || part(4).kind != Value::kInt || part(4).number < 0)
      throw wrong("a storage is named in a way that is not known");
    std::string entry = folder_ + "data/" + part(2).text;
    ir::DataType dtype = storage_type(part(1).text);
    int64_t elements = part(4).number;
    Value& made = push(Value::kStorage);
    made.text = entry;
    made.dtype = dtype;
    made.number = elements;
  }
  void call() {
    uint32_t arguments = pop(), function = pop();
    const Value& callee = values_[function];
    const Value& all = values_[arguments];
    if (callee.kind != Value::kGlobal || all.kind != Value::kTuple)
      throw wrong("what is called is no function");
    if (callee.text == "collections.OrderedDict") {
      if (!all.parts.empty()) throw wrong("an OrderedDict is made of values, which no state dict is");
      push(Value::kDict);
    } else if (callee.text == "torch._utils._rebuild_tensor_v2") {
      rebuild(all);
    } else if (callee.text == "torch._utils._rebuild_parameter" && !all.parts.empty() &&
               values_[all.parts[0]].kind == Value::kTensor) {
      stack_.push_back(all.parts[0]);
    } else {
      throw wrong(fmt::format("`{}` is called", callee.text));
    }
  }
  // (storage, offset, shape, strides, requires_grad, hooks ...)
  void rebuild(const Value& all) {
    auto part = [&](size_t i) -> const Value& { return values_[all.parts[i]]; };
    if (all.parts.size() < 6 || part(0).kind != Value::kStorage || part(1).kind != Value::kInt)
      throw wrong("a tensor is made in a way that is not known");
    std::vector<int64_t> shape = numbers(part(2)), strides = numbers(part(3));
    uint32_t storage = all.parts[0];
    int64_t offset = part(1).number;
    Value& made = push(Value::kTensor);
    made.parts = {storage};
    made.number = offset;
    made.shape = std::move(shape);
    made.strides = std::move(strides);
  }
  std::vector<int64_t> numbers(const Value& tuple) const {
    std::vector<int64_t> all;
    if (tuple.kind != Value::kTuple) throw wrong("a shape is no tuple");
    for (uint32_t part : tuple.parts) {
      if (values_[part].kind != Value::kInt) throw wrong("a shape has what is no number");
      all.push_back(values_[part].number);
    }
    return all;
  }
};

class Collector {
 public:
  Collector(const Source& source, const Machine& machine, TorchFile& file)
      : source_(source), machine_(machine), file_(file) {
    for (const ZipEntry& entry : file.entries) entries_[entry.name] = &entry;
  }

  void dict(const Value& value, const std::string& prefix, int depth) {
    if (depth > kMostNestedDicts) throw wrong(prefix, "is nested too deep");
    for (size_t i = 0; i + 1 < value.parts.size(); i += 2) {
      if (++visited_ > kMostValues) throw wrong(prefix, "has more values than fit");
      const Value &key = machine_.at(value.parts[i]), &element = machine_.at(value.parts[i + 1]);
      std::string name = prefix + (key.kind == Value::kInt ? std::to_string(key.number) : key.text);
      if (element.kind == Value::kDict) dict(element, name + ".", depth + 1);
      if (element.kind == Value::kTensor) tensor(element, name);
    }
  }

 private:
  const Source& source_;
  const Machine& machine_;
  TorchFile& file_;
  std::map<std::string_view, const ZipEntry*> entries_;
  std::set<std::string> names_;
  size_t visited_ = 0;

  ir::Error wrong(const std::string& name, const std::string& what) const {
    return ir::refuse_as(refusals["torch-tensor"], "`{}`: `{}` {}", source_.name, name, what);
  }
  void tensor(const Value& value, const std::string& name) {
    const Value& storage = machine_.at(value.parts[0]);
    auto entry = entries_.find(storage.text);
    if (entry == entries_.end())
      throw wrong(name, fmt::format("has the storage `{}`, which the archive does not have", storage.text));
    uint64_t bytes = 0;
    if (__builtin_mul_overflow(static_cast<uint64_t>(storage.number),
                               static_cast<uint64_t>(storage.dtype.bytes()), &bytes) ||
        bytes != entry->second->size)
      throw wrong(name, fmt::format("has a storage of {} elements of {}, whose entry `{}` has {} bytes",
                                    storage.number, storage.dtype.str(), storage.text, entry->second->size));
    if (!inside_storage(value.shape, value.strides, value.number, storage.number))
      throw wrong(
          name,
          fmt::format(
              "of the shape [{}] with the strides [{}] from element {} on does not lie in a storage of {}",
              fmt::join(value.shape, ", "), fmt::join(value.strides, ", "), value.number, storage.number));
    if (!names_.insert(name).second) throw wrong(name, "is there twice");
    file_.tensors.push_back({name, storage.dtype, value.shape, value.strides, storage.text, value.number});
  }
};

}  // namespace

TorchFile read_torch(const Source& source) {
  if (source.bytes.size() < 4 || std::memcmp(source.bytes.data(), "PK\3\4", 4) != 0)
    throw ir::refuse_as(refusals["torch-archive"],
                        "`{}` is no zip archive, as `torch.save` writes them since version 1.6", source.name)
        .help("load it with torch and save it again");
  TorchFile file{read_zip(source), {}};
  auto program = std::find_if(file.entries.begin(), file.entries.end(), [](const ZipEntry& entry) {
    return entry.name == "data.pkl" || entry.name.ends_with("/data.pkl");
  });
  if (program == file.entries.end())
    throw ir::refuse_as(refusals["torch-archive"], "`{}` has no `data.pkl`: it is no file of `torch.save`",
                        source.name);
  std::string folder = program->name.substr(0, program->name.size() - std::strlen("data.pkl"));
  for (const ZipEntry& entry : file.entries) {
    if (entry.name == folder + "constants.pkl")
      throw ir::refuse_as(refusals["torch-archive"], "`{}` is a program (`torch.jit.save`), not a state dict",
                          source.name);
    if (entry.name != folder + "byteorder") continue;
    Source order = zip_content(source, entry);
    if (std::string_view(reinterpret_cast<const char*>(order.bytes.data()), order.bytes.size()) != "little")
      throw ir::refuse_as(refusals["torch-archive"], "`{}` was written on a big-endian machine", source.name);
  }
  Source pickle = zip_content(source, *program);
  Machine machine(pickle, folder);
  const Value& value = machine.run();
  if (value.kind != Value::kDict)
    throw ir::refuse_as(refusals["torch-archive"], "`{}` holds no dict of tensors", source.name);
  Collector(source, machine, file).dict(value, "", 0);
  return file;
}

ffi::Tensor torch_tensor(const Source& source, const TorchFile& file, const TorchTensor& tensor) {
  auto entry = std::find_if(file.entries.begin(), file.entries.end(),
                            [&](const ZipEntry& one) { return one.name == tensor.storage; });
  MLC_CHECK(entry != file.entries.end(), "the storage `{}` is gone", tensor.storage);
  return strided_tensor(zip_content(source, *entry), tensor.dtype, tensor.shape, tensor.strides,
                        tensor.offset);
}

bool inside_storage(std::span<const int64_t> shape, std::span<const int64_t> strides, int64_t offset,
                    int64_t elements) {
  auto count = element_count(shape);
  if (!count || shape.size() != strides.size() || offset < 0 || *count > elements) return false;
  // A tensor of no elements has strides, too, which are to be numbers.
  for (int64_t packed = 1; int64_t extent : shape)
    if (__builtin_mul_overflow(packed, std::max<int64_t>(extent, 1), &packed)) return false;
  if (*count == 0) return true;
  // The last element: beyond the storage, or before it, nothing is read.
  int64_t last = offset;
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t step = 0;
    if (strides[i] < 0 || __builtin_mul_overflow(shape[i] - 1, strides[i], &step) ||
        __builtin_add_overflow(last, step, &last))
      return false;
  }
  return last < elements;
}

ffi::Tensor strided_tensor(const Source& storage, ir::DataType dtype, std::span<const int64_t> shape,
                           std::span<const int64_t> strides, int64_t first) {
  auto bytes = static_cast<uint64_t>(dtype.bytes());
  MLC_CHECK(inside_storage(shape, strides, first, static_cast<int64_t>(storage.bytes.size() / bytes)),
            "a tensor lies outside of the storage `{}`", storage.name);
  int64_t count = *element_count(shape), packed = 1;
  if (count == 0) return ir::make_tensor(shape, dtype);
  bool compact = true;
  for (size_t i = shape.size(); i-- > 0;) {
    compact &= shape[i] == 1 || strides[i] == packed;
    packed *= shape[i];
  }
  auto offset = static_cast<uint64_t>(first) * bytes;
  if (compact) return tensor_at(storage, offset, static_cast<uint64_t>(count) * bytes, dtype, shape);
  ffi::Tensor to = ir::make_tensor(shape, dtype);
  std::vector<int64_t> index(shape.size(), 0);
  auto* target = static_cast<uint8_t*>(to.data_ptr());
  const uint8_t* from = storage.bytes.data() + offset;
  for (int64_t i = 0; i < count; ++i, target += bytes) {
    int64_t at = 0;
    for (size_t d = 0; d < index.size(); ++d) at += index[d] * strides[d];
    std::memcpy(target, from + static_cast<uint64_t>(at) * bytes, bytes);
    for (size_t d = index.size(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
  return to;
}

}  // namespace mlc::model
