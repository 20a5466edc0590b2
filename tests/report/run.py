#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plots and reports, read by parsers of HTML and XML.

    python3 tests/report/run.py MLC [--update]

What they say is compared with what the session's commands say of the same modules. `--update` rewrites the drawing that
is kept beside this file.
"""
import html.parser
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

here = pathlib.Path(__file__).resolve().parent
mlc = os.path.abspath(sys.argv[1])
MOST = 300_000
VOID = {"meta", "link", "br", "img", "input", "hr"}
SVG = "{http://www.w3.org/2000/svg}"
env = dict(os.environ, NO_COLOR="1", LC_ALL="C.UTF-8")


class Page(html.parser.HTMLParser):
    """A page whose elements are all closed, in order, with what stands in them."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.wrong = [], [], []
        self.feed(text)
        self.close()
        if self.open:
            self.wrong.append(f"not closed: {self.open}")

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        if len(names) != len(set(names)):
            self.wrong.append(f"{tag} has an attribute twice: {names}")
        element = {"tag": tag, "text": "", **{"@" + name: value for name, value in attrs}}
        self.elements.append(element)
        if tag not in VOID:
            self.open.append((tag, element))

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open[-1][0] != tag:
            self.wrong.append(f"</{tag}> at {self.getpos()} in {[each[0] for each in self.open[-3:]]}")
        else:
            self.open.pop()

    def handle_data(self, data):
        for _, element in self.open:
            element["text"] += data

    def all(self, tag, **attributes):
        return [e for e in self.elements if e["tag"] == tag and all(e.get("@" + k.rstrip("_")) == v for k, v in attributes.items())]

    def of_class(self, name):
        return [e for e in self.elements if name in (e.get("@class") or "").split()]


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def session(folder, lines):
    done = subprocess.run([mlc], input="\n".join(lines) + "\n", text=True, capture_output=True, cwd=folder, env=env, timeout=120)
    check(done.returncode == 0, f"exit code {done.returncode}: {done.stderr}")
    return done.stdout


def read_page(path):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    check(len(text.encode()) <= MOST, f"{path} has {len(text.encode())} bytes")
    page = Page(text)
    check(not page.wrong, page.wrong[:5])
    check(len(page.all("script")) == 1, "one script, which is ours")
    check(any("default-src 'none'" in (e.get("@content") or "") for e in page.all("meta")), "a policy that loads nothing")
    for element in page.elements:
        for name in ("@src", "@href", "@xlink:href"):
            target = element.get(name)
            check(target is None or target.startswith("#"), f"{element['tag']} refers to {target}")
    check("url(" not in text and "@import" not in text, "styles load nothing")
    ids = [e["@id"] for e in page.elements if e.get("@id")]
    check(len(ids) == len(set(ids)), "identifiers are there once")
    for element in page.elements:
        target = element.get("@data-to") or (element.get("@href") or "")[1:]
        check(not target or target in ids, f"#{target} is nowhere")
    return page


def texts(svg):
    return [e.text or "" for e in svg.iter(SVG + "text")]


def runs_of(tree):
    """The column `runs` of :tree, in order."""
    found = []
    for line in tree.splitlines():
        if line == "buffers":
            break
        cells = re.split(r"  +", line.strip())
        numbers = [c for c in cells[1:] if re.fullmatch(r"[\d,]+", c)]
        if numbers and not line.startswith(("#", ">")):
            found.append(numbers[-1])
    return found


def test_roofline_far_below_one_operation(folder):
    """Labels of an axis that goes to one operation for 2 ** 37 bytes are powers of two."""
    program = """from tvm.script import tirx as T
@T.prim_func(s_tir=True)
def copy(A: T.Buffer((17179869184,), "float32"), B: T.Buffer((17179869184,), "float32")):
    for i in T.serial(T.int64(17179869184)):
        B[i] = A[i]
    B[T.int64(0)] = A[T.int64(0)] + T.float32(1)
"""
    (folder / "copy.mlc").write_text(program)
    session(folder, [":load copy.mlc", ":plot roofline copy --target nvidia-a100 -o far.svg"])
    labels = [int(t[2:]) for t in texts(xml.parse(folder / "far.svg").getroot()) if t.startswith("1/")]
    check(len(labels) > 4 and max(labels) >= 2**36, labels)
    check(all(each > 0 and each & (each - 1) == 0 for each in labels), labels)


def test_nest(folder):
    out = session(folder, [f":load {here}/small.mlc", ":tree", ":plot nest -o nest.svg", ":plot nest"])
    svg = xml.parse(folder / "nest.svg").getroot()
    shown = texts(svg)
    wanted = runs_of(out)
    check(len(wanted) == 8, f"loops and blocks of :tree: {wanted}")
    check([t[2:] for t in shown if t.startswith("× ")] == wanted, f"{shown} beside {wanted}")
    check("var(" not in (folder / "nest.svg").read_text(encoding="utf-8"), "programs that draw SVG know no variables of CSS")
    for word in ("parallel", "vectorized", "unrolled"):
        check(shown.count(word) == 1, f"`{word}` in {shown}")
    for name, size in (("A", "8 KiB"), ("C", "256 B"), ("B", "8 KiB")):
        check(f"  {name} " in out and size in shown, f"{name} has {size}")
    check(any(t.startswith("where ") for t in shown), "the condition of the uneven split")
    page = read_page(folder / "plot-nest.html")
    check(len(page.all("svg")) == 1 and "plot-nest.html" in out, "the page is named")
    # Boxes and lines of the source beside find each other.
    lines = {e["@data-line"]: e["text"] for e in page.of_class("l")}
    linked = [e["@data-line"] for e in page.all("g") if e.get("@data-line")]
    check(len(linked) == 8, f"boxes with a line: {linked}")
    check(all(re.search(r"\b(for|sblock)\b", lines[n]) for n in linked), [lines[n] for n in linked])
    update = "--update" in sys.argv
    golden = here / "small.svg"
    if update:
        golden.write_text((folder / "nest.svg").read_text(encoding="utf-8"), encoding="utf-8")
    check(golden.read_text(encoding="utf-8") == (folder / "nest.svg").read_text(encoding="utf-8"), "the drawing is another one than small.svg")
    # The second page has a name of its own.
    session(folder, [f":load {here}/small.mlc", ":plot nest"])
    check((folder / "plot-nest-2.html").exists(), "what is there is not overwritten")


def boxes_of(svg):
    """Boxes as (x, y, width, height), and lines between them as lists of (x, y)."""
    number = lambda e, name: float(e.get(name))
    boxes = [tuple(number(e, n) for n in ("x", "y", "width", "height")) for e in svg.iter(SVG + "rect")
             if (e.get("class") or "").split()[:1] == ["box"]]
    lines = []
    for path in svg.iter(SVG + "path"):
        if path.get("class") != "edge":
            continue
        points = []
        for command, rest in re.findall(r"([MLC])([^MLC]*)", path.get("d")):
            values = [float(v) for v in rest.split()]
            points.append(tuple(values[-2:]))
        lines.append(points)
    return boxes, lines


def test_graph(folder):
    commands = [f":load {here}/graph.mlc", ":plot graph Zoo -o zoo.html"]
    for name in ("Zoo", "Fused", "Groups", "Layers"):
        commands.append(f":plot graph {name} -o {name}.svg")
    session(folder, commands)
    for name, parts in (("Zoo", []), ("Fused", ["matmul", "compute"]), ("Groups", ["matmul", "relu"]), ("Layers", [])):
        svg = xml.parse(folder / f"{name}.svg").getroot()
        boxes, lines = boxes_of(svg)
        check(len(boxes) >= 5 and len(lines) >= len(boxes) - 1, f"{name}: {len(boxes)} boxes, {len(lines)} lines")
        width = float(svg.get("width"))
        for i, (x, y, w, h) in enumerate(boxes):
            check(x >= 0 and x + w <= width, f"{name}: a box ends at {x + w} of {width}")
            for other in boxes[i + 1:]:
                apart = x + w <= other[0] or other[0] + other[2] <= x or y + h <= other[1] or other[1] + other[3] <= y
                check(apart, f"{name}: boxes on one another: {(x, y, w, h)}, {other}")
        for points in lines:
            check(all(a[1] <= b[1] for a, b in zip(points, points[1:])), f"{name}: a line goes upward: {points}")
            check(any(abs(y + h - points[0][1]) < 0.2 and x <= points[0][0] <= x + w for x, y, w, h in boxes), "it begins at a box")
            check(any(abs(y - points[-1][1]) < 0.2 and x <= points[-1][0] <= x + w for x, y, w, h in boxes), "it ends at a box")
            for (ax, ay), (bx, by) in zip(points, points[1:]):
                if ax == bx:
                    check(not any(x < ax < x + w and ay < y + h / 2 < by for x, y, w, h in boxes), f"{name}: a line crosses a box")
        shown = texts(svg)
        check(all(part in shown for part in parts), f"{name}: {parts} in {shown}")
    shown = texts(xml.parse(folder / "Zoo.svg").getroot())
    for word in ("reduction", "injective", "elementwise", "opaque", "product", "somebody.else", "return"):
        check(word in shown, f"{word} in {shown}")
    shown = texts(xml.parse(folder / "Layers.svg").getroot())
    check("the same 39 times more" in shown, shown)
    page = read_page(folder / "zoo.html")
    lit = [e["@data-line"] for e in page.elements if e["tag"] == "g" and e.get("@data-line")]
    numbered = {e["@data-line"]: e["text"] for e in page.of_class("l")}
    check(len(lit) >= 10 and all(" = " in numbered[line] or "if c" in numbered[line] or "def " in numbered[line] or ": " in numbered[line] for line in lit), "boxes find their lines")


def test_access(folder):
    session(folder, [f":load {here}/small.mlc", ":plot access B -o b.html", ":plot access C -o c.svg", ":plot access -o most.svg"])
    page = read_page(folder / "b.html")
    tips = [e["text"] for e in page.all("title")]
    check(any(t.startswith("A float32 64 × 32\n2,048 loads and 0 stores watched\n128 of its lines") for t in tips), tips)
    check(any(t.startswith("B float32 64 × 32\n0 loads and 2,048 stores watched\n128 of its lines") for t in tips), tips)
    check(any("stride +1 in 100 %" in t for t in tips), tips)
    # Half of the accesses find the line that was touched two accesses before, and 256 of 4,096 touch a line first.
    check(any(t.startswith("A: 3.1 % of all accesses\ntheir line had not") for t in tips), tips)
    check(any(t.startswith("A: 46.9 % of all accesses\nof a line touched 64 B to 128 B ago") for t in tips), tips)
    svg = xml.parse(folder / "c.svg").getroot()
    check(any(t == "all 6,208 accesses" for t in texts(svg)), "3 * 2,048 of the sum, and 64 of its init")
    check("sum" not in texts(svg), "")
    titles = [e.text for e in xml.parse(folder / "most.svg").getroot().iter(SVG + "title")]
    check(titles[0] == "Accesses of block C in main", titles[0])


def test_roofline(folder):
    out = session(folder, [f":load {here}/small.mlc", ":plot roofline --target nvidia-a100 -o roof.html",
                           ":plot roofline --target nvidia-a100 -o roof.svg", ":cost --target nvidia-a100"])
    read_page(folder / "roof.html")
    tips = [e.text for e in xml.parse(folder / "roof.svg").getroot().iter(SVG + "title")]
    (tip,) = [t for t in tips if t.startswith("main: ")]
    operations = re.search(r"main: ([\d,]+) floating-point operations", out).group(1)
    check(tip.startswith(f"main: {operations} operations\n"), tip)
    rate, bound = re.search(r"bound by (\w+): at most ([\d.]+ [kMGT]?)FLOP/s", out).group(2, 1)
    check(f"at most {rate.strip()} per second, bound by {bound}" in tip, f"{tip} beside {rate}, {bound}")
    moved = re.search(r"^  memory +([\d.]+ [KMG]?i?B) ", out, re.M).group(1)
    check(f"memory: {moved} moved" in tip, f"{tip} beside {moved}")


def test_steps(folder):
    out = session(folder, [f":load {here}/small.mlc", ":plot steps -o steps.html", ":steps"])
    page = read_page(folder / "steps.html")
    states = re.findall(r"^[* -] +(\d+)", out, re.M)
    rows = [e for e in page.all("g") if "hit" in (e.get("@class") or "")]
    check(len(rows) == len(states), f"{len(rows)} rows, {len(states)} states")
    proved = [e for e in rows if "proved" in e["@class"]]
    check(len(proved) == 5, f"{len(proved)} steps of the schedule are proved")
    lines = {e["@data-line"]: e["text"] for e in page.of_class("l")}
    for row in rows:
        source = row["text"].split(": ", 1)[1].split("\n")[0].removesuffix(" ...")
        check(lines[row["@data-line"]].strip().startswith(source[:40]), f"line {row['@data-line']} is not {source}")


def test_names(folder):
    session(folder, [f":load {here}/names.mlc", ":plot nest -o nest.html", ":plot nest -o nest.svg", ":plot access -o access.html",
                     ":plot access -o access.svg", ":plot steps -o steps.html", ":plot steps -o steps.svg"])
    evil = "</title></g></script><script>alert('1')</script>\"&amp;"
    for name in ("nest", "access", "steps"):
        page = read_page(folder / f"{name}.html")
        svg = xml.parse(folder / f"{name}.svg").getroot()
        if name != "steps":
            check(any(evil + "\u2401é" in (e.text or "") for e in svg.iter(SVG + "title")), f"the name in {name}.svg")
            check(any(evil in e["text"] for e in page.all("title")), f"the name in {name}.html")
    # A golden cannot hold a control character that is printed.
    (folder / "names.mlc").write_text((here / "names.mlc").read_text() + 'print("\\x1b[31mred")\n')
    done = explain(folder, folder / "names.mlc")
    check(done.returncode == 0, done.stderr)
    page = read_page(folder / "report.html")
    for printed in ("<b>printed</b> &amp;", "\u241b[31mred"):
        check(any(printed in e["text"] for e in page.all("pre")), f"{printed} was printed")


def explain(folder, program):
    return subprocess.run([mlc, "explain", "--report", "report.html", str(program)], text=True, capture_output=True, cwd=folder, env=env,
                          timeout=120)


def test_steps_of_one_statement_are_counted(folder):
    (folder / "taken.mlc").write_text((here / "names.mlc").read_text() + '''
def taken():
    sch = tvm.s_tir.Schedule(main)
    (loop,) = sch.get_loops(sch.get_child_blocks(sch.get_sblock("root"))[0])
    outer, inner = sch.split(loop, [4, 4])
    sch.reorder(inner, outer)
    return sch


sch = taken()
''')
    done = explain(folder, folder / "taken.mlc")
    check(done.returncode == 0, done.stderr)
    tiles = {e["text"] for e in read_page(folder / "report.html").of_class("tile")}
    check("2steps of schedules" in tiles and "2proved" in tiles, tiles)


def test_report(folder):
    done = explain(folder, here / "small.mlc")
    check(done.returncode == 0 and done.stdout.startswith("report.html: "), done.stdout + done.stderr)
    page = read_page(folder / "report.html")
    tiles = {e["text"] for e in page.of_class("tile")}
    check("5steps of schedules" in tiles and "5proved" in tiles, tiles)
    steps = page.of_class("step")
    source = (here / "small.mlc").read_text().splitlines()
    numbered = [(int(e["@data-line"]), e["text"]) for e in steps if e["tag"] == "article"]
    check(len(numbered) >= 10, numbered)
    for line, text in numbered:
        check(source[line - 1].split(" ")[0] in text, f"line {line} is not {text[:60]}")
    split = next(text for line, text in numbered if "split(j" in text)
    check("j (32) -> j_0 (4), j_1 (8)" in split, split)
    check(len(page.all("figure")) == 1, "the loops at the end")


def test_refused(folder):
    done = explain(folder, here / "refused.mlc")
    check(done.returncode == 1, f"exit code {done.returncode}")
    page = read_page(folder / "report.html")
    (card,) = page.of_class("refused")
    check("error[split-not-covering]" in card["text"] or "error[" in card["text"], card["text"])
    check("[3, 2]" in card["text"] and "^" in card["text"], card["text"])
    body = " ".join(e["text"] for e in page.all("section"))
    behind = (here / "refused.mlc").read_text().splitlines().index('print("not reached")') + 1
    check(f"2 statements behind it, from line {behind} on, did not run" in body, body[-300:])
    check("tiled" in body and "not run\n" not in body, "what was printed")
    parts = [e["text"] for e in page.all("li")]
    check(len(parts) == 3 and "sch.split(" in parts[0] and "sch.parallel(" in parts[1] and "sch.vectorize(" in parts[2], parts)
    check(all("proved" in part for part in parts), parts)


def luminance(colour):
    digits = colour[1:] if len(colour) == 7 else "".join(2 * c for c in colour[1:])
    parts = [int(digits[i:i + 2], 16) / 255 for i in (0, 2, 4)]
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def test_contrast(folder):
    """WCAG 2.1, AA: 4.5 between text and what is behind it, light and dark."""
    explain(folder, here / "small.mlc")
    text = (folder / "report.html").read_text(encoding="utf-8")
    schemes = [dict(re.findall(r"--(\w+):(#[0-9a-f]+)", block)) for block in re.findall(r":root\{(.*?)\}", text, re.S)]
    check(len(schemes) == 2 and all(len(s) > 20 for s in schemes), schemes)
    words = ("ink", "soft", "serial", "parallel", "vectorized", "unrolled", "thread", "accent", "good", "known", "open", "bad")
    pairs = [(w, b) for w in words for b in ("paper", "card", "faint")] + [("plus", "plusback"), ("minus", "minusback")]
    for scheme in schemes:
        for word, behind in pairs:
            low, high = sorted(luminance(scheme[name]) for name in (word, behind))
            check((high + 0.05) / (low + 0.05) >= 4.5, f"{word} {scheme[word]} on {behind} {scheme[behind]}")


def test_large(folder):
    lines = ["import tvm", "from tvm.script import tirx as T", "@T.prim_func(s_tir=True)",
             "def main(A: T.Buffer((64,), \"float32\"), B: T.Buffer((64,), \"float32\")):"]
    for i in range(180):
        lines += [f"    for i{i} in range(64):", f"        with T.sblock(\"b{i}\"):", f"            v = T.axis.spatial(64, i{i})",
                  "            B[v] = A[v] + B[v]"]
    lines += ["sch = tvm.s_tir.Schedule(main)"]
    for i in range(180):
        lines += [f"_, x{i} = sch.split(sch.get_loops(sch.get_sblock(\"b{i}\"))[0], [8, 8])", f"sch.unroll(x{i})"]
    (folder / "large.mlc").write_text("\n".join(lines) + "\n")
    done = explain(folder, folder / "large.mlc")
    check(done.returncode == 0, done.stderr)
    page = read_page(folder / "report.html")
    check(any("more statements do not fit" in e["text"] for e in page.all("p")), "what was left out is said")
    session(folder, [":load large.mlc", ":plot nest -o nest.html", ":plot steps -o steps.html", ":plot access -o access.html"])
    check(any("more loops and blocks are not drawn" in e["text"] for e in read_page(folder / "nest.html").all("text")), "nest")
    check(any("steps before these are not drawn" in e["text"] for e in read_page(folder / "steps.html").all("text")), "steps")
    read_page(folder / "access.html")


def main():
    tests = [value for name, value in globals().items() if name.startswith("test_")]
    failed = 0
    for test in tests:
        with tempfile.TemporaryDirectory() as folder:
            try:
                test(pathlib.Path(folder))
            except Exception as error:  # noqa: BLE001: any is a failure
                failed += 1
                print(f"FAILED {test.__name__}: {type(error).__name__}: {str(error)[:1500]}")
    print(f"{len(tests) - failed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
