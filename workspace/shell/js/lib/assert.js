
const util = require('util');

class AssertionError extends Error {
  constructor(options) {
    const { message, actual, expected, operator } = options;
    super(message === undefined ? describe(actual, expected, operator) : String(message));
    Object.defineProperty(this, 'name', { value: 'AssertionError', enumerable: false, configurable: true, writable: true });
    this.generatedMessage = message === undefined;
    this.code = 'ERR_ASSERTION';
    this.actual = actual;
    this.expected = expected;
    this.operator = operator;
  }
  toString() { return `${this.name} [${this.code}]: ${this.message}` }
}
const show = (v) => util.inspect(v, { compact: false, depth: 1000, sorted: true, getters: true, breakLength: Infinity });
const heads = {
  deepStrictEqual: 'Expected values to be strictly deep-equal:', strictEqual: 'Expected values to be strictly equal:',
  deepEqual: 'Expected values to be loosely deep-equal:', notDeepStrictEqual: 'Expected "actual" not to be strictly deep-equal to:',
  notStrictEqual: 'Expected "actual" to be strictly unequal to:',
};
function describe(actual, expected, operator) {
  const a = show(actual), b = show(expected);
  switch (operator) {
    case '==': return `${util.inspect(actual)} == ${util.inspect(expected)}`;
    case '!=': return `${util.inspect(actual)} != ${util.inspect(expected)}`;
    case 'notStrictEqual': case 'notDeepStrictEqual': return `${heads[operator]}${b.includes('\n') || b.length > 50 ? '\n\n' : ' '}${b}`;
    case 'deepEqual': return `${heads[operator]}\n\n${a}\n\nshould loosely deep-equal\n\n${b}`;
  }
  const head = heads[operator];
  if (a === b) return `Values have same structure but are not reference-equal:\n\n${a}\n`;
  if (!a.includes('\n') && !b.includes('\n') && a.length + b.length <= 12 && (typeof actual !== 'object' || actual === null) && (typeof expected !== 'object' || expected === null)) {
    return `${head}\n\n${a} !== ${b}\n`;
  }
  return `${head}\n+ actual - expected\n\n${diff(a.split('\n'), b.split('\n'))}`;
}
// diff marks the lines of one text that the other lacks.
function diff(a, b) {
  const lengths = a.map(() => new Array(b.length + 1).fill(0));
  lengths.push(new Array(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--) for (let j = b.length - 1; j >= 0; j--) lengths[i][j] = a[i] === b[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
  const out = [];
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) { out.push('  ' + a[i]); i++; j++ }
    else if (j >= b.length || i < a.length && lengths[i + 1][j] >= lengths[i][j + 1]) out.push('+ ' + a[i++]);
    else out.push('- ' + b[j++]);
  }
  return out.join('\n');
}
function fail(options, message) {
  if (message instanceof Error) throw message;
  throw new AssertionError({ ...options, message });
}
function ok(value, ...rest) {
  if (value) return;
  const message = rest.length ? rest[0] : arguments.length === 0 ? 'No value argument passed to `assert.ok()`' : undefined;
  if (message instanceof Error) throw message;
  const e = new AssertionError({ message: message === undefined ? `${util.inspect(value)} == true` : message, actual: value, expected: true, operator: '==' });
  e.generatedMessage = message === undefined;
  throw e;
}
const assert = function assert(value, ...rest) { return ok(value, ...rest) };
const methods = {
  ok,
  equal(a, b, m) { if (!(a == b || a !== a && b !== b)) fail({ actual: a, expected: b, operator: '==' }, m) },
  notEqual(a, b, m) { if (a == b || a !== a && b !== b) fail({ actual: a, expected: b, operator: '!=' }, m) },
  strictEqual(a, b, m) { if (!Object.is(a, b)) fail({ actual: a, expected: b, operator: 'strictEqual' }, m) },
  notStrictEqual(a, b, m) { if (Object.is(a, b)) fail({ actual: a, expected: b, operator: 'notStrictEqual' }, m) },
  deepEqual(a, b, m) { if (!util._equal(a, b, false, [])) fail({ actual: a, expected: b, operator: 'deepEqual' }, m) },
  notDeepEqual(a, b, m) { if (util._equal(a, b, false, [])) fail({ actual: a, expected: b, operator: 'notDeepStrictEqual' }, m) },
  deepStrictEqual(a, b, m) { if (!util._equal(a, b, true, [])) fail({ actual: a, expected: b, operator: 'deepStrictEqual' }, m) },
  notDeepStrictEqual(a, b, m) { if (util._equal(a, b, true, [])) fail({ actual: a, expected: b, operator: 'notDeepStrictEqual' }, m) },
  fail(m) { if (m instanceof Error) throw m; const e = new AssertionError({ message: m === undefined ? 'Failed' : m, operator: 'fail' }); e.generatedMessage = m === undefined; throw e },
  ifError(e) { if (e !== null && e !== undefined) throw new AssertionError({ message: `ifError got unwanted exception: ${e.message || util.inspect(e)}`, actual: e, expected: null, operator: 'ifError' }) },
  match(s, re, m) { if (typeof s !== 'string' || !re.test(s)) fail({ actual: s, expected: re, operator: 'match' }, m === undefined ? `The input did not match the regular expression ${util.inspect(re)}. Input:\n\n${util.inspect(s)}\n` : m) },
  doesNotMatch(s, re, m) { if (re.test(s)) fail({ actual: s, expected: re, operator: 'doesNotMatch' }, m === undefined ? `The input was expected to not match the regular expression ${util.inspect(re)}. Input:\n\n${util.inspect(s)}\n` : m) },
  throws(f, expected, m) { thrown(call(f), expected, m, 'throws') },
  doesNotThrow(f, m) { const r = call(f); if (r.threw) fail({ actual: r.error, operator: 'doesNotThrow' }, typeof m === 'string' ? m : `Got unwanted exception.\nActual message: "${r.error && r.error.message}"`) },
  async rejects(p, expected, m) { thrown(await settle(p), expected, m, 'rejects') },
  async doesNotReject(p, m) { const r = await settle(p); if (r.threw) fail({ actual: r.error, operator: 'doesNotReject' }, typeof m === 'string' ? m : `Got unwanted rejection.\nActual message: "${r.error && r.error.message}"`) },
};
function call(f) {
  if (typeof f !== 'function') throw $.nodeError('TypeError', 'ERR_INVALID_ARG_TYPE', `The "fn" argument must be of type function. Received ${$.received(f)}`);
  try { f(); return { threw: false } } catch (error) { return { threw: true, error: __caught__(error) } }
}
async function settle(p) {
  try { await (typeof p === 'function' ? p() : p); return { threw: false } } catch (error) { return { threw: true, error: __caught__(error) } }
}
function thrown(r, expected, m, operator) {
  if (typeof expected === 'string') { m = expected; expected = undefined }
  if (!r.threw) fail({ operator, expected }, `Missing expected ${operator === 'rejects' ? 'rejection' : 'exception'}${expected && expected.name ? ` (${expected.name})` : ''}${m ? `: ${m}` : '.'}`);
  if (expected === undefined) return;
  if (expected instanceof RegExp) {
    if (!expected.test(String(r.error))) fail({ actual: r.error, expected, operator }, m === undefined ? `The input did not match the regular expression ${util.inspect(expected)}. Input:\n\n${util.inspect(String(r.error))}\n` : m);
    return;
  }
  if (typeof expected === 'function') {
    if (expected.prototype !== undefined && r.error instanceof expected) return;
    if (Error.isPrototypeOf(expected) || expected === Error) throw r.error;
    if (expected.call({}, r.error) !== true) fail({ actual: r.error, expected, operator }, m === undefined ? `The ${expected.name ? `"${expected.name}" ` : ''}validation function is expected to return "true". Received ${util.inspect(expected.call({}, r.error))}` : m);
    return;
  }
  for (const key of Object.keys(expected).concat(expected instanceof Error ? ['name', 'message'] : [])) {
    const want = expected[key], got = r.error[key];
    if (want instanceof RegExp && typeof got === 'string' ? want.test(got) : util._equal(got, want, true, [])) continue;
    fail({ actual: r.error, expected, operator }, m === undefined ? `${heads.deepStrictEqual}\n+ actual - expected\n\n${diff([`  ${key}: ${util.inspect(got)}`], [`  ${key}: ${util.inspect(want)}`])}` : m);
  }
}
Object.assign(assert, methods, { AssertionError });
const strict = function strict(value, ...rest) { return ok(value, ...rest) };
Object.assign(strict, methods, { AssertionError, equal: methods.strictEqual, notEqual: methods.notStrictEqual, deepEqual: methods.deepStrictEqual, notDeepEqual: methods.notDeepStrictEqual });
strict.strict = strict;
assert.strict = strict;
module.exports = assert;
