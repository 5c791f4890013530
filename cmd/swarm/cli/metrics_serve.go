package cli

import (
	"errors"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"

	"github.com/seed-cf6d8d1b/swarm"
)

// loopback is the host of an address that names none: who is elsewhere is let in by name.
const loopback = "127.0.0.1"

// address reads HOST:PORT or :PORT of a flag.
func address(flag, addr string) (host, port string, err error) {
	host, port, err = net.SplitHostPort(addr)
	if n, bad := strconv.Atoi(port); err != nil || bad != nil || n < 0 || n > 65535 {
		return "", "", usage("--%s is HOST:PORT, or :PORT for this machine only, not %q", flag, addr)
	}
	if host == "" {
		host = loopback
	}
	return host, port, nil
}

// serveMetrics has the series of the runtime that o opens served, from now on until stop is
// called. Without an address nothing is served.
func (a *app) serveMetrics(addr string, o *swarm.Options) (stop func(), err error) {
	if addr == "" {
		return func() {}, nil
	}
	host, port, err := address("metrics", addr)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, usage("--metrics %s: another program has this address; take another port, or :0 for one that is free", addr)
	case err != nil:
		return nil, usage("--metrics %s: %w", addr, err)
	}
	e := swarm.NewExporter()
	o.Registerer = e.Registerer()
	srv := &http.Server{Handler: e.Handler(), ReadHeaderTimeout: 10 * time.Second}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = srv.Serve(l) // it ends when it is closed, below
	}()
	if !a.quiet || port == "0" { // it could not be known else
		a.errf("metrics: http://%s/metrics", l.Addr())
	}
	return func() {
		_ = srv.Close() // the program ends anyway
		<-served
	}, nil
}
