#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The grammars and the extension of `editors/`, read by the engines that editors have.

    python3 tests/editors/run.py [NAME]...

TextMate's grammar by Oniguruma, the regular expressions of VS Code (textmate-grammar-python); the queries by tree-sitter
with its grammar of Python; Vim's files by vim; the extension by node, with a stand-in for the editor. What is not installed is said, and
fails unless ALLOW_MISSING is set.
"""
import io
import json
import logging
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import tokenize
import traceback

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = sorted([*ROOT.glob("examples/*.mlc"), *ROOT.glob("examples/tour/*.mlc")])


class Missing(Exception):
    pass


def scopes_of(text):
    """The words of a program with the scopes that TextMate's grammar gives them, by place."""
    try:
        from textmate_grammar.parsers.base import LanguageParser
    except ImportError:
        raise Missing("textmate-grammar-python")
    logging.disable(logging.WARNING)
    parser = LanguageParser(json.loads((ROOT / "editors/vscode/syntaxes/mlc.tmLanguage.json").read_text()))
    parser._initialize_repository()
    return [(place, word, scopes[1:]) for place, word, scopes in parser.parse_string(text).flatten()]


def test_textmate_scopes(_):
    text = '''# says
@T.prim_func(s_tir=True)
def scale(A: T.Buffer((16,), "float32")) -> None:
    for i in range(0x10):
        A[i] = A[i] ** 2.5e-3 if not i else f'{i}\\n'
class Mod(Base): pass
x = """one
# two
""" + rb"\\x00" + "open
y = lambda: True
#| printed
#! error
'''
    found = {}
    for _, word, scopes in scopes_of(text):
        if scopes:
            found.setdefault(scopes[-1].removesuffix(".mlc"), []).append(word)
    assert found["comment.line.number-sign"] == ["# says"], found
    assert found["comment.line.output"] == ["#| printed"] and found["comment.line.diagnostic"] == ["#! error"]
    assert found["entity.name.function.decorator"] == ["T.prim_func"]
    assert found["entity.name.function"] == ["scale"] and found["entity.name.type.class"] == ["Mod"]
    assert found["support.function"] == ["Buffer"] and found["entity.name.function.call"] == ["range"]
    assert found["constant.numeric"] == ["16", "0x10", "2.5e-3"], found
    assert found["constant.language"] == ["True", "None", "True"] and found["keyword.operator.logical"] == ["in", "not"]
    assert found["keyword.control"] == ["for", "if", "else", "pass"], found
    assert found["constant.character.escape"] == ["\\n", "\\x00"], found
    # A string of one line that is not closed ends with the line.
    assert found["storage.type.function.lambda"] == ["lambda"]


def test_textmate_agrees_with_python(_):
    """Comments, numbers and whole strings of the examples are where Python's own lexer has them."""
    checked = 0
    for path in PROGRAMS:
        text = path.read_text()
        if not text.isascii():
            continue
        lines = text.split("\n")
        scope_at = {}
        for (line, column), word, scopes in scopes_of(text):
            for i in range(len(word)):
                scope_at[line, column + i] = scopes[0] if scopes else ""
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            wanted = {tokenize.COMMENT: "comment.", tokenize.NUMBER: "constant.numeric", tokenize.STRING: "string."}.get(token.type)
            if wanted is None:
                continue
            checked += 1
            (line, begin), (last, end) = token.start, token.end
            for at in range(line, last + 1):
                row = range(begin if at == line else 0, end if at == last else len(lines[at - 1]))
                for column in row:
                    scope = scope_at.get((at - 1, column), "")
                    assert scope.startswith(wanted), f"{path.name}:{at}:{column + 1}: `{token.string}` is {scope or 'nothing'}"
    assert checked > 1000, checked


def tree_sitter_of_python():
    try:
        import tree_sitter
        import tree_sitter_python
    except ImportError:
        raise Missing("tree-sitter and tree-sitter-python")
    return tree_sitter, tree_sitter.Language(tree_sitter_python.language())


def test_tree_sitter_reads_programs(_):
    tree_sitter, language = tree_sitter_of_python()
    parser = tree_sitter.Parser(language)
    for path in PROGRAMS:
        tree = parser.parse(path.read_bytes())
        assert not tree.root_node.has_error, f"{path.name} is no program to tree-sitter's grammar"


def test_tree_sitter_queries(_):
    tree_sitter, language = tree_sitter_of_python()
    query = tree_sitter.Query(language, (ROOT / "editors/tree-sitter/queries/mlc/highlights.scm").read_text())
    program = b'''# plain
@T.prim_func
def f(A: T.Buffer((4,), "float32")):
    with T.sblock("C"):
        A[0] = other.grid(1)
sch.get_sblock("C")
#| printed
#! error
'''
    tree = tree_sitter.Parser(language).parse(program)

    def predicate(name, arguments, _pattern, captures):
        # Neovim's: the patterns of ours are plain prefixes.
        assert name == "lua-match?", name
        capture, pattern = arguments[0][0], arguments[1][0]
        return all(node.text.decode().startswith(pattern.removeprefix("^")) for node in captures[capture])

    found = tree_sitter.QueryCursor(query).captures(tree.root_node, predicate)
    words = {name: [node.text.decode() for node in sorted(nodes, key=lambda each: each.start_byte)] for name, nodes in found.items()}
    assert words["module"] == ["T", "T", "T"] and words["function.builtin"] == ["prim_func", "Buffer", "sblock"], words
    assert words["label"] == ['"C"', '"C"'], words
    assert words["comment.documentation"] == ["#| printed"] and words["comment.error"] == ["#! error"], words


def test_vim(_):
    """The type of the file, Python's words and ours, what a comment is."""
    if shutil.which("vim") is None or not any(pathlib.Path("/usr/share/vim").glob("vim*/syntax/python.vim")):
        raise Missing("vim with its runtime files")
    with tempfile.TemporaryDirectory() as folder:
        program, script, out = (pathlib.Path(folder) / name for name in ("p.mlc", "t.vim", "out"))
        program.write_text('def f():\n    with T.sblock("C"): pass\n#| out\n#! error\n')
        places = [(1, 1), (2, 10), (2, 20), (3, 1), (4, 1)]
        script.write_text(
            f"set nocompatible\nfiletype plugin on\nsyntax on\nedit {program}\nredir! > {out}\n"
            "silent echo &filetype &commentstring &shiftwidth b:current_syntax\n"
            + "".join(f"silent echo synIDattr(synID({line}, {column}, 1), 'name')\n" for line, column in places) + "redir END\nquitall!\n")
        subprocess.run(["vim", "-es", "-u", "NONE", "--cmd", f"set rtp^={ROOT / 'editors/vim'}", "-S", script], stdin=subprocess.DEVNULL, timeout=20)
        assert out.read_text().split("\n")[1:] == ["mlc # %s 4 mlc", "pythonStatement", "mlcDialect", "pythonString", "mlcOutput", "mlcDiagnostic"], out.read_text()


def test_extension(_):
    """It starts the server, shows the module of run to here, and hands the other commands on."""
    if shutil.which("node") is None:
        raise Missing("node")
    run = subprocess.run(["node", HERE / "extension.js", ROOT / "editors/vscode/extension.js"], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def main():
    wanted = sys.argv[1:]
    passed = failed = 0
    for name, test in list(globals().items()):
        if not name.startswith("test_") or (wanted and name not in wanted):
            continue
        try:
            test(None)
            passed += 1
        except Missing as missing:
            print(f"SKIPPED {name}: {missing} is not installed")
            failed += not os.environ.get("ALLOW_MISSING")
        except Exception:
            failed += 1
            print(f"FAILED {name}")
            traceback.print_exc(file=sys.stdout)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
