// SPDX-License-Identifier: Apache-2.0
// The inside of the evaluator: frames, the value stack, and the functions that walk the tree.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "frontend/script/core/evaluator.h"
#include "frontend/script/core/raw_value.h"
#include "frontend/script/core/resolve.h"
#include "ir/core/refusal.h"

namespace mlc::script {

struct GeneratorNode;  // generator.cpp
class Importer;        // importer.h

// One running function. Its slots lie on the value stack (those of a generator, in the generator).
struct Frame {
  const FunctionInfo* info = nullptr;
  Any* slots = nullptr;
  ModuleNode* module = nullptr;
  Frame* back = nullptr;  // the caller
  const FunctionNode* function = nullptr;
  Any result;                          // of `return`
  GeneratorNode* generator = nullptr;  // whose body this is
  // A frame whose names are looked up as it runs: a class body, or an expression for an IR builder.
  bool dynamic = false;
  Frame* outer = nullptr;                           // the scope around it
  NameScope* names = nullptr;                       // the builder's names
  ClassNode* cls = nullptr;                         // the class whose body runs
  std::vector<std::pair<Symbol, Any>> locals = {};  // comprehension variables of a builder's expression
};

// Python's numbers: bool counts as int.
inline bool is_integer(const Any& value) { return is_int(value) || is_bool(value); }
inline bool is_bytes(const Any& value) {
  return value.type_index() == kTVMFFIBytes || value.type_index() == kTVMFFISmallBytes;
}
inline std::string bytes_of(const Any& value) {
  auto bytes = value.cast<ffi::Bytes>();
  return std::string(bytes.data(), bytes.size());
}
inline bool is_number(const Any& value) { return is_integer(value) || is_float(value); }
inline double to_double(const Any& value) {
  return is_float(value) ? raw_float(value) : static_cast<double>(raw_int(value));
}

// Whether `and`, `or`, `not` and conditions of IR values build IR here, instead of asking for their truth.
inline bool builds_ir(const Frame& f) { return f.names != nullptr || (f.info && f.info->builds_ir); }

enum class Flow : uint8_t { kNext, kBreak, kContinue, kReturn };

// Names the evaluator itself asks for.
struct KnownNames {
  Symbol init{"__init__"}, call{"__call__"}, repr{"__repr__"}, str{"__str__"}, getitem{"__getitem__"},
      setitem{"__setitem__"}, delitem{"__delitem__"}, len{"__len__"}, iter{"__iter__"}, next{"__next__"},
      contains{"__contains__"}, eq{"__eq__"}, ne{"__ne__"}, lt{"__lt__"}, le{"__le__"}, gt{"__gt__"},
      ge{"__ge__"}, hash{"__hash__"}, boolean{"__bool__"}, enter{"__enter__"}, exit{"__exit__"},
      getattr{"__getattr__"}, setattr{"__setattr__"}, format{"__format__"}, neg{"__neg__"}, pos{"__pos__"},
      invert{"__invert__"}, abs{"__abs__"}, integer{"__int__"}, real{"__float__"}, index{"__index__"},
      cls{"__class__"}, name{"__name__"}, qualname{"__qualname__"}, doc{"__doc__"}, dict{"__dict__"},
      module{"__module__"}, bases{"__bases__"}, mro{"__mro__"}, args{"args"}, cause{"__cause__"},
      new_{"__new__"}, file{"__file__"}, func{"__func__"}, self{"__self__"}, reversed{"__reversed__"},
      set_name{"__set_name__"}, defaults{"__defaults__"}, notes{"__notes__"}, context{"__context__"},
      annotations{"__annotations__"}, class_getitem{"__class_getitem__"}, get{"__get__"}, set{"__set__"},
      missing{"__missing__"}, slots{"__slots__"}, init_subclass{"__init_subclass__"}, metaclass{"metaclass"},
      delattr{"__delattr__"}, filename{"filename"}, kw_defaults{"__kwdefaults__"},
      code{"__code__"}, globals{"__globals__"}, closure{"__closure__"}, traceback{"__traceback__"},
      base{"__base__"}, abstract_methods{"__abstractmethods__"}, suppress_context{"__suppress_context__"},
      origin{"__origin__"};
};
const KnownNames& known();

// `keywords` of a call while it is being made; views live as long as the interner.
using Keywords = std::vector<std::pair<std::string_view, Any>>;

struct Evaluator::State {
  explicit State(Evaluator& evaluator);
  void add_default_names() const;
  ~State();

  Evaluator& self;
  Resolver resolver;
  std::vector<std::shared_ptr<const syntax::Tree>> trees;
  std::vector<std::unique_ptr<FunctionInfo>> module_infos;
  Ref<ModuleNode> main;
  Ref<ModuleNode> nowhere;  // holds builtins only: where a text that is parsed on its own stands
  std::unique_ptr<Importer> importer;
  mutable std::unordered_map<Symbol, Any> builtins;  // unbound: of `add_default_names`, not asked for yet
  const Any* find_builtin(Symbol name) const;        // null when there is none
  std::unordered_map<const ir::Api*, Any> api_values;
  std::unordered_map<int32_t, Any> native_types;
  std::vector<Any> handled;  // exceptions whose handlers run, innermost last

  // The value stack: arguments and locals. Entries at and above `top` are None.
  Any* stack = nullptr;
  Any* top = nullptr;
  Any* stack_end = nullptr;
  char* c_stack_limit = nullptr;
  const int32_t function_type = FunctionNode::RuntimeTypeIndex();
  const int32_t instance_type = InstanceNode::RuntimeTypeIndex();
  const int32_t builtin_type = BuiltinNode::RuntimeTypeIndex();
  int depth = 0;
  Frame* frame = nullptr;
  // Class bodies that run, with their text.
  std::vector<std::pair<const ClassNode*, const syntax::ClassDef*>> open_classes;
  bool class_binds(const ClassNode* cls, Symbol name);

  // A frame runs while it lives.
  struct EnterFrame {
    State& state;
    Frame& entered;
    EnterFrame(State& state, Frame& entered) : state(state), entered(entered) {
      entered.back = state.frame;
      state.frame = &entered;
    }
    EnterFrame(const EnterFrame&) = delete;
    ~EnterFrame() { state.frame = entered.back; }
  };
  // Takes back what was pushed since it was made.
  struct Mark {
    State& state;
    Any* base;
    explicit Mark(State& state) : state(state), base(state.top) {}
    Mark(const Mark&) = delete;
    ~Mark() {
      while (state.top != base) put(*--state.top, raw_none());
    }
  };
  void push(Any value) {
    if (top == stack_end) [[unlikely]]
      recursion_error();
    *top++ = std::move(value);
  }
  [[gnu::always_inline]] void push(RawValue value) {
    if (top == stack_end) [[unlikely]]
      push_failed(value);
    raw_of(*top++) = value;
  }
  [[noreturn, gnu::cold]] void push_failed(RawValue value) {
    drop(value);
    recursion_error();
  }
  [[noreturn]] void recursion_error(ir::Span span = {});
  // For functions that follow nested values down.
  void check_stack(const ir::Span& span = {}) {
    char here;
    if (&here < c_stack_limit) [[unlikely]]
      recursion_error(span);
  }
  void check_interrupt(const ir::Span& span = {}) {
    if (interrupted) [[unlikely]]
      stop(span);
  }
  [[noreturn]] void stop(ir::Span span);
  static volatile bool interrupted;

  // evaluate_expr.cpp: the expressions of every loop. The words of a value are the caller's.
  RawValue run(const syntax::Expr* expr, Frame& f);
  Any eval(const syntax::Expr* expr, Frame& f) { return take(run(expr, f)); }
  OwnedValue fetch(const syntax::Expr* expr, Frame& f);       // a variable of the frame lends its value
  bool test(const syntax::Expr* expr, Frame& f);        // truth of an expression
  const Any* peek(const syntax::Expr* expr, Frame& f);  // a variable's value in place, or null
  template <syntax::BinOperator op>
  RawValue run_binary(const syntax::BinOp& op_expr, Frame& f);
  RawValue run_other_binary(const syntax::BinOp& op, Frame& f);
  RawValue run_compare(const syntax::Compare& compare, Frame& f);
  RawValue run_subscript(const syntax::Subscript& subscript, Frame& f);
  RawValue run_attribute(const syntax::Attribute& attribute, Frame& f);
  RawValue run_tuple(const syntax::Tuple& tuple, Frame& f);
  RawValue run_yield(const syntax::Yield& yield, Frame& f);
  RawValue run_rare(const syntax::Expr* expr, Frame& f);
  bool test_compare(const syntax::Compare& compare, Frame& f);
  bool test_any(const syntax::Expr* expr, Frame& f);
  RawValue binary_of(const syntax::BinOp& op, OwnedValue left, OwnedValue right);
  // Of a list by an int at once, of all else the general way.
  RawValue item_of(const syntax::Subscript& subscript, const RawValue& object, const RawValue& index);
  RawValue attribute_of(const syntax::Attribute& attribute, const Any& object);
  RawValue compare_of(const syntax::Compare& compare, OwnedValue left, OwnedValue right);
  // evaluate_display.cpp
  Any eval_rare(const syntax::Expr* expr, Frame& f);  // the kinds that are not in every loop
  Any set_display(const syntax::Set& set, bool iterated, Frame& f);
  Any iterated(const syntax::Expr* expr, Frame& f);  // what a loop walks
  Any load_slow(const syntax::Name& name, Frame& f);
  const Any* find_dynamic(Symbol name, Frame& f);
  [[noreturn]] void undefined(Symbol name, Frame& f, ir::Span span);
  Any constant(const syntax::Constant& constant);
  Any joined(const syntax::JoinedStr& text, Frame& f);
  Any eval_slice(const syntax::Expr* expr, Frame& f);
  std::vector<Any> unpacked(const syntax::Starred& starred, Frame& f);
  Any ir_bool_chain(const syntax::BoolOp& op, size_t at, Any value, Frame& f);
  Any ir_compare_chain(const syntax::Compare& compare, size_t at, Any result, Any left, Frame& f);
  Any compare_chain(const syntax::Compare& compare, Frame& f);

  // comprehension.cpp
  Any list_comprehension(const syntax::ListComp& expr, Frame& f);
  Any set_comprehension(const syntax::SetComp& expr, Frame& f);
  Any dict_comprehension(const syntax::DictComp& expr, Frame& f);
  Any generator_expression(const syntax::GeneratorExp& expr, Frame& f);

  // evaluate_stmt.cpp
  Flow exec(const syntax::Stmt* stmt, Frame& f);
  Flow exec_assign(const syntax::Assign& assign, Frame& f);
  Flow exec_rare(const syntax::Stmt* stmt, Frame& f);
  Flow exec_block(syntax::Seq<syntax::Stmt> body, Frame& f) {
    for (const syntax::Stmt* stmt : body) {
      Flow flow = exec(stmt, f);
      if (flow != Flow::kNext) return flow;
    }
    return Flow::kNext;
  }
  Flow exec_for(const syntax::For& loop, Frame& f);
  Flow exec_while(const syntax::While& loop, Frame& f);
  Flow exec_with(const syntax::With& with, size_t item, Frame& f);
  Flow exec_try(const syntax::Try& attempt, Frame& f);
  Flow handle(const syntax::Try& attempt, ScriptError& error, Frame& f);
  void store_attribute(const syntax::Attribute& target, RawValue value, Frame& f);
  void store_item(const syntax::Subscript& target, RawValue value, Frame& f);
  void store_elements(const syntax::Expr* target, RawValue value, Frame& f);
  void assign_name(const syntax::Name& name, RawValue value, Frame& f);
  void set_item(const Any& object, const Any& index, OwnedValue& value, ir::Span span);
  void set_attribute(const Any& object, const syntax::Attribute& attribute, OwnedValue& value);
  OwnedValue augmented(const syntax::AugAssign& assign, OwnedValue left, OwnedValue right);
  void exec_augmented(const syntax::AugAssign& assign, Frame& f);
  void annotate(const syntax::AnnAssign& assign, Frame& f);
  Any annotation(const syntax::Expr* expr, Frame& f);  // its value, or its text where they are postponed
  [[noreturn]] void exec_raise(const syntax::Raise& raise, Frame& f);
  void store(const syntax::Expr* target, Any value, Frame& f) { store(target, release(std::move(value)), f); }
  void store(const syntax::Expr* target, RawValue value, Frame& f);
  void store_name(Symbol name, uint32_t resolved, Any value, Frame& f);
  void remove(const syntax::Expr* target, Frame& f);
  void remove_item(const Any& object, const Any& index, ir::Span span, ir::Span index_span);
  // `hooked`: by the class's __delattr__, if it has one.
  void remove_attribute(const Any& object, Symbol name, ir::Span span, bool hooked = true);
  void remove_name(Symbol name, uint32_t resolved, Frame& f, ir::Span span);
  uint32_t place_of(Symbol name, Frame& f);  // of a name that a definition or import binds
  bool iterable(const Any& value);           // as far as its type says
  std::vector<Any> first_elements(const Any& value, size_t most, ir::Span span);
  void unpack(syntax::Seq<syntax::Expr> targets, const Any& value, ir::Span span, Frame& f);

  // define.cpp
  Frame* function_frame(Frame& f);              // of the function around, class bodies skipped
  const FunctionInfo* function_info(Frame& f);  // of that function; null at the top of a file
  Any make_function(const FunctionInfo* info, const syntax::Arguments& args, Frame& f);
  Any define_function(const syntax::FunctionDef& def, Frame& f);
  Any define_class(const syntax::ClassDef& def, Frame& f);
  // generic_alias.cpp: the classes that `list[int]` and the like stand for.
  List plain_bases(const List& written, ir::Span span);
  // The hook for the innermost decorator, if there is one.
  bool run_hook(const syntax::Stmt& def, syntax::Seq<syntax::Expr> decorators, Frame& f, Any& out);
  Any decorate(syntax::Seq<syntax::Expr> decorators, size_t count, Any value, Frame& f);

  // import.cpp
  void exec_import(const syntax::Import& import, Frame& f);
  void exec_import_from(const syntax::ImportFrom& import, Frame& f);
  void import_all(const Any& module, ir::Span span, Frame& f);
  bool module_member(const std::string& path, Symbol name, Any& out);
  std::vector<std::string> module_members(const std::string& path);
  const ModuleNode* stdlib_part(const std::string& path);  // of a module of tvm; null when there is none
  Any api_value(const ir::Api* api);
  Any evaluate_api_value(const ir::Api& api);

  // call.cpp
  RawValue run_call(const syntax::Call& call, Frame& f);  // of Code::kCall
  RawValue run_method_call(const syntax::Call& call, const syntax::Attribute& method, Frame& f);
  Any eval_call(const syntax::Call& call, Frame& f);
  Any call_with(const syntax::Call& call, const Any& callee, bool method, Any* base, Frame& f);
  // Arguments lie on the stack from `base` to `top`.
  Keywords spare_keywords;
  std::string spare_text;               // the room of the last text made by `joined`
  std::vector<ir::Span> keyword_spans;  // of the call of an api function that is about to be made
  Any call_on_stack(const Any& callee, Any* base, Keywords& keywords, ir::Span span,
                    std::span<const ir::Span> spans);
  Any call_function(const FunctionNode& fn, Any* base, Keywords& keywords, ir::Span span);
  // bind_arguments.cpp
  void bind_arguments(const FunctionNode& fn, Any* base, Keywords& keywords, ir::Span span);
  RawValue run_function(const FunctionNode& fn, Any* base, ir::Span span);
  Any call_api(const ir::Api& api, Any* base, Keywords& keywords, ir::Span span,
               std::span<const ir::Span> spans);
  Any call_builtin(const BuiltinRow& row, std::string_view owner, Any* base, Keywords& keywords,
                   ir::Span span, std::span<const ir::Span> spans);
  // generator.cpp
  Any start_generator(const FunctionNode& fn, Any* base);
  RawValue yield_value(RawValue value, Frame& f, ir::Span span);
  Any yield_all(const Any& iterable, Frame& f, ir::Span span);
  Any call_packed(const ffi::Function& fn, Any* base, ir::Span span);
  Any call_class(const Ref<ClassNode>& cls, Any* base, Keywords& keywords, ir::Span span,
                 std::span<const ir::Span> spans);
  Any zero_super(Frame& f, ir::Span span);
  // construct.cpp: objects of script classes that `__init__` alone does not make, and classes made by calls.
  Any construct(const Ref<ClassNode>& cls, Any* base, Keywords& keywords, ir::Span span);
  Any new_object(const Ref<ClassNode>& cls, const Arguments& args);  // object.__new__
  void initialise(const Any& object, const Ref<ClassNode>& cls, std::span<const Any> args, Keywords& keywords,
                  ir::Span span);
  Any make_payload(const ClassNode* cls, const Arguments& args);
  void set_bases(const Ref<ClassNode>& cls, std::span<const Any> bases, ir::Span span);
  void prepare_class(const Ref<ClassNode>& cls, ir::Span span);  // what follows from its bases
  // ... and its body; `has_bases` as it was written
  void finish_class(const Ref<ClassNode>& cls, Keywords& keywords, bool has_bases, ir::Span span);
  bool payload_special(InstanceNode* instance, const Any& object, Symbol name, std::span<const Any> args,
                       Any& out, ir::Span span);
  // `object.name` as a callee: true when `out` wants `object` as its first argument.
  bool load_method(const Any& object, Symbol name, ir::Span span, Any& out);
  bool attribute_or_not(const Any& object, Symbol name, Any& out, ir::Span span);
  void set_instance_attribute(InstanceNode* instance, const Any& object, Symbol name, const Any& value,
                              ir::Span span, bool hooked);  // by the class's __setattr__, if it has one
  void set_class_attribute(ClassNode* cls, Symbol name, const Any& value, ir::Span span, bool hooked);
  bool plain_attribute(const Any& object, Symbol name, Any& out, ir::Span span);  // without __getattr__
  [[noreturn]] void no_attribute(const Any& object, Symbol name, ir::Span span);
  // Calls a special method of a script object (for a class: of its metaclass); false when there is none.
  bool special(const Any& object, Symbol name, std::span<const Any> args, Any& out, ir::Span span);
  // The same of objects of other rooms: a row of the registry.
  bool registered(const Any& object, std::string_view name, std::span<const Any> args, Any& out,
                  ir::Span span);
  Any call_values(const Any& callee, std::initializer_list<Any> args, ir::Span span = {});

  // exceptions.cpp
  Any exception_of(const ir::Error& error);
  // Runs `body` while an exception is handled (by `except`, `finally` or `__exit__`): what is raised
  // meanwhile has it as its context.
  template <class F>
  auto while_handling(const Any& exception, F body) {
    handled.push_back(exception);
    struct Leave {
      State& state;
      ~Leave() { state.handled.pop_back(); }
    } leave{*this};
    try {
      return body();
    } catch (ir::Error& error) {
      throw ScriptError(with_context(error));
    }
  }
  ScriptError with_context(const ir::Error& error);
  void set_context(InstanceNode* exception);  // the one that is handled now, if any
  void note_origin(ir::Diagnostic& diagnostic, InstanceNode* exception);  // what it was caused by
  [[noreturn]] void throw_exception(const Any& exception, ir::Span span);
  [[noreturn]] void throw_assertion(const syntax::Assert& check, Frame& f);
  Ref<ClassNode> exception_class(std::string_view kind);
  std::string exception_text(const Any& exception);

  // namespaces.cpp: the module's names as a mapping.
  std::unordered_map<const ModuleNode*, Any> namespaces;
  Any namespace_of(ModuleNode* module);

  Ref<ModuleNode> new_module(std::string name);
  Any run_module(std::shared_ptr<const syntax::Tree> tree, const Ref<ModuleNode>& module, bool value_of_last);
  std::vector<std::function<void()>> at_end;  // see ir::Host::at_end
};

[[gnu::always_inline]] inline OwnedValue Evaluator::State::fetch(const syntax::Expr* expr, Frame& f) {
  if (code_of(expr) == Code::kLocal) {
    const Any& value = f.slots[index_of(static_cast<const syntax::Name*>(expr)->resolved)];
    if (!is_unbound(value)) [[likely]]
      return OwnedValue(raw_of(value), false);
  } else if (code_of(expr) == Code::kInt) {
    return OwnedValue(raw_int(static_cast<const syntax::Constant*>(expr)->integer), false);
  }
  return OwnedValue(run(expr, f));
}

[[gnu::always_inline]] inline void Evaluator::State::assign_name(const syntax::Name& name, RawValue value,
                                                                 Frame& f) {
  switch (storage_of(name.resolved)) {
    case Storage::kLocal:
      return put(f.slots[index_of(name.resolved)], value);
    case Storage::kGlobal:
      return put(f.module->slots[index_of(name.resolved)].value, value);
    case Storage::kCell:
      return put(static_cast<CellNode*>(raw_object(f.slots[index_of(name.resolved)]))->value, value);
    default:
      store_name(name.id, name.resolved, take(value), f);
  }
}

inline const Any* Evaluator::State::peek(const syntax::Expr* expr, Frame& f) {
  if (expr->kind != syntax::ExprKind::kName) return nullptr;
  uint32_t resolved = static_cast<const syntax::Name*>(expr)->resolved;
  const Any* value;
  switch (storage_of(resolved)) {
    case Storage::kLocal:
      value = &f.slots[index_of(resolved)];
      break;
    case Storage::kCell:
      value = &static_cast<CellNode*>(raw_object(f.slots[index_of(resolved)]))->value;
      break;
    case Storage::kGlobal: {
      ModuleNode::Slot& slot = f.module->slots[index_of(resolved)];
      value = is_unbound(slot.value) ? &slot.builtin : &slot.value;
      break;
    }
    default:
      return nullptr;
  }
  return is_unbound(*value) ? nullptr : value;
}

// One api function is a hook's, by path.
DefinitionHook find_hook(const ir::Api& api);

// builtins_*.cpp and *_methods.cpp: tables of rows by subject.
void add_builtins(std::unordered_map<Symbol, Any>& builtins);
std::span<const BuiltinRow> function_builtins();
std::span<const BuiltinRow> number_builtins();
std::span<const BuiltinRow> namespace_builtins();
std::span<const BuiltinRow> str_methods();
std::span<const BuiltinRow> str_case_methods();
std::span<const BuiltinRow> bytes_methods();
const BuiltinRow& bytes_fromhex();
std::span<const BuiltinRow> list_methods();
std::span<const BuiltinRow> tuple_methods();
std::span<const BuiltinRow> dict_methods();
std::span<const BuiltinRow> set_methods();
std::span<const BuiltinRow> view_methods();
std::span<const BuiltinRow> int_methods();
std::span<const BuiltinRow> float_methods();
const BuiltinRow& int_from_bytes();
const BuiltinRow& slice_indices();
// number_text.cpp
Any int_of_text(Evaluator& evaluator, const Any& text, int64_t base, ir::Span span);
Any float_of_text(Evaluator& evaluator, const Any& text, ir::Span span);
double fresh_nan();
// encodings.cpp
Any text_of_bytes(std::string_view bytes, std::string_view encoding, ir::Span span,
                  std::string_view errors = "strict");
// An argument such as `encoding`: `otherwise` when it is not given; Error wrong-type unless it is a str.
std::string_view word_or(const Any* given, std::string_view otherwise, std::string_view parameter,
                         ir::Span span);
Any bytes_of_text(std::string_view text, std::string_view encoding, std::string_view errors, ir::Span span);
std::span<const BuiltinRow> generator_methods();
const BuiltinRow* protocol_row(const Any& value, Symbol name);  // protocol_methods.cpp: (3).__add__, ...
const BuiltinRow* protocol_row(const ClassNode* cls, Symbol name);
const BuiltinRow* type_method_row(const ClassNode* cls, Symbol name);  // what this builtin type itself has
// A dict of an object with keys() and [], or of a class derived from dict; other values as they are.
Any as_mapping(Evaluator& evaluator, const Any& value);
Any type_call();                                                  // type.__call__
Any object_new();                                                 // object.__new__
Any class_of_three(Evaluator& evaluator, const Arguments& args);  // type(name, bases, dict)
void sort_values(Evaluator& evaluator, std::vector<Any>& values,
                 const Arguments& args);  // by key= and reverse=
void write_stream(Evaluator& evaluator, const Any& stream, std::string_view text,
                  ir::Span span);  // sys.stdout, ...
Any call_numpy(Evaluator& evaluator, std::string_view path, const Arguments& args);
// The method of a builtin type, or null.
const BuiltinRow* builtin_method(int32_t type_index, Symbol name);
Any builtin_value(const BuiltinRow* row, std::string_view owner);
const BuiltinRow* builtin_method_of(const Any& object,
                                    Symbol name);  // "".join, [].append, {}.items, set methods
const BuiltinRow* class_method_row(const ClassNode* cls,
                                   Symbol name);   // str.join, as a function of the class
const BuiltinRow* object_method_row(Symbol name);  // what every object has: __eq__, __repr__, ...
std::vector<std::string> builtin_names_of(const Any& object);
bool class_builtin(Evaluator& evaluator, const ClassNode* cls, Symbol name, Any& out);  // dict.fromkeys
bool number_attribute(const Any& number, Symbol name, Any& out);                        // real, imag, ...
bool property_attribute(Evaluator& evaluator, PropertyNode* property, const Any& object, Symbol name,
                        Any& out);
bool exception_attribute(InstanceNode* exception, Symbol name, Any& out);
// exception_fields.cpp
void add_exception_fields(ClassNode* base_exception);
void set_exception_args(InstanceNode* exception, std::span<const Any> args);
void set_os_error(InstanceNode* exception, std::string_view message);
bool os_error_text(Evaluator& evaluator, InstanceNode* exception, std::string& text);
Any construct_exception(Evaluator& evaluator, const Ref<ClassNode>& cls, const Arguments& args);
bool exception_field(InstanceNode* exception, Symbol name, Any& out);
Any exception_init();  // BaseException.__init__ and the like, for super()
Any exception_str();
Any object_init();
std::string counted(size_t n, std::string_view one);  // "2 arguments"
// reflect.cpp
bool function_attribute(Evaluator::State& state, FunctionNode* fn, Symbol name, Any& out, ir::Span span);
void set_function_attribute(Evaluator::State& state, FunctionNode* fn, Symbol name, const Any& value,
                            ir::Span span);
bool erase_function_attribute(FunctionNode* fn, Symbol name);
Any class_dict(ClassNode* cls);  // `__dict__`
void annotate_function(Evaluator::State& state, FunctionNode* fn, Frame& f);  // when it is defined
bool type_method(const ClassNode* cls, Symbol name, Any& out);                // mro()
Any object_init_subclass();

// set_algebra.cpp
Any set_binary(Evaluator& evaluator, syntax::BinOperator op, const Any& a, const Any& b, ir::Span span);
Any set_result(Evaluator& evaluator, syntax::BinOperator op, const SetNode& a, const Any& iterable,
               ir::Span span);
void set_update(Evaluator& evaluator, SetNode* set, const Any& iterable, ir::Span span);
void set_difference_update(Evaluator& evaluator, SetNode* set, const Any& iterable, ir::Span span);
void set_toggle(Evaluator& evaluator, SetNode* set, const Any& iterable, ir::Span span);

// types.cpp: what issubclass() says of two classes.
bool derives_or_counts(const ClassNode* own, const ClassNode* cls);

// construct.cpp: TypeError for a keyword that a builtin type does not take; the first parameter given by its
// name becomes the positional one, which `first` keeps.
void take_type_keywords(const ClassNode& cls, Arguments& args, Any& first);

// types.cpp: builtin types as classes.
struct Types {
  Ref<ClassNode> object, type, none, boolean, integer, real, str, bytes, list, tuple, dict, set, frozenset,
      range, slice, function, builtin, method, module, property, static_method, class_method, super, iterator,
      ellipsis, not_implemented, dict_keys, dict_values, dict_items, cell, enumerate, zip, map, filter,
      reversed;
};
const Types& types();
Ref<ClassNode> new_class(std::string name, std::string module = "builtins",
                         const Ref<ClassNode>& base = types().object);
Ref<ClassNode> builtin_type_of(const Any& value);                  // null for objects of other rooms
std::string type_name_of(Evaluator& evaluator, const Any& value);  // 'int', 'Point', 'Schedule'
// generic_alias.cpp: `list[int]`
Any generic_alias(const Any& origin, const Any& index);
bool is_generic_alias(const Any& value);
std::optional<Any> numpy_type_of(const Any& value);                     // of a NumPy scalar: its class
std::optional<bool> numpy_instance(const Any& value, const Any& type);  // where one of them is NumPy's
std::string numpy_type_name(const Any& value);  // "numpy.float32"; other objects: their type key
Any call_iterator_type(Evaluator& evaluator, std::string_view name,
                       const Arguments& args);  // zip(...), map(...)

// exceptions.cpp
const std::unordered_map<std::string, Ref<ClassNode>>& exception_classes();

// method_tables.cpp: the methods of str, list, tuple, dict, set and numbers; null for other objects and
// names.
struct BuiltinMethod {
  const BuiltinRow* row;
  std::string_view owner;
};
const BuiltinMethod* usual_method(const Any& object, Symbol name);

// hashing.cpp: dict access by Python's equality (1 == 1.0 == True, tuples by value).
Any* dict_find(Evaluator& evaluator, const Any& dict, const Any& key, ir::Span span = {});
void dict_set(Evaluator& evaluator, const Any& dict, const Any& key, const Any& value, ir::Span span = {});
void dict_pairs(Evaluator& evaluator, const Any& dict, const Any& pairs, ir::Span span);  // as dict()
bool dict_remove(Evaluator& evaluator, const Any& dict, const Any& key, ir::Span span = {});
Any plain_key(const Any& stored);  // the key as scripts see it
// `dict`: where it was looked for, if the nearest key shall be named.
[[noreturn]] void key_error(Evaluator& evaluator, const Any& key, ir::Span span, const Any& dict = nullptr);

// text.cpp, letters.cpp, format_spec.cpp, percent_format.cpp, format.cpp
std::string float_repr(double value);
std::string quote(std::string_view text);
std::string ascii_text(std::string_view text);
void append_utf8(std::string& text, uint32_t point);
std::string format_value(Evaluator& evaluator, const Any& value, std::string_view spec, ir::Span span);
std::string percent_format(Evaluator& evaluator, std::string_view format, const Any& args, ir::Span span);
std::string format_method(Evaluator& evaluator, std::string_view format, const Arguments& args);

// generator_methods.cpp
std::string iterator_text(Evaluator& evaluator, const Any& value, std::string_view address);  // its repr
// gi_running and the like; false for other names and iterators.
bool generator_attribute(Evaluator::State& state, const Any& object, Symbol name, Any& out, ir::Span span);
[[noreturn]] void stop_iteration(Evaluator& evaluator, const Any& iterator, ir::Span span);

// iterate.cpp
Any reversed_iterator(Evaluator& evaluator, const Any& value, ir::Span span);
struct SliceBounds {
  int64_t start, stop, step, count;
};
SliceBounds slice_bounds(Evaluator& evaluator, const SliceNode& slice, int64_t size, ir::Span span);
int64_t index_value(Evaluator& evaluator, const Any& value, ir::Span span, std::string_view what);
size_t utf8_length(std::string_view text);

// objects.cpp: fields of tvm-ffi objects.
bool object_field(const Any& object, Symbol name, Any& out);
std::vector<std::string> object_fields(int32_t type_index);

// Of a constant integer, and of `a == b` of IR values: as a condition it asks whether they are the same.
std::optional<bool> ir_truth(const Any& value);

// np_*.cpp, as the evaluator meets arrays in operators
bool is_array_operand(const Any& value);  // an array or a NumPy scalar
bool numpy_attribute(Evaluator& evaluator, const Any& object, Symbol name, Any& out);
Any array_binary(Evaluator& evaluator, syntax::BinOperator op, const Any& a, const Any& b, ir::Span span);
bool array_in_place(Evaluator& evaluator, syntax::BinOperator op, const Any& a, const Any& b, ir::Span span);
Any array_unary(Evaluator& evaluator, syntax::UnaryOperator op, const Any& a, ir::Span span);
Any array_compare(Evaluator& evaluator, syntax::CmpOperator op, const Any& a, const Any& b, ir::Span span);
Any array_subscript(Evaluator& evaluator, const Any& array, const Any& index, ir::Span span);
void array_assign(Evaluator& evaluator, const Any& array, const Any& index, const Any& value, ir::Span span);
std::optional<std::string> numpy_scalar_text(const Any& value, bool repr);
bool array_truth(const Any& array, ir::Span span);
Any plain_number(const Any& value);  // a NumPy scalar as int, float or bool; anything else as it is

[[noreturn]] void raise_error(std::string_view kind, ir::Span span, const ir::Error::ErasedMessage& message);
template <class... A>
[[noreturn]] void raise(std::string_view kind, ir::Span span, std::string_view name,
                        fmt::format_string<A...> message, A&&... args) {
  raise_error(kind, span, {name, message, fmt::make_format_args(args...)});
}
// A row at the top of the file (ir/core/refusal.h); raise_as where the row has no message.
[[noreturn]] void raise_refusal(const ir::RefusalRow& row, ir::Span span, fmt::string_view message,
                                fmt::format_args args);
template <class... A>
[[noreturn]] void raise(std::type_identity_t<ir::CheckedRow<const A&...>> checked, ir::Span span,
                        const A&... args) {
  raise_refusal(checked.row, span, checked.row.refusal->message, fmt::make_format_args(args...));
}
template <class... A>
[[noreturn]] void raise_as(ir::RefusalRow row, ir::Span span, fmt::format_string<const A&...> message,
                           const A&... args) {
  raise_refusal(row, span, message, fmt::make_format_args(args...));
}

// A function as the body of a row: `native(calls<f>)`.
template <auto f>
struct Calls;
template <class R, class... A, R (*f)(A...)>
struct Calls<f> {
  R operator()(A... args) const { return f(std::forward<A>(args)...); }
};
template <auto f>
constexpr Calls<f> calls{};

}  // namespace mlc::script
