
const inspect = function inspect(value, options, depth, colors) {
  if (typeof options === 'boolean') options = { showHidden: options, depth: depth === undefined ? 2 : depth, colors };
  return $.inspect(value, options === undefined ? undefined : options);
};
inspect.custom = Symbol.for('nodejs.util.inspect.custom');
inspect.defaultOptions = { showHidden: false, depth: 2, colors: false, customInspect: true, showProxy: false, maxArrayLength: 100, maxStringLength: 10000, breakLength: 128, compact: 3, sorted: false, getters: false, numericSeparator: false };
inspect.colors = Object.assign(Object.create(null), { reset: [0, 0], bold: [1, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], blue: [34, 39] });
inspect.styles = Object.assign(Object.create(null), { number: 'yellow', string: 'green' });

const kind = $.kind;
const types = {
  isDate: (v) => kind(v) === 'Date', isRegExp: (v) => kind(v) === 'RegExp', isMap: (v) => kind(v) === 'Map', isSet: (v) => kind(v) === 'Set',
  isWeakMap: (v) => kind(v) === 'WeakMap', isWeakSet: (v) => kind(v) === 'WeakSet', isPromise: (v) => kind(v) === 'Promise', isProxy: (v) => kind(v) === 'Proxy',
  isNativeError: (v) => kind(v) === 'Error', isTypedArray: (v) => ArrayBuffer.isView(v) && kind(v) !== 'DataView', isArrayBufferView: (v) => ArrayBuffer.isView(v),
  isArrayBuffer: (v) => kind(v) === 'ArrayBuffer', isAnyArrayBuffer: (v) => kind(v) === 'ArrayBuffer', isDataView: (v) => kind(v) === 'DataView',
  isUint8Array: (v) => kind(v) === 'Uint8Array', isGeneratorObject: (v) => kind(v) === 'Generator',
  isAsyncFunction: (v) => typeof v === 'function' && Object.prototype.toString.call(v) === '[object AsyncFunction]',
  isGeneratorFunction: (v) => typeof v === 'function' && Object.prototype.toString.call(v) === '[object GeneratorFunction]',
  isBoxedPrimitive: (v) => ['Number', 'String', 'Boolean', 'Symbol', 'BigInt'].includes(kind(v)),
  isNumberObject: (v) => kind(v) === 'Number', isStringObject: (v) => kind(v) === 'String', isBooleanObject: (v) => kind(v) === 'Boolean',
  isArgumentsObject: (v) => kind(v) === 'Arguments', isMapIterator: (v) => kind(v) === 'Map Iterator', isSetIterator: (v) => kind(v) === 'Set Iterator',
};

const customPromisify = Symbol.for('nodejs.util.promisify.custom');
function promisify(f) {
  if (typeof f !== 'function') throw $.nodeError('TypeError', 'ERR_INVALID_ARG_TYPE', `The "original" argument must be of type function. Received ${$.received(f)}`);
  if (f[customPromisify]) return f[customPromisify];
  const p = function (...args) {
    return new Promise((resolve, reject) => { f.call(this, ...args, (e, v) => { if (e) reject(e); else resolve(v) }) });
  };
  Object.defineProperty(p, 'name', { value: f.name, configurable: true });
  return Object.setPrototypeOf(p, Object.getPrototypeOf(f));
}
promisify.custom = customPromisify;
Object.defineProperty(setTimeout, customPromisify, { value: (ms, v) => new Promise((resolve) => setTimeout(resolve, ms, v)) });
Object.defineProperty(setImmediate, customPromisify, { value: (v) => new Promise((resolve) => setImmediate(resolve, v)) });

// equal compares deeply. strict: types, prototypes and the sign of zero count, too.
function equal(a, b, strict, seen) {
  if (strict ? Object.is(a, b) : a == b || a !== a && b !== b) return true;
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return false;
  if (strict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  const k = kind(a);
  if (k !== kind(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  for (const [x, y] of seen) if (x === a && y === b) return true;
  seen = [...seen, [a, b]];
  switch (k) {
    case 'Date': if (!Object.is(a.getTime(), b.getTime())) return false; break;
    case 'RegExp': if (String(a) !== String(b) || a.lastIndex !== b.lastIndex) return false; break;
    case 'Error': if (a.message !== b.message || a.name !== b.name) return false; break;
    case 'Number': case 'String': case 'Boolean': case 'Symbol': case 'BigInt': if (!Object.is(a.valueOf(), b.valueOf())) return false; break;
    case 'ArrayBuffer': if ($.compare(new Uint8Array(a), new Uint8Array(b)) !== 0) return false; break;
    case 'Set': if (!sets(a, b, strict, seen)) return false; break;
    case 'Map': if (!maps(a, b, strict, seen)) return false; break;
    case 'WeakMap': case 'WeakSet': case 'Promise': return false;
    default:
      if (ArrayBuffer.isView(a)) {
        if (a.length !== b.length) return false;
        for (let i = 0; i < a.length; i++) if (!(strict ? Object.is(a[i], b[i]) : a[i] == b[i])) return false;
        return true;
      }
  }
  const x = Object.keys(a), y = Object.keys(b);
  if (x.length !== y.length || Array.isArray(a) && a.length !== b.length) return false;
  for (const key of x) if (!Object.prototype.hasOwnProperty.call(b, key) || !equal(a[key], b[key], strict, seen)) return false;
  if (strict) {
    const own = (o) => Object.getOwnPropertySymbols(o).filter((s) => Object.prototype.propertyIsEnumerable.call(o, s));
    const s = own(a), t = own(b);
    if (s.length !== t.length) return false;
    for (const key of s) if (!t.includes(key) || !equal(a[key], b[key], strict, seen)) return false;
  }
  return true;
}
function sets(a, b, strict, seen) {
  if (a.size !== b.size) return false;
  const left = [...b];
  for (const v of a) {
    let i = left.indexOf(v);
    if (i < 0) i = left.findIndex((w) => equal(v, w, strict, seen));
    if (i < 0) return false;
    left.splice(i, 1);
  }
  return true;
}
function maps(a, b, strict, seen) {
  if (a.size !== b.size) return false;
  for (const [k, v] of a) {
    if (b.has(k)) { if (!equal(v, b.get(k), strict, seen)) return false; continue }
    if (![...b].some(([l, w]) => equal(k, l, strict, seen) && equal(v, w, strict, seen))) return false;
  }
  return true;
}

module.exports = {
  inspect,
  format: $.format,
  formatWithOptions: (options, ...args) => $.format(...args),
  promisify,
  callbackify(f) {
    return function (...args) {
      const cb = args.pop();
      f.apply(this, args).then((v) => process.nextTick(cb, null, v), (e) => process.nextTick(cb, e || new Error('Promise was rejected with a falsy value')));
    };
  },
  deprecate: (f) => f,
  inherits(a, b) {
    Object.defineProperty(a, 'super_', { value: b, writable: true, configurable: true });
    Object.setPrototypeOf(a.prototype, b.prototype);
  },
  isDeepStrictEqual: (a, b) => equal(a, b, true, []),
  isArray: Array.isArray,
  types,
  stripVTControlCharacters: (s) => String(s).replace(/[\u001B\u009B][[\]()#;?]*(?:\d{1,4}(?:;\d{0,4})*)?[\dA-PR-TZcf-nq-uy=><~]/g, ''),
  toUSVString: (s) => $.decode($.encode(String(s), 'utf8'), 'utf8'),
  debuglog: () => Object.assign(() => {}, { enabled: false }),
  parseArgs,
  get TextEncoder() { return globalThis.TextEncoder },
  get TextDecoder() { return globalThis.TextDecoder },
};
module.exports.debug = module.exports.debuglog;
Object.defineProperty(module.exports, '_equal', { value: equal });

function parseArgs(config = {}) {
  const args = config.args || process.argv.slice(2), options = config.options || {};
  const strict = config.strict !== false, positional = config.allowPositionals === undefined ? !strict : config.allowPositionals;
  const values = Object.create(null), positionals = [];
  const fail = (code, message) => { throw $.nodeError('TypeError', code, message) };
  const store = (name, shown, value) => {
    const o = options[name];
    if (!o && strict) fail('ERR_PARSE_ARGS_UNKNOWN_OPTION', `Unknown option '${shown}'`);
    if (strict && o.type === 'string' && value === undefined) fail('ERR_PARSE_ARGS_INVALID_OPTION_VALUE', `Option '${o.short ? `-${o.short}, ` : ''}--${name} <value>' argument missing`);
    if (strict && o.type === 'boolean' && typeof value === 'string') fail('ERR_PARSE_ARGS_INVALID_OPTION_VALUE', `Option '${o.short ? `-${o.short}, ` : ''}--${name}' does not take an argument`);
    const v = value === undefined ? true : value;
    if (o && o.multiple) (values[name] = values[name] || []).push(v); else values[name] = v;
  };
  for (let i = 0; i < args.length; i++) {
    const a = args[i];
    const next = (name) => options[name] && options[name].type === 'string' && i + 1 < args.length ? args[++i] : undefined;
    if (a === '--') { positionals.push(...args.slice(i + 1)); break }
    if (a.startsWith('--')) {
      const at = a.indexOf('=');
      let name = at < 0 ? a.slice(2) : a.slice(2, at);
      if (config.allowNegative && at < 0 && name.startsWith('no-') && options[name.slice(3)]) { values[name.slice(3)] = false; continue }
      store(name, `--${name}`, at < 0 ? next(name) : a.slice(at + 1));
    } else if (a.length > 1 && a[0] === '-') {
      for (let j = 1; j < a.length; j++) {
        const name = Object.keys(options).find((k) => options[k].short === a[j]) || a[j];
        if (options[name] && options[name].type === 'string' && j + 1 < a.length) { store(name, `-${a[j]}`, a.slice(j + 1)); break }
        store(name, `-${a[j]}`, next(name));
      }
    } else {
      if (!positional) fail('ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL', `Unexpected argument '${a}'. This command does not take positional arguments`);
      positionals.push(a);
    }
  }
  for (const name of Object.keys(options)) if (options[name].default !== undefined && values[name] === undefined) values[name] = options[name].default;
  return { values, positionals };
}
