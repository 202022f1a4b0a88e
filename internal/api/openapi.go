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

	"recado/internal/input"
	"recado/internal/model"
	"recado/internal/openapi"
	"recado/internal/site"
)

func init() { huma.DefaultArrayNullable = false }

// config is huma without anything of its own in the answers.
func (s *Server) config() huma.Config {
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	registry.RegisterTypeAlias(reflect.TypeFor[model.ID](), reflect.TypeFor[idSchema]())
	registry.RegisterTypeAlias(reflect.TypeFor[input.FilterID](), reflect.TypeFor[idSchema]())
	registry.RegisterTypeAlias(reflect.TypeFor[model.ViewFlag](), reflect.TypeFor[viewFlagSchema]())
	registry.RegisterTypeAlias(reflect.TypeFor[model.Optional[model.ID]](), reflect.TypeFor[nullableIDSchema]())
	registry.RegisterTypeAlias(reflect.TypeFor[model.Optional[string]](), reflect.TypeFor[nullableStringSchema]())
	registry.RegisterTypeAlias(reflect.TypeFor[model.Optional[time.Time]](), reflect.TypeFor[nullableTimeSchema]())
	registry.RegisterTypeAlias(reflect.TypeFor[model.Optional[int64]](), reflect.TypeFor[nullableIntSchema]())
	registry.RegisterTypeAlias(reflect.TypeFor[model.Optional[model.Menu]](), reflect.TypeFor[nullableMenuSchema]())
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title:   "Recado",
				Version: Version,
				License: &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"},
				Description: "One API for a company's WhatsApp desk: conversations, messages, media, contacts, labels, attendances, " +
					"team, reports, webhooks and Kanban boards. Integrations call it with an API key, which has scopes; the app calls it with a session.",
			},
			Servers: []*huma.Server{{URL: s.public + "/v1"}},
			Components: &huma.Components{
				Schemas: registry,
				SecuritySchemes: map[string]*huma.SecurityScheme{
					"key": {Type: "http", Scheme: "bearer", BearerFormat: "rcd_…", Description: "An API key of the company."},
					"session": {
						Type: "apiKey", In: "cookie", Name: site.CookieHost,
						Description: "The cookie that POST /session sets. Over plain http the cookie is named " + site.CookiePlain + ", below a base path " + site.CookieSecure +
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

type viewFlagSchema struct{}

func (viewFlagSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{AnyOf: []*huma.Schema{{Type: huma.TypeBoolean}, {Type: huma.TypeString, Enum: []any{"true", "false", "1", "0"}}}}
}

type nullableIDSchema struct{}

func (nullableIDSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "uuid", Nullable: true}
}

type nullableStringSchema struct{}

func (nullableStringSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Nullable: true}
}

type nullableIntSchema struct{}

func (nullableIntSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeInteger, Format: "int64", Nullable: true}
}

type nullableTimeSchema struct{}

func (nullableTimeSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time", Nullable: true}
}

// document finishes what the types alone do not say and gives the bytes that are served.
func (s *Server) document() ([]byte, error) {
	doc, err := openapi.Read(s.huma.OpenAPI())
	if err != nil {
		return nil, err
	}
	describeUpload(doc.Operation(http.MethodPost, "/media"))
	err = doc.Operations(func(method, path string, op map[string]any) error {
		describeOperation(op)
		return describeExamples(method, path, op)
	})
	if err != nil {
		return nil, err
	}
	for _, r := range s.table {
		responses := doc.Operation(r.Method, r.Path)["responses"].(map[string]any)
		if r.orStatus != 0 {
			responses[strconv.Itoa(r.orStatus)] = responses[strconv.Itoa(r.status)]
		}
		if r.conditional {
			describeTag(responses)
		}
		for status, codes := range r.failures() {
			responses[strconv.Itoa(status)].(map[string]any)["description"] = http.StatusText(status) + codeList(codes)
		}
	}
	return json.Marshal(doc)
}

// describeTag documents the ETag of an answer, and the 304 for callers that have it.
func describeTag(responses map[string]any) {
	success := responses["200"].(map[string]any)
	headers := success["headers"].(map[string]any)
	if headers["ETag"] == nil {
		headers["ETag"] = map[string]any{"description": "Names this answer. Send it in If-None-Match.", "schema": map[string]any{"type": "string"}}
	}
	responses["304"] = map[string]any{"description": "Not Modified: the answer is the one that If-None-Match names.", "headers": headers}
}

// codeList names the error codes of a response.
func codeList(codes []model.Code) string {
	names := make([]string, len(codes))
	for i, code := range codes {
		names[i] = "`" + string(code) + "`"
	}
	return ": " + strings.Join(names, ", ")
}

// describeOperation adds what holds for every operation: headers of every answer, the form of path ids.
func describeOperation(op map[string]any) {
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
				"description": "true if an earlier call with the same Idempotency-Key or client_id has done this; otherwise absent.", "schema": map[string]any{"type": "boolean"},
			}
		}
	}
}

func commonHeaders(status string) map[string]any {
	text := func(description string) map[string]any {
		return map[string]any{"description": description, "schema": map[string]any{"type": "string"}}
	}
	number := func(description string) map[string]any {
		return map[string]any{"description": description, "schema": map[string]any{"type": "integer"}}
	}
	headers := map[string]any{
		"X-Request-Id":        text("The id that the request brought in this header, or one that the server generated."),
		"X-Api-Version":       text("Version of the API."),
		"RateLimit-Limit":     number("The maximum burst of calls."),
		"RateLimit-Remaining": number("The calls that are left now."),
		"RateLimit-Reset":     number("Seconds until the maximum burst is left again."),
	}
	switch status {
	case "401":
		headers["WWW-Authenticate"] = text("Always Bearer.")
	case "429":
		headers["Retry-After"] = number("Seconds until the next call is allowed.")
	case "503":
		headers["Retry-After"] = number("Seconds to wait before trying again.")
	}
	return headers
}

// Document is the OpenAPI document. It is made when it is asked for the first time.
func (s *Server) Document() ([]byte, error) { return s.doc() }

// serveDocument makes the document when it is asked for the first time.
func (s *Server) serveDocument(w http.ResponseWriter, r *http.Request) {
	doc, err := s.doc()
	if err != nil {
		s.writeError(w, callFrom(r.Context()).requestID, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(doc)
}

// bodyExamples shows a body for every operation that takes one as JSON. The ids name nothing.
var bodyExamples = map[string]string{
	"POST /setup":                 `{"token": "3q2-7wAAAAA", "company": "Padaria Aurora", "timezone": "America/Sao_Paulo", "name": "Lia", "email": "lia@example.com", "password": "correct horse battery"}`,
	"POST /session":               `{"email": "lia@example.com", "password": "correct horse battery"}`,
	"POST /welcome":               `{"token": "3q2-7wAAAAA", "password": "correct horse battery"}`,
	"PATCH /me":                   `{"name": "Lia Souza", "signature": "Lia, Sales"}`,
	"PUT /me/presence":            `{"presence": "away"}`,
	"PATCH /me/preferences":       `{"theme": "dark", "send_with": "ctrl_enter"}`,
	"POST /me/two-factor":         `{"password": "correct horse battery"}`,
	"POST /me/two-factor/confirm": `{"code": "123456"}`,
	"POST /me/two-factor/disable": `{"password": "correct horse battery", "code": "123456"}`,
	"DELETE /me/two-factor":       `{"password": "correct horse battery", "code": "123456"}`,
	"POST /team/invitations":      `{"email": "carla@example.com", "name": "Carla", "role": "agent", "access_profile": "sectors"}`,

	"POST /keys":             `{"name": "CRM", "scopes": ["conversations:read", "messages:send"], "rate": {"per_second": 20, "burst": 40}}`,
	"POST /keys/{id}/rotate": `{"overlap_seconds": 3600}`,

	"POST /channels":               `{"name": "Front desk", "provider": "sandbox", "phone": "+55 11 4002-8922"}`,
	"PATCH /channels/{id}":         `{"name": "Front desk"}`,
	"POST /channels/{id}/simulate": `{"from": "+55 11 91234-5678", "name": "Lia", "text": "Oi! Vocês abrem hoje?"}`,

	"PUT /channels/{id}/reception":      `{"enabled": true, "greeting": "Olá!", "away": "Estamos fechados agora.", "menu": {"text": "Como podemos ajudar?", "options": [{"title": "Vendas", "action": {"sector": "01a1dd8b-7e31-7000-89e2-ef1640efe6bb"}}, {"title": "Horário", "action": {"text": "Das 8h às 18h."}}]}}`,
	"POST /channels/{id}/reception/try": `{"texts": ["Oi", "1"]}`,

	"POST /conversations":               `{"channel_id": "01a1dd9b-fad4-7003-a934-f67da22447e0", "phone": "+55 11 91234-5678", "name": "Lia"}`,
	"PATCH /conversations/{id}":         `{"pinned": true, "label_ids": ["01a1dd9b-fad4-7000-a336-f79fc0b0c318"]}`,
	"POST /conversations/{id}/snooze":   `{"until": "2026-12-01T13:00:00Z"}`,
	"PUT /conversations/{id}/bot":       `{"paused_until": "2026-12-01T13:00:00Z"}`,
	"POST /conversations/bulk":          `{"ids": ["01a1dd9b-fad4-7003-a934-f67da22447e0"], "action": "label", "add": ["01a1dd9b-fad4-7000-a336-f79fc0b0c318"]}`,
	"POST /conversations/{id}/messages": `{"client_id": "6f1c3a52-7a53-4b7e-9d6e-0a4d8c1f2b3a", "text": "Oi, Lia! Até as 18h."}`,
	"PUT /messages/{id}/reaction":       `{"emoji": "👍"}`,
	"POST /conversations/{id}/transfer": `{"user_id": "01a1dd9b-f8fc-7000-8a9e-a4a6dad7cd3c", "reason": "speaks Spanish"}`,
	"POST /conversations/{id}/activity": `{"kind": "typing"}`,
	"PUT /conversations/{id}/sector":    `{"sector_id": "01a1dd8b-7e31-7000-89e2-ef1640efe6bb", "reason": "about an invoice"}`,

	"POST /conversations/{id}/attendance/close": `{"reason": "answered"}`,

	"POST /conversations/{id}/notes":     `{"client_id": "0193e0a4-7c9f-7b3a-9d1e-2f4c6a8b0d1e", "text": "Lia asked for a quote: see the e-mail of Monday.", "mentions": []}`,
	"PATCH /notes/{id}":                  `{"text": "Lia asked for a quote: sent."}`,
	"PUT /conversations/{id}/draft":      `{"text": "Good morning! About your order", "reply_to_external_id": null}`,
	"POST /conversations/{id}/scheduled": `{"client_id": "0193e0a4-7c9f-7b3a-9d1e-2f4c6a8b0d1f", "send_at": "2026-12-01T13:00:00Z", "text": "Did the delivery arrive?", "cancel_on_reply": true}`,
	"PATCH /scheduled/{id}":              `{"send_at": "2026-12-02T13:00:00Z"}`,
	"POST /replies":                      `{"shortcut": "hello", "title": "Greeting", "text": "Good morning, {{contact.first_name|friend}}!", "owner": null}`,
	"PATCH /replies/{id}":                `{"title": "Good morning"}`,
	"POST /replies/{id}/render":          `{"conversation_id": "01a1dd8b-7e31-7000-89e2-ef1640efe6bb"}`,
	"POST /me/notifications/read":        `{"all": true}`,

	"POST /views":       `{"name": "Unread of sales", "query": {"status": "open", "unread": "true", "sector": "01a1dd8b-7e31-7000-89e2-ef1640efe6bb"}}`,
	"PATCH /views/{id}": `{"name": "Sales", "position": 2}`,

	"POST /contacts":       `{"name": "Lia", "phone": "+55 11 91234-5678", "company": "Padaria Aurora", "city": "São Paulo"}`,
	"PATCH /contacts/{id}": `{"city": "Santos", "blocked": false}`,
	"POST /labels":         `{"name": "VIP", "color": "#2e7d32"}`,
	"PATCH /labels/{id}":   `{"color": "#c62828"}`,

	"POST /team":                `{"name": "Carla", "email": "carla@example.com", "role": "agent", "access_profile": "sectors"}`,
	"PATCH /team/{id}":          `{"role": "manager", "access_profile": "all"}`,
	"POST /sectors":             `{"name": "Sales", "member_ids": ["01a1dd9b-f8fc-7000-8a9e-a4a6dad7cd3c"]}`,
	"PATCH /sectors/{id}":       `{"name": "Sales and orders"}`,
	"POST /hours":               `{"name": "Shop", "timezone": "America/Sao_Paulo", "weekly": [{"days": ["mon", "tue", "wed", "thu", "fri"], "from": "08:00", "to": "12:00"}], "exceptions": [{"date": "--12-25", "closed": true}]}`,
	"PATCH /hours/{id}":         `{"exceptions": [{"date": "2026-12-24", "periods": [{"from": "08:00", "to": "12:00"}]}]}`,
	"PATCH /company":            `{"name": "Padaria Aurora", "timezone": "America/Recife"}`,
	"PATCH /company/attendance": `{"mode": "restricted", "auto_close": {"enabled": true, "after_minutes": 1440}}`,

	"POST /integrations/webhooks":       `{"name": "CRM", "url": "https://example.com/hooks/recado", "events": ["message.received", "attendance.closed"]}`,
	"PATCH /integrations/webhooks/{id}": `{"active": true}`,

	"POST /kanban/boards":                         `{"name": "Orders", "stages": [{"name": "New"}, {"name": "Doing"}, {"name": "Delivered", "kind": "won"}]}`,
	"PATCH /kanban/boards/{id}":                   `{"archived": true}`,
	"POST /kanban/boards/{id}/stages":             `{"name": "Packed", "position": 2}`,
	"PATCH /kanban/boards/{id}/stages/{stage_id}": `{"name": "Packed and labelled"}`,
	"POST /kanban/cards":                          `{"board_id": "01a1dd8b-804b-7000-9649-f3508b9f92e3", "title": "Call Lia back", "priority": "high", "due_at": "2026-12-01T13:00:00Z"}`,
	"PATCH /kanban/cards/{id}":                    `{"priority": "urgent", "version": 7}`,
	"POST /kanban/cards/{id}/move":                `{"stage_id": "01a1dd8b-804b-7001-935f-491ff6be3c7e", "version": 7}`,
	"DELETE /kanban/cards/{id}":                   `{"version": 7}`,
}

// errorExamples shows what each status looks like. The codes of 409 are those of the operation's rules.
var errorExamples = map[int]*model.Error{
	http.StatusBadRequest:            model.Invalid("body.phone", "must be a phone number with its country code"),
	http.StatusUnauthorized:          model.Errorf(model.CodeKeyRevoked, "This API key was revoked. Use another one."),
	http.StatusForbidden:             model.Errorf(model.CodeInsufficientScope, "This key lacks the scope contacts:write."),
	http.StatusNotFound:              model.NotFound("conversation"),
	http.StatusRequestEntityTooLarge: input.ErrBodyTooLarge(),
	http.StatusPreconditionRequired:  model.Errorf(model.CodeVersionRequired, "Send the version of the card that you change, in If-Match or in the body."),
	http.StatusTooManyRequests:       model.Errorf(model.CodeRateLimited, "This key has made too many requests. Wait for the seconds in Retry-After."),
	http.StatusInternalServerError:   errInternal(),
	http.StatusServiceUnavailable:    model.Errorf(model.CodeUnavailable, "The database cannot be reached at the moment. Try again."),
}

// describeExamples puts the examples where the API page shows them and fills its forms with them.
func describeExamples(method, path string, op map[string]any) error {
	body, _ := op["requestBody"].(map[string]any)
	if content := openapi.JSONContent(body); content != nil {
		if text, ok := bodyExamples[method+" "+path]; ok {
			content["example"] = json.RawMessage(text)
		}
	}
	for status, response := range op["responses"].(map[string]any) {
		code, _ := strconv.Atoi(status)
		content, e := openapi.JSONContent(response.(map[string]any)), errorExamples[code]
		if content == nil || e == nil {
			continue
		}
		shown := Error{Code: e.Code, Message: e.Message, RequestID: "01a1dd8b-94d3-7000-8e09-23922c17c8f4", Details: []ErrorDetail{}}
		for _, f := range e.Fields {
			shown.Details = append(shown.Details, ErrorDetail(f))
		}
		raw, err := model.AppendJSON(nil, &shown)
		if err != nil {
			return err
		}
		content["example"] = json.RawMessage(raw)
	}
	return nil
}
