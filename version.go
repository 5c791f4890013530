package swarm

// Version of the program; set at build time by the linker for releases.
var Version = "0.1.0-dev"
