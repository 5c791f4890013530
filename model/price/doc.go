// Package price knows what models cost and how large they are: a table that is part of the
// program, dated, and whatever a team file or a file of the user says instead. Money is
// counted in whole nano-dollars.
//
// A model that stands in no table has no price; nothing is guessed.
package price
