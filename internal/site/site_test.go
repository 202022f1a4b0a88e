package site_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"recado/internal/model"
	"recado/internal/site"
	"recado/internal/testkit"
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

var proxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}

func TestOnlyTrustedProxiesSayWhereARequestComesFrom(t *testing.T) {
	s := &site.Site{Public: "https://desk.example.com", Proxies: proxies}
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

func TestTheNameOfTheCookieFollowsTheAddress(t *testing.T) {
	for name, test := range map[string]struct {
		site    site.Site
		request *http.Request
		want    string
	}{
		"plain http":             {site.Site{Public: "http://desk.example.com"}, request("GET", "203.0.113.7"), site.CookiePlain},
		"https":                  {site.Site{Public: "https://desk.example.com"}, request("GET", "203.0.113.7"), site.CookieHost},
		"https below a path":     {site.Site{Public: "https://example.com/desk", Base: "/desk"}, request("GET", "203.0.113.7"), site.CookieSecure},
		"https at a proxy":       {site.Site{Public: "http://desk", Proxies: proxies}, request("GET", "10.0.0.1", "X-Forwarded-Proto", "https"), site.CookieHost},
		"a client that says so":  {site.Site{Public: "http://desk", Proxies: proxies}, request("GET", "203.0.113.7", "X-Forwarded-Proto", "https"), site.CookiePlain},
		"a proxy with plain web": {site.Site{Public: "http://desk", Proxies: proxies}, request("GET", "10.0.0.1", "X-Forwarded-Proto", "http"), site.CookiePlain},
	} {
		test.request.AddCookie(&http.Cookie{Name: test.want, Value: "token"})
		testkit.Equal(t, name, test.site.SessionToken(test.request), "token")
	}
}

func TestRequestsThatAnotherSiteCausedAreRefused(t *testing.T) {
	s := &site.Site{Public: "https://desk.example.com/desk", Base: "/desk"}
	for name, test := range map[string]struct {
		request          *http.Request
		session, visitor bool // whether it is accepted with a session, and from a visitor
	}{
		"of the app":                         {request("POST", "203.0.113.7", "Sec-Fetch-Site", "same-origin"), true, true},
		"of another site":                    {request("POST", "203.0.113.7", "Sec-Fetch-Site", "cross-site"), false, false},
		"of a page of the same domain":       {request("POST", "203.0.113.7", "Sec-Fetch-Site", "same-site"), false, false},
		"of an older browser, from the app":  {request("POST", "203.0.113.7", "Origin", "https://desk.example.com"), true, true},
		"of an older browser, another site":  {request("POST", "203.0.113.7", "Origin", "https://evil.example"), false, false},
		"of a client that says nothing":      {request("POST", "203.0.113.7"), false, true},
		"that changes nothing, another site": {request("GET", "203.0.113.7", "Sec-Fetch-Site", "cross-site"), true, true},
	} {
		for form, got := range map[string]error{"with a session": s.CheckSameOrigin(test.request), "from a visitor": s.CheckNotCrossOrigin(test.request)} {
			accepted := form == "with a session" && test.session || form == "from a visitor" && test.visitor
			testkit.Equal(t, name+", "+form+": accepted", got == nil, accepted)
			if got != nil {
				testkit.Equal(t, name+", "+form+": code", model.CodeOf(got), model.CodeCrossOrigin)
			}
		}
	}
}
