# SPDX-License-Identifier: Apache-2.0
"""Exports of nn modules: the PrimFuncs that legalisation and fusion leave."""
import tvm
from tvm import relax, tirx
from tvm.relax.frontend import nn
from tvm.relax.frontend.nn import op


class MLP(nn.Module):
    def __init__(self, width, dtype):
        self.up = nn.Linear(width, 4 * width, dtype=dtype)
        self.down = nn.Linear(4 * width, width, bias=False, dtype=dtype)
        self.norm = nn.RMSNorm(width, axes=-1, bias=False, dtype=dtype)

    def forward(self, x):
        return self.down(op.silu(self.up(self.norm(x)))) + x


class Attention(nn.Module):
    def __init__(self, width, heads, dtype):
        self.heads, self.width = heads, width
        self.qkv = nn.Linear(width, 3 * width, dtype=dtype)
        self.out = nn.Linear(width, width, dtype=dtype)

    def forward(self, x):
        b, s, _ = x.shape
        q, k, v = op.split(self.qkv(x), 3, axis=-1)
        shape = (b, s, self.heads, self.width // self.heads)
        q, k, v = [op.permute_dims(op.reshape(t, shape), [0, 2, 1, 3]) for t in (q, k, v)]
        score = op.matmul(q, op.permute_dims(k, [0, 1, 3, 2])) / 4.0
        mask = op.full((1, 1, 1, 1), -1e4, x.dtype)
        score = op.softmax(op.maximum(score, mask).astype("float32"), axis=-1).astype(x.dtype)
        return self.out(op.reshape(op.permute_dims(op.matmul(score, v), [0, 2, 1, 3]), (b, s, self.width)))


class Convolutions(nn.Module):
    def __init__(self, channels, dtype):
        self.first = nn.Conv2D(3, channels, 3, stride=2, padding=1, dtype=dtype)
        self.second = nn.Conv2D(channels, channels, 3, padding=1, groups=2, bias=False, dtype=dtype)
        self.norm = nn.GroupNorm(2, channels, dtype=dtype)

    def forward(self, x):
        y = op.gelu(self.norm(self.second(op.relu(self.first(x)))))
        return op.sum(y, axis=[2, 3])


class Embedding(nn.Module):
    def __init__(self, dtype):
        self.table = nn.Embedding(100, 16, dtype=dtype)
        self.norm = nn.LayerNorm(16, dtype=dtype)

    def forward(self, tokens):
        return self.norm(self.table(tokens))


class Elements(nn.Module):
    def forward(self, x, y):
        z = op.concat([op.sigmoid(x) * op.tanh(y), op.exp(x) - op.sqrt(op.square(y))], dim=1)
        a, b = op.chunk(z, 2, dim=1)
        c = op.where(op.less(a, b), op.negative(a), op.pad(b, [0, 0, 0, 0]))
        return op.broadcast_to(op.unsqueeze(op.max(c, axis=-1), 1), c.shape), op.topk(c, k=2)[0], op.cumsum(c, axis=1)


class Recurrence(nn.Module):
    def __init__(self, width):
        self.x, self.h = nn.Linear(width, width), nn.Linear(width, width, bias=False)

    def forward(self, x, h):
        for _ in range(3):
            h = op.tanh(self.x(x) + self.h(h))
        return h


def exported(module, **inputs):
    mod, _ = module.export_tvm(spec={"forward": inputs})
    return mod


def stages(mod):
    transform = relax.transform
    steps = [
        ("legal", [transform.LegalizeOps()]),
        ("fused", [transform.AnnotateTIROpPattern(), transform.FoldConstant(), transform.FuseOps(), transform.FuseTIR(), transform.DeadCodeElimination()]),
    ]
    for name, passes in steps:
        for one in passes:
            mod = one(mod)
        kernels = {name: f for name, f in mod.functions.items() if isinstance(f, tirx.PrimFunc)}
        yield name, tvm.IRModule(kernels)


def cases():
    spec = nn.spec.Tensor
    for dtype in ["float32", "float16", "bfloat16"]:
        rows = {
            "mlp": lambda d=dtype: exported(MLP(64, d), x=spec([4, 64], d)),
            "mlp-dynamic": lambda d=dtype: exported(MLP(64, d), x=spec(["n", 64], d)),
            "attention": lambda d=dtype: exported(Attention(64, 4, d), x=spec([2, 8, 64], d)),
            "attention-dynamic": lambda d=dtype: exported(Attention(64, 4, d), x=spec([1, "s", 64], d)),
            "convolutions": lambda d=dtype: exported(Convolutions(8, d), x=spec([1, 3, 16, 16], d)),
            "embedding": lambda d=dtype: exported(Embedding(d), tokens=spec(["n"], "int32")),
            "elements": lambda d=dtype: exported(Elements(), x=spec([4, 8], d), y=spec([4, 8], d)),
            "elements-dynamic": lambda d=dtype: exported(Elements(), x=spec(["b", 8], d), y=spec(["b", 8], d)),
        }
        for name, make in rows.items():
            yield f"nn/{name}-{dtype}", make
    yield "nn/recurrence", lambda: exported(Recurrence(16), x=spec([2, 16], "float32"), h=spec([2, 16], "float32"))
