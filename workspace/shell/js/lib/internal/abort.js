
class DOMException extends Error {
  #name; #code;
  constructor(message = '', name = 'Error') {
    super(message);
    this.#name = typeof name === 'object' && name ? name.name || 'Error' : name;
    this.#code = { IndexSizeError: 1, NotFoundError: 8, NotSupportedError: 9, InvalidStateError: 11, SyntaxError: 12, InvalidCharacterError: 5, AbortError: 20, TimeoutError: 23, DataCloneError: 25 }[this.#name] || 0;
    Object.defineProperty(this, 'stack', { value: `${this.#name}: ${message}\n${$.frames()}`, writable: true, configurable: true });
  }
  get name() { return this.#name }
  get code() { return this.#code }
}
class Event {
  constructor(type, options = {}) { this.type = String(type); this.cancelable = !!options.cancelable; this.defaultPrevented = false; this.target = null; this.currentTarget = null; this.timeStamp = $.nanoseconds() / 1e6; this._stop = false; Object.defineProperty(this, '_stop', { enumerable: false, writable: true }) }
  preventDefault() { if (this.cancelable) this.defaultPrevented = true }
  stopPropagation() {}
  stopImmediatePropagation() { this._stop = true }
}
class EventTarget {
  #all = new Map();
  addEventListener(type, listener, options = {}) {
    const list = this.#all.get(type) || [];
    if (list.some((l) => l.listener === listener)) return;
    this.#all.set(type, [...list, { listener, once: !!(options && options.once) }]);
  }
  removeEventListener(type, listener) { this.#all.set(type, (this.#all.get(type) || []).filter((l) => l.listener !== listener)) }
  dispatchEvent(event) {
    event.target = event.currentTarget = this;
    if (typeof this['on' + event.type] === 'function') this['on' + event.type](event);
    for (const l of this.#all.get(event.type) || []) {
      if (l.once) this.removeEventListener(event.type, l.listener);
      if (typeof l.listener === 'function') l.listener.call(this, event); else l.listener.handleEvent(event);
      if (event._stop) break;
    }
    return !event.defaultPrevented;
  }
}
const key = {};
class AbortSignal extends EventTarget {
  constructor(k) { super(); if (k !== key) throw $.nodeError('TypeError', 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor'); this.aborted = false; this.reason = undefined; this.onabort = null }
  throwIfAborted() { if (this.aborted) throw this.reason }
  static abort(reason) { const s = new AbortSignal(key); abort(s, reason); return s }
  static timeout(ms) { const s = new AbortSignal(key); setTimeout(() => abort(s, new DOMException('The operation was aborted due to timeout', 'TimeoutError')), ms).unref(); return s }
  static any(list) { const s = new AbortSignal(key); for (const o of list) { if (o.aborted) { abort(s, o.reason); break } o.addEventListener('abort', () => abort(s, o.reason)) } return s }
}
function abort(s, reason) {
  if (s.aborted) return;
  s.aborted = true;
  s.reason = reason === undefined ? new DOMException('This operation was aborted', 'AbortError') : reason;
  s.dispatchEvent(new Event('abort'));
}
class AbortController {
  constructor() { Object.defineProperty(this, 'signal', { value: new AbortSignal(key), enumerable: true }) }
  abort(reason) { abort(this.signal, reason) }
}
Object.assign(exports, { DOMException, Event, EventTarget, AbortSignal, AbortController });
