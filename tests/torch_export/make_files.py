#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the small programs that lie here, which the goldens tests/stdlib/torch_*.mlc read: python3 make_files.py NAME... with
torch in the newest version, and for `mlp_2_6` in 2.6, which writes the older layout. Entries are deflated to keep them small, and
where in torch's sources a node comes from is left out."""

import io
import json
import pathlib
import sys
import zipfile

import torch
from programs import Counter, Mlp, SmallCnn


def smaller(name, data):
    if name.endswith("model.json") or name.endswith("serialized_exported_program.json"):
        program = json.loads(data)
        for node in program["graph_module"]["graph"]["nodes"]:
            node["metadata"] = {}
        return json.dumps(program)
    return data


def write(name, program):
    whole = io.BytesIO()
    torch.export.save(program, whole)
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(
        pathlib.Path(__file__).with_name(name + ".pt2"), "w", zipfile.ZIP_DEFLATED
    ) as new:
        for entry in old.namelist():
            if "sample_inputs" not in entry and "example_inputs" not in entry:
                new.writestr(zipfile.ZipInfo(entry), smaller(entry, old.read(entry)), zipfile.ZIP_DEFLATED)


torch.manual_seed(0)
x = torch.arange(16, dtype=torch.float32).reshape(2, 8) / 16
batch = ({0: torch.export.Dim("batch", max=64)},)
image = torch.arange(64, dtype=torch.float32).reshape(1, 1, 8, 8) / 64
makers = {
    "mlp": lambda: torch.export.export(Mlp().eval(), (x,), dynamic_shapes=batch),
    "mlp_2_6": lambda: torch.export.export(Mlp().eval(), (x,), dynamic_shapes=batch),
    "cnn": lambda: torch.export.export(SmallCnn().eval(), (image,)).run_decompositions(),
    "counter": lambda: torch.export.export(Counter().eval(), (torch.tensor([1.0, 2.0]),)),
}
for name in sys.argv[1:]:
    program = makers[name]()
    write(name, program)
    torch.set_printoptions(precision=8)
    print(name, program.module()(x if name.startswith("mlp") else image if name == "cnn" else torch.tensor([1.0, 2.0])))
