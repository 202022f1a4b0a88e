package guard

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"recado/internal/kernel"
)

// CheckURL parses the address of a receiver and refuses those that cannot be public, without network access. The
// returned URL, with an ASCII host in lower case, is the one to store. The error is a *kernel.Error with code
// url_not_allowed for the field body.url.
//
// A name that passes may still resolve to an internal address; that is checked when a socket connects.
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

// refusal is the reason why an address is not allowed.
type refusal struct{ reason, message string }

var ruleURL = kernel.NewRule("url_not_allowed", Reasons()...)

// Reasons returns the reasons why an address may be refused.
func Reasons() []string {
	return []string{
		"credentials", "internal", "malformed_host", "no_domain", "no_host", "not_a_url", "not_https", "not_utf8",
		"odd_address", "port", "too_long",
	}
}

func notAllowed(r refusal) *kernel.Error {
	params := kernel.Params{"reason": r.reason}
	return &kernel.Error{
		Code: kernel.CodeURLNotAllowed, Message: r.message, Params: params,
		Fields: []kernel.FieldError{ruleURL.At("body.url", r.message, params)},
	}
}

// checkPort returns ":port" without leading zeros, or nothing if the URL has no port.
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

// escapedHost reports whether the host contains a percent sign: a zone id, or an escape that parsers treat differently.
func escapedHost(raw string) bool {
	_, rest, _ := strings.Cut(raw, "//")
	i := strings.IndexAny(rest, "/?#%")
	return i >= 0 && rest[i] == '%'
}

var (
	malformedHost = refusal{"malformed_host", "The host name is malformed."}
	internalHost  = refusal{"internal", "The address leads to an internal network."}
	oddAddress    = refusal{"odd_address", "The host is an unusual spelling of an IP address."}
	noDomain      = refusal{"no_domain", "The host must be a full name with a domain."}
)

// checkHost returns the normalized host, or the reason why it is refused.
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
		// No top-level domain starts with a digit. Some resolvers parse this as a decimal, octal or hexadecimal
		// address; only the unambiguous spelling is accepted.
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

// asciiName maps a host name as browsers do (full-width digits and ideographic full stops become ASCII), removes one
// trailing dot, and reports whether the result consists of valid labels.
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
		if strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return "", false
		}
	}
	return name, true
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

// internalNames are domains of local networks.
var internalNames = []string{
	"localhost", "local", "internal", "home.arpa", "svc", "cluster.local", "metadata.goog",
}

func internalName(name string) bool {
	return slices.ContainsFunc(internalNames, func(internal string) bool {
		return name == internal || strings.HasSuffix(name, "."+internal)
	})
}

// refused4 are the IPv4 ranges outside the public internet: private, loopback, link-local (cloud metadata), shared,
// reserved, documentation, multicast. The last one is the service address of Azure networks.
var refused4 = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
	"192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24",
	"192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
	"224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32",
)

// global6 is the public part of IPv6; refused6 are its special ranges: protocol assignments with Teredo,
// documentation, 6to4 and the AS112 sink.
var (
	global6  = netip.MustParsePrefix("2000::/3")
	refused6 = prefixes("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20")
)

// refusedRange reports whether addr is outside the public internet.
func refusedRange(addr netip.Addr) bool {
	if addr.Zone() != "" {
		return true
	}
	addr = addr.Unmap()
	if addr.Is4() {
		return within(refused4, addr)
	}
	return !global6.Contains(addr) || within(refused6, addr) || isatap(addr)
}

// isatap reports whether an IPv6 address contains an IPv4 address that a tunnel would route to its own network.
func isatap(addr netip.Addr) bool {
	b := addr.As16()
	return b[8]&^0x02 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
}

func within(ranges []netip.Prefix, addr netip.Addr) bool {
	return slices.ContainsFunc(ranges, func(r netip.Prefix) bool { return r.Contains(addr) })
}

func prefixes(texts ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		out[i] = netip.MustParsePrefix(text)
	}
	return out
}

// errRefused is the error of a dial to an internal address. It does not contain the address, because customers must
// not learn how names resolve inside the internal network.
var errRefused = errors.New("refused address")

// absolute adds the final dot to a name, so that the resolver does not try the search domains of the internal network.
func absolute(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil || strings.HasSuffix(host, ".") {
		return address
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return address
	}
	return net.JoinHostPort(host+".", port)
}

// checkSocket runs for every socket after name resolution and before the connection, so that a name cannot resolve
// differently between check and use.
func (c *Client) checkSocket(ctx context.Context, network, address string, raw syscall.RawConn) error {
	if !c.insecure {
		if err := c.checkAddress(network, address); err != nil {
			return err
		}
	}
	if c.control != nil {
		return c.control(ctx, network, address, raw)
	}
	return nil
}

func (c *Client) checkAddress(network, address string) error {
	if network != "tcp4" && network != "tcp6" {
		return errRefused
	}
	target, err := netip.ParseAddrPort(address)
	if err != nil || refusedRange(target.Addr()) {
		return errRefused
	}
	own, err := c.own.contain(target.Addr().Unmap())
	if err != nil || own {
		return errRefused // also when the addresses of the machine are unknown
	}
	return nil
}

const ownAddressesLifetime = time.Minute

// ownAddresses caches the addresses of this machine, including public ones.
type ownAddresses struct {
	list func() ([]net.Addr, error)
	now  func() time.Time

	mu     sync.Mutex
	known  map[netip.Addr]bool
	readAt time.Time
}

func (o *ownAddresses) contain(addr netip.Addr) (bool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if now := o.now(); o.known == nil || now.Sub(o.readAt) >= ownAddressesLifetime {
		listed, err := o.list()
		switch {
		case err == nil:
			o.known, o.readAt = addressSet(listed), now
		case o.known == nil:
			return false, err
		}
	}
	return o.known[addr], nil
}

func addressSet(listed []net.Addr) map[netip.Addr]bool {
	set := make(map[netip.Addr]bool, len(listed))
	for _, a := range listed {
		if p, err := netip.ParsePrefix(a.String()); err == nil {
			set[p.Addr().Unmap()] = true
		}
	}
	return set
}
