// Package httpserver is the HTTP edge: it parses requests strictly, authenticates callers, runs the routes that capabilities
// register, makes calls idempotent, writes responses and errors, and serves the OpenAPI documents, the MCP tools, the guides
// and the files of the browser app. It does not depend on any capability.
package httpserver

import (
	"bytes"
	"context"
	"hash"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/prometheus/client_golang/prometheus"

	"recado/internal/kernel"
	"recado/internal/limits"
)

// Version is the version of the API.
const Version = kernel.APIVersion

// Options configure a Server.
type Options struct {
	BasePath  string // "" or "/desk"
	PublicURL string // https://desk.example.com, without the base path
	Release   string // the version of the program, for the API document; may be empty
	Logger    *slog.Logger
	Proxies   []netip.Prefix // trusted proxies, which may set X-Forwarded headers
	Origins   Origins        // origins whose pages may call the API with a key

	Capabilities []Capability
	NotFound     http.Handler // the page for people who open an address that does not exist; nil: they get an Error
	TagOrder     []string     // names of tags in the order of the API page
	Description  string       // of the API, for the document
	Instructions string       // for assistants

	Auth Authenticator
	Rate kernel.Rate // of a key without a rate
	// Ready returns an error while the server cannot handle calls.
	Ready func(ctx context.Context) error
	// Exported is called before a list is sent as CSV. It may be nil.
	Exported func(ctx context.Context, a *kernel.Principal, list string) error
	// Once makes a call with an Idempotency-Key.
	Once OnceFunc
	// FingerprintKey authenticates the fingerprints of idempotent calls.
	FingerprintKey [32]byte
}

// Authenticator authenticates requests.
type Authenticator interface {
	// Authenticate returns the principal of an API key.
	Authenticate(ctx context.Context, key string) (*kernel.Principal, error)
	// AuthenticateSession returns the principal of the token in a session cookie.
	AuthenticateSession(ctx context.Context, token string) (*kernel.Principal, error)
}

// OnceFunc makes a call with an Idempotency-Key; see kernel.Once.
type OnceFunc func(ctx context.Context, a *kernel.Principal, request kernel.OnceRequest,
	run func(ctx context.Context) (any, error)) (kernel.OnceResult, error)

// Server handles all requests below the base path.
type Server struct {
	options Options
	log     *slog.Logger
	base    string
	public  string
	mux     *router
	huma    huma.API
	site    *Site

	table  []*Route
	tags   []Tag             // in the order of the API page
	tagOf  map[string]string // the tag for the first segment of a path, if its name differs
	events []Event
	tools  []OwnTool
	shared []string // prefixes of the paths that pages of other origins may call

	rates    *limits.Rate[kernel.ID]           // of keys and sessions
	exports  *limits.Concurrency[kernel.ID]    // of companies; see CSV
	fullRate []string                          // the burst of a key without a rate, as a header
	docs     func() ([2][]byte, error)         // the OpenAPI documents
	steps    atomic.Pointer[func(step string)] // see OnStep
	draining atomic.Bool
}

// New returns a server for the capabilities.
func New(o Options) *Server {
	s := &Server{
		options: o, log: o.Logger, base: o.BasePath, public: strings.TrimSuffix(o.PublicURL, "/") + o.BasePath,
		shared: []string{"/v1/"}, rates: limits.NewRate[kernel.ID](), exports: limits.NewConcurrency[kernel.ID](1, 16), fullRate: []string{strconv.FormatInt(o.Rate.Burst, 10)},
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.site = &Site{Public: s.public, Base: s.base, Proxies: o.Proxies}
	for _, c := range o.Capabilities {
		s.table = append(s.table, c.Routes...)
		s.events = append(s.events, c.Events...)
		s.tools = append(s.tools, c.Tools...)
		s.shared = append(s.shared, c.Shared...)
	}
	s.tags, s.tagOf = mergeTags(o.Capabilities, o.TagOrder)

	v1 := s.base + "/v1"
	s.mux = newRouter(v1, s.table)
	s.huma = humago.NewWithPrefix(s.mux, v1, s.config(o))
	for _, r := range s.table {
		r.register(s, r)
	}
	markNullable(s.huma.OpenAPI().Components.Schemas)
	s.docs = sync.OnceValues(s.documents)
	s.mux.HandleFunc("GET "+v1+"/openapi.json", s.serveDocument(0))
	s.mux.HandleFunc("GET "+v1+"/openapi-3.0.json", s.serveDocument(1))
	s.mux.HandleFunc("GET "+s.base+"/healthz", s.healthz)
	s.mux.HandleFunc("GET "+s.base+"/readyz", s.readyz)
	s.mux.Handle("GET "+s.base+"/docs/", docsPage(s.base, s.nothingHere))
	s.mux.Handle("GET "+s.base+"/docs", http.RedirectHandler(s.base+"/docs/", http.StatusMovedPermanently))
	for _, c := range o.Capabilities {
		for pattern, h := range c.Handlers {
			s.mux.Handle(below(s.base, pattern), h)
		}
	}
	s.mux.HandleFunc("/", s.unknown)
	return s
}

// below adds a base path to a pattern, which may begin with a method.
func below(base, pattern string) string {
	method, path, found := strings.Cut(pattern, " ")
	if !found {
		return base + pattern
	}
	return method + " " + base + path
}

// Routes returns the table of routes.
func (s *Server) Routes() []*Route { return s.table }

// call is the state of a request.
type call struct {
	server    *Server
	requestID string
	route     *Route // nil if the request is not an operation
	principal *kernel.Principal
	request   *http.Request
	writer    http.ResponseWriter
	body      hash.Hash            // of the body, or of the name and content of an upload; with an Idempotency-Key
	shape     func(result any) any // see Shaped
	csv       *csvStream           // the response, instead of JSON; may be nil
}

type callKey struct{}

func callFrom(ctx context.Context) *call {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		return c
	}
	return &call{}
}

// ServeHTTP sets the common headers, and responds to panics and unclean paths with an Error.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &call{server: s, requestID: requestID(r), request: r}
	a := newResponse(w, r)
	c.writer = a
	h := w.Header()
	h["X-Request-Id"] = []string{c.requestID}
	h["X-Api-Version"] = versionHeader
	h["X-Content-Type-Options"] = nosniffHeader
	h["Cache-Control"] = noStoreHeader // files and pages override it
	s.showRate(h)
	if s.draining.Load() {
		h["Connection"] = closeHeader
	}
	defer func() {
		if p := recover(); p != nil {
			if p == http.ErrAbortHandler { //nolint:errorlint // compared by identity, as net/http does
				panic(p)
			}
			s.log.Error("panic", slog.String("request_id", c.requestID), slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
			if a.sent {
				panic(http.ErrAbortHandler)
			}
			s.writeError(a, c.requestID, errInternal())
		}
	}()
	s.dispatch(c, a)
	a.finish()
}

func (s *Server) dispatch(c *call, a *response) {
	if !cleanPath(c.request.URL.EscapedPath()) {
		s.writeError(a, c.requestID, errNothingHere())
		return
	}
	if s.isShared(c.request.URL.Path) && s.options.Origins.allow(a, c.request) {
		return
	}
	caller := kernel.Caller{RequestID: c.requestID}
	if ip := s.site.Address(c.request); ip.IsValid() {
		caller.IP = ip.String()
	}
	ctx := kernel.WithCaller(c.request.Context(), caller)
	c.request = c.request.WithContext(context.WithValue(ctx, callKey{}, c))
	c.request.Body = a.body
	s.mux.ServeHTTP(a, c.request)
}

// isShared reports whether pages of other origins may call a path.
func (s *Server) isShared(path string) bool {
	path, ok := strings.CutPrefix(path, s.base)
	return ok && slices.ContainsFunc(s.shared, func(prefix string) bool { return strings.HasPrefix(path, prefix) })
}

var (
	versionHeader = []string{Version}
	nosniffHeader = []string{"nosniff"}
	noStoreHeader = []string{"no-store"}
	closeHeader   = []string{"close"}
	zeroHeader    = []string{"0"}
)

// Drain prepares for shutdown: the server is no longer ready, and every response closes its connection.
func (s *Server) Drain() { s.draining.Store(true) }

// unknown responds with 405 if the path exists for another method, and with 404 otherwise.
func (s *Server) unknown(w http.ResponseWriter, r *http.Request) {
	var allowed []string
	for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"} {
		if s.mux.exists(&http.Request{Method: method, URL: r.URL, Host: r.Host}) {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) == 0 {
		s.nothingHere(w, r)
		return
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	s.Refuse(w, r, kernel.Errorf(kernel.CodeMethodNotAllowed, "This address does not support the method %s.", printable(r.Method)))
}

// nothingHere responds with 404: with a page to a person, and with an Error to a client of the API.
func (s *Server) nothingHere(w http.ResponseWriter, r *http.Request) {
	path, ours := strings.CutPrefix(r.URL.Path, s.base+"/")
	if s.options.NotFound != nil && ours && !strings.HasPrefix(path, "v1/") && r.Method == http.MethodGet &&
		strings.Contains(r.Header.Get("Accept"), "text/html") {
		s.options.NotFound.ServeHTTP(w, r)
		return
	}
	s.Refuse(w, r, errNothingHere())
}

func errNothingHere() *kernel.Error {
	return kernel.Errorf(kernel.CodeNotFound, "There is no resource at this address.")
}

// requestID returns the id from the request if it is valid, and a new one otherwise.
func requestID(r *http.Request) string {
	if given := r.Header.Get("X-Request-Id"); given != "" && len(given) <= 128 && printable(given) == given {
		return given
	}
	return kernel.NewID().String()
}

// cleanPath reports whether a path is clean. The mux would redirect others.
func cleanPath(p string) bool {
	if !strings.HasPrefix(p, "/") || strings.Contains(p, "//") {
		return false
	}
	for part := range strings.SplitSeq(p, "/") {
		if part == "." || part == ".." || strings.EqualFold(part, "%2e") || strings.EqualFold(part, "%2e%2e") {
			return false
		}
	}
	return true
}

// rejection returns the response to a request that net/http refuses before a handler runs.
func (s *Server) rejection(status int) []byte {
	e := Error{
		Code: kernel.CodeInvalidRequest, Message: "This is not a well-formed HTTP request.", RequestID: kernel.NewID().String(),
		Params: map[string]any{}, Details: []ErrorDetail{},
	}
	switch {
	case status == http.StatusRequestHeaderFieldsTooLarge:
		e.Message = "The request's headers are too large."
	case status >= 500 || status == http.StatusExpectationFailed:
		e.Message = "This kind of HTTP request is not supported."
	}
	body, _ := kernel.EncodeJSON(&e)
	h := http.Header{
		"Content-Type": {"application/json"}, "Cache-Control": noStoreHeader, "X-Content-Type-Options": nosniffHeader,
		"X-Api-Version": versionHeader, "X-Request-Id": {e.RequestID}, "Connection": closeHeader,
		"Date": {time.Now().UTC().Format(http.TimeFormat)}, "Content-Length": {strconv.Itoa(len(body))},
	}
	s.showRate(h)
	var b bytes.Buffer
	b.WriteString("HTTP/1.1 " + strconv.Itoa(status) + " " + http.StatusText(status) + "\r\n")
	_ = h.Write(&b) // to memory
	b.WriteString("\r\n")
	b.Write(body)
	return b.Bytes()
}

func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"status":"ok"}`))
}

// readyz responds with 503 if the server cannot handle calls or is shutting down.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) {
	if s.draining.Load() {
		s.Refuse(w, r, &kernel.Error{
			Code: kernel.CodeUnavailable, Message: "This server is shutting down. Try again.", RetryAfter: time.Second,
		})
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	if err := s.options.Ready(ctx); err != nil {
		s.log.Warn("not ready", "error", err)
		if code := kernel.CodeOf(err); code != kernel.CodeUnavailable && code != kernel.CodeStorageFull {
			err = &kernel.Error{Code: kernel.CodeUnavailable, Message: "The database does not respond. Try again.", RetryAfter: time.Second}
		}
		p := s.problem(callFrom(r.Context()).requestID, err)
		p.status = http.StatusServiceUnavailable
		writeProblem(w, p)
		return
	}
	s.healthz(w, r)
}

var calls = prometheus.NewHistogramVec(prometheus.HistogramOpts{
	Name:    "recado_api_call_seconds",
	Help:    "Duration of API requests, by route and status class.",
	Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
}, []string{"method", "route", "status"})

// Collectors returns the metrics of this package.
func Collectors() []prometheus.Collector { return []prometheus.Collector{calls} }
