# SPDX-License-Identifier: Apache-2.0
"""Functions written by hand, for what no generator makes: odd buffers, blocks, annotations, control flow and calls.

FUNCTIONS are separated by a line `# name`; each is a text of its own and what pass_cases.py puts through the passes."""
import tvm

FUNCTIONS = '''
# buffers
@T.prim_func(s_tir=True)
def main(a: T.handle, b: T.handle, c: T.handle, d: T.handle, e: T.handle, f: T.handle, n: T.int32, m: T.int64, p: T.handle("float32"), q: T.handle("int8", "shared")):
    T.func_attr({"tirx.noalias": True, "k": [1, 2, T.int64(3)], "d": {"x": 1.5, "y": "z", "w": {}}, "none": None, "empty": []})
    s0 = T.int32()
    s1 = T.int32()
    A = T.match_buffer(a, (n, 16), "float32", strides=[s0, s1], offset_factor=4, align=128)
    B = T.match_buffer(b, (16, n * 2), "float16", elem_offset=n, scope="global")
    C = T.match_buffer(c, (4, 4, 4), "int8", strides=[16, 4, 1])
    D = T.match_buffer(d, (), "bool")
    E = T.match_buffer(e, (m, m + T.int64(1)), "bfloat16", offset_factor=1)
    F = T.match_buffer(f, (7,), "float4_e2m1fn", strides=[s0 * 2])
    for i, j in T.grid(n, 16):
        with T.sblock("x"):
            vi, vj = T.axis.remap("SS", [i, j])
            A[vi, vj] = A[vi, vj] + T.Cast("float32", B[vj, vi]) + T.Cast("float32", C[0, 0, 0]) + T.if_then_else(D[()], T.float32(1), T.float32(-1))
    for i in range(m):
        with T.sblock("y"):
            vi = T.axis.spatial(m, i)
            E[vi, vi] = T.bfloat16(1.5)
# views
@T.prim_func(s_tir=True)
def main(A: T.Buffer((128, 128), "float32"), B: T.Buffer((128, 128), "float32")):
    for i, j in T.grid(8, 8):
        with T.sblock("outer"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi * 16:vi * 16 + 16, vj * 16:vj * 16 + 16])
            T.writes(B[vi * 16:vi * 16 + 16, vj * 16:vj * 16 + 16])
            s = T.int32()
            t = T.int32()
            o = T.int32()
            M = T.match_buffer(A[vi * 16:vi * 16 + 16, vj * 16:vj * 16 + 16], (16, 16), strides=[s, 1], elem_offset=o, offset_factor=16)
            N = T.match_buffer(B[vi * 16:vi * 16 + 16, vj * 16:vj * 16 + 16], (16, 16), strides=[t, 1], offset_factor=1, align=32)
            for ii in range(16):
                with T.sblock("inner"):
                    vii = T.axis.spatial(16, ii)
                    R = T.match_buffer(M[vii, 0:16], (16,), offset_factor=1)
                    for jj in range(16):
                        with T.sblock("innermost"):
                            vjj = T.axis.spatial(16, jj)
                            N[vii, vjj] = R[vjj] + T.Cast("float32", s) + T.Cast("float32", o)
# blocks
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64,), "float32")):
    C = T.sblock_alloc_buffer((64,), "float32", scope="local")
    D = T.sblock_alloc_buffer((64, 64), "float16", strides=[65, 1], elem_offset=3, scope="shared", align=16, offset_factor=3)
    for i in T.serial(0, 64, annotations={"pragma_auto_unroll_max_step": 16, "x": "y", "f": 1.5, "l": [0, 1], "m": {"k": T.int64(3)}}):
        with T.sblock("init"):
            vi = T.axis.S(64, i)
            T.reads()
            T.writes(C[vi])
            C[vi] = 0.0
        for k0, k1 in T.grid(9, 8):
            with T.sblock("reduce"):
                vi = T.axis.S(64, i)
                vk = T.axis.R(64, k0 * 8 + k1)
                T.where(k0 * 8 + k1 < 64)
                T.reads(A[vi, vk], C[vi])
                T.writes(C[vi])
                T.sblock_attr({"note": "text", "half": 0.5})
                with T.init():
                    C[vi] = T.float32(-1)
                C[vi] += A[vi, vk]
    for i in T.thread_binding(64, thread="threadIdx.x", annotations={"k": 1}):
        with T.sblock("opaque"):
            vo = T.axis.opaque(64, i)
            vs = T.axis.scan((0, 64), i)
            T.reads(C[0:64])
            T.writes([B[vo], D[vo, 0:64]])
            B[vo] = C[vs]
            D[vo, 0] = T.float16(1)
# no_iters
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4,), "float32")):
    with T.sblock("first"):
        T.reads()
        T.writes(A[0:4])
        with T.sblock(""):
            T.reads()
            T.writes(A[1])
            A[1] = 2.0
        with T.sblock("where"):
            T.where(A[0] > 1.0)
            A[2] = 1.0
    with T.sblock("second", no_realize=True):
        A[3] = 1.0
# loops
@T.prim_func(s_tir=True)
def main(A: T.Buffer((512,), "float32"), n: T.int32, m: T.int64):
    for i in range(3, n):
        A[i] = 1.0
    for i in T.serial(2, 30, step=3):
        A[i] = 1.0
    for i in T.parallel(4, 16):
        A[i] = 1.0
    for i in T.vectorized(0, 8):
        A[i] = A[i] + 1.0
    for i in T.unroll(n, n + 4):
        A[i] = 1.0
    for i in T.unroll(4, annotations={"pragma_unroll_explicit": False}):
        A[i] = 1.0
    for i, j, k in T.grid(2, n, (3, 6)):
        A[i + j + k] = 1.0
    for i in T.serial(m):
        A[i] = 1.0
    for i in T.serial(T.int64(0), T.int64(4)):
        for j in T.serial(T.int8(5)):
            for k in T.serial(T.uint32(7)):
                A[0] = A[0] + T.Cast("float32", i) + T.Cast("float32", j) + T.Cast("float32", k)
    for i in T.thread_binding(1, 5, thread="blockIdx.x"):
        for j in T.thread_binding(8, thread="vthread.x"):
            A[i * 8 + j] = 2.0
    for i in T.serial(16, annotations={"software_pipeline_stage": [0, 1], "software_pipeline_order": [0, 1]}):
        A[i] = A[i + 1]
        A[i + 2] = A[i] * 2.0
    for i in range(1):
        for j in range(0):
            A[0] = 1.0
# control
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16,), "int32"), n: T.int32, flag: T.bool) -> T.int32:
    if n == 0:
        return T.int32(-1)
    elif n < 0 and flag or not flag:
        A[0] = 1
    elif T.likely(n > 4, dtype="bool"):
        if flag:
            A[1] = 2
        else:
            A[2] = 3
    else:
        pass
    while A[0] < 10:
        A[0] = A[0] + 1
        if A[0] == 5:
            continue
        if A[0] == 6:
            break
    assert n > 1, "n is small"
    assert flag, ("ValueError", ["a", "b", "c"])
    x: T.let = A[3] + 1
    y: T.let[T.float32] = T.Cast("float32", x) * 2.0
    A[4] = T.Cast("int32", y) + x
    z: T.int32 = 3
    z = z + 1
    z += A[z]
    w: T.float32x4
    A[5] = z
    for i in range(16):
        if i % 2 == 0:
            A[i] = z
            if i > 8:
                return A[i]
        else:
            T.evaluate(i)
    return z
# arithmetic
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16,), "float32"), I: T.Buffer((16,), "int32"), L: T.Buffer((16,), "int64"), U: T.Buffer((16,), "uint8"), P: T.Buffer((4,), "bool"), H: T.Buffer((4,), "float16")):
    A[0] = T.max(T.min(A[0], 1.0), T.min_value("float32")) + T.max_value("float32") + T.infinity("float32") - T.float32("nan") + T.float32("-inf")
    A[1] = T.exp(A[0]) + T.exp2(A[0]) + T.exp10(A[1]) + T.log(A[1]) + T.log2(A[1]) + T.log10(A[2]) + T.log1p(A[2]) + T.sigmoid(A[2])
    A[2] = T.sin(A[0]) * T.cos(A[0]) / T.tan(A[0]) - T.asin(A[0]) - T.acos(A[0]) - T.atan(A[0]) - T.sinh(A[0]) - T.cosh(A[0]) - T.tanh(A[0]) - T.asinh(A[0]) - T.acosh(A[0]) - T.atanh(A[0])
    A[3] = T.pow(A[0], A[1]) + T.fmod(A[0], A[1]) + T.atan2(A[0], A[1]) + T.hypot(A[0], A[1]) + T.copysign(A[0], A[1]) + T.nextafter(A[0], A[1]) + T.ldexp(A[0], I[0])
    A[4] = T.floor(A[0]) + T.ceil(A[0]) + T.trunc(A[0]) + T.round(A[0]) + T.nearbyint(A[0]) + T.sqrt(A[0]) + T.rsqrt(A[0]) + T.erf(A[0]) + T.fabs(A[0]) + T.abs(A[0])
    A[5] = T.Select(I[0] > 0, A[0], -A[1]) + T.if_then_else(I[1] == 0 or I[2] != 1, A[0], T.if_then_else(P[0], A[1], A[2]))
    A[6] = T.reinterpret("float32", I[0]) + T.Cast("float32", L[0]) + T.Cast("float32", U[0]) + T.Cast("float32", H[0]) + T.Cast("float32", P[0]) + T.fma(A[0], A[1], A[2])
    I[0] = I[0] // 3 + I[0] % 3 + T.truncdiv(I[0], 3) + T.truncmod(I[0], 3) + T.floordiv(I[0], I[1]) + T.floormod(I[0], I[1]) + T.ceildiv(I[0], 4)
    I[1] = I[0] << 2 | I[0] >> 1 & I[1] ^ ~I[2] | (I[0] & 255) << I[3] - 1
    I[2] = T.bitwise_and(I[0], 7) + T.bitwise_or(I[0], I[1]) + T.bitwise_xor(I[0], I[1]) + T.bitwise_not(I[0]) + T.shift_left(I[0], 1) + T.shift_right(I[0], I[1])
    I[3] = T.popcount(I[0]) + T.clz(I[0]) + T.abs(I[0]) + T.q_multiply_shift(I[0], I[1], 31, -2) + T.dp4a(I[0], I[1], I[2])
    I[4] = -(I[0] - (I[1] - I[2])) - (I[0] * (I[1] + I[2])) * 2 - I[0] * I[1] * I[2] - I[0] // (I[1] // I[2]) - I[0] % (I[1] * 2)
    L[0] = L[0] + T.Cast("int64", I[0]) + T.int64(9223372036854775807) - T.int64(-9223372036854775807) + L[I[0]] * T.int64(2)
    U[0] = U[0] * T.uint8(255) // U[1] + T.Cast("uint8", I[0])
    P[0] = I[0] < I[1] and (I[1] <= I[2] or I[2] > I[3]) and not (I[3] >= I[4]) and P[1] == P[2]
    P[1] = T.isnan(A[0]) or T.isinf(A[0]) or T.isfinite(A[0]) or T.bool(True) or T.And(P[0], P[1]) or T.Not(P[0])
    H[0] = H[0] * T.float16(0.1) + T.Cast("float16", A[0]) + T.float16(65504) + T.max(H[1], T.float16(1e-7))
    A[7] = 1e-30 * A[0] + T.float32(1e30) + T.float32(0.1) + T.float32(-0.0) + T.float32(16777217) + T.float32(3.4028234663852886e38)
# vectors
@T.prim_func(s_tir=True)
def main(A: T.Buffer((128,), "float32"), B: T.Buffer((128,), "float16x4"), C: T.Buffer((128,), "int32"), P: T.Buffer((16,), "boolx4"), V: T.Buffer((128,), "float32")):
    A[0:4] = T.Broadcast(T.float32(1), 4)
    A[0:8:2] = A[T.Ramp(4, 2, 4)] * T.Broadcast(A[0], 4)
    A[T.Ramp(C[0], C[1], 8)] = T.Broadcast(T.float32(0), 8)
    A[T.Ramp(0, 1, 4)] = T.Cast("float32x4", B[3]) + T.Cast("float32x4", C[T.Ramp(0, 1, 4)])
    A[0:4] = T.Select(C[T.Ramp(0, 1, 4)] > T.Broadcast(0, 4), A[T.Ramp(0, 1, 4)], T.Broadcast(T.float32(2), 4))
    A[0:4] = T.Shuffle([A[T.Ramp(0, 1, 4)], A[T.Ramp(4, 1, 4)]], [0, 2, 4, 6])
    A[0] = T.Shuffle([A[T.Ramp(0, 1, 4)]], [3])
    A[0:2] = T.Shuffle([A[0], A[1]], [1, 0])
    A[0:4] = T.vectorlow("float32x4", A[T.Ramp(0, 1, 8)]) + T.vectorhigh("float32x4", A[T.Ramp(0, 1, 8)])
    A[0:8] = T.vectorcombine("float32x8", A[T.Ramp(0, 1, 4)], A[T.Ramp(4, 1, 4)])
    B[0] = T.Broadcast(T.float16(1.5), 4)
    C[0:8] = T.reinterpret("int32x8", A[T.Ramp(0, 1, 8)])
    A[T.Ramp(0, 1, 4 * T.vscale())] = V[T.Ramp(0, 1, 4 * T.vscale())] + T.Broadcast(T.float32(1), 4 * T.vscale())
    for i in T.serial(T.ceildiv(128, 4 * T.vscale())):
        A[T.Ramp(i * 4 * T.vscale(), 1, T.vscale() * 4)] = V[T.Ramp(i * 4 * T.vscale(), 1, T.vscale() * 4)]
# calls
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 16), "float32"), h: T.handle, n: T.int32):
    T.evaluate(T.call_packed("f", 1, "text", A[0, 0], T.float64(2), T.handle_add_byte_offset(A.data, 4)))
    T.evaluate(T.call_cpacked("g", A.data, T.tvm_stack_alloca("shape", 2)))
    T.call_extern("void", "h", A.data, n, T.address_of(A[1, 2]), T.int64(1))
    A[0, 0] = T.call_extern("float32", "ext", A[0, 0]) + T.call_pure_extern("float32", "pure", 1.0, n)
    A[0, 1] = T.call_intrin("float32", "tirx.exp", A[0, 0]) + T.call_llvm_pure_intrin("float32", "llvm.sqrt.f32", A[0, 0])
    A[0, 2] = T.call_llvm_pure_intrin("float32", T.uint32(298), T.uint32(1), A[0, 0])
    T.evaluate(T.isnullptr(h))
    T.tvm_storage_sync("shared")
    T.tvm_struct_set(h, 0, 5, T.uint64(3))
    A[0, 3] = T.Cast("float32", T.tvm_struct_get(h, 0, 5, dtype="int64"))
    p: T.let[T.handle("float32")] = T.address_of(A[0, 4])
    T.call_extern("int32", "take", p, T.tvm_access_ptr(T.type_annotation("float32"), A.data, 16, 32, 1))
    T.call_extern("int32", "take", A.access_ptr("rw"), A.access_ptr("r", offset=4), A.access_ptr(2, extent=5))
    T.tvm_throw_last_error()
    T.evaluate(T.tvm_stack_make_shape(1, n, T.int64(3)))
    T.evaluate(T.tvm_stack_make_array(A.data, T.tvm_stack_make_shape(16, 16), T.reinterpret("handle", T.uint64(0)), 2, T.float32(0), 0))
    T.prefetch(A[0:4, 0:4], 1) if False else T.evaluate(0)
    T.assume(n > 3)
    T.evaluate(T.undef(dtype="float32"))
    T.evaluate(T.tvm_tuple(1, 2, 3))
    T.print_buffer(A.data, "float32", False, 2, 16, 16) if False else T.evaluate(1)
    T.start_profile_intrinsic(3)
    T.end_profile_intrinsic(3)
    T.evaluate(T.lookup_param("w"))
    w: T.let[T.handle] = T.TVMBackendAllocWorkspace(1, 0, T.uint64(64), 2, 32)
    T.evaluate(T.TVMBackendFreeWorkspace(1, 0, w))
# attributes
@T.prim_func(s_tir=True)
def main(A: T.Buffer((128,), "float32"), B: T.Buffer((128,), "float32")):
    bx = T.launch_thread("blockIdx.x", 4)
    tx = T.launch_thread("threadIdx.x", 32)
    vt = T.launch_thread("vthread", 2)
    S = T.alloc_buffer((128,), "float32", scope="shared", annotations={"k": 1})
    L = T.alloc_buffer((1,), "float32", scope="local")
    with T.attr(A.data, "storage_alignment", 64):
        S[tx] = A[bx * 32 + tx]
    T.attr(0, "pragma_import_c", "int f();")
    with T.attr(T.target("cuda"), "target", 0):
        S[tx + 1] = 1.0
    with T.attr({"a": 1, "b": "c"}):
        S[tx + 2] = 1.0
    with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
        T.tvm_thread_allreduce(T.uint32(1), S[tx], T.bool(True), L[0], tx)
    with T.attr(0, "async_commit_queue_scope", 0):
        with T.attr(0, "async_scope", 1):
            S[tx + 3] = A[tx]
    with T.attr(0, "async_wait_queue_scope", 0):
        with T.attr(0, "async_wait_inflight_count", 1):
            B[bx * 32 + tx] = S[tx] + L[0] + T.Cast("float32", vt)
    with T.attr(S.data, "double_buffer_scope", 1):
        B[tx] = T.tvm_warp_shuffle(T.uint32(4294967295), L[0], 3, 32, 32) + T.tvm_warp_shuffle_down(T.tvm_warp_activemask(), L[0], 3, 32, 32)
# odd_names
@T.prim_func(s_tir=True)
def main(A_1: T.Buffer((16,), "float32"), A_2: T.Buffer((16,), "float32"), T_add: T.Buffer((16,), "float32"), x__y: T.Buffer((16,), "float32"), _: T.Buffer((16,), "float32"), v_: T.int32, é: T.int32):
    for i in range(4):
        for i_1 in range(4):
            with T.sblock("A-b.c d"):
                vi = T.axis.spatial(16, i * 4 + i_1)
                A_1[vi] = A_2[vi] + T_add[vi] + x__y[vi] + _[vi] + T.Cast("float32", v_ + é)
    for i in range(4):
        A = T.alloc_buffer((16,), "float32")
        A[i] = 1.0
    for i in range(4):
        A = T.alloc_buffer((16,), "int8")
        A[i] = T.int8(1)
        for i in range(3):
            A[i] = T.int8(2)
# no_params
@T.prim_func(private=True, s_tir=True)
def main():
    T.evaluate(0)
# ret_handle
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16,), "float32")) -> T.handle:
    return A.data
# dtypes
@T.prim_func(s_tir=True)
def main(a: T.Buffer((8,), "float8_e4m3fn"), b: T.Buffer((8,), "float8_e5m2"), c: T.Buffer((8,), "float8_e8m0fnu"), d: T.Buffer((8,), "float6_e2m3fn"), e: T.Buffer((8,), "float4_e2m1fn"), f: T.Buffer((8,), "int4"), g: T.Buffer((8,), "uint1"), h: T.Buffer((8,), "int16"), i: T.Buffer((8,), "uint64"), j: T.Buffer((8,), "float64"), l: T.Buffer((8,), "float8_e4m3fnx4"), m: T.Buffer((2,), "uint16x8"), n: T.Buffer((2,), "bfloat16x2"), o: T.Buffer((8,), "int1")):
    a[0] = T.float8_e4m3fn(1.5) + T.Cast("float8_e4m3fn", b[0])
    b[0] = T.Cast("float8_e5m2", a[0]) * T.float8_e5m2(2)
    c[0] = T.Cast("float8_e8m0fnu", j[0])
    d[0] = T.float6_e2m3fn(1)
    e[0] = T.Cast("float4_e2m1fn", j[0])
    f[0] = T.Cast("int4", h[0])
    g[0] = T.Cast("uint1", h[0])
    h[0] = T.int16(-3) * h[1] + T.Cast("int16", i[0])
    i[0] = T.Cast("uint64", h[0]) - i[1]
    j[0] = T.float64(0.1) + j[1] * T.float64(1e300) + T.float64(2e-308)
    l[0] = T.Broadcast(T.float8_e4m3fn(1), 4)
    m[0] = T.Broadcast(T.uint16(65535), 8) + m[1]
    n[0] = T.Broadcast(T.bfloat16(0.1), 2) * n[1]
    h[1] = T.reinterpret("int16", T.Cast("float16", j[0]))
# double_buffer
@T.prim_func(s_tir=True)
def main(A: T.Buffer((100, 4), "float32"), C: T.Buffer((4,), "float32")):
    tx = T.launch_thread("threadIdx.x", 1)
    for i in range(100):
        with T.attr(0, "k", 1):
            B = T.alloc_buffer((4,), "float32", scope="shared")
            with T.attr(B.data, "double_buffer_scope", 1):
                for j in range(4):
                    B[j] = A[i, j]
            for j in range(4):
                C[j] = B[j] + 1.0
# pipeline
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):
    for tx in T.thread_binding(16, thread="threadIdx.x"):
        for i in T.serial(16, annotations={"software_pipeline_stage": [0, 0, 1], "software_pipeline_order": [0, 1, 2], "software_pipeline_async_stages": [0]}):
            with T.sblock("compute"):
                T.reads(A[tx, i])
                T.writes(C[tx, i])
                B = T.sblock_alloc_buffer((16, 1), scope="shared")
                D = T.sblock_alloc_buffer((16, 1), scope="shared")
                with T.sblock("a"):
                    T.reads(A[tx, i])
                    T.writes(B[tx, 0])
                    B[tx, 0] = A[tx, i] * 2.0
                with T.sblock("b"):
                    T.reads(B[tx, 0])
                    T.writes(D[tx, 0])
                    D[tx, 0] = B[tx, 0] + 1.0
                with T.sblock("c"):
                    T.reads(D[tx, 0])
                    T.writes(C[tx, i])
                    C[tx, i] = D[tx, 0] + 1.0
# virtual
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
    for bx in T.thread_binding(4, thread="blockIdx.x"):
        for vx in T.thread_binding(2, thread="vthread.x"):
            for tx in T.thread_binding(8, thread="threadIdx.x"):
                with T.sblock("b"):
                    vi = T.axis.spatial(64, bx * 16 + vx * 8 + tx)
                    T.reads(A[vi])
                    T.writes(C[vi])
                    B = T.sblock_alloc_buffer((64,), scope="local")
                    B[vi] = A[vi] * 2.0
                    if B[vi] > 0.0:
                        C[vi] = B[vi]
# irregular
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16,), "int32"), n: T.int32):
    for i in range(n):
        for j in range(4):
            if j > 2:
                T.break_loop()
            A[j] = i
        if A[i] > 0:
            T.continue_loop()
        A[i] = 1
# hoist
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64, 64), "float32"), n: T.int32, m: T.int32):
    for i, j in T.grid(64, 64):
        if n < 3 and i < m:
            x: T.let[T.int32] = n * 3 + i
            A[i, j] = A[i, j] + T.Cast("float32", x * m)
        else:
            A[i, j] = T.if_then_else(m > 4, A[i, 0], T.if_then_else(i > 4, A[0, j], 0.0))
    for i in range(16):
        y: T.let[T.float32] = T.sqrt(A[0, 0] + A[0, 0])
        A[i, 0] = y * T.Select(n > 5, y, 1.0)
# partition
@T.prim_func(s_tir=True)
def main(A: T.Buffer((100,), "float32"), B: T.Buffer((100,), "float32"), n: T.int32):
    for i in T.serial(0, 13, annotations={"pragma_loop_partition_hint": 1}):
        for j in range(8):
            if T.likely(i * 8 + j < 100):
                B[i * 8 + j] = T.if_then_else(0 < i * 8 + j and i * 8 + j < 99, A[i * 8 + j], 0.0)
    for i in range(n):
        if T.likely(i < 60):
            B[i] = 1.0
        if T.likely(i < n - 3):
            A[i] = 1.0
# storage
@T.prim_func(s_tir=True)
def main(n: T.int32, A: T.Buffer((64,), "float32")):
    for i in T.parallel(4):
        B = T.alloc_buffer((64,), "float32")
        C = T.alloc_buffer((n,), "float32")
        D = T.alloc_buffer((16,), "float32x4")
        E = T.alloc_buffer((256,), "int8", scope="local")
        for j in range(64):
            B[j] = A[j] + 1.0
        for j in range(64):
            C[j % n] = B[j] * 2.0
        for j in range(16):
            D[j] = T.Broadcast(C[j], 4)
        for j in range(256):
            E[j] = T.Cast("int8", T.Shuffle([D[j % 16]], [0]))
        for j in range(64):
            A[j] = T.Cast("float32", E[j])
    with T.allocate_never if False else T.attr(0, "k", 2):
        F = T.decl_buffer((64,), "int32", data=A.data)
        G = T.decl_buffer((8, 8), "float32", data=A.data, strides=[9, 1], elem_offset=2)
        F[0] = T.reinterpret("int32", G[1, 2])
# narrow
@T.prim_func(s_tir=True)
def main(a: T.handle, b: T.handle):
    n = T.int64()
    m = T.int64()
    A = T.match_buffer(a, (n, m, T.int64(3)), "float32")
    B = T.match_buffer(b, (n * m, T.int64(3)), "bfloat16")
    for i, j, k in T.grid(n, m, T.int64(3)):
        with T.sblock("b"):
            vi, vj, vk = T.axis.remap("SSS", [i, j, k])
            B[vi * m + vj, vk] = T.Cast("bfloat16", A[vi, vj, vk]) + B[vi * m + vj, vk] * T.bfloat16(2) + T.exp(B[vi * m + vj, vk])
    for i in range(T.int64(0), n * T.int64(2)):
        with T.sblock("c"):
            vi = T.axis.spatial(n * T.int64(2), i)
            T.where(i < n + m)
            if T.Cast("int32", vi) > 3 and vi % T.int64(2) == T.int64(0):
                A[vi, T.int64(0), T.int64(1)] = T.Cast("float32", vi)
# fp8
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "float8_e4m3fn"), B: T.Buffer((64,), "float8_e5m2"), C: T.Buffer((64,), "bfloat16"), D: T.Buffer((64,), "float32")):
    E = T.alloc_buffer((64,), "bfloat16")
    F = T.alloc_buffer((64,), "float8_e4m3fn")
    for i in range(64):
        E[i] = C[i] * C[i] + T.Cast("bfloat16", D[i])
        F[i] = A[i] + A[i] * T.float8_e4m3fn(0.5)
        B[i] = T.max(B[i], T.Cast("float8_e5m2", F[i]))
        D[i] = T.Cast("float32", E[i]) + T.Cast("float32", F[i])
        C[i] = T.if_then_else(C[i] < T.bfloat16(0), -C[i], T.sqrt(C[i]))
    for i in T.vectorized(4):
        C[i] = C[i] + T.Cast("bfloat16", A[i])
# async
@T.prim_func(s_tir=True)
def main(A: T.Buffer((128, 16), "float16"), B: T.Buffer((128, 16), "float16"), C: T.Buffer((32, 4), "float32")):
    bx = T.launch_thread("blockIdx.x", 1)
    tx = T.launch_thread("threadIdx.x", 32)
    S = T.alloc_buffer((512,), "float16", scope="shared")
    R = T.alloc_buffer((128,), "float32", scope="shared.dyn")
    with T.attr(0, "async_scope", 1):
        for i in range(16):
            S[tx * 16 + i] = A[tx, i]
        S[T.Ramp(tx * 8, 1, 8)] = A[tx, T.Ramp(0, 1, 8)]
        R[T.Ramp(tx * 4, 1, 4)] = T.if_then_else(tx > 3, C[tx, T.Ramp(0, 1, 4)], T.Broadcast(T.float32(0), 4))
    T.attr(0, "async_commit_queue_scope", 0)
    T.tvm_storage_sync("shared")
    for i in range(16):
        B[tx, i] = S[tx * 16 + i] + T.Cast("float16", R[tx])
# wmma
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 16), "float16"), C: T.Buffer((16, 16), "float32")):
    tx = T.launch_thread("threadIdx.x", 32)
    a = T.alloc_buffer((256,), "float16", scope="wmma.matrix_a")
    b = T.alloc_buffer((256,), "float16", scope="wmma.matrix_b")
    c = T.alloc_buffer((256,), "float32", scope="wmma.accumulator")
    T.tvm_fill_fragment(c.data, 16, 16, 16, 0, T.float32(0))
    T.tvm_load_matrix_sync(a.data, 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation("float16"), A.data, 0, 256, 1), 16, "row_major")
    T.tvm_load_matrix_sync(b.data, 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation("float16"), A.data, 0, 256, 1), 16, "col_major")
    T.tvm_mma_sync(c.data, 0, a.data, 0, b.data, 0, c.data, 0)
    T.tvm_store_matrix_sync(c.data, 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation("float32"), C.data, 0, 256, 2), 16, "row_major")
    T.evaluate(T.tvm_thread_invariant(tx))
# allreduce
@T.prim_func(s_tir=True)
def main(A: T.Buffer((128, 64), "float32"), B: T.Buffer((128,), "float32"), C: T.Buffer((128,), "int32")):
    for i in T.thread_binding(128, thread="blockIdx.x"):
        for k in T.thread_binding(64, thread="threadIdx.x"):
            with T.sblock("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = 0.0
                B[vi] = B[vi] + A[vi, vk]
        for k in T.thread_binding(64, thread="threadIdx.x"):
            with T.sblock("argmax"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = T.min_value("float32")
                    C[vi] = -1
                v_0: T.let[T.int32] = T.Select(B[vi] >= A[vi, vk], C[vi], vk)
                v_1: T.let[T.float32] = T.Select(B[vi] >= A[vi, vk], B[vi], A[vi, vk])
                C[vi] = v_0
                B[vi] = v_1
# compact
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64, 64), "float32"), C: T.Buffer((64, 64), "float32")):
    for i in range(8):
        with T.sblock(""):
            T.reads(A[i * 8:i * 8 + 8, 0:64])
            T.writes(C[i * 8:i * 8 + 8, 0:64])
            B = T.sblock_alloc_buffer((64, 64), scope="shared")
            W = T.sblock_alloc_buffer((64, 64), scope="warp", align=16)
            for ii, j in T.grid(8, 64):
                with T.sblock(""):
                    T.reads(A[i * 8 + ii, j])
                    T.writes(B[i * 8 + ii, j])
                    T.sblock_attr({"buffer_dim_align": [[0, 0, 32, 4]]})
                    B[i * 8 + ii, j] = A[i * 8 + ii, j]
            for ii in T.serial(8):
                for j in T.vectorized(64):
                    with T.sblock(""):
                        T.where(i * 8 + ii < 63)
                        T.reads(B[i * 8 + ii, j])
                        T.writes(W[i * 8 + ii, j])
                        W[i * 8 + ii, j] = B[i * 8 + ii, j] + T.if_then_else(ii > 0, B[i * 8 + ii, 0], 1.0)
            for ii, j in T.grid(8, 64):
                C[i * 8 + ii, j] = W[i * 8 + ii, j]
# rolling
@T.prim_func(s_tir=True)
def main(A: T.Buffer((12, 12), "int8"), C: T.Buffer((8, 8), "int8")):
    B = T.sblock_alloc_buffer((10, 10), "int8")
    for i, j in T.grid(4, 8):
        for k0, k1 in T.grid(4, 3):
            with T.sblock("B"):
                T.where(i < 1 or 2 <= k0)
                x = T.axis.spatial(10, i * 2 + k0)
                y = T.axis.spatial(10, j + k1)
                B[x, y] = T.max(A[x, y], A[x + 2, y + 2])
        for k in range(2):
            with T.sblock("C"):
                x = T.axis.spatial(8, i * 2 + k)
                y = T.axis.spatial(8, j)
                C[x, y] = T.max(B[x, y], B[x + 2, y + 2])
# unsafe_select
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16,), "float32"), n: T.int32):
    for i in range(16):
        A[i] = T.Select(i < n, A[i + n], T.Select(i > 3, 1.0, A[n // i])) + T.Select(T.bool(True), T.float32(1), A[0])
    T.assume(A[3] == 1.0)
    if A[3] == 1.0:
        A[4] = 1.0
    for i in range(16):
        with T.sblock("u"):
            vi = T.axis.spatial(16, i)
            A[vi] = T.if_then_else(vi < 14, A[vi], T.undef(dtype="float32"))
# mean
@T.prim_func(s_tir=True)
def main(A: T.Buffer((T.int64(4), T.int64(8)), "float16"), B: T.Buffer((T.int64(4),), "float16")):
    S = T.sblock_alloc_buffer((T.int64(4),), "float32")
    for i, k in T.grid(T.int64(4), T.int64(8)):
        with T.sblock("s"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                S[vi] = T.float32(0)
            S[vi] = S[vi] + T.Cast("float32", A[vi, vk])
    for i in range(T.int64(4)):
        with T.sblock("m"):
            vi = T.axis.spatial(T.int64(4), i)
            B[vi] = T.Cast("float16", S[vi] / T.float32(8))
# tirx_buffers
@T.prim_func
def main(a: T.handle, b: T.handle, C: T.Buffer((8, 16), "float16", layout=None), D: T.Buffer((4, 8), "int8", strides=[16, 1]), n: T.int32):
    A = T.match_buffer(a, (n, 8), "float32", offset_factor=4)
    B = T.match_buffer(b, (8, n + 1), "bfloat16", elem_offset=n, align=32)
    S = T.alloc_buffer((64,), "float32", scope="shared.dyn", align=128)
    L = T.alloc_local((4,), "int32")
    X = T.decl_buffer((128,), "float16", data=C.data)
    Y = T.decl_buffer((4, 4), "int8", data=D.data, elem_offset=8, strides=[16, 1])
    x: T.int32 = 3
    y: T.float32
    y = A[0, 0] + 1.0
    for i in range(n):
        x = x + i
        L[i % 4] = x
        S[i] = y * T.Cast("float32", B[0, i]) + T.Cast("float32", X[i]) + T.Cast("float32", Y[i, 0])
    while x > 0:
        x -= 1
        if x == 4:
            continue
        break
# tirx_kernel
@T.prim_func
def main(A: T.Buffer((128, 64), "float16"), B: T.Buffer((128, 64), "float16")):
    T.device_entry()
    bx, by = T.cta_id([2, 3])
    wg = T.warpgroup_id([1])
    w = T.warp_id([4])
    lane = T.lane_id([32])
    tid = T.thread_id([128])
    S = T.alloc_shared((64, 64), "float16", align=16)
    R = T.alloc_local((8,), "float32")
    if tid < 64:
        for i in T.unroll(8):
            R[i] = T.Cast("float32", A[tid, i])
        for i in T.vectorized(4):
            S[tid, i] = T.Cast("float16", R[i])
    T.tvm_storage_sync("shared")
    p: T.let[T.handle("float16", "shared")] = T.address_of(S[0, 0])
    T.call_extern("void", "f", p, bx + by + wg + w + lane)
    T.cuda.cta_sync()
    B[tid, 0] = S[tid % 64, 0]
# tirx_layouts
@T.prim_func
def main(A: T.Buffer((64, 64), "float16", layout=T.TileLayout(T.S[(8, 8, 64) : (512, 64, 1)])), B: T.Buffer((16, 16), "float32")):
    T.device_entry()
    cta = T.cta_id([1])
    tid = T.thread_id([32])
    R = T.alloc_buffer((16, 16), "float32", scope="local", layout=T.TileLayout(T.S[(8, 2, 4, 4) : (4 @ Axis.laneid, 1, 1 @ Axis.laneid, 2)]))
    S = T.alloc_buffer((64, 64), "float16", scope="shared", layout=T.ComposeLayout(3, 3, 3, tile_layout=T.TileLayout(T.S[(64, 64) : (64, 1)])))
    V = S.view(8, 512)
    S[0, tid] = A[0, tid]
    V[0, tid] = T.float16(1)
    B[0, tid % 16] = T.Cast("float32", S[0, tid])
# tirx_tiles
@T.prim_func
def main(A: T.Buffer((64, 64), "float16"), B: T.Buffer((64, 64), "float16")):
    T.device_entry()
    cta = T.cta_id([1])
    tid = T.thread_id([128])
    S = T.alloc_shared((64, 64), "float16")
    D = T.alloc_shared((64, 64), "float16")
    Tx.cta.copy(S[:, :], A[0:64, 0:64])
    Tx.cta.fill(D[0:32, :], T.float16(0))
    Tx.cta.add(D, S, S)
    Tx.cta.exp(S, D)
    Tx.cta.copy(B[0:64, 0:64], D[:, :])
'''
MODULES = '''
# calls_between
@I.ir_module
class Module:
    I.module_attrs({"a": 1, "b": "text", "c": [1, 2.5], "system_lib_prefix": "p_"})
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice({"kind": "cuda", "arch": "sm_80"}, 0, "global")]})
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16,), "float32"), n: T.int32):
        T.func_attr({"target": T.target({"kind": "llvm", "num-cores": 4})})
        Module.helper(A.data, n)
        A[0] = Module.value(A[1], 3)
        T.evaluate(Module.helper(A.data, Module.count(n)))
    @T.prim_func(private=True, s_tir=True)
    def helper(p: T.handle("float32"), n: T.int32):
        T.func_attr({"calling_conv": 2, "tirx.is_global_func": True, "target": T.target("cuda", host="llvm")})
        B = T.decl_buffer((16,), "float32", data=p)
        for i in range(n):
            B[i] = B[i] * 2.0
    @T.prim_func(private=True, s_tir=True)
    def value(x: T.float32, k: T.int32) -> T.float32:
        return x * T.Cast("float32", k)
    @T.prim_func(private=True)
    def count(n: T.int32) -> T.int32:
        return n + 1
# empty
@I.ir_module
class Module:
    I.module_attrs({"x": {"y": []}})
# names
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def b(A: T.Buffer((4,), "int32")):
        T.func_attr({"global_symbol": "other"})
        A[0] = 1
    @T.prim_func(s_tir=True)
    def a(A: T.Buffer((4,), "int32")):
        A[0] = 2
    @T.prim_func
    def C(A: T.Buffer((4,), "int32")):
        A[0] = 3
'''


def texts(source):
    for part in source.strip().split("\n# "):
        name, text = part.removeprefix("# ").split("\n", 1)
        yield name, text


def cases():
    for name, text in [*texts(FUNCTIONS), *texts(MODULES)]:
        yield f"script/{name}", lambda t=text: tvm.script.from_source(t)
