
// What rewritten sources call: async generators over plain ones, and the steps of for await.
class Awaited { constructor(value) { this.value = value } }
const Star = { used: false, value: undefined };
const delegate = { set v(value) { Star.used = true; Star.value = value } };

const AsyncIteratorPrototype = {};
Object.defineProperty(AsyncIteratorPrototype, Symbol.asyncIterator, { value: function () { return this }, writable: true, configurable: true });

const AsyncGeneratorPrototype = Object.create(AsyncIteratorPrototype);
Object.defineProperty(AsyncGeneratorPrototype, Symbol.toStringTag, { value: 'AsyncGenerator', configurable: true });

function hidden(target, methods) {
  for (const name of Object.keys(methods)) Object.defineProperty(target, name, { value: methods[name], writable: true, configurable: true });
}
const state = new WeakMap();
hidden(AsyncGeneratorPrototype, {
  next(value) { return request(this, 'next', value) },
  return(value) { return request(this, 'return', value) },
  throw(error) { return request(this, 'throw', error) },
});

function request(generator, how, value) {
  const s = state.get(generator);
  return new Promise((resolve, reject) => {
    s.queue.push({ how, value, resolve, reject });
    if (!s.running) advance(s);
  });
}

// advance serves the first request: it runs the generator until it yields or ends.
async function advance(s) {
  s.running = true;
  while (s.queue.length > 0) {
    const { how, value, resolve, reject } = s.queue[0];
    try { resolve(await step(s, how, value)) } catch (e) { s.done = true; reject(e) }
    s.queue.shift();
  }
  s.running = false;
}

async function step(s, how, value) {
  if (s.done) {
    if (how === 'throw') throw value;
    return { value: how === 'return' ? await value : undefined, done: true };
  }
  if (s.inner) return inner(s, how, value);
  if (how === 'return') value = await value;
  for (;;) {
    Star.used = false;
    const r = s.generator[how](value);
    const star = Star.used, source = Star.value;
    Star.used = false; Star.value = undefined;
    if (r.done) {
      s.done = true;
      return { value: await r.value, done: true };
    }
    if (r.value instanceof Awaited) {
      try { value = await r.value.value; how = 'next' } catch (e) { value = e; how = 'throw' }
      continue;
    }
    if (star) {
      s.inner = iterate(source);
      return inner(s, 'next', undefined);
    }
    try { return { value: await r.value, done: false } } catch (e) { value = e; how = 'throw' }
  }
}

// inner asks the iterator that yield* delegates to.
async function inner(s, how, value) {
  const it = s.inner;
  let r;
  try {
    if (how === 'next') r = await it.next(value);
    else if (it[how]) r = await it[how](value);
    else { s.inner = undefined; return step(s, how, value) }
  } catch (e) { s.inner = undefined; return step(s, 'throw', e) }
  if (!r.done) return { value: await r.value, done: false };
  s.inner = undefined;
  return step(s, how === 'return' ? 'return' : 'next', r.value);
}

function iterate(source) {
  const method = source[Symbol.asyncIterator];
  if (method != null) return method.call(source);
  if (source[Symbol.iterator] == null) throw new TypeError(`${typeof source === 'object' ? 'object' : String(source)} is not async iterable`);
  return source[Symbol.iterator]();
}

exports.__async__ = function (generator) {
  const o = Object.create(AsyncGeneratorPrototype);
  state.set(o, { generator, queue: [], running: false, done: false, inner: undefined });
  return o;
};
exports.__await__ = (value) => new Awaited(value);
exports.__delegate__ = delegate;

// The steps of for await: a plain iterator whose value gives the list of the one value that
// the inner loop runs for. The inner loop tells by its return that it was left early.
exports.__for_await__ = function (source) {
  const sync = source[Symbol.asyncIterator] == null;
  const it = iterate(source);
  let over = false, left = false;
  const stop = () => {
    if (!over) { over = true; const r = it.return && it.return(); if (r && r.then) r.then(() => {}, () => {}) }
  };
  const one = {
    async next() {
      const r = await it.next();
      if (r.done) { over = true; return [] }
      const value = sync ? await r.value : r.value;
      left = true;
      return {
        [Symbol.iterator]() {
          let given = false;
          return {
            next() {
              if (given) { left = false; return { value: undefined, done: true } }
              given = true;
              return { value, done: false };
            },
            return() { stop(); return {} },
          };
        },
      };
    },
  };
  return {
    [Symbol.iterator]() { return this },
    next() { return over ? { value: undefined, done: true } : { value: one, done: false } },
    return() { stop(); return {} },
  };
};

exports.WeakRef = class WeakRef {
  #target;
  constructor(target) { this.#target = target }
  deref() { return this.#target }
};
exports.FinalizationRegistry = class FinalizationRegistry { register() {} unregister() {} };
