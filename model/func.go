package model

import "context"

// Func makes a function a [Provider], for tests and embedders. Its errors should be
// [*Error]; it is called concurrently.
type Func func(ctx context.Context, req *Request, preview func(Delta)) (*Answer, error)

var _ Provider = Func(nil)

// Answer calls f.
func (f Func) Answer(ctx context.Context, req *Request, preview func(Delta)) (*Answer, error) {
	return f(ctx, req, preview)
}

// Capabilities gives the kind "func" and knows nothing else.
func (f Func) Capabilities(string) Capabilities { return Capabilities{Provider: "func"} }
