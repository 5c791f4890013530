package modeltest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-cf6d8d1b/swarm/model"
)

// Outcome is what a stream or a body of a server must lead to: an answer, or an error when
// Code is set.
type Outcome struct {
	Text      string
	Calls     []string // "name id arguments as they arrived"
	Finish    model.Finish
	Reasoning string
	Native    string // how many native parts, "" for none; or what [Deviations].Natives says
	Usage     string // "input/output", "" unknown

	Class  model.Class
	Code   string
	Detail string // is in the error's text

	ID string // of a case of CASES.md, when there is one
}

// Check compares what a provider gave with what is wanted and gives the difference, "" for
// none. natives says what the native parts of an answer are; nil: how many.
func (o Outcome) Check(a *model.Answer, err error, natives func(*model.Answer) string) string {
	if o.Code != "" {
		var e *model.Error
		if !errors.As(err, &e) || e.Class != o.Class || e.Code != o.Code || !strings.Contains(e.Detail, o.Detail) || a != nil {
			return fmt.Sprintf("answer %+v, error %+v; want %s %s %q", a, err, o.Class, o.Code, o.Detail)
		}
		return ""
	}
	if err != nil {
		return err.Error()
	}
	if a.Usage.Requests != 1 {
		return fmt.Sprintf("usage %+v", a.Usage)
	}
	var calls []string
	for _, c := range a.Calls {
		if len(c.Args) > 0 && !json.Valid(c.Args) {
			return fmt.Sprintf("arguments are no JSON: %s", c.Args)
		}
		calls = append(calls, c.Name+" "+c.ProviderID+" "+string(c.Args))
	}
	if got, want := strings.Join(calls, "\n"), strings.Join(o.Calls, "\n"); got != want {
		return fmt.Sprintf("calls\n%s\nwant\n%s", got, want)
	}
	got := Outcome{Text: a.Text, Finish: a.Finish, Reasoning: a.Reasoning}
	switch {
	case natives != nil:
		got.Native = natives(a)
	case len(a.Native) > 0:
		got.Native = strconv.Itoa(len(a.Native))
	}
	if u := a.Usage; u.Input != nil && u.Output != nil {
		got.Usage = fmt.Sprintf("%d/%d", *u.Input, *u.Output)
	}
	want := o
	want.Calls, want.ID = nil, ""
	if fmt.Sprint(got) != fmt.Sprint(want) {
		return fmt.Sprintf("%+v, want %+v", got, want)
	}
	return ""
}
