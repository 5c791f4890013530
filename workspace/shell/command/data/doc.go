// Package data owns the commands about dates, differences, checksums and encodings: date,
// diff, patch, cmp, the sums and base64. They see files only through the view of the call
// and the time only through its clock.
package data
