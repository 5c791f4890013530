
const encode = (v) => encodeURIComponent(v);
const decode = (s) => { try { return decodeURIComponent(s) } catch { return s } };
const primitive = (v) => typeof v === 'string' ? v : typeof v === 'number' && Number.isFinite(v) || typeof v === 'bigint' || typeof v === 'boolean' ? String(v) : '';
exports.escape = encode;
exports.unescape = decode;
exports.stringify = exports.encode = (o, sep = '&', eq = '=', options = {}) => {
  const e = options.encodeURIComponent || encode;
  if (o === null || typeof o !== 'object') return '';
  return Object.keys(o).flatMap((k) => (Array.isArray(o[k]) ? o[k] : [o[k]]).map((v) => e(k) + eq + e(primitive(v)))).join(sep);
};
exports.parse = exports.decode = (s, sep = '&', eq = '=', options = {}) => {
  const out = Object.create(null), d = options.decodeURIComponent || decode;
  if (typeof s !== 'string' || s === '') return out;
  const parts = s.split(sep), most = options.maxKeys === undefined ? 1000 : options.maxKeys;
  for (const part of most > 0 ? parts.slice(0, most) : parts) {
    if (part === '') continue;
    const i = part.indexOf(eq);
    const k = d((i < 0 ? part : part.slice(0, i)).replace(/\+/g, ' ')), v = i < 0 ? '' : d(part.slice(i + eq.length).replace(/\+/g, ' '));
    if (k in out) { if (Array.isArray(out[k])) out[k].push(v); else out[k] = [out[k], v] } else out[k] = v;
  }
  return out;
};
