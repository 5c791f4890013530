
const EventEmitter = require('events');
const { Readable, Writable } = require('stream');
const process = new EventEmitter();
const define = (name, value, enumerable = true) => Object.defineProperty(process, name, { value, writable: true, configurable: true, enumerable });

const proto = Object.create(EventEmitter.prototype, { [Symbol.toStringTag]: { value: 'process', configurable: true }, constructor: { value: function process() {}, writable: true, configurable: true } });
Object.setPrototypeOf(process, proto);
Object.assign(process, {
  version: $.version, versions: { node: $.version.slice(1), v8: '11.3.0' }, arch: 'x64', platform: 'linux', release: { name: 'node' },
  title: 'node', pid: 4242, ppid: 1, execPath: '/usr/bin/node', execArgv: [], argv: $.args, argv0: 'node', exitCode: undefined,
  features: {}, config: {}, debugPort: 0, env: environment($.env),
  cwd: () => $.dir,
  chdir() { throw new Error('process.chdir() is not available: use cd before the command') },
  exit: (code) => $.exit(code),
  abort: () => $.exit(134),
  kill() { throw new Error('process.kill() is not available') },
  nextTick(f, ...args) {
    if (typeof f !== 'function') throw $.nodeError('TypeError', 'ERR_INVALID_ARG_TYPE', `The "callback" argument must be of type function. Received ${$.received(f)}`);
    $.nextTick(f, ...args);
  },
  uptime: () => $.uptime(),
  hrtime: Object.assign((before) => {
    const n = $.nanoseconds();
    let s = Math.floor(n / 1e9), rest = n % 1e9;
    if (before) { s -= before[0]; rest -= before[1]; if (rest < 0) { s--; rest += 1e9 } }
    return [s, rest];
  }, { bigint: () => BigInt(Math.floor($.nanoseconds())) }),
  memoryUsage: Object.assign(() => ({ rss: 5e7, heapTotal: 2e7, heapUsed: 1e7, external: 1e6, arrayBuffers: 1e4 }), { rss: () => 5e7 }),
  cpuUsage: () => ({ user: Math.floor($.nanoseconds() / 1000), system: 0 }),
  resourceUsage: () => ({}),
  umask: () => 0o022,
  getuid: () => 1000, geteuid: () => 1000, getgid: () => 1000, getegid: () => 1000, getgroups: () => [1000],
  emitWarning(w, type) {
    const name = typeof w === 'object' && w.name || (typeof type === 'string' ? type : type && type.type) || 'Warning';
    $.write(2, `(node:4242) ${name}: ${w && w.message || w}\n(Use \`node --trace-warnings ...\` to show where the warning was created)\n`);
  },
  binding() { throw new Error('process.binding() is not available') },
});

// environment gives an object whose values are texts, as in Node.
function environment(from) {
  return new Proxy({ ...from }, {
    set(o, k, v) { if (typeof k === 'string') o[k] = String(v); return true },
    defineProperty(o, k, d) { return Reflect.defineProperty(o, k, 'value' in d ? { ...d, value: String(d.value) } : d) },
  });
}

function output(fd) {
  const s = new Writable({
    decodeStrings: false,
    write(data, encoding, done) { $.write(fd, typeof data === 'string' && encoding && encoding !== 'utf8' && encoding !== 'utf-8' ? $.encode(data, encoding) : data); done() },
  });
  s.fd = fd;
  s.isTTY = undefined;
  s._isStdio = true;
  s.destroy = () => s;
  s.getColorDepth = () => 1;
  s.hasColors = () => false;
  return s;
}
function lazily(name, make) {
  Object.defineProperty(process, name, { configurable: true, enumerable: true, get() { const v = make(); define(name, v); return v } });
}
lazily('stdout', () => output(1));
lazily('stderr', () => output(2));
lazily('stdin', () => {
  let wants = false;
  const s = new Readable({
    read() {
      if (wants) return;
      wants = true;
      $.readInput((data, error) => {
        wants = false;
        if (error) s.destroy(error); else s.push(data === null ? null : Buffer.from(data.buffer, data.byteOffset, data.byteLength));
      });
    },
  });
  const pause = s.pause;
  s.pause = function () { $.stopInput(); wants = false; return pause.call(this) };
  s.fd = 0;
  s.isTTY = undefined;
  s.setRawMode = () => s;
  s.ref = () => s;
  s.unref = () => { $.stopInput(); return s };
  return s;
});
module.exports = process;
