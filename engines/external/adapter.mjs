/*
 * Shared by the adapters in JavaScript: the protocol, and programs as source text.
 *
 * An adapter has a table of source templates for the ops, and the calls of its engine's transforms as text.  So it runs
 * exactly the source that `adjudge emit` prints.  Integers and bool are constants ("constants" in the hello): they are no
 * part of the function that an engine sees.  See ../PROTOCOL.md.
 *
 * Packages are searched in the folder (or the node_modules folder) that the environment variable ADJUDGE_NODE_MODULES
 * names, then where node searches for this file's packages (including NODE_PATH).
 */
import { createRequire } from "node:module";
import path from "node:path";
import readline from "node:readline";

/* The engine lacks something; the message says what. */
export class Unsupported extends Error {}

export function load(name) {
    const from = process.env.ADJUDGE_NODE_MODULES;
    return createRequire(from ? path.resolve(from, "adjudge.js") : import.meta.url)(name);
}

/* The mode on the command line, a key of `modes`.  The first is the preset. */
export function modeOf(modes) {
    const given = process.argv[2] && !process.argv[2].startsWith("-") ? process.argv[2] : Object.keys(modes)[0];
    if (given in modes)
        return given;
    console.error(`no mode ${given}; there are ${Object.keys(modes).join(", ")}`);
    process.exit(2);
}

/* ---- values ---- */

export const dtypeOf = (type) => type.split("[")[0];
export const shapeOf = (type) => type.slice(type.indexOf("[") + 1, -1).split(",").filter((n) => n).map(Number);
export const isFloat = (dtype) => ["f64", "f32", "bf16", "f16"].includes(dtype);
export const sizeOf = (shape) => shape.reduce((a, b) => a * b, 1);
export const same = (a, b) => a.length === b.length && a.every((n, k) => n === b[k]);

const words = { nan: NaN, inf: Infinity, "-inf": -Infinity };

/* The elements, row-major: numbers and booleans.  An integer that a number cannot hold stays a string, as in answers. */
export function flat(data, type) {
    const one = (v) => typeof v !== "string" ? v : v in words ? words[v] : Number.isSafeInteger(Number(v)) ? Number(v) : v;
    return (Array.isArray(data) ? data : [data]).map(one);
}

/* Source of one element, and of a flat list. */
export const number = (v) => Object.is(v, -0) ? "-0" : String(v);
export const list = (values) => `[${values.map(number).join(", ")}]`;

/* A tensor of an answer. */
export function tensorOut(type, values) {
    const one = (v) => Object.is(v, -0) ? "-0x0p+0" : Number.isNaN(v) ? "nan" : v === Infinity ? "inf" : v === -Infinity ? "-inf" : v;
    return { type, data: Array.from(values, one) };
}

export const zerosOut = (type) => tensorOut(type, new Array(sizeOf(shapeOf(type))).fill(dtypeOf(type) === "bool" ? false : 0));

/* ---- spellings ---- */

/* Which of n spellings the variant of a case draws for an op, or for "request" (../PROTOCOL.md). */
export function spelling(variant, name, n) {
    let h = 2166136261 ^ variant;
    for (const byte of new TextEncoder().encode(name))
        h = Math.imul(h ^ byte, 16777619);
    return variant ? ((h ^ h >>> 16) >>> 0) % n : 0;
}

/* The member of the hello: names by op, of the rows of a table that list spellings, and of `others`. */
export const spellings = (ops, others = {}) => ({ ...Object.fromEntries(Object.entries(ops).filter(([, rule]) => Array.isArray(rule))
    .map(([op, rules]) => [op, rules.map(([name]) => name)])), ...others });

/* ---- programs ---- */

const MARK = "\u0001"; /* around the name of an operand, until all uses of it are known */

/* One op of a straight program.  a: its attributes as in a case. */
class Node {
    constructor(program, raw) {
        this.program = program;
        this.op = raw.op;
        this.args = raw.args ?? [];
        this.a = raw;
        this.out = raw.out[0].split(":")[0];
        this.type = program.types.get(this.out);
        this.shape = shapeOf(this.type);
        this.dtype = dtypeOf(this.type);
    }

    typeOf(k) { return this.program.types.get(this.args[k]); }
    shapeOf(k) { return shapeOf(this.typeOf(k)); }
    /* Operand k as source: each call is a use of it. */
    arg(k) { return MARK + this.args[k] + MARK; }
    isConst(k) { return this.program.constants.has(this.args[k]); }
    const(k) {
        if (!this.isConst(k))
            throw new Unsupported(`${this.op} of what is no constant`);
        return this.program.constants.get(this.args[k]);
    }
    own() { return this.program.constants.get(this.out); }
}

/*
 * A case's program as lines of source.  types: the type of every value; constants: elements by name.  ops: a rule for
 * each op, or a list of its spellings, each a name and a rule.  A rule is a template, or a function that makes source of
 * a Node.  One that returns null cannot express the node, and the first spelling does.  The function has only the float inputs and results.  use(name, last): source of a use of a value.  drop(name): a statement for a value
 * that nothing uses, if the engine needs one.
 */
export class Program {
    constructor(kase, ops, { use = (name) => name, drop = null } = {}) {
        this.types = new Map();
        this.constants = new Map();
        const names = kase.inputs.map((b) => b.split(": ")[0]);
        kase.inputs.forEach((b) => this.types.set(...b.split(": ")));
        const lines = [];
        for (const raw of kase.body) {
            this.types.set(...raw.out[0].split(": "));
            const node = new Node(this, raw);
            if (node.op === "constant")
                this.constants.set(node.out, flat(raw.value, node.type));
            if (!(node.op in ops))
                throw new Unsupported(`op ${node.op}`);
            const rules = Array.isArray(ops[node.op]) ? ops[node.op] : [["", ops[node.op]]];
            const written = ([, rule]) => typeof rule === "function" ? rule(node) : rule.replace(/\{(\d)\}/g, (_, k) => node.arg(Number(k)));
            const text = written(rules[spelling(kase.variant ?? 0, node.op, rules.length)]) ?? written(rules[0]);
            lines.push({ name: node.out, constant: node.op === "constant", text });
        }
        this.inputs = names.filter((x) => this.isFloat(x));
        this.results = kase.results.filter((r) => this.isFloat(r));
        this.body = this.#finish(lines, use, drop);
    }

    isFloat(name) { return isFloat(dtypeOf(this.types.get(name))); }

    /* Inserts the uses: now the last one is known.  Leaves out constants that only the adapter has read. */
    #finish(lines, use, drop) {
        const end = `return [${this.results.map((r) => MARK + r + MARK).join(", ")}];`;
        const left = new Map();
        const each = (text, f) => text.replace(new RegExp(`${MARK}([^${MARK}]*)${MARK}`, "g"), (_, name) => f(name));
        for (const text of [...lines.map((line) => line.text), end])
            each(text, (name) => left.set(name, (left.get(name) ?? 0) + 1));
        const put = (text) => each(text, (name) => {
            if (!this.isFloat(name) && !this.constants.has(name))
                throw new Unsupported(`${name}, an integer that is no constant`);
            left.set(name, left.get(name) - 1);
            return use(name, !left.get(name));
        });
        const body = [];
        if (drop)
            body.push(...this.inputs.filter((x) => !left.has(x)).map(drop));
        for (const line of lines) {
            if (line.constant && !left.has(line.name))
                continue;
            const unused = !left.has(line.name);
            body.push(`const ${line.name} = ${put(line.text)};`);
            if (unused && drop)
                body.push(drop(line.name));
        }
        return [...body, put(end)];
    }

    /* brief: a lone result is no list, and returned as it is computed. */
    source(brief = false) {
        if (brief && this.results.length === 1)
            return this.source().replace(/return \[(.*)\];\n\}\n$/, "return $1;\n}\n").replace(/const (\w+) = (.*);\n    return \1;\n\}\n$/, "return $2;\n}\n");
        return `function f(${this.inputs.join(", ")}) {\n${this.body.map((line) => `    ${line}\n`).join("")}}\n`;
    }
}

/* ---- requests ---- */

/*
 * The stack of transforms over `inner` as source, innermost first, for the float values only.  tensor(data, type): a seed
 * as source.  wrap: a call around each level, or "".  types: of all values of the derivative.
 */
export function stack(kase, program, inner, tensor, wrap = "") {
    const inputs = kase.inputs.map((b) => b.split(": ")[1]);
    let types = kase.results.map((r) => program.types.get(r));
    let text = inner;
    const floats = (seeds, of) => seeds.map((d, k) => [d, of[k]]).filter(([, t]) => isFloat(dtypeOf(t))).map(([d, t]) => tensor(d, t));
    const place = inputs.map((t, k) => inputs.slice(0, k).filter((u) => isFloat(dtypeOf(u))).length);
    for (const level of kase.request) {
        const at = level.wrt.map((i) => inputs[i]);
        const wrt = level.wrt.filter((i) => isFloat(dtypeOf(inputs[i]))).map((i) => place[i]);
        const seeds = level.transform === "vjp" ? floats(level.cotangents, types) : floats(level.tangents, at);
        if (!wrt.length || !types.some((t) => isFloat(dtypeOf(t))))
            throw new Unsupported("a derivative of nothing");
        text = `${level.transform}(${text}, [${wrt.join(", ")}], [${seeds.join(", ")}])`;
        text = wrap ? `${wrap}(${text})` : text;
        types = level.transform === "vjp" ? at : types;
    }
    return { text, types };
}

/* Whether each result depends on all inputs of these names: an engine may have no derivative otherwise. */
export function reaches(kase, program, names) {
    const of = new Map(kase.inputs.map((b) => [b.split(": ")[0], new Set([b.split(": ")[0]])]));
    for (const { out, op, args = [] } of kase.body) {
        const name = out[0].split(": ")[0], from = op === "stop_gradient" || !program.isFloat(name) ? [] : args.flatMap((x) => [...of.get(x) ?? []]);
        of.set(name, new Set(from));
    }
    return kase.results.every((r) => program.isFloat(r) && names.every((x) => of.get(r).has(x)));
}

/* The names of the inputs that a level differentiates by. */
export const wrtOf = (kase, program, level) => level.wrt.map((i) => kase.inputs[i].split(": ")[0]).filter((x) => program.isFloat(x));

/* A line of a short source: adjudge writes the comparison of this result in its place (../PROTOCOL.md). */
export const told = (derivative, numbers, dtype = "", rightDtype = "", shape = "") =>
    [`@${derivative ? "derivative" : "primal"}`, numbers, dtype, rightDtype, shape].join("\t").replace(/\t+$/, "");

/* The engine's float values, and between them the others: from `values`, else zeros of their type. */
export function complete(types, floats, values = []) {
    const rest = floats.slice();
    return types.map((t, k) => isFloat(dtypeOf(t)) ? tensorOut(t, rest.shift()) : values[k] ? tensorOut(t, values[k]) : zerosOut(t));
}

/* The results that are integers or bool: constants, or inputs. */
export function fixedResults(kase, program, point) {
    const names = kase.inputs.map((b) => b.split(": ")[0]);
    return kase.results.map((r) => program.isFloat(r) ? null : program.constants.get(r) ?? flat(point[names.indexOf(r)], program.types.get(r)));
}

/* ---- indices, decided by their mode ---- */

/* Positions, and whether each is dropped (its position is then 0). */
export function resolved(index, mode, extent) {
    const at = [], gone = [];
    for (const i of index) {
        const inside = i >= 0 && i < extent, drop = extent === 0 || (mode === "drop" && !inside);
        at.push(drop ? 0 : inside ? i : mode === "wrap" ? ((i % extent) + extent) % extent : Math.min(Math.max(i, 0), extent - 1));
        gone.push(drop);
    }
    return { at, gone };
}

/* Clamped starts of dynamic_slice and dynamic_update_slice. */
export function startsOf(node, at, size) {
    const shape = node.shapeOf(0);
    return node.const(at).map((s, d) => Math.min(Math.max(s, 0), shape[d] - size[d]));
}

/* ---- the protocol ---- */

/* hello: the members of the first line.  answer(case): {primal, derivative} for each point.  emit(case, brief): source text. */
export async function serve(hello, answer, emit) {
    const say = (value) => process.stdout.write(JSON.stringify(value) + "\n");
    const emitting = process.argv.includes("--emit");
    console.log = console.info = console.error; /* what the engine prints is no answer */
    say({ "adjudge.engine": 1, unroll: true, constants: true, weak_zero: true, reals: "decimal", emits: "cjs", ...hello });
    for await (const line of readline.createInterface({ input: process.stdin })) {
        const request = JSON.parse(line);
        if (!emitting && !request.emit) {
            const answers = [];
            for (const kase of request.cases)
                answers.push(guarded(answer, kase));
            say({ id: request.id, answers });
            continue;
        }
        try {
            say({ id: request.id, sources: (request.emit ?? request.cases).map((kase) => emit(kase, Boolean(request.brief))) });
        } catch (e) {
            if (!(e instanceof Unsupported))
                throw e;
            say({ id: request.id, error: `${hello.name}: no counterpart for ${e.message}` });
        }
    }
}

function guarded(answer, kase) {
    const all = (value) => kase.points.map(() => value);
    try {
        return answer(kase).map((a) => ({ status: "ok", ...a }));
    } catch (e) { /* whatever an engine throws is its answer */
        const text = `${e?.name ?? "Error"}: ${String(e?.message ?? e).split("\n")[0]}`.slice(0, 400);
        const known = e instanceof Unsupported || /not (yet )?(implemented|supported)|unsupported|not registered for|gradient function not found|cannot compute gradient of/i.test(text);
        return all({ status: known ? "unsupported" : "error", text: e instanceof Unsupported ? e.message : text });
    }
}
