package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
)

// Blobs gives contents by their hash.
type Blobs interface {
	GetBlob(ctx context.Context, hash string) ([]byte, error)
}

// ViewOptions are what a [View] shows. The zero value is an empty workspace with the
// default roots and limits.
type ViewOptions struct {
	Manifest *Manifest
	Roots    Roots
	Mounts   *Mounts // nil: none
	Reads    ReadState
	Blobs    Blobs // needed when Manifest is not empty
	Limits   Limits
	Agent    string           // path of the invocation; it sees its own tool results whatever Roots say
	Written  int64            // bytes that the run has written before
	Now      func() time.Time // for the time bound of searches; nil: time.Now
}

// View is the files of a run as one invocation sees them at one moment. It is
// immutable and safe for concurrent use. Its methods change nothing: [View.Write] and
// [View.Patch] give back the checked [Change], and what a call observed goes into the
// record of its settlement.
type View struct{ o ViewOptions }

// NewView makes a view.
func NewView(o ViewOptions) *View {
	o.Roots = o.Roots.orDefault()
	o.Limits = o.Limits.orDefault()
	own := ToolResults + "/calls/" + o.Agent[strings.LastIndexByte(o.Agent, '/')+1:]
	if o.Agent != "" && o.Manifest.hasDir(own) {
		o.Roots = o.Roots.AndVisible(own)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &View{o}
}

// Manifest gives all files of the workspace, also those that the view hides.
func (v *View) Manifest() *Manifest { return v.o.Manifest }

// Roots gives the roots of the view.
func (v *View) Roots() Roots { return v.o.Roots }

// Mounts gives the mounts of the view; nil when it has none.
func (v *View) Mounts() *Mounts { return v.o.Mounts }

// Limits gives the limits of the view, defaults filled in.
func (v *View) Limits() Limits { return v.o.Limits }

// Left gives the bytes that the run may still write.
func (v *View) Left() int64 { return max(0, v.o.Limits.RunBytes-v.o.Written) }

// Agent gives the path of the invocation.
func (v *View) Agent() string { return v.o.Agent }

// File is one file with its content.
type File struct {
	Path string
	Entry
	Content []byte
}

// File gives a file of the run workspace with its content, text or not.
func (v *View) File(ctx context.Context, path string) (File, error) {
	p, real, e, err := v.lookup(path)
	if err != nil {
		return File{}, err
	}
	b, err := v.content(ctx, real, e)
	return File{Path: p, Entry: e, Content: b}, err
}

// Content gives bytes by their hash, whatever file holds them.
func (v *View) Content(ctx context.Context, hash string) ([]byte, error) {
	return v.blob(ctx, "the content "+Short(hash), hash)
}

// visible checks a path for reading; "" is the root of the workspace.
func (v *View) visible(path string) (string, error) {
	p, err := ParsePath(path)
	if err != nil {
		return "", err
	}
	if p != "" && !v.o.Roots.CanSee(p) {
		return "", fault.New(codeNotVisible, "%s is not visible here; visible: %s", p, names(v.o.Roots.Visible))
	}
	return p, nil
}

// lookup finds a visible file, and the path that it has when links lead to it.
func (v *View) lookup(path string) (p, real string, e Entry, err error) {
	if p, err = v.visible(path); err != nil {
		return "", "", Entry{}, err
	}
	if real, err = v.follow(p); err != nil {
		return "", "", Entry{}, err
	}
	e, err = v.entry(real)
	return p, real, e, err
}

// entry gives the entry of a checked path.
func (v *View) entry(p string) (Entry, error) {
	e, ok := v.o.Manifest.Get(p)
	if ok && e.Kind == "" {
		return e, nil
	}
	if err := v.notDirectory(p); err != nil {
		return Entry{}, err
	}
	if err := v.parentIsFile(p); err != nil {
		return Entry{}, err
	}
	return Entry{}, v.notFound(codeFileNotFound, p)
}

// notDirectory fails when p is a directory. A visible root is one even when it is empty.
func (v *View) notDirectory(p string) error {
	if p == "" {
		return fault.New(codeIsDirectory, "this is the root of the workspace, a file is needed")
	}
	if v.o.Manifest.hasDir(p) || slices.Contains(v.o.Roots.Visible, p) {
		return fault.New(codeIsDirectory, "%s is a directory, a file is needed", p)
	}
	return nil
}

// parentIsFile fails when a directory that p lies in is a visible file.
func (v *View) parentIsFile(p string) error {
	for i := range len(p) {
		if p[i] != '/' || !v.o.Roots.CanSee(p[:i]) {
			continue
		}
		if e, ok := v.o.Manifest.Get(p[:i]); ok && e.Kind != KindDir {
			return fault.New(codeNotDirectory, "%s is a file, so %s cannot be below it", p[:i], p)
		}
	}
	return nil
}

func (v *View) notFound(code, p string) error {
	if near := v.clash(p); near != "" {
		return fault.New(code, "%s does not exist; there is %s, which differs in case or normal form only", p, near)
	}
	return fault.New(code, "%s does not exist", p)
}

// clash gives an existing visible path that differs from a part of p only in case or
// normal form, or "".
func (v *View) clash(p string) string {
	for other := range v.o.Manifest.All() {
		if c := clash(p, other); c != "" && v.o.Roots.CanSee(c) {
			return c
		}
	}
	return ""
}

func (v *View) content(ctx context.Context, p string, e Entry) ([]byte, error) {
	if e.Size == 0 {
		return nil, nil
	}
	return v.blob(ctx, p, e.Hash)
}

func (v *View) blob(ctx context.Context, subject, hash string) ([]byte, error) {
	if v.o.Blobs == nil {
		return nil, fault.New("workspace.storage_failed", "%s: no store of contents was given", subject)
	}
	b, err := v.o.Blobs.GetBlob(ctx, hash)
	switch {
	case err == nil:
		return b, nil
	case fault.Code(err) == "workspace.content_expired":
		return nil, err
	case ctx.Err() != nil:
		return nil, stopped(ctx.Err(), subject)
	}
	return nil, fault.Wrap(err, "workspace.storage_failed", "%s: its content %s cannot be read", subject, Short(hash))
}

// textContent gives the content of a file that a text tool may handle.
func (v *View) textContent(ctx context.Context, p string, e Entry) (string, error) {
	if e.Size > v.o.Limits.FileBytes {
		return "", tooLarge(p, int64(e.Size), v.o.Limits)
	}
	b, err := v.content(ctx, p, e)
	if err != nil {
		return "", err
	}
	if !IsText(b) {
		return "", notText(p, b)
	}
	return string(b), nil
}

func notText(p string, b []byte) error {
	return fault.New("workspace.not_text", "%s is not a UTF-8 text but %s of %s; text tools cannot change or publish it",
		p, Kind(b), Count(len(b), "byte"))
}

func tooLarge(p string, size int64, l Limits) error {
	return fault.New("workspace.quota_exceeded", "%s has %s bytes, the limit of text tools is %s (setting workspace.limits.file)",
		p, Grouped(size), Grouped(l.FileBytes))
}

// stopped gives the error of a call whose context ended.
func stopped(cause error, subject string) error {
	if errors.Is(cause, context.DeadlineExceeded) {
		return fault.Wrap(cause, "tool.timeout", "%s: stopped by the time limit", subject)
	}
	return fault.Wrap(cause, "tool.cancelled", "%s: cancelled", subject)
}

// HashOf gives the hex SHA-256 of a content, as an [Entry] has it.
func HashOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
