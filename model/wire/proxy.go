package wire

import (
	"fmt"
	"net/url"
	"slices"
)

// proxySchemes are the schemes of the URL of a proxy.
var proxySchemes = []string{"http", "https", "socks5"}

// ParseProxy reads the URL of a proxy: http, https or socks5 with a host; nil for "". The
// error does not show it, as it may hold a password.
func ParseProxy(proxy string) (*url.URL, error) {
	if proxy == "" {
		return nil, nil
	}
	u, err := url.Parse(proxy)
	if err != nil || u.Host == "" || !slices.Contains(proxySchemes, u.Scheme) {
		return nil, fmt.Errorf("proxy is an http, https or socks5 URL, such as http://127.0.0.1:3128")
	}
	return u, nil
}
