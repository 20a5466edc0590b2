// SPDX-License-Identifier: Apache-2.0
// Calls what mlc generated for WebAssembly through its tvm-ffi entries: tensors are laid out by hand.
import { readFileSync } from "node:fs";

let memory;
const text = (at) => {
  const bytes = new Uint8Array(memory.buffer);
  return new TextDecoder().decode(bytes.subarray(at, bytes.indexOf(0, at)));
};
let raised = "";
const env = {
  powf: (x, y) => Math.fround(Math.pow(x, y)),
  sinf: (x) => Math.fround(Math.sin(x)),
  snprintf: (to, size, format) => {
    const bytes = new TextEncoder().encode(text(format)).subarray(0, size - 1);
    new Uint8Array(memory.buffer).set([...bytes, 0], to);
    return bytes.length;
  },
  TVMFFIErrorSetRaisedFromCStr: (kind, message) => {
    raised = `${text(kind)}: ${text(message)}`;
  },
};
const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), { env });
memory = instance.exports.memory;
let free = instance.exports.__heap_base?.value ?? 1 << 17;
const take = (bytes) => {
  const at = (free + 63) & ~63;
  free = at + bytes;
  if (free > memory.buffer.byteLength) memory.grow(((free - memory.buffer.byteLength) >> 16) + 1);
  return at;
};

const kinds = new Map([[Float32Array, [2, 32]], [Float64Array, [2, 64]], [Int32Array, [0, 32]], [BigInt64Array, [0, 64]]]);
// A DLTensor, or a number as float.
const write = (at, argument) => {
  const view = new DataView(memory.buffer);
  if (typeof argument === "number") {
    view.setInt32(at, 3, true);
    view.setFloat64(at + 8, argument, true);
    return;
  }
  const { array, shape } = argument;
  const data = take(array.byteLength);
  const extents = take(8 * shape.length);
  const tensor = take(40);
  const fresh = new DataView(memory.buffer);
  new array.constructor(memory.buffer, data, array.length).set(array);
  argument.read = () => new array.constructor(memory.buffer, data, array.length);
  shape.forEach((extent, i) => fresh.setBigInt64(extents + 8 * i, BigInt(extent), true));
  const [code, bits] = argument.kind ?? kinds.get(array.constructor);
  [data, 1, 0, shape.length, code | (bits << 8) | (1 << 16), extents, 0].forEach((word, i) =>
    fresh.setUint32(tensor + 4 * i, word, true),
  );
  fresh.setBigUint64(tensor + 32, 0n, true);
  fresh.setInt32(at, 7, true);
  fresh.setUint32(at + 8, tensor, true);
};
const call = (name, ...list) => {
  const at = take(16 * list.length);
  const result = take(16);
  list.forEach((argument, i) => write(at + 16 * i, argument));
  return instance.exports[`__tvm_ffi_${name}`](0, at, list.length, result);
};
const tensor = (array, ...shape) => ({ array, shape });

let wrong = 0;
const expect = (holds, what) => {
  if (!holds) console.log(`${what} is wrong`), ++wrong;
};
const near = (a, b) => Object.is(a, b) || a === b || Math.abs(a - b) <= 4e-7 * Math.abs(b) + 1e-30;

const x = tensor(Float32Array.from({ length: 37 }, (_, i) => i / 2), 37);
const y = tensor(Float32Array.from({ length: 37 }, (_, i) => -i), 37);
expect(call("axpy", x, y, 3) === 0, "axpy");
y.read().forEach((value, i) => expect(value === i / 2, `axpy ${i}`));
expect(call("axpy", x, tensor(new Float32Array(36), 36), 3) !== 0 && raised.startsWith("ValueError: "), "an error");

const f = Float32Array.from({ length: 32 }, (_, i) => (i - 16) * 0.37);
[f[30], f[31]] = [Infinity, NaN];
const g = tensor(new Float32Array(160), 5, 32);
const d = tensor(new Float64Array(32), 32);
expect(call("functions", tensor(f, 32), g, d) === 0, "functions");
f.forEach((value, i) => {
  const rows = [Math.exp(value), Math.tanh(value), null, Math.sin(value), Math.pow(Math.abs(value), Math.fround(0.3))];
  rows.forEach((row, k) => row === null || expect(near(g.read()[32 * k + i], row), `function ${k} of ${value}`));
  expect(near(d.read()[i], Math.log(Math.fround(value * value) + 0.5)), `log of ${value}`);
});

const m = Int32Array.from({ length: 40 }, (_, i) => (i - 20) * 107374182);
const n = Int32Array.from({ length: 40 }, (_, i) => (i % 2 ? 7 + i : -3 - i));
const out = tensor(new Int32Array(160), 4, 40);
const sum = tensor(new BigInt64Array(1), 1);
expect(call("integers", tensor(m, 40), tensor(n, 40), out, sum) === 0, "integers");
let expected = 0n;
m.forEach((value, i) => {
  expected += BigInt(value) * BigInt(n[i]);
  const floor = Math.floor(value / n[i]);
  const all = [floor, value - floor * n[i], Math.trunc(value / n[i]), value >> (i % 32)];
  all.forEach((one, k) => expect(out.read()[40 * k + i] === one, `integer ${k} of ${value}, ${n[i]}`));
});
expect(sum.read()[0] === expected, "sum");
console.log(wrong === 0 ? "all right" : "wrong");
process.exitCode = wrong === 0 ? 0 : 1;
