
const custom = Symbol.for('nodejs.util.inspect.custom');
const plus = (s) => encodeURIComponent(s.toWellFormed ? s : s).replace(/[!'()~]/g, (c) => '%' + c.charCodeAt(0).toString(16).toUpperCase()).replace(/%20/g, '+');
const unplus = (s) => { s = s.replace(/\+/g, ' '); try { return decodeURIComponent(s) } catch { return s.replace(/(%[0-9a-f]{2})+/gi, (m) => $.decode($.encode(m.replace(/%/g, ''), 'hex'), 'utf8')) } };

class URLSearchParams {
  #list = []; #changed = () => {};
  constructor(init, changed) {
    if (changed) this.#changed = changed;
    if (init === undefined || init === null) return;
    if (typeof init === 'object' || typeof init === 'function') {
      if (init[Symbol.iterator]) {
        for (const pair of init) {
          const [k, v, ...more] = [...pair];
          if (v === undefined || more.length) throw $.nodeError('TypeError', 'ERR_INVALID_TUPLE', 'Each query pair must be an iterable [name, value] tuple');
          this.#list.push([String(k), String(v)]);
        }
      } else for (const k of Object.keys(init)) this.#list.push([k, String(init[k])]);
      return;
    }
    this.#read(String(init));
  }
  #read(s) {
    this.#list = s.replace(/^\?/, '').split('&').filter((p) => p !== '').map((p) => { const i = p.indexOf('='); return i < 0 ? [unplus(p), ''] : [unplus(p.slice(0, i)), unplus(p.slice(i + 1))] });
  }
  _reset(s) { this.#read(s) }
  append(k, v) { this.#list.push([String(k), String(v)]); this.#changed() }
  delete(k, v) { this.#list = this.#list.filter((p) => p[0] !== String(k) || v !== undefined && p[1] !== String(v)); this.#changed() }
  get(k) { const p = this.#list.find((q) => q[0] === String(k)); return p ? p[1] : null }
  getAll(k) { return this.#list.filter((p) => p[0] === String(k)).map((p) => p[1]) }
  has(k, v) { return this.#list.some((p) => p[0] === String(k) && (v === undefined || p[1] === String(v))) }
  set(k, v) {
    const i = this.#list.findIndex((p) => p[0] === String(k));
    if (i < 0) this.#list.push([String(k), String(v)]);
    else { this.#list[i][1] = String(v); this.#list = this.#list.filter((p, j) => j <= i || p[0] !== String(k)) }
    this.#changed();
  }
  sort() { this.#list.sort((a, b) => a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0); this.#changed() }
  get size() { return this.#list.length }
  forEach(f, self) { for (const [k, v] of this.#list) f.call(self, v, k, this) }
  *entries() { for (const p of this.#list) yield [p[0], p[1]] }
  *keys() { for (const p of this.#list) yield p[0] }
  *values() { for (const p of this.#list) yield p[1] }
  [Symbol.iterator]() { return this.entries() }
  toString() { return this.#list.map(([k, v]) => plus(k) + '=' + plus(v)).join('&') }
  [custom](depth, options, inspect) {
    if (!this.#list.length) return 'URLSearchParams {}';
    return `URLSearchParams { ${this.#list.map(([k, v]) => `${inspect(k)} => ${inspect(v)}`).join(', ')} }`;
  }
}
Object.defineProperty(URLSearchParams.prototype, '_reset', { enumerable: false });
Object.defineProperty(URLSearchParams.prototype, Symbol.toStringTag, { value: 'URLSearchParams', configurable: true });

const authority = (u) => u.host + (u.port ? ':' + u.port : '');
class URL {
  #u; #params;
  constructor(input, base) {
    if (arguments.length === 0) throw $.nodeError('TypeError', 'ERR_MISSING_ARGS', 'The "url" argument must be specified');
    const u = $.parseURL(String(input), base === undefined ? null : String(base));
    if (u === null) {
      const e = $.nodeError('TypeError', 'ERR_INVALID_URL', 'Invalid URL');
      e.input = String(input);
      if (base !== undefined) e.base = String(base);
      throw e;
    }
    this.#u = u;
  }
  static canParse(input, base) { return $.parseURL(String(input), base === undefined ? null : String(base)) !== null }
  #set(name, value) {
    const u = $.setURL(this.#u, name, String(value));
    if (u !== null) this.#u = u;
    if (this.#params && name === 'search') this.#params._reset(this.#u.query);
  }
  get href() {
    const u = this.#u;
    const user = u.user || u.password ? u.user + (u.password ? ':' + u.password : '') + '@' : '';
    return u.scheme + ':' + (u.hasHost ? '//' + user + authority(u) : '') + u.path + u.query + u.fragment;
  }
  set href(v) { const u = $.parseURL(String(v), null); if (u === null) throw $.nodeError('TypeError', 'ERR_INVALID_URL', 'Invalid URL'); this.#u = u; if (this.#params) this.#params._reset(u.query) }
  get origin() { const u = this.#u; return u.special && u.scheme !== 'file' ? u.scheme + '://' + authority(u) : 'null' }
  get protocol() { return this.#u.scheme + ':' }
  set protocol(v) { this.#set('protocol', v) }
  get username() { return this.#u.user }
  set username(v) { this.#set('username', v) }
  get password() { return this.#u.password }
  set password(v) { this.#set('password', v) }
  get host() { return authority(this.#u) }
  set host(v) { this.#set('host', v) }
  get hostname() { return this.#u.host }
  set hostname(v) { this.#set('hostname', v) }
  get port() { return this.#u.port }
  set port(v) { this.#set('port', v) }
  get pathname() { return this.#u.path }
  set pathname(v) { this.#set('pathname', v) }
  get search() { return this.#u.query }
  set search(v) { this.#set('search', v) }
  get hash() { return this.#u.fragment }
  set hash(v) { this.#set('hash', v) }
  get searchParams() {
    if (!this.#params) this.#params = new URLSearchParams(this.#u.query, () => { const s = this.#params.toString(); this.#u.query = s ? '?' + s : '' });
    return this.#params;
  }
  toString() { return this.href }
  toJSON() { return this.href }
  [custom](depth, options, inspect) {
    const o = {};
    for (const k of ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'searchParams', 'hash']) o[k] = this[k];
    if (depth < 0) return '[URL]';
    return 'URL ' + inspect(o, options);
  }
}
Object.defineProperty(URL.prototype, Symbol.toStringTag, { value: 'URL', configurable: true });

exports.URL = URL;
exports.URLSearchParams = URLSearchParams;
exports.fileURLToPath = (u) => {
  const url = typeof u === 'string' ? new URL(u) : u;
  if (url.protocol !== 'file:') throw $.nodeError('TypeError', 'ERR_INVALID_URL_SCHEME', 'The URL must be of scheme file');
  return decodeURIComponent(url.pathname);
};
exports.pathToFileURL = (p) => new URL('file://' + require('path').resolve(p).split('/').map(encodeURIComponent).join('/') + (p.endsWith('/') ? '/' : ''));
exports.urlToHttpOptions = (u) => ({ protocol: u.protocol, hostname: u.hostname, hash: u.hash, search: u.search, pathname: u.pathname, path: u.pathname + u.search, href: u.href });
exports.domainToASCII = (s) => { const u = $.parseURL('http://' + s, null); return u === null ? '' : u.host };
exports.domainToUnicode = (s) => s;
// The old interface, in its usual uses.
exports.parse = (s, query) => {
  const m = /^(?:([a-z][a-z0-9+.-]*:))?(\/\/)?(?:([^@/?#]*)@)?(?:([^:/?#]*)(?::(\d+))?)?([^?#]*)(\?[^#]*)?(#.*)?$/i.exec(String(s).trim());
  const has = m && m[2];
  const [, protocol, slashes, auth, hostname, port, pathname, search, hash] = has ? m : [null, ...(/^(?:([a-z][a-z0-9+.-]*:))?()()()()([^?#]*)(\?[^#]*)?(#.*)?$/i.exec(String(s).trim()).slice(1))];
  const or = (v) => v === undefined || v === '' ? null : v;
  const p = or(pathname) || (has ? '/' : null), q = search ? search.slice(1) : null;
  const out = {
    protocol: or(protocol) && protocol.toLowerCase(), slashes: has ? true : null, auth: or(auth), host: has ? hostname.toLowerCase() + (port ? ':' + port : '') : null, port: or(port),
    hostname: has ? hostname.toLowerCase() : null, hash: or(hash), search: or(search), query: query ? require('querystring').parse(q || '') : q, pathname: p,
    path: p === null && !search ? null : (p || '') + (search || ''), href: '',
  };
  out.href = exports.format(out);
  return Object.setPrototypeOf(out, Url.prototype);
};
class Url {}
exports.Url = Url;
exports.format = (o, options) => {
  if (typeof o === 'string') return exports.parse(o).href;
  if (o instanceof URL) {
    let s = o.href;
    if (options && options.fragment === false) s = s.replace(/#.*$/, '');
    if (options && options.search === false) s = s.replace(/\?[^#]*/, '');
    return s;
  }
  const protocol = o.protocol ? o.protocol.endsWith(':') ? o.protocol : o.protocol + ':' : '';
  const host = o.host || (o.hostname ? o.hostname + (o.port ? ':' + o.port : '') : '');
  let search = o.search || (o.query && typeof o.query === 'object' && Object.keys(o.query).length ? '?' + require('querystring').stringify(o.query) : '');
  if (search && search[0] !== '?') search = '?' + search;
  let path = o.pathname || '';
  if (host && path && path[0] !== '/') path = '/' + path;
  const hash = o.hash ? o.hash[0] === '#' ? o.hash : '#' + o.hash : '';
  const slashes = o.slashes || /^(https?|ftp|file|wss?):$/.test(protocol) && host ? '//' : '';
  return protocol + slashes + (o.auth ? o.auth + '@' : '') + host + path + search + hash;
};
exports.resolve = (from, to) => { const u = new URL(to, new URL(from, 'resolve://x')); return u.protocol === 'resolve:' ? u.pathname.slice(from[0] === '/' || to[0] === '/' ? 0 : 1) + u.search + u.hash : u.href };
