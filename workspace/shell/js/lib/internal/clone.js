
const refuse = (v) => { throw new DOMException(`${typeof v === 'function' ? String(v) : typeof v === 'symbol' ? String(v) : '#<' + $.constructorName(v) + '>'} could not be cloned.`, 'DataCloneError') };
const errors = { Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError };
exports.structuredClone = function structuredClone(value) {
  if (arguments.length === 0) throw $.nodeError('TypeError', 'ERR_MISSING_ARGS', 'The "value" argument must be specified');
  return clone(value, new Map(), 0);
};
function clone(v, seen, depth) {
  if (typeof v === 'function' || typeof v === 'symbol') refuse(v);
  if (v === null || typeof v !== 'object') return v;
  if (seen.has(v)) return seen.get(v);
  if (depth > 2000) throw new RangeError('Maximum call stack size exceeded');
  const keep = (o) => { seen.set(v, o); return o };
  const deep = (x) => clone(x, seen, depth + 1);
  const kind = $.kind(v);
  switch (kind) {
    case 'Date': return keep(new Date(v.getTime()));
    case 'RegExp': return keep(new RegExp(v.source, v.flags));
    case 'Number': case 'String': case 'Boolean': case 'BigInt': return keep(Object(v.valueOf()));
    case 'ArrayBuffer': return keep(v.slice(0));
    case 'Map': { const m = keep(new Map()); for (const [k, w] of v) m.set(deep(k), deep(w)); return m }
    case 'Set': { const s = keep(new Set()); for (const w of v) s.add(deep(w)); return s }
    case 'Error': {
      const C = errors[v.name] || Error, e = keep(new C(v.message));
      if (typeof v.stack === 'string') Object.defineProperty(e, 'stack', { value: v.stack, writable: true, configurable: true });
      if ('cause' in v) Object.defineProperty(e, 'cause', { value: deep(v.cause), writable: true, configurable: true });
      return e;
    }
    case 'Array': { const a = keep(new Array(v.length)); for (const k of Object.keys(v)) a[k] = deep(v[k]); return a }
    case 'Promise': case 'WeakMap': case 'WeakSet': case 'Symbol': case 'Proxy': case 'Generator': refuse(v);
  }
  if (ArrayBuffer.isView(v)) {
    const buffer = deep(v.buffer);
    if (v instanceof DataView) return keep(new DataView(buffer, v.byteOffset, v.byteLength));
    const C = globalThis[kind] || Uint8Array;
    return keep(new C(buffer, v.byteOffset, v.length));
  }
  const o = keep({});
  for (const k of Object.keys(v)) o[k] = deep(v[k]);
  return o;
}
