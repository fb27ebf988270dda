#!/usr/bin/env node
/*
 * mathjs behind adjudge's protocol: ADJUDGE_NODE_MODULES=DIR node mathjs.mjs, where DIR has mathjs 15.
 *
 * A result is one expression of the inputs' elements, math.derivative makes another of it, and both are evaluated at the
 * point.  Numbers have 128 digits, so that an answer is the value of the formula, in whatever order it is computed: rules
 * and simplify() arrange sums and products anew.  A complex value is no number.
 */
import vm from "node:vm";

import { Program, Unsupported, complete, fixedResults, flat, load, serve, shapeOf, sizeOf, spelling, spellings, stack, told } from "./adapter.mjs";
import { MOVES, groups, products, scattered, spread } from "./elements.mjs";

const CONFIG = "{ number: 'BigNumber', precision: 128, predictable: true }";
const CALLS = [["derivative", "math.derivative(y, x)"], ["derivative, simplify: false", "math.derivative(y, x, { simplify: false })"]];
const LONGEST = [4000, 2000, 400]; /* characters of an element, by order: expressions may grow without limit */
const SECONDS = 20; /* what takes longer is not asked for */

/* ---- expressions ---- */

/* A number as text.  A BigNumber is made of digits, and keeps all that it is given.  A large one needs all of its own, or
   its sine is that of another number; below, 100 are exact, or off by far less than what is computed of them. */
function literal(v) {
    if (!v || !Number.isFinite(v))
        return Object.is(v, -0) ? "-0" : String(v);
    if (Math.abs(v) > Number.MAX_SAFE_INTEGER)
        return BigInt(v).toString();
    return v.toPrecision(100).replace(/\.?0*(e|$)/, "$1").replace("e+", "e");
}

/* Operands are in parentheses unless they are names, numbers or calls. */
const ATOM = /^(\w+|[\d.]+(e-?\d+)?|\w+\([^()]*\))$/;
const operand = (x) => ATOM.test(x) ? x : `(${x})`;
const binary = (sign) => (a, b) => `${operand(a)} ${sign} ${operand(b)}`;
const chain = (sign) => (xs) => xs.map(operand).join(` ${sign} `);
const total = (xs, none) => xs.length ? chain("+")(xs) : none;

const RULES = { neg: (a) => `-${operand(a)}`, add: binary("+"), sub: binary("-"), mul: binary("*"), div: binary("/"), rsqrt: (a) => `1 / sqrt(${a})`, logistic: (a) => `1 / (1 + exp(-${operand(a)}))`,
    square: [["x^2", (a) => `${operand(a)} ^ 2`], ["x * x", (a) => `${operand(a)} * ${operand(a)}`]], pow: [["x^y", binary("^")], ["pow(x, y)", (a, b) => `pow(${a}, ${b})`]],
    ...Object.fromEntries("abs sqrt exp log sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh".split(" ").map((f) => [f, (a) => `${f}(${a})`])) };
const REDUCED = { reduce_sum: (xs) => total(xs, "0"), cumsum: (xs) => total(xs, "0"), reduce_mean: (xs) => xs.length ? `(${total(xs)}) / ${xs.length}` : "NaN",
    reduce_prod: (xs) => xs.length ? chain("*")(xs) : "1", cumprod: chain("*"), norm: (xs) => xs.length ? `sqrt(${xs.map((x) => `${operand(x)} ^ 2`).join(" + ")})` : "0" };
const SCATTERS = { scatter_add: "+", scatter_mul: "*" };

/* The elements of a node, of its operands'. */
function elements(n, of, variant) {
    if (n.op === "constant")
        return n.own().map((v) => literal(Number(v)));
    if (MOVES[n.op])
        return MOVES[n.op](n).map((from) => from ? of[from[0]][from[1]] : "0");
    if (REDUCED[n.op])
        return groups(n).map((group) => REDUCED[n.op](group.map((i) => of[0][i])));
    if (SCATTERS[n.op])
        return scattered(n).map((from, i) => from.length ? chain(SCATTERS[n.op])([of[0][i], ...from.map((k) => of[2][k])]) : of[0][i]);
    if (n.op === "matmul")
        return products(n).map((pairs) => total(pairs.map(([i, j]) => `${operand(of[0][i])} * ${operand(of[1][j])}`), "0"));
    const rules = Array.isArray(RULES[n.op]) ? RULES[n.op].map(([, rule]) => rule) : [RULES[n.op]], at = n.args.map((_, k) => spread(n.shapeOf(k), n.shape));
    return Array.from({ length: sizeOf(n.shape) }, (_, i) => rules[spelling(variant, n.op, rules.length)](...of.map((xs, k) => xs[at[k][i]])));
}

/* The results as lists of expressions, and the names of the inputs' elements. */
function written(kase) {
    const at = new Map(), variant = kase.variant ?? 0, longest = LONGEST[kase.request.length];
    const short = (rows) => {
        if (rows.some((row) => row.length > longest) || rows.reduce((sum, row) => sum + row.length, 0) > 10 * longest)
            throw new Unsupported("so long an expression");
        return rows;
    };
    let count = 0;
    const rule = (n) => {
        at.set(n.out, short(elements(n, n.args.map((x, k) => at.get(x) ?? n.const(k)), variant)));
        return "";
    };
    const names = kase.inputs.map((b) => b.split(": ")).filter(([, t]) => t.startsWith("f64")).map(([x, t]) => {
        at.set(x, Array.from({ length: sizeOf(shapeOf(t)) }, () => `x${count++}`));
        return at.get(x);
    });
    const program = new Program(kase, Object.fromEntries(["constant", ...OPS].map((op) => [op, rule])));
    return { program, names, results: program.results.map((r) => at.get(r)) };
}

const OPS = [...Object.keys(MOVES), ...Object.keys(RULES), ...Object.keys(REDUCED), ...Object.keys(SCATTERS), "matmul"];

/* ---- transforms as source ---- */

const TERMS = `
const derivative = (y, x) => CALL;
const term = (y, x, weight) => Number(weight) ? [new math.OperatorNode('*', 'multiply', [derivative(y, x), math.parse(weight)])] : [];
const sum = (terms) => terms.length ? terms.reduce((a, b) => new math.OperatorNode('+', 'add', [a, b])) : math.parse('0');
`;
const TRANSFORMS = { jvp: `// Of each result, the weighted sum of its derivatives along a tangent.
const jvp = (ys, wrt, tangents) => ys.map((y) => y.map((e) => sum(wrt.flatMap((i, k) => names[i].flatMap((x, j) => term(e, x, tangents[k][j]))))));
`, vjp: `// By each input in wrt, the weighted sum of the derivatives of all results.
const vjp = (ys, wrt, cotangents) => wrt.map((i) => names[i].map((x) => sum(ys.flatMap((y, k) => y.flatMap((e, j) => term(e, x, cotangents[k][j]))))));
` };
const prelude = (call, request) => TERMS.replace("CALL", call) + Object.keys(TRANSFORMS).filter((t) => request.some((l) => l.transform === t)).map((t) => TRANSFORMS[t]).join("");
const VALUES = `
const names = NAMES;
const f = RESULTS.map((y) => y.map((e) => math.parse(e)));
const values = (ys, point) => ys.map((y) => y.map((e) => {
    const value = e.evaluate(Object.fromEntries(names.flat().map((x, k) => [x, math.bignumber(point[k])])));
    return math.isComplex(value) ? NaN : Number(value);
}));
`;

const texts = (rows) => `[${rows.map((row) => `[${row.map((e) => `'${e}'`).join(", ")}]`).join(", ")}]`;

function parts(kase) {
    const { program, names, results } = written(kase), [, call] = CALLS[spelling(kase.variant ?? 0, "request", CALLS.length)];
    const seed = (data, type) => `[${flat(data, type).map((v) => `'${literal(v)}'`).join(", ")}]`;
    const types = kase.inputs.map((b) => b.split(": ")[1]);
    const points = kase.points.map((p) => `[${types.flatMap((t, k) => t.startsWith("f64") ? flat(p[k], t).map((v) => `'${literal(v)}'`) : []).join(", ")}]`);
    const source = `const math = create(all, ${CONFIG});\n${VALUES.replace("NAMES", texts(names)).replace("RESULTS", texts(results))}${kase.request.length ? prelude(call, kase.request) : ""}`;
    return { program, source, derivative: stack(kase, program, "f", seed), points };
}

function emit(kase) {
    const { program, source, derivative, points } = parts(kase), floats = (types) => types.filter((t) => t.startsWith("f64")).map((t) => `[${shapeOf(t)}]`).join(", ");
    const told = (what, types) => `${what}.map((numbers, k) => ({ dtype: 'float64', shape: [${floats(types)}][k], numbers }))`;
    const lines = ["// node FILE.cjs, beside node_modules with mathjs", "const { create, all } = require('mathjs');", source];
    for (const point of points) {
        lines.push(`judge('primal', ${told(`values(f, ${point})`, kase.results.map((r) => program.types.get(r)))});`);
        if (kase.request.length)
            lines.push(`judge('derivative', ${told(`values(${derivative.text}, ${point})`, derivative.types)});`);
    }
    return [...lines, ""].join("\n");
}

/* The derivatives along single inputs, and their weighted sum as a number; of higher order, the long source's functions. */
function brief(kase) {
    const { program, source, derivative, points } = parts(kase), { names, results } = written(kase), [level] = kase.request, order = kase.request.length;
    const call = CALLS[spelling(kase.variant ?? 0, "request", CALLS.length)][1], types = kase.results.map((r) => program.types.get(r));
    const own = (order ? derivative.types : types).filter((t) => t.startsWith("f64")), seed = (data) => flat(data, "f64").map(literal), floats = kase.inputs.filter((b) => b.includes(": f64")).length;
    const lines = ["const { create, all } = require('mathjs');"];
    const plain = order < 2 && kase.inputs.length === floats && types.every((t) => t.startsWith("f64"));
    if (!plain)
        lines.push(source, ...points.flatMap((p) => own.map((t, k) => told(order > 0, `values(${order ? derivative.text : "f"}, ${p})[${k}]${shapeOf(t).length ? "" : "[0]"}`))));
    for (const point of plain ? kase.points : []) {
        const at = names.flatMap((xs, k) => flat(point[k], "f64").map((v, i) => `${xs[i]}: math.bignumber('${literal(v)}')`));
        const value = (terms) => terms.length === 1 && terms[0][1] === "1" ? `Number(${terms[0][0]})`
            : `Number(${terms.length ? terms.map(([e, w]) => w === "1" ? e : `math.multiply(${e}, math.bignumber('${w}'))`).reduce((a, b) => `math.add(${a}, ${b})`) : "0"})`;
        const d = (e, x) => `${call.replace("y, x", `'${e}', '${x}'`)}.evaluate(at)`, nonzero = (terms) => terms.filter(([, w]) => Number(w));
        const rows = !order ? results.map((y) => y.map((e) => [[`math.evaluate('${e}', at)`, "1"]]))
            : level.transform === "jvp" ? results.map((y) => y.map((e) => nonzero(level.wrt.flatMap((i, k) => names[i].map((x, j) => [d(e, x), seed(level.tangents[k])[j]])))))
                : level.wrt.map((i) => names[i].map((x) => nonzero(results.flatMap((y, k) => y.map((e, j) => [d(e, x), seed(level.cotangents[k])[j]])))));
        lines.push(`const math = create(all, ${CONFIG});`, `const at = { ${at.join(", ")} };`);
        own.forEach((t, k) => lines.push(told(order > 0, shapeOf(t).length ? `[${rows[k].map(value).join(", ")}]` : value(rows[k][0]))));
    }
    return [...lines, ""].join("\n");
}

function answer(mathjs, kase) {
    const { program, source, derivative, points } = parts(kase), types = kase.results.map((r) => program.types.get(r));
    const run = new Function("create", "all", `${source}const d = ${kase.request.length ? derivative.text : "[]"};\nreturn [${points.map((p) => `[values(f, ${p}), values(d, ${p})]`)}];`);
    globalThis.asked = () => run(() => engine(mathjs), mathjs.all);
    return inTime("asked()").map(([primal, d], k) => ({
        primal: complete(types, primal, fixedResults(kase, program, kase.points[k])), derivative: kase.request.length ? complete(derivative.types, d) : [] }));
}

function inTime(text) {
    try {
        return vm.runInThisContext(text, { timeout: SECONDS * 1000 });
    } catch (e) {
        throw e?.code === "ERR_SCRIPT_EXECUTION_TIMEOUT" ? new Unsupported(`a case that takes more than ${SECONDS} s`) : e;
    }
}

let made = null; /* to make one takes long */
const engine = (mathjs) => made ??= mathjs.create(mathjs.all, new Function(`return ${CONFIG};`)());

const orders = (n) => n ? orders(n - 1).flatMap((s) => [[...s, "jvp"], [...s, "vjp"]]) : [[]];
const hello = { name: "mathjs", requests: [...orders(1), ...orders(2)], dtypes: ["f64", "i64", "i32", "bool"], ops: OPS, rank: 3, finite_math: true, timeout_ms: 60000,
    spellings: spellings(RULES, { request: CALLS.map(([name]) => name) }) };
let mathjs = null;
if (!process.argv.includes("--emit")) {
    mathjs = load("mathjs");
    hello.version = engine(mathjs).version;
}
await serve(hello, (kase) => answer(mathjs, kase), (kase, short) => (short ? brief : emit)(kase));
