package hostile

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"recado/internal/channels/simulator"
	"recado/internal/kernel"
	"recado/test/binary"
	"recado/test/testkit"
)

// wireTarget is a server with one object of every kind that stores text. It runs in a separate process, because the
// instrumentation of the fuzzer would make it fifty times slower.
type wireTarget struct {
	addr, key                                                             string
	channel, conversation, contact, label, board, stage, sector, user, id string

	note, reply, view, hours, scheduled, number string // number is a WhatsApp channel
	cookie                                      string // header lines of the owner's session

	after string // query parameter for the end of the feed
}

// call returns a request with the API key.
func (f *wireTarget) call(method, path, body string) testkit.WireRequest {
	return testkit.WireCall(f.key, method, path, body)
}

// create creates an object and returns the response.
func (f *wireTarget) create(tb testing.TB, path, body string) map[string]any {
	tb.Helper()
	r := f.call("POST", path, body)
	r.IdempotencyKey = kernel.NewID().String()
	var out map[string]any
	if a := testkit.Exchange(tb, f.addr, false, r)[0]; a.Status != 201 || json.Unmarshal(a.Body, &out) != nil {
		tb.Fatalf("POST %s: %d %s", path, a.Status, a.Body)
	}
	return out
}

func newWireTarget(tb testing.TB) *wireTarget {
	dir, err := os.MkdirTemp("/dev/shm", "recado-") // in memory, so that writes do not wait for the disk
	if err != nil {
		dir = tb.TempDir()
	}
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	provider := httptest.NewServer(simulator.New(simulator.Options{}))
	tb.Cleanup(provider.Close)
	p := binary.Serve(tb, dir, "--whatsapp-base-url", provider.URL)
	f := &wireTarget{addr: strings.TrimPrefix(p.URL, "http://"), key: p.Demo.Companies[0].APIKey}
	text := func(of map[string]any, name string) string { return of[name].(string) }
	f.channel = text(f.create(tb, "/channels", `{"name":"Front desk","phone":"+551132345678","provider":"sandbox"}`), "id")
	f.conversation = text(f.create(tb, f.simulate(), `{"from":"+5511987654321","text":"oi"}`), "conversation")
	f.contact = text(f.create(tb, "/contacts", `{"name":"Ana","phone":"+5511987654322"}`), "id")
	f.label = text(f.create(tb, "/labels", `{"name":"Fuzzed"}`), "id")
	board := f.create(tb, "/kanban/boards", `{"name":"Fuzzed","stages":[{"name":"New"}]}`)
	f.board, f.stage = text(board, "id"), text(board["stages"].([]any)[0].(map[string]any), "id")
	f.sector = text(f.create(tb, "/sectors", `{"name":"Fuzzed"}`), "id")
	f.user = text(f.create(tb, "/team", `{"name":"Bia","email":"bia@fuzzed.example"}`), "id")
	f.id = text(f.create(tb, "/integrations/webhooks", `{"name":"CRM","url":"http://127.0.0.1:9/","events":["kanban.card.completed"]}`), "id")
	conversation := "/conversations/" + f.conversation
	f.note = text(f.create(tb, conversation+"/notes", `{"client_id":"`+kernel.NewID().String()+`","text":"x"}`), "id")
	tomorrow := time.Now().Add(24 * time.Hour).UTC().Format(time.RFC3339)
	scheduled := `{"client_id":"` + kernel.NewID().String() + `","send_at":"` + tomorrow + `","text":"x"}`
	f.scheduled = text(f.create(tb, conversation+"/scheduled", scheduled), "id")
	f.reply = text(f.create(tb, "/replies", `{"shortcut":"fuzzed","title":"t","text":"x","owner":null}`), "id")
	f.view = text(f.create(tb, "/views", `{"name":"n","query":{}}`), "id")
	f.hours = text(f.create(tb, "/hours", `{"name":"n"}`), "id")
	f.number = text(f.create(tb, "/channels", `{"name":"Number","provider":"whatsapp","credentials":{"phone_number_id":"`+
		simulator.DefaultNumberID+`","waba_id":"`+simulator.DefaultWABAID+`","token":"`+simulator.DefaultToken+`","app_secret":"`+simulator.DefaultAppSecret+
		`","verify_token":"`+verifyToken+`"}}`), "id")
	f.signIn(tb, dir)
	return f
}

// verifyToken is the token in WhatsApp's verification request.
const verifyToken = "a phrase of the fuzz test"

// signIn starts a session of the demo's owner.
func (f *wireTarget) signIn(tb testing.TB, dir string) {
	tb.Helper()
	var demo struct {
		Login struct {
			Email    string `json:"email"`
			Password string `json:"password"`
		} `json:"login"`
	}
	raw, err := os.ReadFile(filepath.Join(dir, "demo.json"))
	if err == nil {
		err = json.Unmarshal(raw, &demo)
	}
	if err != nil {
		tb.Fatal(err)
	}
	body, _ := json.Marshal(demo.Login)
	r := testkit.WireCall("", "POST", "/session", string(body))
	r.Header = sameOrigin
	a := testkit.Exchange(tb, f.addr, false, r)[0]
	cookie, _, found := strings.Cut(a.Header.Get("Set-Cookie"), ";")
	if !found {
		tb.Fatalf("POST /session: %d %s", a.Status, a.Body)
	}
	f.cookie = "Cookie: " + cookie + "\r\n" + sameOrigin
}

// sameOrigin is a header line that browsers send with requests of the app.
const sameOrigin = "Sec-Fetch-Site: same-origin\r\n"

// person returns the request with the owner's session instead of the key.
func (f *wireTarget) person(r testkit.WireRequest) testkit.WireRequest {
	r.Key, r.Header = "", f.cookie
	return r
}

// callback returns a signed WhatsApp callback with this body.
func (f *wireTarget) callback(body string) testkit.WireRequest {
	return testkit.WireRequest{
		Method: "POST", Path: "/channels/" + f.number + "/whatsapp", ContentType: "application/json", Body: []byte(body),
		Header: "X-Hub-Signature-256: sha256=" + simulator.Sign(simulator.DefaultAppSecret, []byte(body)) + "\r\n",
	}
}

// written returns the callback for a text message of a customer. name and text are quoted JSON strings.
func (f *wireTarget) written(name, text string) testkit.WireRequest {
	return f.callback(`{"object":"whatsapp_business_account","entry":[{"id":"` + simulator.DefaultWABAID +
		`","changes":[{"field":"messages","value":{"messaging_product":"whatsapp","metadata":{"display_phone_number":"` +
		simulator.DefaultBusinessPhone + `","phone_number_id":"` + simulator.DefaultNumberID + `"},"contacts":[{"profile":{"name":` + name +
		`},"wa_id":"5511987650000"}],"messages":[{"from":"5511987650000","id":"wamid.` + kernel.NewID().String() +
		fmt.Sprintf(`","timestamp":"%d","type":"text","text":{"body":`, time.Now().Unix()) + text + `}}]}}]}]}`)
}

// tool returns a tool call at /mcp. id and arguments are JSON.
func (f *wireTarget) tool(name, id, arguments string) testkit.WireRequest {
	return testkit.WireRequest{
		Method: "POST", Path: "/mcp", Key: f.key, ContentType: "application/json", Header: "Accept: application/json, text/event-stream\r\n",
		Body: []byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + name + `","arguments":` + arguments + `}}`),
	}
}

// simulate returns the path for simulated customer messages.
func (f *wireTarget) simulate() string { return "/channels/" + f.channel + "/simulate" }

// place is somewhere a text is stored: a request that stores it, and paths below /v1 that return it.
type place struct {
	write  testkit.WireRequest
	reads  []string
	person bool // read with the owner's session
}

// places returns all places that store a text, with requests that store this one.
func (f *wireTarget) places(text string) []place {
	quoted, _ := json.Marshal(text)
	q := string(quoted)
	conversation := "/conversations/" + f.conversation
	messages, cards, events := conversation+"/messages?limit=2", "/kanban/cards?limit=2&board_id="+f.board, "/events?limit=10"+f.after
	at := func(method, path, body string, reads ...string) place {
		write := f.call(method, path, body)
		write.IdempotencyKey = kernel.NewID().String()
		return place{write: write, reads: reads}
	}
	own := func(p place) place { // as a signed-in member
		p.write, p.person = f.person(p.write), true
		return p
	}
	handshake := testkit.WireRequest{Method: "GET", Path: "/channels/" + f.number + "/whatsapp?hub.mode=subscribe&hub.verify_token=" +
		url.QueryEscape(verifyToken) + "&hub.challenge=" + url.QueryEscape(text)}
	return []place{
		{write: f.written(q, q), reads: []string{"/conversations?limit=2&channel=" + f.number, "/contacts?limit=2&channel=" + f.number, events}},
		{write: f.callback(text)},
		{write: handshake},
		{write: f.tool("save_draft", q, `{"conversation_id":"`+f.conversation+`","text":`+q+`}`)},
		{write: f.tool("search_messages", "1", `{"q":`+q+`}`)},
		{write: f.tool("list_conversations", "1", `{`+q+`:`+q+`}`)},
		{write: testkit.WireRequest{Method: "POST", Path: "/mcp", Key: f.key, ContentType: "application/json", Body: []byte(text)}},
		at("POST", conversation+"/notes", `{"client_id":"`+kernel.NewID().String()+`","text":`+q+`}`,
			conversation+"/notes?limit=2", conversation+"/timeline?limit=2"),
		at("PATCH", "/notes/"+f.note, `{"text":`+q+`}`, conversation+"/notes?limit=2"),
		at("PATCH", "/scheduled/"+f.scheduled, `{"text":`+q+`}`, conversation+"/scheduled"),
		own(at("PUT", conversation+"/draft", `{"text":`+q+`}`, conversation)),
		at("PATCH", "/replies/"+f.reply, `{"title":`+q+`,"text":`+q+`}`, "/replies"),
		at("PATCH", "/replies/"+f.reply, `{"shortcut":`+q+`}`, "/replies"),
		at("PATCH", "/views/"+f.view, `{"name":`+q+`}`, "/views"),
		at("PATCH", "/hours/"+f.hours, `{"name":`+q+`}`, "/hours"),
		at("PUT", "/channels/"+f.channel+"/reception", `{"enabled":false,"greeting":`+q+`,"away":`+q+`}`, "/channels/"+f.channel+"/reception"),
		at("POST", "/keys", `{"name":`+q+`,"scopes":["read"]}`, "/keys"),
		at("POST", "/team/invitations", `{"email":"`+kernel.NewID().String()+`@fuzzed.example","name":`+q+`,"role":"agent"}`, "/team/invitations"),
		at("PATCH", "/company", `{"name":`+q+`}`, "/company", "/me"),
		own(at("PATCH", "/me", `{"name":`+q+`}`, "/me", "/team")),
		own(at("PATCH", "/me", `{"signature":`+q+`}`, "/me")),
		at("PATCH", "/channels/"+f.channel, `{"name":`+q+`}`, "/channels"),
		at("POST", f.simulate(), `{"from":"+5511987654321","name":`+q+`,"text":`+q+`}`, "/conversations?limit=2", messages, events),
		at("POST", f.simulate(), `{"from":"+5511987654321","text":`+q+`,"group":{"id":`+q+`,"name":`+q+`}}`, "/conversations?limit=2", events),
		at("POST", f.simulate(), `{"from":"+5511987654321","text":`+q+`}`, conversation, conversation+"/timeline?limit=2"),
		at("POST", conversation+"/messages", `{"client_id":"`+kernel.NewID().String()+`","text":`+q+`}`, messages, events),
		at("PATCH", conversation, `{"name":`+q+`}`, conversation, events),
		at("POST", conversation+"/transfer", `{"sector_id":"`+f.sector+`","reason":`+q+`}`, conversation+"/timeline?limit=2"),
		at("POST", conversation+"/attendance/close", `{"reason":`+q+`}`, "/attendances?limit=2", events),
		at("PATCH", "/contacts/"+f.contact, `{"name":`+q+`,"company":`+q+`,"city":`+q+`}`, "/contacts/"+f.contact, "/contacts?limit=2"),
		at("PATCH", "/labels/"+f.label, `{"name":`+q+`}`, "/labels"),
		at("PATCH", "/kanban/boards/"+f.board, `{"name":`+q+`}`, "/kanban/boards"),
		at("PATCH", "/kanban/boards/"+f.board+"/stages/"+f.stage, `{"name":`+q+`}`, "/kanban/boards/"+f.board),
		at("POST", "/kanban/cards", `{"board_id":"`+f.board+`","title":`+q+`,"description":`+q+`}`, cards, events),
		at("PATCH", "/sectors/"+f.sector, `{"name":`+q+`}`, "/sectors"),
		at("PATCH", "/team/"+f.user, `{"name":`+q+`}`, "/team"),
		at("PATCH", "/integrations/webhooks/"+f.id, `{"name":`+q+`,"url":`+q+`}`),
		at("PATCH", "/integrations/webhooks/"+f.id, `{"name":`+q+`}`, "/integrations/webhooks"),
		at("POST", "/labels", text),
		at("POST", "/labels", `{`+q+`:1}`),
		at("GET", "/contacts?limit=2&q="+url.QueryEscape(text), ""),
		at("GET", "/contacts?"+url.QueryEscape(text)+"=1", ""),
		at("GET", "/"+url.PathEscape(text), ""),
	}
}

// file returns a request that uploads a file.
func (f *wireTarget) file(name string, content []byte) testkit.WireRequest {
	form, kind := testkit.FileForm(name, string(content))
	return testkit.WireRequest{Method: "POST", Path: "/v1/media", Key: f.key, ContentType: kind, Body: form}
}

// Texts that look like responses of net/http itself.
const (
	expectation = "HTTP/1.1 417 "
	refusal     = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"
)

// FuzzAnswersHaveTheLengthTheySay stores random bytes as texts, names and files through the API, /mcp and the WhatsApp
// callback. A strict reader checks that the length of every response matches its headers: plain, compressed, as a range
// or as a stream. Each execution writes to one place, chosen at random, and reads it back. Files repeat the bytes up to
// size.
func FuzzAnswersHaveTheLengthTheySay(f *testing.F) {
	at := newWireTarget(f)
	places := len(at.places("")) + 2
	at.reachable(f)
	seeds := 0
	add := func(data []byte, size uint16) {
		seeds++
		if flag.Lookup("test.fuzz").Value.String() != "" { // each seed costs the fuzzer as much as hundreds of generated inputs
			f.Add(data, size, uint8(seeds))
			return
		}
		for place := range places {
			for form := range uint16(3) {
				if seeds <= 3 || int(form) == (seeds+place)%3 { // of the other seeds, each place gets one form
					f.Add(data, size+form, uint8(place))
				}
			}
		}
	}
	for _, seed := range []string{
		"plain", expectation, refusal, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 500 ", "HTTP/1.1 431 Request Header Fields Too Large\r\n",
		"\r\n\r\n", "0\r\n\r\n", "5\r\nhello\r\n0\r\n\r\n", "data: x\n\nid: 1\n\n", "\x00\xff", "\u2028</script>", `"}]}`, "\"\\\r\n", "",
	} {
		add([]byte(seed), uint16(len(seed)*700))
	}
	add([]byte(expectation[11:]+expectation[:11]), uint16(40_000)) // it starts at byte 32768 of the file
	f.Fuzz(func(t *testing.T, data []byte, size uint16, place uint8) {
		if len(data) > 4096 {
			return
		}
		switch n := int(place) % places; n {
		case places - 1:
			at.tryFile(t, data, size)
		case places - 2:
			at.tryStreams(t, data)
		default:
			at.tryText(t, data, size, n)
		}
	})
}

// reachable checks that every place with reads accepts a plain text.
func (f *wireTarget) reachable(tb testing.TB) {
	tb.Helper()
	for _, p := range f.places("plain") {
		if a := testkit.Exchange(tb, f.addr, false, p.write)[0]; a.Status >= 400 && p.reads != nil {
			tb.Errorf("%s %s %s: %d %s", p.write.Method, p.write.Path, p.write.Body, a.Status, a.Body)
		}
	}
}

// tryText stores the bytes as a text in the place with this number and reads it back. size selects the form: unchanged,
// shortened to a name, or repeated to a long text.
func (f *wireTarget) tryText(t *testing.T, data []byte, size uint16, place int) {
	text, short := string(data), strings.ToValidUTF8(strings.ReplaceAll(string(data), "\x00", ""), "\ufffd")
	switch size % 3 {
	case 1:
		text = cut(short, 120)
	case 2:
		text = cut(strings.Repeat(short, 40), 4096)
	}
	at := f.places(text)[place]
	requests := []testkit.WireRequest{at.write}
	for i, path := range at.reads {
		read := f.call("GET", path, "")
		if at.person {
			read = f.person(read)
		}
		if i%2 == 0 {
			read.Header += acceptGzip
		}
		requests = append(requests, read)
	}
	answers := f.send(t, size%2 == 0, requests...)
	if last := len(requests) - 1; strings.HasPrefix(requests[last].Path, "/v1/events") {
		var feed struct {
			Next string `json:"next_cursor"`
		}
		if err := json.Unmarshal(answers[last].Body, &feed); err != nil {
			t.Fatal(err)
		}
		if feed.Next != "" { // empty if there are no new events
			f.after = "&after=" + feed.Next
		}
	}
}

// tryFile uploads the bytes, repeated up to size, and downloads them again.
func (f *wireTarget) tryFile(t *testing.T, data []byte, size uint16) {
	long := data
	if len(data) > 0 {
		long = bytes.Repeat(data, int(size)/len(data)+1)
	}
	name := strings.ToValidUTF8(strings.ReplaceAll(string(data), "\x00", ""), "\ufffd")
	pipelined := size%2 == 0
	for _, a := range f.send(t, pipelined, f.file("notes.txt", append([]byte("Notes\n"), long...)), f.file(name+".txt", []byte("Notes\n"+name))) {
		var media struct{ ID, SHA256 string }
		if json.Unmarshal(a.Body, &media) != nil || media.SHA256 == "" {
			continue
		}
		var link struct{ URL string }
		if err := json.Unmarshal(f.send(t, false, f.call("GET", "/media/"+media.ID+"/url", ""))[0].Body, &link); err != nil {
			t.Fatal(err)
		}
		address, _ := url.Parse(link.URL)
		content := f.call("GET", "/media/"+media.ID+"/content", "")
		requests := []testkit.WireRequest{{Method: "GET", Path: address.RequestURI()}, {Method: "HEAD", Path: address.RequestURI()}, content}
		for _, header := range []string{
			acceptGzip, "Range: bytes=3-20\r\n", "Range: bytes=-7\r\n" + acceptGzip, "Range: bytes=0-1,4-9,12-\r\n", "Range: bytes=900000-\r\n",
		} {
			part := content
			part.Header = header
			requests = append(requests, part)
		}
		f.send(t, pipelined, requests...)
	}
}

// tryStreams follows both streams with a strict reader while the bytes become the name of a conversation. No text may end
// an event early or inject another one.
func (f *wireTarget) tryStreams(t *testing.T, data []byte) {
	name := kernel.NewID().String() + cut(strings.ToValidUTF8(strings.ReplaceAll(string(data), "\x00", ""), "\ufffd"), 80)
	quoted, _ := json.Marshal(map[string]string{"name": name})
	streams := map[string]*bufio.Reader{}
	for _, r := range []testkit.WireRequest{f.call("GET", "/events/stream", ""), f.person(f.call("GET", "/live", ""))} {
		conn := testkit.Dial(t, f.addr)
		defer func() { _ = conn.Close() }()
		if _, err := conn.Write(r.Bytes("stream", false)); err != nil {
			t.Fatal(err)
		}
		streams[r.Path] = bufio.NewReader(conn)
		a, err := testkit.ReadHead(streams[r.Path])
		chunked := a.Header.Get("Transfer-Encoding") == "chunked"
		if err != nil || a.Status != 200 || a.Header.Get("Content-Length") != "" || !chunked && a.Header.Get("Connection") != "close" {
			t.Fatalf("%s: got %d %v, %v, want a stream with status 200", r.Path, a.Status, a.Header, err)
		}
		if chunked {
			streams[r.Path] = bufio.NewReader(&chunks{of: streams[r.Path]})
		}
	}
	if a := f.send(t, false, f.call("PATCH", "/conversations/"+f.conversation, string(quoted)))[0]; a.Status != 200 {
		return // not a valid name
	}
	for path, r := range streams {
		for shown := false; !shown; {
			line, err := r.ReadString('\n')
			if err != nil || !streamLine.MatchString(strings.TrimSuffix(line, "\n")) {
				t.Fatalf("%s: got the line %q in an event, %v", path, line, err)
			}
			shown = strings.Contains(line, name[:36])
		}
		if line, err := r.ReadString('\n'); line != "\n" {
			t.Fatalf("%s: got the line %q after an event, %v, want an empty line", path, line, err)
		}
	}
}

// chunks reads the body of a chunked response.
type chunks struct {
	of   *bufio.Reader
	rest []byte
}

func (c *chunks) Read(p []byte) (n int, err error) {
	if len(c.rest) == 0 {
		if c.rest, err = testkit.ReadChunk(c.of); err == nil && len(c.rest) == 0 {
			err = io.EOF
		}
	}
	n = copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, err
}

// streamLine matches a line of an event stream.
var streamLine = regexp.MustCompile(`^(|:.*|id: [^ ]+|event: [a-z._]+|retry: [0-9]+|data: \{.*\})$`)

// acceptGzip is a header line that requests compression.
const acceptGzip = "Accept-Encoding: gzip\r\n"

// send sends the requests and returns the responses, decompressed. A 5xx status fails the test.
func (f *wireTarget) send(t *testing.T, pipelined bool, requests ...testkit.WireRequest) []testkit.WireAnswer {
	t.Helper()
	answers := testkit.Exchange(t, f.addr, pipelined, requests...)
	for i, a := range answers {
		if a.Status >= 500 {
			t.Fatalf("got status %d %s, want less than 500", a.Status, a.Body)
		}
		if a.Header.Get("Content-Encoding") == "gzip" {
			r, err := gzip.NewReader(bytes.NewReader(a.Body))
			if err == nil {
				answers[i].Body, err = io.ReadAll(r)
			}
			if err != nil {
				t.Fatalf("the body is not gzip: %v", err)
			}
		}
	}
	return answers
}

// cut returns the first n characters.
func cut(text string, n int) string {
	return fmt.Sprintf("%.*s", n, text)
}
