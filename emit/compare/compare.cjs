// Returned numbers beside expected ones.  Exit status: 0 all agree, 1 some number is wrong, 125 it cannot be said.
const judged = { asked: '', numbers: 0, wrong: 0, unclear: 0, followed: null, sum: 0 };

// An exception of the engine is wrong, unless the engine cannot be loaded or says that it lacks something.
function stop(error) {
    const text = `${error?.stack ?? error}`;
    const lacks = /at require \(|MODULE_NOT_FOUND/.test(text + error?.code) || /not (yet )?(implemented|supported)|unsupported|not registered for|gradient function not found|cannot compute gradient of/i.test(text);
    console.error(error);
    console.log(lacks ? 'no answer' : 'no answer: WRONG');
    judged[lacks ? 'unclear' : 'wrong']++;
    process.exit();
}
process.on('uncaughtException', stop);
process.on('unhandledRejection', stop);

function wrong(text) {
    judged.wrong++;
    console.log(`${text}: WRONG`);
}

// A row: the texts of expected and allowed, whether a NaN is accepted, [value, its lower digits, radius] for each
// convention at a tie, and the interval of their mixtures if they differ.
function compare(name, returned, rows) {
    if (returned.length !== rows.length)
        wrong(`${name}: expected ${rows.length} numbers, returned ${returned.length}`);
    rows.slice(0, returned.length).forEach(([expected, allowed, acceptsNaN, choices, low = Infinity, high = -Infinity], k) => {
        const r = Number(returned[k]), every = choices.map((_, i) => i);
        const followed = Number.isNaN(r) ? every.filter(() => acceptsNaN) : every.filter((i) => {
            const [value, rest, radius] = choices[i];
            return radius === Infinity || Math.abs(r - value - rest) <= radius || (r === value && !Number.isFinite(r));
        });
        const line = `${name}${rows.length > 1 ? `, element ${k}` : ''}: expected ${expected}, returned ${r}, allowed ${allowed}`;
        if (!followed.length && !(low <= r && r <= high)) {
            wrong(line);
            return;
        }
        console.log(line);
        judged.numbers += choices[0][2] !== Infinity && name.includes(judged.asked);
        if (choices.length > 1 || low <= high) {
            judged.sum += r;
            judged.followed = judged.followed ? judged.followed.filter((i) => followed.includes(i)) : followed;
        }
    });
}

// The sum of all numbers at a tie is in this range, whatever mixture of conventions they follow.
function conclude(least, most) {
    if (judged.followed && !judged.followed.length) {
        if (judged.sum < least || judged.sum > most) {
            wrong(`sum of the shares at a tie: expected ${least} to ${most}, returned ${judged.sum}`);
        } else {
            judged.unclear++;
            console.log('no convention explains all numbers of this tie, but a mixture of them may');
        }
    }
    judged.followed = null;
    judged.sum = 0;
}

// The source calls this with all results of the primal, or of the derivative, point by point: flat lists, each alone or
// as { dtype, shape, numbers }.
function judge(kind, results) {
    if (!points[kind].length)
        return;
    let wanted = points[kind].shift();
    if (results.length !== wanted.length) // an adapter may leave out what are no floats
        wanted = wanted.filter((w) => w[1]);
    if (results.length !== wanted.length)
        wrong(`${kind}: expected ${wanted.length} results, returned ${results.length}`);
    wanted.slice(0, results.length).forEach(([name, isFloat, rows, dtype, shape], k) => {
        const said = results[k];
        if (said.dtype && isFloat && said.dtype !== dtype)
            wrong(`${name}: expected ${dtype}, returned ${said.dtype}`);
        if (said.shape && String(said.shape) !== String(shape))
            wrong(`${name}: expected shape [${shape}], returned [${said.shape}]`);
        compare(name, said.numbers ?? said, rows);
    });
    conclude(...(kind === 'derivative' ? sums.shift() : [-Infinity, Infinity]));
}

process.on('exit', () => {
    const unclear = judged.unclear + points.primal.length + points.derivative.length || !judged.numbers;
    console.log(`${judged.numbers} numbers of the ${judged.asked} agree, ${judged.wrong} wrong${unclear ? ', not all could be judged' : ''}`);
    process.exitCode = judged.wrong ? 1 : unclear ? 125 : 0;
});

