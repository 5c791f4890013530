// Package files owns the commands of the sandboxed shell that look at files, change them
// and run other commands over them: ls, find, cp, tar, xargs and their kin. They work on
// the call's view alone and start other commands through the call's one door.
package files
