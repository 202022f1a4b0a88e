package recorded

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"recado/internal/channels/simulator"
	"recado/test/testkit"
)

// target is a server to send the requests to.
type target struct {
	url       string // without /v1
	simulator string // address of the simulated WhatsApp that the server uses
	receiver  string // address of the webhook receiver
	owner     string // key of a new company's owner
	foreign   string // key of another new company's owner
	today     time.Time
}

// recorder sends the requests and formats the responses.
type recorder struct {
	t       *testing.T
	target  target
	callers map[string]func(*http.Request, []byte)
	known   map[string]any    // decoded responses by name
	ids     map[string]string // values of the variables
	text    *normalizer
	called  []request
	client  *http.Client
}

// variables matches $NAME and $NAME#field.
var variables = regexp.MustCompile(`\$([a-z][a-z0-9-]*(?:\.[a-z][a-z0-9-]*)*)(?:#([a-z0-9_]+(?:\.[a-z0-9_]+)*))?`)

func newRecorder(t *testing.T, to target) *recorder {
	bearer := func(key string) func(*http.Request, []byte) {
		return func(r *http.Request, _ []byte) { r.Header.Set("Authorization", "Bearer "+key) }
	}
	return &recorder{
		t: t, target: to, known: map[string]any{}, text: newNormalizer(to),
		ids: map[string]string{
			"receiver": to.receiver, "today": to.today.Format(time.DateOnly), "tomorrow": to.today.Add(24 * time.Hour).Format(time.RFC3339),
			"simulator.number": simulator.DefaultNumberID,
			"simulator.waba":   simulator.DefaultWABAID, "simulator.token": simulator.DefaultToken, "simulator.secret": simulator.DefaultAppSecret,
		},
		callers: map[string]func(*http.Request, []byte){
			"": bearer(to.owner), "foreign": bearer(to.foreign),
			"anonymous": func(*http.Request, []byte) {},
			"simulator": func(*http.Request, []byte) {},
			"meta": func(r *http.Request, body []byte) {
				r.Header.Set("X-Hub-Signature-256", simulator.Sign(simulator.DefaultAppSecret, body))
			},
		},
		client: &http.Client{Timeout: time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
}

// send sends a request and returns the response as in answers.txt, or "" if it is not recorded.
func (r *recorder) send(q request) string {
	path, body := r.fill(q.path), r.fill(q.body)
	var status int
	var header http.Header
	var raw []byte
	field, want, _ := strings.Cut(q.until, "=")
	testkit.Eventually(r.t, fmt.Sprintf("line %d: %s: %s", q.line, q.path, q.until), func() bool {
		status, header, raw = r.once(q, path, body)
		return q.until == "" || fmt.Sprint(at(decode(raw), field)) == want
	})
	if q.caller == "simulator" {
		if status != http.StatusOK {
			r.t.Fatalf("line %d: simulator: got %d %s, want 200", q.line, status, raw)
		}
		return ""
	}
	r.called = append(r.called, q)
	if q.name != "" {
		r.keep(q, header, raw)
	}
	return r.text.answer(q, status, header, raw)
}

// keep stores the response under its name. If it has a key or a cookie, that becomes a caller of the same name.
func (r *recorder) keep(q request, header http.Header, raw []byte) {
	v := decode(raw)
	r.known[q.name] = v
	if id, ok := at(v, "id").(string); ok {
		r.ids[q.name] = id
		r.text.name(id, q.name)
	}
	if key, ok := at(v, "key").(string); ok {
		r.callers[q.name] = func(r *http.Request, _ []byte) { r.Header.Set("Authorization", "Bearer "+key) }
	}
	if cookie, _, _ := strings.Cut(header.Get("Set-Cookie"), ";"); cookie != "" {
		r.callers[q.name] = func(r *http.Request, _ []byte) {
			r.Header.Set("Cookie", cookie)
			r.Header.Set("Sec-Fetch-Site", "same-origin")
		}
	}
}

// fill replaces the variables with their values.
func (r *recorder) fill(s string) string {
	return variables.ReplaceAllStringFunc(s, func(v string) string {
		m := variables.FindStringSubmatch(v)
		name, field := m[1], m[2]
		if field == "" {
			if id := r.ids[name]; id != "" {
				return id
			}
			r.t.Fatalf("$%s has no value", name)
			return "missing"
		}
		address := strings.HasSuffix(field, ".token")
		out, ok := at(r.known[name], strings.TrimSuffix(field, ".token")).(string)
		if !ok {
			r.t.Fatalf("$%s#%s has no value", name, field)
			return "missing"
		}
		if address {
			_, out, _ = strings.Cut(out, "token=")
		}
		return out
	})
}

func (r *recorder) once(q request, path, body string) (int, http.Header, []byte) {
	address := r.target.url + "/v1" + path
	switch {
	case strings.HasPrefix(path, "http"):
		address = path
	case strings.HasPrefix(path, "//"):
		address = r.target.url + path[1:]
	case q.caller == "simulator":
		address = r.target.simulator + path
	}
	content, kind := []byte(body), "application/json"
	if name, ok := strings.CutPrefix(body, "@"); ok {
		content, kind = madeBody(r.t, name)
	}
	req, err := http.NewRequest(q.method, address, bytes.NewReader(content))
	if err != nil {
		r.t.Fatalf("line %d: %v", q.line, err)
	}
	if body != "" {
		req.Header.Set("Content-Type", kind)
	}
	sign, ok := r.callers[q.caller]
	if !ok {
		r.t.Fatalf("line %d: caller %q is not defined", q.line, q.caller)
	}
	sign(req, content)
	for _, h := range q.headers {
		req.Header.Set(h[0], h[1])
	}
	resp, err := r.client.Do(req)
	if err != nil {
		r.t.Fatalf("line %d: %v", q.line, err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatalf("line %d: %v", q.line, err)
	}
	return resp.StatusCode, resp.Header, raw
}

func decode(raw []byte) (v any) {
	_ = json.Unmarshal(raw, &v)
	return v
}

// at returns the value at a path such as data.0.id, or nil.
func at(v any, path string) any {
	for step := range strings.SplitSeq(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[step]
		case []any:
			var i int
			if _, err := fmt.Sscan(step, &i); err != nil || i >= len(x) {
				return nil
			}
			v = x[i]
		default:
			return nil
		}
	}
	return v
}

// picture is a PNG of one pixel.
const picture = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89" +
	"\x00\x00\x00\rIDATx\x9cc\xf8\xff\xff\xff\x7f\x00\t\xfb\x03\xfd\x05CE\xca\x00\x00\x00\x00IEND\xaeB`\x82"

// madeBody returns a body that does not fit on a line, with its content type.
func madeBody(t *testing.T, name string) ([]byte, string) {
	switch name {
	case "bad-utf8":
		return []byte("{\"name\":\"\xff\"}"), "application/json"
	case "too-deep":
		return []byte(strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40)), "application/json"
	case "too-large":
		return []byte(`{"name":"` + strings.Repeat("x", 64<<10) + `"}`), "application/json"
	case "png":
		return testkit.FileForm("pixel.png", picture)
	case "text-file":
		return testkit.FileForm("menu.txt", "Pão francês, 0,80\n")
	case "executable":
		return testkit.FileForm("virus.pdf", "MZ\x90\x00\x03\x00\x00\x00\x04\x00\x00\x00\xff\xff\x00\x00")
	case "empty-file":
		return testkit.FileForm("empty.txt", "")
	case "two-files":
		return testkit.FileForm("a.txt", "a", "b.txt", "b")
	}
	t.Fatalf("body @%s is not defined", name)
	return nil, ""
}
