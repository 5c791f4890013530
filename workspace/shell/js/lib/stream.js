
const EventEmitter = require('events');
const { StringDecoder } = require('string_decoder');

class Stream extends EventEmitter {
  pipe(to, options = {}) {
    this.on('data', (data) => { if (to.write(data) === false && this.pause) { this.pause(); to.once('drain', () => this.resume()) } });
    if (options.end !== false && !to._isStdio) this.on('end', () => to.end());
    to.emit('pipe', this);
    return to;
  }
}

// Readable flows when someone listens for data; else it is read by read() or as an iterator.
class Readable extends Stream {
  constructor(options = {}) {
    super();
    this._r = { queue: [], ended: false, endEmitted: false, flowing: null, reading: false, objectMode: !!(options.objectMode || options.readableObjectMode), decoder: null, scheduled: false, high: options.highWaterMark || (options.objectMode ? 16 : 16384) };
    Object.defineProperty(this, '_r', { enumerable: false });
    this.destroyed = false;
    this.readable = true;
    if (options.read) this._read = options.read;
    if (options.destroy) this._destroy = options.destroy;
    if (options.encoding) this.setEncoding(options.encoding);
  }
  _read() {}
  get readableEnded() { return this._r.endEmitted }
  get readableFlowing() { return this._r.flowing }
  get readableObjectMode() { return this._r.objectMode }
  get readableLength() { return this._r.queue.reduce((n, d) => n + (this._r.objectMode ? 1 : d.length), 0) }
  get readableEncoding() { return this._r.decoder ? this._r.decoder.encoding : null }
  setEncoding(encoding) {
    const r = this._r;
    r.decoder = new StringDecoder(encoding);
    r.queue = r.queue.map((d) => typeof d === 'string' ? d : r.decoder.write(d)).filter((d) => d.length);
    return this;
  }
  push(data, encoding) {
    const r = this._r;
    r.reading = false;
    if (r.ended) return false;
    if (data === null) {
      r.ended = true;
      if (r.decoder) { const rest = r.decoder.end(); if (rest) r.queue.push(rest) }
    } else if (!r.objectMode) {
      if (typeof data === 'string' && !r.decoder) data = Buffer.from(data, encoding);
      else if (typeof data !== 'string' && r.decoder) data = r.decoder.write(data);
      if (data.length > 0) r.queue.push(data);
    } else r.queue.push(data);
    schedule(this);
    return this.readableLength < r.high;
  }
  unshift(data) { this._r.queue.unshift(data); schedule(this) }
  on(event, listener) {
    super.on(event, listener);
    if (event === 'data' && this._r.flowing !== false) this.resume();
    if (event === 'readable') { this._r.wantsReadable = true; this._r.flowing = false; schedule(this) }
    return this;
  }
  resume() { if (this._r.flowing !== true) { this._r.flowing = true; schedule(this); process.nextTick(() => this.emit('resume')) } return this }
  pause() { if (this._r.flowing !== false) { this._r.flowing = false; this.emit('pause') } return this }
  isPaused() { return this._r.flowing === false }
  read(n) {
    const r = this._r;
    if (r.queue.length === 0) { fetch(this); if (r.queue.length === 0) { if (r.ended) schedule(this); return null } }
    let data;
    if (r.objectMode) data = r.queue.shift();
    else {
      const all = typeof r.queue[0] === 'string' ? r.queue.join('') : Buffer.concat(r.queue);
      if (n === undefined || n >= all.length && r.ended) { data = all; r.queue = [] }
      else if (n > all.length) { fetch(this); return null }
      else { data = all.slice(0, n); r.queue = n < all.length ? [all.slice(n)] : [] }
    }
    schedule(this);
    return data;
  }
  destroy(error) {
    if (this.destroyed) return this;
    this.destroyed = true;
    this.readable = false;
    const closed = (e) => process.nextTick(() => { if (e) this.emit('error', e); this.emit('close') });
    if (this._destroy) this._destroy(error || null, (e) => closed(e || error)); else closed(error);
    return this;
  }
  unpipe() { this.removeAllListeners('data'); this.pause(); return this }
  wrap() { return this }
  [Symbol.asyncIterator]() {
    const waiting = [];
    let failed, over = false;
    const serve = () => {
      while (waiting.length) {
        if (failed) { waiting.shift().reject(failed); continue }
        const data = over ? null : this._r.queue.length ? this._r.queue.shift() : null;
        if (data !== null) waiting.shift().resolve({ value: data, done: false });
        else if (over || this._r.ended || this.destroyed) { over = true; if (this._r.ended) process.nextTick(() => flow(this)); waiting.shift().resolve({ value: undefined, done: true }) }
        else { fetch(this); if (!this._r.queue.length && !this._r.ended) return }
      }
    };
    this._r.flowing = false;
    this._r.onPush = serve;
    this.once('error', (e) => { failed = e; serve() });
    this.once('close', () => serve());
    return {
      next: () => new Promise((resolve, reject) => { waiting.push({ resolve, reject }); serve() }),
      return: async () => { over = true; this.destroy(); return { value: undefined, done: true } },
      [Symbol.asyncIterator]() { return this },
    };
  }
  async toArray() { const out = [], it = this[Symbol.asyncIterator](); for (let r; !(r = await it.next()).done;) out.push(r.value); return out }
  async forEach(f) { for (const v of await this.toArray()) await f(v) }
  map(f) { const self = this; return Readable.from({ async *[Symbol.asyncIterator]() { for await (const v of self) yield await f(v) } }) }
  filter(f) { const self = this; return Readable.from({ async *[Symbol.asyncIterator]() { for await (const v of self) if (await f(v)) yield v } }) }
  static from(source, options) {
    const it = typeof source === 'string' || source instanceof Uint8Array ? [source][Symbol.iterator]() : source[Symbol.asyncIterator] ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
    let busy = false;
    const s = new Readable({ objectMode: true, ...options, read() {
      if (busy) return;
      busy = true;
      Promise.resolve().then(() => it.next()).then(async (r) => { const v = r.done ? null : await r.value; busy = false; s.push(v) }).catch((e) => s.destroy(e));
    } });
    return s;
  }
}
function fetch(s) {
  const r = s._r;
  if (r.reading || r.ended || s.destroyed) return;
  r.reading = true;
  s._read(r.high);
}
function schedule(s) {
  const r = s._r;
  if (r.onPush) r.onPush();
  if (r.scheduled) return;
  r.scheduled = true;
  process.nextTick(() => { r.scheduled = false; flow(s) });
}
function flow(s) {
  const r = s._r;
  if (s.destroyed) return;
  if (r.wantsReadable && (r.queue.length || r.ended) && !r.endEmitted) s.emit('readable');
  while (r.flowing && r.queue.length) s.emit('data', r.queue.shift());
  if (r.ended && r.queue.length === 0 && !r.endEmitted && (r.flowing !== null || r.onPush)) {
    r.endEmitted = true;
    s.readable = false;
    s.emit('end');
    if (s._w) { if (s._w.finished) s.destroy() } else { s.destroyed = true; process.nextTick(() => s.emit('close')) }
    return;
  }
  if ((r.flowing || r.wantsReadable && r.queue.length === 0 || r.onPush && r.queue.length === 0) && !r.ended) fetch(s);
}

function writableState(s, options) {
  Object.defineProperty(s, '_w', { value: { queue: [], busy: false, ended: false, finished: false, corked: 0, high: options.highWaterMark || (options.objectMode || options.writableObjectMode ? 16 : 16384), objectMode: !!(options.objectMode || options.writableObjectMode), decode: options.decodeStrings !== false, needDrain: false, encoding: options.defaultEncoding || 'utf8' } });
  s.writable = true;
  if (options.write) s._write = options.write;
  if (options.writev) s._writev = options.writev;
  if (options.final) s._final = options.final;
  if (options.destroy) s._destroy = options.destroy;
}
const writing = {
  write(data, encoding, done) {
    if (typeof encoding === 'function') { done = encoding; encoding = undefined }
    const w = this._w;
    if (w.ended) {
      const e = $.nodeError('Error', 'ERR_STREAM_WRITE_AFTER_END', 'write after end');
      process.nextTick(() => { if (done) done(e); this.emit('error', e) });
      return false;
    }
    if (!w.objectMode && typeof data !== 'string' && !(data instanceof Uint8Array)) throw $.nodeError('TypeError', 'ERR_INVALID_ARG_TYPE', `The "chunk" argument must be of type string or an instance of Buffer or Uint8Array. Received ${$.received(data)}`);
    encoding = encoding || w.encoding;
    if (typeof data === 'string' && w.decode && !w.objectMode) { data = Buffer.from(data, encoding); encoding = 'buffer' }
    w.queue.push({ data, encoding, done, size: w.objectMode ? 1 : data.length });
    const size = w.queue.reduce((n, q) => n + q.size, 0);
    work(this);
    const full = w.queue.length > 0 && size >= w.high;
    if (full) w.needDrain = true;
    return !full;
  },
  end(data, encoding, done) {
    if (typeof data === 'function') { done = data; data = undefined } else if (typeof encoding === 'function') { done = encoding; encoding = undefined }
    if (data !== undefined && data !== null) this.write(data, encoding);
    if (done) { if (this._w.finished) process.nextTick(done); else this.once('finish', done) }
    if (!this._w.ended) { this._w.ended = true; this.writable = false; work(this) }
    return this;
  },
  cork() { this._w.corked++ },
  uncork() { this._w.corked--; work(this) },
  setDefaultEncoding(e) { this._w.encoding = e; return this },
};
function work(s) {
  const w = s._w;
  if (w.busy || w.corked > 0 && !w.ended || s.destroyed) return;
  const q = w.queue.shift();
  if (q) {
    w.busy = true;
    let sync = true;
    s._write(q.data, q.encoding, (e) => {
      const after = () => {
        w.busy = false;
        if (e) { if (q.done) q.done(e); s.destroy(e); return }
        if (q.done) q.done(null);
        if (w.needDrain && w.queue.length === 0 && !w.ended) { w.needDrain = false; s.emit('drain') }
        work(s);
      };
      if (sync && (q.done || w.needDrain)) { w.busy = false; const d = q.done; if (d) process.nextTick(() => d(e || null)); if (w.needDrain && w.queue.length === 0) { w.needDrain = false; process.nextTick(() => s.emit('drain')) } if (e) { s.destroy(e); return } work(s) } else after();
    });
    sync = false;
    return;
  }
  if (!w.ended || w.finished) return;
  w.finished = true;
  const finish = (e) => {
    if (e) { s.destroy(e); return }
    process.nextTick(() => { s.emit('finish'); if (!s._r || s._r.endEmitted) { s.destroyed = true; process.nextTick(() => s.emit('close')) } });
  };
  if (s._final) s._final(finish); else finish();
}

class Writable extends Stream {
  constructor(options = {}) { super(); this.destroyed = false; writableState(this, options) }
  destroy(error) { return Readable.prototype.destroy.call(this, error) }
  get writableEnded() { return this._w.ended }
  get writableFinished() { return this._w.finished }
  get writableLength() { return this._w.queue.reduce((n, q) => n + q.size, 0) }
  get writableHighWaterMark() { return this._w.high }
  _write(data, encoding, done) { done() }
}
class Duplex extends Readable {
  constructor(options = {}) { super(options); writableState(this, options) }
  get writableEnded() { return this._w.ended }
  get writableFinished() { return this._w.finished }
  _write(data, encoding, done) { done() }
}
for (const c of [Writable, Duplex]) for (const k of Object.keys(writing)) Object.defineProperty(c.prototype, k, { value: writing[k], writable: true, configurable: true });

class Transform extends Duplex {
  constructor(options = {}) {
    super(options);
    if (options.transform) this._transform = options.transform;
    if (options.flush) this._flush = options.flush;
  }
  _transform(data, encoding, done) { done(null, data) }
  _write(data, encoding, done) {
    this._transform(data, encoding, (e, out) => { if (e) { done(e); return } if (out !== undefined && out !== null) this.push(out); done() });
  }
  _final(done) {
    if (!this._flush) { this.push(null); done(); return }
    this._flush((e, out) => { if (e) { done(e); return } if (out !== undefined && out !== null) this.push(out); this.push(null); done() });
  }
}
class PassThrough extends Transform {}

function finished(s, options, done) {
  if (typeof options === 'function') done = options;
  let called = false;
  const once = (e) => { if (!called) { called = true; done(e) } };
  s.on('error', once);
  if (s._w) s.on('finish', () => { if (!s._r || s._r.endEmitted || !(s instanceof Readable)) once() });
  if (s._r) s.on('end', () => once());
  s.on('close', () => once());
  return () => { called = true };
}
function pipeline(...parts) {
  const done = typeof parts[parts.length - 1] === 'function' && parts.length > 1 && !isStep(parts) ? parts.pop() : () => {};
  let called = false;
  const once = (e) => { if (!called) { called = true; if (e) for (const s of streams) if (s.destroy && !s._isStdio) s.destroy(); done(e) } };
  const streams = [];
  let at = parts[0];
  if (typeof at === 'function') at = at();
  if (!(at instanceof Stream)) at = Readable.from(at);
  streams.push(at);
  for (let i = 1; i < parts.length; i++) {
    let next = parts[i];
    if (typeof next === 'function') {
      const out = next(at);
      if (out && out.then) { out.then((v) => once(), once); return out }
      next = Readable.from(out);
    } else at.pipe(next);
    streams.push(next);
    at = next;
  }
  for (const s of streams) s.on('error', once);
  at.on(at._w ? 'finish' : 'end', () => once());
  if (at._isStdio) streams[streams.length - 2].on('end', () => once());
  return at;
}
const isStep = (parts) => parts[parts.length - 1].constructor.name.includes('Generator');
module.exports = Object.assign(Stream, { Stream, Readable, Writable, Duplex, Transform, PassThrough, finished, pipeline });
Object.defineProperty(module.exports, 'promises', { get: () => require('stream/promises') });
