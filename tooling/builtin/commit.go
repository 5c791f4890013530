package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/seed-cf6d8d1b/swarm/internal/fault"
	"github.com/seed-cf6d8d1b/swarm/journal"
	"github.com/seed-cf6d8d1b/swarm/tooling"
	"github.com/seed-cf6d8d1b/swarm/workspace"
)

// DefaultCommitPath is the file that a commit without a path publishes: the message
// artifact of a profile that names none.
const DefaultCommitPath = "output/main.md"

// commitTimeout is how long the host has to answer (workspace spec §9).
const commitTimeout = 30 * time.Second

// Commit is a file that is published as output of a run. Its ID is the same at every
// repetition, so that a host can publish it once.
type Commit struct {
	ID      string
	Run     string
	By      string // agent path
	Number  int    // of the run's commits; 0 when it is not known
	Path    string
	Mode    string // replace, append
	Hash    string // SHA-256 of Content, hex
	Chars   int
	Reason  string
	Content []byte
}

// Committer is the host that takes what a run publishes. It may be asked again with the
// same ID and bytes. ref is its name for what it took, or empty. An error with the code
// "workspace.commit_rejected" says that it did not and will not take it; after any other
// error the outcome is unknown.
type Committer interface {
	Commit(ctx context.Context, c Commit) (ref string, err error)
}

// CommitTool gives the tool that publishes a file. Without a host, commits are recorded
// and accepted.
//
// Its Prepare leaves a *journal.CommitRequested both as the intent and as the state: the
// runtime sets its Number before it is recorded. After a restart the runtime may give
// Handle the recorded one as state; then the same bytes are sent, whatever has become of
// the file. Without a state Handle prepares anew.
func CommitTool(host Committer) tooling.Tool {
	return tooling.Tool{
		Descriptor: tooling.Descriptor{
			ID:          tooling.IDCommit,
			Description: "Publish a file of the workspace as the output of the run. Nothing else becomes output.",
			Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{` +
				`"path":{"type":"string","default":"` + DefaultCommitPath + `","description":"File to publish."},` +
				`"mode":{"type":"string","enum":["replace","append"],"default":"replace","description":"Replace the output of the run, or extend it."},` +
				`"reason":{"type":"string","minLength":1,"maxLength":500,"description":"Why now, for the record."}}}`),
			Effect: tooling.Effect{Class: tooling.Write, Idempotent: true}, Again: tooling.AgainYes,
			GateKey: gateWorkspace, Exposure: tooling.UserTool, New: true, Condition: tooling.Owner,
			Timeout: commitTimeout,
		},
		Prepare: func(ctx context.Context, c *tooling.Call) (tooling.Intent, *tooling.Result) {
			req, _, err := prepareCommit(ctx, c)
			if err != nil {
				r := fileFault(err)
				return tooling.Intent{}, &r
			}
			return tooling.Intent{Commit: req, State: req}, nil
		},
		Handle: func(ctx context.Context, c *tooling.Call) tooling.Result { return commitFile(ctx, c, host) },
	}
}

// prepareCommit makes the checks of a commit.
func prepareCommit(ctx context.Context, c *tooling.Call) (*journal.CommitRequested, []byte, error) {
	p := argText(c.Args, "path")
	if p == "" {
		p = DefaultCommitPath
	}
	f, err := c.View.File(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	if limit := c.View.Limits().FileBytes; f.Size > limit {
		return nil, nil, fault.New("workspace.quota_exceeded", "%s has %s, the limit is %s (setting workspace.limits.file)",
			f.Path, workspace.Count(f.Size, "byte"), workspace.Grouped(limit))
	}
	if !workspace.IsText(f.Content) {
		return nil, nil, fault.New("workspace.not_text", "%s is not a UTF-8 text but %s of %s; only a text can be published",
			f.Path, workspace.Kind(f.Content), workspace.Count(len(f.Content), "byte"))
	}
	body := strings.TrimPrefix(string(f.Content), "\ufeff")
	if strings.TrimSpace(body) == "" {
		return nil, nil, fault.New("workspace.required_artifact_empty", "%s is blank; write the output there before you publish it", f.Path)
	}
	req := &journal.CommitRequested{
		Commit: c.Key, Path: f.Path, Mode: "replace", Hash: f.Hash, Chars: workspace.Chars(string(f.Content)), Reason: argText(c.Args, "reason"),
	}
	if argText(c.Args, "mode") == "append" {
		req.Mode = "append"
	}
	return req, f.Content, nil
}

type commitDone struct {
	Commit string `json:"commit"`
	Number int    `json:"number"`
	Path   string `json:"path"`
	Mode   string `json:"mode"`
	Ref    string `json:"ref,omitempty"`
	SHA256 string `json:"sha256"`
	Chars  int    `json:"chars"`
	Words  int    `json:"words"`
}

func commitFile(ctx context.Context, c *tooling.Call, host Committer) tooling.Result {
	req, content, err := requested(ctx, c)
	if err != nil {
		r := fileFault(err)
		r.Commit = &journal.CommitSettled{Commit: c.Key, Outcome: journal.Failed, Reason: "not sent: " + r.Content}
		return r
	}
	ref := ""
	if host != nil {
		ref, err = host.Commit(ctx, Commit{
			ID: req.Commit, Run: c.Run, By: c.Path, Number: req.Number, Path: req.Path, Mode: req.Mode,
			Hash: req.Hash, Chars: req.Chars, Reason: req.Reason, Content: content,
		})
	}
	if err != nil {
		return commitFailed(req, err)
	}
	out := commitDone{
		Commit: req.Commit, Number: req.Number, Path: req.Path, Mode: req.Mode, Ref: ref,
		SHA256: req.Hash, Chars: req.Chars, Words: workspace.Words(string(content)),
	}
	done := fmt.Sprintf("published %s (%s): %s, %s", out.Path, out.Mode, workspace.Count(out.Chars, "character"), workspace.Count(out.Words, "word"))
	if ref != "" {
		done += ", " + workspace.Visible(ref)
	}
	return tooling.Result{
		Content: done, Structured: out,
		Commit: &journal.CommitSettled{Commit: req.Commit, Outcome: journal.Completed, Ref: ref},
	}
}

// requested gives what was promised before the dispatch, with its bytes.
func requested(ctx context.Context, c *tooling.Call) (*journal.CommitRequested, []byte, error) {
	req, ok := c.State.(*journal.CommitRequested)
	if !ok || req == nil {
		return prepareCommit(ctx, c)
	}
	content, err := c.View.Content(ctx, req.Hash)
	return req, content, err
}

func commitFailed(req *journal.CommitRequested, err error) tooling.Result {
	settled := &journal.CommitSettled{Commit: req.Commit, Outcome: journal.Unknown, Reason: err.Error()}
	var e *fault.Error
	if errors.As(err, &e) {
		settled.Reason = faultText(e)
	}
	if fault.Code(err) == "workspace.commit_rejected" {
		settled.Outcome = journal.Failed
		r := tooling.Fail("workspace.commit_rejected", fmt.Sprintf("the host did not take %s: %s", req.Path, settled.Reason))
		r.Commit = settled
		return r
	}
	r := tooling.Fail("workspace.commit_unknown", fmt.Sprintf("the host gave no answer on %s (%s); it may have been published or not. Do not count on either.", req.Path, settled.Reason))
	r.Outcome, r.Commit = journal.Unknown, settled
	return r
}
