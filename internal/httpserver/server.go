// Package httpserver is the HTTP edge: it reads requests strictly, authenticates callers, runs the routes that capabilities
// register, makes calls idempotent, writes responses and errors, and serves the OpenAPI documents, the MCP tools, the guides
// and the files of the browser app. It knows no noun of the product.
package httpserver

import (
	"context"
	"hash"
	"log/slog"
	"net"
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

// Version is the API's, not the binary's.
const Version = kernel.APIVersion

// Options says what a Server serves and how.
type Options struct {
	BasePath  string // "" or "/desk"
	PublicURL string // https://desk.example.com, without the base path
	Release   string // the version of the program, for the API document; "": none is named
	Logger    *slog.Logger
	Proxies   []netip.Prefix // whose X-Forwarded headers are believed
	Origins   Origins        // whose pages may call the API with a key

	Capabilities []Capability
	TagOrder     []string // the names of the tags, in the order in which the API page shows them
	Description  string   // of the API, for the document
	Instructions string   // tell assistants how to use the tools

	Auth Authenticator
	Rate kernel.Rate // of a key without a rate of its own
	// Ready reports an error while the server cannot answer calls.
	Ready func(ctx context.Context) error
	// Once makes a call under an Idempotency-Key.
	Once OnceFunc
	// FingerprintKey authenticates the fingerprints of idempotent calls.
	FingerprintKey [32]byte
}

// Authenticator finds the principal of a request.
type Authenticator interface {
	// Authenticate returns the holder of an API key.
	Authenticate(ctx context.Context, key string) (*kernel.Principal, error)
	// AuthenticateSession returns the person whose cookie has the token.
	AuthenticateSession(ctx context.Context, token string) (*kernel.Principal, error)
}

// OnceFunc makes a call under an Idempotency-Key; see kernel.Once.
type OnceFunc func(ctx context.Context, a *kernel.Principal, request kernel.OnceRequest, run func(ctx context.Context) (any, error)) (kernel.OnceResult, error)

// Server answers everything below the base path.
type Server struct {
	Desk *Server // for the handlers of the capabilities

	log    *slog.Logger
	base   string
	public string
	mux    *router
	huma   huma.API
	site   *Site

	table    []*Route
	tags     []Tag             // in the order in which the API page shows them
	tagOf    map[string]string // the tag of the paths that begin with a word, where it is another word
	events   []Event
	tools    []OwnTool
	describe []func(Document)

	instructions string // for assistants

	auth   Authenticator
	ready  func(ctx context.Context) error
	once   OnceFunc
	rates  *limits.Rate[kernel.ID] // of keys and sessions
	others Origins                 // whose pages may call the API with a key
	shared []string                // the beginnings of the paths that those pages may call

	fingerprintKey [32]byte                          // of idempotent calls
	steps          atomic.Pointer[func(step string)] // see OnStep

	fullRate []string                  // the burst of a key without a rate of its own, as a header
	docs     func() ([2][]byte, error) // the OpenAPI documents

	draining atomic.Bool
}

// New builds the server from its capabilities.
func New(o Options) *Server {
	s := &Server{
		log: o.Logger, base: o.BasePath, public: strings.TrimSuffix(o.PublicURL, "/") + o.BasePath,
		instructions: o.Instructions, auth: o.Auth, ready: o.Ready, once: o.Once, fingerprintKey: o.FingerprintKey, rates: limits.NewRate[kernel.ID](),
		others: o.Origins, shared: []string{"/v1/"}, fullRate: []string{strconv.FormatInt(o.Rate.Burst, 10)},
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
		if c.Describe != nil {
			s.describe = append(s.describe, c.Describe)
		}
	}
	s.tags, s.tagOf = mergeTags(o.Capabilities, o.TagOrder)

	v1 := s.base + "/v1"
	s.mux = newRouter(v1, s.table, s.unknown)
	s.huma = humago.NewWithPrefix(s.mux, v1, s.config(o))
	for _, r := range s.table {
		r.register(s, r)
	}
	MarkNullable(s.huma.OpenAPI().Components.Schemas)
	s.docs = sync.OnceValues(s.documents)
	s.mux.HandleFunc("GET "+v1+"/openapi.json", s.serveDocument(0))
	s.mux.HandleFunc("GET "+v1+"/openapi-3.0.json", s.serveDocument(1))
	s.mux.HandleFunc("GET "+s.base+"/healthz", s.healthz)
	s.mux.HandleFunc("GET "+s.base+"/readyz", s.readyz)
	s.mux.Handle("GET "+s.base+"/docs/", DocsPage(s.base, s.nothingHere))
	s.mux.Handle("GET "+s.base+"/docs", http.RedirectHandler(s.base+"/docs/", http.StatusMovedPermanently))
	for _, c := range o.Capabilities {
		for pattern, h := range c.Handlers {
			s.mux.Handle(below(s.base, pattern), h)
		}
	}
	s.mux.HandleFunc("/", s.unknown)
	return s
}

// below puts a base path before the path of a pattern, which may begin with a method.
func below(base, pattern string) string {
	method, path, found := strings.Cut(pattern, " ")
	if !found {
		return base + pattern
	}
	return method + " " + base + path
}

// Routes is the table as data.
func (s *Server) Routes() []*Route { return s.table }

// call is one request and what the checks of the API found out about it.
type call struct {
	server    *Server
	requestID string
	route     *Route // nil where there is no operation
	principal *kernel.Principal
	request   *http.Request
	writer    http.ResponseWriter
	body      hash.Hash          // of the body, or of the name and the bytes of an uploaded file; with an Idempotency-Key
	shape     func(made any) any // see Shaped
}

type callKey struct{}

func callFrom(ctx context.Context) *call {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		return c
	}
	return &call{}
}

// ServeHTTP gives every answer its headers, and every panic and unclean path an Error object.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &call{server: s, requestID: requestID(r), request: r}
	a := NewAnswer(w, r)
	c.writer = a
	h := w.Header()
	h["X-Request-Id"] = []string{c.requestID}
	h["X-Api-Version"] = versionHeader
	h["X-Content-Type-Options"] = nosniffHeader
	h["Cache-Control"] = noStoreHeader // files and pages set their own
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
			if a.Sent() {
				panic(http.ErrAbortHandler)
			}
			s.writeError(a, c.requestID, errInternal())
		}
	}()
	s.dispatch(c, a)
	a.Finish()
}

func (s *Server) dispatch(c *call, a *Answer) {
	if !cleanPath(c.request.URL.EscapedPath()) {
		s.writeError(a, c.requestID, errNothingHere())
		return
	}
	if s.isShared(c.request.URL.Path) && s.others.Answer(a, c.request) {
		return
	}
	c.request = c.request.WithContext(context.WithValue(c.request.Context(), callKey{}, c))
	c.request.Body = a.Body()
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

// Drain prepares for the end: from now on the server says that it is not ready, and every answer is the
// last of its connection.
func (s *Server) Drain() { s.draining.Store(true) }

// unknown answers what no route matches: 405 where the path exists for another method, else 404.
func (s *Server) unknown(w http.ResponseWriter, r *http.Request) {
	id := callFrom(r.Context()).requestID
	var allowed []string
	for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"} {
		probe := &http.Request{Method: method, URL: r.URL, Host: r.Host}
		if _, pattern := s.mux.Handler(probe); s.mux.exists(pattern, r.URL.Path) {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) > 0 {
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		s.writeError(w, id, kernel.Errorf(kernel.CodeMethodNotAllowed, "This address does not support the method %s.", Printable(r.Method)))
		return
	}
	s.writeError(w, id, errNothingHere())
}

func (s *Server) nothingHere(w http.ResponseWriter, r *http.Request) {
	s.writeError(w, callFrom(r.Context()).requestID, errNothingHere())
}

func errNothingHere() *kernel.Error {
	return kernel.Errorf(kernel.CodeNotFound, "There is no resource at this address.")
}

// requestID keeps a sane id of the caller's and makes one otherwise.
func requestID(r *http.Request) string {
	if given := r.Header.Get("X-Request-Id"); given != "" && len(given) <= 128 && Printable(given) == given {
		return given
	}
	return kernel.NewID().String()
}

// cleanPath refuses what the mux would answer with a redirect.
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

// Serve is server.Serve, with an Error object in place of net/http's own refusals; see Serve.
func (s *Server) Serve(server *http.Server, l net.Listener) error {
	return Serve(server, l, s.refuse)
}

// refuse answers what net/http refuses before a handler runs.
func (s *Server) refuse(status int) (http.Header, []byte) {
	e := Error{Code: kernel.CodeInvalidRequest, Message: "This is not a well-formed HTTP request.", RequestID: kernel.NewID().String(), Params: map[string]any{}, Details: []ErrorDetail{}}
	switch {
	case status == http.StatusRequestHeaderFieldsTooLarge:
		e.Message = "The request's headers are too large."
	case status >= 500 || status == http.StatusExpectationFailed:
		e.Message = "This kind of HTTP request is not supported."
	}
	body, _ := kernel.AppendJSON(nil, &e)
	h := http.Header{
		"Content-Type": {"application/json"}, "Cache-Control": noStoreHeader, "X-Content-Type-Options": nosniffHeader,
		"X-Api-Version": versionHeader, "X-Request-Id": {e.RequestID},
	}
	s.showRate(h)
	return h, body
}

// Base is the path below which the server answers.
func (s *Server) Base() string { return s.base }

// healthz answers while the process runs.
func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"status":"ok"}`))
}

// readyz answers whether the server can answer calls and is not about to stop.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) {
	if s.draining.Load() {
		s.writeError(w, callFrom(r.Context()).requestID, &kernel.Error{
			Code: kernel.CodeUnavailable, Message: "This server is shutting down. Try again.", RetryAfter: time.Second,
		})
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	if err := s.ready(ctx); err != nil {
		s.log.Warn("not ready", "error", err)
		if code := kernel.CodeOf(err); code != kernel.CodeUnavailable && code != kernel.CodeStorageFull {
			err = &kernel.Error{Code: kernel.CodeUnavailable, Message: "The database does not answer. Try again.", RetryAfter: time.Second}
		}
		p := s.problem(callFrom(r.Context()).requestID, err)
		p.status = http.StatusServiceUnavailable
		writeProblem(w, p)
		return
	}
	s.healthz(w, r)
}

// calls counts and times the operations of the table, by route and never by path.
var calls = prometheus.NewHistogramVec(prometheus.HistogramOpts{
	Name:    "recado_api_call_seconds",
	Help:    "Time taken by API calls, by route and status class.",
	Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
}, []string{"method", "route", "status"})

// Collectors are the metrics of this package, for the operator's registry.
func Collectors() []prometheus.Collector { return []prometheus.Collector{calls} }

func observe(r *Route, status int, took time.Duration) {
	calls.WithLabelValues(r.Method, r.Path, strconv.Itoa(status/100)+"xx").Observe(took.Seconds())
}
