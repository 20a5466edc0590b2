// SPDX-License-Identifier: Apache-2.0
// Random graphs through passes: four bytes of the input are the seed of one. Its text is parsed, printed and
// parsed again; then passes are applied in the order of a pipeline, and some of any order before, and after
// each the graph must compute in the interpreter what it computed at the beginning.
#include <cstdint>
#include <cstring>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "ir/relax/expr.h"
#include "repl/shell/build_rows.h"
#include "repl/shell/graph_runs.h"
#include "repl/shell/interpreter.h"
#include "tests/fuzz/evaluator.h"
#include "tests/fuzz/report.h"
#include "transform/pass/pass.h"

namespace {

using namespace mlc;

// With what the library of graphs imports.
script::Evaluator& evaluator() {
  static script::Evaluator* whole = [] {
    fuzz::evaluator();
    repl::register_build_api();
    auto* made = new repl::Interpreter;
    made->out = made->err = [](std::string_view) {};
    return made;
  }();
  return *whole;
}

struct Counts {
  size_t drawn = 0, parsed = 0, passes = 0, compared = 0;
  std::map<std::string, size_t> operators, refused, not_run, by_pass;
};
Counts& counts() {
  static Counts all;
  return all;
}

// ---- programs ----

class Draw {
 public:
  explicit Draw(uint32_t seed) : random_(seed) {}

  std::string module() {
    std::string dims[] = {"n", "m", "2", "3", "1"};
    std::string params;
    size_t count = 2 + pick(2);
    for (size_t i = 0; i < count; ++i) {
      std::vector<std::string> shape{dims[i == 0 ? 0 : pick(5)], dims[i == 0 ? 1 : pick(5)]};
      values_.push_back({fmt::format("x{}", i), shape});
      params += fmt::format("{}x{}: R.Tensor(({}, {}), \"float32\")", i == 0 ? "" : ", ", i, quoted(shape[0]),
                            quoted(shape[1]));
    }
    params += ", c: R.Tensor((), \"bool\")";
    text_ += "@I.ir_module\nclass Module:\n";
    text_ +=
        "    @R.function\n    def twice(a: R.Tensor((\"p\", \"q\"), \"float32\")) -> R.Tensor((\"p\", "
        "\"q\"), "
        "\"float32\"):\n        r = R.add(a, a)\n        return r\n\n";
    text_ += fmt::format("    @R.function\n    def main({}):\n        n = T.int64()\n        m = T.int64()\n",
                         params);
    size_t blocks = 1 + pick(3);
    for (size_t i = 0; i < blocks; ++i) pick(3) == 0 ? plain_block() : dataflow_block();
    std::string result = values_.back().name;
    if (pick(2) == 0)
      result = fmt::format("({}, {})", values_.back().name, values_[pick(values_.size())].name);
    text_ += "        return " + result + "\n";
    return text_;
  }

 private:
  struct Value {
    std::string name;
    std::vector<std::string> dims;
  };

  size_t pick(size_t below) { return below == 0 ? 0 : random_() % below; }
  static std::string quoted(const std::string& dim) {
    return dim[0] >= '0' && dim[0] <= '9' ? dim : "\"" + dim + "\"";
  }
  void line(int depth, const std::string& words) {
    text_ += std::string(static_cast<size_t>(depth) * 4, ' ') + words + "\n";
  }
  std::string fresh() { return fmt::format("v{}", next_++); }
  const Value& any() { return values_[pick(values_.size())]; }
  const Value* like(const std::vector<std::string>& dims) {
    std::vector<const Value*> same;
    for (const Value& value : values_) {
      if (value.dims == dims) same.push_back(&value);
    }
    return same[pick(same.size())];
  }

  void dataflow_block() {
    line(2, "with R.dataflow():");
    size_t first = values_.size();
    size_t steps = 2 + pick(5);
    for (size_t i = 0; i < steps; ++i) step(3);
    // What is not an output is not seen afterwards.
    std::vector<Value> outputs;
    for (size_t i = first; i < values_.size(); ++i) {
      if (i + 1 == values_.size() || pick(3) == 0) outputs.push_back(values_[i]);
    }
    values_.resize(first);
    std::string names;
    for (const Value& output : outputs) {
      names += (names.empty() ? "" : ", ") + output.name;
      values_.push_back(output);
    }
    line(3, "R.output(" + names + ")");
  }
  void plain_block() {
    size_t kind = pick(3);
    if (kind == 0) {  // a choice of two values of one shape
      Value value = any();
      std::string name = fresh();
      line(2, "if c:");
      line(3, fmt::format("{} = R.negative({})", name, value.name));
      line(2, "else:");
      line(3, fmt::format("{} = R.add({}, {})", name, value.name, like(value.dims)->name));
      ++counts().operators["if"];
      values_.push_back({name, value.dims});
    } else if (kind == 1) {
      Value value = any();
      if (value.dims.size() != 2) return step(2);
      std::string name = fresh();
      line(2, fmt::format("{} = Module.twice({})", name, value.name));
      ++counts().operators["call of a function"];
      values_.push_back({name, value.dims});
    } else {
      step(2);
    }
  }

  void emit(int depth, std::string_view op, const std::string& call, std::vector<std::string> dims) {
    std::string name = fresh();
    line(depth, name + " = " + call);
    ++counts().operators[std::string(op)];
    values_.push_back({name, std::move(dims)});
  }

  void step(int depth) {
    Value value = any();
    if (!value.dims.empty() && pick(2) == 0) return move(depth, value);
    switch (pick(10)) {
      case 0:
      case 1: {
        static constexpr const char* kUnary[] = {"negative", "abs", "nn.relu", "square", "sigmoid", "tanh"};
        std::string op = kUnary[pick(6)];
        return emit(depth, op, fmt::format("R.{}({})", op, value.name), value.dims);
      }
      case 2:
      case 3: {
        static constexpr const char* kBinary[] = {"add", "subtract", "multiply", "maximum", "minimum"};
        std::string op = kBinary[pick(5)];
        return emit(depth, op, fmt::format("R.{}({}, {})", op, value.name, like(value.dims)->name),
                    value.dims);
      }
      case 4: {
        std::string op = pick(2) == 0 ? "multiply" : "add";
        return emit(
            depth, op,
            fmt::format("R.{}({}, R.const({}, \"float32\"))", op, value.name, pick(2) == 0 ? "0.5" : "2.0"),
            value.dims);
      }
      case 5:
        if (value.dims.size() != 2) return step(depth);
        return emit(depth, "permute_dims", fmt::format("R.permute_dims({})", value.name),
                    {value.dims[1], value.dims[0]});
      case 6: {
        size_t axis = pick(value.dims.size());
        bool keep = pick(2) == 0;
        std::vector<std::string> dims = value.dims;
        if (keep)
          dims[axis] = "1";
        else
          dims.erase(dims.begin() + static_cast<int64_t>(axis));
        if (dims.empty()) return step(depth);
        return emit(depth, "sum",
                    fmt::format("R.{}({}, axis=[{}], keepdims={})", pick(2) == 0 ? "sum" : "max", value.name,
                                axis, keep ? "True" : "False"),
                    dims);
      }
      case 7: {
        if (value.dims.size() != 2) return step(depth);
        Value other = any();
        if (other.dims.size() != 2 || other.dims[0] != value.dims[1]) return step(depth);
        return emit(depth, "matmul", fmt::format("R.matmul({}, {})", value.name, other.name),
                    {value.dims[0], other.dims[1]});
      }
      case 8: {
        std::string name = fresh();
        line(depth, fmt::format("{} = ({}, {})", name, value.name, any().name));
        return emit(depth, "tuple", fmt::format("{}[0]", name), value.dims);
      }
      default: {
        if (value.dims.size() != 2) return step(depth);
        return emit(depth, "reshape",
                    fmt::format("R.reshape({}, ({}, {}))", value.name, value.dims[1], value.dims[0]),
                    {value.dims[1], value.dims[0]});
      }
    }
  }

  static bool constant(const std::string& dim) { return dim[0] >= '0' && dim[0] <= '9'; }
  static std::string twice(const std::string& dim) {
    return constant(dim) ? fmt::format("{}", 2 * std::stoi(dim)) : fmt::format("({} * 2)", dim);
  }
  static std::string tuple_of(const std::vector<std::string>& dims) {
    return fmt::format("({}{})", fmt::join(dims, ", "), dims.size() == 1 ? "," : "");
  }

  // What takes elements from elsewhere, or asks along one axis. A drawn operator that does not fit gives way
  // to another.
  void move(int depth, const Value& value) {
    const std::string& x = value.name;
    std::vector<std::string> dims = value.dims;
    size_t axis = pick(dims.size());
    std::string& dim = dims[axis];
    size_t kind = pick(16);
    switch (kind) {
      case 0:
        if (dims.size() > 3) return step(depth);
        dims.insert(dims.begin() + static_cast<int64_t>(axis), "1");
        return emit(depth, "expand_dims", fmt::format("R.expand_dims({}, axis=[{}])", x, axis), dims);
      case 1:
        if (dim != "1" || dims.size() == 1) return step(depth);
        dims.erase(dims.begin() + static_cast<int64_t>(axis));
        return emit(depth, "squeeze", fmt::format("R.squeeze({}, axis=[{}])", x, axis), dims);
      case 2: {
        const std::string& other = like(dims)->name;
        dim = twice(dim);
        return emit(depth, "concat", fmt::format("R.concat(({}, {}), axis={})", x, other, axis), dims);
      }
      case 3: {
        if (!constant(dim) || std::stoi(dim) % 2 != 0) return step(depth);
        dim = fmt::format("{}", std::stoi(dim) / 2);
        std::string parts = fresh();
        line(depth, fmt::format("{} = R.split({}, 2, axis={})", parts, x, axis));
        return emit(depth, "split", fmt::format("{}[{}]", parts, pick(2)), dims);
      }
      case 4: {
        if (!constant(dim) || std::stoi(dim) < 2) return step(depth);
        int size = std::stoi(dim);
        int stride = 1 + static_cast<int>(pick(2));
        int begin = static_cast<int>(pick(2));
        dim = fmt::format("{}", (size - begin + stride - 1) / stride);
        return emit(depth, "strided_slice",
                    fmt::format("R.strided_slice({}, axes=[{}], begin=[{}], end=[{}], strides=[{}])", x, axis,
                                begin, size, stride),
                    dims);
      }
      case 5:
        if (dim != "1") return step(depth);
        dim = pick(2) == 0 ? "3" : "n";
        return emit(depth, "broadcast_to", fmt::format("R.broadcast_to({}, {})", x, tuple_of(dims)), dims);
      case 6: {
        std::string chosen = fresh();
        const std::string& other = like(dims)->name;
        line(depth, fmt::format("{} = R.greater({}, {})", chosen, x, like(dims)->name));
        return emit(depth, "where", fmt::format("R.where({}, {}, {})", chosen, x, other), dims);
      }
      case 7:
        return emit(depth, "nn.log_softmax", fmt::format("R.nn.log_softmax({}, axis={})", x, axis), dims);
      case 8:
        return emit(depth, "nn.softmax", fmt::format("R.nn.softmax({}, axis={})", x, axis), dims);
      case 9:
        if (!constant(dim) || std::stoi(dim) < 2) return step(depth);
        dim = "3";
        return emit(depth, "take", fmt::format("R.take({}, R.const([1, 0, 1], \"int64\"), axis={})", x, axis),
                    dims);
      case 10:
        return emit(depth, "flip", fmt::format("R.flip({}, axis={})", x, axis), dims);
      case 11:
        dim = twice(dim);
        return emit(depth, "repeat", fmt::format("R.repeat({}, 2, axis={})", x, axis), dims);
      case 12: {
        std::string op = pick(2) == 0 ? "mean" : "min";
        dim = "1";
        return emit(depth, op, fmt::format("R.{}({}, axis=[{}], keepdims=True)", op, x, axis), dims);
      }
      case 13: {
        std::string op = pick(2) == 0 ? "zeros_like" : "ones_like";
        return emit(depth, "zeros_like, ones_like", fmt::format("R.{}({})", op, x), dims);
      }
      case 14:
        return emit(depth, "clip", fmt::format("R.clip({}, R.prim_value(-1), R.prim_value(2))", x), dims);
      default: {
        std::vector<size_t> order(dims.size());
        std::iota(order.begin(), order.end(), size_t{0});
        std::shuffle(order.begin(), order.end(), random_);
        std::vector<std::string> moved;
        for (size_t i : order) moved.push_back(value.dims[i]);
        return emit(depth, "permute_dims",
                    fmt::format("R.permute_dims({}, axes=[{}])", x, fmt::join(order, ", ")), moved);
      }
    }
  }

  std::mt19937 random_;
  std::string text_;
  std::vector<Value> values_;
  size_t next_ = 0;
};

// ---- passes ----

ir::IRModule parsed(const std::string& text) {
  ir::Any argument{ir::String(text)};
  ir::ApiArguments arguments;
  arguments.positional = {&argument, 1};
  return ir::call_api(*ir::ApiRegistry::global().find("tvm.script.from_source"), evaluator(), arguments)
      .cast<ir::IRModule>();
}

ir::IRModule applied(const std::string& name, const ir::IRModule& mod) {
  const ir::Api* api = ir::ApiRegistry::global().find("tvm.relax.transform." + name);
  ir::Any pass = api ? ir::call_api(*api, evaluator(), {})
                     : evaluator().attribute(evaluator().call_library("tvm.relax", "_transform", {}),
                                             syntax::Symbol(name));
  if (!api) pass = evaluator().call(pass, {});
  ir::Any argument(mod);
  return evaluator().call(pass, {&argument, 1}).cast<ir::IRModule>();
}

// Those of any order, as far as they are there, and a pipeline down to what the virtual machine runs.
const std::vector<std::string>& present(bool pipeline) {
  static const auto those = [](std::initializer_list<const char*> names) {
    std::vector<std::string> found;
    for (const char* name : names) {
      bool native = std::string_view(name) == "LegalizeOps";
      for (const transform::Pass* pass : transform::all_passes()) native = native || pass->name == name;
      if (native) found.emplace_back(name);
    }
    return found;
  };
  static const std::vector<std::string> any =
      those({"Normalize", "CanonicalizeBindings", "DeadCodeElimination", "ConvertToDataflow",
             "EliminateCommonSubexpr", "FastMathTransform", "InlinePrivateFunctions",
             "RemoveRedundantReshape", "CombineParallelMatmul", "ExpandMatmulOfSum", "AdjustMatmulOrder",
             "RemoveUnusedOutputs", "LambdaLift", "TopologicalSort"});
  static const std::vector<std::string> lowering = those(
      {"LegalizeOps", "AnnotateTIROpPattern", "FoldConstant", "FuseOps", "FuseTIR", "RewriteDataflowReshape",
       "ToNonDataflow", "RemovePurityChecking", "CallTIRRewrite", "StaticPlanBlockMemory", "LowerAllocTensor",
       "KillAfterLastUse", "LowerRuntimeBuiltin", "ComputePrimValue", "VMShapeLower", "AttachGlobalSymbol"});
  return pipeline ? lowering : any;
}

void compare(const std::string& pass, const std::vector<repl::GraphRun>& first, const ir::IRModule& now,
             const std::string& text) {
  repl::GraphComparison graphs = repl::compare_graphs(first, now);
  MLC_CHECK(graphs.difference.empty(), "after {}: {}\n{}\n{}", pass, graphs.difference, text,
            print::script(now));
  if (!graphs.not_run.empty()) {
    ++counts().not_run[graphs.not_run];
  } else if (graphs.compared > 0) {
    ++counts().compared;
    ++counts().by_pass[pass];
  }
}

void run_one(uint32_t seed) {
  std::string text = Draw(seed).module();
  ++counts().drawn;
  ir::IRModule first;
  try {
    first = parsed(text);
  } catch (const ir::Error& error) {
    ++counts().refused[error.first().name];
    return;
  }
  ++counts().parsed;
  print::PrintOptions options;
  options.show_meta = true;
  std::string printed = print::script(first, options);
  MLC_CHECK(ir::structural_equal(first, parsed(printed)), "what is printed says something else\n{}\n{}", text,
            printed);
  std::mt19937 random(seed ^ 0x9e3779b9U);
  ir::IRModule now = first;
  std::vector<std::string> passes;
  for (const std::string& name : present(false)) {
    if (random() % 3 == 0) passes.push_back(name);
  }
  std::shuffle(passes.begin(), passes.end(), random);
  for (const std::string& name : present(true)) {
    if (name != "FuseTIR" && name != "FuseOps" ? true : random() % 4 != 0) passes.push_back(name);
  }
  std::vector<repl::GraphRun> runs = repl::graph_runs_of(first, evaluator());
  for (const std::string& name : passes) {
    try {
      now = applied(name, now);
    } catch (const ir::Error& error) {
      MLC_CHECK(false, "{} refuses: {}\n{}\n{}", name, error.what(), text, print::script(now));
    }
    ++counts().passes;
    compare(name, runs, now, text);
  }
}

// The comparison must notice another operator.
std::string check_the_check() {
  constexpr const char* kText =
      "@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((\"n\", 3), \"float32\")):\n   "
      "     y = R.{}(x)\n"
      "        return y\n";
  ir::IRModule a = parsed(fmt::format(fmt::runtime(kText), "negative"));
  ir::IRModule b = parsed(fmt::format(fmt::runtime(kText), "square"));
  if (repl::compare_graphs(a, b, evaluator()).difference.empty()) return "a planted fault is not noticed";
  if (repl::compare_graphs(a, a, evaluator()).compared != 1) return "a graph is not compared with itself";
  return "";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  evaluator();
  constexpr size_t kMost = 2;
  for (size_t at = 0, done = 0; at + 4 <= size && done < kMost; at += 4, ++done) {
    uint32_t seed = 0;
    std::memcpy(&seed, data + at, 4);
    run_one(seed);
  }
  return 0;
}

mlc::fuzz::Report mlc::fuzz::report() {
  const Counts& all = counts();
  Report report;
  for (const auto& [name, times] : all.refused)
    report.text += fmt::format("  refused, {}: {}\n", name, times);
  for (const auto& [name, times] : all.not_run)
    report.text += fmt::format("  not compared, {}: {}\n", name, times);
  for (const auto& [name, times] : all.by_pass)
    report.text += fmt::format("  compared after {}: {}\n", name, times);
  demand(report, "graphs parsed", all.parsed, all.drawn, 0.98, 50);
  demand(report, "passes whose result was compared", all.compared, all.passes, 0.9, 200);
  for (const auto& [name, times] : all.operators)
    demand(report, "uses of " + name, times, all.drawn, 0.01, 1000);
  std::string fault = check_the_check();
  report.text += fault.empty() ? "planted faults are noticed\n" : fault + "\n";
  report.good = report.good && fault.empty();
  return report;
}
