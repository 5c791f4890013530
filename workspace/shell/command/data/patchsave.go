package data

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/workspace/shell/view"
)

// finish reports, and writes the file and what was rejected.
func (p *patcher) finish(f *filePatch, name, to, old string, exists bool, mode fs.FileMode, result applied) int {
	failed, grown, word := result.rejected, result.grown, "FAILED"
	if result.reversed {
		p.skipped()
		failed, grown, word = nil, make([]int, len(f.hunks)), "ignored"
		for i := range f.hunks {
			failed = append(failed, i)
		}
	}
	for _, line := range result.report {
		if !p.silent || strings.Contains(line, "FAILED") {
			fmt.Fprintln(p.c.Out, line)
		}
	}
	out := to
	if p.output != "" {
		out = p.output
	}
	if len(failed) > 0 {
		p.code = 1
		reject := p.rejectFile
		if reject == "" {
			reject = out + ".rej"
		}
		plural := "s"
		if len(f.hunks) == 1 {
			plural = ""
		}
		text := fmt.Sprintf("%d out of %d hunk%s %s", len(failed), len(f.hunks), plural, word)
		if !p.dry && reject != "-" {
			text += " -- saving rejects to file " + quoteName(reject)
			if err := p.write(reject, rejects(f, failed, grown), 0o644); err != nil {
				return p.fatal(fmt.Sprintf("Can't create file %s : %s", reject, view.Text(err)))
			}
		}
		fmt.Fprintln(p.c.Out, text)
	}
	if p.dry || result.reversed {
		return 0
	}
	if err := p.save(f, name, to, out, old, exists, mode, result); err != nil {
		return p.fatal(fmt.Sprintf("Can't write file %s : %s", out, view.Text(err)))
	}
	return 0
}

// skipped says that a patch is in already. There is nobody to ask.
func (p *patcher) skipped() {
	if p.forward {
		fmt.Fprintln(p.c.Out, p.detected()+"  Skipping patch.")
		return
	}
	question := "Assume -R? [n] "
	if p.reverse {
		question = "Ignore -R? [n] "
	}
	fmt.Fprintln(p.c.Out, p.detected()+"  "+question+"\nApply anyway? [n] \nSkipping patch.")
}

func (p *patcher) save(f *filePatch, name, to, out, old string, exists bool, mode fs.FileMode, result applied) error {
	if p.output == "-" {
		_, err := io.WriteString(p.c.Out, result.text)
		return err
	}
	if p.output == "" && (p.backup || p.keepMismatch && result.mismatch) {
		if err := p.write(to+p.suffix, old, mode); err != nil {
			return err
		}
	}
	switch {
	case p.output != "":
		if p.written { // several files go into one
			before, err := readAll(p.c, out)
			if err != nil {
				return err
			}
			result.text = before + result.text
		}
		p.written = true
	case result.text == "" && (f.newNone || p.removeEmpty):
		if !exists {
			return nil
		}
		return p.remove(name)
	case f.newNone && len(result.rejected) == 0 && result.text != "":
		p.say("Not deleting file %s as content differs from patch", quoteName(name))
		p.code = 1
	}
	if result.text == old && exists && out == name && f.mode == "" {
		return nil
	}
	if err := p.write(out, result.text, mode); err != nil {
		return err
	}
	if f.rename && to != name && p.output == "" {
		return p.remove(name)
	}
	return nil
}

// remove removes a file and the directories that it leaves empty.
func (p *patcher) remove(name string) error {
	if err := p.c.FS.Remove(p.c.Abs(name)); err != nil {
		return err
	}
	for dir := path.Dir(name); dir != "." && dir != "/" && p.c.FS.Remove(p.c.Abs(dir)) == nil; dir = path.Dir(dir) {
	}
	return nil
}

// write writes a whole file, and makes the directories above it.
func (p *patcher) write(name, text string, mode fs.FileMode) error {
	full := p.c.Abs(name)
	var missing []string
	for dir := path.Dir(full); dir != "/" && dir != "."; dir = path.Dir(dir) {
		if _, err := p.c.FS.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		missing = append(missing, dir)
	}
	for i := len(missing) - 1; i >= 0; i-- {
		if err := p.c.FS.Mkdir(missing[i], 0o755); err != nil {
			return err
		}
	}
	f, err := p.c.FS.Open(full, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, text)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}
