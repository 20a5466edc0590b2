// SPDX-License-Identifier: Apache-2.0
// The module in force through the passes of a build, one after the other, and back.
#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "backend/artefact/temporary_folder.h"
#include "backend/backend.h"
#include "frontend/print/print.h"
#include "frontend/tvmscript/builder/module.h"
#include "ir/core/files.h"
#include "repl/session/commands.h"
#include "repl/session/lowering.h"
#include "repl/session/module_diff.h"
#include "repl/session/table.h"
#include "repl/shell/report.h"
#include "repl/shell/source.h"
#include "repl/shell/stages.h"

namespace mlc::repl::commands_lower {
namespace {

// The walk of the module in force; a new one at its beginning where there is none.
Lowering& walk_of(Session& session) {
  Subject subject = subject_of(session, "");
  if (Lowering* walk = session.lowerings().find(subject.mod)) return *walk;
  return session.lowerings().begin(Lowering(session, subject, backend::default_target_kind()));
}

std::string where(const Lowering& walk) {
  return fmt::format("# {}, {}: {} of {} passes{}\n", walk.name(), walk.stage_name(walk.at()), walk.at(),
                     walk.passes(), walk.is_edited(walk.at()) ? ", edited" : "");
}

void show_move(Session& session, const Lowering& walk, const ir::IRModule& before, DiffStyle style,
               std::string remark = "") {
  std::string change = module_diff(session, before, walk.here(), style);
  session.page(where(walk) + remark + (change.empty() ? "  nothing differs\n" : change));
}

// Passes that change nothing are passed over.
void forward(Session& session, Lowering& walk, DiffStyle style) {
  if (walk.at() == walk.passes())
    throw CallError{fmt::format("all {} passes have run", walk.passes()),
                    "`:lower back`, `:lower input`, `:llvm`"};
  ir::IRModule before = walk.here();
  std::vector<std::string> idle;
  while (walk.at() < walk.passes()) {
    walk.go(walk.at() + 1);
    if (!walk.here().same_as(before) && !ir::structural_equal(ir::Any(walk.here()), ir::Any(before))) break;
    idle.push_back(walk.pipeline().pass_name(walk.at() - 1));
  }
  std::string remark = idle.empty() ? "" : fmt::format("  changed nothing: {}\n", fmt::join(idle, ", "));
  show_move(session, walk, before, style, remark);
}

// To the stage before the last pass that changed something.
void back(Session& session, Lowering& walk, DiffStyle style) {
  if (walk.at() == 0) throw CallError{"this is the beginning: no pass has run", "`:lower`"};
  ir::IRModule before = walk.here();
  size_t to = walk.at() - 1;
  auto same = [&](size_t stage) { return ir::structural_equal(ir::Any(walk.stage(stage)), ir::Any(before)); };
  while (to > 0 && same(to)) --to;
  walk.go(to);
  show_move(session, walk, before, style);
}

// The next stage of that name behind the one in view, else the nearest one before it.
void go_to(Session& session, Lowering& walk, const std::string& word, DiffStyle style) {
  std::vector<size_t> stages;
  if (auto number = number_of(word)) {
    if (*number > walk.passes())
      throw CallError{fmt::format("there are {} passes, not {}", walk.passes(), *number), "`:lower list`"};
    stages = {*number};
  } else {
    stages = stages_named(walk.pipeline(), word);
  }
  auto next = std::ranges::find_if(stages, [&](size_t stage) { return stage > walk.at(); });
  ir::IRModule before = walk.here();
  walk.go(next == stages.end() ? stages.back() : *next);
  show_move(session, walk, before, style);
}

void list(Session& session, const Lowering& walk) {
  Table table;
  for (size_t i = 0; i <= walk.passes(); ++i) {
    std::string_view effect;
    if (walk.is_edited(i)) {
      effect = "edited";
    } else if (i > 0 && i < walk.known()) {
      bool same = ir::structural_equal(ir::Any(walk.stage(i)), ir::Any(walk.stage(i - 1)));
      effect = same ? "changes nothing" : "changes";
    }
    table.add({{i == walk.at() ? "*" : " ", colour::kKind},
               {walk.stage_name(i), i < walk.known() ? print::Role::kPlain : colour::kQuiet},
               {std::string(effect), colour::kQuiet}});
  }
  session.page(fmt::format("# {}, for {}\n", walk.name(), walk.target()) +
               table.text(width_of(session), session.options().colour));
}

void lower(Session& session, std::string_view arguments) {
  auto [style, words] = diff_arguments("lower", arguments, 2);
  std::string word = words.empty() ? "" : words[0];
  if (word == "begin") {
    Subject subject = subject_of(session, "");
    std::string target = words.size() == 2 ? words[1] : backend::default_target_kind();
    Lowering& walk = session.lowerings().begin(Lowering(session, subject, target));
    return session.show(where(walk));
  }
  if (words.size() == 2) no_more("lower", words[1]);
  Lowering& walk = walk_of(session);
  if (word.empty() || word == "next") return forward(session, walk, style);
  if (word == "back") return back(session, walk, style);
  if (word == "list") return list(session, walk);
  if (word == "show")
    return session.page(where(walk) + session.coloured(print::script(ir::Any(walk.here()))));
  go_to(session, walk, word, style);
}

// ---- :edit ----

std::string editor() {
  for (const char* name : {"VISUAL", "EDITOR"})
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') return value;
  return "vi";
}

std::string edited_text(const std::string& stage, const std::string& text) {
  backend::TemporaryFolder folder("mlc-edit");
  std::string path = folder.write((stage + ".mlc").c_str(), text);
  std::string command = editor();
  int status = std::system((command + " '" + path + "'").c_str());
  if (status == -1 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw CallError{fmt::format("the editor `{}` has failed; the stage is as it was", command),
                    "name another one: `EDITOR=nano mlc repl`, or `os.environ[\"EDITOR\"] = \"nano\"`"};
  std::optional<std::string> edited = ir::read_file(path);
  if (!edited)
    throw CallError{fmt::format("the editor `{}` has left no file; the stage is as it was", command), ""};
  return std::move(*edited);
}

// `--text "..."`, a text of JSON: what was written in an editor, as the journal has it for `:resume`.
void edit(Session& session, std::string_view arguments) {
  constexpr std::string_view kText = "--text ";
  bool is_given = arguments.starts_with(kText);
  auto given =
      is_given ? nlohmann::json::parse(arguments.substr(kText.size()), nullptr, false) : nlohmann::json();
  if (!given.is_string()) no_more("edit", arguments);
  if (!is_given && !session.options().has_editor)
    throw CallError{"no editor can be opened from here",
                    "`:lower show` shows the stage; `mlc build --from FILE` goes on from it, edited or not"};
  Lowering& walk = walk_of(session);
  std::string stage = walk.stage_name(walk.at());
  std::string was = print::script(ir::Any(walk.here())) + "\n";
  std::string text =
      is_given ? given.get<std::string>() : edited_text(stage, walk.draft.empty() ? was : walk.draft);
  using Handler = nlohmann::json::error_handler_t;
  Journal::Entry entry(
      session.options().journal,
      fmt::format(":edit {}{}", kText, nlohmann::json(text).dump(-1, ' ', false, Handler::replace)));
  if (text == was) {
    walk.draft.clear();
    return session.show(fmt::format("{} is as it was\n", stage));
  }
  // What cannot be read is the beginning of the next try.
  walk.draft = text;
  std::optional<ir::IRModule> mod;
  try {
    mod = module_in(session.evaluator(), tvmscript::from_source(session.evaluator(), text, {}, {}));
  } catch (const ir::Error& error) {
    session.show(session.options().compact_errors ? compact_report(error)
                                                  : full_report(error, session.options().colour));
    throw CallError{fmt::format("{} is as it was: the edited text cannot be read", stage),
                    "`:edit` goes on with that text"};
  }
  if (!mod)
    throw CallError{fmt::format("{} is as it was: the edited text holds no module", stage),
                    "`:edit` goes on with that text"};
  // Compared with what was shown to be edited: a text has each name once, a module may have it twice.
  auto before = module_in(session.evaluator(), tvmscript::from_source(session.evaluator(), was, {}, {}));
  walk.replace(*mod);
  show_move(session, walk, *before, DiffStyle::kSemantic);
}

constexpr Command kRows[] = {
    {"lower", "[--text | --side] [PASS]",
     "the module in force through the passes of a build, one by one, and back",
     "    :lower              the next pass that changes something, and what it changes\n"
     "    :lower back         to the stage before it\n"
     "    :lower FlattenBuffer, :lower 12, :lower input\n"
     "                        as far as that pass, forwards or back\n"
     "    :lower list         all passes, and where we are\n"
     "    :lower show         the text of this stage\n"
     "    :lower begin [TARGET]\n"
     "                        from the beginning, without what was edited\n"
     "  `:edit` changes the stage in view.\n",
     lower, Argument::kPass, true},
    {"edit", "", "change the stage that `:lower` has in view, in $EDITOR",
     "  The passes that follow, and `:asm`, `:llvm`, `:c`, go on from what you wrote. A text with a mistake "
     "changes nothing;\n"
     "  the next `:edit` goes on with it. Without a `:lower` before it, the stage is the input of the "
     "pipeline.\n",
     edit},
};

}  // namespace

extern const Commands lower{kRows};

}  // namespace mlc::repl::commands_lower
