package eval

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/limits"
)

// TestHole03NamesAreLookedUpInTheViewOnly: what says where a command is looks at no path of
// the host, and still finds what the view has.
func TestHole03NamesAreLookedUpInTheViewOnly(t *testing.T) {
	t.Parallel()
	host := t.TempDir()
	if err := os.WriteFile(filepath.Join(host, "hosttool"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "tools"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "tools", "mine"), []byte("#!/bin/sh\necho ran\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, ask := range []string{"command -v", "command -V", "type", "type -p", "type -P", "type -a", "type -t", "hash"} {
		script := "PATH=" + host + ":/sbin:/usr/sbin:/usr/local/bin\n" + ask + " hosttool; echo $?; " + ask + " " + host + "/hosttool; echo $?; " + ask + " mkfs; echo $?"
		out, _, _ := stage{dir: dir}.play(t, script)
		want := "1\n1\n1\n"
		if ask == "hash" {
			want = "1\n0\n1\n" // a path is not remembered, and nothing is asked
		}
		if out != want {
			t.Errorf("%s found something of the host: %q", ask, out)
		}
	}
	out, errs, _ := stage{dir: dir}.play(t, `PATH=/tools:$PATH; command -v mine; type mine; type -t mine cat echo; type -P cat; hash mine; hash -t mine; mine`)
	want := "/tools/mine\nmine is /tools/mine\nfile\nfile\nbuiltin\n/usr/bin/cat\n/tools/mine\nran\n"
	if out != want || errs != "" {
		t.Errorf("the honest use: %q %q", out, errs)
	}
}

// TestHole04DirectoriesAreResolvedInTheView: links that lead to the host lead nowhere, and
// pwd -P, cd -P, cd - and CDPATH answer for the view.
func TestHole04DirectoriesAreResolvedInTheView(t *testing.T) {
	t.Parallel()
	host := t.TempDir()
	dir := t.TempDir()
	for _, d := range []string{"real/sub", "base/target"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"out": host, "up": "../../../../..", "link": "real", "inside": "/real/sub", "loop": "loop"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ script, out string }{
		{`cd out; echo $? $PWD; cd -P out; echo $? $PWD`, "1 /\n1 /\n"},
		{`cd loop; echo $? $PWD; cd -P loop; echo $? $PWD`, "1 /\n1 /\n"},
		{`cd -P up; echo $? $PWD; pwd -P; cd ../../..; pwd`, "0 /\n/\n/\n"},
		{`CDPATH=` + filepath.Dir(host) + `; cd ` + filepath.Base(host) + `; echo $? $PWD`, "1 /\n"},
		{`OLDPWD=` + host + `; cd -; echo $? $PWD`, "1 /\n"},
		{`HOME=` + host + `; cd; echo $? $PWD; pushd ` + host + `; echo $? $PWD`, "1 /\n1 /\n"},
		{`cd link/sub; pwd; pwd -P; cd -P .; pwd; cd - ; cd -P inside 2>/dev/null || cd -P /inside; pwd`, "/link/sub\n/real/sub\n/real/sub\n/link/sub\n/real/sub\n"},
		{`CDPATH=/base; cd target; pwd; cd -`, "/base/target\n/base/target\n/\n"},
	} {
		if out, _, exit := (stage{dir: dir}).play(t, c.script); out != c.out || exit.Err != nil {
			t.Errorf("%s: %q, want %q (%+v)", c.script, out, c.out, exit)
		}
	}
}

// TestHole08OwnersOfFilesOfAnyKind: -O, -G and -N ask for no user of the host and take every
// kind of file information.
func TestHole08OwnersOfFilesOfAnyKind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	out, errs, exit := stage{dir: dir}.play(t, `for f in /dev/null /dev/stdin /dev/fd/1 /dev /bin/cat /usr/bin / f; do [ -O $f ] && [[ -G $f ]]; echo "$f $?"; [ -N $f ]; done; [ -O missing ] || [ -G missing ] || [ -N missing ] || echo none`)
	want := "/dev/null 0\n/dev/stdin 0\n/dev/fd/1 0\n/dev 0\n/bin/cat 0\n/usr/bin 0\n/ 0\nf 0\nnone\n"
	if out != want || errs != "" || exit.Err != nil {
		t.Fatalf("%q %q %+v", out, errs, exit)
	}
}

// TestHole20WhatTheLibraryDoesNotHave: each of these answers, or says what to do instead.
func TestHole20WhatTheLibraryDoesNotHave(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		script, out, err string
	}{
		{`ulimit -n`, "77\n", ""},
		{`ulimit -n 500000; ulimit -n`, "77\n", "cannot modify limit"},
		{`ulimit -a | grep -c . 2>/dev/null || ulimit -t`, "30\n", ""},
		{`umask 027; umask; umask -S`, "0027\nu=rwx,g=rx,o=\n", ""},
		{`history; echo $?`, "1\n", "script file"},
		{`fc -l; echo $?`, "1\n", "script file"},
		{`enable -n echo; type -t echo; enable echo; type -t echo`, "file\nbuiltin\n", ""},
		{`complete -F f x; echo $?`, "1\n", "no line editing"},
		{`compgen -A function; f1() { :; }; compgen -A function f`, "f1\n", ""},
		{`bind x; echo $?`, "1\n", "no line editing"},
		{`f() { caller; }; f >/dev/null; caller; echo $?`, "1\n", ""},
		{`suspend; echo $?`, "1\n", "sleep"},
		{`logout; echo $?`, "1\n", "exit"},
		{`hash; hash cat; hash -t cat`, "hash: hash table empty\n/usr/bin/cat\n", ""},
		{`times`, "0m0.000s 0m0.000s\n0m0.000s 0m0.000s\n", ""},
	} {
		out, errs, exit := stage{limits: limits.Limits{Open: 77}}.play(t, c.script)
		if out != c.out || (c.err == "") != (errs == "") || !strings.Contains(errs, c.err) || exit.Err != nil {
			t.Errorf("%s: %q %q %+v", c.script, out, errs, exit)
		}
	}
}
