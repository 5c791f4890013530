
const marks = [];
const entry = (name, entryType, startTime, duration, detail) => ({ name, entryType, startTime, duration, detail: detail === undefined ? null : detail });
const at = (name) => { const m = marks.filter((e) => e.name === name).pop(); return m ? m.startTime : 0 };
exports.performance = {
  timeOrigin: $.epoch(),
  now: () => $.nanoseconds() / 1e6,
  mark(name, options) { const m = entry(name, 'mark', exports.performance.now(), 0, options && options.detail); marks.push(m); return m },
  measure(name, from, to) {
    const begin = from === undefined ? 0 : at(from), end = to === undefined ? exports.performance.now() : at(to);
    const m = entry(name, 'measure', begin, end - begin);
    marks.push(m);
    return m;
  },
  getEntries: () => marks.slice(),
  getEntriesByName: (name) => marks.filter((e) => e.name === name),
  getEntriesByType: (type) => marks.filter((e) => e.entryType === type),
  clearMarks() { marks.length = 0 },
  clearMeasures() { marks.length = 0 },
  toJSON: () => ({}),
};
