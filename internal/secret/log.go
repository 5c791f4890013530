package secret

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
)

// Handler gives a handler that masks messages, and names and values of attributes, before
// they reach next. A value that is no text is replaced by its masked text when it has a
// secret, however it would be printed. mask is called for each record, and once for the
// attributes that a logger is made with.
func Handler(next slog.Handler, mask func(string) string) slog.Handler {
	return &handler{next, mask}
}

type handler struct {
	next slog.Handler
	mask func(string) string
}

// Enabled implements [slog.Handler].
func (h *handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

// Handle implements [slog.Handler].
func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	out := slog.NewRecord(r.Time, r.Level, h.mask(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(h.attr(a))
		return true
	})
	return h.next.Handle(ctx, out)
}

// WithAttrs implements [slog.Handler].
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &handler{h.next.WithAttrs(h.attrs(attrs)), h.mask}
}

// WithGroup implements [slog.Handler].
func (h *handler) WithGroup(name string) slog.Handler {
	return &handler{h.next.WithGroup(h.mask(name)), h.mask}
}

func (h *handler) attrs(in []slog.Attr) []slog.Attr {
	out := make([]slog.Attr, len(in))
	for i, a := range in {
		out[i] = h.attr(a)
	}
	return out
}

func (h *handler) attr(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindString:
		v = slog.StringValue(h.mask(v.String()))
	case slog.KindGroup:
		v = slog.GroupValue(h.attrs(v.Group())...)
	case slog.KindAny:
		v = h.any(v)
	case slog.KindInt64, slog.KindUint64, slog.KindFloat64:
		if text := v.String(); h.mask(text) != text {
			v = slog.StringValue(h.mask(text))
		}
	}
	return slog.Attr{Key: h.mask(a.Key), Value: v}
}

// any masks a value of any type: what a handler for people prints of it, what one for
// programs does, and bytes, which both may print in other ways.
func (h *handler) any(v slog.Value) slog.Value {
	raw := v.Any()
	if b, ok := raw.([]byte); ok {
		if text := string(b); h.mask(text) != text {
			return slog.StringValue(h.mask(text))
		}
		return v
	}
	shown := fmt.Sprintf("%+v", raw)
	masked := h.mask(shown)
	if masked != shown {
		return slog.StringValue(masked)
	}
	b, err := json.Marshal(raw)
	if text := string(b); err == nil && h.mask(text) != text {
		return slog.StringValue(h.mask(text))
	}
	return v
}
