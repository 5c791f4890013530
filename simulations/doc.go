// Package simulations runs whole teams on a seeded scheduler, a clock that stands, and a
// store that dies, so that a seed decides every interleaving, every race and the moment
// of every crash. It holds no part of the product.
package simulations
