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

// Route is an operation of the API with its verb. Tests check all routes for keys, scopes, tenancy and documentation.
type Route struct {
	Method  string
	Path    string      // below /v1
	Verb    kernel.Verb // with the required permission
	Summary string

	KeyRequired bool         // requires an Idempotency-Key, which is optional for other POSTs
	Open        bool         // requires neither key nor session
	Deprecated  *Deprecation // nil: not deprecated
	Tool        *Tool        // for assistants; may be nil
	Streams     bool         // the body of the request or the response is not JSON: uploads, live events

	status      int
	orStatus    int // of operations with two successful statuses
	description string
	codes       []kernel.Code // of errors of the verb
	paged       bool          // takes a cursor
	contentType string        // of a successful response that is not JSON
	bodiless    bool          // takes no body, or {}
	conditional bool          // supports If-None-Match
	secret      bool          // the response contains a secret
	secrets     []string      // the fields with secrets, which are null in repeated responses
	reserves    bool          // see Reserves
	name        string        // the operation id, if it does not follow from the verb
	example     string        // a body in JSON
	subject     string        // the kind of the id in the path; see subjectOf
	uploadLimit int64         // the maximum size of an uploaded file; 0: none
	formFields  []FormField   // of the form beside the file; nil: none
	csv         *csvTable     // nil: the response is never CSV
	family      *family       // further query parameters; may be nil
	register    func(s *Server, r *Route)
}

// Deprecation announces the end of an operation.
type Deprecation struct {
	Since  time.Time // when it was announced
	Sunset time.Time // when the operation will be removed
}

// announce sets the headers of RFC 9745 and RFC 8594.
func (d *Deprecation) announce(h http.Header) {
	h.Set("Deprecation", "@"+strconv.FormatInt(d.Since.Unix(), 10))
	h.Set("Sunset", d.Sunset.UTC().Format(http.TimeFormat))
}

type handler[I, O any] func(ctx context.Context, principal *kernel.Principal, in *I) (*O, error)

func (h handler[I, O]) run(ctx context.Context, s *Server, r *Route, in *I) (*O, error) {
	c := callFrom(ctx)
	if r.takesKey() && (r.KeyRequired || c.request.Header[headerIdempotencyKey] != nil) {
		return h.runOnce(ctx, s, r, in)
	}
	if r.csv != nil && wantsCSV(c.request) {
		return h.stream(ctx, s, r, in)
	}
	out, err := h(ctx, c.principal, in)
	if err != nil {
		return nil, s.problem(c.requestID, err)
	}
	return out, nil
}

// ByVisitors returns a route that requires neither key nor session. Cross-site requests of browsers are refused.
func ByVisitors[I, O any](
	method, path, summary string, h func(ctx context.Context, v kernel.Visitor, in *I) (*O, error), options ...option,
) *Route {
	r := route(method, path, kernel.Verb{}, summary, func(ctx context.Context, _ *kernel.Principal, in *I) (*O, error) {
		return h(ctx, Visitor(ctx), in)
	}, options)
	r.Open = true
	return r
}

// option refines a Route.
type option func(*Route)

// Created sets the successful status 201.
func Created(r *Route) { r.status = http.StatusCreated }

// Accepted sets the successful status 202.
func Accepted(r *Route) { r.status = http.StatusAccepted }

// NoContent sets the successful status 204.
func NoContent(r *Route) { r.status = http.StatusNoContent }

// KeyRequired requires an Idempotency-Key.
func KeyRequired(r *Route) { r.KeyRequired = true }

// Reserves reserves the Idempotency-Key before the verb runs, for verbs with effects that a rollback cannot undo. An interrupted
// call cannot be repeated; see kernel.OnceRequest.
func Reserves(r *Route) { r.reserves = true }

// Streams marks a route whose handler streams its body.
func Streams(r *Route) { r.Streams = true }

// Conditional supports If-None-Match.
func Conditional(r *Route) { r.conditional = true }

// Secret names the fields of the response that contain secrets, such as secret links.
func Secret(fields ...string) option {
	return func(r *Route) { r.secret, r.secrets = true, fields }
}

// Answers sets the content type of a successful response that is text and not JSON.
func Answers(contentType string) option { return func(r *Route) { r.contentType = contentType } }

// Or sets the second successful status of an operation.
func Or(status int) option { return func(r *Route) { r.orStatus = status } }

// About sets the description in the document.
func About(text string) option { return func(r *Route) { r.description = text } }

// Fails lists the error codes of the verb.
func Fails(codes ...kernel.Code) option { return func(r *Route) { r.codes = codes } }

// Named sets the operation id. An id must never change, because generated clients name their methods after it.
func Named(id string) option { return func(r *Route) { r.name = id } }

// Example sets the example of a body in the document.
func Example(body string) option { return func(r *Route) { r.example = body } }

// Subject sets the kind of the id in the path, if the response shows the subject.
func Subject(kind string) option { return func(r *Route) { r.subject = kind } }

// Uploads sets the maximum size of an uploaded file. The body is a form with one file.
func Uploads(limit int64) option { return func(r *Route) { r.Streams, r.uploadLimit = true, limit } }

// UploadsForm is Uploads with further fields in the form. The handler reads it with ReadForm.
func UploadsForm(limit int64, fields ...FormField) option {
	return func(r *Route) { r.Streams, r.uploadLimit, r.formFields = true, limit, fields }
}

// family are query parameters whose names begin with a prefix.
type family struct{ prefix, name, about string }

// Family accepts query parameters whose names begin with a prefix; the handler reads them from the request. The document describes
// them as one object with a name.
func Family(prefix, name, about string) option {
	return func(r *Route) { r.family = &family{prefix, name, about} }
}

// includes reports whether a query parameter belongs to the family, which may be nil.
func (f *family) includes(name string) bool {
	return f != nil && len(name) > len(f.prefix) && strings.HasPrefix(name, f.prefix)
}

// Get returns a route that changes nothing.
func Get[I, O any](path string, verb kernel.Verb, summary string, h handler[I, O], options ...option) *Route {
	return route(http.MethodGet, path, verb, summary, h, options)
}

// Post returns a route that creates something or acts. It accepts an Idempotency-Key.
func Post[I, O any](path string, verb kernel.Verb, summary string, h handler[I, O], options ...option) *Route {
	return route(http.MethodPost, path, verb, summary, h, options)
}

// Put returns a route that replaces something.
func Put[I, O any](path string, verb kernel.Verb, summary string, h handler[I, O], options ...option) *Route {
	return route(http.MethodPut, path, verb, summary, h, options)
}

// Patch returns a route that changes parts of something.
func Patch[I, O any](path string, verb kernel.Verb, summary string, h handler[I, O], options ...option) *Route {
	return route(http.MethodPatch, path, verb, summary, h, options)
}

// Del returns a route that deletes something and responds with 204.
func Del[I, O any](path string, verb kernel.Verb, summary string, h handler[I, O], options ...option) *Route {
	return route(http.MethodDelete, path, verb, summary, h, append(options, NoContent))
}

func route[I, O any](method, path string, verb kernel.Verb, summary string, h handler[I, O], options []option) *Route {
	r := &Route{Method: method, Path: path, Verb: verb, Summary: summary}
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
			defer func() { op.RequestBody.Required = false }() // huma makes only pointers optional
		}
		huma.Register(s.huma, op, func(ctx context.Context, in *I) (*O, error) {
			return h.run(ctx, s, r, in)
		})
	}
	return r
}

// optionalBody reports whether the body of an input has the tag required:"false".
func optionalBody[I any]() bool {
	body, ok := reflect.TypeFor[I]().FieldByName("Body")
	return ok && body.Tag.Get("required") == "false"
}

// takesCursor reports whether an input has a cursor.
func takesCursor[I any]() bool {
	for _, name := range []string{"Cursor", "Before", "After"} {
		if _, ok := reflect.TypeFor[I]().FieldByName(name); ok {
			return true
		}
	}
	return false
}

// Operation returns the operation of the route for huma.
func (r *Route) Operation(s *Server) huma.Operation {
	op := huma.Operation{
		OperationID:   r.operationID(),
		Method:        r.Method,
		Path:          r.Path,
		Summary:       r.Summary,
		Description:   r.description,
		Tags:          []string{s.tag(r)},
		DefaultStatus: r.status,
		MaxBodyBytes:  kernel.MaxBody + 1, // huma refuses bodies of this size
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
	if r.contentType != "" {
		op.Responses = map[string]*huma.Response{"200": {
			Description: "OK", Content: map[string]*huma.MediaType{r.contentType: {Schema: &huma.Schema{Type: huma.TypeString}}},
		}}
	}
	op.Middlewares = huma.Middlewares{s.enter(r)}
	if r.conditional {
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: "If-None-Match", In: "header", Schema: &huma.Schema{Type: huma.TypeString},
			Description: "The ETag of an earlier response. If it has not changed, the response is 304 without a body.",
		})
	}
	if f := r.family; f != nil {
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: f.name, In: "query", Description: f.about, Style: "form", Explode: new(true),
			Schema: &huma.Schema{Type: huma.TypeObject, AdditionalProperties: &huma.Schema{Type: huma.TypeString}},
		})
	}
	if r.csv != nil {
		r.documentCSV(&op)
	}
	if r.takesKey() {
		r.documentKey(&op)
	}
	if r.takesKey() && !r.Streams { // openUpload computes the hash of uploads
		op.Middlewares = append(op.Middlewares, hashBody)
	}
	return op
}

// security returns the security schemes of the operation.
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

// failures returns the error codes of the operation by status: those of all calls, those that follow from its fields, and those
// of Fails.
func (r *Route) failures() map[int][]kernel.Code {
	codes := append([]kernel.Code{kernel.CodeInvalidRequest, kernel.CodeRateLimited, kernel.CodeInternal, kernel.CodeUnavailable}, r.codes...)
	add := func(can bool, more ...kernel.Code) {
		if can {
			codes = append(codes, more...)
		}
	}
	changes := r.Method != http.MethodGet
	add(!r.Open, kernel.CodeKeyMissing, kernel.CodeKeyInvalid, kernel.CodeKeyExpired, kernel.CodeKeyRevoked,
		kernel.CodeSessionMissing, kernel.CodeSessionChanged, kernel.CodeInsufficientScope)
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
		status := errorCodes[code].status
		byStatus[status] = append(byStatus[status], code)
	}
	return byStatus
}

// Reply is a response with a body.
type Reply[T any] struct{ Body T }

// Body returns the result of a verb as a response.
func Body[T any](v T, err error) (*Reply[T], error) { return &Reply[T]{Body: v}, err }

// Located is the response of operations that create something.
type Located[T any] struct {
	Status   int
	Location string `header:"Location" doc:"The URL of the new resource."`
	Body     T
}

// None is the input of operations without parameters, and the output of those without a body.
type None struct{}

// AtID is the input of operations with an id in the path.
type AtID struct {
	ID PathID `path:"id" doc:"UUID."`
}

// PathID is an id from the path. Text that is not an id becomes a new id, so that the operation responds with 404 as it does to
// any other unknown id.
type PathID kernel.ID

// UnmarshalText parses an id.
func (p *PathID) UnmarshalText(text []byte) error {
	id, ok := kernel.ParseID(string(text))
	if !ok {
		id = kernel.NewID()
	}
	*p = PathID(id)
	return nil
}

// Schema returns the schema of a string without a format, so that huma accepts any text.
func (PathID) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: huma.TypeString} }

// ByID returns a handler that returns the noun with the id in the path.
func ByID[T any](verb func(ctx context.Context, a *kernel.Principal, id kernel.ID) (T, error)) handler[AtID, Reply[T]] {
	return func(ctx context.Context, a *kernel.Principal, in *AtID) (*Reply[T], error) {
		noun, err := verb(ctx, a, kernel.ID(in.ID))
		return &Reply[T]{Body: noun}, err
	}
}

// DeleteByID returns a handler that deletes the noun with the id in the path.
func DeleteByID(verb func(ctx context.Context, a *kernel.Principal, id kernel.ID) error) handler[AtID, None] {
	return func(ctx context.Context, a *kernel.Principal, in *AtID) (*None, error) {
		return &None{}, verb(ctx, a, kernel.ID(in.ID))
	}
}

// StreamReply is a response whose handler writes the body.
type StreamReply struct {
	Body func(ctx huma.Context)
}

// VersionTag returns the ETag of a version.
func VersionTag(version int64) string { return `"` + strconv.FormatInt(version, 10) + `"` }

// AtVersion is the header with the version that a change is based on.
type AtVersion struct {
	IfMatch string `header:"If-Match" doc:"The version the change is based on, as returned in the ETag." example:"\"7\""`
}

// Version returns the version that a change is based on, or 0 if there is none; see kernel.ChangeVersion.
func (AtVersion) Version(ctx context.Context, body *int64) (int64, error) {
	version, err := kernel.ChangeVersion(callFrom(ctx).request.Header["If-Match"], body)
	if err != nil { // a nil *kernel.Error is not a nil error
		return 0, err
	}
	return version, nil
}

// NoInput returns the handler of a verb without parameters.
func NoInput[T any](verb func(ctx context.Context, a *kernel.Principal) (T, error)) handler[None, Reply[T]] {
	return func(ctx context.Context, a *kernel.Principal, _ *None) (*Reply[T], error) { return Body(verb(ctx, a)) }
}

// Entries returns the result of a verb as a response with a list.
func Entries[T any](data []T, err error) (*Reply[List[T]], error) {
	return &Reply[List[T]]{Body: List[T]{Data: data}}, err
}

// ListAll returns the handler of a verb without parameters that returns a list.
func ListAll[T any](verb func(ctx context.Context, a *kernel.Principal) ([]T, error)) handler[None, Reply[List[T]]] {
	return func(ctx context.Context, a *kernel.Principal, _ *None) (*Reply[List[T]], error) {
		return Entries(verb(ctx, a))
	}
}

// ListCursor returns the handler of a verb that returns a page of a list and the cursor of the next page, "" on the last one.
func ListCursor[I, T any](verb func(ctx context.Context, a *kernel.Principal, in *I) ([]T, string, error)) handler[I, Reply[CursorList[T]]] {
	return func(ctx context.Context, a *kernel.Principal, in *I) (*Reply[CursorList[T]], error) {
		page, next, err := verb(ctx, a, in)
		return CursorPage(page, next), err
	}
}
