package httpserver

import (
	"cmp"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"recado/internal/kernel"
)

// Names of the session cookie. Browsers accept the prefixes only over https, and __Host- only without a path, so that no other
// page of the same domain can set the cookie.
const (
	CookiePlain  = "recado"          // over plain http
	CookieHost   = "__Host-recado"   // over https, without a base path
	CookieSecure = "__Secure-recado" // over https, below a base path
)

// Site is the address of the server.
type Site struct {
	Public  string         // the public URL with the base path: https://desk.example.com/desk
	Base    string         // "" or "/desk"
	Proxies []netip.Prefix // trusted proxies, which may set X-Forwarded headers
}

// https reports whether the browser uses https, directly or through a trusted proxy.
func (s *Site) https(r *http.Request) bool {
	if r.TLS != nil || strings.HasPrefix(s.Public, "https://") {
		return true
	}
	return s.trusts(peer(r)) && strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}

func (s *Site) cookieName(r *http.Request) string {
	switch {
	case !s.https(r):
		return CookiePlain
	case s.Base == "":
		return CookieHost
	}
	return CookieSecure
}

// SessionToken returns the token from the session cookie, or "".
func (s *Site) SessionToken(r *http.Request) string {
	c, err := r.Cookie(s.cookieName(r))
	if err != nil {
		return ""
	}
	return c.Value
}

// SessionCookie returns the header value that sets the session cookie, or that removes it if the token is empty.
func (s *Site) SessionCookie(r *http.Request, token string, expires time.Time) string {
	c := http.Cookie{
		Name: s.cookieName(r), Value: token, Path: cmp.Or(s.Base, "/"), Expires: expires,
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: s.https(r),
	}
	if token == "" {
		c.MaxAge = -1
	}
	return c.String()
}

func errCrossOrigin() error {
	return kernel.Errorf(kernel.CodeCrossOrigin,
		"Requests with a session must come from the app: Sec-Fetch-Site or Origin names another site.")
}

// CheckSameOrigin refuses unsafe requests with a cookie unless their headers prove that they come from this origin. Browsers
// send cookies with cross-site requests, but mark them with a header that pages cannot set.
func (s *Site) CheckSameOrigin(r *http.Request) error {
	if safe(r.Method) {
		return nil
	}
	site := r.Header.Get("Sec-Fetch-Site")
	if site == "same-origin" || site == "" && s.sameOrigin(r.Header.Get("Origin")) {
		return nil
	}
	return errCrossOrigin()
}

// CheckNotCrossOrigin refuses cross-site requests of browsers to sign in. Other clients do not send these headers. The Origin
// must be the public URL, or the address of the server if it is an IP address or localhost. Another name that resolves to this
// server is not enough, although the browser treats it as the same origin.
func (s *Site) CheckNotCrossOrigin(r *http.Request) error {
	if safe(r.Method) {
		return nil
	}
	if origin := r.Header.Get("Origin"); origin != "" && !s.sameOrigin(origin) && !isAddressed(r, origin) {
		return kernel.Errorf(kernel.CodeCrossOrigin,
			"Sign in at the public URL of the app: Origin names another site. The operator sets the URL with --public-url.")
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none", "":
		return nil
	}
	return errCrossOrigin()
}

// isAddressed reports whether a request was sent to the origin itself, by IP address or as localhost.
func isAddressed(r *http.Request, origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || !strings.EqualFold(u.Host, r.Host) {
		return false
	}
	_, err = netip.ParseAddr(u.Hostname())
	return err == nil || isLoopback(u.Hostname())
}

// isLoopback reports whether a host is localhost or a loopback address.
func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.Unmap().IsLoopback()
}

// Local reports whether a request comes from this machine: the peer, the Host header and the public URL are loopback addresses,
// and no proxy has forwarded it.
func (s *Site) Local(r *http.Request) bool {
	public, err := url.Parse(s.Public)
	host := url.URL{Host: r.Host}
	forwarded := r.Header.Get("X-Forwarded-For") + r.Header.Get("Forwarded")
	return err == nil && peer(r).IsLoopback() && isLoopback(host.Hostname()) && isLoopback(public.Hostname()) && forwarded == ""
}

func safe(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

// sameOrigin compares an Origin header with the public URL.
func (s *Site) sameOrigin(origin string) bool {
	public, err := url.Parse(s.Public)
	return err == nil && origin != "" && strings.EqualFold(origin, public.Scheme+"://"+public.Host)
}

func peer(r *http.Request) netip.Addr {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr().Unmap()
}

// trusts reports whether an address is that of a trusted proxy.
func (s *Site) trusts(ip netip.Addr) bool {
	return slices.ContainsFunc(s.Proxies, func(network netip.Prefix) bool { return network.Contains(ip) })
}

// Address returns the address of the client. In X-Forwarded-For, only the entries that trusted proxies have added count: from
// the end, up to the first address that is not a trusted proxy.
func (s *Site) Address(r *http.Request) netip.Addr {
	ip := peer(r)
	forwarded := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(forwarded) - 1; i >= 0 && s.trusts(ip); i-- {
		next, err := netip.ParseAddr(strings.TrimSpace(forwarded[i]))
		if err != nil {
			break
		}
		ip = next.Unmap()
	}
	return ip
}
