package model

import "testing"

func TestAttemptTravelsInTheContext(t *testing.T) {
	t.Parallel()
	if a := AttemptOf(t.Context()); a != nil {
		t.Errorf("a context without an attempt has %+v", a)
	}
	req := &Request{Run: "r", Path: "root/child.1", Turn: 3, Attempt: 2}
	ctx := WithAttempt(t.Context(), req)
	a := AttemptOf(ctx)
	if a == nil || a.Run != "r" || a.Path != "root/child.1" || a.Turn != 3 || a.Number != 2 {
		t.Fatalf("got %+v", a)
	}
	if first, second := a.Part(), AttemptOf(ctx).Part(); first != 0 || second != 1 {
		t.Errorf("parts %d, %d", first, second)
	}
	if again := AttemptOf(WithAttempt(ctx, req)); again.Part() != 0 {
		t.Error("another attempt does not begin with part 0")
	}
}
