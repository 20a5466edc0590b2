# SPDX-License-Identifier: Apache-2.0
"""Programs of torch to import: `programs()` gives (name, module, arguments, dynamic shapes). One operator each, small nets, and,
where torchvision is there, its classic nets (names begin with `net_`)."""

import torch
import torch.nn.functional as F
from torch import nn

R = torch.rand


class Function(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


def signed(*shape):
    return R(*shape) * 4 - 2


UNARY = """abs acos acosh asin asinh atan atanh ceil cos cosh erf exp expm1 floor log log10 log1p log2 neg reciprocal relu round
rsqrt sigmoid sign sin sinh sqrt square tan tanh trunc isnan isinf isfinite logical_not frac deg2rad nan_to_num""".split()
BINARY = """add sub mul div pow atan2 maximum minimum fmod remainder floor_divide eq ne lt le gt ge logaddexp logical_and logical_or
logical_xor""".split()
ACTIVATIONS = """gelu silu relu6 elu selu celu leaky_relu hardswish hardsigmoid hardtanh softplus softsign softshrink mish logsigmoid
tanhshrink hardshrink""".split()


def _set_column(x):
    x = x.clone()
    x[:, 0] = 1.0
    x[1] = 2
    return x


def _set_slices(x, y):
    x = x.clone()
    x[1:3, ::2] = y
    x.transpose(0, 1)[0].mul_(3)
    x.view(-1)[2:4] += 1
    return x * 2


def _set_rows(x, i, v):
    x = x.clone()
    x[i] = v
    return x


def small_operators():
    for name in UNARY:
        x = R(2, 3) + 1.5 if name == "acosh" else R(2, 3) * 0.9 + 0.05
        yield name, getattr(torch, name), (x,)
    for name in BINARY:
        yield name, getattr(torch, name), (R(2, 3) + 0.5, R(3) + 0.5)
    for name in ACTIVATIONS:
        yield name, getattr(F, name), (signed(2, 3),)
    ints = torch.tensor([[1, 2, 3], [4, 5, 7]])
    index = torch.tensor([[0, 1, 0], [1, 0, 1]])
    cases = {
        "gelu_tanh": (lambda x: F.gelu(x, approximate="tanh"), signed(2, 3)),
        "elu_alpha": (lambda x: F.elu(x, 0.5), signed(2, 3)),
        "celu_alpha": (lambda x: F.celu(x, 0.5), signed(2, 3)),
        "softplus_beta": (lambda x: F.softplus(x, 2.0, 3.0), signed(2, 3)),
        "glu": (F.glu, R(2, 4)),
        "prelu": (nn.PReLU(3), signed(2, 3, 4)),
        "threshold": (lambda x: F.threshold(x, 0.1, 20), signed(2, 3)),
        "scalars": (
            lambda x: (x + 1, 2 * x, 1 - x, x / 3, 2 / x, x**2, x**0.5, 2**x, x // 0.3, x % 0.3),
            R(2, 3),
        ),
        "int_scalars": (
            lambda x: (x + 1, x * 2, 1 - x, x / 2, x**2, x // 2, x % 2, x * 0.5, -x, x > 2),
            ints,
        ),
        "int_float": (
            lambda x, y: (x + y, x / x, torch.sqrt(x), x.sum(), x.float().mean()),
            ints,
            R(2, 3),
        ),
        "bits": (lambda x: ((x & 3), (x | 4), (x ^ 1), ~x), ints),
        "bools": (
            lambda x, y: (
                (x > 0.5) & (y > 0.5),
                (x > 0.5) | (y > 0.5),
                ~(x > 0.5),
                (x > 0.5) ^ (y > 0.5),
            ),
            R(2, 3),
            R(2, 3),
        ),
        "clamp": (
            lambda x: (
                x.clamp(0, 1),
                x.clamp(min=0.2),
                x.clamp(max=0.5),
                x.clamp_min(0.1),
                x.clamp_max(0.3),
            ),
            signed(2, 3),
        ),
        "clamp_tensors": (lambda x, a, b: x.clamp(a, b), signed(2, 3), -R(3), R(3)),
        "clamp_ints": (lambda x: (x.clamp(2, 4), x.clamp(min=2)), ints),
        "round_decimals": (lambda x: (x.round(decimals=2), (x * 100).round(decimals=-1)), R(2, 3)),
        "div_modes": (
            lambda x, y: (
                torch.div(x, y, rounding_mode="floor"),
                torch.div(x, y, rounding_mode="trunc"),
            ),
            signed(2, 3),
            R(3) + 0.5,
        ),
        "lerp": (lambda x, y: torch.lerp(x, y, 0.3), R(2, 3), R(2, 3)),
        "addcmul": (
            lambda x, y: (torch.addcmul(x, x, y, value=0.5), torch.addcdiv(x, x, y)),
            R(2, 3),
            R(2, 3) + 0.5,
        ),
        "where": (
            lambda x, y: (
                torch.where(x > y, x, y),
                torch.where(x > y, x, 0.0),
                torch.where(x > y, 1.0, y),
            ),
            R(2, 3),
            R(2, 3),
        ),
        "isin": (lambda x: torch.isin(x, torch.tensor([2, 7])), ints),
        "masked_fill": (lambda x: x.masked_fill(x > 0.5, -1e9), R(2, 3)),
        "types": (
            lambda x: (
                x.to(torch.int64),
                x.double(),
                x.bool(),
                x.half().float(),
                x.to(torch.int32),
            ),
            signed(2, 3),
        ),
        "type_as": (lambda x, y: x.type_as(y), ints, R(1)),
        # Products.
        "linear_1d": (nn.Linear(4, 3), R(4)),
        "linear": (nn.Linear(4, 3), R(2, 4)),
        "linear_3d": (nn.Linear(4, 3), R(2, 5, 4)),
        "linear_no_bias": (nn.Linear(4, 3, bias=False), R(2, 5, 4)),
        "matmul_22": (torch.matmul, R(2, 3), R(3, 4)),
        "matmul_33": (torch.matmul, R(5, 2, 3), R(5, 3, 4)),
        "matmul_32": (torch.matmul, R(5, 2, 3), R(3, 4)),
        "matmul_44": (torch.matmul, R(5, 6, 2, 3), R(5, 6, 3, 4)),
        "matmul_43": (torch.matmul, R(5, 6, 2, 3), R(6, 3, 4)),
        "matmul_21": (torch.matmul, R(5, 3), R(3)),
        "matmul_11": (torch.matmul, R(3), R(3)),
        "matmul_12": (torch.matmul, R(3), R(3, 4)),
        "matmul_31": (torch.matmul, R(5, 2, 3), R(3)),
        "matmul_13": (torch.matmul, R(2), R(5, 2, 3)),
        "matmul_double": (torch.matmul, R(2, 3).double(), R(3, 4).double()),
        "bmm": (torch.bmm, R(5, 2, 3), R(5, 3, 4)),
        "addmm": (lambda x, y, z: torch.addmm(x, y, z, beta=0.5, alpha=2), R(4), R(2, 3), R(3, 4)),
        "baddbmm": (lambda x, y, z: torch.baddbmm(x, y, z), R(5, 2, 4), R(5, 2, 3), R(5, 3, 4)),
        "outer": (torch.outer, R(3), R(4)),
        "einsum_bmm": (lambda a, b: torch.einsum("bij,bjk->bik", a, b), R(2, 3, 4), R(2, 4, 5)),
        "einsum_heads": (
            lambda a, b: torch.einsum("bhid,bhjd->bhij", a, b),
            R(2, 3, 4, 5),
            R(2, 3, 6, 5),
        ),
        "einsum_diagonal": (lambda a: torch.einsum("ii->i", a), R(3, 3)),
        "einsum_outer": (lambda a, b: torch.einsum("i,j->ij", a, b), R(3), R(4)),
        # Convolutions.
        "conv1d": (nn.Conv1d(3, 4, 3), R(1, 3, 8)),
        "conv2d": (nn.Conv2d(3, 4, 3, padding=1), R(1, 3, 8, 8)),
        "conv2d_no_bias": (
            nn.Conv2d(4, 4, 3, stride=2, dilation=2, groups=2, bias=False),
            R(1, 4, 9, 9),
        ),
        "conv2d_same": (nn.Conv2d(3, 4, 3, padding="same"), R(1, 3, 8, 8)),
        "conv2d_same_even": (nn.Conv2d(3, 4, 4, padding="same"), R(1, 3, 8, 8)),
        "conv2d_unbatched": (nn.Conv2d(3, 4, 3), R(3, 8, 8)),
        "conv3d": (nn.Conv3d(2, 3, 3), R(1, 2, 5, 5, 5)),
        "conv_transpose1d": (nn.ConvTranspose1d(3, 4, 3, stride=2), R(1, 3, 8)),
        "conv_transpose2d": (
            nn.ConvTranspose2d(3, 4, 3, stride=2, padding=1, output_padding=1),
            R(1, 3, 5, 5),
        ),
        # Norms.
        "batch_norm1d": (nn.BatchNorm1d(3), R(2, 3)),
        "batch_norm2d": (nn.BatchNorm2d(3), R(2, 3, 4, 4)),
        "batch_norm_plain": (nn.BatchNorm2d(3, affine=False), R(2, 3, 4, 4)),
        "layer_norm": (nn.LayerNorm(4), R(2, 4)),
        "layer_norm_2": (nn.LayerNorm((3, 4), elementwise_affine=False), R(2, 3, 4)),
        "group_norm": (nn.GroupNorm(2, 4), R(2, 4, 5, 5)),
        "instance_norm": (nn.InstanceNorm2d(3, affine=True), R(2, 3, 4, 4)),
        "instance_norm_plain": (nn.InstanceNorm2d(3), R(2, 3, 4, 4)),
        "rms_norm": (nn.RMSNorm(4), R(2, 4)),
        "normalize": (F.normalize, R(2, 3)),
        "softmax": (lambda x: F.softmax(x, -1), R(2, 3)),
        "log_softmax": (lambda x: F.log_softmax(x, 1), R(2, 3)),
        "softmax_double": (lambda x: F.softmax(x, -1, dtype=torch.float64), R(2, 3)),
        # Attention.
        "attention": (F.scaled_dot_product_attention, R(2, 4, 5, 8), R(2, 4, 6, 8), R(2, 4, 6, 8)),
        "attention_3d": (F.scaled_dot_product_attention, R(4, 5, 8), R(4, 6, 8), R(4, 6, 8)),
        "attention_causal": (
            lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
            R(2, 4, 5, 8),
            R(2, 4, 5, 8),
            R(2, 4, 5, 8),
        ),
        "attention_mask": (
            F.scaled_dot_product_attention,
            R(2, 4, 5, 8),
            R(2, 4, 6, 8),
            R(2, 4, 6, 8),
            R(5, 6),
        ),
        "attention_bools": (
            F.scaled_dot_product_attention,
            R(2, 4, 5, 8),
            R(2, 4, 6, 8),
            R(2, 4, 6, 8),
            R(2, 1, 5, 6) > 0.5,
        ),
        "attention_groups": (
            lambda q, k, v: F.scaled_dot_product_attention(q, k, v, enable_gqa=True),
            R(1, 4, 5, 8),
            R(1, 2, 6, 8),
            R(1, 2, 6, 8),
        ),
        "multihead": (
            nn.MultiheadAttention(8, 2, batch_first=True),
            R(1, 3, 8),
            R(1, 3, 8),
            R(1, 3, 8),
        ),
        "encoder_layer": (nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), R(1, 3, 8)),
        "decoder_layer": (
            nn.TransformerDecoderLayer(8, 2, 16, batch_first=True),
            R(1, 3, 8),
            R(1, 4, 8),
        ),
        "embedding": (nn.Embedding(5, 3), torch.tensor([[1, 2]])),
        "embedding_1d": (nn.Embedding(5, 3), torch.tensor([1, 2])),
        "one_hot": (lambda x: F.one_hot(x, 4), index),
        # Windows.
        "max_pool1d": (lambda x: F.max_pool1d(x, 2), R(1, 4, 8)),
        "max_pool2d": (lambda x: F.max_pool2d(x, 3, 2, 1), R(1, 4, 8, 8)),
        "max_pool2d_ceil": (lambda x: F.max_pool2d(x, 3, 2, ceil_mode=True), R(1, 4, 8, 8)),
        "max_pool3d": (lambda x: F.max_pool3d(x, 2), R(1, 2, 4, 4, 4)),
        "avg_pool1d": (lambda x: F.avg_pool1d(x, 2), R(1, 4, 8)),
        "avg_pool2d": (lambda x: F.avg_pool2d(x, 3, 2, 1), R(1, 4, 8, 8)),
        "avg_pool2d_inside": (
            lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
            R(1, 4, 8, 8),
        ),
        "avg_pool3d": (lambda x: F.avg_pool3d(x, 2), R(1, 2, 4, 4, 4)),
        "adaptive_avg_1": (lambda x: F.adaptive_avg_pool2d(x, 1), R(1, 4, 8, 8)),
        "adaptive_avg_3": (lambda x: F.adaptive_avg_pool2d(x, (3, 2)), R(1, 4, 8, 8)),
        "adaptive_avg_1d": (
            lambda x: (F.adaptive_avg_pool1d(x, 1), F.adaptive_avg_pool1d(x, 3)),
            R(1, 4, 8),
        ),
        "adaptive_max": (lambda x: F.adaptive_max_pool2d(x, 2), R(1, 4, 8, 8)),
        "nearest": (lambda x: F.interpolate(x, scale_factor=2), R(1, 2, 4, 4)),
        "nearest_size": (lambda x: F.interpolate(x, size=(5, 7)), R(1, 2, 4, 4)),
        "bilinear": (lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), R(1, 2, 4, 4)),
        "bilinear_corners": (
            lambda x: F.interpolate(x, size=(5, 7), mode="bilinear", align_corners=True),
            R(1, 2, 4, 4),
        ),
        "bicubic": (lambda x: F.interpolate(x, size=(5, 7), mode="bicubic"), R(1, 2, 4, 4)),
        "pixel_shuffle": (
            lambda x: (F.pixel_shuffle(x, 2), F.pixel_unshuffle(x, 2)),
            R(1, 4, 4, 4),
        ),
        "grid_sample": (
            lambda x, g: F.grid_sample(x, g, align_corners=True),
            R(1, 2, 4, 4),
            R(1, 3, 3, 2),
        ),
        "pad": (lambda x: F.pad(x, (1, 2)), R(2, 3)),
        "pad_2": (lambda x: F.pad(x, (1, 1, 0, 2), value=3.0), R(1, 2, 3, 3)),
        "pad_negative": (lambda x: F.pad(x, (-1, 2)), R(2, 3)),
        "pad_reflect": (lambda x: F.pad(x, (1, 1, 1, 1), mode="reflect"), R(1, 2, 3, 3)),
        "pad_replicate": (lambda x: F.pad(x, (1, 1, 1, 1), mode="replicate"), R(1, 2, 3, 3)),
        # Shapes.
        "flatten": (lambda x: (torch.flatten(x, 1), x.flatten()), R(2, 3, 4)),
        "reshape": (
            lambda x: (x.reshape(2, 12), x.view(2, -1), x.transpose(1, 2).reshape(2, 12)),
            R(2, 3, 4),
        ),
        "transpose": (
            lambda x: (
                x.transpose(1, 2),
                x.mT,
                x.movedim(0, 1),
                x.permute(2, 0, 1),
                x[0].t(),
                x.swapaxes(0, -1),
            ),
            R(2, 3, 4),
        ),
        "unflatten": (lambda x: x.unflatten(1, (2, 2)), R(3, 4)),
        "squeeze": (
            lambda x: (x.squeeze(), x.squeeze(0), x.squeeze(1), x.unsqueeze(-1)),
            R(1, 3, 1),
        ),
        "expand": (
            lambda x, y: (x.expand(2, 3), x.expand_as(y), x.expand(-1, 3), x.broadcast_to(4, 2, 3)),
            R(2, 1),
            R(2, 3),
        ),
        "repeat": (
            lambda x: (x.repeat(2, 1), x.repeat(2, 1, 1), x.tile(2), x.repeat_interleave(2, 0)),
            R(2, 3),
        ),
        "chunk": (lambda x: x.chunk(3, -1), R(2, 8)),
        "split": (lambda x: (*x.split(2, -1), *x.split([2, 3], -1)), R(2, 5)),
        "unbind": (lambda x: x.unbind(0), R(2, 3)),
        "stack": (
            lambda x, y: (torch.stack([x, y], 1), torch.stack([x, y]), torch.stack([x, y], -1)),
            R(2, 3),
            R(2, 3),
        ),
        "cat": (
            lambda x, y: (torch.cat([x, y], 1), torch.hstack([x, y]), torch.vstack([x, y])),
            R(2, 3),
            R(2, 3),
        ),
        "tensor_split": (lambda x: x.tensor_split(3), R(7, 2)),
        "index_plain": (lambda x: (x[0], x[:, 1], x[..., 1:], x[None], x[:, ::2]), R(3, 4)),
        "index_last": (lambda x: (x[-1], x[:, -2], x[:, -2:]), R(3, 4)),
        "index_tensor": (lambda x, i: (x[i], x[:, i]), R(5, 3), torch.tensor([1, 2])),
        "index_two": (lambda x, i, j: x[i, j], R(5, 3), torch.tensor([1, 4]), torch.tensor([0, 2])),
        "index_between": (
            lambda x, i, j: (x[:, i, j], x[i, :, j]),
            R(2, 5, 3),
            torch.tensor([1, 0]),
            torch.tensor([0, 1]),
        ),
        "index_grid": (
            lambda x, i, j: x[:, i[:, None], j],
            R(2, 5, 3),
            torch.tensor([1, 4, 0]),
            torch.tensor([0, 1]),
        ),
        "index_put": (_set_rows, R(5, 3), torch.tensor([1, 2]), R(2, 3)),
        "set_column": (_set_column, R(3, 4)),
        "set_slices": (_set_slices, R(4, 4), R(2, 2)),
        "set_masked": (
            lambda x: torch.where(x > 0.5, x, 0) + x.clone().masked_fill_(x > 0.7, 1.0),
            R(3, 4),
        ),
        "gather": (lambda x, i: x.gather(1, i), R(2, 3), index),
        "scatter": (lambda x, i: (x.scatter(1, i[:, :2], x), x.scatter(1, i, 0.5)), R(2, 3), index),
        "scatter_add": (lambda x, i: x.scatter_add(1, i, x), R(2, 3), index),
        "index_select": (lambda x, i: x.index_select(0, i), R(4, 3), torch.tensor([0, 2])),
        "index_add": (
            lambda x, i, y: x.index_add(0, i, y),
            R(4, 3),
            torch.tensor([0, 2, 0]),
            R(3, 3),
        ),
        "take": (lambda x, i: (torch.take(x, i), torch.take_along_dim(x, i, 1)), R(2, 3), index),
        "flip": (
            lambda x: (x.flip(0), x.flip(0, 1), x.roll(1, 0), x.roll(2), x.roll((1, -1), (0, 1))),
            R(3, 4),
        ),
        "meshgrid": (lambda x, y: torch.meshgrid(x, y, indexing="ij"), R(3), R(4)),
        "meshgrid_xy": (lambda x, y: torch.meshgrid(x, y, indexing="xy"), R(3), R(4)),
        "diagonal": (lambda x: (x.diagonal(), x.diagonal(1), x.diagonal(-1)), R(3, 4)),
        "unfold": (lambda x: x.unfold(1, 3, 2), R(2, 8)),
        "slice_scatter": (lambda x, y: torch.slice_scatter(x, y, 1, 1, 3), R(2, 4), R(2, 2)),
        "select_scatter": (lambda x, y: torch.select_scatter(x, y, 1, 2), R(2, 4), R(2)),
        # Sums.
        "mean": (
            lambda x: (x.mean(), x.mean(1), x.mean((0, 1)), x.mean(-1, keepdim=True)),
            R(2, 3),
        ),
        "sum": (lambda x: (x.sum(), x.sum(1), x.sum((0, 1)), (x > 0.5).sum(1)), R(2, 3)),
        "std": (lambda x: (x.std(1), x.var(1, unbiased=False), x.var()), R(2, 3)),
        "var_mean": (lambda x: torch.var_mean(x, 1), R(2, 3)),
        "extrema": (lambda x: (x.amax(1), x.amin(1), x.max(), x.min()), R(2, 3)),
        "max_dim": (lambda x: x.max(1), R(2, 3)),
        "min_dim": (lambda x: x.min(1, keepdim=True), R(2, 3)),
        "argmax": (
            lambda x: (x.argmax(1), x.argmin(0), x.argmax(), x.argmax(1, keepdim=True)),
            R(2, 3),
        ),
        "prod": (lambda x: (x.prod(), x.prod(1)), R(2, 3)),
        "any_all": (
            lambda x: ((x > 0.9).any(), (x > 0.9).any(1), (x > 0.1).all(1), (x > 0).all()),
            R(2, 3),
        ),
        "norm": (
            lambda x: (x.norm(), x.norm(p=1, dim=1), torch.linalg.vector_norm(x, float("inf"), 1)),
            signed(2, 3),
        ),
        "logsumexp": (lambda x: x.logsumexp(1), R(2, 3)),
        "cumsum": (lambda x: (x.cumsum(1), x.cumprod(0)), R(2, 3)),
        "cumsum_ints": (lambda x: (x > 2).cumsum(1), ints),
        "median": (lambda x: x.median(), R(5)),
        "median_dim": (lambda x: x.median(1), R(2, 3)),
        "count_nonzero": (lambda x: x.count_nonzero(1), ints - 2),
        "sort": (lambda x: (*x.sort(-1), *x.sort(0, descending=True)), R(3, 4)),
        "topk": (lambda x: x.topk(2), R(3, 4)),
        "argsort": (lambda x: x.argsort(), R(3, 4)),
        "kthvalue": (lambda x: x.kthvalue(2), R(3, 4)),
        "bucketize": (
            lambda x: (
                torch.bucketize(x, torch.tensor([0.1, 0.5])),
                torch.searchsorted(torch.tensor([0.1, 0.5]), x),
            ),
            R(2, 3),
        ),
        # Made.
        "arange": (lambda x: x + torch.arange(3), R(2, 3)),
        "ones": (
            lambda x: (
                torch.ones(2, 3) * x,
                torch.zeros_like(x),
                x.new_zeros(2),
                torch.full((2,), 3.0) + x[:, 0],
                x.new_ones(3),
            ),
            R(2, 3),
        ),
        "constant": (lambda x: torch.tensor([1.0, 2.0, 3.0]) * x, R(2, 3)),
        "linspace": (lambda x: torch.linspace(0, 1, 5) + x, R(5)),
        "tril": (lambda x: (x.tril(), x.triu(1), torch.tril(torch.ones(3, 3)) + x[0]), R(2, 3, 3)),
        "eye": (lambda x: torch.eye(3) + x, R(3, 3)),
        "dropout": (nn.Sequential(nn.Linear(3, 3), nn.Dropout()), R(2, 3)),
        "losses": (
            lambda x, y: (F.mse_loss(x, y), F.l1_loss(x, y), F.cosine_similarity(x, y)),
            R(2, 3),
            R(2, 3),
        ),
        "cross_entropy": (
            lambda x, t: (F.cross_entropy(x, t), F.nll_loss(x, t, reduction="sum")),
            R(3, 4),
            torch.tensor([0, 3, 1]),
        ),
        # Recurrent layers.
        "lstm": (nn.LSTM(4, 3, batch_first=True), R(1, 3, 4)),
        "lstm_deep": (nn.LSTM(4, 3, num_layers=2, bidirectional=True), R(3, 2, 4)),
        "gru": (nn.GRU(4, 3), R(3, 2, 4)),
        "rnn": (nn.RNN(4, 3), R(3, 2, 4)),
    }
    for name, (function, *args) in cases.items():
        yield name, function, tuple(args)


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(2))
        self.register_buffer("fixed", torch.ones(2), persistent=False)
        self.weight = nn.Parameter(R(2))
        self.constant = torch.full((2,), 3.0)

    def forward(self, x):
        self.seen.add_(x)
        return x * self.seen + self.weight + self.fixed * self.constant


class Branch(nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, (x,))


class Bert(nn.Module):
    """Post-norm encoder with learned positions and a mask."""

    def __init__(self, width=16, heads=2, layers=2, vocabulary=30):
        super().__init__()
        self.words, self.places = nn.Embedding(vocabulary, width), nn.Embedding(12, width)
        self.norm = nn.LayerNorm(width)
        self.heads = heads
        self.layers = nn.ModuleList(
            nn.ModuleDict(
                {
                    "q": nn.Linear(width, width),
                    "k": nn.Linear(width, width),
                    "v": nn.Linear(width, width),
                    "out": nn.Linear(width, width),
                    "norm1": nn.LayerNorm(width),
                    "up": nn.Linear(width, 4 * width),
                    "down": nn.Linear(4 * width, width),
                    "norm2": nn.LayerNorm(width),
                }
            )
            for _ in range(layers)
        )
        self.pooler = nn.Linear(width, width)

    def forward(self, tokens, mask):
        batch, length = tokens.shape
        x = self.norm(self.words(tokens) + self.places(torch.arange(length)))
        bias = (1.0 - mask[:, None, None, :].float()) * -1e4
        for layer in self.layers:
            q, k, v = (
                layer[name](x).view(batch, length, self.heads, -1).transpose(1, 2) for name in "qkv"
            )
            scores = q @ k.transpose(-1, -2) / (q.shape[-1] ** 0.5) + bias
            y = (scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, -1)
            x = layer["norm1"](x + layer["out"](y))
            x = layer["norm2"](x + layer["down"](F.gelu(layer["up"](x))))
        return x, torch.tanh(self.pooler(x[:, 0]))


class Gpt2(nn.Module):
    def __init__(self, width=16, heads=2, layers=2, vocabulary=30, longest=16):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocabulary, width), nn.Embedding(longest, width)
        self.heads = heads
        self.blocks = nn.ModuleList(
            nn.ModuleDict(
                {
                    "ln1": nn.LayerNorm(width),
                    "qkv": nn.Linear(width, 3 * width),
                    "out": nn.Linear(width, width),
                    "ln2": nn.LayerNorm(width),
                    "up": nn.Linear(width, 4 * width),
                    "down": nn.Linear(4 * width, width),
                }
            )
            for _ in range(layers)
        )
        self.ln = nn.LayerNorm(width)

    def forward(self, tokens):
        batch, length = tokens.shape
        x = self.wte(tokens) + self.wpe(torch.arange(length, device=tokens.device))[None]
        for block in self.blocks:
            q, k, v = block["qkv"](block["ln1"](x)).split(x.shape[-1], dim=2)
            q, k, v = (
                each.view(batch, length, self.heads, -1).transpose(1, 2) for each in (q, k, v)
            )
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + block["out"](y.transpose(1, 2).contiguous().view(batch, length, -1))
            x = x + block["down"](F.gelu(block["up"](block["ln2"](x)), approximate="tanh"))
        return self.ln(x) @ self.wte.weight.t()


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(8, 6), nn.Linear(6, 3)

    def forward(self, x):
        return self.fc2(F.relu(self.fc1(x)))


class SmallCnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4)
        self.conv2 = nn.Conv2d(4, 4, 3, padding=1, groups=4)
        self.fc = nn.Linear(4, 3)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn1(self.conv1(x))), 2)
        x = F.adaptive_avg_pool2d(F.silu(self.conv2(x)) + x, 1)
        return self.fc(torch.flatten(x, 1)).softmax(-1)


def small_nets():
    dim = torch.export.Dim
    tokens = torch.randint(0, 30, (2, 6))
    yield "mlp", Mlp(), (R(2, 8),), None
    yield "mlp_dynamic", Mlp(), (R(2, 8),), ({0: dim("batch", max=64)},)
    yield "cnn", SmallCnn(), (R(2, 1, 8, 8),), None
    yield "cnn_dynamic", SmallCnn(), (R(2, 1, 8, 8),), ({0: dim("batch", min=2, max=64)},)
    yield "bert", Bert(), (tokens, torch.tensor([[1] * 6, [1, 1, 1, 1, 0, 0]])), None
    yield "gpt2", Gpt2(), (tokens,), None
    yield "gpt2_dynamic", Gpt2(), (tokens,), (
        {0: dim("batch", max=8), 1: dim("length", min=2, max=16)},
    )
    yield "bert_dynamic", Bert(), (tokens, torch.ones(2, 6, dtype=torch.int64)), (
        {0: (b := dim("batch", max=8)), 1: (s := dim("length", min=2, max=12))},
        {0: b, 1: s},
    )
    yield "counter", Counter(), (R(2),), None
    yield "branch", Branch(), (R(3),), None
    yield "derived", Function(lambda x: x[:, 1:] + x.shape[0]), (R(4, 3),), (
        ({0: 2 * dim("half", max=30)},),
    )
    yield "reshaped", Function(lambda x: x.view(x.shape[0] * x.shape[1], -1).sum(0)), (
        R(4, 3, 2),
    ), (({0: dim("a", max=30), 1: dim("b", max=30)},),)
    yield "symbolic_slices", Function(lambda x: (x[1:], x[:-1], x[:, :2], torch.cat([x, x]))), (
        R(4, 3),
    ), (({0: dim("n", min=3, max=30)},),)
    yield "masked_select", Function(lambda x: x[x > 0.5] * 2), (R(6),), None


NETS = """alexnet vgg11 vgg11_bn resnet18 resnet50 squeezenet1_1 densenet121 googlenet inception_v3 mobilenet_v2 mobilenet_v3_small
shufflenet_v2_x0_5 mnasnet0_5 efficientnet_b0 resnext50_32x4d wide_resnet50_2 regnet_y_400mf convnext_tiny vit_b_16 swin_t""".split()


def classic_nets():
    try:
        import torchvision
    except ImportError:
        return
    for name in NETS:
        size = {"vit_b_16": 224, "inception_v3": 96, "alexnet": 96}.get(name, 64)
        options = {"init_weights": False} if name in ("googlenet", "inception_v3") else {}
        yield "net_" + name, getattr(torchvision.models, name)(weights=None, **options), (
            R(1, 3, size, size),
        ), None


def programs():
    torch.manual_seed(0)
    for name, function, args in small_operators():
        module = function if isinstance(function, nn.Module) else Function(function)
        yield name, module, args, None
    yield from small_nets()
    yield from classic_nets()
