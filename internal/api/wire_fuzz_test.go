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
// says. The bytes are repeated up to size in files.
func FuzzAnswersHaveTheLengthTheySay(f *testing.F) {
	for _, seed := range []string{
		"plain", fakeExpectation, fakeRefusal, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 500 ", "HTTP/1.1 431 Request Header Fields Too Large\r\n",
		"\r\n\r\n", "0\r\n\r\n", "5\r\nhello\r\n0\r\n\r\n", "data: x\n\nid: 1\n\n", "\x00\xff", "\u2028</script>", `"}]}`, "\"\\\r\n", "",
	} {
		f.Add([]byte(seed), uint16(len(seed)*700))
	}
	f.Add([]byte(fakeExpectation[11:]+fakeExpectation[:11]), uint16(40_000)) // begins at byte 32768 of the file
	target := newWireTarget(f)
	f.Fuzz(func(t *testing.T, data []byte, size uint16) {
		if len(data) > 4096 {
			return
		}
		long := data
		if len(data) > 0 {
			long = bytes.Repeat(data, int(size)/len(data)+1)
		}
		short := strings.ToValidUTF8(strings.ReplaceAll(string(data), "\x00", ""), "�")
		requests := append(target.writes(string(data)), target.writes(cut(short, 120))...)
		requests = append(requests, target.writes(cut(strings.Repeat(short, 40), 4096))...)
		requests = append(requests, target.file("notes.txt", append([]byte("Notes\n"), long...)), target.file(short+".txt", []byte("Notes\n"+short)))
		pipelined := size%2 == 0
		answers := exchange(t, target.w, pipelined, append(requests, target.reads()...)...)
		var files []wireRequest
		for _, a := range answers {
			if a.status >= 500 {
				t.Fatalf("want a.status < 500; got %+v, %+v", a.status, a.body)
			}
			var media struct{ ID, SHA256 string }
			if json.Unmarshal(a.body, &media) == nil && media.SHA256 != "" {
				var link struct{ URL string }
				if err := json.Unmarshal(exchange(t, target.w, false, call(target.w.A, "GET", "/media/"+media.ID+"/url", ""))[0].body, &link); err != nil {
					t.Fatal(err)
				}
				address, _ := url.Parse(link.URL)
				files = append(files, wireRequest{method: "GET", path: address.RequestURI()}, wireRequest{method: "HEAD", path: address.RequestURI()})
			}
		}
		if len(files) > 0 {
			exchange(t, target.w, pipelined, files...)
		}
	})
}

// cut gives the first n characters.
func cut(text string, n int) string {
	return fmt.Sprintf("%.*s", n, text)
}
