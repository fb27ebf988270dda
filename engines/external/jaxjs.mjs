#!/usr/bin/env node
/*
 * jax-js behind adjudge's protocol: ADJUDGE_NODE_MODULES=DIR node jaxjs.mjs [MODE], where DIR has @jax-js/jax 0.1.
 *
 * MODES are below.  cpu, the default, interprets the kernels in binary64.  wasm, the package's own default device, uses
 * polynomials for sin, exp and similar functions.  In f32 it is judged by what these reach.  In f64 they are not better.
 *
 * Using an array consumes it, so every use but the last takes a reference.  There is no scatter and no loop.  The package
 * needs the class Float16Array wherever it meets a Float64Array.  Node before 24 lacks that class: then an empty class
 * replaces it, and there is no f16.
 */
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import path from "node:path";

import { Program, complete, fixedResults, list, flat, isFloat, dtypeOf, load, modeOf, number, resolved, same, serve, shapeOf, sizeOf, spelling, spellings, stack, startsOf, told, Unsupported, wrtOf } from "./adapter.mjs";

const DTYPES = { f64: "float64", f32: "float32", i32: "int32", i64: "int32", bool: "bool" };

/* ---- ops as source ---- */

const CLASSES = { f64: "Float64Array", f32: "Float32Array" };

function tensor(values, shape, dtype) {
    const data = CLASSES[dtype] ? `new ${CLASSES[dtype]}(${list(values)})` : list(values);
    return sizeOf(shape) ? `np.array(${data}, { shape: ${list(shape)}, dtype: np.${DTYPES[dtype]} })` : `np.zeros(${list(shape)}, { dtype: np.${DTYPES[dtype]} })`;
}

const index = (values, shape) => tensor(values, shape, "i32");

/* np.take: the slices `at` of axis `axis`. */
const taken = (x, at, axis) => `np.take(${x}, ${index(at, [at.length])}, ${axis})`;

function slice(n) {
    const { start, size, stride = size.map(() => 1) } = n.a;
    if (!start.length)
        return n.arg(0);
    const strided = stride.map((s, d) => s !== 1 && size[d] > 1);
    let text = `${n.arg(0)}.slice(${start.map((a, d) => strided[d] ? "[]" : list([a, a + size[d]])).join(", ")})`;
    strided.forEach((s, d) => {
        if (s)
            text = taken(text, Array.from({ length: size[d] }, (_, k) => start[d] + k * stride[d]), d);
    });
    return text;
}

function dynamicSlice(n) {
    const starts = startsOf(n, 1, n.a.size);
    return starts.length ? `${n.arg(0)}.slice(${starts.map((a, d) => list([a, a + n.a.size[d]])).join(", ")})` : n.arg(0);
}

/* np.pad pads with 0; a scalar takes the place of these. */
function pad(n) {
    const { low, high } = n.a, inside = n.shapeOf(0);
    if (!low.length)
        return n.arg(0);
    const strides = n.shape.map((_, d) => sizeOf(n.shape.slice(d + 1)));
    const mask = Array.from({ length: sizeOf(n.shape) }, (_, k) => n.shape.every((extent, d) => {
        const at = Math.floor(k / strides[d]) % extent - low[d];
        return at >= 0 && at < inside[d];
    }));
    const padded = `np.pad(${n.arg(0)}, [${low.map((l, d) => list([l, high[d]])).join(", ")}])`;
    return `np.where(${tensor(mask, n.shape, "bool")}, ${padded}, ${n.arg(1)})`;
}

/* A scalar from a number, which jit sees as one. */
const fromNumber = (values, shape, dtype) => shape.length || !CLASSES[dtype] ? null : `np.array(${number(values[0])}, { dtype: np.${DTYPES[dtype]} })`;

/* np.pad alone, where the padding value is 0. */
function zeroPadded(n) {
    const { low, high } = n.a;
    const zero = low.length && n.isConst(1) && Object.is(n.const(1)[0], 0);
    return zero ? `np.pad(${n.arg(0)}, [${low.map((l, d) => list([l, high[d]])).join(", ")}])` : null;
}

/* Zeros where an index is dropped. */
function masked(n, text, gone, room) {
    return gone.some((g) => g) ? `np.where(${tensor(gone.map((g) => !g), room, "bool")}, ${text}, ${tensor([0], [], n.dtype)})` : text;
}

function gather(n) {
    const axis = n.a.axis ?? 0, shape = n.shapeOf(0), of = n.shapeOf(1);
    const { at, gone } = resolved(n.const(1), n.a.mode, shape[axis]);
    if (!shape[axis])
        throw new Unsupported("gather of nothing");
    return masked(n, `np.take(${n.arg(0)}, ${index(at, of)}, ${axis})`, gone, [...shape.slice(0, axis).fill(1), ...of, ...shape.slice(axis + 1).fill(1)]);
}

function takeAlongAxis(n) {
    const axis = n.a.axis ?? 0, shape = n.shapeOf(0), of = n.shapeOf(1);
    const { at, gone } = resolved(n.const(1), n.a.mode, shape[axis]);
    if (!shape[axis])
        throw new Unsupported("take_along_axis of nothing");
    return masked(n, `np.takeAlongAxis(${n.arg(0)}, ${index(at, of)}, ${axis})`, gone, of);
}

const reduction = (call, none = null) => (n) => {
    const { axes = [], keepdims = false } = n.a;
    return axes.length ? `${call}(${n.arg(0)}, ${list(axes)}, { keepdims: ${keepdims} })` : none ? `${none}(${n.arg(0)})` : n.arg(0);
};

function norm(n) {
    const { axes = [], keepdims = false } = n.a;
    return axes.length ? `np.linalg.vectorNorm(${n.arg(0)}, { axis: ${list(axes)}, keepdims: ${keepdims} })` : `np.abs(${n.arg(0)})`;
}

function cast(n) {
    if (!isFloat(n.dtype) || !isFloat(n.program.types.get(n.args[0]).split("[")[0]))
        throw new Unsupported("a cast to or from no float");
    return `${n.arg(0)}.astype(np.${DTYPES[n.dtype]})`;
}

/* A spelling where two axes change places, for others the one with all axes. */
const swapped = (call) => (n) => {
    const moved = n.a.axes.flatMap((a, d) => a === d ? [] : [d]);
    return moved.length === 2 ? `${call}(${n.arg(0)}, ${list(moved)})`.replace("[", "").replace("]", "") : null;
};

/* Over all axes, without naming them. */
const whole = (call) => (n) => {
    const { axes = [], keepdims = false } = n.a;
    return axes.length && axes.length === n.shapeOf(0).length && !keepdims ? `${call}(${n.arg(0)})` : null;
};

/* An index array as an index, instead of np.take. */
function advanced(n) {
    const axis = n.a.axis ?? 0, shape = n.shapeOf(0), of = n.shapeOf(1);
    const { at, gone } = resolved(n.const(1), n.a.mode, shape[axis]);
    if (gone.some((g) => g) || !sizeOf(n.shape) || of.length !== 1)
        return null;
    return `${n.arg(0)}.slice(${[...new Array(axis).fill("[]"), index(at, of)].join(", ")})`;
}

/* np.clip gives the lower bound where the bounds are the wrong way round, and clamp the upper one. */
function clipped(n) {
    const [low, high] = [1, 2].map((k) => n.isConst(k) ? n.const(k) : [NaN]);
    return Math.max(...low) < Math.min(...high) ? `np.clip(${n.arg(0)}, ${n.arg(1)}, ${n.arg(2)})` : null;
}

const stacked = (n) => n.args.every((_, k) => same(n.shapeOf(k), n.shapeOf(0)))
    ? `np.reshape(np.stack([${n.args.map((_, k) => n.arg(k)).join(", ")}], ${n.a.axis ?? 0}), ${list(n.shape)})` : null;

const reversed = (n) => n.a.axes.length && sizeOf(n.shape)
    ? n.a.axes.reduce((text, d) => taken(text, Array.from({ length: n.shape[d] }, (_, k) => n.shape[d] - 1 - k), d), n.arg(0)) : null;

const tiled = (n) => n.shapeOf(0).length === n.shape.length && n.shape.length && sizeOf(n.shape)
    ? `np.tile(${n.arg(0)}, ${list(n.shape.map((extent, d) => n.shapeOf(0)[d] === extent ? 1 : extent))})` : null;

/*
 * Spellings beside those of OPS.  None of square is np.power(x, 2), which is exp(2 log x) here and less accurate, nor x * x,
 * which has two contributions, each rounded.  np.einsum needs iterator helpers, which node has from version 22 on.
 */
const SPELLINGS = {
    neg: [["x * -1", "np.multiply({0}, -1)"]],
    clamp: [["np.clip", clipped]], transpose: [["np.swapaxes", swapped("np.swapaxes")]],
    reverse: [["np.take", reversed]], broadcast_to: [["np.tile", tiled]], gather: [["an index array", advanced]], concatenate: [["np.stack", stacked]],
    constant: [["np.array of a number", (n) => fromNumber(n.own(), n.shape, n.dtype)]], pad: [["np.pad of zeros", zeroPadded]],
    reduce_sum: [["without axes", whole("np.sum")]], reduce_mean: [["without axes", whole("np.mean")]], reduce_prod: [["without axes", whole("np.prod")]],
    matmul: [["np.dot", (n) => n.shapeOf(0).length <= 2 && n.shapeOf(1).length <= 2 ? `np.dot(${n.arg(0)}, ${n.arg(1)})` : null],
        ["np.tensordot", (n) => n.shapeOf(0).length === 2 && n.shapeOf(1).length === 2 ? `np.tensordot(${n.arg(0)}, ${n.arg(1)}, 1)` : null]],
};

const calls = (table) => Object.fromEntries(Object.entries(table).map(([op, f]) => [op, `np.${f}({0})`]));

const OPS = {
    constant: (n) => tensor(n.own(), n.shape, n.dtype),
    ...calls({ neg: "negative", abs: "abs", sign: "sign", square: "square", sqrt: "sqrt", exp: "exp", expm1: "expm1", log: "log", log1p: "log1p", sin: "sin",
        cos: "cos", tan: "tan", asin: "arcsin", acos: "arccos", atan: "arctan", sinh: "sinh", cosh: "cosh", tanh: "tanh", asinh: "arcsinh", acosh: "arccosh",
        atanh: "arctanh", floor: "floor", ceil: "ceil", trunc: "trunc", round: "round" }),
    copy: "{0}", rsqrt: "np.reciprocal(np.sqrt({0}))", logistic: "jax.nn.sigmoid({0})", erf: "jax.lax.erf({0})", stop_gradient: "jax.lax.stopGradient({0})",
    add: "np.add({0}, {1})", sub: "np.subtract({0}, {1})", mul: "np.multiply({0}, {1})", div: "np.divide({0}, {1})", mod: "np.remainder({0}, {1})",
    floor_divide: "np.floorDivide({0}, {1})", pow: "np.power({0}, {1})",
    atan2: "np.atan2({0}, {1})", max: "np.maximum({0}, {1})", min: "np.minimum({0}, {1})", clamp: "np.minimum(np.maximum({0}, {1}), {2})",
    select: "np.where({0}, {1}, {2})", cast,
    broadcast_to: (n) => `np.broadcastTo(${n.arg(0)}, ${list(n.shape)})`, reshape: (n) => `np.reshape(${n.arg(0)}, ${list(n.shape)})`,
    squeeze: (n) => n.a.axes.length ? `np.squeeze(${n.arg(0)}, ${list(n.a.axes)})` : n.arg(0),
    transpose: (n) => n.a.axes.length ? `np.transpose(${n.arg(0)}, ${list(n.a.axes)})` : n.arg(0),
    reverse: (n) => n.a.axes.length ? `np.flip(${n.arg(0)}, ${list(n.a.axes)})` : n.arg(0),
    slice, dynamic_slice: dynamicSlice, pad, gather, take_along_axis: takeAlongAxis,
    concatenate: (n) => `np.concatenate([${n.args.map((_, k) => n.arg(k)).join(", ")}], ${n.a.axis ?? 0})`,
    reduce_sum: reduction("np.sum"), reduce_mean: reduction("np.mean"), reduce_prod: reduction("np.prod"), reduce_max: reduction("np.max"),
    reduce_min: reduction("np.min"), logsumexp: reduction("jax.nn.logsumexp"), norm,
    cumsum: (n) => `np.cumsum(${n.arg(0)}, ${n.a.axis ?? 0})`, cumprod: (n) => `np.cumprod(${n.arg(0)}, ${n.a.axis ?? 0})`,
    sort: (n) => `np.sort(${n.arg(0)}, ${n.a.axis ?? 0})`, matmul: "np.matmul({0}, {1})",
};
Object.entries(SPELLINGS).forEach(([op, more]) => { OPS[op] = [["usual", OPS[op]], ...more]; });

/* ---- transforms as source ---- */

const PRELUDE = `
// f as a function of its inputs in wrt.  Like f, it consumes its arguments.
const of = (f, wrt, xs) => (...some) => f(...xs.map((x, i) => wrt.includes(i) ? some[wrt.indexOf(i)] : x.ref));
const rest = (wrt, xs) => xs.forEach((x, i) => wrt.includes(i) || x.dispose());

function vjp(f, wrt, cotangents) {
    return (...xs) => {
        const [ys, pull] = jax.vjp(of(f, wrt, xs), wrt.map((i) => xs[i]));
        const out = pull(cotangents.map((c) => c.ref));
        ys.forEach((y) => y.dispose());
        pull.dispose();
        rest(wrt, xs);
        return out;
    };
}

function jvp(f, wrt, tangents) {
    return (...xs) => {
        const [ys, out] = jax.jvp(of(f, wrt, xs), wrt.map((i) => xs[i]), tangents.map((t) => t.ref));
        ys.forEach((y) => y.dispose());
        rest(wrt, xs);
        return out;
    };
}
`;

// The prelude without the function of a transform that the request does not have.
const used = (request) => PRELUDE.split(/\n(?=function )/).filter((part) => !part.startsWith("function") || request.some((l) => part.startsWith(`function ${l.transform}`))).join("\n");
const TOLD = "const told = (y) => ({ dtype: y.dtype, shape: y.shape, numbers: [y.js()].flat(Infinity) });";
const FLOAT16 = "globalThis.Float16Array ??= class {};";
/* the device, and the spellings of a request: a transformation of the function, and of each level */
const EAGER = ["usual", "f", ""], INSIDE = ["vjp(jit(f))", "jax.jit(f)", ""], OUTSIDE = ["jit(vjp(f))", "f", "jax.jit"], EACH = ["jit(vjp(jit(f)))", "jax.jit(f)", "jax.jit"];
const MODES = { cpu: ["cpu", [EAGER, OUTSIDE]], cpu_jit: ["cpu", [INSIDE, OUTSIDE, EACH]], wasm: ["wasm", [EAGER, OUTSIDE]], wasm_jit: ["wasm", [INSIDE, OUTSIDE, EACH]] };
const seed = (data, type) => tensor(flat(data, type), shapeOf(type), dtypeOf(type));

function parts(mode, kase) {
    const program = new Program(kase, OPS, { use: (name, last) => last ? name : `${name}.ref`, drop: (name) => `${name}.dispose();` });
    const types = kase.inputs.map((b) => b.split(": ")[1]);
    const points = kase.points.map((p) => types.map((t, k) => [t, p[k]]).filter(([t]) => isFloat(dtypeOf(t))).map(([t, d]) => seed(d, t)));
    const calls = MODES[mode][1], [, inner, wrap] = calls[spelling(kase.variant ?? 0, "request", calls.length)];
    const numbers = spelling(kase.variant ?? 0, "constant", OPS.constant.length); /* tangents and cotangents are constants, too */
    const given = (data, type) => numbers && fromNumber(flat(data, type), shapeOf(type), dtypeOf(type)) || seed(data, type);
    return { program, inner, wrap, given, derivative: stack(kase, program, inner, given, wrap), points };
}

/*
 * The derivative as one expression: each level but the last is a function of all inputs.  A level by some of them has a
 * function of these inside, which uses the others and so takes references.
 */
function nested(kase, program, inner, wrap, given) {
    const all = program.inputs, typeOf = (x) => program.types.get(x), last = kase.request.length - 1;
    let text = inner, types = program.results.map(typeOf), lone = types.length === 1, before = [], after = [];
    kase.request.forEach((level, k) => {
        const at = wrtOf(kase, program, level), vjp = level.transform === "vjp";
        const below = same(at, all) ? text : `(${at.join(", ")}) => (${text})(${all.map((x) => at.includes(x) ? x : `${x}.ref`).join(", ")})`;
        const float = (i) => isFloat(dtypeOf(kase.inputs[level.wrt[i]].split(": ")[1]));
        const seeds = (vjp ? level.cotangents : level.tangents.filter((_, i) => float(i))).map((d, i) => given(d, (vjp ? types : at.map(typeOf))[i]));
        if (vjp && !lone && !wrap && k === last) { /* several results may be one array, which only their disposal tells */
            before = [`const [ys, pull] = jax.vjp(${below}, [${at.join(", ")}]);`];
            after = ["ys.forEach((y) => y.dispose());"];
        }
        const call = before.length ? `pull([${seeds.join(", ")}])` : vjp ? `jax.vjp(${below}, [${at.join(", ")}])[1](${lone ? seeds[0] : `[${seeds.join(", ")}]`})` : `jax.jvp(${below}, [${at.join(", ")}], [${seeds.join(", ")}])[1]`;
        lone = vjp ? at.length === 1 : lone;
        types = vjp ? at.map(typeOf) : types;
        text = `${call}${vjp && lone ? "[0]" : ""}`;
        if (wrap || k < last)
            text = `(${all.join(", ")}) => ${text}`;
        text = wrap ? `${wrap}(${text})` : text;
    });
    return { text: wrap || last < 0 ? `${text}(${all.join(", ")})` : text, types, lone, before, after };
}

function brief(mode, kase) {
    const { program, inner, wrap, given, points } = parts(mode, kase);
    if (kase.results.some((r) => !program.isFloat(r)))
        throw new Unsupported("a result that is no float");
    const { text, types, lone, before, after } = nested(kase, program, inner, wrap, given), derivative = kase.request.length > 0;
    const lines = ["const jax = require('@jax-js/jax');", "const np = jax.numpy;", "", program.source(true), `jax.init('${MODES[mode][0]}').then(() => {`, `    jax.defaultDevice('${MODES[mode][0]}');`];
    const letter = derivative ? "d" : "y", names = lone ? [letter] : types.map((_, k) => `${letter}${k}`);
    points.forEach((xs, p) => {
        lines.push(...xs.map((x, k) => `    ${p ? "" : "let "}${program.inputs[k]} = ${x};`), ...before.map((line) => `    ${p ? line.replace("const ", "") : line.replace("const ", "let ")}`),
            `    ${p ? "" : "let "}${lone ? letter : `[${names.join(", ")}]`} = ${text};`, ...after.map((line) => `    ${line}`));
        names.forEach((d, k) => lines.push(`    ${told(derivative, `${d}.ref.js()${shapeOf(types[k]).length > 1 ? ".flat(Infinity)" : ""}`, `${d}.dtype`, `'${DTYPES[dtypeOf(types[k])]}'`, `${d}.shape`)}`));
    });
    const all = [...lines, "});", ""].join("\n");
    return `${all.includes("float64") ? `${FLOAT16}\n` : ""}${points.length > 1 ? all : all.replaceAll("    let ", "    const ")}`;
}

function emit(mode, kase) {
    const { program, inner, derivative, points } = parts(mode, kase);
    const lines = ["// node FILE.cjs, beside node_modules with @jax-js/jax", FLOAT16, "const jax = require('@jax-js/jax');", "const np = jax.numpy;", "", TOLD, program.source(),
        kase.request.length ? used(kase.request) : "", `jax.init('${MODES[mode][0]}').then(() => {`,
        `    jax.defaultDevice('${MODES[mode][0]}');`];
    for (const xs of points) {
        lines.push(`    judge('primal', (${inner})(${xs.join(", ")}).map(told));`);
        if (kase.request.length)
            lines.push(`    judge('derivative', ${derivative.text}(${xs.join(", ")}).map(told));`);
    }
    return [...lines, "});", ""].join("\n");
}

function answer(jax, mode, kase) {
    const { program, inner, derivative, points } = parts(mode, kase);
    const results = kase.results.map((r) => program.types.get(r));
    const text = `const np = jax.numpy;\n${program.source()}${PRELUDE}return { f: ${inner}, derivative: ${kase.request.length ? derivative.text : "() => []"} };`;
    const run = new Function("jax", text)(jax);
    return points.map((xs, k) => {
        const point = () => new Function("np", `return [${xs.join(", ")}];`)(jax.numpy);
        const all = kase.request.length ? checked(run.derivative(...point()), derivative.types) : [];
        const primal = checked(run.f(...point()), results);
        return { primal: complete(results, primal, fixedResults(kase, program, kase.points[k])), derivative: kase.request.length ? complete(derivative.types, all) : [] };
    });
}

/* The elements of the engine's results.  Their types are part of its answer. */
function checked(arrays, types) {
    const floats = types.filter((t) => isFloat(dtypeOf(t)));
    arrays.forEach((x, k) => {
        if (x.dtype !== DTYPES[dtypeOf(floats[k])] || !same(x.shape, shapeOf(floats[k])))
            throw new Error(`${x.dtype}[${x.shape}] instead of ${floats[k]}`);
    });
    return arrays.map((x, k) => {
        const shape = x.shape, data = x.dataSync();
        if (data.length !== sizeOf(shape))
            throw new Error(`an array of shape [${shape}] with ${data.length} elements instead of ${floats[k]}`);
        return data;
    });
}

const mode = modeOf(MODES);
const orders = (n) => n ? orders(n - 1).flatMap((s) => [[...s, "jvp"], [...s, "vjp"]]) : [[]];
/*
 * These functions are made of exp, log and asin, which lose an ulp (2u).  A difference of two numbers near 1 loses units
 * of 1, whatever its own size:
 *
 * - sinh and cosh' as (e - 1/e)/2 lose up to 4u, tanh as (e^2 - 1)/(e^2 + 1) 3u, atanh as log((1 + x)/(1 - x))/2 4u.
 * - asinh as log(x + sqrt(x^2 + 1)) loses 4u, acos as pi/2 - asin 4u, expm1 and log1p beyond their series 2u.
 *
 * These series end at x^7 (used up to 0.01 in f64) and x^10 (up to 0.2 in f32).  Their second derivatives are off by
 * 1.4e-15 in f64 and by 6.4e-6 in f32.  erf is Abramowitz and Stegun 7.1.26, off by 1.5e-7.  pow is exp(b log a), off by
 * 3u|b log a|, with |b log a| < 745.2.  norm is made of pow.
 */
const accuracy = { erf: { absolute: 2 }, sinh: { absolute: 2 }, cosh: { absolute: 2 }, tanh: { absolute: 2 }, atanh: { absolute: 2 }, asinh: { absolute: 2 },
    acos: { absolute: 2 }, expm1: { absolute: 8 }, log1p: { absolute: 64 }, pow: 1120, norm: 1120 };
/*
 * The polynomials on wasm, measured in f32 against node's functions: exp is off by 35u, log by 105 units of 1, the others by
 * 11.  So pow is off by 105u|b|, and norm, which is made of pow, by 166 units in the last place.
 */
const LOGS = ["log", "log1p", "asinh", "acosh", "atanh"];
const polynomials = { default: { relative: 64, absolute: 16 }, pow: 16384, norm: 256, ...Object.fromEntries(LOGS.map((op) => [op, { absolute: 128 }])) };
const hello = { name: `jaxjs.${mode}`, requests: [...orders(1), ...orders(2)], dtypes: Object.keys(DTYPES), ops: Object.keys(OPS), rank: 4,
    accuracy: MODES[mode][0] === "wasm" ? polynomials : accuracy,
    reassociates: true, /* jit adds and multiplies constants of a chain first, and every mode has a call that compiles */
    spellings: spellings(OPS, { request: MODES[mode][1].map(([name]) => name) }) };
let jax = null;
if (!process.argv.includes("--emit")) {
    new Function(FLOAT16)();
    jax = load("@jax-js/jax");
    await jax.init(MODES[mode][0]);
    jax.defaultDevice(MODES[mode][0]);
    hello.version = version();
}
await serve(hello, (kase) => answer(jax, mode, kase), (kase, short) => (short ? brief : emit)(mode, kase));
process.exit(0); /* threads of a device would keep it */

/* The package does not report its version. */
function version() {
    const main = createRequire(path.resolve(process.env.ADJUDGE_NODE_MODULES ?? ".", "adjudge.js")).resolve("@jax-js/jax");
    return JSON.parse(readFileSync(path.join(path.dirname(main), "..", "package.json"))).version;
}
