// SPDX-License-Identifier: Apache-2.0
// Drives one LLVMFuzzerTestOneInput without libFuzzer: random bytes, random tokens and mutated files, for a
// bounded time or count, from a seed that is printed, so that every failure can be had again.
//
//   fuzz_NAME [--seconds S] [--count N] [--seed X] [--from I] [--limit-ms M] [--keep-going] [--input FILE]
//             [FILE or FOLDER]...
//
// The closing line is that of every part of the tests: `N passed, N failed`. An input that takes longer than
// the limit fails; a crash leaves the input in fuzz-crash.mlc of the working directory. A check that fails
// ends the run, unless it shall keep going; its input is shrunk first, by running parts of it in children,
// and what the shrunk one says is shown. `--from` skips inputs: those before number I are drawn, not run.
// `--input FILE` runs that file alone. A target that has not done what it is for, by its report, fails as
// well.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/driver/shrink.h"
#include "tests/fuzz/report.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using Clock = std::chrono::steady_clock;

// What runs now, for the signal handler.
const std::string* current = nullptr;

void save_current(const char* path) {
  if (FILE* out = std::fopen(path, "wb")) {
    std::fwrite(current->data(), 1, current->size(), out);
    std::fclose(out);
  }
}

void on_crash(int signal) {
  save_current("fuzz-crash.mlc");
  constexpr std::string_view text = "the input is in fuzz-crash.mlc\n0 passed, 1 failed\n";
  if (write(STDOUT_FILENO, text.data(), text.size()) < 0) _exit(2);
  _exit(128 + signal);
}

class Generator {
 public:
  Generator(uint64_t seed, std::vector<std::string> corpus) : random_(seed), corpus_(std::move(corpus)) {}

  std::string next() {
    switch (below(corpus_.empty() ? 2 : 6)) {
      case 0:
        return bytes();
      case 1:
        return tokens();
      default:
        return mutated();
    }
  }

 private:
  size_t below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); }

  std::string bytes() {
    std::string text(below(400), '\0');
    for (char& c : text) c = static_cast<char>(below(256));
    return text;
  }

  std::string token() {
    static const std::vector<std::string_view> kTokens = {
        "def ",     "class ",     "for ",    "in ",  "while ",  "if ",   "else",    "elif ",  "with ",
        "as ",      "lambda ",    "return ", "not ", "is ",     "and ",  "or ",     "yield ", "try",
        "except ",  "finally",    "raise ",  "del ", "import ", "from ", "global ", "pass",   "None",
        "True",     "@",          "(",       ")",    "[",       "]",     "{",       "}",      ":",
        ",",        ".",          "=",       "==",   ":=",      "->",    "+",       "-",      "*",
        "**",       "//",         "/",       "%",    "<<",      ">>",    "~",       "\n",     "\n    ",
        "\n\t",     "\n        ", "\\\n",    "#",    "'",       "\"",    "\"\"\"",  "f\"{",   "}\"",
        "!r",       "...",        "x",       "T",    "tvm",     "0",     "1e9",     "0x",     "1_0",
        "\xc3\xa9", "\r\n",       ";"};
    return std::string(kTokens[below(kTokens.size())]);
  }

  std::string tokens() {
    std::string text;
    for (size_t n = below(80); n > 0; --n) text += token();
    return text;
  }

  std::string mutated() {
    std::string text = corpus_[below(corpus_.size())];
    for (size_t n = 1 + below(6); n > 0 && !text.empty(); --n) {
      size_t at = below(text.size());
      size_t length = std::min(text.size() - at, 1 + below(24));
      switch (below(6)) {
        case 0:
          text[at] = static_cast<char>(below(256));
          break;
        case 1:
          text.erase(at, length);
          break;
        case 2:
          text.insert(at, token());
          break;
        case 3:
          text.insert(below(text.size()), text.substr(at, length));
          break;
        case 4:
          text.resize(at);
          break;
        default: {
          const std::string& other = corpus_[below(corpus_.size())];
          if (!other.empty()) text.replace(at, length, other.substr(below(other.size()), 1 + below(200)));
        }
      }
    }
    return text;
  }

  std::mt19937_64 random_;
  std::vector<std::string> corpus_;
};

// What the target says of the input: nothing where all is well.
std::string complaint(const std::string& input) {
  current = &input;
  try {
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

bool fails_in_child(const std::string& input) {
  std::fflush(stdout);  // or the child prints it again
  pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    for (int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS}) std::signal(signal, SIG_DFL);
    if (std::freopen("/dev/null", "w", stdout) == nullptr) _exit(2);
    alarm(10);
    _exit(complaint(input).empty() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return !(WIFEXITED(status) && WEXITSTATUS(status) == 0) &&
         !(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM);
}

void read_corpus(const std::filesystem::path& path, std::vector<std::string>& corpus) {
  namespace fs = std::filesystem;
  auto add = [&](const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(in)), {});
    if (text.size() <= 16384) corpus.push_back(std::move(text));
  };
  if (!fs::is_directory(path)) return add(path);
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_regular_file() && entry.path().extension() == ".mlc") add(entry.path());
  }
}

}  // namespace

int main(int argc, char** argv) {
  double seconds = 5;
  uint64_t count = UINT64_MAX;
  uint64_t from = 0;
  uint64_t seed = std::random_device{}();
  double limit_ms = 2000;
  bool keep_going = false;
  std::string only;
  std::vector<std::string> corpus;
  for (int i = 1; i < argc; ++i) {
    std::string_view option = argv[i];
    auto value = [&] { return i + 1 < argc ? argv[++i] : ""; };
    if (option == "--seconds")
      seconds = std::atof(value());
    else if (option == "--count")
      count = std::strtoull(value(), nullptr, 10);
    else if (option == "--seed")
      seed = std::strtoull(value(), nullptr, 10);
    else if (option == "--from")
      from = std::strtoull(value(), nullptr, 10);
    else if (option == "--limit-ms")
      limit_ms = std::atof(value());
    else if (option == "--keep-going")
      keep_going = true;
    else if (option == "--input")
      only = value();
    else if (std::filesystem::exists(argv[i]))
      read_corpus(argv[i], corpus);
    else
      return fmt::print("`{}` is neither an option nor a file; the options are in {}\n", option, __FILE__), 2;
  }
  fmt::print("seed {}, {} files\n", seed, corpus.size());
  std::fflush(stdout);
  for (int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS}) std::signal(signal, on_crash);

  if (!only.empty()) {
    read_corpus(only, corpus);
    std::string said = complaint(corpus.back());
    fmt::print("{}{}\n", said, said.empty() ? "nothing is wrong with this input" : "");
    return said.empty() ? 0 : 1;
  }
  Generator generator(seed, std::move(corpus));
  uint64_t done = 0;
  uint64_t slow = 0;
  uint64_t wrong = 0;
  uint64_t bytes = 0;
  Clock::time_point start = Clock::now();
  for (; done < count; ++done) {
    Clock::time_point before = Clock::now();
    if (std::chrono::duration<double>(before - start).count() > seconds) break;
    std::string input = generator.next();
    if (done < from) continue;
    if (std::string said = complaint(input); !said.empty()) {
      if (!keep_going) input = mlc::fuzz::shrunk(input, fails_in_child, 30);
      // A failure that is not there in a child needs what ran before it.
      std::string again = keep_going ? said : complaint(input);
      save_current("fuzz-crash.mlc");
      fmt::print("input {}: {}\n", done, again.empty() ? said : again);
      ++wrong;
      if (!keep_going) break;
    }
    bytes += input.size();
    double took = std::chrono::duration<double, std::milli>(Clock::now() - before).count();
    if (took > limit_ms) {
      save_current("fuzz-slow.mlc");
      fmt::print("input {} took {:.0f} ms; it is in fuzz-slow.mlc\n", done, took);
      ++slow;
    }
  }
  fmt::print("{} inputs, {} bytes\n", done, bytes);
  mlc::fuzz::Report report = mlc::fuzz::report();
  fmt::print("{}", report.text);
  bool good = slow == 0 && wrong == 0 && report.good;
  if (wrong != 0) fmt::print("{} inputs failed; the last is in fuzz-crash.mlc\n", wrong);
  fmt::print("{} passed, {} failed\n", good ? 1 : 0, good ? 0 : 1);
  return good ? 0 : 1;
}
