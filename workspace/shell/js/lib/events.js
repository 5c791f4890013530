
class EventEmitter {
  constructor() { init(this) }
  setMaxListeners(n) { this._maxListeners = n; return this }
  getMaxListeners() { return this._maxListeners === undefined ? EventEmitter.defaultMaxListeners : this._maxListeners }
  emit(event, ...args) {
    const list = table(this).get(event);
    if (list === undefined || list.length === 0) {
      if (event !== 'error') return false;
      const e = args[0];
      if (e instanceof Error) throw e;
      const unhandled = new Error(`Unhandled error. (${$.inspect(e)})`);
      unhandled.code = 'ERR_UNHANDLED_ERROR';
      unhandled.context = e;
      throw unhandled;
    }
    for (const l of list.slice()) l.call(this, ...args);
    return true;
  }
  on(event, listener) { return add(this, event, listener, false) }
  prependListener(event, listener) { return add(this, event, listener, true) }
  once(event, listener) { check(listener); return add(this, event, onceOf(this, event, listener), false) }
  prependOnceListener(event, listener) { check(listener); return add(this, event, onceOf(this, event, listener), true) }
  off(event, listener) {
    check(listener);
    const list = table(this).get(event);
    if (!list) return this;
    for (let i = list.length - 1; i >= 0; i--) {
      if (list[i] === listener || list[i].listener === listener) {
        const rest = list.slice();
        rest.splice(i, 1);
        if (rest.length) table(this).set(event, rest); else table(this).delete(event);
        if (table(this).has('removeListener')) this.emit('removeListener', event, list[i].listener || listener);
        break;
      }
    }
    return this;
  }
  removeAllListeners(event) {
    if (event === undefined) table(this).clear(); else table(this).delete(event);
    return this;
  }
  listeners(event) { return (table(this).get(event) || []).map((l) => l.listener || l) }
  rawListeners(event) { return (table(this).get(event) || []).slice() }
  listenerCount(event) { return (table(this).get(event) || []).length }
  eventNames() { return [...table(this).keys()] }
}
const tables = new WeakMap();
function table(e) {
  let t = tables.get(e);
  if (!t) tables.set(e, t = new Map());
  return t;
}
function init(e) {
  for (const [name, value] of [['_events', Object.create(null)], ['_eventsCount', 0], ['_maxListeners', undefined]]) {
    Object.defineProperty(e, name, { value, writable: true, configurable: true, enumerable: true });
  }
}
function check(listener) {
  if (typeof listener !== 'function') throw $.nodeError('TypeError', 'ERR_INVALID_ARG_TYPE', `The "listener" argument must be of type function. Received ${$.received(listener)}`);
}
function add(e, event, listener, first) {
  check(listener);
  const t = table(e);
  if (t.has('newListener')) e.emit('newListener', event, listener.listener || listener);
  const list = (t.get(event) || []).slice();
  if (first) list.unshift(listener); else list.push(listener);
  t.set(event, list);
  return e;
}
function onceOf(e, event, listener) {
  let fired = false;
  const f = function (...args) {
    if (fired) return undefined;
    fired = true;
    e.off(event, f);
    return listener.apply(e, args);
  };
  f.listener = listener;
  return f;
}
Object.defineProperty(EventEmitter.prototype, 'addListener', { value: EventEmitter.prototype.on, writable: true, configurable: true });
Object.defineProperty(EventEmitter.prototype, 'removeListener', { value: EventEmitter.prototype.off, writable: true, configurable: true });

// Node's emitter is a plain function, which old programs call on their own objects.
function Callable(...args) {
  if (new.target) return Reflect.construct(EventEmitter, args, new.target);
  init(this);
  return undefined;
}
Callable.prototype = EventEmitter.prototype;
Object.defineProperty(EventEmitter.prototype, 'constructor', { value: Callable, writable: true, configurable: true });
Object.defineProperty(Callable, 'name', { value: 'EventEmitter' });
EventEmitter.defaultMaxListeners = 10;
Callable.defaultMaxListeners = 10;
Callable.EventEmitter = Callable;
Callable.once = (emitter, event, options) => new Promise((resolve, reject) => {
  const done = (...args) => { emitter.off('error', failed); resolve(args) };
  const failed = (e) => { emitter.off(event, done); reject(e) };
  emitter.once(event, done);
  if (event !== 'error') emitter.once('error', failed);
});
Callable.on = (emitter, event) => {
  const ready = [], waiting = [];
  let failed;
  const got = (...args) => { if (waiting.length) waiting.shift().resolve({ value: args, done: false }); else ready.push(args) };
  const error = (e) => { if (waiting.length) waiting.shift().reject(e); else failed = e };
  emitter.on(event, got);
  emitter.on('error', error);
  return {
    next() {
      if (ready.length) return Promise.resolve({ value: ready.shift(), done: false });
      if (failed) { const e = failed; failed = undefined; return Promise.reject(e) }
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
    return() { emitter.off(event, got); emitter.off('error', error); return Promise.resolve({ value: undefined, done: true }) },
    [Symbol.asyncIterator]() { return this },
  };
};
Callable.listenerCount = (emitter, event) => emitter.listenerCount(event);
module.exports = Callable;
