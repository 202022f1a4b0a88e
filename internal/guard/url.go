package guard

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"recado/internal/kernel"
)

// CheckURL reads an address that a customer gave to be called and refuses, from its text and
// without network access, what can never be a public receiver. The URL it gives has a plain ASCII host
// in lower case; store that one. The error is a *kernel.Error with code url_not_allowed about the
// field body.url.
//
// A name that passes may still lead inside: that is checked when a socket connects.
func (c *Client) CheckURL(raw string) (*url.URL, error) {
	if len(raw) > maxURLBytes {
		return nil, notAllowed(refusal{"too_long", "The address is longer than 2048 bytes."})
	}
	if !utf8.ValidString(raw) {
		return nil, notAllowed(refusal{"not_utf8", "The address is not valid UTF-8."})
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, notAllowed(refusal{"not_a_url", "The address is not a valid URL."})
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !c.insecure) {
		return nil, notAllowed(refusal{"not_https", "The address must begin with https://."})
	}
	if u.Opaque != "" || u.Host == "" {
		return nil, notAllowed(refusal{"no_host", "The address has no host name."})
	}
	if u.User != nil {
		return nil, notAllowed(refusal{"credentials", "The address must not contain a user name or password."})
	}
	port, ok := checkPort(u)
	if !ok {
		return nil, notAllowed(refusal{"port", "The port must be between 1 and 65535."})
	}
	if escapedHost(raw) {
		return nil, notAllowed(malformedHost)
	}
	host, refused := c.checkHost(u)
	if refused.reason != "" {
		return nil, notAllowed(refused)
	}
	u.Host = host + port
	return u, nil
}

// refusal says why an address is not allowed.
type refusal struct{ reason, message string }

// ruleURL is for an address that is not allowed; reason is one of Reasons.
var ruleURL = kernel.NewRule("url_not_allowed", Reasons()...)

// Reasons lists why an address may be refused.
func Reasons() []string {
	return []string{"credentials", "internal", "malformed_host", "no_domain", "no_host", "not_a_url", "not_https", "not_utf8", "odd_address", "port", "too_long"}
}

func notAllowed(r refusal) *kernel.Error {
	params := kernel.Params{"reason": r.reason}
	return &kernel.Error{Code: kernel.CodeURLNotAllowed, Message: r.message, Params: params, Fields: []kernel.FieldError{ruleURL.At("body.url", r.message, params)}}
}

// checkPort gives ":port" without leading zeros, or nothing when the URL names none.
func checkPort(u *url.URL) (string, bool) {
	text := u.Port()
	if text == "" {
		return "", true
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n == 0 {
		return "", false
	}
	return ":" + strconv.FormatUint(n, 10), true
}

// escapedHost reports a percent sign before the path: a zone id, or an escape that one reader of
// the URL undoes and the next does not.
func escapedHost(raw string) bool {
	_, rest, _ := strings.Cut(raw, "//")
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	return strings.Contains(rest, "%")
}

var (
	malformedHost = refusal{"malformed_host", "The host name is malformed."}
	internalHost  = refusal{"internal", "The address leads to an internal network."}
	oddAddress    = refusal{"odd_address", "The host is an unusual spelling of an IP address."}
	noDomain      = refusal{"no_domain", "The host must be a full name with a domain."}
)

// checkHost gives the host in the form of a URL, or the reason why it is refused.
func (c *Client) checkHost(u *url.URL) (host string, refused refusal) {
	name := u.Hostname()
	if strings.HasPrefix(u.Host, "[") {
		addr, err := netip.ParseAddr(name)
		if err != nil || !addr.Is6() {
			return "", malformedHost
		}
		if refusedRange(addr) && !c.insecure {
			return "", internalHost
		}
		return "[" + addr.String() + "]", refusal{}
	}

	name, ok := asciiName(name)
	if !ok {
		return "", malformedHost
	}
	labels := strings.Split(name, ".")
	last := labels[len(labels)-1]
	switch {
	case last[0] >= '0' && last[0] <= '9':
		// No top-level domain begins with a digit, so some resolvers read this as an address:
		// decimal, octal, hexadecimal. Only the one unambiguous spelling is accepted.
		addr, err := netip.ParseAddr(name)
		if err != nil {
			return "", oddAddress
		}
		if refusedRange(addr) && !c.insecure {
			return "", internalHost
		}
	case c.insecure:
	case len(labels) == 1:
		return "", noDomain
	case internalName(name):
		return "", internalHost
	}
	return name, refusal{}
}

// asciiName maps a host name as a browser would (full-width digits and ideographic full stops
// become plain ones), drops one trailing dot, and reports whether letters, digits and inner
// hyphens in labels of legal length are all that is left.
func asciiName(name string) (string, bool) {
	if !isASCII(name) || strings.Contains(strings.ToLower(name), "xn--") {
		mapped, err := idna.Lookup.ToASCII(name)
		if err != nil {
			return "", false
		}
		name = mapped
	}
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	if len(name) > 253 {
		return "", false
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return "", false
		}
		for i := range len(label) {
			c := label[i]
			if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
				return "", false
			}
		}
	}
	return name, true
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// internalNames are never delegated, or name a machine's own network.
var internalNames = []string{
	"localhost", "local", "internal", "home.arpa", "svc", "cluster.local", "metadata.goog",
}

func internalName(name string) bool {
	for _, internal := range internalNames {
		if rest, ok := strings.CutSuffix(name, internal); ok && (rest == "" || strings.HasSuffix(rest, ".")) {
			return true
		}
	}
	return false
}
