
// Numbers and dates as Node writes them for en-US, and what differs little from it: en-GB
// and de-DE. Other locales are refused by name. Times are in UTC, which is the only zone.
const locales = {
  'en-US': { group: ',', point: '.', date: (d) => `${d.M}/${d.D}/${d.Y}`, hour12: true },
  'en-GB': { group: ',', point: '.', date: (d) => `${two(d.D)}/${two(d.M)}/${d.Y}`, hour12: false },
  'de-DE': { group: '.', point: ',', date: (d) => `${d.D}.${d.M}.${d.Y}`, hour12: false },
  'sv-SE': { group: '\u00a0', point: ',', date: (d) => `${d.Y}-${two(d.M)}-${two(d.D)}`, hour12: false, joiner: ' ' },
  'en-CA': { group: ',', point: '.', date: (d) => `${d.Y}-${two(d.M)}-${two(d.D)}`, hour12: true, lower: true },
};
const near = { en: 'en-US', 'en-us': 'en-US', 'en-gb': 'en-GB', de: 'de-DE', 'de-de': 'de-DE', sv: 'sv-SE', 'sv-se': 'sv-SE', 'en-ca': 'en-CA' };
const two = (n) => String(n).padStart(2, '0');
const nameOf = (l) => {
  if (Array.isArray(l)) l = l[0];
  if (l === undefined || l === 'default') return 'en-US';
  const name = near[String(l).toLowerCase()];
  if (!name) throw new RangeError(`the locale ${l} is not available here: there are ${Object.keys(locales).join(', ')}`);
  return name;
};
const symbols = { USD: '$', EUR: '€', GBP: '£', JPY: '¥', INR: '₹', CNY: 'CN¥', KRW: '₩', BRL: 'R$', CAD: 'CA$', AUD: 'A$', MXN: 'MX$' };

function formatNumber(value, locale, options = {}) {
  const name = nameOf(locale), l = locales[name];
  if (typeof value !== 'bigint') value = Number(value);
  if (Number.isNaN(value)) return 'NaN';
  const style = options.style || 'decimal', whole = options.currency === 'JPY' || options.currency === 'KRW';
  if (style === 'percent') value = Number(value) * 100;
  let suffix = '';
  if (options.notation === 'compact') {
    const steps = [[1e12, 'T'], [1e9, 'B'], [1e6, 'M'], [1e3, 'K']];
    for (const [n, s] of steps) if (Math.abs(value) >= n) { value /= n; suffix = s; break }
    if (options.maximumFractionDigits === undefined) options = { ...options, minimumFractionDigits: 0, maximumFractionDigits: Math.abs(value) < 100 && (suffix || value % 1) ? 1 : 0 };
    if (Math.abs(value) < 100 && options.maximumFractionDigits === 1) value = Number(value.toPrecision(2));
  }
  const usual = style === 'currency' ? whole ? [0, 0] : [2, 2] : style === 'percent' ? [0, 0] : [0, 3];
  let least = options.minimumFractionDigits, most = options.maximumFractionDigits;
  if (least === undefined) least = most === undefined ? usual[0] : Math.min(usual[0], most);
  if (most === undefined) most = Math.max(usual[1], least);
  if (least > most || least < 0 || most > 100) throw new RangeError('maximumFractionDigits value is out of range.');
  if (options.maximumSignificantDigits !== undefined && value !== 0) {
    value = Number(Number(value).toPrecision(options.maximumSignificantDigits));
    most = 20;
  }
  let text = value === Infinity ? '∞' : value === -Infinity ? '-∞' : $.fixed(value, least, most);
  if (/^-[0.,]*$/.test(text) && value !== 0) text = text === '-0' ? '-0' : text;
  if (options.minimumIntegerDigits) text = text.replace(/^(-?)(\d+)/, (m, s, d) => s + d.padStart(options.minimumIntegerDigits, '0'));
  if (options.useGrouping === false) text = text.replace(/,/g, '');
  text = text.replace(/[,.]/g, (c) => c === ',' ? l.group : l.point) + suffix;
  const negative = text[0] === '-';
  const digits = negative ? text.slice(1) : text;
  const sign = negative ? '-' : options.signDisplay === 'always' || options.signDisplay === 'exceptZero' && Number(value) !== 0 ? '+' : '';
  if (style === 'percent') return sign + digits + (name === 'de-DE' || name === 'sv-SE' ? '\u00a0%' : '%');
  if (style === 'currency') {
    if (options.currency === undefined) throw new TypeError('Currency code is required with currency style.');
    const code = options.currency.toUpperCase();
    const symbol = options.currencyDisplay === 'code' ? code + '\u00a0' : symbols[code] || code + '\u00a0';
    return name === 'de-DE' || name === 'sv-SE' ? `${sign}${digits}\u00a0${symbol.trim()}` : sign + symbol + digits;
  }
  if (style === 'unit') {
    const units = { kilometer: ' km', kilogram: ' kg', celsius: '°C', percent: '%', byte: ' byte', kilobyte: ' kB', megabyte: ' MB', gigabyte: ' GB', second: ' sec', minute: ' min', hour: ' hr', day: ' day', meter: ' m', liter: ' L', mile: ' mi' };
    if (!units[options.unit]) throw new RangeError(`the unit ${options.unit} is not available here`);
    return sign + digits + units[options.unit];
  }
  return sign + digits;
}

const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
function format(date, locale, options = {}, usual) {
  const name = nameOf(locale), l = locales[name];
  const t = date === undefined ? new Date() : new Date(date);
  if (Number.isNaN(t.getTime())) return 'Invalid Date';
  if (options.timeZone !== undefined && !/^(UTC|GMT|Etc\/UTC|Etc\/GMT|\+00:00)$/i.test(options.timeZone)) throw new RangeError(`the time zone ${options.timeZone} is not available here: there is UTC only`);
  const d = { Y: t.getUTCFullYear(), M: t.getUTCMonth() + 1, D: t.getUTCDate() };
  const o = { ...options };
  if (o.dateStyle) Object.assign(o, { full: { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' }, long: { year: 'numeric', month: 'long', day: 'numeric' }, medium: { year: 'numeric', month: 'short', day: 'numeric' }, short: { year: '2-digit', month: 'numeric', day: 'numeric' } }[o.dateStyle]);
  if (o.timeStyle) Object.assign(o, { hour: 'numeric', minute: '2-digit' }, o.timeStyle === 'short' ? {} : { second: '2-digit' }, o.timeStyle === 'full' || o.timeStyle === 'long' ? { timeZoneName: 'short' } : {});
  const wantsDate = ['weekday', 'year', 'month', 'day'].some((k) => o[k] !== undefined), wantsTime = ['hour', 'minute', 'second', 'fractionalSecondDigits'].some((k) => o[k] !== undefined);
  if (!(o.dateStyle || o.timeStyle) && (usual === 'any' ? !wantsDate && !wantsTime : usual === 'date' ? !wantsDate : !wantsTime)) {
    if (usual !== 'time') Object.assign(o, { year: 'numeric', month: 'numeric', day: 'numeric' });
    if (usual !== 'date') Object.assign(o, { hour: 'numeric', minute: '2-digit', second: '2-digit' });
  }
  const left = datePart(d, t, o, l, name), right = timePart(t, o, l);
  const long = o.dateStyle === 'full' || o.dateStyle === 'long';
  return [left, right].filter(Boolean).join(long ? ' at ' : l.joiner || ', ');
}
function datePart(d, t, o, l, name) {
  const year = o.year === undefined ? '' : o.year === '2-digit' ? two(d.Y % 100) : String(d.Y);
  const day = o.day === undefined ? '' : o.day === '2-digit' ? two(d.D) : String(d.D);
  const weekday = o.weekday === undefined ? '' : o.weekday === 'long' ? days[t.getUTCDay()] : o.weekday === 'narrow' ? days[t.getUTCDay()][0] : days[t.getUTCDay()].slice(0, 3);
  if (o.month === 'long' || o.month === 'short' || o.month === 'narrow') {
    if (name === 'de-DE' || name === 'sv-SE') throw new RangeError(`names of months are not available here in ${name}`);
    const month = o.month === 'long' ? months[d.M - 1] : o.month === 'narrow' ? months[d.M - 1][0] : name === 'en-GB' && d.M === 9 ? 'Sept' : months[d.M - 1].slice(0, 3);
    if (name === 'en-GB') return [weekday, [day, month, year].filter(Boolean).join(' ')].filter(Boolean).join(o.month === 'long' && weekday ? ' ' : ', ');
    const rest = [month, day].filter(Boolean).join(' ');
    return [weekday, day && year ? `${rest}, ${year}` : [rest, year].filter(Boolean).join(' ')].filter(Boolean).join(', ');
  }
  const month = o.month === undefined ? '' : o.month === '2-digit' ? two(d.M) : String(d.M);
  const usual = o.year === 'numeric' && o.month === 'numeric' && o.day === 'numeric';
  const order = { 'en-US': [month, day, year], 'en-GB': [day && two(d.D), month && two(d.M), year], 'de-DE': [day, month, year], 'sv-SE': [year, month && two(d.M), day && two(d.D)], 'en-CA': [year, month && two(d.M), day && two(d.D)] }[name];
  const numbers = usual ? l.date(d) : order.filter(Boolean).join({ 'de-DE': '.', 'sv-SE': '-', 'en-CA': '-' }[name] || '/');
  return [weekday, numbers].filter(Boolean).join(', ');
}
function timePart(t, o, l) {
  if (o.hour === undefined && o.minute === undefined && o.second === undefined) return '';
  const half = o.hour12 === undefined ? o.hourCycle ? o.hourCycle === 'h12' || o.hourCycle === 'h11' : l.hour12 : o.hour12;
  const h = t.getUTCHours(), shown = half ? h % 12 || 12 : h;
  const parts = [];
  if (o.hour !== undefined) parts.push(o.hour === '2-digit' || !half ? two(shown) : String(shown));
  if (o.minute !== undefined) parts.push(o.hour === undefined && o.second === undefined ? String(t.getUTCMinutes()) : two(t.getUTCMinutes()));
  if (o.second !== undefined) parts.push((parts.length ? two(t.getUTCSeconds()) : String(t.getUTCSeconds())) + (o.fractionalSecondDigits ? '.' + String(t.getUTCMilliseconds()).padStart(3, '0').slice(0, o.fractionalSecondDigits) : ''));
  let text = parts.join(':');
  if (half && o.hour !== undefined) text += l.lower ? (h < 12 ? ' a.m.' : ' p.m.') : h < 12 ? ' AM' : ' PM';
  if (o.timeZoneName) text += ' UTC';
  return text;
}

class NumberFormat {
  #locale; #options;
  constructor(locale, options = {}) { this.#locale = nameOf(locale); this.#options = options; this.format = (n) => formatNumber(n, this.#locale, this.#options) }
  resolvedOptions() { return { locale: this.#locale, numberingSystem: 'latn', style: this.#options.style || 'decimal', ...this.#options } }
}
class DateTimeFormat {
  #locale; #options;
  constructor(locale, options = {}) { this.#locale = nameOf(locale); this.#options = options; this.format = (d) => format(d, this.#locale, this.#options, this.#options.hour !== undefined ? 'any' : 'date') }
  resolvedOptions() { return { locale: this.#locale, calendar: 'gregory', numberingSystem: 'latn', timeZone: 'UTC', ...this.#options } }
}
class Collator {
  #options;
  constructor(locale, options = {}) {
    nameOf(locale);
    this.#options = options;
    this.compare = (a, b) => {
      if (this.#options.numeric) {
        const cut = (s) => String(s).split(/(\d+)/);
        const x = cut(a), y = cut(b);
        for (let i = 0; i < Math.min(x.length, y.length); i++) {
          const c = i % 2 ? Number(x[i]) - Number(y[i]) : this.#text(x[i], y[i]);
          if (c) return Math.sign(c);
        }
        return Math.sign(x.length - y.length);
      }
      return this.#text(a, b);
    };
  }
  #text(a, b) {
    a = String(a); b = String(b);
    const s = this.#options.sensitivity;
    if (s === 'base' || s === 'accent') { a = a.toLowerCase(); b = b.toLowerCase() }
    if (s === 'base' || s === 'case') { const plain = (t) => t.normalize('NFD').replace(/[\u0300-\u036f]/g, ''); a = plain(a); b = plain(b) }
    return compare.call(a, b);
  }
}
const compare = String.prototype.localeCompare;
Object.defineProperty(String.prototype, 'localeCompare', { value: function localeCompare(that, locale, options) {
  return options === undefined ? compare.call(this, that) : new Collator(undefined, options).compare(this, that);
}, writable: true, configurable: true });
class PluralRules {
  #ordinal;
  constructor(locale, options = {}) { nameOf(locale); this.#ordinal = options.type === 'ordinal' }
  select(n) {
    if (!this.#ordinal) return n === 1 ? 'one' : 'other';
    const tens = n % 100;
    return tens >= 11 && tens <= 13 ? 'other' : { 1: 'one', 2: 'two', 3: 'few' }[n % 10] || 'other';
  }
}
class ListFormat {
  #options;
  constructor(locale, options = {}) { nameOf(locale); this.#options = options }
  format(list) {
    const a = [...list], word = this.#options.type === 'disjunction' ? 'or' : 'and';
    return a.length < 2 ? a.join('') : a.length === 2 ? a.join(` ${word} `) : `${a.slice(0, -1).join(', ')}, ${word} ${a[a.length - 1]}`;
  }
}
class Segmenter {
  #by;
  constructor(locale, options = {}) { this.#by = options.granularity || 'grapheme' }
  segment(s) {
    const parts = this.#by === 'word' ? s.match(/[A-Za-z0-9_\u00c0-\uffff]+|\s+|./gsu) || [] : s.match(/.[\u0300-\u036f\ufe0f\u200d]*/gsu) || [];
    let index = 0;
    return parts.map((segment) => { const o = { segment, index, input: s }; index += segment.length; return o });
  }
}
exports.formatNumber = formatNumber;
exports.formatDateTime = (d, locale, options) => format(d, locale, options, 'any');
exports.formatDate = (d, locale, options) => format(d, locale, options, 'date');
exports.formatTime = (d, locale, options) => format(d, locale, options, 'time');
exports.Intl = Object.defineProperty({}, Symbol.toStringTag, { value: 'Intl', configurable: true });
for (const c of [NumberFormat, DateTimeFormat, Collator, PluralRules, ListFormat, Segmenter]) {
  const f = function (...args) { return new c(...args) };
  f.prototype = c.prototype;
  f.supportedLocalesOf = (l) => [l].flat().filter((x) => near[String(x).toLowerCase()]);
  Object.defineProperty(f, 'name', { value: c.name });
  Object.defineProperty(exports.Intl, c.name, { value: f, writable: true, configurable: true });
}
exports.Intl.getCanonicalLocales = (l) => [l].flat().filter((x) => x !== undefined);
