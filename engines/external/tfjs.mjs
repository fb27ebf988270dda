#!/usr/bin/env node
/*
 * TensorFlow.js behind adjudge's protocol: ADJUDGE_NODE_MODULES=DIR node tfjs.mjs [cpu | wasm], where DIR has
 * @tensorflow/tfjs 4, and for the wasm backend @tensorflow/tfjs-backend-wasm 4.  Ops whose kernels have no gradient are
 * left out: cumprod, scatter, sort, strided slices, take along an axis.
 */
import { complete, fixedResults, flat, list, load, modeOf, number, Program, reaches, resolved, same, serve, shapeOf, sizeOf, spelling, spellings, stack, startsOf, told, Unsupported, wrtOf } from "./adapter.mjs";

/* ---- ops as source ---- */

const tensor = (values, shape, dtype = "float32") => `tf.tensor(${list(values)}, ${list(shape)}, '${dtype}')`;
const bool = (values, shape) => tensor(values.map(Number), shape, "bool");

/* The slices `at` of axis `axis` of x. */
const taken = (x, at, axis) => `tf.gather(${x}, tf.tensor1d(${list(at)}, 'int32'), ${axis})`;

function slice(n) {
    const { start, size, stride = size.map(() => 1) } = n.a;
    if (!start.length)
        return `tf.clone(${n.arg(0)})`;
    let text = n.arg(0);
    const strided = stride.map((s, d) => s !== 1 && size[d] > 1);
    if (strided.some((s, d) => !s))
        text = `tf.slice(${text}, ${list(start.map((a, d) => strided[d] ? 0 : a))}, ${list(size.map((k, d) => strided[d] ? n.shapeOf(0)[d] : k))})`;
    strided.forEach((s, d) => {
        if (s)
            text = taken(text, Array.from({ length: size[d] }, (_, k) => start[d] + k * stride[d]), d);
    });
    return text;
}

function dynamicSlice(n) {
    const starts = startsOf(n, 1, n.a.size);
    return starts.length ? `tf.slice(${n.arg(0)}, ${list(starts)}, ${list(n.a.size)})` : `tf.clone(${n.arg(0)})`;
}

function pad(n) {
    const pairs = n.a.low.map((low, d) => list([low, n.a.high[d]]));
    return pairs.length ? `tf.pad(${n.arg(0)}, [${pairs.join(", ")}], ${number(n.const(1)[0])})` : `tf.clone(${n.arg(0)})`;
}

function gather(n) {
    const axis = n.a.axis ?? 0, shape = n.shapeOf(0), index = n.shapeOf(1);
    const { at, gone } = resolved(n.const(1), n.a.mode, shape[axis]);
    if (!shape[axis])
        throw new Unsupported("gather of nothing");
    const text = `tf.gather(${n.arg(0)}, ${tensor(at, index, "int32")}, ${axis})`;
    if (!gone.some((g) => g))
        return text;
    const room = [...shape.slice(0, axis).fill(1), ...index, ...shape.slice(axis + 1).fill(1)];
    return `tf.where(${bool(gone.map((g) => !g), room)}, ${text}, tf.zeros(${list(n.shape)}))`;
}

/* unsortedSegmentSum is the scatter with a gradient. */
function scatterAdd(n) {
    const axis = n.a.axis ?? 0, extent = n.shape[axis];
    const { at, gone } = resolved(n.const(1), n.a.mode, extent);
    const keep = at.map((_, k) => k).filter((k) => !gone[k]);
    if (axis)
        throw new Unsupported("scatter_add along another axis than the first");
    if (!keep.length)
        return `tf.clone(${n.arg(0)})`;
    const update = keep.length === n.shapeOf(2)[0] ? n.arg(2) : taken(n.arg(2), keep, 0);
    return `tf.add(${n.arg(0)}, tf.unsortedSegmentSum(${update}, tf.tensor1d(${list(keep.map((k) => at[k]))}, 'int32'), ${extent}))`;
}

const reduce = (call) => (n) => {
    const { axes = [], keepdims = false } = n.a;
    return axes.length ? `tf.${call}${list(axes)}, ${keepdims})`.replace("X", n.arg(0)) : null;
};
const reduction = (call, none = "tf.clone(X)") => (n) => reduce(call)(n) ?? none.replace("X", n.arg(0));

function norm(n) {
    if ((n.a.axes ?? []).length > 2)
        throw new Unsupported("a norm along more than two axes");
    return reduction("norm(X, 'euclidean', ", "tf.abs(X)")(n);
}

function matmul(n) {
    const a = n.shapeOf(0), b = n.shapeOf(1);
    if (a.length >= 2 && b.length >= 2)
        return `tf.matMul(${n.arg(0)}, ${n.arg(1)})`;
    if (a.length > 2 || b.length > 2)
        throw new Unsupported("a vector times a batch of matrices");
    return `tf.dot(${n.arg(0)}, ${n.arg(1)})`;
}

function cast(n) {
    if (n.dtype !== "f32" || !n.typeOf(0).startsWith("f32"))
        throw new Unsupported("a cast to another dtype");
    return `tf.cast(${n.arg(0)}, 'float32')`;
}

/* By numbers, where both bounds are constants of equal elements. */
function clipped(n) {
    const [low, high] = [1, 2].map((k) => n.isConst(k) && n.const(k).every((v) => Object.is(v, n.const(k)[0])) ? n.const(k)[0] : NaN);
    return low <= high && same(n.shapeOf(0), n.shape) ? `tf.clipByValue(${n.arg(0)}, ${number(low)}, ${number(high)})` : null;
}

function strided(n) {
    const { start, size, stride = size.map(() => 1) } = n.a;
    if (!start.length || !sizeOf(size) || stride.some((s) => s < 0))
        return null;
    return `tf.stridedSlice(${n.arg(0)}, ${list(start)}, ${list(start.map((a, d) => a + (size[d] - 1) * stride[d] + 1))}, ${list(stride)})`;
}

const whole = (call) => (n) => {
    const { axes = [], keepdims = false } = n.a;
    return axes.length && axes.length === n.shapeOf(0).length && !keepdims ? `tf.${call}(${n.arg(0)})` : null;
};

const stacked = (n) => n.args.every((_, k) => same(n.shapeOf(k), n.shapeOf(0)))
    ? `tf.reshape(tf.stack([${n.args.map((_, k) => n.arg(k)).join(", ")}], ${n.a.axis ?? 0}), ${list(n.shape)})` : null;

const tiled = (n) => n.shapeOf(0).length === n.shape.length && n.shape.length && sizeOf(n.shape)
    ? `tf.tile(${n.arg(0)}, ${list(n.shape.map((extent, d) => n.shapeOf(0)[d] === extent ? 1 : extent))})` : null;

const matrices = (n) => n.shapeOf(0).length === 2 && n.shapeOf(1).length === 2 && sizeOf(n.shape) && n.shapeOf(0)[1];

/* Spellings beside those of OPS.  x * x is none of square: it has two contributions, each rounded. */
const SPELLINGS = {
    square: [["tf.pow(x, 2)", "tf.pow({0}, 2)"]], neg: [["x * -1", "tf.mul({0}, -1)"]],
    clamp: [["tf.clipByValue", clipped]], slice: [["tf.stridedSlice", strided]], broadcast_to: [["tf.tile", tiled]], concatenate: [["tf.stack", stacked]],
    reduce_sum: [["without axes", whole("sum")]], reduce_mean: [["without axes", whole("mean")]], reduce_prod: [["without axes", whole("prod")]],
    matmul: [["tf.einsum", (n) => matrices(n) ? `tf.einsum('ij,jk->ik', ${n.arg(0)}, ${n.arg(1)})` : null],
        ["tf.dot", (n) => matrices(n) ? `tf.dot(${n.arg(0)}, ${n.arg(1)})` : null]],
};

const unary = Object.fromEntries(("neg abs sign square sqrt rsqrt exp expm1 log log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf floor " +
    "ceil round").split(" ").map((op) => [op, `tf.${op}({0})`]));

const OPS = {
    constant: (n) => n.dtype === "f32" ? tensor(n.own(), n.shape) : n.dtype === "bool" ? bool(n.own(), n.shape) : tensor(n.own(), n.shape, "int32"),
    ...unary, copy: "tf.clone({0})", logistic: "tf.sigmoid({0})",
    stop_gradient: "tf.customGrad((x) => ({ value: x.clone(), gradFunc: (dy) => tf.zerosLike(dy) }))({0})",
    add: "tf.add({0}, {1})", sub: "tf.sub({0}, {1})", mul: "tf.mul({0}, {1})", div: "tf.div({0}, {1})", mod: "tf.mod({0}, {1})", pow: "tf.pow({0}, {1})", atan2: "tf.atan2({0}, {1})",
    max: "tf.maximum({0}, {1})", min: "tf.minimum({0}, {1})", clamp: "tf.minimum(tf.maximum({0}, {1}), {2})", select: "tf.where({0}, {1}, {2})", cast,
    broadcast_to: (n) => `tf.broadcastTo(${n.arg(0)}, ${list(n.shape)})`, reshape: (n) => `tf.reshape(${n.arg(0)}, ${list(n.shape)})`,
    squeeze: (n) => n.a.axes.length ? `tf.squeeze(${n.arg(0)}, ${list(n.a.axes)})` : `tf.clone(${n.arg(0)})`,
    transpose: (n) => `tf.transpose(${n.arg(0)}, ${list(n.a.axes)})`,
    reverse: (n) => n.a.axes.length ? `tf.reverse(${n.arg(0)}, ${list(n.a.axes)})` : `tf.clone(${n.arg(0)})`,
    slice, dynamic_slice: dynamicSlice, pad, gather, scatter_add: scatterAdd,
    concatenate: (n) => `tf.concat([${n.args.map((_, k) => n.arg(k)).join(", ")}], ${n.a.axis ?? 0})`,
    reduce_sum: reduction("sum(X, "), reduce_mean: reduction("mean(X, "), reduce_prod: reduction("prod(X, "), reduce_max: reduction("max(X, "),
    reduce_min: reduction("min(X, "), logsumexp: reduction("logSumExp(X, "), norm,
    cumsum: (n) => `tf.cumsum(${n.arg(0)}, ${n.a.axis ?? 0})`, matmul,
};

Object.entries(SPELLINGS).forEach(([op, more]) => { OPS[op] = [["usual", OPS[op]], ...more]; });

/* ---- transforms as source ---- */

/* Spellings of a request: the name, and the call.  Only the first one knows inputs that no result depends on. */
const CALLS = [
    ["tf.engine().gradients", "tf.engine().gradients(() => total(...at), at, dy, true).grads.map((d, k) => d ?? tf.zerosLike(at[k]))"],
    ["tf.grads", "tf.grads(total)(at, dy)"], ["tf.valueAndGrads", "tf.valueAndGrads(total)(at, dy).grads"]];

const prelude = (call) => `
// Reverse mode on the tape.  An input that no result of f depends on is not on the tape, and its gradient is 0.  For
// gradients of gradients, tf.grads itself reports that there is none.
function vjp(g, wrt, cotangents) {
    return (...xs) => {
        const at = wrt.map((i) => xs[i]);
        const total = (...some) => {
            const ys = g(...xs.map((x, i) => wrt.includes(i) ? some[wrt.indexOf(i)] : x));
            return ys.length === 1 ? ys[0] : ys.map((y, k) => tf.sum(tf.mul(y, cotangents[k]))).reduce((a, b) => tf.add(a, b));
        };
        const dy = cotangents.length === 1 ? cotangents[0] : tf.scalar(1);
        return g === f ? ${call} : tf.grads(total)(at, dy);
    };
}
`;

const seed = (data, type) => tensor(flat(data, type), shapeOf(type));

function parts(kase) {
    const program = new Program(kase, OPS);
    const types = kase.inputs.map((b) => b.split(": ")[1]);
    const points = kase.points.map((p) => types.map((t, k) => [t, p[k]]).filter(([t]) => t.startsWith("f32")).map(([t, d]) => seed(d, t)));
    const [, call] = CALLS[spelling(kase.variant ?? 0, "request", CALLS.length)];
    return { program, call, prelude: prelude(call), derivative: stack(kase, program, "f", seed), points };
}

const numbersOf = (y, type) => `${y}.${shapeOf(type).length > 1 ? "arraySync().flat(Infinity)" : "arraySync()"}`;

/* The levels as tf.grad and tf.grads, where each result depends on all inputs; else as in the long source. */
function brief(mode, kase) {
    const { program, call, prelude, derivative, points } = parts(kase), inputs = program.inputs, order = kase.request.length;
    if (kase.results.some((r) => !program.isFloat(r)))
        throw new Unsupported("a result that is no float");
    const whole = kase.request.every((level) => same(wrtOf(kase, program, level), inputs)) && reaches(kase, program, inputs);
    const plain = whole && call === CALLS[0][1] && kase.results.length === 1 && (order < 2 || inputs.length === 1);
    const backend = mode === "cpu" ? [] : [`require('${PACKAGES[mode]}');`];
    const types = (order ? derivative.types : kase.results.map((r) => program.types.get(r))).filter((t) => t.startsWith("f32"));
    const lines = ["const tf = require('@tensorflow/tfjs');", ...backend, "", program.source(plain || !order), plain || !order ? "" : prelude, `tf.setBackend('${mode}').then(() => {`];
    const lone = types.length === 1, letter = order ? "d" : "y", names = lone ? [letter] : types.map((_, k) => `${letter}${k}`), to = lone && (plain || !order) ? letter : `[${names.join(", ")}]`;
    points.forEach((xs, p) => {
        const one = (f, level, type) => `tf.grad(${f})(${inputs[0]}, ${seed(level.cotangents[0], type)})`;
        let text = `${plain || !order ? "f" : derivative.text}(${inputs.join(", ")})`;
        if (plain && order === 1)
            text = inputs.length > 1 ? `tf.grads(f)([${inputs.join(", ")}], ${seed(kase.request[0].cotangents[0], program.types.get(kase.results[0]))})`
                : one("f", kase.request[0], program.types.get(kase.results[0]));
        if (plain && order === 2)
            text = one(`(${inputs[0]}) => ${one("f", kase.request[0], program.types.get(kase.results[0]))}`, kase.request[1], program.types.get(inputs[0]));
        const keep = p ? "" : points.length > 1 ? "let " : "const ";
        lines.push(...xs.map((x, k) => `    ${keep}${inputs[k]} = ${x};`), `    ${keep}${to} = ${text};`);
        names.forEach((d, k) => lines.push(`    ${told(order > 0, numbersOf(d, types[k]), `${d}.dtype`, "'float32'", `${d}.shape`)}`));
    });
    return [...lines, "});", ""].join("\n").replace(/^\/\/.*\n/gm, "");
}

const TOLD = "const told = (y) => ({ dtype: y.dtype, shape: y.shape, numbers: [y.arraySync()].flat(Infinity) });";

function emit(mode, kase) {
    const { program, prelude, derivative, points } = parts(kase);
    const backend = mode === "cpu" ? [] : [`require('${PACKAGES[mode]}');`];
    const lines = [`// node FILE.cjs, beside node_modules with ${["@tensorflow/tfjs", ...backend.map(() => PACKAGES[mode])].join(" and ")}`,
        "const tf = require('@tensorflow/tfjs');", ...backend, "", TOLD, program.source(), kase.request.length ? prelude : "", `tf.setBackend('${mode}').then(() => {`];
    for (const xs of points) {
        lines.push(`    judge('primal', f(${xs.join(", ")}).map(told));`);
        if (kase.request.length)
            lines.push(`    judge('derivative', ${derivative.text}(${xs.join(", ")}).map(told));`);
    }
    return [...lines, "});", ""].join("\n");
}

function answer(tf, kase) {
    const { program, prelude, derivative, points } = parts(kase);
    const run = new Function("tf", `${program.source()}${prelude}return { f, derivative: ${kase.request.length ? derivative.text : "() => []"} };`)(tf);
    return points.map((xs, k) => tf.tidy(() => {
        const point = new Function("tf", `return [${xs.join(", ")}];`)(tf);
        const primal = checked(run.f(...point), kase.results.map((r) => program.types.get(r)));
        const all = checked(run.derivative(...point), kase.request.length ? derivative.types : []);
        return { primal: complete(kase.results.map((r) => program.types.get(r)), primal, fixedResults(kase, program, kase.points[k])),
            derivative: kase.request.length ? complete(derivative.types, all) : [] };
    }));
}

/* The elements of the engine's results.  Their types are part of its answer. */
function checked(tensors, types) {
    const floats = types.filter((t) => t.startsWith("f32"));
    tensors.forEach((t, k) => {
        if (t.dtype !== "float32" || !same(t.shape, shapeOf(floats[k])))
            throw new Error(`${t.dtype}[${t.shape}] instead of ${floats[k]}`);
    });
    return tensors.map((t) => t.dataSync());
}

const PACKAGES = { cpu: "@tensorflow/tfjs", wasm: "@tensorflow/tfjs-backend-wasm" }; /* what has the kernels of a mode */
const mode = modeOf(PACKAGES);
/*
 * erf is Abramowitz and Stegun 7.1.26, off by 1.5e-7 (measured: 1.68e-7; f32 has 1.2e-7 for a unit of 1).  The wasm kernels
 * reduce the arguments of sin and cos to 0 .. 2 pi in f32, which rounds to 2 units of 1, and then to a quarter of that
 * (measured: 2.8 units for |x| < 1e6).  Its log1p is log(1 + x).
 */
const accuracy = { erf: { absolute: 2 }, ...mode === "wasm" ? { sin: { absolute: 4 }, cos: { absolute: 4 }, log1p: { absolute: 4 } } : {} };
const hello = { name: mode === "cpu" ? "tfjs" : `tfjs.${mode}`, requests: [["vjp"], ["vjp", "vjp"]], dtypes: ["f32", "i64", "i32", "bool"], ops: Object.keys(OPS), rank: 4, accuracy,
    spellings: spellings(OPS, { request: CALLS.map(([name]) => name) }) };
let tf = null;
if (!process.argv.includes("--emit")) {
    console.warn = console.log = console.info = console.error;
    tf = load("@tensorflow/tfjs");
    load(PACKAGES[mode]);
    await tf.setBackend(mode);
    hello.version = tf.version_core;
}
await serve(hello, (kase) => answer(tf, kase), (kase, short) => (short ? brief : emit)(mode, kase));
