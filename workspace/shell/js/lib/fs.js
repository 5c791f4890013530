
const path = require('path');
const types = { dir: 'isDirectory', link: 'isSymbolicLink', file: 'isFile' };

function name(p, argument = 'path') {
  if (typeof p === 'string') {
    if (p.includes('\0')) throw $.nodeError('TypeError', 'ERR_INVALID_ARG_VALUE', `The argument '${argument}' must be a string, Uint8Array, or URL without null bytes. Received ${$.inspect(p)}`);
    return p;
  }
  if (p instanceof URL) return require('url').fileURLToPath(p);
  if (p instanceof Uint8Array) return $.decode(p, 'utf8');
  throw $.nodeError('TypeError', 'ERR_INVALID_ARG_TYPE', `The "${argument}" argument must be of type string or an instance of Buffer or URL. Received ${$.received(p)}`);
}
function settings(options) {
  if (typeof options === 'string') return { encoding: options };
  return options === null || options === undefined ? {} : options;
}
function encoding(options) {
  const e = settings(options).encoding;
  if (e === undefined || e === null || e === 'buffer') return undefined;
  if (!$.encodingName(e)) throw $.nodeError('TypeError', 'ERR_INVALID_ARG_VALUE', `The argument 'encoding' is invalid encoding. Received ${$.inspect(e)}`);
  return e;
}
const buffer = (u8) => Buffer.from(u8.buffer, u8.byteOffset, u8.byteLength);

class Stats {
  constructor(s) {
    Object.assign(this, { dev: 1, mode: s.mode, nlink: 1, uid: 1000, gid: 1000, rdev: 0, blksize: 4096, ino: 1, size: s.size, blocks: Math.ceil(s.size / 512),
      atimeMs: s.mtimeMs, mtimeMs: s.mtimeMs, ctimeMs: s.mtimeMs, birthtimeMs: s.mtimeMs });
    for (const t of ['atime', 'mtime', 'ctime', 'birthtime']) this[t] = new Date(s.mtimeMs);
    Object.defineProperty(this, '_kind', { value: s.kind });
  }
}
class Dirent {
  constructor(name, kind, dir) {
    this.name = name;
    this.parentPath = dir;
    this.path = dir;
    Object.defineProperty(this, '_kind', { value: kind });
  }
}
for (const c of [Stats, Dirent]) {
  for (const method of ['isDirectory', 'isFile', 'isSymbolicLink', 'isBlockDevice', 'isCharacterDevice', 'isFIFO', 'isSocket']) {
    Object.defineProperty(c.prototype, method, {
      value: function () { return types[this._kind] === method || method === 'isCharacterDevice' && this._kind === 'other' }, writable: true, configurable: true,
    });
  }
}

function mode(m, otherwise) {
  if (m === undefined || m === null) return otherwise;
  return typeof m === 'string' ? parseInt(m, 8) : m;
}
const quietly = (f) => { try { return f() } catch (e) { if (e.code === 'ENOENT' || e.code === 'ENOTDIR') return undefined; throw e } };
const stat = (p, options, native) => {
  const get = () => new Stats(native(name(p)));
  return options && options.throwIfNoEntry === false ? quietly(get) : get();
};
const join = (a, b) => a.endsWith('/') ? a + b : a + '/' + b;

const sync = {
  readFile(p, options) {
    const e = encoding(options);
    const data = Number.isInteger(p) ? $.readRest(p) : $.readFile(name(p));
    return e === undefined ? buffer(data) : $.decode(data, e);
  },
  writeFile(p, data, options) {
    const o = settings(options);
    if (typeof data !== 'string' && !ArrayBuffer.isView(data)) throw $.nodeError('TypeError', 'ERR_INVALID_ARG_TYPE', `The "data" argument must be of type string or an instance of Buffer, TypedArray, or DataView. Received ${$.received(data)}`);
    const bytes = typeof data === 'string' ? $.encode(data, encoding(options) || 'utf8') : data;
    if (typeof p === 'number') $.writeTo(p, bytes, null); else $.writeFile(name(p), bytes, o.flag || 'w', mode(o.mode));
  },
  appendFile(p, data, options) { sync.writeFile(p, data, { ...settings(options), flag: settings(options).flag || 'a' }) },
  stat: (p, options) => stat(p, options, $.stat),
  lstat: (p, options) => stat(p, options, $.lstat),
  fstat: (fd) => new Stats($.fstat(fd)),
  access(p, m) { $.access(name(p), m === undefined ? 0 : m) },
  readdir(p, options) {
    const o = settings(options), root = name(p), out = [];
    const walk = (dir, prefix) => {
      const list = $.readDir(dir);
      const inner = [];
      for (let i = 0; i < list.length; i += 2) {
        const [n, kind] = [list[i], list[i + 1]];
        out.push(o.withFileTypes ? new Dirent(n, kind, dir) : prefix + n);
        if (o.recursive && kind === 'dir') inner.push(n);
      }
      return inner.map((n) => [join(dir, n), prefix + n + '/']);
    };
    const left = walk(root, '');
    while (left.length) left.push(...walk(...left.shift()));
    return o.encoding === 'buffer' ? out.map((n) => Buffer.from(n)) : out;
  },
  mkdir(p, options) {
    const o = typeof options === 'object' && options !== null ? options : { mode: options };
    const dir = name(p), m = mode(o.mode, 0o777);
    if (!o.recursive) { $.mkdir(dir, m); return undefined }
    let first;
    const make = (d) => {
      const s = quietly(() => $.stat(d));
      if (s) { if (s.kind !== 'dir') $.mkdir(d, m); return }
      const above = path.dirname(d);
      if (above !== d) make(above);
      $.mkdir(d, m);
      if (first === undefined) first = d;
    };
    make(path.resolve(dir));
    return first;
  },
  mkdtemp(prefix) {
    const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
    const p = name(prefix, 'prefix') + [...$.random(6)].map((x) => letters[x % letters.length]).join('');
    $.mkdir(p, 0o700);
    return p;
  },
  rm(p, options = {}) {
    const at = name(p);
    const s = options.force ? quietly(() => $.lstat(at)) : $.lstat(at);
    if (!s) return;
    if (s.kind !== 'dir') { $.unlink(at); return }
    if (!options.recursive) {
      const e = $.nodeError('Error', 'ERR_FS_EISDIR', `Path is a directory: rm returned EISDIR (is a directory) ${at}`);
      throw e;
    }
    const list = $.readDir(at);
    for (let i = 0; i < list.length; i += 2) sync.rm(join(at, list[i]), { recursive: true });
    $.rmdir(at);
  },
  rmdir(p, options) { if (options && options.recursive) sync.rm(p, { recursive: true }); else $.rmdir(name(p)) },
  unlink(p) { $.unlink(name(p)) },
  rename(a, b) { $.rename(name(a, 'oldPath'), name(b, 'newPath')) },
  copyFile(a, b, flags) {
    if (flags & 1 && exports.existsSync(b)) throw Object.assign(new Error(`EEXIST: file already exists, copyfile '${a}' -> '${b}'`), { errno: -17, code: 'EEXIST', syscall: 'copyfile', path: a, dest: b });
    $.copyFile(name(a, 'src'), name(b, 'dest'));
  },
  cp(a, b, options = {}) {
    const from = name(a, 'src'), to = name(b, 'dest'), s = options.dereference ? $.stat(from) : $.lstat(from);
    if (options.filter && !options.filter(from, to)) return;
    if (s.kind === 'dir') {
      if (!options.recursive) throw $.nodeError('Error', 'ERR_FS_EISDIR', `Recursive option not enabled, cannot copy a directory: ${from}`);
      sync.mkdir(to, { recursive: true });
      const list = $.readDir(from);
      for (let i = 0; i < list.length; i += 2) sync.cp(join(from, list[i]), join(to, list[i]), options);
      return;
    }
    if (exports.existsSync(to) && (options.force === false || options.errorOnExist)) {
      if (options.errorOnExist) throw $.nodeError('Error', 'ERR_FS_CP_EEXIST', `Target already exists: cp returned EEXIST (${to} already exists) ${to}`);
      return;
    }
    sync.mkdir(path.dirname(to), { recursive: true });
    if (s.kind === 'link') $.symlink($.readlink(from), to); else $.copyFile(from, to);
  },
  readlink(p) { return $.readlink(name(p)) },
  realpath(p) { return $.realpath(name(p)) },
  symlink(target, p) { $.symlink(name(target, 'target'), name(p)) },
  link(a, b) { $.copyFile(name(a, 'existingPath'), name(b, 'newPath')) },
  chmod(p, m) { $.chmod(name(p), mode(m)) },
  chown() {},
  utimes(p, a, m) { const s = (t) => t instanceof Date ? t.getTime() / 1000 : Number(t); $.utimes(name(p), s(a), s(m)) },
  truncate(p, n = 0) { $.truncate(name(p), n) },
  ftruncate(fd, n = 0) { $.ftruncate(fd, n) },
  open(p, flags = 'r', m) { return $.open(name(p), flags === undefined ? 'r' : flags, mode(m, 0o666)) },
  close(fd) { $.close(fd) },
  fsync() {},
  fdatasync() {},
  read(fd, b, offset, length, position) {
    if (offset !== null && typeof offset === 'object') ({ offset, length, position } = offset);
    offset = offset === undefined || offset === null ? 0 : offset;
    length = length === undefined || length === null ? b.byteLength - offset : length;
    return $.read(fd, new Uint8Array(b.buffer, b.byteOffset + offset, length), position === undefined ? null : position);
  },
  write(fd, data, offset, length, position) {
    if (typeof data === 'string') return $.writeTo(fd, $.encode(data, typeof length === 'string' ? length : 'utf8'), offset === undefined ? null : offset);
    offset = offset === undefined || offset === null ? 0 : offset;
    length = length === undefined || length === null ? data.byteLength - offset : length;
    return $.writeTo(fd, new Uint8Array(data.buffer, data.byteOffset + offset, length), position === undefined ? null : position);
  },
  opendir(p) {
    const list = sync.readdir(p, { withFileTypes: true });
    return {
      path: p, readSync: () => list.shift() || null, read: async () => list.shift() || null, closeSync() {}, close: async () => {},
      [Symbol.asyncIterator]() { return { next: async () => list.length ? { value: list.shift(), done: false } : { value: undefined, done: true } } },
    };
  },
};

exports.existsSync = (p) => { try { $.stat(name(p)); return true } catch { return false } };
exports.exists = (p, f) => { const found = exports.existsSync(p); $.poll(() => f(found)) };
exports.promises = {};
for (const method of Object.keys(sync)) {
  const f = sync[method];
  Object.defineProperty(f, 'name', { value: method + 'Sync' });
  exports[method + 'Sync'] = f;
  exports[method] = { [method](...args) {
    const done = args.pop();
    if (typeof done !== 'function') throw $.nodeError('TypeError', 'ERR_INVALID_ARG_TYPE', `The "cb" argument must be of type function. Received ${$.received(done)}`);
    let error = null, value;
    try { value = f(...args) } catch (e) { if (e.code && e.code.startsWith('ERR_INVALID')) throw e; error = e }
    $.poll(() => { if (error) done(error); else if (value === undefined) done(null); else if (method === 'read' || method === 'write') done(null, value, args[1]); else done(null, value) });
  } }[method];
  exports.promises[method] = { [method](...args) {
    return new Promise((resolve, reject) => {
      let error, failed = false, value;
      try { value = f(...args) } catch (e) { failed = true; error = e }
      $.poll(() => { if (failed) reject(error); else resolve(value) });
    });
  } }[method];
}
class FileHandle {
  constructor(fd) { this.fd = fd }
  async close() { sync.close(this.fd) }
  async readFile(options) { return sync.readFile(this.fd, options) }
  async writeFile(data, options) { return sync.writeFile(this.fd, data, options) }
  async appendFile(data, options) { return sync.writeFile(this.fd, data, options) }
  async write(data, ...rest) { return { bytesWritten: sync.write(this.fd, data, ...rest), buffer: data } }
  async read(b, ...rest) { return { bytesRead: sync.read(this.fd, b, ...rest), buffer: b } }
  async stat() { return sync.fstat(this.fd) }
  async truncate(n) { sync.ftruncate(this.fd, n) }
  async sync() {}
  readLines(options) { return require('readline').createInterface({ input: exports.createReadStream(null, { fd: this.fd }), ...options }) }
  createReadStream(options) { return exports.createReadStream(null, { ...options, fd: this.fd }) }
  createWriteStream(options) { return exports.createWriteStream(null, { ...options, fd: this.fd }) }
}
exports.promises.open = async (p, flags, m) => new FileHandle(sync.open(p, flags, m));
exports.promises.readdir = Object.assign(exports.promises.readdir, {});
exports.realpathSync.native = exports.realpathSync;
exports.Stats = Stats;
exports.Dirent = Dirent;
exports.constants = { F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1, COPYFILE_EXCL: 1, O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, S_IFMT: 61440, S_IFREG: 32768, S_IFDIR: 16384, S_IFLNK: 40960 };
Object.assign(exports, { F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1 });
exports.promises.constants = exports.constants;
exports.watch = exports.watchFile = () => { throw new Error('fs.watch is not available here: nothing else changes files while a program runs') };

exports.createReadStream = (p, options) => {
  const { Readable } = require('stream');
  const o = settings(options), step = o.highWaterMark || 65536;
  let fd = o.fd, left = o.end === undefined ? Infinity : o.end - (o.start || 0) + 1, at = o.start;
  const open = () => { if (fd === undefined) { fd = sync.open(p, o.flags || 'r', o.mode); s.fd = fd; s.emit('open', fd); s.emit('ready') } };
  const s = new Readable({
    encoding: o.encoding,
    highWaterMark: step,
    read() {
      $.poll(() => {
        if (s.destroyed) return;
        try {
          open();
          const b = Buffer.alloc(Math.min(step, left));
          const n = b.length === 0 ? 0 : sync.read(fd, b, 0, b.length, at === undefined ? null : at);
          if (at !== undefined) at += n;
          left -= n;
          s.bytesRead += n;
          if (n === 0 && fd > 2) sync.close(fd);
          s.push(n === 0 ? null : b.subarray(0, n));
        } catch (e) { s.destroy(e) }
      });
    },
  });
  s.path = p;
  s.bytesRead = 0;
  $.poll(() => { try { open() } catch (e) { s.destroy(e) } });
  s.close = (f) => { s.destroy(); if (f) process.nextTick(f) };
  return s;
};
exports.createWriteStream = (p, options) => {
  const { Writable } = require('stream');
  const o = settings(options);
  let fd = o.fd;
  const open = () => { if (fd === undefined) { fd = sync.open(p, o.flags || 'w', o.mode); s.fd = fd; s.emit('open', fd); s.emit('ready') } };
  const s = new Writable({
    decodeStrings: true,
    defaultEncoding: o.encoding,
    write(data, e, done) { $.poll(() => { try { open(); s.bytesWritten += sync.write(fd, data); } catch (error) { done(error); return } done() }) },
    final(done) { $.poll(() => { try { open(); if (fd > 2) sync.close(fd) } catch (error) { done(error); return } done() }) },
  });
  s.path = p;
  s.bytesWritten = 0;
  s.close = (f) => { if (f) s.once('close', f); s.end() };
  return s;
};
