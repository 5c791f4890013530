
function text(p, name) {
  if (typeof p !== 'string') throw $.nodeError('TypeError', 'ERR_INVALID_ARG_TYPE', `The "${name}" argument must be of type string. Received ${$.received(p)}`);
}
// parts drops "." and what ".." goes back over.
function parts(p, above) {
  const out = [];
  for (const s of p.split('/')) {
    if (s === '' || s === '.') continue;
    if (s !== '..') out.push(s);
    else if (out.length && out[out.length - 1] !== '..') out.pop();
    else if (above) out.push('..');
  }
  return out.join('/');
}
const path = {
  sep: '/',
  delimiter: ':',
  normalize(p) {
    text(p, 'path');
    if (p === '') return '.';
    const rooted = p[0] === '/', slash = p.endsWith('/');
    let out = parts(p, !rooted);
    if (out === '') { if (rooted) return '/'; return slash ? './' : '.' }
    if (slash) out += '/';
    return rooted ? '/' + out : out;
  },
  isAbsolute(p) { text(p, 'path'); return p[0] === '/' },
  join(...all) {
    for (const p of all) text(p, 'path');
    const joined = all.filter((p) => p !== '').join('/');
    return joined === '' ? '.' : path.normalize(joined);
  },
  resolve(...all) {
    let out = '';
    for (let i = all.length - 1; i >= 0 && out[0] !== '/'; i--) {
      text(all[i], `paths[${i}]`);
      if (all[i] !== '') out = out === '' ? all[i] : all[i] + '/' + out;
    }
    if (out[0] !== '/') out = process.cwd() + '/' + out;
    return '/' + parts(out, false);
  },
  relative(from, to) {
    text(from, 'from'); text(to, 'to');
    const a = path.resolve(from).split('/').filter(Boolean), b = path.resolve(to).split('/').filter(Boolean);
    let i = 0;
    while (i < a.length && i < b.length && a[i] === b[i]) i++;
    return [...a.slice(i).map(() => '..'), ...b.slice(i)].join('/');
  },
  dirname(p) {
    text(p, 'path');
    if (p === '') return '.';
    let end = p.length;
    while (end > 1 && p[end - 1] === '/') end--;
    const i = p.lastIndexOf('/', end - 1);
    if (i < 0) return p[0] === '/' ? '/' : '.';
    if (i === 0) return p.startsWith('//') && end > 1 && p.lastIndexOf('/', end - 1) === 1 ? '//' : '/';
    return p.slice(0, i);
  },
  basename(p, suffix) {
    text(p, 'path');
    const name = p.replace(/\/+$/, '').split('/').pop();
    if (suffix !== undefined) text(suffix, 'suffix');
    return suffix && name !== suffix && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
  },
  extname(p) {
    text(p, 'path');
    const name = path.basename(p), i = name.lastIndexOf('.');
    return i <= 0 || name === '..' ? '' : name.slice(i);
  },
  parse(p) {
    text(p, 'path');
    const root = p[0] === '/' ? '/' : '', base = path.basename(p), ext = path.extname(p);
    let dir = path.dirname(p);
    if (dir === '.' && !p.startsWith('./') || p === '') dir = root;
    return { root, dir, base, ext, name: ext ? base.slice(0, -ext.length) : base };
  },
  format(o) {
    if (o === null || typeof o !== 'object') throw $.nodeError('TypeError', 'ERR_INVALID_ARG_TYPE', `The "pathObject" argument must be of type object. Received ${$.received(o)}`);
    const dir = o.dir || o.root, ext = o.ext ? (o.ext[0] === '.' ? '' : '.') + o.ext : '';
    const base = o.base || `${o.name || ''}${ext}`;
    if (!dir) return base;
    return dir === o.root ? dir + base : dir + '/' + base;
  },
  toNamespacedPath(p) { return p },
};
path.posix = path;
module.exports = path;
