
const aborted = (signal) => { const e = new Error('The operation was aborted'); e.name = 'AbortError'; e.code = 'ABORT_ERR'; if (signal.reason !== undefined) e.cause = signal.reason; return e };
exports.setTimeout = (ms, value, options) => new Promise((resolve, reject) => {
  const signal = options && options.signal;
  if (signal && signal.aborted) { reject(aborted(signal)); return }
  const t = setTimeout(() => resolve(value), ms);
  if (signal) signal.addEventListener('abort', () => { clearTimeout(t); reject(aborted(signal)) });
});
exports.setImmediate = (value) => new Promise((resolve) => setImmediate(resolve, value));
exports.setInterval = (ms, value) => {
  const waiting = [];
  let ready = 0;
  const t = setInterval(() => { if (waiting.length) waiting.shift()({ value, done: false }); else ready++ }, ms);
  return {
    next: () => new Promise((resolve) => { if (ready > 0) { ready--; resolve({ value, done: false }) } else waiting.push(resolve) }),
    return() { clearInterval(t); return Promise.resolve({ value: undefined, done: true }) },
    [Symbol.asyncIterator]() { return this },
  };
};
exports.scheduler = { wait: exports.setTimeout, yield: () => exports.setImmediate() };
