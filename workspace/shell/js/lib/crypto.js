
const bytes = (v, encoding) => typeof v === 'string' ? $.encode(v, encoding || 'utf8') : v;
const names = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512', 'sha512-224', 'sha512-256'];
const wrap = (u8) => Buffer.from(u8.buffer, u8.byteOffset, u8.byteLength);
class Hash {
  #h; #done = false;
  constructor(h) { this.#h = h }
  update(data, encoding) {
    if (this.#done) throw $.nodeError('Error', 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
    if (typeof data !== 'string' && !ArrayBuffer.isView(data)) throw $.nodeError('TypeError', 'ERR_INVALID_ARG_TYPE', `The "data" argument must be of type string or an instance of Buffer, TypedArray, or DataView. Received ${$.received(data)}`);
    this.#h.update(bytes(data, encoding));
    return this;
  }
  digest(encoding) {
    if (this.#done) throw $.nodeError('Error', 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
    this.#done = true;
    const b = wrap(this.#h.digest());
    return encoding && encoding !== 'buffer' ? b.toString(encoding) : b;
  }
  copy() { return new Hash(this.#h.copy()) }
  write(data, encoding) { this.update(data, encoding); return true }
  end() {}
}
class Hmac extends Hash {}
function make(name, key) {
  const h = $.hash(String(name).toLowerCase().replace(/^rsa-|^sha-(?=\d)/, (s) => s === 'rsa-' ? '' : 'sha'), key);
  if (h !== null) return h;
  const e = new Error(key === undefined ? 'Digest method not supported' : `Invalid digest: ${name}`);
  if (key !== undefined) e.code = 'ERR_CRYPTO_INVALID_DIGEST';
  throw e;
}
exports.createHash = (name) => new Hash(make(name));
exports.createHmac = (name, key) => new Hmac(make(name, bytes(key)));
exports.hash = (name, data, encoding = 'hex') => exports.createHash(name).update(data).digest(encoding);
exports.getHashes = () => names.slice();
exports.randomBytes = (n, done) => {
  const b = wrap($.random(n));
  if (!done) return b;
  $.poll(() => done(null, b));
  return undefined;
};
exports.pseudoRandomBytes = exports.randomBytes;
exports.randomUUID = () => {
  const b = $.random(16);
  b[6] = b[6] & 15 | 64;
  b[8] = b[8] & 63 | 128;
  return $.decode(b, 'hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
};
exports.randomInt = (low, high, done) => {
  if (high === undefined || typeof high === 'function') { done = high; high = low; low = 0 }
  if (!Number.isSafeInteger(low) || !Number.isSafeInteger(high)) throw $.nodeError('TypeError', 'ERR_INVALID_ARG_TYPE', 'The "min" and "max" arguments must be safe integers');
  if (high <= low) throw $.nodeError('RangeError', 'ERR_OUT_OF_RANGE', `The value of "max" is out of range. It must be greater than the value of "min" (${low}). Received ${high}`);
  const n = low + Math.floor(Math.random() * (high - low));
  if (done) { $.poll(() => done(null, n)); return undefined }
  return n;
};
exports.randomFillSync = (b) => { b.set($.random(b.length)); return b };
exports.getRandomValues = (b) => { new Uint8Array(b.buffer, b.byteOffset, b.byteLength).set($.random(b.byteLength)); return b };
exports.timingSafeEqual = (a, b) => {
  if (a.byteLength !== b.byteLength) throw $.nodeError('RangeError', 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH', 'Input buffers must have the same byte length');
  return $.compare(a, b) === 0;
};
exports.pbkdf2Sync = (password, salt, rounds, length, name = 'sha1') => {
  const out = [];
  for (let block = 1; Buffer.concat(out).length < length; block++) {
    const index = Buffer.alloc(4);
    index.writeUInt32BE(block);
    let u = exports.createHmac(name, password).update(Buffer.concat([Buffer.from(salt), index])).digest();
    const t = Buffer.from(u);
    for (let i = 1; i < rounds; i++) {
      u = exports.createHmac(name, password).update(u).digest();
      for (let j = 0; j < t.length; j++) t[j] ^= u[j];
    }
    out.push(t);
  }
  return Buffer.concat(out).subarray(0, length);
};
exports.Hash = Hash;
exports.Hmac = Hmac;
exports.webcrypto = {
  randomUUID: exports.randomUUID,
  getRandomValues: exports.getRandomValues,
  subtle: { digest: async (name, data) => { const d = exports.createHash(String(name.name || name).replace('-', '').toLowerCase()).update(new Uint8Array(data.buffer || data)).digest(); return new Uint8Array(d).buffer } },
};
for (const name of ['createCipheriv', 'createDecipheriv', 'createSign', 'createVerify', 'generateKeyPairSync', 'scryptSync', 'createDiffieHellman']) {
  exports[name] = () => { throw new Error(`crypto.${name} is not available here: there are hashes and random values only`) };
}
