// Package api serves the desk over HTTP: the table of routes, keys and scopes, limits, strict input, error
// objects and the OpenAPI document. It decides nothing about the desk itself.
//
// Every answer that is no success is an Error object, also where net/http refuses a request before a
// handler runs; see package wire. What a request may contain is checked in package input.
package api

import (
	"context"
	"hash"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/prometheus/client_golang/prometheus"

	"recado/internal/buckets"
	"recado/internal/desk"
	"recado/internal/input"
	"recado/internal/live"
	"recado/internal/model"
	"recado/internal/openapi"
	"recado/internal/site"
	"recado/internal/whatsapp"
	"recado/internal/wire"
)

// Version is the API's, not the binary's.
const Version = model.APIVersion

// Options says what a Server serves and how.
type Options struct {
	Desk      *desk.Desk
	Live      *live.Hub
	BasePath  string // "" or "/desk"
	PublicURL string // https://desk.example.com, without the base path
	Logger    *slog.Logger
	Proxies   []netip.Prefix // whose X-Forwarded headers are believed
	Origins   site.Origins   // whose pages may call the API with a key
	// Pages of the browser app and of the guides, by pattern below the base path; they answer GET.
	Pages map[string]http.Handler
	// Storage reports an error when the disk of the data is full; nil: it is not checked.
	Storage func() error
}

// Server answers everything below the base path.
type Server struct {
	desk   *desk.Desk
	log    *slog.Logger
	base   string
	public string
	mux    *router
	huma   huma.API
	site   *site.Site
	demo   *DemoLogin

	demoLogin desk.KnownLogin // whether that of the demo is still valid
	table     []*Route
	rates     *buckets.Buckets[model.ID] // of keys and sessions
	others    site.Origins               // whose pages may call the API with a key

	fingerprintKey [32]byte                          // of idempotent calls
	steps          atomic.Pointer[func(step string)] // see OnStep

	fullRate []string                  // the burst of a key without a rate of its own, as a header
	docs     func() ([2][]byte, error) // the OpenAPI documents

	live     *live.Hub
	streams  *streamLimiter
	draining atomic.Bool
	storage  func() error
}

// New builds the server from the table of routes.
func New(o Options) *Server {
	s := &Server{
		desk: o.Desk, live: o.Live, log: o.Logger, base: o.BasePath, public: strings.TrimSuffix(o.PublicURL, "/") + o.BasePath,
		rates: buckets.New[model.ID](), streams: newStreamLimiter(o.Desk.System().Limits().Streams),
	}
	s.storage = o.Storage
	s.fingerprintKey = o.Desk.System().FingerprintKey()
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.others, s.fullRate = o.Origins, []string{strconv.FormatInt(o.Desk.System().Rate().Burst, 10)}
	s.site = &site.Site{Public: s.public, Base: s.base, Proxies: o.Proxies}
	v1 := s.base + "/v1"
	s.mux = &router{ServeMux: http.NewServeMux(), team: v1 + "/team", unknown: s.unknown}
	s.huma = humago.NewWithPrefix(s.mux, v1, s.config())
	s.table = s.routes()
	for _, r := range s.table {
		r.register(s, r)
	}
	openapi.MarkNullable(s.huma.OpenAPI().Components.Schemas)
	s.docs = sync.OnceValues(s.documents)
	s.mux.HandleFunc("GET "+v1+"/openapi.json", s.serveDocument(0))
	s.mux.HandleFunc("GET "+v1+"/openapi-3.0.json", s.serveDocument(1))
	s.mux.HandleFunc("GET "+s.base+"/healthz", s.healthz)
	s.mux.HandleFunc("GET "+s.base+"/readyz", s.readyz)
	s.mux.Handle("GET "+s.base+"/docs/", openapi.Page(s.base, s.nothingHere))
	s.mux.Handle("GET "+s.base+"/docs", http.RedirectHandler(s.base+"/docs/", http.StatusMovedPermanently))
	s.mux.HandleFunc("GET "+s.base+"/media/{id}", s.serveMedia)
	for pattern, h := range o.Pages {
		s.mux.Handle("GET "+s.base+pattern, h)
	}
	s.mux.Handle(s.base+whatsapp.CallbackPattern, (&callbacks{desk: s.desk.System(), log: s.log}).handler())
	s.mux.HandleFunc("/", s.unknown)
	return s
}

// Routes is the table as data.
func (s *Server) Routes() []*Route { return s.table }

// call is one request and what the checks of the API found out about it.
type call struct {
	server    *Server
	requestID string
	principal *desk.Principal
	request   *http.Request
	writer    http.ResponseWriter
	body      hash.Hash          // of the body's bytes, with an Idempotency-Key
	file      hash.Hash          // of the name and the bytes of an uploaded file
	shape     func(made any) any // see shaped
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
	a := wire.NewAnswer(w, r)
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

func (s *Server) dispatch(c *call, a *wire.Answer) {
	if !cleanPath(c.request.URL.EscapedPath()) {
		s.writeError(a, c.requestID, errNothingHere())
		return
	}
	below, ok := strings.CutPrefix(c.request.URL.Path, s.base)
	if ok && (strings.HasPrefix(below, "/v1/") || strings.HasPrefix(below, "/media/")) && s.others.Answer(a, c.request) {
		return
	}
	c.request = c.request.WithContext(context.WithValue(c.request.Context(), callKey{}, c))
	c.request.Body = a.Body()
	s.mux.ServeHTTP(a, c.request)
}

var (
	versionHeader = []string{Version}
	nosniffHeader = []string{"nosniff"}
	noStoreHeader = []string{"no-store"}
	closeHeader   = []string{"close"}
	zeroHeader    = []string{"0"}
)

// ShowDemo lets GET /setup tell people at this machine the login of a demo, while its password is the same. It is called before the first
// request, if at all.
func (s *Server) ShowDemo(ctx context.Context, login DemoLogin) (err error) {
	s.demo = &login
	s.demoLogin, err = s.desk.System().KnownLogin(ctx, login.Email, login.Password)
	return err
}

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
		s.writeError(w, id, model.Errorf(model.CodeMethodNotAllowed, "This address does not support the method %s.", input.Printable(r.Method)))
		return
	}
	s.writeError(w, id, errNothingHere())
}

func (s *Server) nothingHere(w http.ResponseWriter, r *http.Request) {
	s.writeError(w, callFrom(r.Context()).requestID, errNothingHere())
}

func errNothingHere() *model.Error {
	return model.Errorf(model.CodeNotFound, "There is no resource at this address.")
}

// requestID keeps a sane id of the caller's and makes one otherwise.
func requestID(r *http.Request) string {
	if given := r.Header.Get("X-Request-Id"); given != "" && len(given) <= 128 && input.Printable(given) == given {
		return given
	}
	return model.NewID().String()
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

// Serve is server.Serve, with an Error object in place of net/http's own refusals; see wire.Serve.
func (s *Server) Serve(server *http.Server, l net.Listener) error {
	return wire.Serve(server, l, s.refuse)
}

// refuse answers what net/http refuses before a handler runs.
func (s *Server) refuse(status int) (http.Header, []byte) {
	e := Error{Code: model.CodeInvalidRequest, Message: "This is not a well-formed HTTP request.", RequestID: model.NewID().String(), Params: map[string]any{}, Details: []ErrorDetail{}}
	switch {
	case status == http.StatusRequestHeaderFieldsTooLarge:
		e.Message = "The request's headers are too large."
	case status >= 500 || status == http.StatusExpectationFailed:
		e.Message = "This kind of HTTP request is not supported."
	}
	body, _ := model.AppendJSON(nil, &e)
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

// readyz says that the database answers, its migrations are done, the secret key fits it, there is space on the disk, and the server is not
// about to stop.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) {
	if s.draining.Load() {
		s.writeError(w, callFrom(r.Context()).requestID, &model.Error{
			Code: model.CodeUnavailable, Message: "This server is shutting down. Try again.", RetryAfter: time.Second,
		})
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	err := s.desk.System().Ready(ctx)
	if err == nil && s.storage != nil {
		err = s.storage()
	}
	if err != nil {
		s.log.Warn("not ready", "error", err)
		if code := model.CodeOf(err); code != model.CodeUnavailable && code != model.CodeStorageFull {
			err = &model.Error{Code: model.CodeUnavailable, Message: "The database does not answer. Try again.", RetryAfter: time.Second}
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
