package hostile

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"

	"recado/internal/model"
	"recado/internal/testkit"
	"recado/test/binary"
)

// wireTarget is a server with one of each thing that holds texts of callers or customers. It is a process of its own: the
// instrumentation that guides the fuzzer makes a server in the same process fifty times slower.
type wireTarget struct {
	addr, key                                                             string
	channel, conversation, contact, label, board, stage, sector, user, id string

	after string // the end of the feed as a query parameter
}

// call is a request with the server's key.
func (f *wireTarget) call(method, path, body string) testkit.WireRequest {
	return testkit.WireCall(f.key, method, path, body)
}

// create makes a thing at the start of the fuzz test and gives its answer.
func (f *wireTarget) create(tb testing.TB, path, body string) map[string]any {
	tb.Helper()
	r := f.call("POST", path, body)
	r.IdempotencyKey = model.NewID().String()
	var out map[string]any
	if a := testkit.Exchange(tb, f.addr, false, r)[0]; a.Status != 201 || json.Unmarshal(a.Body, &out) != nil {
		tb.Fatalf("POST %s: %d %s", path, a.Status, a.Body)
	}
	return out
}

func newWireTarget(tb testing.TB) *wireTarget {
	dir, err := os.MkdirTemp("/dev/shm", "recado-") // writes do not wait for the disk
	if err != nil {
		dir = tb.TempDir()
	}
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	p := binary.Serve(tb, dir)
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
	return f
}

// simulate is the path at which customers write.
func (f *wireTarget) simulate() string { return "/channels/" + f.channel + "/simulate" }

// place is a place that keeps a text: a request that brings it there, and paths below /v1 that show it.
type place struct {
	write testkit.WireRequest
	reads []string
}

// places are all places that keep a text, with requests that bring this one there.
func (f *wireTarget) places(text string) []place {
	quoted, _ := json.Marshal(text)
	q := string(quoted)
	conversation := "/conversations/" + f.conversation
	messages, cards, events := conversation+"/messages?limit=2", "/kanban/cards?limit=2&board_id="+f.board, "/events?limit=10"+f.after
	at := func(method, path, body string, reads ...string) place {
		write := f.call(method, path, body)
		write.IdempotencyKey = model.NewID().String()
		return place{write, reads}
	}
	return []place{
		at("PATCH", "/channels/"+f.channel, `{"name":`+q+`}`, "/channels"),
		at("POST", f.simulate(), `{"from":"+5511987654321","name":`+q+`,"text":`+q+`}`, "/conversations?limit=2", messages, events),
		at("POST", f.simulate(), `{"from":"+5511987654321","text":`+q+`,"group":{"id":`+q+`,"name":`+q+`}}`, "/conversations?limit=2", events),
		at("POST", f.simulate(), `{"from":"+5511987654321","text":`+q+`}`, conversation, conversation+"/timeline?limit=2"),
		at("POST", conversation+"/messages", `{"client_id":"`+model.NewID().String()+`","text":`+q+`}`, messages, events),
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
		at("PATCH", "/integrations/webhooks/"+f.id, `{"name":`+q+`,"url":`+q+`}`, "/integrations/webhooks"),
		at("PATCH", "/integrations/webhooks/"+f.id, `{"name":`+q+`}`, "/integrations/webhooks"),
		at("POST", "/labels", text),
		at("POST", "/labels", `{`+q+`:1}`),
		at("GET", "/contacts?limit=2&q="+url.QueryEscape(text), ""),
		at("GET", "/contacts?"+url.QueryEscape(text)+"=1", ""),
		at("GET", "/"+url.PathEscape(text), ""),
	}
}

// file is the upload of a file with these bytes.
func (f *wireTarget) file(name string, content []byte) testkit.WireRequest {
	form, kind := testkit.FileForm(name, string(content))
	return testkit.WireRequest{Method: "POST", Path: "/v1/media", Key: f.key, ContentType: kind, Body: form}
}

// Texts that begin like answers of net/http itself.
const (
	expectation = "HTTP/1.1 417 "
	refusal     = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"
)

// FuzzAnswersHaveTheLengthTheySay sends random bytes as texts, names and files to every operation that
// keeps them, and reads all answers with a strict reader: none has a byte more or less than its header
// says. An execution sends the bytes to one place and reads what shows it; the random number of the place
// leads to all of them. The bytes are repeated up to size in files.
func FuzzAnswersHaveTheLengthTheySay(f *testing.F) {
	at := newWireTarget(f)
	places := len(at.places("")) + 1
	seeds := 0
	add := func(data []byte, size uint16) {
		seeds++
		if flag.Lookup("test.fuzz").Value.String() != "" { // the fuzzer takes as long for a seed as for hundreds of its own inputs
			f.Add(data, size, uint8(seeds))
			return
		}
		for place := range places {
			for form := range uint16(3) {
				f.Add(data, size+form, uint8(place))
			}
		}
	}
	for _, seed := range []string{
		"plain", expectation, refusal, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 500 ", "HTTP/1.1 431 Request Header Fields Too Large\r\n",
		"\r\n\r\n", "0\r\n\r\n", "5\r\nhello\r\n0\r\n\r\n", "data: x\n\nid: 1\n\n", "\x00\xff", "\u2028</script>", `"}]}`, "\"\\\r\n", "",
	} {
		add([]byte(seed), uint16(len(seed)*700))
	}
	add([]byte(expectation[11:]+expectation[:11]), uint16(40_000)) // begins at byte 32768 of the file
	f.Fuzz(func(t *testing.T, data []byte, size uint16, place uint8) {
		if len(data) > 4096 {
			return
		}
		if n := int(place) % places; n < places-1 {
			at.tryText(t, data, size, n)
		} else {
			at.tryFile(t, data, size)
		}
	})
}

// tryText sends the bytes as a text to the place with this number, in a form that size chooses: as they are, as a name,
// or repeated to the length of a long text.
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
	for _, path := range at.reads {
		requests = append(requests, f.call("GET", path, ""))
	}
	answers := f.send(t, size%2 == 0, requests...)
	if last := len(requests) - 1; strings.HasPrefix(requests[last].Path, "/v1/events") {
		var feed struct {
			Next string `json:"next_cursor"`
		}
		if err := json.Unmarshal(answers[last].Body, &feed); err != nil {
			t.Fatal(err)
		}
		if feed.Next != "" { // otherwise there is nothing new
			f.after = "&after=" + feed.Next
		}
	}
}

// tryFile uploads the bytes, repeated up to size, and downloads them.
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
		f.send(t, pipelined, testkit.WireRequest{Method: "GET", Path: address.RequestURI()}, testkit.WireRequest{Method: "HEAD", Path: address.RequestURI()})
	}
}

// send exchanges the requests; none of them may make the server fail.
func (f *wireTarget) send(t *testing.T, pipelined bool, requests ...testkit.WireRequest) []testkit.WireAnswer {
	t.Helper()
	answers := testkit.Exchange(t, f.addr, pipelined, requests...)
	for _, a := range answers {
		if a.Status >= 500 {
			t.Fatalf("want a.Status < 500; got %d %s", a.Status, a.Body)
		}
	}
	return answers
}

// cut gives the first n characters.
func cut(text string, n int) string {
	return fmt.Sprintf("%.*s", n, text)
}
