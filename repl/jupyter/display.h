// SPDX-License-Identifier: Apache-2.0
// Values and errors as front ends show them.
#pragma once

#include <string>
#include <string_view>

#include "repl/jupyter/message.h"
#include "repl/session/session.h"

namespace mlc::repl::jupyter {

// The forms of a value by MIME type: its text, modules also with colours as HTML, and what a class of the
// program offers by IPython's methods `_repr_html_`, `_repr_svg_`, `_repr_markdown_` and `_repr_latex_`.
Json forms_of(Session& session, const ir::Any& value);

// Program text with the colours of the front end's theme.
std::string html_of(std::string_view program);

// "ename", "evalue", "traceback".
Json error_content(std::string name, std::string message, const std::string& report);
// Of the exception that is handled now. With `ways_out`, where a step was refused, what could take its place.
enum class WaysOut { kNone, kTried };
Json current_error(Session& session, WaysOut ways = WaysOut::kNone);

}  // namespace mlc::repl::jupyter
