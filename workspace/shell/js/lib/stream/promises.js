
const stream = require('stream');
exports.pipeline = (...parts) => new Promise((resolve, reject) => {
  if (parts.length && parts[parts.length - 1] && parts[parts.length - 1].signal) parts.pop();
  stream.pipeline(...parts, (e) => { if (e) reject(e); else resolve() });
});
exports.finished = (s) => new Promise((resolve, reject) => stream.finished(s, (e) => { if (e) reject(e); else resolve() }));
