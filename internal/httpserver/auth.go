package httpserver

import (
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"recado/internal/kernel"
)

// enter checks, in this order: key (401), rate (429), permission (403), the form of the query and of a body
// that should not be there (413, 400). The body's size and form follow in huma, then the verb itself.
func (s *Server) enter(route *Route) func(huma.Context, func(huma.Context)) {
	var query map[string]bool // filled on first use: huma documents the parameters after this runs
	var filled sync.Once
	return func(ctx huma.Context, next func(huma.Context)) {
		r, w := humago.Unwrap(ctx)
		c := callFrom(r.Context())
		c.route = route
		w.(*Answer).Secret, w.(*Answer).Conditional = route.secret, route.conditional && !route.Streams
		started := time.Now()
		if route.Deprecated != nil {
			route.Deprecated.announce(w.Header())
		}
		defer func() { s.logCall(route, c, w.(*Answer), started) }()

		if refused := s.admit(route, c, started); refused != nil {
			s.writeError(w, c.requestID, refused)
			return
		}
		if r.URL.RawQuery != "" {
			filled.Do(func() { query = queryNames(ctx.Operation()) })
			if err := CheckQuery(r.URL.RawQuery, query); err != nil {
				if !route.Streams && BodyTooLarge(r) {
					err = ErrBodyTooLarge()
				}
				s.writeError(w, c.requestID, err)
				return
			}
		}
		if err := checkBody(route, r); err != nil {
			s.writeError(w, c.requestID, err)
			return
		}
		if c.principal != nil {
			ctx = huma.WithContext(ctx, c.principal.Bind(ctx.Context()))
		}
		next(ctx)
	}
}

// admit finds the principal of a call, and refuses a call without a principal (401), from another site (403), beyond its rate (429),
// meant for another person (403) or without the permission of the route's verb (403).
func (s *Server) admit(route *Route, c *call, now time.Time) error {
	if route.Open {
		return s.site.CheckNotCrossOrigin(c.request)
	}
	principal, err := s.authenticate(c.request)
	if err != nil {
		return err
	}
	c.principal = principal
	if err := s.spend(c.writer.Header(), principal, now); err != nil {
		return err
	}
	if err := checkUser(c.request, principal); err != nil {
		return err
	}
	return principal.May(route.Verb)
}

// spend takes one call of the rate of the key or session, and says in the headers of the answer what is left of it. It
// refuses a call that does not fit.
func (s *Server) spend(h http.Header, a *kernel.Principal, now time.Time) error {
	burst := int(a.Rate.Burst)
	wait, left := s.rates.Take(a.ID(), float64(a.Rate.PerSecond), burst, now)
	h["Ratelimit-Limit"] = []string{strconv.Itoa(burst)}
	h["Ratelimit-Remaining"] = []string{strconv.Itoa(int(left))}
	h["Ratelimit-Reset"] = []string{strconv.Itoa(int(math.Ceil((float64(burst) - left) / float64(a.Rate.PerSecond))))}
	if wait == 0 {
		return nil
	}
	return &kernel.Error{
		Code:       kernel.CodeRateLimited,
		Message:    "This " + a.Kind().String() + " has made too many requests. Wait for the seconds in Retry-After.",
		RetryAfter: wait,
	}
}

// showRate puts the rate of the installation into the answer to a call that spends none: one without a key or session.
func (s *Server) showRate(h http.Header) {
	h["Ratelimit-Limit"], h["Ratelimit-Remaining"], h["Ratelimit-Reset"] = s.fullRate, s.fullRate, zeroHeader
}

// Keyed serves POST at a path below the base path that is not in the table of routes. The handler gets requests with a valid
// API key, and takes them from the key's rate with Spend.
func (s *Server) Keyed(path string, h func(w http.ResponseWriter, r *http.Request, holder *kernel.Principal)) {
	s.mux.HandleFunc("POST "+s.base+path, func(w http.ResponseWriter, r *http.Request) {
		holder, err := s.auth.Authenticate(r.Context(), bearer(r.Header["Authorization"]))
		if err != nil {
			s.Refuse(w, r, err)
			return
		}
		h(w, r.WithContext(holder.Bind(r.Context())), holder)
	})
}

// Spend takes a call from the rate of a key. When none is left it answers 429 and reports false.
func (s *Server) Spend(w http.ResponseWriter, r *http.Request, holder *kernel.Principal) bool {
	if err := s.spend(w.Header(), holder, time.Now()); err != nil {
		s.Refuse(w, r, err)
		return false
	}
	return true
}

// Refuse answers a request that is no operation with the Error object of an error.
func (s *Server) Refuse(w http.ResponseWriter, r *http.Request, err error) {
	s.writeError(w, callFrom(r.Context()).requestID, err)
}

// authenticate finds the principal of a request: by its API key, or, without an Authorization header, by its cookie.
func (s *Server) authenticate(r *http.Request) (*kernel.Principal, error) {
	token := s.site.SessionToken(r)
	if len(r.Header["Authorization"]) > 0 || token == "" {
		return s.auth.Authenticate(r.Context(), bearer(r.Header["Authorization"]))
	}
	if err := s.site.CheckSameOrigin(r); err != nil {
		return nil, err
	}
	return s.auth.AuthenticateSession(r.Context(), token)
}

// headerUser names the person that a request with a session is meant for. All tabs of a browser share one cookie: a tab that one
// person left open must not act as another who signed in since.
const headerUser = "X-Recado-User"

// checkUser refuses a request with a session whose headerUser names another person. Requests with a key are not checked.
func checkUser(r *http.Request, a *kernel.Principal) error {
	if a.Kind() != kernel.KindSession {
		return nil
	}
	for _, named := range r.Header[headerUser] {
		if id, ok := kernel.ParseID(named); !ok || id != a.User.ID {
			return kernel.Errorf(kernel.CodeSessionChanged, "Another person is signed in with this cookie than %s names. Sign in again.", headerUser)
		}
	}
	return nil
}

// checkBody checks what huma does not: that a body is declared as JSON, and that there is none where the
// operation takes none.
func checkBody(route *Route, r *http.Request) *kernel.Error {
	if route.Streams || route.Method == http.MethodGet {
		return nil
	}
	if err := CheckContentType(r); err != nil || !route.bodiless {
		return err
	}
	return CheckNoBody(r)
}

// bearer gives the key of exactly one well-formed Authorization header, or "" when there is no key.
// Two headers, or another scheme, give a text that no key can equal.
func bearer(headers []string) string {
	switch len(headers) {
	case 0:
		return ""
	case 1:
		scheme, key, _ := strings.Cut(headers[0], " ")
		if strings.EqualFold(scheme, "Bearer") {
			return strings.TrimSpace(key)
		}
	}
	return "-"
}

// queryNames says which query parameters an operation takes, and which of them are numbers.
func queryNames(op *huma.Operation) map[string]bool {
	names := map[string]bool{}
	for _, p := range op.Parameters {
		if p.In == "query" {
			names[p.Name] = p.Schema != nil && p.Schema.Type == huma.TypeInteger
		}
	}
	return names
}

// logCall writes one line per call, without key, query or body.
func (s *Server) logCall(route *Route, c *call, a *Answer, started time.Time) {
	took, status := time.Since(started), a.Status()
	if status == 0 { // a panic, which ServeHTTP answers
		status = http.StatusInternalServerError
	}
	observe(route, status, took)
	if !s.log.Enabled(c.request.Context(), slog.LevelDebug) {
		return
	}
	attrs := []slog.Attr{
		slog.String("request_id", c.requestID), slog.String("method", route.Method), slog.String("path", route.Path),
		slog.Int("status", status), slog.Duration("took", took),
	}
	if c.principal != nil {
		attrs = append(attrs, slog.String(c.principal.Kind().String(), c.principal.ID().String()))
	}
	s.log.LogAttrs(c.request.Context(), slog.LevelDebug, "call", attrs...)
}
