// SPDX-License-Identifier: Apache-2.0
// Calendar time for the module time: what the C library knows of zones. The rest of `time` that is written in
// the language stands in stdlib/python/_time.mlc.
#include <cstring>
#include <ctime>

#include "frontend/script/core/library.h"
#include "frontend/script/numpy/array.h"

namespace mlc::script {
namespace {

using ir::ApiCall;
using ir::ApiKind;
using ir::native;

Any of_time(ApiCall& call) { return library_member(call.host, "_time", call.api.name); }

// Year, month, day, hour, minute, second, day of the week from Monday, day of the year, whether summer time
// holds.
Any local_time(ApiCall& call, int64_t seconds) {
  auto when = static_cast<time_t>(seconds);
  std::tm parts{};
  if (localtime_r(&when, &parts) == nullptr)
    raise("OverflowError", call.span_of(0), "out-of-range", "timestamp out of range for platform time_t");
  std::vector<Any> numbers;
  for (int number : {parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     (parts.tm_wday + 6) % 7, parts.tm_yday + 1, parts.tm_isdst})
    numbers.emplace_back(static_cast<int64_t>(number));
  return Tuple(numbers.begin(), numbers.end());
}

// The same nine numbers for the C library.
std::tm parts_of(ApiCall& call, size_t i) {
  std::vector<Any> all = evaluator_of(call.host).elements_of(call.args[i], call.span_of(i));
  int numbers[9] = {};
  for (size_t k = 0; k < 9; ++k) {
    if (k < all.size() && is_integer(all[k])) numbers[k] = static_cast<int>(raw_int(all[k]));
  }
  std::tm parts{};
  parts.tm_year = numbers[0] - 1900;
  parts.tm_mon = numbers[1] - 1;
  parts.tm_mday = numbers[2];
  parts.tm_hour = numbers[3];
  parts.tm_min = numbers[4];
  parts.tm_sec = numbers[5];
  parts.tm_wday = (numbers[6] + 1) % 7;
  parts.tm_yday = numbers[7] - 1;
  parts.tm_isdst = numbers[8];
  return parts;
}
Any formatted(ApiCall& call) {
  std::string format(text_of(call.args[0]));
  std::tm parts = parts_of(call, 1);
  // Zone and offset are those of this place at that time.
  std::tm local = parts;
  std::mktime(&local);
  parts.tm_gmtoff = local.tm_gmtoff;
  parts.tm_zone = local.tm_zone;
  if (format.empty()) return str_value("");
  // An empty result and one that does not fit look the same: a mark behind it tells them apart.
  format += '|';
  std::string text(format.size() + 64, '\0');
  for (;;) {
    size_t size = std::strftime(text.data(), text.size(), format.c_str(), &parts);
    if (size > 0) return str_value(std::string_view(text).substr(0, size - 1));
    text.resize(text.size() * 2);
  }
}
int64_t nanoseconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

// clang-format off
const ir::ApiRow clock_table[] = {
    {ApiKind::kFunction, "mlc", "local_time(seconds)", "Seconds since 1970 as numbers of a calendar: for time.",
     native(calls<local_time>)},
    {ApiKind::kFunction, "mlc", "format_time(format, parts)", "A time as text: for time.", formatted},
    {ApiKind::kFunction, "time", "monotonic_ns()", "Nanoseconds on a clock that never goes back.", native([] { return nanoseconds(CLOCK_MONOTONIC); })},
    {ApiKind::kFunction, "time", "process_time_ns()", "Nanoseconds of processor time.", native([] { return nanoseconds(CLOCK_PROCESS_CPUTIME_ID); })},
    {ApiKind::kValue, "time", "localtime", "Seconds since 1970 as a time of this place.", of_time},
    {ApiKind::kValue, "time", "strftime", "A time as text.", of_time},
};
// clang-format on

}  // namespace

std::span<const ir::ApiRow> clock_rows() { return clock_table; }

}  // namespace mlc::script
