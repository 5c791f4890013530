
const custom = Symbol.for('nodejs.util.inspect.custom');
function encodingOf(encoding) {
  if (encoding === undefined || encoding === null) return 'utf8';
  const name = $.encodingName(String(encoding));
  if (!name) throw $.nodeError('TypeError', 'ERR_UNKNOWN_ENCODING', `Unknown encoding: ${encoding}`);
  return name;
}
const over = (u8) => Object.setPrototypeOf(u8, Buffer.prototype);
const range = (name, bounds, got) => $.nodeError('RangeError', 'ERR_OUT_OF_RANGE', `The value of "${name}" is out of range. It must be ${bounds}. Received ${number(got)}`);
const number = (n) => typeof n === 'number' && Number.isInteger(n) && Math.abs(n) > 2 ** 32 ? String(n).replace(/(?<=\d)(?=(\d{3})+$)/g, '_') : typeof n === 'bigint' ? `${String(n).replace(/(?<=\d)(?=(\d{3})+$)/g, '_')}n` : String(n);
function size(n, name = 'size') {
  if (typeof n !== 'number') throw $.nodeError('TypeError', 'ERR_INVALID_ARG_TYPE', `The "${name}" argument must be of type number. Received ${$.received(n)}`);
  if (!(n >= 0 && n <= 4294967296)) throw range(name, '>= 0 && <= 4294967296', n);
}

class Buffer extends Uint8Array {
  static from(value, a, b) {
    if (typeof value === 'string') return over($.encode(value, encodingOf(a)));
    if (value instanceof ArrayBuffer) return over(new Uint8Array(value, a, b));
    if (value !== null && typeof value === 'object') {
      if (ArrayBuffer.isView(value)) return over(new Uint8Array(Array.prototype.slice.call(value)));
      if (value.type === 'Buffer' && Array.isArray(value.data)) return over(new Uint8Array(value.data));
      const primitive = value.valueOf && value.valueOf();
      if (primitive !== null && primitive !== undefined && primitive !== value && (typeof primitive === 'string' || typeof primitive === 'object')) return Buffer.from(primitive, a, b);
      if (value.length !== undefined || value[Symbol.iterator]) return over(new Uint8Array(Array.from(value, (x) => Number(x) & 255)));
    }
    throw $.nodeError('TypeError', 'ERR_INVALID_ARG_TYPE', `The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object. Received ${$.received(value)}`);
  }
  static alloc(n, fill, encoding) { size(n); const b = over(new Uint8Array(n)); return fill === undefined || fill === 0 || n === 0 ? b : b.fill(fill, encoding) }
  static allocUnsafe(n) { size(n); return over(new Uint8Array(n)) }
  static allocUnsafeSlow(n) { size(n); return over(new Uint8Array(n)) }
  static isBuffer(b) { return b instanceof Buffer }
  static isEncoding(e) { return typeof e === 'string' && e !== '' && $.encodingName(e) !== '' }
  static byteLength(v, encoding) {
    if (typeof v === 'string') return $.byteLength(v, $.encodingName(String(encoding === undefined ? 'utf8' : encoding)) || 'utf8');
    if (v instanceof ArrayBuffer || ArrayBuffer.isView(v)) return v.byteLength;
    throw $.nodeError('TypeError', 'ERR_INVALID_ARG_TYPE', `The "string" argument must be of type string or an instance of Buffer or ArrayBuffer. Received ${$.received(v)}`);
  }
  static compare(a, b) { return $.compare(a, b) }
  static concat(list, length) {
    if (!Array.isArray(list)) throw $.nodeError('TypeError', 'ERR_INVALID_ARG_TYPE', `The "list" argument must be an instance of Array. Received ${$.received(list)}`);
    const n = length === undefined ? list.reduce((s, b) => s + b.length, 0) : length;
    const out = Buffer.alloc(n);
    let at = 0;
    for (const b of list) {
      const part = at + b.length > n ? b.subarray(0, n - at) : b;
      out.set(part, at);
      at += part.length;
    }
    return out;
  }
  get parent() { return this.buffer }
  get offset() { return this.byteOffset }
  toString(encoding, start = 0, end = this.length) {
    const name = encodingOf(encoding);
    start = Math.max(0, start | 0); end = Math.min(this.length, end);
    if (end <= start) return '';
    return $.decode(start === 0 && end === this.length ? this : Uint8Array.prototype.subarray.call(this, start, end), name);
  }
  toLocaleString(encoding) { return this.toString(encoding) }
  toJSON() { return { type: 'Buffer', data: Array.from(this) } }
  equals(other) {
    if (!(other instanceof Uint8Array)) throw $.nodeError('TypeError', 'ERR_INVALID_ARG_TYPE', `The "otherBuffer" argument must be an instance of Buffer or Uint8Array. Received ${$.received(other)}`);
    return $.compare(this, other) === 0;
  }
  compare(other, from = 0, to = other.length, start = 0, end = this.length) { return $.compare(this.subarray(start, end), other.subarray(from, to)) }
  subarray(start, end) { return over(new Uint8Array(this.buffer, ...clip(this, start, end))) }
  slice(start, end) { return this.subarray(start, end) }
  indexOf(value, from, encoding) { return find(this, value, from, encoding, false) }
  lastIndexOf(value, from, encoding) { return find(this, value, from, encoding, true) }
  includes(value, from, encoding) { return this.indexOf(value, from, encoding) >= 0 }
  fill(value, start, end, encoding) {
    if (typeof start === 'string') { encoding = start; start = 0; end = this.length } else if (typeof end === 'string') { encoding = end; end = this.length }
    start = start === undefined ? 0 : start; end = end === undefined ? this.length : end;
    if (typeof value === 'number' || typeof value === 'boolean') { Uint8Array.prototype.fill.call(this, Number(value) & 255, start, end); return this }
    const bytes = typeof value === 'string' ? $.encode(value, encodingOf(encoding)) : value;
    if (bytes.length === 0) { Uint8Array.prototype.fill.call(this, 0, start, end); return this }
    for (let i = start; i < end; i++) this[i] = bytes[(i - start) % bytes.length];
    return this;
  }
  write(string, offset, length, encoding) {
    if (typeof offset === 'string') { encoding = offset; offset = 0; length = undefined } else if (typeof length === 'string') { encoding = length; length = undefined }
    offset = offset === undefined ? 0 : offset;
    const room = Math.min(this.length - offset, length === undefined ? Infinity : length);
    let bytes = $.encode(string, encodingOf(encoding));
    if (bytes.length > room) {
      bytes = bytes.subarray(0, room);
      if (encodingOf(encoding) === 'utf8') bytes = bytes.subarray(0, bytes.length - $.incomplete(bytes));
    }
    this.set(bytes, offset);
    return bytes.length;
  }
  copy(target, to = 0, start = 0, end = this.length) {
    const part = Uint8Array.prototype.subarray.call(this, start, Math.min(end, start + target.length - to));
    target.set(part, to);
    return part.length;
  }
  swap16() { return swap(this, 2) }
  swap32() { return swap(this, 4) }
  swap64() { return swap(this, 8) }
  [custom](depth, options, inspect) {
    const shown = Math.min(50, this.length), left = this.length - shown;
    let text = $.decode(Uint8Array.prototype.subarray.call(this, 0, shown), 'hex').replace(/(.{2})(?=.)/g, '$1 ');
    if (left > 0) text += ` ... ${left} more byte${left > 1 ? 's' : ''}`;
    return `<${this.constructor.name}${text ? ' ' + text : ' '}>`;
  }
}
function clip(b, start, end) {
  const at = (v, otherwise) => { v = v === undefined ? otherwise : Math.trunc(Number(v)) || 0; return v < 0 ? Math.max(0, b.length + v) : Math.min(v, b.length) };
  const from = at(start, 0), to = at(end, b.length);
  return [b.byteOffset + from, Math.max(0, to - from)];
}
function find(b, value, from, encoding, last) {
  if (typeof from === 'string') { encoding = from; from = undefined }
  if (typeof value === 'number') {
    const f = last ? Uint8Array.prototype.lastIndexOf : Uint8Array.prototype.indexOf;
    return from === undefined ? f.call(b, value & 255) : f.call(b, value & 255, from);
  }
  const bytes = typeof value === 'string' ? $.encode(value, encodingOf(encoding)) : value;
  if (!ArrayBuffer.isView(bytes)) throw $.nodeError('TypeError', 'ERR_INVALID_ARG_TYPE', `The "value" argument must be one of type number or string or an instance of Buffer or Uint8Array. Received ${$.received(value)}`);
  if (last) return $.lastIndexOf(from === undefined ? b : b.subarray(0, from + bytes.length), bytes);
  from = from === undefined ? 0 : from < 0 ? Math.max(0, b.length + from) : from;
  return $.indexOf(b, bytes, from);
}
function swap(b, n) {
  if (b.length % n) throw $.nodeError('RangeError', 'ERR_INVALID_BUFFER_SIZE', `Buffer size must be a multiple of ${n * 8}-bits`);
  for (let i = 0; i < b.length; i += n) Uint8Array.prototype.subarray.call(b, i, i + n).reverse();
  return b;
}

// The numbers: readUInt16LE and so on, over a DataView.
const hidden = (name, f) => {
  Object.defineProperty(f, 'name', { value: name });
  Object.defineProperty(Buffer.prototype, name, { value: f, writable: true, configurable: true });
};
const viewOf = (b) => new DataView(b.buffer, b.byteOffset, b.byteLength);
function place(b, offset, n) {
  offset = offset === undefined ? 0 : offset;
  if (typeof offset !== 'number') throw $.nodeError('TypeError', 'ERR_INVALID_ARG_TYPE', `The "offset" argument must be of type number. Received ${$.received(offset)}`);
  if (b.length < n) throw $.nodeError('RangeError', 'ERR_BUFFER_OUT_OF_BOUNDS', 'Attempt to access memory outside buffer bounds');
  if (!Number.isInteger(offset)) throw $.nodeError('RangeError', 'ERR_OUT_OF_RANGE', `The value of "offset" is out of range. It must be an integer. Received ${offset}`);
  if (offset < 0 || offset + n > b.length) throw range('offset', `>= 0 and <= ${b.length - n}`, offset);
  return offset;
}
const kinds = [['UInt8', 'Uint8', 1], ['Int8', 'Int8', 1], ['UInt16', 'Uint16', 2], ['Int16', 'Int16', 2], ['UInt32', 'Uint32', 4], ['Int32', 'Int32', 4], ['Float', 'Float32', 4], ['Double', 'Float64', 8], ['BigInt64', 'BigInt64', 8], ['BigUInt64', 'BigUint64', 8]];
for (const [name, method, n] of kinds) {
  for (const end of n === 1 ? [''] : ['LE', 'BE']) {
    const little = end === 'LE';
    const read = function (offset) { offset = place(this, offset, n); return viewOf(this)['get' + method](offset, little) };
    const write = function (value, offset) {
      checkValue(name, n, value);
      offset = place(this, offset, n);
      viewOf(this)['set' + method](offset, value, little);
      return offset + n;
    };
    hidden(`read${name}${end}`, read);
    hidden(`write${name}${end}`, write);
    if (name.includes('UInt')) {
      Object.defineProperty(Buffer.prototype, `read${name.replace('UInt', 'Uint')}${end}`, { value: read, writable: true, configurable: true });
      Object.defineProperty(Buffer.prototype, `write${name.replace('UInt', 'Uint')}${end}`, { value: write, writable: true, configurable: true });
    }
  }
}
function checkValue(name, n, value) {
  if (name === 'Float' || name === 'Double') return;
  const big = name.startsWith('Big'), one = big ? 1n : 1, two = big ? 2n : 2, bits = big ? 64n : n * 8;
  const signed = !name.includes('UInt');
  const low = signed ? -(two ** (bits - one)) : big ? 0n : 0, high = signed ? two ** (bits - one) - one : two ** bits - one;
  if (value < low || value > high) {
    const bounds = signed ? `>= -(2${big ? 'n' : ''} ** ${bits - one}${big ? 'n' : ''}) and < 2${big ? 'n' : ''} ** ${bits - one}${big ? 'n' : ''}` : `>= 0${big ? 'n' : ''} and < 2${big ? 'n' : ''} ** ${bits}${big ? 'n' : ''}`;
    throw range('value', n <= 4 && !big ? `>= ${low} and <= ${high}` : bounds, value);
  }
}
for (const end of ['LE', 'BE']) {
  const bytes = (b, offset, n) => {
    const part = Array.from(Uint8Array.prototype.subarray.call(b, offset, offset + n));
    return end === 'LE' ? part.reverse() : part;
  };
  hidden(`readUInt${end}`, function (offset, n) { place(this, offset, n); return bytes(this, offset, n).reduce((v, x) => v * 256 + x, 0) });
  hidden(`readInt${end}`, function (offset, n) {
    place(this, offset, n);
    const v = bytes(this, offset, n).reduce((s, x) => s * 256 + x, 0);
    return v >= 2 ** (8 * n - 1) ? v - 2 ** (8 * n) : v;
  });
  const write = function (value, offset, n) {
    place(this, offset, n);
    let v = value < 0 ? value + 2 ** (8 * n) : value;
    for (let i = 0; i < n; i++) { this[end === 'LE' ? offset + i : offset + n - 1 - i] = v % 256; v = Math.floor(v / 256) }
    return offset + n;
  };
  hidden(`writeUInt${end}`, write);
  hidden(`writeInt${end}`, function (value, offset, n) { return write.call(this, value, offset, n) });
}
Buffer.poolSize = 8192;

// Buffer(…) without new is old, and still written.
function Callable(value, a, b) { return typeof value === 'number' ? Buffer.alloc(value) : Buffer.from(value, a, b) }
Object.setPrototypeOf(Callable, Uint8Array);
for (const name of Object.getOwnPropertyNames(Buffer)) {
  if (!['prototype', 'name', 'length'].includes(name)) Object.defineProperty(Callable, name, Object.getOwnPropertyDescriptor(Buffer, name));
}
Callable.prototype = Buffer.prototype;
Object.defineProperty(Callable, 'name', { value: 'Buffer' });
Object.defineProperty(Buffer.prototype, 'constructor', { value: Callable, writable: true, configurable: true });

class Blob {
  #data;
  constructor(parts = [], options = {}) {
    this.#data = Buffer.concat(parts.map((p) => p instanceof Blob ? p.#data : Buffer.from(p)));
    this.type = options.type || '';
  }
  get size() { return this.#data.length }
  async text() { return this.#data.toString() }
  async arrayBuffer() { return new Uint8Array(this.#data).buffer }
  slice(a, b, type) { return new Blob([this.#data.subarray(a, b)], { type }) }
}
const invalid = (message) => new DOMException(message, 'InvalidCharacterError');
exports.Buffer = Callable;
exports.Blob = Blob;
exports.kMaxLength = 4294967296;
exports.constants = { MAX_LENGTH: 4294967296, MAX_STRING_LENGTH: 536870888 };
exports.INSPECT_MAX_BYTES = 50;
exports.isUtf8 = (b) => $.validUTF8(b);
exports.atob = function atob(s) {
  const text = String(s).replace(/[\t\n\f\r ]/g, '');
  if (/[^A-Za-z0-9+/=]/.test(text)) throw invalid('Invalid character');
  if (text.replace(/={1,2}$/, '').length % 4 === 1) throw invalid('The string to be decoded is not correctly encoded.');
  return $.decode($.encode(text, 'base64'), 'latin1');
};
exports.btoa = function btoa(s) {
  const text = String(s);
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 255) throw invalid('Invalid character');
  return $.decode($.encode(text, 'latin1'), 'base64');
};
