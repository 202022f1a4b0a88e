package httpserver_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/server"
	"recado/test/servertest"
)

// assistant is a client of the SDK with the key of a client of the API.
type assistant struct {
	t       *testing.T
	session *sdk.ClientSession
	results map[string]*jsonschema.Schema // of the tools, once one was needed
}

type keyed struct{ key string }

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+k.key)
	return http.DefaultTransport.RoundTrip(r)
}

func endpoint(c *servertest.Client) string { return strings.TrimSuffix(c.Base(), "/v1") + "/mcp" }

func connect(t *testing.T, c *servertest.Client) *assistant {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: endpoint(c), HTTPClient: &http.Client{Transport: keyed{c.Secret()}}, MaxRetries: -1,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return &assistant{t: t, session: session}
}

func (a *assistant) names() []string {
	a.t.Helper()
	list, err := a.session.ListTools(a.t.Context(), nil)
	if err != nil {
		a.t.Fatal(err)
	}
	var out []string
	for _, tool := range list.Tools {
		out = append(out, tool.Name)
	}
	return out
}

// call gives the result of a tool, as JSON decodes it.
func (a *assistant) call(name string, arguments map[string]any) (result map[string]any, refused bool) {
	a.t.Helper()
	r, err := a.session.CallTool(a.t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		a.t.Fatalf("%s: %v", name, err)
	}
	text := r.Content[0].(*sdk.TextContent).Text
	if err := json.Unmarshal([]byte(text), &result); err != nil {
		a.t.Fatalf("%s: %v: %s", name, err, text)
	}
	if structured, _ := r.StructuredContent.(map[string]any); len(structured) != len(result) {
		a.t.Errorf("%s: the structured form has %d members, the text %d", name, len(structured), len(result))
	}
	return result, r.IsError
}

func (a *assistant) ok(name string, arguments map[string]any) map[string]any {
	a.t.Helper()
	result, refused := a.call(name, arguments)
	if refused {
		a.t.Fatalf("%s: refused: %v", name, result)
	}
	a.conforms(name, result)
	return result
}

// conforms compares a result with the output schema of its tool.
func (a *assistant) conforms(name string, result any) {
	a.t.Helper()
	if a.results == nil {
		list, err := a.session.ListTools(a.t.Context(), nil)
		if err != nil {
			a.t.Fatal(err)
		}
		a.results = map[string]*jsonschema.Schema{}
		for _, tool := range list.Tools {
			if tool.OutputSchema == nil {
				continue
			}
			compiler := jsonschema.NewCompiler()
			if err := compiler.AddResource("tool.json", tool.OutputSchema); err != nil {
				a.t.Fatalf("%s: %v", tool.Name, err)
			}
			if a.results[tool.Name], err = compiler.Compile("tool.json"); err != nil {
				a.t.Fatalf("%s: %v", tool.Name, err)
			}
		}
	}
	if schema := a.results[name]; schema != nil {
		if err := schema.Validate(result); err != nil {
			a.t.Errorf("%s: the result is not as its output schema says: %v", name, err)
		}
	}
}

func (a *assistant) fails(code, name string, arguments map[string]any) map[string]any {
	a.t.Helper()
	result, refused := a.call(name, arguments)
	if !refused || result["code"] != code || result["message"] == "" {
		a.t.Errorf("%s: got %v, want the error %s", name, result, code)
	}
	return result
}

type object = map[string]any

// talk makes a sandbox and a conversation in it.
func talk(t *testing.T, c *servertest.Company) (channel, conversation string) {
	t.Helper()
	channel = c.Post(t, "/channels", `{"name": "Front desk", "phone": "+551132345678", "provider": "sandbox"}`).OK(201).ID()
	in := c.Post(t, "/channels/"+channel+"/simulate", `{"from": "+5511912345678", "name": "Lia", "text": "Oi, tem bolo?"}`).OK(201)
	return channel, in.Text("conversation")
}

func TestAnAssistantWorksWithTheTools(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel, conversation := talk(t, w.A)
		a := connect(t, w.A.Client)
		at := object{"conversation_id": conversation}

		t.Run("it reads", func(t *testing.T) {
			a.t = t
			found := a.ok("list_conversations", object{"q": "lia", "limit": 5, "unread": true})["data"].([]any)
			if len(found) != 1 || found[0].(object)["id"] != conversation {
				t.Errorf("conversations: got %v", found)
			}
			if name := a.ok("get_conversation", at)["name"]; name != "Lia" {
				t.Errorf("name: got %v, want Lia", name)
			}
			if me := a.ok("get_me", object{}); me["company"].(object)["id"] != w.A.ID.String() {
				t.Errorf("company: got %v, want %v", me["company"], w.A.ID)
			}
			messages := a.ok("list_messages", at)["data"].([]any)
			if len(messages) != 1 || messages[0].(object)["text"] != "Oi, tem bolo?" {
				t.Errorf("messages: got %v", messages)
			}
			a.ok("get_message", object{"message_id": messages[0].(object)["id"]})
			if found := a.ok("search_messages", object{"q": "BOLO"})["data"].([]any); len(found) != 1 {
				t.Errorf("search: got %v", found)
			}
			contacts := a.ok("list_contacts", object{"q": "Lia"})["data"].([]any)
			a.ok("get_contact", object{"contact_id": contacts[0].(object)["id"]})
			attendance := a.ok("get_open_attendance", at)
			a.ok("get_attendance", object{"attendance_id": attendance["id"]})
			for _, name := range []string{"list_attendances", "list_team", "list_sectors", "list_channels", "list_labels", "list_closing_reasons", "list_boards", "list_cards", "get_attendance_report"} {
				a.ok(name, nil)
			}
			a.ok("list_templates", object{"channel_id": channel})
			a.ok("list_notes", at)
		})
		t.Run("a message that is sent twice with one client_id is one message", func(t *testing.T) {
			a.t = t
			arguments := object{"conversation_id": conversation, "client_id": kernel.NewID().String(), "text": "Sim, de milho."}
			first, second := a.ok("send_message", arguments), a.ok("send_message", arguments)
			if first["id"] != second["id"] || first["origin"] != "api" {
				t.Errorf("got %v and %v, want the same message, sent with the API", first, second)
			}
			if messages := a.ok("list_messages", at)["data"].([]any); len(messages) != 2 {
				t.Errorf("got %d messages, want 2", len(messages))
			}
			delete(arguments, "client_id")
			a.fails("invalid_request", "send_message", arguments)
		})
		t.Run("it writes notes and drafts", func(t *testing.T) {
			a.t = t
			a.ok("create_note", object{"conversation_id": conversation, "client_id": kernel.NewID().String(), "text": "Wants a cake."})
			owner := w.A.Enter(t, w.A.Owner.ID.String(), "correct horse battery")
			a.ok("save_draft", object{"conversation_id": conversation, "text": "Para quando?"})
			if got := owner.Get(t, "/conversations/"+conversation).OK(200).Text("draft", "text"); got != "Para quando?" {
				t.Errorf("the draft of the person whom the key acts as: got %q", got)
			}
			a.fails("invalid_request", "save_draft", object{"conversation_id": conversation, "text": ""})
			a.fails("invalid_request", "save_draft", object{"conversation_id": conversation, "text": "x", "colour": "red"})
			a.fails("not_found", "save_draft", object{"conversation_id": "x", "text": "x"})
		})
		t.Run("it creates and moves cards", func(t *testing.T) {
			a.t = t
			board := w.A.Post(t, "/kanban/boards", `{"name": "Orders", "stages": [{"name": "New"}, {"name": "Done"}]}`, "Idempotency-Key", kernel.NewID().String()).OK(201)
			create := object{"board_id": board.ID(), "title": "A cake", "idempotency_key": kernel.NewID().String()}
			card := a.ok("create_card", create)
			if again := a.ok("create_card", create); again["id"] != card["id"] {
				t.Errorf("a repeat made another card: %v", again)
			}
			card = a.ok("update_card", object{"card_id": card["id"], "version": card["version"], "priority": "high"})
			moved := a.ok("move_card", object{"card_id": card["id"], "version": card["version"], "stage_id": board.Text("stages", 1, "id"), "idempotency_key": kernel.NewID().String()})
			if moved["priority"] != "high" {
				t.Errorf("card: got %v", moved)
			}
			a.fails("version_conflict", "update_card", object{"card_id": card["id"], "version": 1, "title": "x"})
			a.ok("get_card", object{"card_id": card["id"]})
			a.ok("get_board", object{"board_id": board.ID()})
		})
		t.Run("it takes, labels and edits", func(t *testing.T) {
			a.t = t
			if taken := a.ok("take_conversation", at); taken["assignee"] != w.A.Owner.ID.String() {
				t.Errorf("assignee: got %v, want %v", taken["assignee"], w.A.Owner.ID)
			}
			label := w.A.Post(t, "/labels", `{"name": "Cake", "color": "#aa3377"}`).OK(201).ID()
			if labelled := a.ok("update_conversation", object{"conversation_id": conversation, "label_ids": []string{label}}); len(labelled["label_ids"].([]any)) != 1 {
				t.Errorf("labels: got %v, want one", labelled["label_ids"])
			}
			contact := a.ok("get_conversation", at)["contact"]
			if edited := a.ok("update_contact", object{"contact_id": contact, "city": "Santos"}); edited["city"] != "Santos" {
				t.Errorf("city: got %v, want Santos", edited["city"])
			}
			started := a.ok("start_conversation", object{"channel_id": channel, "phone": "+5511955554444"})
			if started["id"] == conversation {
				t.Error("the started conversation is the first one")
			}
		})
		t.Run("it transfers and closes", func(t *testing.T) {
			a.t = t
			a.ok("transfer_conversation", object{"conversation_id": conversation, "user_id": w.A.Owner.ID.String(), "reason": "knows cakes"})
			reason := w.A.Post(t, "/closing-reasons", `{"name": "Order", "require_note": true}`).OK(201).ID()
			w.A.Patch(t, "/company/attendance", `{"require_reason": true}`).OK(200)
			if listed := a.ok("list_closing_reasons", nil)["data"].([]any); len(listed) != 1 || listed[0].(object)["id"] != reason {
				t.Errorf("closing reasons: got %v, want %s", listed, reason)
			}
			a.fails("reason_required", "close_attendance", object{"conversation_id": conversation, "reason": "answered"})
			a.fails("invalid_request", "close_attendance", object{"conversation_id": conversation, "reason_id": reason})
			closed := a.ok("close_attendance", object{"conversation_id": conversation, "reason_id": reason, "note": "a cake"})
			if closing := closed["closing"].(object); closed["status"] != "closed" || closing["note"] != "a cake" || closing["reason"].(object)["id"] != reason {
				t.Errorf("attendance: got %v", closed)
			}
			a.fails("attendance_not_open", "close_attendance", at)
		})
		t.Run("another company's data is not found", func(t *testing.T) {
			b := connect(t, w.B.Client)
			b.t = t
			if found := b.ok("list_conversations", nil)["data"].([]any); len(found) != 0 {
				t.Errorf("conversations: got %v", found)
			}
			for name, more := range map[string]object{
				"get_conversation": {}, "list_messages": {}, "close_attendance": {}, "transfer_conversation": {"user_id": nil},
				"send_message": {"client_id": kernel.NewID().String(), "text": "x"}, "save_draft": {"text": "x"},
			} {
				more["conversation_id"] = conversation
				b.fails("not_found", name, more)
			}
		})
	})
}

func TestAKeyHasTheToolsThatItsScopesAllow(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		_, conversation := talk(t, w.A)
		tools := func(scopes ...kernel.Scope) *assistant {
			_, c := w.NewKey(t, w.A.ID, people.NewKey{Name: "assistant", Scopes: kernel.NewScopeSet(scopes...)})
			return connect(t, c)
		}
		for _, tt := range []struct {
			scopes []kernel.Scope
			want   []string
		}{
			{[]kernel.Scope{people.ScopeMessagesRead}, []string{"get_me", "get_message", "list_messages", "search_messages"}},
			{[]kernel.Scope{people.ScopeMessagesSend}, []string{"get_me", "send_message"}},
			{[]kernel.Scope{people.ScopeConversationsWrite}, []string{"get_me", "save_draft", "start_conversation", "take_conversation", "transfer_conversation", "update_conversation"}},
			{[]kernel.Scope{people.ScopeConversationsRead}, []string{"get_conversation", "get_me", "list_channels", "list_conversations", "list_templates"}},
			{[]kernel.Scope{people.ScopeReportsRead}, []string{"get_attendance_report", "get_cost_report", "get_me"}},
			{[]kernel.Scope{people.ScopeKeysManage}, []string{"get_me"}},
		} {
			got := tools(tt.scopes...).names()
			slices.Sort(got)
			if !slices.Equal(got, tt.want) {
				t.Errorf("%v: got %v, want %v", tt.scopes, got, tt.want)
			}
		}
		reader := tools(people.ScopeMessagesRead)
		for name, arguments := range map[string]object{
			"send_message": {"conversation_id": conversation, "client_id": kernel.NewID().String(), "text": "x"},
			"save_draft":   {"conversation_id": conversation, "text": "x"},
			"list_team":    {},
		} {
			reader.fails("insufficient_scope", name, arguments)
		}
	})
}

func TestEveryToolHasASchemaAndHints(t *testing.T) {
	w := servertest.Start(t, "")
	a := connect(t, w.A.Client)
	list, err := a.session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Tools) != 39 {
		t.Errorf("got %d tools, want 39", len(list.Tools))
	}
	destructive := map[string]bool{
		"send_message": true, "save_draft": true, "transfer_conversation": true, "close_attendance": true, "update_card": true, "move_card": true,
		"start_conversation": true, "take_conversation": true, "update_conversation": true, "update_contact": true, "update_attendance": true,
	}
	guide, err := os.ReadFile(filepath.Join("..", "..", "docs", "assistants.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		if !strings.Contains(string(guide), "`"+tool.Name+"`") {
			t.Errorf("docs/assistants.md does not name %s", tool.Name)
		}
		hints := tool.Annotations
		reads := strings.HasPrefix(tool.Name, "list_") || strings.HasPrefix(tool.Name, "get_") || strings.HasPrefix(tool.Name, "search_")
		if hints == nil || hints.ReadOnlyHint != reads || hints.DestructiveHint == nil || *hints.DestructiveHint != destructive[tool.Name] {
			t.Errorf("%s: hints %+v", tool.Name, hints)
		}
		if tool.Description == "" || strings.Contains(tool.Description, "Scope:") {
			t.Errorf("%s: description %q", tool.Name, tool.Description)
		}
		result, err := json.Marshal(tool.OutputSchema)
		if mayBeNull := tool.Name == "get_open_attendance"; err != nil || strings.Contains(string(result), "$ref") || mayBeNull != (tool.OutputSchema == nil) {
			t.Errorf("%s: result schema: %v: %s", tool.Name, err, result)
		}
		schema, err := json.Marshal(tool.InputSchema)
		if err != nil || strings.Contains(string(schema), "$ref") {
			t.Errorf("%s: %v: %s", tool.Name, err, schema)
		}
		if tool.Name == "send_message" && !strings.Contains(string(schema), `"required":["client_id","conversation_id"]`) {
			t.Errorf("send_message does not require a client_id: %s", schema)
		}
		if tool.Name == "move_card" && !strings.Contains(string(schema), `"required":["card_id","idempotency_key","stage_id","version"]`) {
			t.Errorf("move_card: %s", schema)
		}
	}
}

func TestTheRateOfAKeyAppliesToItsTools(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		_, c := w.NewKey(t, w.A.ID, people.NewKey{
			Name: "slow", Scopes: kernel.EveryScope, Rate: &kernel.Rate{PerSecond: 1, Burst: 1},
		})
		_, other := w.NewKey(t, w.A.ID, people.NewKey{Name: "fast", Scopes: kernel.EveryScope})
		call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_team"}}`
		limited := false
		for range 20 { // a call of the API takes from the same rate
			if _, text := post(t, c, call, http.StatusOK); strings.Contains(text, `"isError":true`) {
				limited = strings.Contains(text, "rate_limited")
				break
			}
		}
		if !limited {
			t.Error("no call of a tool was refused with rate_limited")
		}
		for range 20 {
			r := raw(t, c, "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
			if limited = r.StatusCode == http.StatusTooManyRequests; limited {
				if r.Header.Get("Retry-After") == "" {
					t.Error("429 without Retry-After")
				}
				break
			}
		}
		if !limited {
			t.Error("no request for the list of tools was refused with 429")
		}
		connect(t, other).names()
	})
}

func TestEveryRequestOfAnAssistantCountsAgainstTheRate(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		_, c := w.NewKey(t, w.A.ID, people.NewKey{Name: "counted", Scopes: kernel.EveryScope, Rate: &kernel.Rate{PerSecond: 1, Burst: 1000}})
		left := func(body string, status int) int {
			t.Helper()
			h, text := post(t, c, body, status)
			n, err := strconv.Atoi(h.Get("RateLimit-Remaining"))
			if err != nil || h.Get("RateLimit-Limit") != "1000" || h.Get("RateLimit-Reset") == "" {
				t.Errorf("%s: RateLimit headers %v: %s", body, h, text)
			}
			return n
		}
		for body, status := range map[string]int{
			`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`:                                                                                         200,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_team"}}`:                                                           200,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"save_draft","arguments":{}}}`:                                           200,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_contact","arguments":{}}}`:                                          200,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_contact","arguments":{"contact_id":".."}}}`:                         200,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"NAME":"list_team"}}`:                                                           200,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"none"}}`:                                                                200,
			`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"create_note","arguments":{"conversation_id":"x","client_id":"x","text":"x"}}}`: 400,
		} {
			before := left(body, status)
			for range 20 { // one call a second comes back meanwhile
				left(body, status)
			}
			if after := left(body, status); after >= before {
				t.Errorf("%s: %d calls are left, and then %d", body, before, after)
			}
		}
		resp := raw(t, c, "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "Authorization", "Bearer wrong")
		if resp.StatusCode != 401 || resp.Header.Get("RateLimit-Limit") == "" {
			t.Errorf("without a valid key: status %d, headers %v", resp.StatusCode, resp.Header)
		}
		resp = raw(t, c, "GET", "")
		if resp.StatusCode != 405 || resp.Header.Get("RateLimit-Limit") == "" || resp.Header.Get("Allow") != "POST" {
			t.Errorf("GET: status %d, headers %v", resp.StatusCode, resp.Header)
		}
	})
}

// raw sends a body without the SDK.
func raw(t *testing.T, c *servertest.Client, method, body string, headers ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequest(method, endpoint(c), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	c.Sign(r)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

func post(t *testing.T, c *servertest.Client, body string, status int, headers ...string) (http.Header, string) {
	t.Helper()
	resp := raw(t, c, "POST", body, headers...)
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != status {
		t.Errorf("%.80s: status %d, want %d: %s, %v", body, resp.StatusCode, status, text, err)
	}
	if kind := resp.Header.Get("Content-Type"); len(text) > 0 && kind != "application/json" {
		t.Errorf("%.80s: content type %q, want application/json: %s", body, kind, text)
	}
	return resp.Header, string(text)
}

func TestAnInvalidRequestOfAnAssistantGetsAnErrorObject(t *testing.T) {
	w := servertest.Start(t, "", func(c *server.Config) { c.BasePath = "/desk" })
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for name, tt := range map[string]struct {
		client *servertest.Client
		body   string
		status int
		code   string
		header []string
	}{
		"no key":               {w.A.Visitor(), list, 401, "key_missing", nil},
		"a wrong key":          {w.A.As("rcd_wrong"), list, 401, "key_invalid", nil},
		"no JSON":              {w.A.Client, `{`, 400, "invalid_json", nil},
		"a batch":              {w.A.Client, "[" + list + "]", 400, "invalid_json", nil},
		"an answer":            {w.A.Client, `{"jsonrpc":"2.0","id":1,"result":{}}`, 400, "invalid_request", nil},
		"too large":            {w.A.Client, `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 1<<16) + `"}`, 413, "body_too_large", nil},
		"another content type": {w.A.Client, list, 400, "invalid_request", []string{"Content-Type", "text/plain"}},
		"no stream accepted":   {w.A.Client, list, 400, "invalid_request", []string{"Accept", "application/json"}},
		"an unknown version":   {w.A.Client, list, 400, "invalid_request", []string{"MCP-Protocol-Version", "1999-01-01"}},
	} {
		t.Run(name, func(t *testing.T) {
			header, text := post(t, tt.client, tt.body, tt.status, tt.header...)
			var e struct {
				Code      string `json:"code"`
				RequestID string `json:"request_id"`
			}
			if err := json.Unmarshal([]byte(text), &e); err != nil || e.Code != tt.code || e.RequestID != header.Get("X-Request-Id") {
				t.Errorf("got %s, want the code %s: %v", text, tt.code, err)
			}
			if tt.status == 401 && header.Get("WWW-Authenticate") != "Bearer" {
				t.Errorf("WWW-Authenticate: got %q, want Bearer", header.Get("WWW-Authenticate"))
			}
		})
	}
	t.Run("an unknown method is the JSON-RPC error -32601 with the request's id", func(t *testing.T) {
		for _, method := range []string{"x", "tools/x", "sampling/createMessage"} {
			_, text := post(t, w.A.Client, `{"jsonrpc":"2.0","id":"q-7","method":"`+method+`"}`, 404)
			var e struct {
				ID    string
				Error struct{ Code int }
			}
			if err := json.Unmarshal([]byte(text), &e); err != nil || e.ID != "q-7" || e.Error.Code != -32601 {
				t.Errorf("%s: got %s, want the error -32601 with the id: %v", method, text, err)
			}
		}
	})
	t.Run("a session is no key", func(t *testing.T) {
		owner := w.A.Enter(t, w.A.Owner.ID.String(), "correct horse battery")
		if resp := raw(t, owner, "POST", list); resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("status %d, want 401", resp.StatusCode)
		}
	})
	t.Run("there are no streams", func(t *testing.T) {
		for _, method := range []string{"GET", "DELETE"} {
			if resp := raw(t, w.A.Client, method, ""); resp.StatusCode != http.StatusMethodNotAllowed || resp.Header.Get("Allow") != "POST" {
				t.Errorf("%s: status %d, Allow %q", method, resp.StatusCode, resp.Header.Get("Allow"))
			}
		}
		_, text := post(t, w.A.Client, `{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{}}`, http.StatusNotFound, "MCP-Protocol-Version", "2026-07-28")
		if !strings.Contains(text, "-32601") || !strings.Contains(text, `"id":7`) {
			t.Errorf("got %s, want the error that the method does not exist", text)
		}
	})
	t.Run("both answers have the id of the request", func(t *testing.T) {
		_, text := post(t, w.A.Client, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_card","arguments":{"card_id":"x"}}}`, 200, "X-Request-Id", "mine-1")
		if !strings.Contains(text, "mine-1") || !strings.Contains(text, "not_found") {
			t.Errorf("got %s", text)
		}
	})
	t.Run("a proxy on this machine may give another host", func(t *testing.T) {
		r, _ := http.NewRequest("POST", endpoint(w.A.Client), strings.NewReader(list))
		w.A.Sign(r)
		r.Host = "desk.example.com"
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("status %d, want 200", resp.StatusCode)
		}
	})
}
