package httpserver

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"recado/internal/kernel"
)

// The names of the session cookie. Browsers accept the prefixes only over https, and __Host- only without a path, so
// that no other page of the same domain can set the cookie.
const (
	CookiePlain  = "recado"          // over plain http
	CookieHost   = "__Host-recado"   // over https, without a base path
	CookieSecure = "__Secure-recado" // over https, below a base path
)

// Site is the address under which the server is reached.
type Site struct {
	Public  string         // https://desk.example.com/desk: the public URL with the base path
	Base    string         // "" or "/desk"
	Proxies []netip.Prefix // whose X-Forwarded headers are believed
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

// SessionToken gives the token of the request's cookie, or "".
func (s *Site) SessionToken(r *http.Request) string {
	c, err := r.Cookie(s.cookieName(r))
	if err != nil {
		return ""
	}
	return c.Value
}

// SessionCookie is the header value that sets the cookie, or that removes it when the token is empty.
func (s *Site) SessionCookie(r *http.Request, token string, expires time.Time) string {
	c := http.Cookie{
		Name: s.cookieName(r), Value: token, Path: s.Base + "/", HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: s.https(r), Expires: expires,
	}
	if s.Base != "" {
		c.Path = s.Base
	}
	if token == "" {
		c.MaxAge = -1
	}
	return c.String()
}

// errCrossOrigin refuses a request that another site may have made a browser send.
func errCrossOrigin() error {
	return kernel.Errorf(kernel.CodeCrossOrigin, "Requests with a session must come from the app: Sec-Fetch-Site or Origin names another site.")
}

// CheckSameOrigin refuses unsafe requests with a cookie that do not prove to come from this origin. Browsers send a
// cookie with requests that other sites cause; they also say so, in a header that no page can set.
func (s *Site) CheckSameOrigin(r *http.Request) error {
	if safe(r.Method) {
		return nil
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" {
		if site == "same-origin" {
			return nil
		}
		return errCrossOrigin()
	}
	if s.sameOrigin(r.Header.Get("Origin")) {
		return nil
	}
	return errCrossOrigin()
}

// CheckNotCrossOrigin refuses a sign-in that another site made a browser send. A client that is no browser says nothing. An Origin
// must be the public URL, or the address of this request where that is no name: a site whose name leads to this server counts as
// the same origin for a browser, but no other site has the address.
func (s *Site) CheckNotCrossOrigin(r *http.Request) error {
	if safe(r.Method) {
		return nil
	}
	if origin := r.Header.Get("Origin"); origin != "" && !s.sameOrigin(origin) && !isAddressed(r, origin) {
		return kernel.Errorf(kernel.CodeCrossOrigin, "Sign in at the public URL of the app: Origin names another site. The operator sets the URL with --public-url.")
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none", "":
		return nil
	}
	return errCrossOrigin()
}

// isAddressed reports whether a request went to the origin itself, by an IP address or as localhost.
func isAddressed(r *http.Request, origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || !strings.EqualFold(u.Host, r.Host) {
		return false
	}
	_, err = netip.ParseAddr(u.Hostname())
	return err == nil || isLoopback(u.Hostname())
}

// isLoopback reports whether a host is this machine, whatever a name server says.
func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.Unmap().IsLoopback()
}

// Local reports whether a request comes from this machine and is meant for it: the peer, the Host header and the public URL are
// loopback addresses, and no proxy says that it passes the request on.
func (s *Site) Local(r *http.Request) bool {
	public, err := url.Parse(s.Public)
	host := url.URL{Host: r.Host}
	forwarded := r.Header.Get("X-Forwarded-For") + r.Header.Get("Forwarded")
	return err == nil && peer(r).IsLoopback() && isLoopback(host.Hostname()) && isLoopback(public.Hostname()) && forwarded == ""
}

// safe reports whether requests with this method change nothing.
func safe(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

// sameOrigin compares an Origin header with the public URL.
func (s *Site) sameOrigin(origin string) bool {
	public, err := url.Parse(s.Public)
	return err == nil && origin != "" && strings.EqualFold(origin, public.Scheme+"://"+public.Host)
}

// peer is the address at the other end of the connection.
func peer(r *http.Request) netip.Addr {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr().Unmap()
}

// trusts reports whether an address is that of a trusted proxy.
func (s *Site) trusts(ip netip.Addr) bool {
	for _, network := range s.Proxies {
		if ip.IsValid() && network.Contains(ip) {
			return true
		}
	}
	return false
}

// Address gives the address of the client that made a request. X-Forwarded-For counts only as far as trusted proxies
// added to it: from its end, up to the first address that is none of theirs.
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
