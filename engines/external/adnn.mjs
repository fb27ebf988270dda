#!/usr/bin/env node
/*
 * adnn behind adjudge's protocol: ADJUDGE_NODE_MODULES=DIR node adnn.mjs, where DIR has adnn 2.  Numbers are f64, and
 * derivatives go backwards, once.
 *
 * What the package has no function for is made of single numbers, as its users do: tensor.get takes them out of a tensor,
 * and tensor.fromScalars makes one of them.  Its Math.expm1, log1p and sign take no nodes.  Its round differs at halves.
 */
import { Program, complete, fixedResults, flat, list, load, number, reaches, same, serve, shapeOf, sizeOf, spelling, spellings, stack, told, wrtOf } from "./adapter.mjs";
import { MOVES, groups, products, scattered, spread } from "./elements.mjs";

/* ---- ops as source ---- */

const tensor = (values, shape) => shape.length ? `new Tensor(${list(shape)}).fromFlatArray(${list(values)})` : number(values[0]);
const elements = (rows) => `[${rows.join(", ")}]`;
const part = (n, k, i) => n.shapeOf(k).length ? `ad.tensor.get(${n.arg(k)}, ${i})` : n.arg(k);
const packed = (n, rows) => n.shape.length < 2 ? n.shape.length ? `ad.tensor.fromScalars(${elements(rows)})` : rows[0] : `ad.tensor.reshape(ad.tensor.fromScalars(${elements(rows)}), ${list(n.shape)})`;
const fold = (call, rows) => rows.reduce((a, b) => `ad.scalar.${call}(${a}, ${b})`);

function moved(n) {
    return packed(n, MOVES[n.op](n).map((from) => from ? part(n, ...from) : "0"));
}

/* One call for each element. */
function each(call) {
    return (n) => {
        const at = n.args.map((_, k) => spread(n.shapeOf(k), n.shape));
        return packed(n, Array.from({ length: sizeOf(n.shape) }, (_, i) => call(...n.args.map((_, k) => part(n, k, at[k][i])))));
    };
}

/* The tensor's own function.  Only the last operand may be a number there. */
function whole(name) {
    return (n) => {
        const fits = n.args.every((_, k) => same(n.shapeOf(k), n.shape) || k && !n.shapeOf(k).length);
        return n.shape.length && fits ? `ad.tensor.${name}(${n.args.map((_, k) => n.arg(k)).join(", ")})` : null;
    };
}

function elementwise(name) {
    const scalar = each((...operands) => `ad.scalar.${name}(${operands.join(", ")})`);
    return [["ad.tensor", (n) => whole(name)(n) ?? scalar(n)], ["ad.scalar", scalar]];
}

const reduced = (call) => (n) => packed(n, groups(n).map((group) => call(group.map((i) => part(n, 0, i)))));

const sum = (n) => n.shapeOf(0).length && !n.shape.length ? `ad.tensor.sumreduce(${n.arg(0)})` : null;
const added = (rows) => `ad.scalar.sum(${elements(rows)})`;

function scatter(call) {
    return (n) => packed(n, scattered(n).map((from, i) => fold(call, [part(n, 0, i), ...from.map((k) => part(n, 2, k))])));
}

const matrices = (n) => n.shapeOf(0).length === 2 && n.shapeOf(1).length === 2 ? `ad.tensor.dot(${n.arg(0)}, ${n.arg(1)})` : null;
const matmul = (n) => packed(n, products(n).map((pairs) => added(pairs.map(([i, j]) => `ad.scalar.mul(${part(n, 0, i)}, ${part(n, 1, j)})`))));

const UNARY = ["neg", "abs", "sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "floor", "ceil"];
const OPS = {
    constant: (n) => tensor(n.own(), n.shape), ...Object.fromEntries(Object.keys(MOVES).map((op) => [op, moved])),
    ...Object.fromEntries([...UNARY, "add", "sub", "mul", "div", "pow", "atan2", "max", "min"].map((op) => [op, elementwise(op)])), logistic: elementwise("sigmoid"),
    square: (n) => `ad.${n.shape.length ? "tensor" : "scalar"}.pow(${n.arg(0)}, 2)`, /* x * x has two contributions, each rounded */
    reshape: [["ad.tensor.reshape", (n) => n.shape.length && n.shapeOf(0).length ? `ad.tensor.reshape(${n.arg(0)}, ${list(n.shape)})` : moved(n)], ["ad.tensor.get", moved]],
    transpose: [["ad.tensor.transpose", (n) => String(n.a.axes) === "1,0" ? `ad.tensor.transpose(${n.arg(0)})` : moved(n)], ["ad.tensor.get", moved]],
    slice: [["ad.tensor.range", (n) => n.shape.length === 1 && (n.a.stride ?? [1])[0] === 1 ? `ad.tensor.range(${n.arg(0)}, ${n.a.start[0]}, ${n.a.start[0] + n.shape[0]})` : moved(n)], ["ad.tensor.get", moved]],
    concatenate: [["ad.tensor.concat", (n) => n.shape.length === 1 ? `ad.tensor.concat(${elements(n.args.map((_, k) => n.arg(k)))})` : moved(n)], ["ad.tensor.get", moved]],
    reduce_sum: [["ad.tensor.sumreduce", (n) => sum(n) ?? reduced(added)(n)], ["ad.scalar.sum", reduced(added)]],
    reduce_mean: reduced((rows) => rows.length ? `ad.scalar.div(${added(rows)}, ${rows.length})` : "NaN"), reduce_prod: reduced((rows) => fold("mul", ["1", ...rows])),
    cumsum: reduced(added), cumprod: reduced((rows) => fold("mul", rows)), scatter_add: scatter("add"), scatter_mul: scatter("mul"),
    matmul: [["ad.tensor.dot", (n) => matrices(n) ?? matmul(n)], ["ad.scalar", matmul]],
    stop_gradient: "ad.value({0})",
};

/* ---- transforms as source ---- */

const CALLS = [["of a weighted sum", "total(ys, cotangents)"], ["of the result", "ys[0]"]];

const prelude = (output) => `
const total = (ys, cotangents) => ad.scalar.sum(ys.map((y, k) => ad.value(y) instanceof Tensor
    ? ad.tensor.sumreduce(ad.tensor.mul(y, cotangents[k])) : ad.scalar.mul(y, cotangents[k])));

function vjp(f, wrt, cotangents) {
    return (...xs) => {
        const at = xs.map((x, i) => wrt.includes(i) ? ad.lift(x) : x);
        const ys = f(...at), y = ${output};
        if (ad.isLifted(y)) // a result of an input
            y.backprop();
        return wrt.map((i) => ad.derivative(at[i]));
    };
}
`;

const seed = (data, type) => tensor(flat(data, type), shapeOf(type));
const ones = (kase) => kase.results.length === 1 && kase.request[0]?.cotangents.flat().every((v) => v === 1);

function parts(kase) {
    const program = new Program(kase, OPS), types = kase.inputs.map((b) => b.split(": ")[1]);
    const points = kase.points.map((p) => types.map((t, k) => [t, p[k]]).filter(([t]) => t.startsWith("f64")).map(([t, d]) => seed(d, t)));
    const [, output] = CALLS[ones(kase) ? spelling(kase.variant ?? 0, "request", CALLS.length) : 0];
    return { program, prelude: prelude(output), derivative: stack(kase, program, "f", seed), points };
}

const TOLD = "const told = (y) => y instanceof Tensor ? { dtype: 'float64', shape: y.dims, numbers: y.toFlatArray() } : { dtype: 'float64', shape: [], numbers: [y] };";

function emit(kase) {
    const { program, prelude: transforms, derivative, points } = parts(kase);
    const lines = ["// node FILE.cjs, beside node_modules with adnn", "const ad = require('adnn/ad');", "const Tensor = require('adnn/tensor');", "", TOLD, program.source(), kase.request.length ? transforms : ""];
    for (const xs of points) {
        lines.push(`judge('primal', f(${xs.join(", ")}).map(told));`);
        if (kase.request.length)
            lines.push(`judge('derivative', ${derivative.text}(${xs.join(", ")}).map(told));`);
    }
    return [...lines, ""].join("\n");
}

/* Statements on lifted inputs, where each result depends on them; else the long source. */
function brief(kase) {
    const { program, prelude: transforms, derivative, points } = parts(kase), [level] = kase.request, at = level ? wrtOf(kase, program, level) : [];
    const plain = reaches(kase, program, at), results = kase.results, types = (level ? derivative.types : results.map((r) => program.types.get(r))).filter((t) => t.startsWith("f64"));
    const told_ = (name, type) => shapeOf(type).length ? told(Boolean(level), `${name}.toFlatArray()`, "", "", `${name}.dims`) : told(Boolean(level), name);
    const chosen = kase.body.some(({ op }) => op === "select"); // which may leave no input in the result
    const lines = [];
    for (const xs of points) {
        const inputs = program.inputs.map((x, k) => `const ${x} = ${plain && at.includes(x) ? `ad.lift(${xs[k]})` : xs[k]};`);
        const weights = level ? level.cotangents.map((d, k) => [results[k], program.types.get(results[k]), flat(d, "f64")]) : [];
        const term = ([y, type, w]) => !shapeOf(type).length ? w[0] === 1 ? y : `ad.scalar.mul(${y}, ${number(w[0])})`
            : `ad.tensor.sumreduce(${w.every((v) => v === 1) ? y : `ad.tensor.mul(${y}, ${tensor(w, shapeOf(type))})`})`;
        const total = weights.length === 1 ? term(weights[0]) : `ad.scalar.sum([${weights.map(term).join(", ")}])`;
        const body = plain ? program.body.slice(0, -1) : [], named = plain && level && total !== results[0];
        const names = !level ? results : plain ? at.map((x) => `ad.derivative(${x})`) : types.map((_, k) => `d${k}`);
        lines.push(...inputs, ...body, ...named ? [`const y = ${total};`] : [], ...plain && level ? [`${chosen ? `if (ad.isLifted(${named ? "y" : total})) ` : ""}${named ? "y" : total}.backprop();`] : plain ? [] : [program.source(), transforms, `const [${names.join(", ")}] = ${derivative.text}(${program.inputs.join(", ")});`]);
        names.forEach((d, k) => lines.push(told_(d, types[k])));
    }
    const text = lines.join("\n"), block = points.length > 1 ? `{\n${text}\n}` : text;
    return ["const ad = require('adnn/ad');", ...text.includes("Tensor") ? ["const Tensor = require('adnn/tensor');"] : [], "", block, ""].join("\n");
}

function answer({ ad, Tensor }, kase) {
    const { program, prelude: transforms, derivative, points } = parts(kase), types = kase.results.map((r) => program.types.get(r));
    const run = new Function("ad", "Tensor", `${program.source()}${transforms}return { f, derivative: ${kase.request.length ? derivative.text : "() => []"} };`)(ad, Tensor);
    return points.map((xs, k) => {
        const point = () => new Function("Tensor", `return [${xs.join(", ")}];`)(Tensor);
        const all = checked(Tensor, run.derivative(...point()), kase.request.length ? derivative.types : []), primal = checked(Tensor, run.f(...point()), types);
        return { primal: complete(types, primal, fixedResults(kase, program, kase.points[k])), derivative: kase.request.length ? complete(derivative.types, all) : [] };
    });
}

/* The elements of the engine's results.  Their shapes are part of its answer. */
function checked(Tensor, values, types) {
    const floats = types.filter((t) => t.startsWith("f64"));
    return values.map((y, k) => {
        const shape = y instanceof Tensor ? y.dims : [];
        if (!same(shape, shapeOf(floats[k])) || !(y instanceof Tensor) && typeof y !== "number")
            throw new Error(`${y instanceof Tensor ? `a tensor [${shape}]` : typeof y} instead of ${floats[k]}`);
        return y instanceof Tensor ? y.toFlatArray() : [y];
    });
}

const hello = { name: "adnn", requests: [["vjp"]], dtypes: ["f64", "i64", "i32", "bool"], ops: Object.keys(OPS), rank: 3, spellings: spellings(OPS, { request: CALLS.map(([name]) => name) }) };
let engine = null;
if (!process.argv.includes("--emit")) {
    engine = { ad: load("adnn/ad"), Tensor: load("adnn/tensor") };
    hello.version = load("adnn/package.json").version;
}
await serve(hello, (kase) => answer(engine, kase), (kase, short) => (short ? brief : emit)(kase));
