package eval

// manual is how a builtin is used and what it does, in one line each.
type manual struct{ name, synopsis, short string }

// manuals are those of all builtins, sorted by name.
var manuals = [...]manual{
	{".", ". filename [arguments]", "runs the commands of a file in this shell"},
	{":", ": [arg ...]", "does nothing, with success"},
	{"[", "[ expression ]", "answers a question about files, texts or numbers"},
	{"alias", "alias [-p] [name[=value] ...]", "shows or sets aliases"},
	{"bg", "bg [job ...]", "lets jobs go on in the background"},
	{"bind", "bind", "is not available: there is no line editing"},
	{"break", "break [n]", "leaves one or more loops"},
	{"builtin", "builtin [name [arg ...]]", "runs a builtin, passing over functions"},
	{"caller", "caller [n]", "shows who called the function that runs"},
	{"cd", "cd [-L|[-P [-e]]] [dir]", "changes the working directory"},
	{"command", "command [-pVv] command [arg ...]", "runs a command, passing over functions, or says what a name is"},
	{"compgen", "compgen [-abcdefkv] [-A action] [-W wordlist] [-P prefix] [-S suffix] [-X pattern] [word]", "lists names that begin with a word"},
	{"complete", "complete", "is not available: there is no completion"},
	{"compopt", "compopt", "is not available: there is no completion"},
	{"continue", "continue [n]", "goes on with the next round of a loop"},
	{"declare", "declare [-aAfFgiIlnrtux] [name[=value] ...] or declare -p [-aAfFilnrtux] [name ...]", "declares variables and shows them"},
	{"dirs", "dirs [-clpv] [+N] [-N]", "shows the stack of directories"},
	{"disown", "disown [-h] [-ar] [job ...]", "forgets jobs"},
	{"echo", "echo [-neE] [arg ...]", "writes its arguments"},
	{"enable", "enable [-anps] [name ...]", "switches builtins on and off"},
	{"eval", "eval [arg ...]", "runs its arguments as a command"},
	{"exec", "exec [-cl] [-a name] [command [arg ...]] [redirection ...]", "replaces the shell by a command, or changes its descriptors"},
	{"exit", "exit [n]", "ends the shell"},
	{"export", "export [-fn] [name[=value] ...] or export -p", "gives variables to the commands that are run"},
	{"false", "false", "fails"},
	{"fc", "fc", "is not available: there is no history"},
	{"fg", "fg [job]", "waits for a job"},
	{"getopts", "getopts optstring name [arg ...]", "reads the options of a script or function"},
	{"hash", "hash [-lr] [-p pathname] [-dt] [name ...]", "remembers where commands are"},
	{"help", "help [name ...]", "lists the commands, or explains one"},
	{"history", "history", "is not available: there is no history"},
	{"jobs", "jobs [-lnprs] [job ...]", "lists the jobs"},
	{"kill", "kill [-s name | -n number | -name] pid | job ... or kill -l [signal]", "sends a signal to jobs of this call"},
	{"let", "let arg [arg ...]", "evaluates arithmetic"},
	{"local", "local [option] name[=value] ...", "declares variables of a function"},
	{"logout", "logout [n]", "is not available: this is no login shell"},
	{"mapfile", "mapfile [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]", "reads lines into an array"},
	{"popd", "popd [-n] [+N | -N]", "removes a directory from the stack and goes to the next"},
	{"printf", "printf [-v var] format [arguments]", "writes its arguments by a format"},
	{"pushd", "pushd [-n] [+N | -N | dir]", "goes to a directory and keeps the old one on a stack"},
	{"pwd", "pwd [-LP]", "shows the working directory"},
	{"read", "read [-ers] [-a array] [-d delim] [-i text] [-n nchars] [-N nchars] [-p prompt] [-t timeout] [-u fd] [name ...]", "reads a line into variables"},
	{"readarray", "readarray [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]", "reads lines into an array"},
	{"readonly", "readonly [-aAf] [name[=value] ...] or readonly -p", "makes variables read-only"},
	{"return", "return [n]", "ends a function or a sourced file"},
	{"set", "set [-abefhkmnptuvxBCEHPT] [-o option-name] [--] [-] [arg ...]", "sets options and positional parameters"},
	{"shift", "shift [n]", "drops the first positional parameters"},
	{"shopt", "shopt [-pqsu] [-o] [optname ...]", "sets and shows options of the shell"},
	{"source", "source filename [arguments]", "runs the commands of a file in this shell"},
	{"suspend", "suspend", "is not available: a call cannot be stopped and continued"},
	{"test", "test [expression]", "answers a question about files, texts or numbers"},
	{"times", "times", "shows the time that the shell and its commands used"},
	{"trap", "trap [-lp] [[arg] signal ...]", "runs a command at a signal or at the end"},
	{"true", "true", "succeeds"},
	{"type", "type [-afptP] name [name ...]", "says what a name of a command is"},
	{"typeset", "typeset [-aAfFgiIlnrtux] name[=value] ... or typeset -p [-aAfFilnrtux] [name ...]", "declares variables and shows them"},
	{"ulimit", "ulimit [-SHa] [-cdflmnpqrstuv]", "shows the limits of the call; it sets none"},
	{"umask", "umask [-p] [-S] [mode]", "shows or sets what new files are not allowed"},
	{"unalias", "unalias [-a] name [name ...]", "removes aliases"},
	{"unset", "unset [-f] [-v] [-n] [name ...]", "removes variables and functions"},
	{"wait", "wait [-fn] [-p var] [id ...]", "waits for jobs"},
}

// manualOf gives the manual of a builtin.
func manualOf(name string) (manual, bool) {
	for _, m := range manuals {
		if m.name == name {
			return m, true
		}
	}
	return manual{}, false
}
