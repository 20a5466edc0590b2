# SPDX-License-Identifier: Apache-2.0
"""Sites where a mistake can be planted, and the text that has them all behind a switch."""
from dataclasses import dataclass, field

# How the drawing weighs the kinds: how often people make such a mistake, and how seldom it shows by itself.
WEIGHTS = {"condition": 4, "relation": 4, "term": 4, "operands": 3, "call": 3, "statement": 3, "branch": 3,
           "number": 2, "truth": 1}

RELATIONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}

# Functions that are taken for each other, and those whose order of arguments matters.
TWINS = {}
for _one, _other in [("min", "max"), ("Min", "Max"), ("floordiv", "truncdiv"), ("floormod", "truncmod"),
                     ("floordiv", "floormod"), ("floor", "ceil"), ("lt", "le"), ("gt", "ge"), ("eq", "ne"),
                     ("add", "sub"), ("all_of", "any_of"), ("lower_bound", "upper_bound"), ("logical_and", "logical_or"),
                     ("min_value", "max_value"), ("has_lower", "has_upper"), ("front", "back"), ("begin", "rbegin"),
                     ("all", "any"), ("intersect", "join"), ("can_prove_lt", "can_prove_le"),
                     ("can_prove_gt", "can_prove_ge"), ("ceildiv", "floordiv"), ("is_int", "is_uint")]:
    TWINS.setdefault(_one, _other)
    TWINS.setdefault(_other, _one)
ORDERED = {"sub", "div", "mod", "floordiv", "floormod", "truncdiv", "truncmod", "ceildiv", "lt", "le", "gt", "ge",
           "floor_div", "floor_mod", "indexdiv", "indexmod", "shift_left", "shift_right", "uses_var"}
SUMS = {"add", "sub", "mul", "max", "min", "logical_and", "logical_or", "join", "intersect"}


@dataclass
class Site:
    """One mistake: the text from `start` to `end` becomes `mutated`.

    `form` says how the switch is written: "fixed" (a condition that is taken for `mutated`), "either" (two values
    that can both be computed), "ternary", "statement".
    """
    path: str
    line: int
    start: int
    end: int
    kind: str
    form: str
    right: str
    mutated: str
    text: str = ""  # the line, without what is around it
    id: int = -1
    room: str = ""

    @property
    def tells_difference(self):
        return self.form in ("fixed", "either")

    @property
    def change(self):
        short = lambda text: " ".join(text.split())
        if self.form == "fixed":
            return f"`{short(self.right)}` is taken for {self.mutated}"
        if self.form == "statement":
            return f"`{short(self.right)}` is left out"
        return f"`{short(self.right)}` becomes `{short(self.mutated)}`"


@dataclass
class Language:
    """How the switch is written. Each form has fields id, mutated, right."""
    forms: dict = field(default_factory=dict)


CPP = Language({
    "fixed": "mlc_mutation::fixed({id}, {mutated}, static_cast<bool>({right}))",
    "either": "mlc_mutation::either({id}, ({mutated}), ({right}))",
    "ternary": "(mlc_mutation::on({id}) ? ({mutated}) : ({right}))",
    "statement": "(mlc_mutation::on({id}) ? void() : static_cast<void>({right}))",
})

MLC = Language({
    "fixed": "mutant_fixed({id}, {mutated}, ({right}))",
    "ternary": "(({mutated}) if mutant_on({id}) else ({right}))",
    "statement": "(None if mutant_on({id}) else ({right}))",
})


def rewritten(source, sites, language):
    """The bytes of `source` with all `sites` behind their switches; right texts keep what is planted inside them."""
    ordered = sorted(sites, key=lambda site: (site.start, -site.end))

    def span(start, end, inner):
        out, position, index = b"", start, 0
        while index < len(inner):
            site = inner[index]
            index += 1
            within = []
            while index < len(inner) and inner[index].start < site.end:
                within.append(inner[index])
                index += 1
            out += source[position:site.start]
            right = span(site.start, site.end, within).decode()
            out += language.forms[site.form].format(id=site.id, mutated=site.mutated, right=right).encode()
            position = site.end
        return out + source[position:end]

    return span(0, len(source), ordered)


def drawn(sites, count, random, apart=()):
    """Up to `count` of the sites: a kind by its weight, then a site of that kind, none that cuts another in two."""
    chosen = list(apart)
    left = list(sites)
    result = []
    while left and len(result) < count:
        kinds = sorted({site.kind for site in left})
        kind = random.choices(kinds, [WEIGHTS[kind] for kind in kinds])[0]
        site = random.choice([site for site in left if site.kind == kind])
        left.remove(site)
        if all(fits(site, other) for other in chosen):
            chosen.append(site)
            result.append(site)
    return result


def fits(site, other):
    """Whether two sites lie apart or one in the other, and are not two mistakes of one text."""
    if (site.start, site.end) == (other.start, other.end):
        return False
    return (site.end <= other.start or other.end <= site.start
            or (site.start >= other.start and site.end <= other.end)
            or (other.start >= site.start and other.end <= site.end))
