
exports.isatty = () => false;
