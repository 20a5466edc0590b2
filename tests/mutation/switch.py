# SPDX-License-Identifier: Apache-2.0
"""switch.h for modules in the language."""
import os

_active = int(os.environ.get("MLC_MUTANT", "-1"))
_reached = os.environ.get("MLC_MUTANTS_REACHED")
_noted = set()


def _note(mutant, event):
    if _reached and (mutant, event) not in _noted:
        _noted.add((mutant, event))
        with open(_reached, "a") as out:
            out.write(f"{mutant} {event}\n")


def mutant_on(mutant):
    _note(mutant, "reached")
    return mutant == _active


def mutant_fixed(mutant, value, right):
    if bool(right) != value:
        _note(mutant, "differs")
    return value if mutant_on(mutant) else right
