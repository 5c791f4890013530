// Package config owns the team: one typed, JSON-serialisable configuration, and its front
// ends, the team file (YAML) and agent files (Markdown with front matter).
//
// Every fault of the files is reported at once, as [Faults] with file, line, column and
// the mend. A [Team] holds no secrets: keys stay references ${NAME} or names of files and
// are resolved by [Expand] when a model is made. It needs no file any more once it was
// loaded: prompts and scripts are in it, and paths of the host are absolute.
//
// What a file may say stands once, in tables of keys: files are read by them, and the JSON
// Schemas ([TeamSchema], [AgentSchema]) and the reference of docs/team-file.md are made of
// them.
//
// The package never opens a mount, a store or a connection. Its functions keep no state;
// a team that was loaded may be shared as long as nobody changes it.
package config
