package actors

// Ref addresses one actor. It is comparable with ==, stays the same across restarts of
// the actor, and is never reused: an actor spawned later under the same name has another
// Ref. The zero Ref is nobody: what is told to it is counted as undelivered.
type Ref struct{ h *host }

// IsZero reports whether r addresses nobody.
func (r Ref) IsZero() bool { return r.h == nil }

// Path is the names from the top-level actor down to this one, joined by slashes. It is
// "" for the zero Ref. It is made anew at each call and safe for concurrent use.
func (r Ref) Path() string {
	if r.h == nil {
		return ""
	}
	return r.h.path()
}

// String is the path, so that a Ref that is printed shows nothing else of an actor.
func (r Ref) String() string { return r.Path() }

// ref gives the Ref of h; the root of a system is nobody to its children.
func (h *host) ref() Ref {
	if h == nil || h.parent == nil {
		return Ref{}
	}
	return Ref{h}
}

// path walks up to the root, whose own segment is not shown.
func (h *host) path() string {
	size := 0
	for x := h; x.parent != nil; x = x.parent {
		size += len(x.spec.Name) + 1
	}
	if size == 0 {
		return ""
	}
	b := make([]byte, size-1)
	at := len(b)
	for x := h; x.parent != nil; x = x.parent {
		at -= len(x.spec.Name)
		copy(b[at:], x.spec.Name)
		if at > 0 {
			at--
			b[at] = '/'
		}
	}
	return string(b)
}
