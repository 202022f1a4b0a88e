package httpserver_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/test/testkit"
)

// request is one of a client at an address, with headers: name, value, name, value.
func request(method, from string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, "/", nil)
	r.RemoteAddr = from + ":40000"
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

// to is a sign-in to a host, of a page of an origin that the browser takes for the same one.
func to(host, origin string) *http.Request {
	r := request("POST", "127.0.0.1", "Sec-Fetch-Site", "same-origin", "Origin", origin)
	r.Host = host
	return r
}

var proxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}

func TestOnlyTrustedProxiesCanSetTheAddressOfAClient(t *testing.T) {
	s := &httpserver.Site{Public: "https://desk.example.com", Proxies: proxies}
	for name, test := range map[string]struct {
		from, forwarded, want string
	}{
		"no proxy":                        {"203.0.113.7", "", "203.0.113.7"},
		"a client that claims an address": {"203.0.113.7", "198.51.100.1", "203.0.113.7"},
		"a proxy":                         {"10.0.0.1", "198.51.100.1", "198.51.100.1"},
		"a chain of proxies":              {"10.0.0.1", "198.51.100.1, 10.0.0.2", "198.51.100.1"},
		"a claim in front of a proxy's":   {"10.0.0.1", "192.0.2.9, 198.51.100.1", "198.51.100.1"},
		"a proxy that says nothing":       {"10.0.0.1", "", "10.0.0.1"},
		"what is no address":              {"10.0.0.1", "unknown", "10.0.0.1"},
	} {
		r := request("GET", test.from)
		if test.forwarded != "" {
			r.Header.Set("X-Forwarded-For", test.forwarded)
		}
		testkit.Equal(t, name, s.Address(r).String(), test.want)
	}
}

func TestTheNameOfTheCookieDependsOnTheAddress(t *testing.T) {
	for name, test := range map[string]struct {
		site    httpserver.Site
		request *http.Request
		want    string
	}{
		"plain http":             {httpserver.Site{Public: "http://desk.example.com"}, request("GET", "203.0.113.7"), httpserver.CookiePlain},
		"https":                  {httpserver.Site{Public: "https://desk.example.com"}, request("GET", "203.0.113.7"), httpserver.CookieHost},
		"https below a path":     {httpserver.Site{Public: "https://example.com/desk", Base: "/desk"}, request("GET", "203.0.113.7"), httpserver.CookieSecure},
		"https at a proxy":       {httpserver.Site{Public: "http://desk", Proxies: proxies}, request("GET", "10.0.0.1", "X-Forwarded-Proto", "https"), httpserver.CookieHost},
		"a client that says so":  {httpserver.Site{Public: "http://desk", Proxies: proxies}, request("GET", "203.0.113.7", "X-Forwarded-Proto", "https"), httpserver.CookiePlain},
		"a proxy with plain web": {httpserver.Site{Public: "http://desk", Proxies: proxies}, request("GET", "10.0.0.1", "X-Forwarded-Proto", "http"), httpserver.CookiePlain},
	} {
		test.request.AddCookie(&http.Cookie{Name: test.want, Value: "token"})
		testkit.Equal(t, name, test.site.SessionToken(test.request), "token")
	}
}

func TestCrossSiteRequestsAreRefused(t *testing.T) {
	s := &httpserver.Site{Public: "https://desk.example.com/desk", Base: "/desk"}
	for name, test := range map[string]struct {
		request          *http.Request
		session, visitor bool // whether it is accepted with a session, and from a visitor
	}{
		"of the app":                         {request("POST", "203.0.113.7", "Sec-Fetch-Site", "same-origin"), true, true},
		"of another site":                    {request("POST", "203.0.113.7", "Sec-Fetch-Site", "cross-site"), false, false},
		"of a page of the same domain":       {request("POST", "203.0.113.7", "Sec-Fetch-Site", "same-site"), false, false},
		"of an older browser, from the app":  {request("POST", "203.0.113.7", "Origin", "https://desk.example.com"), true, true},
		"of an older browser, another site":  {request("POST", "203.0.113.7", "Origin", "https://evil.example"), false, false},
		"of a name that leads here":          {request("POST", "127.0.0.1", "Sec-Fetch-Site", "same-origin", "Origin", "http://evil.example:8080"), true, false},
		"of the app, with both headers":      {request("POST", "203.0.113.7", "Sec-Fetch-Site", "same-origin", "Origin", "https://desk.example.com"), true, true},
		"of a page without an origin":        {request("POST", "203.0.113.7", "Sec-Fetch-Site", "same-origin", "Origin", "null"), true, false},
		"of the app at its address":          {to("127.0.0.1:8080", "http://127.0.0.1:8080"), true, true},
		"of the app at localhost":            {to("localhost:8080", "http://localhost:8080"), true, true},
		"of the app at another port":         {to("localhost:8080", "http://localhost:9090"), true, false},
		"of a name, to that name":            {to("evil.example:8080", "http://evil.example:8080"), true, false},
		"of a client that says nothing":      {request("POST", "203.0.113.7"), false, true},
		"that changes nothing, another site": {request("GET", "203.0.113.7", "Sec-Fetch-Site", "cross-site"), true, true},
	} {
		for form, got := range map[string]error{"with a session": s.CheckSameOrigin(test.request), "from a visitor": s.CheckNotCrossOrigin(test.request)} {
			accepted := form == "with a session" && test.session || form == "from a visitor" && test.visitor
			testkit.Equal(t, name+", "+form+": accepted", got == nil, accepted)
			if got != nil {
				testkit.Equal(t, name+", "+form+": code", kernel.CodeOf(got), kernel.CodeCrossOrigin)
			}
		}
	}
}

func TestOnlyRequestsFromThisMachineAreLocal(t *testing.T) {
	for name, test := range map[string]struct {
		public, host, from string
		headers            []string
		want               bool
	}{
		"an address":               {"http://127.0.0.1:8080", "127.0.0.1:8080", "127.0.0.1", nil, true},
		"localhost":                {"http://127.0.0.1:8080", "localhost:8080", "127.0.0.1", nil, true},
		"IPv6":                     {"http://[::1]:8080", "[::1]:8080", "[::1]", nil, true},
		"another machine":          {"http://127.0.0.1:8080", "127.0.0.1:8080", "203.0.113.7", nil, false},
		"another name":             {"http://127.0.0.1:8080", "evil.example:8080", "127.0.0.1", nil, false},
		"a name that begins alike": {"http://127.0.0.1:8080", "localhost.evil.example", "127.0.0.1", nil, false},
		"no host":                  {"http://127.0.0.1:8080", "", "127.0.0.1", nil, false},
		"a proxy":                  {"http://127.0.0.1:8080", "127.0.0.1:8080", "127.0.0.1", []string{"X-Forwarded-For", "203.0.113.7"}, false},
		"a server for others":      {"https://desk.example.com", "127.0.0.1:8080", "127.0.0.1", nil, false},
	} {
		r := request("GET", test.from, test.headers...)
		r.Host = test.host
		testkit.Equal(t, name, (&httpserver.Site{Public: test.public}).Local(r), test.want)
	}
}
