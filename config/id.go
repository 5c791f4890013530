package config

// ValidAgentID says whether a text can be the id of an agent, which is a part of paths and
// of names that models read: 1 to 64 characters of a-z, 0-9, - and _ that begin with a
// letter or digit, and neither "human" nor "self".
func ValidAgentID(id string) bool { return validID(id) && id != "human" && id != "self" }
