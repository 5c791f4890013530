
exports.setTimeout = setTimeout;
exports.setInterval = setInterval;
exports.setImmediate = setImmediate;
exports.clearTimeout = clearTimeout;
exports.clearInterval = clearInterval;
exports.clearImmediate = clearImmediate;
Object.defineProperty(exports, 'promises', { enumerable: true, get: () => require('timers/promises') });
