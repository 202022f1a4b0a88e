package httpserver

import (
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"recado/internal/kernel"
)

// enter returns a middleware that checks the key (401), the rate (429), the permission (403), the query, and that there is no
// body where none is expected (413, 400). huma checks the size and format of other bodies.
func (s *Server) enter(route *Route) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		r, w := humago.Unwrap(ctx)
		c := callFrom(r.Context())
		c.route = route
		w.(*response).secret, w.(*response).conditional = route.secret, route.conditional && !route.Streams
		started := time.Now()
		if route.Deprecated != nil {
			route.Deprecated.announce(w.Header())
		}
		defer func() { s.logCall(route, c, w.(*response), started) }()

		if refused := s.admit(route, c, started); refused != nil {
			s.writeError(w, c.requestID, refused)
			return
		}
		if r.URL.RawQuery != "" {
			if err := checkQuery(r.URL.RawQuery, queryNames(ctx.Operation()), route.family); err != nil {
				if !route.Streams && bodyTooLarge(r) {
					err = errBodyTooLarge()
				}
				s.writeError(w, c.requestID, err)
				return
			}
		}
		if route.csv != nil {
			if err := checkFormat(r); err != nil {
				s.writeError(w, c.requestID, err)
				return
			}
		}
		if err := checkBody(route, r); err != nil {
			s.writeError(w, c.requestID, err)
			return
		}
		if c.principal != nil {
			ctx = huma.WithContext(ctx, kernel.ForCompany(ctx.Context(), c.principal.Company.ID))
		}
		next(ctx)
	}
}

// admit authenticates a call (401) and checks its origin (403), its rate (429), the person it is for (403) and the permission of
// the route's verb (403).
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

// spend takes a call from the rate of the key or session, and sets the headers of the rate. It returns an error if no call is
// left.
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
		Message:    "This " + a.Kind().String() + " has made too many requests. Wait for the number of seconds in Retry-After.",
		RetryAfter: wait,
	}
}

// showRate sets the headers of the rate to the default rate, for calls without a key or session.
func (s *Server) showRate(h http.Header) {
	h["Ratelimit-Limit"], h["Ratelimit-Remaining"], h["Ratelimit-Reset"] = s.fullRate, s.fullRate, zeroHeader
}

// Keyed registers a handler of POST requests with a valid API key at a path below the base path. The handler must call Spend.
func (s *Server) Keyed(path string, h func(w http.ResponseWriter, r *http.Request, holder *kernel.Principal)) {
	s.mux.HandleFunc("POST "+s.base+path, func(w http.ResponseWriter, r *http.Request) {
		holder, err := s.options.Auth.Authenticate(r.Context(), bearer(r.Header["Authorization"]))
		if err != nil {
			s.Refuse(w, r, err)
			return
		}
		h(w, r.WithContext(kernel.ForCompany(r.Context(), holder.Company.ID)), holder)
	})
}

// Spend takes a call from the rate of a key. If none is left, it responds with 429 and returns false.
func (s *Server) Spend(w http.ResponseWriter, r *http.Request, holder *kernel.Principal) bool {
	if err := s.spend(w.Header(), holder, time.Now()); err != nil {
		s.Refuse(w, r, err)
		return false
	}
	return true
}

// Refuse responds with an error to a request that is not an operation.
func (s *Server) Refuse(w http.ResponseWriter, r *http.Request, err error) {
	s.writeError(w, callFrom(r.Context()).requestID, err)
}

// authenticate authenticates a request by its API key or, without an Authorization header, by its cookie.
func (s *Server) authenticate(r *http.Request) (*kernel.Principal, error) {
	token := s.site.SessionToken(r)
	if len(r.Header["Authorization"]) > 0 || token == "" {
		return s.options.Auth.Authenticate(r.Context(), bearer(r.Header["Authorization"]))
	}
	if err := s.site.CheckSameOrigin(r); err != nil {
		return nil, err
	}
	return s.options.Auth.AuthenticateSession(r.Context(), token)
}

// headerUser is the header with the person that a request with a session is for. All tabs of a browser share one cookie, but a
// tab must not act as another person who has signed in later.
const headerUser = "X-Recado-User"

// checkUser refuses a request with a session if headerUser names another person.
func checkUser(r *http.Request, a *kernel.Principal) error {
	if a.Kind() != kernel.KindSession {
		return nil
	}
	for _, named := range r.Header[headerUser] {
		if id, ok := kernel.ParseID(named); !ok || id != a.User.ID {
			return kernel.Errorf(kernel.CodeSessionChanged,
				"This cookie belongs to another person than %s names. Sign in again.", headerUser)
		}
	}
	return nil
}

// checkBody checks what huma does not check: that a body is declared as JSON, and that there is none where none is expected.
func checkBody(route *Route, r *http.Request) *kernel.Error {
	if route.Streams || route.Method == http.MethodGet {
		return nil
	}
	if err := checkContentType(r); err != nil || !route.bodiless {
		return err
	}
	return checkNoBody(r)
}

// bearer returns the key from the Authorization header, or "" without the header. For several headers or another scheme it
// returns an invalid key.
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

// queryNames returns the query parameters of an operation; the value is true for numbers.
func queryNames(op *huma.Operation) map[string]bool {
	names := map[string]bool{}
	for _, p := range op.Parameters {
		if p.In == "query" && p.Schema.Type != huma.TypeObject { // a family is described as an object
			names[p.Name] = p.Schema.Type == huma.TypeInteger
		}
	}
	return names
}

// logCall logs a call without key, query and body.
func (s *Server) logCall(route *Route, c *call, a *response, started time.Time) {
	took, status := time.Since(started), a.status
	if status == 0 { // a panic, which ServeHTTP handles
		status = http.StatusInternalServerError
	}
	calls.WithLabelValues(route.Method, route.Path, strconv.Itoa(status/100)+"xx").Observe(took.Seconds())
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
