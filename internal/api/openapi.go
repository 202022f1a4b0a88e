package api

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"recado/internal/model"
)

// config is huma without anything of its own in the answers.
func (s *Server) config() huma.Config {
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	registry.RegisterTypeAlias(reflect.TypeFor[model.ID](), reflect.TypeFor[idSchema]())
	registry.RegisterTypeAlias(reflect.TypeFor[filterID](), reflect.TypeFor[idSchema]())
	registry.RegisterTypeAlias(reflect.TypeFor[model.Optional[model.ID]](), reflect.TypeFor[nullableIDSchema]())
	registry.RegisterTypeAlias(reflect.TypeFor[model.Optional[string]](), reflect.TypeFor[nullableStringSchema]())
	registry.RegisterTypeAlias(reflect.TypeFor[model.Optional[time.Time]](), reflect.TypeFor[nullableTimeSchema]())
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title:   "Recado",
				Version: Version,
				License: &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"},
				Description: "One API for a company's WhatsApp desk: conversations, messages, media, contacts, labels, attendances, " +
					"team, reports, webhooks and Kanban boards. Every call carries an API key; every key has scopes.",
			},
			Servers: []*huma.Server{{URL: s.public + "/v1"}},
			Components: &huma.Components{
				Schemas: registry,
				SecuritySchemes: map[string]*huma.SecurityScheme{
					"key": {Type: "http", Scheme: "bearer", BearerFormat: "rcd_…", Description: "An API key of the company."},
					"session": {
						Type: "apiKey", In: "cookie", Name: cookieHost,
						Description: "A person who signed in with POST /session. Over plain http the cookie is named " + cookiePlain + ", below a base path " + cookieSecure +
							". Requests other than GET must come from the app's own origin.",
					},
				},
			},
		},
		Formats:       map[string]huma.Format{"application/json": jsonFormat},
		DefaultFormat: "application/json",
	}
}

// idSchema documents model.ID without package model knowing of it.
type idSchema struct{}

func (idSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "uuid"}
}

type nullableIDSchema struct{}

func (nullableIDSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "uuid", Nullable: true}
}

type nullableStringSchema struct{}

func (nullableStringSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Nullable: true}
}

type nullableTimeSchema struct{}

func (nullableTimeSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time", Nullable: true}
}

// document finishes what the types alone do not say and gives the bytes that are served.
func (s *Server) document() ([]byte, error) {
	s.markNullable()
	raw, err := json.Marshal(s.huma.OpenAPI())
	if err != nil {
		return nil, err
	}
	var doc map[string]any
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, err
	}
	correctSchemas(doc)
	describePaths(doc)
	paths := doc["paths"].(map[string]any)
	describeUpload(paths)
	if err := describeExamples(paths); err != nil {
		return nil, err
	}
	for _, r := range s.table {
		if r.orStatus != 0 {
			responses := paths[r.Path].(map[string]any)[strings.ToLower(r.Method)].(map[string]any)["responses"].(map[string]any)
			responses[strconv.Itoa(r.orStatus)] = responses[strconv.Itoa(r.status)]
		}
	}
	return json.Marshal(doc)
}

// markNullable lets pointers to structs and to ids be null: huma does that for scalars only.
func (s *Server) markNullable() {
	registry := s.huma.OpenAPI().Components.Schemas
	for name, schema := range registry.Map() {
		t := registry.TypeFromRef("#/components/schemas/" + name)
		if t == nil || t.Kind() != reflect.Struct {
			continue
		}
		for _, field := range reflect.VisibleFields(t) {
			jsonName, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			property := schema.Properties[jsonName]
			if property == nil || field.Type.Kind() != reflect.Pointer || strings.Contains(options, "omit") {
				continue
			}
			if property.Ref == "" {
				property.Nullable = true
				continue
			}
			schema.Properties[jsonName] = &huma.Schema{
				Description: property.Description,
				OneOf:       []*huma.Schema{{Ref: property.Ref}, {Type: "null"}},
			}
		}
	}
}

// describePaths adds what holds for every operation: headers of every answer, the form of path ids.
func describePaths(doc map[string]any) {
	for _, item := range doc["paths"].(map[string]any) {
		for _, operation := range item.(map[string]any) {
			op, ok := operation.(map[string]any)
			if !ok {
				continue
			}
			parameters, _ := op["parameters"].([]any)
			for _, parameter := range parameters {
				if p := parameter.(map[string]any); p["in"] == "path" {
					p["schema"] = map[string]any{"type": "string", "format": "uuid"}
				}
			}
			idempotent := slices.ContainsFunc(parameters, func(p any) bool { return p.(map[string]any)["name"] == headerIdempotencyKey })
			responses, _ := op["responses"].(map[string]any)
			delete(responses, "422") // huma's own status for what is 400 here
			for status, response := range responses {
				r := response.(map[string]any)
				headers, _ := r["headers"].(map[string]any)
				if headers == nil {
					headers = map[string]any{}
					r["headers"] = headers
				}
				for name, header := range commonHeaders(status) {
					headers[name] = header
				}
				if idempotent && (status < "300" || status == "404" || status == "409") {
					headers[headerReplayed] = map[string]any{
						"description": "There, and true, when this is the stored answer of an earlier call.", "schema": map[string]any{"type": "boolean"},
					}
				}
			}
		}
	}
}

func commonHeaders(status string) map[string]any {
	text := func(description string) map[string]any {
		return map[string]any{"description": description, "schema": map[string]any{"type": "string"}}
	}
	headers := map[string]any{
		"X-Request-Id":  text("The caller's own id of the request where it sent a sane one, else one made here."),
		"X-Api-Version": text("Version of the API."),
	}
	switch status {
	case "401":
		headers["WWW-Authenticate"] = text("Always Bearer.")
	case "429":
		headers["RateLimit-Limit"] = text("The largest burst of calls.")
		headers["RateLimit-Remaining"] = text("Calls left now.")
		headers["RateLimit-Reset"] = text("Seconds until a call fits again.")
		headers["Retry-After"] = text("Seconds until a call fits again.")
	case "503":
		headers["Retry-After"] = text("Seconds to wait before trying again.")
	}
	return headers
}

func (s *Server) serveDocument(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(s.doc)
}
