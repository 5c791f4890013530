
class StringDecoder {
  #rest = new Uint8Array(0);
  constructor(encoding = 'utf8') {
    this.encoding = $.encodingName(String(encoding));
    if (!this.encoding) throw $.nodeError('TypeError', 'ERR_UNKNOWN_ENCODING', `Unknown encoding: ${encoding}`);
  }
  write(data) {
    if (typeof data === 'string') return data;
    const all = new Uint8Array(this.#rest.length + data.length);
    all.set(this.#rest); all.set(data, this.#rest.length);
    const keep = this.encoding === 'utf8' ? $.incomplete(all) : this.encoding === 'utf16le' ? all.length % 2 : this.encoding.startsWith('base64') ? all.length % 3 : 0;
    this.#rest = all.slice(all.length - keep);
    return $.decode(all.subarray(0, all.length - keep), this.encoding);
  }
  end(data) {
    const text = data === undefined ? '' : this.write(data);
    const rest = $.decode(this.#rest, this.encoding);
    this.#rest = new Uint8Array(0);
    return text + rest;
  }
}
exports.StringDecoder = StringDecoder;
