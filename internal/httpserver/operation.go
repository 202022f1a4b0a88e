package httpserver

import (
	"context"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"recado/internal/kernel"
)

// Route is one line of the table: what a caller may ask, and the verb that does it. Tests read the
// table as data, so a new line is checked for keys, scopes, tenancy and documentation at once.
type Route struct {
	Method  string
	Path    string      // below /v1
	Verb    kernel.Verb // what it does, and the permission that it takes
	Summary string

	// KeyRequired says that a call needs an Idempotency-Key, which is optional for other POSTs; see idempotency.go.
	KeyRequired bool
	// Open routes need neither key nor session.
	Open bool
	// Deprecated routes say in every answer until when they stay.
	Deprecated *Deprecation
	// Tool says how assistants may call it; nil: they may not.
	Tool *Tool
	// Streams says that the body of the request or the answer is no JSON: uploads, live events.
	Streams bool

	status      int
	orStatus    int // the other status of an operation that has two successes
	description string
	codes       []kernel.Code // of errors that follow from the verb
	paged       bool          // takes a cursor
	answers     string        // the content type of a success that is not JSON
	maxBody     int64
	bodiless    bool     // takes no body: an absent one or {}
	conditional bool     // the answer has an ETag, and If-None-Match gives 304
	secret      bool     // the answer shows a secret
	secrets     []string // the fields of the answer that do, which are null when it is repeated
	reserves    bool     // see Reserves
	name        string   // the operation id, where it does not follow from the verb
	example     string   // a body, as JSON
	subject     string   // the kind of what the id of the path names; see subjectOf
	uploadLimit int64    // the size of an uploaded file; 0: takes none
	register    func(s *Server, r *Route)
}

// Deprecation is the announced end of an operation.
type Deprecation struct {
	Since  time.Time // when it was announced
	Sunset time.Time // until when the operation stays
}

// announce puts the dates into an answer, in the forms of RFC 9745 and RFC 8594.
func (d *Deprecation) announce(h http.Header) {
	h.Set("Deprecation", "@"+strconv.FormatInt(d.Since.Unix(), 10))
	h.Set("Sunset", d.Sunset.UTC().Format(http.TimeFormat))
}

// handler is a verb of the API: the principal's company and permissions, the decoded request, the answer.
type handler[I, O any] func(ctx context.Context, principal *kernel.Principal, in *I) (*O, error)

func (h handler[I, O]) run(ctx context.Context, s *Server, r *Route, in *I) (*O, error) {
	c := callFrom(ctx)
	if r.takesKey() && (r.KeyRequired || c.request.Header[headerIdempotencyKey] != nil) {
		return h.runOnce(ctx, s, r, in)
	}
	out, err := h(ctx, c.principal, in)
	if err != nil {
		return nil, s.problem(c.requestID, err)
	}
	return out, nil
}

// visitorHandler answers calls that need neither key nor session.
type visitorHandler[I, O any] func(ctx context.Context, v kernel.Visitor, in *I) (*O, error)

// ByVisitors is a Route without a principal. A request that a browser was made to send by another site is refused.
func ByVisitors[I, O any](method, path, summary string, h visitorHandler[I, O], options ...option) *Route {
	r := route(method, path, kernel.Verb{}, summary, func(ctx context.Context, _ *kernel.Principal, in *I) (*O, error) {
		return h(ctx, Visitor(ctx), in)
	}, options)
	r.Open = true
	return r
}

// option refines a Route.
type option func(*Route)

// Created makes 201 the status of a success.
func Created(r *Route) { r.status = http.StatusCreated }

// Accepted makes 202 the status of a success.
func Accepted(r *Route) { r.status = http.StatusAccepted }

// NoContent makes 204 the status of a success.
func NoContent(r *Route) { r.status = http.StatusNoContent }

// KeyRequired refuses calls without an Idempotency-Key.
func KeyRequired(r *Route) { r.KeyRequired = true }

// Reserves reserves the Idempotency-Key of a call before the verb runs, because what the verb does cannot be undone together with
// its transaction: a call that is interrupted is not made again; see kernel.OnceRequest.
func Reserves(r *Route) { r.reserves = true }

// Streams marks a route whose handler reads or writes its body as it goes.
func Streams(r *Route) { r.Streams = true }

// Conditional lets callers that have the answer already get 304.
func Conditional(r *Route) { r.conditional = true }

// Secret marks a Route whose answer shows a secret, or a link that is one, in these fields.
func Secret(fields ...string) option {
	return func(r *Route) { r.secret, r.secrets = true, fields }
}

// Answers says that a success is no JSON but text of this type.
func Answers(contentType string) option { return func(r *Route) { r.answers = contentType } }

// Or names the second status of an operation that has two successes.
func Or(status int) option { return func(r *Route) { r.orStatus = status } }

// About adds a longer description to the document.
func About(text string) option { return func(r *Route) { r.description = text } }

// Fails names the error codes that follow from the verb and not from the form of the operation.
func Fails(codes ...kernel.Code) option { return func(r *Route) { r.codes = codes } }

// Named sets the operation id. Generated clients name their methods after the ids, so that an id never changes.
func Named(id string) option { return func(r *Route) { r.name = id } }

// Example shows a body in the document. Its ids name nothing.
func Example(body string) option { return func(r *Route) { r.example = body } }

// Subject says of which kind is what the id of the path names, where the answer shows something of it.
func Subject(kind string) option { return func(r *Route) { r.subject = kind } }

// Uploads says that the body is a form with one file of at most so many bytes.
func Uploads(limit int64) option { return func(r *Route) { r.Streams, r.uploadLimit = true, limit } }

// Get is a route that changes nothing.
func Get[I, O any](path string, verb kernel.Verb, summary string, h handler[I, O], options ...option) *Route {
	return route(http.MethodGet, path, verb, summary, h, options)
}

// Post is a route that creates something or acts. It takes an Idempotency-Key.
func Post[I, O any](path string, verb kernel.Verb, summary string, h handler[I, O], options ...option) *Route {
	return route(http.MethodPost, path, verb, summary, h, options)
}

// Put is a route that replaces something.
func Put[I, O any](path string, verb kernel.Verb, summary string, h handler[I, O], options ...option) *Route {
	return route(http.MethodPut, path, verb, summary, h, options)
}

// Patch is a route that changes parts of something.
func Patch[I, O any](path string, verb kernel.Verb, summary string, h handler[I, O], options ...option) *Route {
	return route(http.MethodPatch, path, verb, summary, h, options)
}

// Del is a route that deletes something and responds with 204.
func Del[I, O any](path string, verb kernel.Verb, summary string, h handler[I, O], options ...option) *Route {
	return route(http.MethodDelete, path, verb, summary, h, append(options, NoContent))
}

func route[I, O any](method, path string, verb kernel.Verb, summary string, h handler[I, O], options []option) *Route {
	r := &Route{Method: method, Path: path, Verb: verb, Summary: summary, maxBody: kernel.MaxBody}
	for _, apply := range options {
		apply(r)
	}
	_, takesBody := reflect.TypeFor[I]().FieldByName("Body")
	r.bodiless = !takesBody && method != http.MethodGet && !r.Streams
	r.paged = takesCursor[I]()
	r.register = func(s *Server, r *Route) {
		op := r.Operation(s)
		if optionalBody[I]() {
			op.RequestBody = &huma.RequestBody{}
			defer func() { op.RequestBody.Required = false }() // huma thinks that only a pointer may be absent
		}
		huma.Register(s.huma, op, func(ctx context.Context, in *I) (*O, error) {
			return h.run(ctx, s, r, in)
		})
	}
	return r
}

// optionalBody reports whether the body of an input is marked required:"false": absent, it is as if all
// of its fields were.
func optionalBody[I any]() bool {
	t := reflect.TypeFor[I]()
	if t.Kind() != reflect.Struct {
		return false
	}
	body, ok := t.FieldByName("Body")
	return ok && body.Tag.Get("required") == "false"
}

// takesCursor reports whether an input has a cursor among its fields.
func takesCursor[I any]() bool {
	for _, name := range []string{"Cursor", "Before", "After"} {
		if _, ok := reflect.TypeFor[I]().FieldByName(name); ok {
			return true
		}
	}
	return false
}

// Operation is the route in the words of the OpenAPI document.
func (r *Route) Operation(s *Server) huma.Operation {
	op := huma.Operation{
		OperationID:   r.operationID(),
		Method:        r.Method,
		Path:          r.Path,
		Summary:       r.Summary,
		Description:   r.description,
		Tags:          []string{s.tag(r)},
		DefaultStatus: r.status,
		MaxBodyBytes:  r.maxBody + 1, // huma refuses at this size, not above it
		Errors:        slices.Sorted(maps.Keys(r.failures())),
		Metadata:      map[string]any{"scope": r.Verb.Scope},
		Security:      r.security(),
		Deprecated:    r.Deprecated != nil,
	}
	if r.Verb.Scope != "" {
		needed := "`" + string(r.Verb.Scope) + "`"
		if wider := r.Verb.Scope.IncludedIn(); wider != "" {
			needed += ", or `" + string(wider) + "`, which includes it"
		}
		op.Description = strings.TrimSpace(op.Description + "\n\nScope: " + needed + ".")
	}
	if r.answers != "" {
		op.Responses = map[string]*huma.Response{"200": {
			Description: "OK", Content: map[string]*huma.MediaType{r.answers: {Schema: &huma.Schema{Type: huma.TypeString}}},
		}}
	}
	op.Middlewares = huma.Middlewares{s.enter(r)}
	if r.conditional {
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: "If-None-Match", In: "header", Schema: &huma.Schema{Type: huma.TypeString},
			Description: "The ETag of an answer that you have. If it would be the same now, the answer is 304 without a body.",
		})
	}
	if r.takesKey() {
		r.documentKey(&op)
	}
	if r.takesKey() && !r.Streams { // an upload is too large to be read here; its hash is computed while it is read
		op.Middlewares = append(op.Middlewares, hashBody)
	}
	return op
}

// security says who may make the call: the holder of a key, a person who is signed in, either, or any visitor.
func (r *Route) security() []map[string][]string {
	session := map[string][]string{schemeSession: {}}
	switch {
	case r.Open:
		return []map[string][]string{}
	case r.Verb.SessionOnly:
		return []map[string][]string{session}
	case r.Verb.Scope == "":
		return []map[string][]string{{schemeKey: {}}, session}
	}
	return []map[string][]string{{schemeKey: {string(r.Verb.Scope)}}, session}
}

// failures lists the error codes that this operation can answer, by status: those of every call, those that
// follow from its form, and those that the table names.
func (r *Route) failures() map[int][]kernel.Code {
	codes := append([]kernel.Code{kernel.CodeInvalidRequest, kernel.CodeRateLimited, kernel.CodeInternal, kernel.CodeUnavailable}, r.codes...)
	add := func(can bool, more ...kernel.Code) {
		if can {
			codes = append(codes, more...)
		}
	}
	changes := r.Method != http.MethodGet
	add(!r.Open, kernel.CodeKeyMissing, kernel.CodeKeyInvalid, kernel.CodeKeyExpired, kernel.CodeKeyRevoked, kernel.CodeSessionMissing, kernel.CodeSessionChanged, kernel.CodeInsufficientScope)
	add(r.Verb.SessionOnly, kernel.CodeSessionRequired)
	add(changes || r.Open, kernel.CodeCrossOrigin)
	add(changes, kernel.CodeInvalidJSON, kernel.CodeBodyTooLarge, kernel.CodeUncertain, kernel.CodeStorageFull)
	add(r.paged, kernel.CodeInvalidCursor)
	add(strings.Contains(r.Path, "{"), kernel.CodeNotFound)
	add(r.KeyRequired, kernel.CodeIdempotencyRequired)
	add(r.takesKey(), kernel.CodeIdempotencyInvalid, kernel.CodeIdempotencyConflict, kernel.CodeNotFound) // of a repeat
	add(r.takesKey() && r.reserves, kernel.CodeIdempotencyPending)
	slices.Sort(codes)
	byStatus := map[int][]kernel.Code{}
	for _, code := range slices.Compact(codes) {
		byStatus[statusOf[code]] = append(byStatus[statusOf[code]], code)
	}
	return byStatus
}

// Reply is an answer with a body and nothing else.
type Reply[T any] struct{ Body T }

// Located is the answer of operations that make something.
type Located[T any] struct {
	Status   int
	Location string `header:"Location" doc:"The address of what was created."`
	Body     T
}

// None is the input of operations without parameters, and the output of those without a body.
type None struct{}

// AtID is the input of operations on one thing. It is exported, like Page, because only exported types
// can be embedded in an input. The id is a plain string here, because a path id
// that is no UUID is a 404, not a 400.
type AtID struct {
	ID string `path:"id" doc:"UUID."`
}

// ByID is the handler of an operation that gives one thing, which its messages call what.
func ByID[T any](what string, verb func(ctx context.Context, a *kernel.Principal, id kernel.ID) (T, error)) handler[AtID, Reply[T]] {
	return func(ctx context.Context, a *kernel.Principal, in *AtID) (*Reply[T], error) {
		id, err := PathID(in.ID, what)
		if err != nil {
			return nil, err
		}
		noun, err := verb(ctx, a, id)
		return &Reply[T]{Body: noun}, err
	}
}

// PathID reads an id of the path.
func PathID(text, what string) (kernel.ID, error) {
	id, ok := kernel.ParseID(text)
	if !ok {
		return kernel.ID{}, kernel.NotFound(what)
	}
	return id, nil
}

// StreamReply is a response whose body its handler writes.
type StreamReply struct {
	Body func(ctx huma.Context)
}
