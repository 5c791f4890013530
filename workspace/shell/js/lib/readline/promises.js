
const { Interface } = require('readline');
class Promised extends Interface {
  question(query) { return new Promise((resolve) => super.question(query, resolve)) }
}
exports.Interface = Promised;
exports.createInterface = (input, output) => new Promised(input, output);
