package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/url"
	"strings"
	"testing"

	"recado/internal/model"
	"recado/internal/servertest"
)

// wireTarget is one of each thing that holds texts of callers or customers.
type wireTarget struct {
	w                                                                     *servertest.World
	channel, conversation, contact, label, board, stage, sector, user, id string
}

// create makes a thing at the start of the fuzz test and gives its answer.
func (f *wireTarget) create(tb testing.TB, path, body string) map[string]any {
	tb.Helper()
	r := call(f.w.A, "POST", path, body)
	r.idempotencyKey = model.NewID().String()
	var out map[string]any
	if a := exchange(tb, f.w, false, r)[0]; a.status != 201 || json.Unmarshal(a.body, &out) != nil {
		tb.Fatalf("POST %s: %d %s", path, a.status, a.body)
	}
	return out
}

func newWireTarget(tb testing.TB) *wireTarget {
	f := &wireTarget{w: servertest.Start(tb, "")}
	text := func(of map[string]any, name string) string { return of[name].(string) }
	f.channel = text(f.create(tb, "/channels", `{"name":"Front desk","phone":"+551132345678","provider":"sandbox"}`), "id")
	f.conversation = text(f.create(tb, simulatePath(f.channel), `{"from":"+5511987654321","text":"oi"}`), "conversation")
	f.contact = text(f.create(tb, "/contacts", `{"name":"Ana","phone":"+5511987654322"}`), "id")
	f.label = text(f.create(tb, "/labels", `{"name":"VIP"}`), "id")
	board := f.create(tb, "/kanban/boards", `{"name":"Orders","stages":[{"name":"New"}]}`)
	f.board, f.stage = text(board, "id"), text(board["stages"].([]any)[0].(map[string]any), "id")
	f.sector = text(f.create(tb, "/sectors", `{"name":"Sales"}`), "id")
	f.user = text(f.create(tb, "/team", `{"name":"Bia","email":"bia@example.com"}`), "id")
	f.id = text(f.create(tb, "/integrations/webhooks", `{"name":"CRM","url":"http://127.0.0.1:9/","events":["kanban.card.completed"]}`), "id")
	return f
}

// writes are requests that bring the text to every place that keeps one.
func (f *wireTarget) writes(text string) []wireRequest {
	quoted, _ := json.Marshal(text)
	q := string(quoted)
	conversation := "/conversations/" + f.conversation
	calls := []wireRequest{
		call(f.w.A, "PATCH", "/channels/"+f.channel, `{"name":`+q+`}`),
		call(f.w.A, "POST", simulatePath(f.channel), `{"from":"+5511987654321","name":`+q+`,"text":`+q+`}`),
		call(f.w.A, "POST", simulatePath(f.channel), `{"from":"+5511987654321","text":`+q+`,"group":{"id":`+q+`,"name":`+q+`}}`),
		call(f.w.A, "POST", simulatePath(f.channel), `{"from":"+5511987654321","text":`+q+`}`),
		call(f.w.A, "POST", conversation+"/messages", `{"client_id":"`+model.NewID().String()+`","text":`+q+`}`),
		call(f.w.A, "PATCH", conversation, `{"name":`+q+`}`),
		call(f.w.A, "POST", conversation+"/transfer", `{"sector_id":"`+f.sector+`","reason":`+q+`}`),
		call(f.w.A, "POST", conversation+"/attendance/close", `{"reason":`+q+`}`),
		call(f.w.A, "PATCH", "/contacts/"+f.contact, `{"name":`+q+`,"company":`+q+`,"city":`+q+`}`),
		call(f.w.A, "PATCH", "/labels/"+f.label, `{"name":`+q+`}`),
		call(f.w.A, "PATCH", "/kanban/boards/"+f.board, `{"name":`+q+`}`),
		call(f.w.A, "PATCH", "/kanban/boards/"+f.board+"/stages/"+f.stage, `{"name":`+q+`}`),
		call(f.w.A, "POST", "/kanban/cards", `{"board_id":"`+f.board+`","title":`+q+`,"description":`+q+`}`),
		call(f.w.A, "PATCH", "/sectors/"+f.sector, `{"name":`+q+`}`),
		call(f.w.A, "PATCH", "/team/"+f.user, `{"name":`+q+`}`),
		call(f.w.A, "PATCH", "/integrations/webhooks/"+f.id, `{"name":`+q+`,"url":`+q+`}`),
		call(f.w.A, "PATCH", "/integrations/webhooks/"+f.id, `{"name":`+q+`}`),
		call(f.w.A, "POST", "/labels", text),
		call(f.w.A, "POST", "/labels", `{`+q+`:1}`),
		call(f.w.A, "GET", "/contacts?q="+url.QueryEscape(text), ""),
		call(f.w.A, "GET", "/contacts?"+url.QueryEscape(text)+"=1", ""),
		call(f.w.A, "GET", "/"+url.PathEscape(text), ""),
	}
	for i := range calls {
		calls[i].idempotencyKey = model.NewID().String()
	}
	return calls
}

// reads are requests whose answers show what was written.
func (f *wireTarget) reads() []wireRequest {
	var calls []wireRequest
	for _, path := range []string{
		"/channels", "/conversations", "/conversations/" + f.conversation, "/conversations/" + f.conversation + "/messages?limit=5",
		"/conversations/" + f.conversation + "/assignments", "/attendances?limit=5", "/contacts", "/contacts/" + f.contact, "/labels", "/kanban/boards",
		"/kanban/cards?limit=5&board_id=" + f.board, "/sectors", "/team", "/integrations/webhooks", "/events?limit=100", "/keys", "/me",
	} {
		calls = append(calls, call(f.w.A, "GET", path, ""))
	}
	return calls
}

// file is the upload of a file with these bytes.
func (f *wireTarget) file(name string, content []byte) wireRequest {
	var form bytes.Buffer
	mw := multipart.NewWriter(&form)
	part, _ := mw.CreateFormFile("file", name)
	_, _ = part.Write(content)
	_ = mw.Close()
	return wireRequest{method: "POST", path: "/v1/media", key: f.w.A.Secret(), contentType: mw.FormDataContentType(), body: form.Bytes()}
}

// FuzzAnswersHaveTheLengthTheySay sends random bytes as texts, names and files to every operation that
// keeps them, and reads all answers with a strict reader: none has a byte more or less than its header
// says. An execution sends the bytes to one place and reads what shows it, because a write takes as long as
// the disk does; the random place leads to all of them. The bytes are repeated up to size in files.
func FuzzAnswersHaveTheLengthTheySay(f *testing.F) {
	target := newWireTarget(f)
	places := len(target.writes("")) + 1
	add := func(data []byte, size uint16) {
		for place := range places {
			for form := range uint16(3) {
				f.Add(data, size+form, uint8(place))
			}
		}
	}
	for _, seed := range []string{
		"plain", fakeExpectation, fakeRefusal, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 500 ", "HTTP/1.1 431 Request Header Fields Too Large\r\n",
		"\r\n\r\n", "0\r\n\r\n", "5\r\nhello\r\n0\r\n\r\n", "data: x\n\nid: 1\n\n", "\x00\xff", "\u2028</script>", `"}]}`, "\"\\\r\n", "",
	} {
		add([]byte(seed), uint16(len(seed)*700))
	}
	add([]byte(fakeExpectation[11:]+fakeExpectation[:11]), uint16(40_000)) // begins at byte 32768 of the file
	f.Fuzz(func(t *testing.T, data []byte, size uint16, place uint8) {
		if len(data) > 4096 {
			return
		}
		if at := int(place) % places; at < places-1 {
			target.tryText(t, data, size, at)
		} else {
			target.tryFile(t, data, size)
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
	write := f.writes(text)[place]
	requests := []wireRequest{write}
	for _, read := range f.reads() {
		if path, _, _ := strings.Cut(read.path, "?"); strings.HasPrefix(write.path, path) || path == "/v1/events" || strings.HasSuffix(write.path, "/simulate") && strings.Contains(path, "/conversations") {
			requests = append(requests, read)
		}
	}
	f.send(t, size%2 == 0, requests...)
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
		if json.Unmarshal(a.body, &media) != nil || media.SHA256 == "" {
			continue
		}
		var link struct{ URL string }
		if err := json.Unmarshal(f.send(t, false, call(f.w.A, "GET", "/media/"+media.ID+"/url", ""))[0].body, &link); err != nil {
			t.Fatal(err)
		}
		address, _ := url.Parse(link.URL)
		f.send(t, pipelined, wireRequest{method: "GET", path: address.RequestURI()}, wireRequest{method: "HEAD", path: address.RequestURI()})
	}
}

// send exchanges the requests; none of them may make the server fail.
func (f *wireTarget) send(t *testing.T, pipelined bool, requests ...wireRequest) []wireAnswer {
	t.Helper()
	answers := exchange(t, f.w, pipelined, requests...)
	for _, a := range answers {
		if a.status >= 500 {
			t.Fatalf("want a.status < 500; got %d %s", a.status, a.body)
		}
	}
	return answers
}

// cut gives the first n characters.
func cut(text string, n int) string {
	return fmt.Sprintf("%.*s", n, text)
}
