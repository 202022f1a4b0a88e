package api

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"recado/internal/desk"
	"recado/internal/model"
)

// The names of the session cookie. Browsers accept the prefixes only over https, and __Host- only without a path, so
// that no other page of the same domain can set the cookie.
const (
	cookiePlain  = "recado"
	cookieHost   = "__Host-recado"
	cookieSecure = "__Secure-recado"
)

// https reports whether the browser speaks https with us, directly or through a trusted proxy.
func (s *Server) https(r *http.Request) bool {
	if r.TLS != nil || strings.HasPrefix(s.public, "https://") {
		return true
	}
	return s.trusts(peer(r)) && strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}

func (s *Server) cookieName(r *http.Request) string {
	switch {
	case !s.https(r):
		return cookiePlain
	case s.base == "":
		return cookieHost
	}
	return cookieSecure
}

// sessionToken gives the token of the request's cookie, or "".
func (s *Server) sessionToken(r *http.Request) string {
	c, err := r.Cookie(s.cookieName(r))
	if err != nil {
		return ""
	}
	return c.Value
}

// sessionCookie is the header value that sets the cookie, or that removes it when the token is empty.
func (s *Server) sessionCookie(r *http.Request, token string, expires time.Time) string {
	c := http.Cookie{
		Name: s.cookieName(r), Value: token, Path: s.base + "/", HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: s.https(r), Expires: expires,
	}
	if s.base != "" {
		c.Path = s.base
	}
	if token == "" {
		c.MaxAge = -1
	}
	return c.String()
}

// errCrossOrigin refuses a request that another site may have made a browser send.
func errCrossOrigin() error {
	return model.Errorf(model.CodeCrossOrigin, "Requests with a session must come from the app: Sec-Fetch-Site or Origin names another site.")
}

// checkSameOrigin refuses unsafe requests with a cookie that do not prove to come from this origin. Browsers send a
// cookie with requests that other sites cause; they also say so, in a header that no page can set.
func (s *Server) checkSameOrigin(r *http.Request) error {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
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

// checkNotCrossOrigin refuses a sign-in that another site made a browser send. A client that is no browser says nothing.
func (s *Server) checkNotCrossOrigin(r *http.Request) error {
	switch site := r.Header.Get("Sec-Fetch-Site"); site {
	case "same-origin", "none":
		return nil
	case "":
		if origin := r.Header.Get("Origin"); origin == "" || s.sameOrigin(origin) {
			return nil
		}
	}
	return errCrossOrigin()
}

// sameOrigin compares an Origin header with the public URL.
func (s *Server) sameOrigin(origin string) bool {
	public, err := url.Parse(s.public)
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

// trusts reports whether an address is that of one of our proxies.
func (s *Server) trusts(ip netip.Addr) bool {
	for _, network := range s.proxies {
		if ip.IsValid() && network.Contains(ip) {
			return true
		}
	}
	return false
}

// visitor tells where a request comes from. X-Forwarded-For counts only what trusted proxies added: from its end, up to
// the first address that is none of theirs.
func (s *Server) visitor(r *http.Request) desk.Visitor {
	ip := peer(r)
	forwarded := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(forwarded) - 1; i >= 0 && s.trusts(ip); i-- {
		next, err := netip.ParseAddr(strings.TrimSpace(forwarded[i]))
		if err != nil {
			break
		}
		ip = next.Unmap()
	}
	return desk.Visitor{IP: ip, UserAgent: r.UserAgent()}
}
