# SPDX-License-Identifier: Apache-2.0
"""Networks as relax.frontend.nn exports them and relax.testing writes them: single layers, blocks, LLaMA, GPT-2.

    python tests/corpus/relax_networks.py FOLDER      GPT-2 of 12, 24, 48 and 96 layers, FOLDER/gpt2-<layers>.mlc, to time
"""
import pathlib
import sys

import tvm
from tvm import relax, tirx
from tvm.relax.frontend import nn
from tvm.relax.frontend.nn import op

import nn_cases

SPEC = nn.spec.Tensor


class GPT2Attention(nn.Module):
    def __init__(self, width, heads, dtype):
        self.heads, self.head_dim = heads, width // heads
        self.c_attn = nn.Linear(width, 3 * width, bias=True, dtype=dtype)
        self.c_proj = nn.Linear(width, width, bias=True, dtype=dtype)

    def forward(self, x, mask):
        b, s, width = x.shape
        q, k, v = op.split(self.c_attn(x), 3, axis=2)
        q, k, v = [op.permute_dims(op.reshape(t, (b, s, self.heads, self.head_dim)), axes=[0, 2, 1, 3]) for t in (q, k, v)]
        weights = op.matmul(q, op.permute_dims(k, axes=[0, 1, 3, 2])) / (self.head_dim**0.5)
        weights = op.softmax(weights.astype("float32") + mask, axis=-1).astype(x.dtype)
        y = op.reshape(op.permute_dims(op.matmul(weights, v), axes=[0, 2, 1, 3]), (b, s, width))
        return self.c_proj(y)


class GPT2MLP(nn.Module):
    def __init__(self, width, dtype):
        self.c_fc = nn.Linear(width, 4 * width, dtype=dtype)
        self.c_proj = nn.Linear(4 * width, width, dtype=dtype)

    def forward(self, x):
        return self.c_proj(op.gelu(self.c_fc(x), approximate="tanh"))


class GPT2Block(nn.Module):
    def __init__(self, width, heads, dtype):
        self.ln_1 = nn.LayerNorm(width, eps=1e-5, dtype=dtype)
        self.attn = GPT2Attention(width, heads, dtype)
        self.ln_2 = nn.LayerNorm(width, eps=1e-5, dtype=dtype)
        self.mlp = GPT2MLP(width, dtype)

    def forward(self, x, mask):
        x = x + self.attn(self.ln_1(x), mask)
        return x + self.mlp(self.ln_2(x))


class GPT2(nn.Module):
    def __init__(self, layers=12, width=768, heads=12, vocabulary=50257, positions=1024, dtype="float32"):
        self.wte = nn.Embedding(vocabulary, width, dtype=dtype)
        self.wpe = nn.Embedding(positions, width, dtype=dtype)
        self.h = nn.ModuleList([GPT2Block(width, heads, dtype) for _ in range(layers)])
        self.ln_f = nn.LayerNorm(width, eps=1e-5, dtype=dtype)
        self.lm_head = nn.Linear(width, vocabulary, bias=False, dtype=dtype)

    def forward(self, ids, positions, mask):
        x = self.wte(ids) + self.wpe(positions)
        for block in self.h:
            x = block(x, mask)
        return self.lm_head(self.ln_f(x)).astype("float32")


class LlamaAttention(nn.Module):
    def __init__(self, width, heads, kv_heads, dtype):
        self.heads, self.kv_heads, self.head_dim = heads, kv_heads, width // heads
        self.qkv_proj = nn.Linear(width, (heads + 2 * kv_heads) * self.head_dim, bias=False, dtype=dtype)
        self.o_proj = nn.Linear(width, width, bias=False, dtype=dtype)

    def forward(self, x, mask):
        b, s, _ = x.shape
        heads, kv_heads, d = self.heads, self.kv_heads, self.head_dim
        q, k, v = op.split(self.qkv_proj(x), [heads * d, (heads + kv_heads) * d], axis=-1)
        q = op.permute_dims(op.reshape(q, (b, s, heads, d)), axes=[0, 2, 1, 3])
        k, v = [op.permute_dims(op.repeat(op.reshape(t, (b, s, kv_heads, d)), heads // kv_heads, axis=2), axes=[0, 2, 1, 3]) for t in (k, v)]
        weights = op.matmul(q, op.permute_dims(k, axes=[0, 1, 3, 2])) / (d**0.5)
        weights = op.softmax(op.minimum(op.maximum(weights, op.full((1, 1, 1, 1), -65504.0, x.dtype)), mask).astype("float32"), axis=-1).astype(x.dtype)
        return self.o_proj(op.reshape(op.permute_dims(op.matmul(weights, v), axes=[0, 2, 1, 3]), (b, s, heads * d)))


class LlamaMLP(nn.Module):
    def __init__(self, width, inner, dtype):
        self.gate_up_proj = nn.Linear(width, 2 * inner, bias=False, dtype=dtype)
        self.down_proj = nn.Linear(inner, width, bias=False, dtype=dtype)

    def forward(self, x):
        gate, up = op.split(self.gate_up_proj(x), 2, axis=-1)
        return self.down_proj(op.silu(gate) * up)


class Llama(nn.Module):
    def __init__(self, layers, width, heads, kv_heads, dtype):
        self.embed = nn.Embedding("vocab_size", width, dtype=dtype)
        self.norms = nn.ModuleList([nn.RMSNorm(width, -1, 1e-5, bias=False, dtype=dtype) for _ in range(2 * layers)])
        self.attentions = nn.ModuleList([LlamaAttention(width, heads, kv_heads, dtype) for _ in range(layers)])
        self.mlps = nn.ModuleList([LlamaMLP(width, 3 * width, dtype) for _ in range(layers)])
        self.norm = nn.RMSNorm(width, -1, 1e-5, bias=False, dtype=dtype)
        self.lm_head = nn.Linear(width, "vocab_size", bias=False, dtype=dtype)

    def prefill(self, ids, mask):
        def last(x):
            from tvm import te

            b, s, d = x.shape
            return te.compute((b, 1, d), lambda i, _, k: x[i, s - 1, k], name="index")

        x = self.embed(ids)
        for number, (attention, mlp) in enumerate(zip(self.attentions, self.mlps)):
            x = x + attention(self.norms[2 * number](x), mask)
            x = x + mlp(self.norms[2 * number + 1](x))
        x = op.tensor_expr_op(last, name_hint="index", args=[self.norm(x)])
        logits = self.lm_head(x)
        return logits.astype("float32") if logits.dtype != "float32" else logits

    def embed_ids(self, ids):
        return self.embed(ids)


class Call(nn.Module):
    """One function of frontend.nn.op."""

    def __init__(self, make):
        self.make = make

    def forward(self, x, y=None):
        return self.make(x) if y is None else self.make(x, y)


def exported(module, method="forward", debug=False, **inputs):
    return module.export_tvm(spec={method: inputs}, debug=debug)[0]


def layers():
    x3, x4 = SPEC([2, 8, 16], "float32"), SPEC([1, 4, 8, 8], "float32")
    dynamic = SPEC(["b", "s", 16], "float16")
    yield "Linear", nn.Linear(16, 32), x3
    yield "Linear no bias", nn.Linear(16, 32, bias=False), x3
    yield "Linear out_dtype", nn.Linear(16, 32, dtype="float16", out_dtype="float32"), dynamic
    yield "Linear symbolic", nn.Linear(16, "m", bias=False), x3
    yield "Conv1D", nn.Conv1D(4, 8, 3, padding=1), SPEC([1, 4, 16], "float32")
    yield "Conv2D", nn.Conv2D(4, 8, 3, stride=2, padding=1), x4
    yield "Conv2D groups", nn.Conv2D(4, 8, (3, 1), groups=2, bias=False), SPEC(["b", 4, "h", "w"], "float32")
    yield "Conv2D NHWC", nn.Conv2D(8, 4, 3, data_layout="NHWC"), x4
    yield "Conv3D", nn.Conv3D(4, 8, 3, stride=1), SPEC([1, 4, 8, 8, 8], "float32")
    yield "ConvTranspose1D", nn.ConvTranspose1D(4, 8, 3, stride=2), SPEC([1, 4, 16], "float32")
    yield "LayerNorm", nn.LayerNorm(16), x3
    yield "LayerNorm eps", nn.LayerNorm(16, eps=1e-6, dtype="float16"), dynamic
    yield "LayerNorm affine", nn.LayerNorm(16, elementwise_affine=False), x3
    yield "RMSNorm", nn.RMSNorm(16, -1), x3
    yield "RMSNorm no bias", nn.RMSNorm(16, -1, 1e-6, bias=False, dtype="float16"), dynamic
    yield "GroupNorm", nn.GroupNorm(2, 4), x4
    yield "Embedding", nn.Embedding(100, 16), SPEC([2, 8], "int32")
    yield "Embedding symbolic", nn.Embedding("v", 16, dtype="float16"), SPEC(["n"], "int32")
    yield "TimestepEmbedding", nn.modules.TimestepEmbedding(16, 32), SPEC([2, 16], "float32")
    yield "Timesteps", nn.modules.Timesteps(16), SPEC([4], "float32")
    yield "Attention", nn.modules.Attention(16, None, 4, 4), x3
    yield "ReLU", nn.ReLU(), x3
    yield "SiLU", nn.SiLU(), dynamic
    yield "GELU", nn.GELU(), dynamic
    yield "Identity", nn.modules.Identity(), x3
    yield "ModuleList", nn.ModuleList([nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 4)]), x3


ONE = {
    "sum": lambda x: op.sum(x, axis=-1, keepdims=True), "max": lambda x: op.max(x, axis=[0]), "min": lambda x: op.min(x), "unsqueeze": lambda x: op.unsqueeze(x, 1),
    "chunk": lambda x: op.chunk(x, 2, dim=-1)[1], "permute_dims": op.permute_dims, "reshape": lambda x: op.reshape(x, (-1, 4)), "repeat": lambda x: op.repeat(x, 2, axis=0),
    "squeeze": lambda x: op.squeeze(op.unsqueeze(x, 0), 0), "astype": lambda x: x.astype("float16"), "softmax": lambda x: op.softmax(x), "softplus": lambda x: op.softplus(x),
    "exp": op.exp, "log": op.log, "floor": op.floor, "negative": op.negative, "relu6": op.relu6, "square": op.square, "sqrt": op.sqrt, "tanh": op.tanh, "sigmoid": op.sigmoid,
    "triu": lambda x: op.triu(x, 1), "pad": lambda x: op.pad(x, [0, 0, 0, 0, 1, 1]), "cumsum": lambda x: op.cumsum(x, axis=1), "sort": lambda x: op.sort(x), "argsort": lambda x: op.argsort(x),
    "topk": lambda x: op.topk(x, k=3), "split": lambda x: op.split(x, [3], axis=-1), "broadcast_to": lambda x: op.broadcast_to(x, (3, *x.shape)), "scalars": lambda x: (x + 1.0) * 2.0 / 3.0 - 0.5,
    "reversed": lambda x: 1.0 - x, "gelu_tanh": lambda x: op.gelu(x, "tanh"), "print": lambda x: op.exp(x), "wrap": lambda x: op.full(x.shape, 1.0, "float32") + op.zeros(x.shape, "float32"),
}
TWO = {
    "add": op.add, "subtract": op.subtract, "multiply": op.multiply, "divide": op.divide, "maximum": op.maximum, "minimum": op.minimum, "less": op.less, "greater_equal": op.greater_equal,
    "equal": op.equal, "where": lambda x, y: op.where(op.less(x, y), x, y), "concat": lambda x, y: op.concat([x, y], dim=1), "matmul": lambda x, y: op.matmul(x, op.permute_dims(y, axes=[0, 2, 1])),
    "operators": lambda x, y: op.negative(x * y) + x / y - y, "extern": lambda x, y: op.extern("ext.f", [x, y, 3, 1.5], out=x),
    "sdpa": lambda x, y: op.scaled_dot_product_attention(op.unsqueeze(x, 2), op.unsqueeze(y, 2), op.unsqueeze(y, 2)),
}


def modules():
    for name, module, spec in layers():
        yield f"layer/{name}", lambda m=module, s=spec: exported(m, **({"input" if "input" in _parameters(m) else _parameters(m)[0]: s}))
        yield f"layer/{name} debug", lambda m=module, s=spec: exported(m, debug=True, **({_parameters(m)[0]: s}))
    for name, make in ONE.items():
        for shape in ([2, 4, 8], ["b", "s", 8]):
            yield f"op/{name} {shape[0]}", lambda m=make, s=shape: exported(Call(m), x=SPEC(s, "float32"))
    for name, make in TWO.items():
        for shape in ([2, 4, 8], ["b", "s", 8]):
            yield f"op/{name} {shape[0]}", lambda m=make, s=shape: exported(Call(m), x=SPEC(s, "float32"), y=SPEC(s, "float32"))
    yield from ((f"block/{name.split('/')[1]}", make) for name, make in nn_cases.cases())
    for dtype in ("float32", "float16"):
        for layers_ in (1, 2, 4):
            yield f"gpt2/{layers_}-{dtype}", lambda n=layers_, d=dtype: gpt2(n, 64, 4, 512, 128, d)
            yield f"llama/{layers_}-{dtype}", lambda n=layers_, d=dtype: exported(
                Llama(n, 64, 4, 2, d), method="prefill", ids=SPEC(["b", "s"], "int32"), mask=SPEC(["b", 1, "s", "s"], d))
    yield "gpt2/124M", lambda: gpt2(12)
    from tvm.relax.testing import attention, matmul, nn as testing

    yield "testing/matmul", lambda: matmul.get_relax_matmul_module((4, 8), (8, 16), "float32", "float32")
    yield "testing/matmul activation", lambda: matmul.get_relax_matmul_module((4, 8), (8, 16), "float16", "float16", bias_shape=(16,), activation=relax.op.nn.relu)
    yield "testing/attention", lambda: attention.get_relax_attention_module((2, 8, 4, 16), (2, 8, 4, 16), (2, 8, 4, 16), dtype="float16")
    yield "testing/attention bias", lambda: attention.get_relax_attention_module((2, 8, 4, 16), (2, 8, 4, 16), (2, 8, 4, 16), dtype="float16", bias_shape=(2, 4, 8, 8), causal_mask="TopLeft")

    def perceptron():
        builder = relax.BlockBuilder()
        model = testing.Sequential(testing.Linear(16, 32), testing.ReLU(), testing.Linear(32, 4), testing.LogSoftmax())
        with builder.function("main"):
            data = testing.Placeholder((tirx.Var("n", "int64"), 16), name="data")
            with builder.dataflow():
                output = builder.emit_output(model(data))
            builder.emit_func_output(output, params=[data, *model.parameters()])
        return builder.get()

    yield "testing/perceptron", perceptron


def _parameters(module):
    import inspect

    return [name for name in inspect.signature(module.forward).parameters]


def gpt2(*sizes):
    return exported(GPT2(*sizes), ids=SPEC([1, "s"], "int32"), positions=SPEC(["s"], "int32"), mask=SPEC([1, 1, "s", "s"], "float32"))


def cases():
    """As relax_generate.py asks for them: the module as it is, legalised, and after the pipeline zero."""
    def fields(suffix, text):
        try:  # not all that TVM prints does it read: constants, parameters whose names begin with a digit
            return [{"suffix": suffix, "input": text, "expected": tvm.script.from_source(text).script()}]
        except Exception:
            return []

    def made(make, name):
        module = make()
        yield from fields("", module.script())
        if name == "gpt2/124M":
            return
        for suffix, stage in ((" legalised", relax.transform.LegalizeOps()), (" zero", relax.get_pipeline("zero"))):
            module = stage(module)
            text = module.script()
            if len(text) < 150_000:
                yield from fields(suffix, text)

    for name, make in modules():
        yield name, name.split("/")[0], lambda m=make, n=name: list(made(m, n))


if __name__ == "__main__":
    for count in (12, 24, 48, 96):
        path = pathlib.Path(sys.argv[1]) / f"gpt2-{count}.mlc"
        path.write_text(gpt2(count).script() + "\n")
        print(f"{path}: {path.stat().st_size} bytes")
