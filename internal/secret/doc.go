// Package secret owns the values that must not be seen: it finds them in texts and puts
// placeholders in their place. It never reads the environment or a file, never prints a
// value, and says nothing about who may know one.
//
// [Set] masks known values, for records, logs and screens. [Likely] masks texts that look
// like keys, whosever they are, for logs and screens only. Everything here is immutable and
// safe for concurrent use but [Stream], which has one user.
package secret
