// Package model owns how a model is asked: the provider seam, the providers, the
// assembling and classifying of answers, and the pairing validator that sees every
// request first. It never runs a tool, decides a permission, reads the environment or
// keeps a conversation.
package model
