
module.exports = require('path');
