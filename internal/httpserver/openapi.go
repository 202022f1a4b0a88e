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
	registry.RegisterTypeAlias(reflect.TypeFor[kernel.Optional[kernel.ID]](), reflect.TypeFor[nullableIDSchema]())
	registry.RegisterTypeAlias(reflect.TypeFor[kernel.Optional[string]](), reflect.TypeFor[nullableStringSchema]())
	registry.RegisterTypeAlias(reflect.TypeFor[kernel.Optional[time.Time]](), reflect.TypeFor[nullableTimeSchema]())
	registry.RegisterTypeAlias(reflect.TypeFor[kernel.Optional[int64]](), reflect.TypeFor[nullableIntSchema]())
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
	}
}

// Types that describe kernel types in the document.
type (
	idSchema             struct{}
	nullableIDSchema     struct{}
	nullableStringSchema struct{}
	nullableIntSchema    struct{}
	nullableTimeSchema   struct{}
)

func (idSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "uuid"}
}

func (nullableIDSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "uuid", Nullable: true}
}

func (nullableStringSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Nullable: true}
}

func (nullableIntSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeInteger, Format: "int64", Nullable: true}
}

func (nullableTimeSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time", Nullable: true}
}

// document adds to the document of huma what the types do not say.
func (s *Server) document() (Document, error) {
	doc, err := newDocument(s.huma.OpenAPI())
	if err != nil {
		return nil, err
	}
	correctSchemas(map[string]any(doc))
	describeEnums(doc)
	for _, describe := range s.describe {
		describe(doc)
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

// describeParameters sets the format of path ids.
func describeParameters(op map[string]any) {
	parameters, _ := op["parameters"].([]any)
	for _, parameter := range parameters {
		if p := parameter.(map[string]any); p["in"] == "path" {
			p["schema"] = map[string]any{"type": "string", "format": "uuid"}
		}
	}
}

// describeBody sets the example, which the API page shows and fills its forms with.
func (r *Route) describeBody(op map[string]any) {
	if r.uploadLimit > 0 {
		describeUpload(op)
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
	examples := map[string]any{}
	for _, code := range codes {
		examples[string(code)] = map[string]any{"value": codeExample(code)}
	}
	return doc.component("responses", responseName(status, codes), map[string]any{
		"description": http.StatusText(status) + codeList(codes),
		"headers":     r.headers(doc, strconv.Itoa(status), nil),
		"content": map[string]any{"application/json": map[string]any{
			"schema": map[string]any{"$ref": "#/components/schemas/Error"}, "examples": examples,
		}},
	})
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

func codeList(codes []kernel.Code) string {
	names := make([]string, len(codes))
	for i, code := range codes {
		names[i] = "`" + string(code) + "`"
	}
	return ": " + strings.Join(names, ", ")
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
		"anyOf":       []any{map[string]any{"type": "string", "enum": Texts(slices.Sorted(maps.Keys(statusOf)))}, map[string]any{"type": "string"}},
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
			s.writeError(w, callFrom(r.Context()).requestID, err)
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
