package workspace

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// tree makes files below a new directory; a content "-> x" makes a link to x.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, ok := strings.CutPrefix(content, "-> "); ok {
			err = os.Symlink(target, p)
		} else {
			err = os.WriteFile(p, []byte(content), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func mounted(t *testing.T, cut []string, specs ...MountSpec) *View {
	t.Helper()
	m, err := OpenMounts(specs, cut)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return NewView(ViewOptions{Mounts: m})
}

func TestMountRead(t *testing.T) {
	t.Parallel()
	outside := tree(t, map[string]string{"secret": "s", "dir/x": "s"})
	dir := tree(t, map[string]string{
		"a.txt": "hello\n", "sub/b.txt": "b", ".env": "s", "sub/.env.local": "s", "sub/KEY.PEM": "s", "sub/id_rsa": "s",
		".git/config": "s", ".git/HEAD": "ref", ".git/hooks/pre/x": "s", ".gitignore": "ignored\n", "ignored": "yes",
		"in": "-> sub/b.txt", "indir": "-> sub", "up": "-> sub/../a.txt", "dot": "-> .", "out": "-> " + outside + "/secret",
		"outdir": "-> ../" + filepath.Base(outside) + "/dir", "tosecret": "-> .env", "loop": "-> loop2", "loop2": "-> loop", "gone": "-> nowhere",
		"data/db": "s", "todata": "-> data", "sub/abs": "-> /etc/hostname",
	})
	if err := os.Symlink(filepath.Join(dir, "a.txt"), filepath.Join(dir, "absin")); err != nil {
		t.Fatal(err)
	}
	v := mounted(t, []string{filepath.Join(dir, "data")}, MountSpec{Host: dir, At: "proj"})
	strict := mounted(t, nil, MountSpec{Host: dir, At: "proj", Symlinks: "none", Roots: []string{"sub", "in"}, Hidden: []string{"+*.md"}})
	for name, row := range map[string]struct {
		v    *View
		path string
		code string
		want string
	}{
		"file":                        {v, "a.txt", "", "hello\n"},
		"below":                       {v, "sub/./b.txt", "", "b"},
		"parent inside":               {v, "sub/../a.txt", "", "hello\n"},
		"absolute":                    {v, filepath.Join(dir, "a.txt"), "", "hello\n"},
		"files-3 absolute outside":    {v, "/etc/passwd", codeNotVisible, ""},
		"files-3 absolute by dots":    {v, dir + "/../" + filepath.Base(outside) + "/secret", codeNotVisible, ""},
		"files-3 parent":              {v, "../x", codeInvalidPath, ""},
		"files-5 directory":           {v, "sub", codeIsDirectory, ""},
		"files-5 the mount":           {v, ".", codeIsDirectory, ""},
		"missing":                     {v, "b.txt", codeFileNotFound, ""},
		"missing directory":           {v, "x/b.txt", codeFileNotFound, ""},
		"below a file":                {v, "a.txt/b", codeNotDirectory, ""},
		"link inside":                 {v, "in", "", "b"},
		"link to a directory":         {v, "indir/b.txt", "", "b"},
		"link with dots":              {v, "up", "", "hello\n"},
		"link to the mount":           {v, "dot/dot/a.txt", "", "hello\n"},
		"absolute link inside":        {v, "absin", "", "hello\n"},
		"files-3 link out":            {v, "out", codeEscape, ""},
		"files-3 link out in between": {v, "outdir/x", codeEscape, ""},
		"files-3 absolute link out":   {v, "sub/abs", codeEscape, ""},
		"link round":                  {v, "loop", codeEscape, ""},
		"link to nothing":             {v, "gone", codeFileNotFound, ""},
		"hidden":                      {v, ".env", codeNotVisible, ""},
		"hidden below":                {v, "sub/.env.local", codeNotVisible, ""},
		"hidden in capitals":          {v, "sub/KEY.PEM", codeNotVisible, ""},
		"hidden key":                  {v, "sub/id_rsa", codeNotVisible, ""},
		"hidden, absent":              {v, "x/id_rsa", codeNotVisible, ""},
		"hidden config":               {v, ".git/config", codeNotVisible, ""},
		"hidden hooks":                {v, ".git/hooks/pre/x", codeNotVisible, ""},
		"hidden through a link":       {v, "tosecret", codeNotVisible, ""},
		"git, by exact path":          {v, ".git/HEAD", "", "ref"},
		"ignored, by exact path":      {v, "ignored", "", "yes"},
		"cut out":                     {v, "data/db", codeNotVisible, ""},
		"cut out, in capitals":        {v, "DATA/db", codeNotVisible, ""},
		"cut out, through a link":     {v, "todata/db", codeNotVisible, ""},
		"not in the roots":            {strict, "a.txt", codeNotVisible, ""},
		"in the roots":                {strict, "sub/b.txt", "", "b"},
		"links refused":               {strict, "in", codeEscape, ""},
		"hidden list is kept by plus": {strict, "sub/id_rsa", codeNotVisible, ""},
		"hidden by plus":              {strict, "sub/x.md", codeNotVisible, ""},
		"no mount":                    {NewView(ViewOptions{}), "a", codeNotVisible, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := row.v.MountRead(t.Context(), row.path, Range{})
			wantCode(t, err, row.code)
			if err != nil {
				if strings.Contains(err.Error(), outside) || strings.Contains(err.Error(), "secret\"") {
					t.Errorf("the error shows too much: %v", err)
				}
				return
			}
			if got.Text != row.want || !got.Full || !strings.HasPrefix(got.Observed[0].Path, "proj:") {
				t.Errorf("got %q, %+v", got.Text, got.Observed)
			}
		})
	}
}

func TestOpenMountsErrors(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"a/x": "", "file": ""})
	a := filepath.Join(dir, "a")
	other := t.TempDir()
	for name, row := range map[string]struct {
		specs []MountSpec
		cut   []string
		text  string
	}{
		"read-write":       {[]MountSpec{{Host: a, Mode: "read-write"}}, nil, "not in this version"},
		"other mode":       {[]MountSpec{{Host: a, Mode: "rw"}}, nil, `"rw"`},
		"other links":      {[]MountSpec{{Host: a, Symlinks: "all"}}, nil, "symlinks"},
		"missing":          {[]MountSpec{{Host: filepath.Join(dir, "b")}}, nil, filepath.Join(dir, "b")},
		"a file":           {[]MountSpec{{Host: filepath.Join(dir, "file")}}, nil, "cannot be opened"},
		"relative":         {[]MountSpec{{Host: "a"}}, nil, "absolute"},
		"bad name":         {[]MountSpec{{Host: a, At: "x/y"}}, nil, "segment"},
		"colon in a name":  {[]MountSpec{{Host: a, At: "xx:y"}}, nil, "segment"},
		"same name":        {[]MountSpec{{Host: a, At: "m"}, {Host: other, At: "M"}}, nil, "taken"},
		"nested":           {[]MountSpec{{Host: a, At: "m"}, {Host: dir, At: "n"}}, nil, "overlaps"},
		"in what is cut":   {[]MountSpec{{Host: a}}, []string{dir}, "never visible"},
		"bad hidden":       {[]MountSpec{{Host: a, Hidden: []string{"[a"}}}, nil, "hidden glob"},
		"root that leaves": {[]MountSpec{{Host: a, Roots: []string{"../x"}}}, nil, "root"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := OpenMounts(row.specs, row.cut)
			wantCode(t, err, "workspace.mount_invalid")
			wantIn(t, err.Error(), row.text)
			if m != nil {
				t.Error("mounts and an error")
			}
		})
	}
}

func TestSeveralMounts(t *testing.T) {
	t.Parallel()
	one := tree(t, map[string]string{"a.txt": "one needle", "sub/b.txt": "x"})
	two := tree(t, map[string]string{"a.txt": "two needle"})
	v := mounted(t, nil, MountSpec{Host: two, At: "two"}, MountSpec{Host: one, At: "one"})
	if names := v.Mounts().Names(); !slices.Equal(names, []string{"one", "two"}) {
		t.Errorf("names %v", names)
	}
	got, err := v.MountRead(t.Context(), "two/a.txt", Range{})
	wantCode(t, err, "")
	if got.Text != "two needle" || got.Path != "two/a.txt" || got.Observed[0].Path != "two:a.txt" {
		t.Errorf("got %+v", got)
	}
	got, err = v.MountRead(t.Context(), filepath.Join(one, "a.txt"), Range{})
	wantCode(t, err, "")
	if got.Path != "one/a.txt" {
		t.Errorf("got %+v", got)
	}
	_, err = v.MountRead(t.Context(), "a.txt", Range{})
	wantCode(t, err, codeNotVisible)
	wantIn(t, err.Error(), "one, two")
	_, err = v.MountRead(t.Context(), "one/../../x", Range{})
	wantCode(t, err, codeInvalidPath)
	_, err = v.MountRead(t.Context(), "one/../two/a.txt", Range{})
	wantCode(t, err, codeInvalidPath)
	found, err := v.Grep(t.Context(), SearchQuery{Query: "needle", Mode: Regex})
	wantCode(t, err, "")
	if found.Total != 2 || found.Hits[1].Path != "two/a.txt" {
		t.Errorf("got %+v", found)
	}
	globbed, err := v.Glob(t.Context(), GlobQuery{Pattern: "**/*.txt", Path: "one"})
	wantCode(t, err, "")
	if !slices.Equal(globbed.Paths, []string{"one/a.txt", "one/sub/b.txt"}) {
		t.Errorf("got %v", globbed.Paths)
	}

	narrow, err := v.Mounts().Narrow([]MountRoots{{At: "one", Roots: []string{"sub"}}})
	wantCode(t, err, "")
	nv := NewView(ViewOptions{Mounts: narrow})
	_, err = nv.MountRead(t.Context(), "a.txt", Range{})
	wantCode(t, err, codeNotVisible)
	_, err = nv.MountRead(t.Context(), "sub/b.txt", Range{})
	wantCode(t, err, "")
	_, err = narrow.Narrow([]MountRoots{{At: "one", Roots: []string{"other"}}})
	wantCode(t, err, "workspace.mount_invalid")
	_, err = narrow.Narrow([]MountRoots{{At: "two"}})
	wantCode(t, err, "workspace.mount_invalid")
}

// A mount stays on its directory when the path is renamed.
func TestMountKeepsItsDirectory(t *testing.T) {
	t.Parallel()
	base := tree(t, map[string]string{"m/a.txt": "right", "other/a.txt": "wrong"})
	v := mounted(t, nil, MountSpec{Host: filepath.Join(base, "m")})
	for _, mv := range [][2]string{{"m", "old"}, {"other", "m"}} {
		if err := os.Rename(filepath.Join(base, mv[0]), filepath.Join(base, mv[1])); err != nil {
			t.Fatal(err)
		}
	}
	got, err := v.MountRead(t.Context(), "a.txt", Range{})
	wantCode(t, err, "")
	if got.Text != "right" {
		t.Errorf("got %q", got.Text)
	}
}

// files-3: a directory that turns into a link while it is used never leads out, nor to
// what is hidden inside.
func TestSwappedLink(t *testing.T) {
	t.Parallel()
	outside := tree(t, map[string]string{"x": "outside"})
	for name, target := range map[string]string{"out of the mount": outside, "to a hidden directory": "hidden"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := tree(t, map[string]string{"real/x": "inside", "hidden/x": "hidden"})
			d := filepath.Join(dir, "d")
			v := mounted(t, nil, MountSpec{Host: dir, Hidden: []string{"hidden"}})
			ctx, stop := context.WithCancel(t.Context())
			var wg sync.WaitGroup
			wg.Go(func() {
				for ctx.Err() == nil {
					_ = os.Rename(filepath.Join(dir, "real"), d)
					runtime.Gosched()
					_ = os.Rename(d, filepath.Join(dir, "real"))
					_ = os.Symlink(target, d)
					runtime.Gosched()
					_ = os.Remove(d)
				}
			})
			for range 3000 {
				got, err := v.MountRead(t.Context(), "d/x", Range{})
				switch {
				case err == nil && got.Text != "inside":
					t.Errorf("read %q", got.Text)
				case err != nil && !slices.Contains([]string{codeEscape, codeNotVisible, codeFileNotFound, codePathNotFound}, fault.Code(err)):
					t.Errorf("%v", err)
				}
			}
			stop()
			wg.Wait()
		})
	}
}

func TestGlob(t *testing.T) {
	t.Parallel()
	outside := tree(t, map[string]string{"secret.go": "s"})
	dir := tree(t, map[string]string{
		"a.go": "", "a-b.go": "", "a/b.go": "", "a/c/d.go": "", "README.md": "", ".env": "", "keys/id_x.go": "",
		".gitignore": "*.log\n/build/\n!keep.log\n", "x.log": "", "keep.log": "", "build/out.go": "", "a/build/in.go": "",
		"a/.gitignore": "c/\n", ".git/HEAD": "", ".git/config": "", "link.go": "-> a.go", "out.go": "-> " + outside + "/secret.go",
		"linkdir": "-> a",
	})
	v := mounted(t, nil, MountSpec{Host: dir})
	plain := mounted(t, nil, MountSpec{Host: dir, Ignore: []string{"*.md"}})
	added := mounted(t, nil, MountSpec{Host: dir, Ignore: []string{"+*.md"}})
	for name, row := range map[string]struct {
		v    *View
		q    GlobQuery
		code string
		want string
	}{
		"all go":                    {v, GlobQuery{Pattern: "**/*.go"}, "", "a-b.go a.go a/b.go a/build/in.go link.go"},
		"top level":                 {v, GlobQuery{Pattern: "*.go"}, "", "a-b.go a.go link.go"},
		"braces":                    {v, GlobQuery{Pattern: "{a,x}.{go,log}"}, "", "a.go"},
		"part of the path":          {v, GlobQuery{Pattern: "readme"}, "", "README.md"},
		"not ignored by negation":   {v, GlobQuery{Pattern: "**/*.log"}, "", "keep.log"},
		"names what is ignored":     {v, GlobQuery{Pattern: "build/*"}, "", "build/out.go"},
		"names an ignored file":     {v, GlobQuery{Pattern: "x.log"}, "", "x.log"},
		"names git":                 {v, GlobQuery{Pattern: ".git/*"}, "", ".git/HEAD"},
		"never hidden":              {v, GlobQuery{Pattern: ".env"}, "", ""},
		"begins at a directory":     {v, GlobQuery{Pattern: "*.go", Path: "a"}, "", "a/b.go"},
		"begins in what is ignored": {v, GlobQuery{Pattern: "*.go", Path: "build"}, "", "build/out.go"},
		"begins at a link":          {v, GlobQuery{Pattern: "*.go", Path: "linkdir"}, "", "a/b.go"},
		"limit":                     {v, GlobQuery{Pattern: "**/*.go", Limit: 2}, "", "a-b.go a.go"},
		"own ignore list":           {plain, GlobQuery{Pattern: "**/*.{md,log}"}, "", "keep.log x.log"},
		"added to the files":        {added, GlobQuery{Pattern: "**/*.{md,log}"}, "", "keep.log"},
		"bad pattern":               {v, GlobQuery{Pattern: "[a"}, "workspace.pattern_invalid", ""},
		"missing":                   {v, GlobQuery{Pattern: "*", Path: "nowhere"}, codePathNotFound, ""},
		"hidden start":              {v, GlobQuery{Pattern: "*", Path: ".env"}, codeNotVisible, ""},
		"files-3 parent":            {v, GlobQuery{Pattern: "*", Path: "../x"}, codeInvalidPath, ""},
		"files-3 link out":          {v, GlobQuery{Pattern: "*", Path: "out.go"}, codeEscape, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := row.v.Glob(t.Context(), row.q)
			wantCode(t, err, row.code)
			if err == nil && strings.Join(got.Paths, " ") != row.want {
				t.Errorf("got %v, want %s", got.Paths, row.want)
			}
			if err == nil && got.Truncated != (got.Total > len(got.Paths)) {
				t.Errorf("truncated %v, total %d", got.Truncated, got.Total)
			}
		})
	}
}

func TestGrep(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{
		"b.go": "x\nfunc Needle() {}\n", "a/c.go": "needle\n", "bin": "needle\x00\x00\x00\x00\x00\xff", ".env": "needle",
		".gitignore": "gen\n", "gen/g.go": "needle\n", "n.md": "a.b\naxb\n", "todata": "-> data", "data/f": "needle",
	})
	v := mounted(t, []string{filepath.Join(dir, "data")}, MountSpec{Host: dir})
	for name, row := range map[string]struct {
		q    SearchQuery
		code string
		want string
	}{
		"in order":           {SearchQuery{Query: "(?i)needle", Mode: Regex}, "", "a/c.go:1 b.go:2"},
		"ignore case":        {SearchQuery{Query: "NEEDLE", Mode: PlainLiteral, IgnoreCase: true}, "", "a/c.go:1 b.go:2"},
		"case":               {SearchQuery{Query: "needle", Mode: Regex}, "", "a/c.go:1"},
		"literal":            {SearchQuery{Query: "a.b", Mode: PlainLiteral}, "", "n.md:1"},
		"regex":              {SearchQuery{Query: "a.b", Mode: Regex}, "", "n.md:1 n.md:2"},
		"one file":           {SearchQuery{Query: "needle", Mode: Regex, Path: "a/c.go"}, "", "a/c.go:1"},
		"glob":               {SearchQuery{Query: "(?i)needle", Mode: Regex, Glob: "b.*"}, "", "b.go:2"},
		"glob names ignored": {SearchQuery{Query: "needle", Mode: Regex, Glob: "gen/*.go"}, "", "gen/g.go:1"},
		"hidden file":        {SearchQuery{Query: "needle", Mode: Regex, Path: ".env"}, codeNotVisible, ""},
		"cut out":            {SearchQuery{Query: "needle", Mode: Regex, Path: "todata"}, codeNotVisible, ""},
		"bad pattern":        {SearchQuery{Query: "(", Mode: Regex}, "workspace.pattern_invalid", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := v.Grep(t.Context(), row.q)
			wantCode(t, err, row.code)
			if err != nil {
				return
			}
			var hits []string
			for _, h := range got.Hits {
				hits = append(hits, h.Path+":"+Grouped(h.Line))
			}
			if strings.Join(hits, " ") != row.want {
				t.Errorf("got %v, want %s", hits, row.want)
			}
		})
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, err := v.Grep(ctx, SearchQuery{Query: "x"})
	wantCode(t, err, "tool.cancelled")
}

// What is not there yet is cut out all the same, and nothing is searched outside the roots.
func TestRootsAndCutsOfAWalk(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"a/x.go": "needle", "a/deep/y.go": "needle", "b/z.go": "needle", "c.go": "needle"})
	v := mounted(t, []string{filepath.Join(dir, "later", "data")}, MountSpec{Host: dir, Roots: []string{"a/deep", "c.go"}})
	if err := os.MkdirAll(filepath.Join(dir, "later", "data"), 0o755); err != nil {
		t.Fatal(err)
	}
	got, err := v.Glob(t.Context(), GlobQuery{Pattern: "**"})
	wantCode(t, err, "")
	if want := []string{"a/deep/y.go", "c.go"}; !slices.Equal(got.Paths, want) {
		t.Errorf("got %v", got.Paths)
	}
	found, err := v.Grep(t.Context(), SearchQuery{Query: "needle", Mode: Regex, Path: "a"})
	wantCode(t, err, "")
	if found.Total != 1 || found.Hits[0].Path != "a/deep/y.go" {
		t.Errorf("got %+v", found)
	}
	_, err = v.Grep(t.Context(), SearchQuery{Query: "needle", Mode: Regex, Path: "b"})
	wantCode(t, err, codeNotVisible)
	_, err = v.MountRead(t.Context(), "later/data/db", Range{})
	wantCode(t, err, codeNotVisible)
}

func TestTooLargeInAMount(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"big": strings.Repeat("needle", 10)})
	v := NewView(ViewOptions{Mounts: mounted(t, nil, MountSpec{Host: dir}).Mounts(), Limits: Limits{FileBytes: 50}})
	_, err := v.MountRead(t.Context(), "big", Range{})
	wantCode(t, err, "workspace.quota_exceeded")
	found, err := v.Grep(t.Context(), SearchQuery{Query: "needle", Mode: Regex})
	wantCode(t, err, "")
	if found.Total != 0 || found.Skipped != 1 {
		t.Errorf("got %+v", found)
	}
}
