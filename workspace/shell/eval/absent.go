package eval

// absent says why a well known program does not exist here, and what to use instead.
func absent(name string) (reason string, ok bool) {
	switch name {
	case "sed":
		return "it is not in this version. Use ${name//old/new} of bash, tr, cut, grep -o, or node", true
	case "awk", "gawk", "mawk":
		return "it is not in this version. Use while IFS=, read -r with bash arithmetic, cut, sort, jq, or node", true
	case "python", "python3", "bc":
		return "it is not in this version. Use node, jq, or bash arithmetic", true
	case "curl", "wget", "nc", "netcat", "ncat", "telnet", "ping", "dig", "nslookup", "host", "ftp", "socat", "http":
		return "this shell has no network. Use a tool of the agent that fetches, or work on files that are in the workspace", true
	case "ssh", "scp", "sftp", "rsync", "ssh-keygen":
		return "this shell reaches no other machine. Use cp, mv and tar on files of the workspace", true
	case "git", "hg", "svn", "gh":
		return "there is no version control here. Use diff -u and patch to compare and change files", true
	case "pip", "pip3", "pipx", "uv", "poetry", "conda":
		return "nothing can be installed. help lists what there is", true
	case "npm", "npx", "yarn", "pnpm", "bun":
		return "nothing can be installed. JavaScript runs with node or js, see help js", true
	case "apt", "apt-get", "dpkg", "yum", "dnf", "apk", "brew", "snap", "pacman", "rpm":
		return "nothing can be installed. help lists the commands that exist", true
	case "docker", "podman", "kubectl", "helm", "systemctl", "service", "journalctl":
		return "this shell runs no containers and no services", true
	case "sudo", "su", "doas":
		return "there is one user and no other rights. Run the command without it", true
	case "make", "cmake", "ninja", "gcc", "g++", "cc", "c++", "clang", "ld", "as", "go", "rustc", "cargo", "javac", "java", "mvn", "gradle", "dotnet":
		return "nothing can be compiled here. Write the steps as a script for bash, jq or node", true
	case "perl", "ruby", "php", "lua", "Rscript", "R", "tclsh", "ghc":
		return "this language is not here. Use bash, jq or node", true
	case "vi", "vim", "nvim", "nano", "emacs", "ed", "ex":
		return "there is no terminal to edit on. Use a here-document or the file tools", true
	case "ps", "top", "htop", "pgrep", "pkill", "killall", "lsof", "strace", "gdb":
		return "there are no processes to look at. jobs and kill know the jobs of this script", true
	case "mysql", "psql", "sqlite3", "mongo", "redis-cli":
		return "there is no database here. Use join, sort or jq on files", true
	case "ip", "ifconfig", "netstat", "ss", "iptables", "mount", "umount", "fdisk", "crontab", "at", "useradd", "passwd":
		return "this shell does not administer a machine", true
	case "screen", "tmux", "script", "expect", "stty":
		return "there is no terminal here", true
	}
	return "", false
}
