// SPDX-License-Identifier: Apache-2.0
#include "repl/report/program_report.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>

#include "frontend/syntax/parse.h"
#include "repl/measure/machine.h"
#include "repl/report/graph_plot.h"
#include "repl/report/nest.h"
#include "repl/report/page.h"
#include "repl/report/steps.h"
#include "repl/session/commands.h"
#include "repl/session/line_diff.h"
#include "repl/session/module_diff.h"
#include "repl/session/session.h"
#include "repl/session/subject.h"
#include "repl/shell/graph_runs.h"
#include "repl/shell/source.h"
#include "transform/analysis/loop_tree.h"
#include "transform/schedule/primitive.h"

namespace mlc::repl {

namespace {

// What the parts of a page may take, so that all of it stays below kMostBytes.
constexpr size_t kMostSteps = 140'000, kMostDiff = 14'000, kMostListing = 40'000, kMostFigure = 80'000;
constexpr size_t kMostParts = 120;     // steps of one statement that are shown one by one
constexpr size_t kMostPrinted = 1500;  // of what a statement prints

std::string chip(std::string_view verdict) {
  if (verdict.empty()) return "";
  std::string_view word = verdict.substr(0, verdict.find(':'));
  if (verdict_style(verdict) == "unchecked") word = "unchecked";
  return fmt::format("<span class=\"verdict {}\"{}>{}</span>", verdict_style(verdict),
                     word == verdict ? "" : fmt::format(" data-tip=\"{}\"", escape(verdict)), escape(word));
}

// A difference with classes for lines that begin with + - ~, as many as `most` bytes hold.
std::string marked_lines(std::string_view text, size_t most) {
  std::string out;
  std::vector<std::string> lines = lines_of(text);
  for (size_t i = 0; i < lines.size(); ++i) {
    size_t first = std::min(lines[i].find_first_not_of(' '), lines[i].size());
    char mark = first < lines[i].size() ? lines[i][first] : ' ';
    std::string_view style = mark == '+' ? "plus" : mark == '-' ? "minus" : mark == '~' ? "change" : "same";
    std::string line = fmt::format("<span class=\"d {}\">{}</span>", style, escape(lines[i]));
    if (out.size() + line.size() > most)
      return out + fmt::format("<span class=\"d same\">\xe2\x80\xa6 {} more lines</span>", lines.size() - i);
    out += line;
  }
  return out;
}

std::string difference_block(std::string_view text, size_t most) {
  return fmt::format("<pre class=\"diff\">{}</pre>", marked_lines(text, most));
}

std::string folded(std::string_view summary, std::string_view body) {
  return fmt::format("<details><summary>{}</summary>{}</details>", escape(summary), body);
}

// One step of a schedule, of a statement that took several.
struct Part {
  std::string line;     // of the trace
  std::string verdict;  // "proved", or what it takes on trust
  std::string change;   // "" where the loops are the same
  std::string cost;     // as cost_line says it
};

class Report {
 public:
  explicit Report(const std::string& path) : path_(path), file_(read_source(path)), session_(options()) {
    session_.evaluator().argv = {path};
    std::string name = path == "-" ? "stdin" : std::filesystem::path(path).stem().string();
    session_.evaluator().set_global("__name__", ir::Any(ir::String(name)));
  }

  ProgramReport make() {
    std::vector<Chunk> chunks = chunks_of(syntax::parse_file(file_)->module);
    for (size_t i = 0; i < chunks.size() && !refused_ && !session_.ended(); ++i) {
      run(chunks[i]);
      if ((refused_ || session_.ended()) && i + 1 < chunks.size())
        add(fmt::format(
            "<p class=\"sub\">The {} behind it, from line {} on, did not run.</p>",
            chunks.size() - i == 2 ? "statement" : fmt::format("{} statements", chunks.size() - i - 1),
            chunks[i + 1].first_line + lines_before(text_of_chunk(file_, chunks[i + 1]))));
    }
    return {page(), steps_, refused_};
  }

 private:
  SessionOptions options() {
    SessionOptions made;
    made.compact_errors = true;
    made.out = [this](std::string_view text) { printed_ += text; };
    made.result = [](const ir::Any&) {};  // a program does not show the values of its expressions
    return made;
  }

  void add(std::string html) {
    if (cards_.size() + html.size() > kMostSteps) {
      ++left_out_;
    } else {
      cards_ += html;
    }
  }

  // A statement that changes nothing and prints nothing has no place on the page.
  void run(const Chunk& chunk) {
    std::string source = text_of_chunk(file_, chunk);
    std::unordered_map<const ir::ffi::Object*, size_t> taken = steps_taken();
    size_t states = session_.states().size();
    size_t remarks = session_.states()[session_.position()].remarks.size();
    printed_.clear();
    session_.run(source);
    size_t line = chunk.first_line + lines_before(source);
    if (session_.states().size() > states) {
      add_step(line, taken);
    } else if (!session_.ended() && session_.states()[session_.position()].remarks.size() == remarks) {
      refused_ = true;
      add(fmt::format(
          "<article class=\"step refused\" id=\"step{}\" data-line=\"{}\"><h3>{}<code>{}</code>"
          "<span class=\"verdict wrong\">refused</span></h3><pre>{}</pre></article>",
          line, line, line_link(line), escape(first_line(source)), escape(shortened(printed_, 4000))));
      links_.push_back({line, fmt::format("step{}", line)});
    } else if (!printed_.empty()) {
      links_.push_back({line, fmt::format("step{}", line)});
      add(
          fmt::format("<article class=\"step small\" id=\"step{}\" "
                      "data-line=\"{}\"><h3>{}<code>{}</code></h3>{}</article>",
                      line, line, line_link(line), escape(shortened(first_line(source), 100)), printed()));
    }
  }

  std::string printed() const {
    if (printed_.empty()) return "";
    std::string text = printed_.size() <= kMostPrinted ? printed_ : shortened(printed_, kMostPrinted);
    bool is_short = text.size() < 400 && std::ranges::count(text, '\n') <= 5;
    return fmt::format(
        "<details{}><summary>printed{}</summary><pre>{}</pre></details>", is_short ? " open" : "",
        printed_.size() <= kMostPrinted ? "" : fmt::format(" {} bytes", printed_.size()), escape(text));
  }

  static std::string line_link(size_t line) {
    return fmt::format("<a class=\"where\" href=\"#L{0}\">line {0}</a>", line);
  }

  std::unordered_map<const ir::ffi::Object*, size_t> steps_taken() {
    std::unordered_map<const ir::ffi::Object*, size_t> taken;
    for (const auto& [name, value] : session_.evaluator().globals())
      if (auto schedule = value.as<transform::Schedule>(); schedule && *schedule)
        taken[schedule->get()] = (*schedule)->trace->instructions.size();
    return taken;
  }

  // The steps that a statement took in a schedule, one by one, where it took several. They are taken again
  // from the beginning, which gives the module after each; sampled decisions are part of the trace.
  std::vector<Part> parts_of(const transform::Schedule& schedule, size_t before) {
    const auto& steps = schedule->trace->instructions;
    size_t count = 0;
    for (size_t i = before; i < steps.size(); ++i) count += transform::is_pure(*steps[i].primitive) ? 0 : 1;
    if (count < 2 || count > kMostParts) return {};
    std::vector<std::string> lines = schedule->trace->lines(false);
    std::vector<Part> parts;
    transform::Schedule again = transform::make_schedule(schedule->beginning, 1, schedule->enable_check);
    ir::IRModule last = schedule->beginning;
    auto step = [&](size_t index) {
      ir::IRModule now = again->state->mod();
      if (index >= before && !transform::is_pure(*steps[index].primitive)) {
        std::string_view trusted = transform::assumption_of(steps[index], *schedule);
        std::string change = now.same_as(last) ? "" : module_diff(session_, last, now, DiffStyle::kSemantic);
        parts.push_back({lines[index], trusted.empty() ? "proved" : fmt::format("unchecked: {}", trusted),
                         std::move(change), now.same_as(last) ? "" : cost_line(last, now)});
      }
      last = std::move(now);
    };
    try {
      transform::apply_trace(*schedule->trace, transform::mutable_schedule(again), session_.evaluator(),
                             false, nullptr, step);
    } catch (const ir::Error& error) {
      parts.push_back({lines[std::min(parts.size(), lines.size() - 1)],
                       fmt::format("wrong: refused when taken again: {}", error.what()), "", ""});
    }
    return parts;
  }

  void add_step(size_t line, const std::unordered_map<const ir::ffi::Object*, size_t>& taken) {
    ++steps_;
    size_t number = session_.position();
    const State& state = session_.states()[number];
    bool schedules = !state.schedules.empty() || !state.passes.empty();
    links_.push_back({line, fmt::format("step{}", line)});
    std::string_view verdict = state.verdict;
    std::vector<Part> steps = parts_of_step(state, taken);
    // Counted as the steps are, which a statement may take several of.
    for (const Part& each : steps) ++verdicts_[std::string(verdict_style(each.verdict))];
    if (steps.empty() && !verdict.empty())
      verdicts_[std::string(verdict_style(verdict))] += std::max<size_t>(state.primitives.size(), 1);
    primitives_ += state.primitives.size();
    seconds_ += state.seconds;
    std::string parts = parts_text(steps), body;
    std::vector<std::pair<ir::IRModule, ir::IRModule>> shown;
    const std::vector<NamedModule>& before = session_.states()[state.parent].modules;
    for (const NamedModule& now : state.modules) {
      auto old = std::ranges::find(before, now.name, &NamedModule::name);
      ir::IRModule was = old == before.end() ? beginning_of(now) : old->mod;
      auto again = [&](const auto& pair) { return pair.first.same_as(was) && pair.second.same_as(now.mod); };
      auto is_same = [&](const NamedModule& m) { return m.mod.same_as(now.mod); };
      if (was.defined() && (was.same_as(now.mod) || ir::structural_equal(ir::Any(was), ir::Any(now.mod))))
        continue;
      if (std::ranges::any_of(shown, again) || (!was.defined() && std::ranges::any_of(before, is_same)))
        continue;
      shown.emplace_back(was, now.mod);
      body += change_of(now.name, was, now.mod, parts.empty());
    }
    body += parts;
    for (const transform::PassRun& run : state.passes)
      body += fmt::format("<p class=\"pass\">pass <code>{}</code></p>", escape(run.name));
    body += printed();
    add(
        fmt::format("<article class=\"step{}\" id=\"step{}\" data-line=\"{}\"><h3>{}<code>{}</code><span "
                    "class=\"right\">{}"
                    "<span class=\"time\">{}</span></span></h3><p class=\"effect\">{}</p>{}</article>",
                    schedules || !body.empty() ? "" : " small", line, line, line_link(line),
                    escape(shortened(first_line(state.source), 160)), chip(verdict),
                    seconds_text(state.seconds), escape(shortened(session_.effect_of(number), 300)), body));
  }

  // What a schedule that is new began with; null for a module.
  ir::IRModule beginning_of(const NamedModule& named) {
    auto schedule = session_.evaluator().global(named.name)->as<transform::Schedule>();
    return schedule && *schedule ? (*schedule)->beginning : ir::IRModule(nullptr);
  }

  // What a step made of operations and bytes; empty where it changed none of them, or they cannot be counted.
  std::string cost_line(const ir::IRModule& was, const ir::IRModule& now) {
    const std::optional<Cost> before = was.defined() ? cost(was) : std::nullopt, after = cost(now);
    if (!after) return "";
    std::string text;
    bool changed = !before;
    auto add = [&](std::string_view what, double old, double value,
                   const std::function<std::string(double)>& shown) {
      bool same = before && shown(old) == shown(value);
      changed = changed || !same;
      text += fmt::format(
          "<span{}>{} <b>{}</b></span>", same ? " class=\"same\"" : "", escape(what),
          before && !same ? fmt::format("{} \xe2\x86\x92 {}", shown(old), shown(value)) : shown(value));
    };
    add("operations", before ? before->flops : 0, after->flops, count_text);
    add("accessed", before ? before->accessed : 0, after->accessed, bytes_text);
    for (size_t i = 1; i < levels_.size(); ++i)
      add("from " + levels_[i].name, before ? before->traffic[i] : 0, after->traffic[i], bytes_text);
    return changed ? fmt::format("<p class=\"cost\">{}</p>", text) : "";
  }

  // Of all functions of TIR; nothing where one cannot be counted.
  struct Cost {
    double flops = 0, accessed = 0;
    std::vector<double> traffic;
  };
  std::optional<Cost> cost(const ir::IRModule& mod) {
    if (mod.same_as(counted_.first)) return counted_.second;  // after the last step is before this one
    counted_ = {mod, count(mod)};
    return counted_.second;
  }
  std::optional<Cost> count(const ir::IRModule& mod) const {
    Cost all{.traffic = std::vector<double>(levels_.size(), 0)};
    bool any = false;
    for (const auto& [var, function] : mod->functions) {
      if (!function.as<ir::PrimFunc>()) continue;
      auto one = counted_cost(mod, std::string(var->name_hint), levels_);
      if (!one) return std::nullopt;
      any = true;
      all.flops += one->flops + one->integer + one->special;
      all.accessed += one->accessed;
      for (size_t i = 0; i < levels_.size(); ++i) all.traffic[i] += one->traffic[i];
    }
    return any ? std::optional(all) : std::nullopt;
  }

  // By loops and blocks, where the parts do not say that, and the lines folded away while there is room for
  // them.
  std::string change_of(const std::string& name, const ir::IRModule& was, const ir::IRModule& now,
                        bool semantic) {
    std::string html;
    if (was.defined() && semantic)
      html += difference_block(module_diff(session_, was, now, DiffStyle::kSemantic), kMostDiff);
    html += cost_line(was, now);
    if (cards_.size() + html.size() > kMostSteps / 2) return html;  // the second half is for what is short
    if (!was.defined())
      return html + folded(fmt::format("{} as text", name),
                           listing(script_of(session_.evaluator(), ir::Any(now)), kMostDiff));
    return html + folded(fmt::format("{}, line by line", name),
                         difference_block(module_diff(session_, was, now, DiffStyle::kText), kMostDiff));
  }

  // Of the first schedule that the statement took steps in: further names are of the same one, or of a
  // statement that nobody would write.
  std::vector<Part> parts_of_step(const State& state,
                                  const std::unordered_map<const ir::ffi::Object*, size_t>& taken) {
    if (state.schedules.empty()) return {};
    auto schedule = session_.evaluator().global(state.schedules.front())->as<transform::Schedule>();
    auto before = taken.find(schedule->get());
    return parts_of(*schedule, before == taken.end() ? 0 : before->second);
  }

  static std::string parts_text(const std::vector<Part>& parts) {
    if (parts.empty()) return "";
    std::string html = "<ol class=\"parts\">";
    for (const Part& part : parts) {
      html += fmt::format("<li><code>{}</code> {}{}{}</li>", escape(shortened(part.line, 200)),
                          chip(part.verdict), part.change.empty() ? "" : difference_block(part.change, 2000),
                          part.cost);
    }
    return html + "</ol>";
  }

  std::string tile(std::string_view value, std::string_view label) {
    return fmt::format("<div class=\"tile\"><b>{}</b><span>{}</span></div>", escape(value), escape(label));
  }

  // The loop nest at the end, of the module that was changed last; where that has graphs, these.
  std::string nest() {
    std::string name = in_force(session_, session_.position());
    if (name.empty()) return "";
    Subject subject = subject_of(session_, name);
    bool graph = has_graphs(subject.mod);
    if (!graph && transform::loop_trees(subject.mod).empty()) return "";
    std::string program = script_of(session_.evaluator(), ir::Any(subject.mod));
    Plot plot = graph ? graph_plot(subject, subject.name, std::move(program), session_.evaluator())
                      : nest_plot(subject.mod, subject.name, std::move(program));
    std::string drawn = figure(plot);
    if (drawn.size() > kMostFigure)
      return fmt::format(
          "<h2>{}</h2><p class=\"sub\">Too large for this page: <code>:plot {}</code> draws it.</p>",
          escape(plot.title), graph ? "graph" : "nest");
    return fmt::format(
        "<h2>{} at the end</h2><p class=\"sub\">{}</p><div class=\"beside two\">{}<aside>{}</aside></div>",
        escape(plot.title), escape(plot.caption), drawn, listing(plot.source, 30'000));
  }

  std::string page() {
    std::string tiles = tile(fmt::format("{}", steps_),
                             steps_ == 1 ? "statement with an effect" : "statements with an effect");
    tiles +=
        tile(fmt::format("{}", primitives_), primitives_ == 1 ? "step of a schedule" : "steps of schedules");
    for (const auto& [style, count] : verdicts_) tiles += tile(fmt::format("{}", count), style);
    if (refused_) tiles += tile("1", "refused");
    tiles += tile(seconds_text(seconds_), "to run them");
    std::string name = path_ == "-" ? "standard input" : std::filesystem::path(path_).filename().string();
    std::string omitted =
        left_out_ == 0
            ? ""
            : fmt::format("<p class=\"sub\">{} more statements do not fit on this page.</p>", left_out_);
    std::string body = fmt::format(
        "<style>{}</style><header><h1>{}</h1><p class=\"sub\">Each statement that changed something, what it "
        "changed, and what is known "
        "of it. <i>Proved</i>: the checks of its primitives imply that the program computes the same; "
        "<i>unchecked</i>: something was "
        "taken on trust, which <code>mlc verify</code> tries.</p><div class=\"tiles\">{}</div></header>\n"
        "<main><div class=\"beside "
        "two\"><section>{}{}</section><aside>{}</aside></div>\n{}</main>\n<footer>mlc {}</footer>",
        kStyle, escape(name), tiles, cards_, omitted,
        listing(ir::SourceMap::current().file(file_).text, kMostListing, links_), nest(), MLC_VERSION);
    return html_page(name, body);
  }

  static constexpr std::string_view kStyle = R"(
.tiles{display:flex;flex-wrap:wrap;gap:10px;margin:16px 0 6px}
.tile{border:1px solid var(--rule);border-radius:10px;background:var(--card);padding:9px 16px 8px;min-width:104px}
.tile b{display:block;font-size:20px;line-height:1.25;font-variant-numeric:tabular-nums}.tile span{color:var(--soft);font-size:13px}
.step{border:1px solid var(--rule);border-radius:10px;background:var(--card);padding:12px 16px 13px;margin:0 0 12px;scroll-margin-top:14px}
.step:target,.step.lit{border-color:var(--accent)}
.step.small{background:none;border-color:transparent;padding:3px 16px;margin:0}.step.small+.step:not(.small){margin-top:12px}
.step h3{margin:0;font-size:14px;font-weight:400;display:flex;gap:12px;align-items:baseline}
.step h3 code{font-weight:600;flex:1;min-width:0;overflow-wrap:anywhere}.step.small h3 code{font-weight:400}
.where{color:var(--soft);font-size:12.5px;white-space:nowrap;min-width:54px}.right{display:flex;gap:12px;align-items:baseline;white-space:nowrap}
.time{color:var(--soft);font-variant-numeric:tabular-nums;font-size:13px;min-width:64px;text-align:right}
.effect{margin:2px 0 0 66px;color:var(--soft);font-size:13.5px;overflow-wrap:anywhere;max-width:none}
.step.small .effect{display:none}
.verdict{font-size:12px;font-weight:600;border-radius:99px;padding:1px 9px;background:color-mix(in srgb,currentColor 13%,transparent)}
.refused{border-color:var(--bad)}.refused pre{margin:10px 0 0}
.step pre{overflow-x:auto;white-space:pre;max-height:420px;overflow-y:auto}
.diff{margin:10px 0 0;border-left:3px solid var(--rule)}
.d{display:block;padding:0 12px;min-height:1.5em}.d.plus{background:var(--plusback);color:var(--plus)}.d.minus{background:var(--minusback);color:var(--minus)}
.d.change{color:var(--open)}.d.same{color:var(--soft)}
details{margin:9px 0 0}summary{cursor:pointer;color:var(--soft);font-size:13px}summary:hover{color:var(--ink)}
details pre{margin-top:6px}
.parts{margin:10px 0 0;padding-left:26px;font-size:13px}.parts li{margin:0 0 7px}.parts li::marker{color:var(--soft)}.parts .diff{margin-top:4px}
.cost{margin:9px 0 0;display:flex;flex-wrap:wrap;gap:3px 18px;font-size:13px;color:var(--soft);max-width:none}
.cost b{color:var(--ink);font-weight:600;font-variant-numeric:tabular-nums}.cost .same b{color:var(--soft);font-weight:400}
.pass{margin:8px 0 0;font-size:13.5px}
)";

  std::string path_;
  uint32_t file_;
  std::string printed_;
  Session session_;
  std::vector<transform::MemoryLevel> levels_ = memory_levels();
  std::pair<ir::IRModule, std::optional<Cost>> counted_{ir::IRModule(nullptr), std::nullopt};
  std::string cards_;
  std::vector<LineLink> links_;
  std::map<std::string, size_t> verdicts_;
  size_t steps_ = 0, primitives_ = 0, left_out_ = 0;
  double seconds_ = 0;
  bool refused_ = false;
};

}  // namespace

ProgramReport report_program(const std::string& path) { return Report(path).make(); }

}  // namespace mlc::repl
