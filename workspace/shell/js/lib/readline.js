
const EventEmitter = require('events');
const { StringDecoder } = require('string_decoder');

class Interface extends EventEmitter {
  constructor(input, output) {
    super();
    const options = input && input.input !== undefined ? input : { input, output };
    this.input = options.input;
    this.output = options.output;
    this.terminal = false;
    this.line = '';
    this.closed = false;
    const hidden = { prompt: options.prompt === undefined ? '> ' : options.prompt, questions: [], rest: '', lines: [], waiting: [], iterated: false, afterCR: false };
    Object.defineProperty(this, '_s', { value: hidden });
    const decoder = new StringDecoder('utf8');
    this.input.on('data', (data) => this._feed(typeof data === 'string' ? data : decoder.write(data)));
    this.input.on('end', () => {
      this._feed(decoder.end());
      if (hidden.rest !== '') { const last = hidden.rest; hidden.rest = ''; this._line(last) }
      this.close();
    });
    this.input.on('error', (e) => this.emit('error', e));
    if (this.input.resume) this.input.resume();
  }
  _feed(text) {
    const s = this._s;
    if (text === '') return;
    if (s.afterCR && text[0] === '\n') text = text.slice(1);
    s.afterCR = text.endsWith('\r');
    const parts = (s.rest + text).split(/\r\n|\n|\r|\u2028|\u2029/);
    s.rest = parts.pop();
    for (const l of parts) this._line(l);
  }
  _line(line) {
    const s = this._s;
    if (this.closed) return;
    if (s.questions.length) { s.questions.shift()(line); return }
    if (s.iterated) { if (s.waiting.length) s.waiting.shift()({ value: line, done: false }); else s.lines.push(line); return }
    if (s.holds) { s.held = s.held || []; s.held.push(line); return }
    this.emit('line', line);
  }
  question(query, options, answer) {
    if (typeof options === 'function') answer = options;
    if (this.closed) throw $.nodeError('Error', 'ERR_USE_AFTER_CLOSE', 'readline was closed');
    if (this.output) this.output.write(query);
    this._s.questions.push(answer);
  }
  setPrompt(p) { this._s.prompt = p }
  getPrompt() { return this._s.prompt }
  prompt() { if (this.output) this.output.write(this._s.prompt) }
  write(data) { if (typeof data === 'string') this._feed(data) }
  pause() { this.input.pause(); this.emit('pause'); return this }
  resume() { this.input.resume(); this.emit('resume'); return this }
  close() {
    if (this.closed) return;
    this.closed = true;
    if (this.input.pause) this.input.pause();
    for (const w of this._s.waiting.splice(0)) w({ value: undefined, done: true });
    this.emit('close');
  }
  [Symbol.asyncIterator]() {
    const s = this._s;
    s.iterated = true;
    return {
      next: () => new Promise((resolve) => {
        if (s.lines.length) resolve({ value: s.lines.shift(), done: false });
        else if (this.closed) resolve({ value: undefined, done: true });
        else s.waiting.push(resolve);
      }),
      return: async () => { this.close(); return { value: undefined, done: true } },
      [Symbol.asyncIterator]() { return this },
    };
  }
}
exports.Interface = Interface;
exports.createInterface = (input, output) => new Interface(input, output);
exports.clearLine = exports.cursorTo = exports.moveCursor = exports.clearScreenDown = () => true;
exports.emitKeypressEvents = () => {};
Object.defineProperty(exports, 'promises', { enumerable: true, get: () => require('readline/promises') });
