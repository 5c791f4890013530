
class TextEncoder {
  get encoding() { return 'utf-8' }
  encode(s = '') { return new Uint8Array($.encode(String(s), 'utf8')) }
  encodeInto(s, to) {
    let bytes = $.encode(String(s), 'utf8');
    if (bytes.length > to.length) { bytes = bytes.subarray(0, to.length); bytes = bytes.subarray(0, bytes.length - $.incomplete(bytes)) }
    to.set(bytes);
    return { read: $.decode(bytes, 'utf8').length, written: bytes.length };
  }
}
const names = { 'utf-8': 'utf8', utf8: 'utf8', 'utf-16le': 'utf16le', 'utf-16': 'utf16le', latin1: 'latin1', 'iso-8859-1': 'latin1', 'windows-1252': 'latin1', ascii: 'latin1', 'us-ascii': 'latin1' };
class TextDecoder {
  #name; #rest = new Uint8Array(0); #started = false;
  constructor(encoding = 'utf-8', options = {}) {
    this.#name = names[String(encoding).toLowerCase()];
    if (!this.#name) throw $.nodeError('RangeError', 'ERR_ENCODING_NOT_SUPPORTED', `The "${encoding}" encoding is not supported`);
    this.encoding = this.#name === 'utf8' ? 'utf-8' : this.#name === 'utf16le' ? 'utf-16le' : 'windows-1252';
    this.fatal = !!options.fatal;
    this.ignoreBOM = !!options.ignoreBOM;
  }
  decode(input, options = {}) {
    const data = input === undefined ? new Uint8Array(0) : input instanceof ArrayBuffer ? new Uint8Array(input) : new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
    const all = new Uint8Array(this.#rest.length + data.length);
    all.set(this.#rest); all.set(data, this.#rest.length);
    const keep = options.stream ? this.#name === 'utf8' ? $.incomplete(all) : this.#name === 'utf16le' ? all.length % 2 : 0 : 0;
    this.#rest = all.slice(all.length - keep);
    const whole = all.subarray(0, all.length - keep);
    if (this.fatal && this.#name === 'utf8' && !$.validUTF8(whole)) throw $.nodeError('TypeError', 'ERR_ENCODING_INVALID_ENCODED_DATA', `The encoded data was not valid for encoding ${this.encoding}`);
    let text = $.decode(whole, this.#name);
    if (!this.ignoreBOM && !this.#started && text[0] === '\ufeff') text = text.slice(1);
    this.#started = options.stream ? this.#started || whole.length > 0 : false;
    return text;
  }
}
exports.TextEncoder = TextEncoder;
exports.TextDecoder = TextDecoder;
