package httpserver

import (
	"encoding/json"
	"errors"
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

func init() { huma.DefaultArrayNullable = false }

// Names of security schemes. They must differ from the names of schemas, because generators create a type for each.
const (
	schemeKey     = "bearer"
	schemeSession = "cookie"
)

func (s *Server) config(o Options) huma.Config {
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	registry.RegisterTypeAlias(reflect.TypeFor[kernel.ID](), reflect.TypeFor[idSchema]())
	registry.RegisterTypeAlias(reflect.TypeFor[FilterID](), reflect.TypeFor[idSchema]())
	registry.RegisterTypeAlias(reflect.TypeFor[kernel.Optional[kernel.ID]](), reflect.TypeFor[optionalSchema[kernel.ID]]())
	registry.RegisterTypeAlias(reflect.TypeFor[kernel.Optional[string]](), reflect.TypeFor[optionalSchema[string]]())
	registry.RegisterTypeAlias(reflect.TypeFor[kernel.Optional[time.Time]](), reflect.TypeFor[optionalSchema[time.Time]]())
	registry.RegisterTypeAlias(reflect.TypeFor[kernel.Optional[int64]](), reflect.TypeFor[optionalSchema[int64]]())
	registry.RegisterTypeAlias(reflect.TypeFor[kernel.Amount](), reflect.TypeFor[float64]())
	registry.RegisterTypeAlias(reflect.TypeFor[kernel.Optional[float64]](), reflect.TypeFor[optionalSchema[float64]]())
	for _, c := range o.Capabilities {
		for _, schema := range c.Schemas {
			registry.RegisterTypeAlias(schema.of, schema.as)
		}
	}
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title:       "Recado",
				Version:     Version,
				Contact:     &huma.Contact{Name: "Recado"},
				License:     &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"},
				Description: o.Description,
				Extensions:  releaseOf(o),
			},
			Servers: []*huma.Server{{URL: s.public + "/v1"}},
			Components: &huma.Components{
				Schemas: registry,
				SecuritySchemes: map[string]*huma.SecurityScheme{
					schemeKey: {Type: "http", Scheme: "bearer", BearerFormat: "rcd_…", Description: "An API key of the company."},
					schemeSession: {
						Type: "apiKey", In: "cookie", Name: CookieHost,
						Description: "The cookie that POST /session sets. Over plain http the cookie is named " + CookiePlain + ", below a base path " + CookieSecure +
							". Requests other than GET must come from the app's own origin. A request can specify the person it is for in the header " + headerUser +
							", with the id of the user. If the cookie belongs to another person, the response is 403 session_changed.",
					},
				},
			},
		},
		Formats:       map[string]huma.Format{"application/json": jsonFormat},
		DefaultFormat: "application/json",
		Transformers:  []huma.Transformer{sendsCSV},
	}
}

// idSchema describes ids.
type idSchema struct{}

func (idSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "uuid"}
}

// optionalSchema describes a kernel.Optional of T, which may be null.
type optionalSchema[T any] struct{}

func (optionalSchema[T]) Schema(r huma.Registry) *huma.Schema {
	schema := *r.Schema(reflect.TypeFor[T](), false, "")
	schema.Nullable = true
	return &schema
}

// document adds to the document of huma what the types do not say.
func (s *Server) document() (Document, error) {
	doc, err := newDocument(s.huma.OpenAPI())
	if err != nil {
		return nil, err
	}
	walk(map[string]any(doc), correctSchema)
	describeEnums(doc)
	for _, c := range s.options.Capabilities {
		if c.Describe != nil {
			c.Describe(doc)
		}
	}
	describeEvents(doc, s.events)
	used := map[string]bool{}
	for _, r := range s.table {
		op := doc.Operation(r.Method, r.Path)
		describeParameters(op)
		r.describeBody(op)
		r.describeResponses(doc, op)
		used[s.tag(r)] = true
	}
	doc["tags"] = s.describedTags(used)
	doc.openResponses()
	return doc, nil
}

// describeParameters sets the format of path ids. Other parameters of a path are names.
func describeParameters(op map[string]any) {
	parameters, _ := op["parameters"].([]any)
	for _, parameter := range parameters {
		if p := parameter.(map[string]any); p["in"] == "path" && p["name"] != "name" {
			p["schema"] = map[string]any{"type": "string", "format": "uuid"}
		}
	}
}

// describeBody sets the example, which the API page shows and fills its forms with.
func (r *Route) describeBody(op map[string]any) {
	if r.uploadLimit > 0 {
		describeUpload(op, r.formFields)
	}
	body, _ := op["requestBody"].(map[string]any)
	if content := jsonContent(body); content != nil && r.example != "" {
		content["example"] = json.RawMessage(r.example)
	}
}

// describeResponses describes the headers of the responses, adds an example of each success, and adds the errors.
func (r *Route) describeResponses(doc Document, op map[string]any) {
	responses := op["responses"].(map[string]any)
	for status := range responses {
		if status >= "400" {
			delete(responses, status)
		}
	}
	for status, response := range responses {
		success := response.(map[string]any)
		headers, _ := success["headers"].(map[string]any)
		success["headers"] = r.headers(doc, status, headers)
		if content := jsonContent(success); content != nil {
			content["example"] = doc.Example(content["schema"].(map[string]any))
		}
	}
	r.describeCSV(responses)
	if r.orStatus != 0 {
		responses[strconv.Itoa(r.orStatus)] = responses[strconv.Itoa(r.status)]
	}
	if r.conditional {
		responses["304"] = map[string]any{
			"description": "Not Modified: the response has not changed since the version in If-None-Match.", "headers": r.headers(doc, "304", nil),
		}
	}
	for status, codes := range r.failures() {
		responses[strconv.Itoa(status)] = r.refusals(doc, status, codes)
	}
}

// refusals returns a reference to the response for the error codes of a status. Operations with the same codes share it.
func (r *Route) refusals(doc Document, status int, codes []kernel.Code) map[string]any {
	names, examples := make([]string, len(codes)), map[string]any{}
	for i, code := range codes {
		names[i] = "`" + string(code) + "`"
		examples[string(code)] = map[string]any{"value": codeExample(code)}
	}
	return doc.component("responses", responseName(status, codes), map[string]any{
		"description": http.StatusText(status) + ": " + strings.Join(names, ", "),
		"headers":     r.headers(doc, strconv.Itoa(status), nil),
		"content": map[string]any{"application/json": map[string]any{
			"schema": map[string]any{"$ref": "#/components/schemas/Error"}, "examples": examples,
		}},
	})
}

// codeExample returns an example of an Error with a code.
func codeExample(code kernel.Code) *Error {
	e := &Error{Code: code, Message: errorCodes[code].message, RequestID: "01a1dd8b-94d3-7000-8e09-23922c17c8f4", Params: map[string]any{}, Details: []ErrorDetail{}}
	if code == kernel.CodeServiceWindowClosed {
		e.Params["reason"] = "expired"
	}
	rule := kernel.RuleRequired
	switch code {
	case kernel.CodeInvalidRequest, kernel.CodeURLNotAllowed:
		rule = kernel.RuleMalformed
	case kernel.CodeInvalidJSON:
		rule = ruleNotJSON
	}
	if field, message, ok := strings.Cut(e.Message, ": "); ok && (strings.HasPrefix(field, "body") || strings.HasPrefix(field, "header.")) {
		e.Details = append(e.Details, ErrorDetail{Field: field, Code: rule.Code(), Params: kernel.Params{}, Message: message})
	}
	return e
}

// usualCodes lists the codes of a status that are not part of the name of a response.
var usualCodes = map[int][]kernel.Code{
	http.StatusBadRequest: {kernel.CodeInvalidRequest},
	http.StatusUnauthorized: {
		kernel.CodeKeyExpired, kernel.CodeKeyInvalid, kernel.CodeKeyMissing, kernel.CodeKeyRevoked, kernel.CodeSessionMissing,
	},
	http.StatusForbidden: {kernel.CodeInsufficientScope, kernel.CodeSessionChanged},
	http.StatusConflict:  {kernel.CodeIdempotencyConflict, kernel.CodeIdempotencyPending},
}

// responseName returns the name of a response, with its status and codes, such as ConflictNameTaken.
func responseName(status int, codes []kernel.Code) string {
	name, usual := camelCase(http.StatusText(status)), usualCodes[status]
	more := slices.DeleteFunc(slices.Clone(codes), func(code kernel.Code) bool { return slices.Contains(usual, code) })
	if len(codes)-len(more) < len(usual) {
		name, more = name+"Only", codes
	}
	if len(usual) == 0 && len(codes) == 1 {
		return name
	}
	for _, code := range more {
		name += camelCase(string(code))
	}
	return name
}

// headers describes the headers of a response: the common ones, and those in own.
func (r *Route) headers(doc Document, status string, own map[string]any) map[string]any {
	out := map[string]any{}
	add := func(name, kind, description string) {
		out[name] = doc.component("headers", name, map[string]any{"description": description, "schema": map[string]any{"type": kind}})
	}
	add("X-Request-Id", "string", "The id sent in this header of the request, or one generated by the server.")
	add("X-Api-Version", "string", "The version of the API.")
	add("RateLimit-Limit", "integer", "The maximum burst of requests.")
	add("RateLimit-Remaining", "integer", "The number of requests currently available.")
	add("RateLimit-Reset", "integer", "The number of seconds until the maximum burst is available again.")
	switch status {
	case "401":
		add("WWW-Authenticate", "string", "Always Bearer.")
	case "429", "503", "507":
		add("Retry-After", "integer", "The number of seconds to wait before the next request.")
	}
	if r.conditional && status < "400" || own["ETag"] != nil {
		add("ETag", "string", "Identifies this version of the response, for If-None-Match. For a card or a reception it is the version, for If-Match.")
	}
	if own["Location"] != nil {
		add("Location", "string", "The URL of the new resource.")
	}
	if own["Set-Cookie"] != nil {
		add("Set-Cookie", "string", "Sets or removes the session cookie: HttpOnly, SameSite=Lax, and Secure over https.")
	}
	if r.takesKey() && (status < "300" || status == "404" || status == "409") {
		add(headerReplayed, "boolean", "true if this was already done by an earlier request with the same Idempotency-Key or client_id; otherwise absent.")
	}
	return out
}

// describeEnums adds components for the error codes and the scopes.
func describeEnums(doc Document) {
	schemas := doc.Schemas()
	code := schemas["Error"].(map[string]any)["properties"].(map[string]any)["code"].(map[string]any)
	schemas["ErrorCode"] = map[string]any{
		"description": "A stable identifier of the error. Newer versions may add codes: handle an unknown code according to the status of the response.",
		"anyOf":       []any{map[string]any{"type": "string", "enum": Texts(slices.Sorted(maps.Keys(errorCodes)))}, map[string]any{"type": "string"}},
	}
	clear(code)
	code["$ref"] = "#/components/schemas/ErrorCode"
	SetItems(schemas, "scopes", "Scope")
	doc.Share("Scope", "A permission of an API key.", Texts(kernel.AllScopes))
}

// SetItems sets the enumeration of the entries of all lists with a name.
func SetItems(schemas map[string]any, name, enum string) {
	for _, schema := range schemas {
		properties, _ := schema.(map[string]any)["properties"].(map[string]any)
		if list, ok := properties[name].(map[string]any); ok && list["items"] != nil {
			list["items"] = map[string]any{"$ref": "#/components/schemas/" + enum}
		}
	}
}

// Texts converts values for a Document.
func Texts[T ~string](values []T) []any {
	out := make([]any, len(values))
	for i, value := range values {
		out[i] = string(value)
	}
	return out
}

// documents returns the documents for OpenAPI 3.1 and 3.0.
func (s *Server) documents() ([2][]byte, error) {
	doc, err := s.document()
	if err != nil {
		return [2][]byte{}, err
	}
	older, err := doc.version30()
	if err != nil {
		return [2][]byte{}, err
	}
	newest, failed := json.Marshal(doc)
	small, err := json.Marshal(older)
	return [2][]byte{newest, small}, errors.Join(failed, err)
}

// Document returns the OpenAPI 3.1 document. It is generated on first use.
func (s *Server) Document() ([]byte, error) {
	docs, err := s.docs()
	return docs[0], err
}

func (s *Server) serveDocument(which int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		docs, err := s.docs()
		if err != nil {
			s.Refuse(w, r, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(docs[which])
	}
}

// releaseOf returns the extension with the version of the program. The version of the document is that of the API.
func releaseOf(o Options) map[string]any {
	if o.Release == "" {
		return nil
	}
	return map[string]any{"x-recado-version": o.Release}
}

// operationID returns an id such as sendMessage, listKeys or getKey.
func (r *Route) operationID() string {
	if r.name != "" {
		return r.name
	}
	name := r.Verb.Name
	switch {
	case r.Method != http.MethodGet:
		return strings.ToLower(name[:1]) + name[1:]
	case strings.HasSuffix(name, "s"):
		return "list" + name
	}
	return "get" + name
}

func (s *Server) tag(r *Route) string {
	if r.Open || r.Verb.SessionOnly {
		return tagApp.Name
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(r.Path, "/"), "/")
	if name, ok := s.tagOf[first]; ok {
		return name
	}
	return first
}

func (s *Server) describedTags(used map[string]bool) []any {
	out := []any{}
	for _, tag := range s.tags {
		if used[tag.Name] {
			out = append(out, map[string]any{"name": tag.Name, "description": tag.Description})
		}
	}
	return out
}

// describeEvents adds a schema and a webhook operation for every event.
func describeEvents(doc Document, events []Event) {
	webhooks := map[string]any{}
	for _, event := range events {
		kind := event.Type
		name := camelCase(string(kind)) + "Event"
		doc.Schemas()[name] = eventSchema(event)
		schema := map[string]any{"$ref": "#/components/schemas/" + name}
		webhooks[string(kind)] = map[string]any{"post": map[string]any{
			"operationId": "receive" + camelCase(string(kind)),
			"summary":     kind.Description(),
			"description": "The server sends this request to the registered address. The headers are also sent with the names set by --brand; see the guide Receiving events.",
			"tags":        []any{"webhooks"},
			"security":    []any{},
			"parameters":  signatureHeaders,
			"requestBody": map[string]any{
				"required": true, "content": map[string]any{"application/json": map[string]any{"schema": schema, "example": doc.Example(schema)}},
			},
			"responses": map[string]any{
				"2XX": map[string]any{"description": "Received. Any other response, or none within the time limit, is a failed attempt, which is retried."},
				"4XX": map[string]any{"description": "A failed attempt, which is retried."},
			},
		}}
	}
	doc["webhooks"] = webhooks
}

func eventSchema(event Event) map[string]any {
	properties, required := map[string]any{}, []any{}
	for _, part := range event.Data {
		properties[part.Name] = part.Schema
		required = append(required, part.Name)
	}
	return map[string]any{
		"type": "object", "description": event.Type.Description(), "required": []any{"id", "type", "created_at", "tenant_id", "data"},
		"properties": map[string]any{
			"id":         map[string]any{"type": "string", "format": "uuid", "description": "The id of the event, the same in all its deliveries."},
			"type":       map[string]any{"type": "string", "enum": []any{string(event.Type)}},
			"created_at": map[string]any{"type": "string", "format": "date-time"},
			"tenant_id":  map[string]any{"type": "string", "format": "uuid", "description": "The company."},
			"data":       map[string]any{"type": "object", "required": required, "properties": properties},
		},
	}
}

// signatureHeaders describes the headers of Standard Webhooks.
var signatureHeaders = []any{
	signatureHeader("webhook-id", "The id of the event. Ignore events that you have already received."),
	signatureHeader("webhook-timestamp", "The time of this attempt, in Unix seconds."),
	signatureHeader("webhook-signature", "v1 and the base64-encoded HMAC-SHA256 of id, timestamp and body, joined by dots. For a day after a rotation, there are two signatures."),
}

func signatureHeader(name, description string) map[string]any {
	return map[string]any{"name": name, "in": "header", "required": true, "description": description, "schema": map[string]any{"type": "string"}}
}
