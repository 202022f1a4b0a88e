package httpserver_test

import (
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/zstd"

	"recado/internal/httpserver"
	app "recado/web"
)

const script = "console.log('a script that is long enough to be worth compressing, compressing, compressing, compressing')"

var files = fstest.MapFS{
	"index.html":           {Data: []byte(`<meta name="recado-base" content="__BASE__"><meta name="recado-session" content="__SESSION__"><meta content="__NONCE__"><script src="./app.js"></script>`)},
	"app.js":               {Data: []byte(script)},
	"inter.woff2":          {Data: []byte("font")},
	"manifest.webmanifest": {Data: []byte(`{"start_url":"__BASE__/","icons":[{"src":"./favicon.svg"}]}`)},
	"sw.js":                {Data: []byte(`const base = "__BASE__", version = "__VERSION__"`)},
}

func serve(t *testing.T, base string) *http.ServeMux {
	t.Helper()
	served, err := httpserver.NewApp(files, base)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	for pattern, h := range served.Handlers() {
		mux.Handle("GET "+base+pattern, h)
	}
	return mux
}

func get(mux http.Handler, path, encodings string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", path, nil)
	r.Header.Set("Accept-Encoding", encodings)
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, r)
	return w
}

func scriptPath(t *testing.T, page string) string {
	t.Helper()
	found := regexp.MustCompile(`src="([^"]+)"`).FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("the page has no script: %s", page)
	}
	return found[1]
}

func TestEveryAddressOfTheAppServesThePage(t *testing.T) {
	mux := serve(t, "")
	for _, path := range []string{"/", "/inbox", "/inbox/waiting/01a1dfb4-ddef-7002-b8ea-2f3fbd7ac5b7", "/contacts", "/boards/x", "/report", "/settings/channels"} {
		w := get(mux, path, "")
		if w.Code != 200 || w.Header().Get("Content-Type") != "text/html; charset=utf-8" || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf(`want w.Code == 200 and header Content-Type == "text/html; charset=utf-8" and header Cache-Control == "no-store"; got %+v, %+v, %+v`, path, w.Code, w.Header())
		}
	}
	for _, path := range []string{"/reports", "/nothing", "/app/0000000000000000/app.js"} {
		if w := get(mux, path, ""); w.Code != 404 {
			t.Errorf("%s: got %d, want 404", path, w.Code)
		}
	}
}

func TestThePageHasAStrictPolicyWithANewNonceEachTime(t *testing.T) {
	mux := serve(t, "")
	seen := map[string]bool{}
	for range 3 {
		w := get(mux, "/", "")
		policy := w.Header().Get("Content-Security-Policy")
		found := regexp.MustCompile(`'nonce-(\w{26})'`).FindStringSubmatch(policy)
		if found == nil || seen[found[1]] || !strings.Contains(w.Body.String(), `content="`+found[1]+`"`) {
			t.Fatalf("the nonce of %q is missing, repeated, or not in the page", policy)
		}
		seen[found[1]] = true
		for _, part := range []string{"default-src 'none'", "script-src 'self';", "connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"} {
			if !strings.Contains(policy, part) {
				t.Errorf("%q is not in the policy %q", part, policy)
			}
		}
		for name, want := range map[string]string{"X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
	}
}

func TestThePageSaysWhetherThereIsASessionCookie(t *testing.T) {
	mux := serve(t, "")
	for cookie, want := range map[string]string{"": "no", "other=1": "no", "recado=x": "yes", "__Host-recado=x": "yes", "__Secure-recado=x": "yes"} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Cookie", cookie)
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		if !strings.Contains(w.Body.String(), `<meta name="recado-session" content="`+want+`">`) {
			t.Errorf("with cookie %q the page is %s, want a session: %s", cookie, w.Body, want)
		}
	}
}

func TestTheServiceWorkerHasItsOwnAddressAndIsNotCached(t *testing.T) {
	for _, base := range []string{"", "/desk"} {
		mux := serve(t, base)
		w := get(mux, base+"/sw.js", "")
		version := get(mux, base+"/app/version", "").Body.String()
		if got, want := w.Body.String(), `const base = "`+base+`", version = "`+version+`"`; w.Code != 200 || got != want {
			t.Errorf("the worker below %q: got %d %s, want 200 %s", base, w.Code, got, want)
		}
		for name, want := range map[string]string{
			"Content-Type": "text/javascript; charset=utf-8", "Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff",
		} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
		}
		if w := get(mux, base+"/app/"+version+"/sw.js", ""); w.Code != 404 {
			t.Errorf("the worker among the files: got %d, want 404, because it would control no page there", w.Code)
		}
		if w := get(mux, base+"/app/"+version+"/manifest.webmanifest", ""); w.Header().Get("Content-Type") != "application/manifest+json" {
			t.Errorf("the type of the manifest: got %q, want application/manifest+json", w.Header().Get("Content-Type"))
		}
	}
}

func TestFilesAreImmutableAndCompressed(t *testing.T) {
	mux := serve(t, "")
	path := scriptPath(t, get(mux, "/", "").Body.String())
	for offered, want := range map[string]string{"": "", "gzip": "gzip", "gzip, deflate, br, zstd": "zstd", "zstd;q=0, gzip": "gzip", "br": ""} {
		w := get(mux, path, offered)
		if w.Code != 200 || w.Header().Get("Content-Encoding") != want {
			t.Errorf("offered %q: %d, encoding %q, want %q", offered, w.Code, w.Header().Get("Content-Encoding"), want)
		}
		if got := w.Header().Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
			t.Errorf("Cache-Control is %q", got)
		}
		if got := decoded(t, want, w.Body); got != script {
			t.Errorf("offered %q: the content is %q", offered, got)
		}
	}
}

func decoded(t *testing.T, encoding string, body io.Reader) string {
	t.Helper()
	var err error
	switch encoding {
	case "gzip":
		body, err = gzip.NewReader(body)
	case "zstd":
		body, err = zstd.NewReader(body)
	}
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestTheAppWorksBelowABasePath(t *testing.T) {
	mux := serve(t, "/desk")
	page := get(mux, "/desk/inbox/waiting", "").Body.String()
	if !strings.Contains(page, `content="/desk"`) {
		t.Errorf("the base path is not in the page: %s", page)
	}
	path := scriptPath(t, page)
	if !strings.HasPrefix(path, "/desk/app/") || get(mux, path, "").Code != 200 {
		t.Errorf("the script is at %s", path)
	}
	manifest := get(mux, strings.Replace(path, "app.js", "manifest.webmanifest", 1), "").Body.String()
	if !strings.Contains(manifest, `"start_url":"/desk/"`) || !strings.Contains(manifest, `"src":"/desk/app/`) {
		t.Errorf("the manifest is %s", manifest)
	}
}

func TestAnOpenPageCanSeeThatThereIsANewVersion(t *testing.T) {
	mux := serve(t, "")
	version := get(mux, "/app/version", "").Body.String()
	if !strings.Contains(scriptPath(t, get(mux, "/", "").Body.String()), version) {
		t.Errorf("the version %q is not the one of the page", version)
	}
}

func TestTheBuiltAppIsComplete(t *testing.T) {
	built, err := app.Files()
	if err != nil {
		t.Fatal(err)
	}
	served, err := httpserver.NewApp(built, "/desk")
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	for pattern, h := range served.Handlers() {
		mux.Handle("GET /desk"+pattern, h)
	}
	page := get(mux, "/desk/", "").Body.String()
	for _, link := range regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		if w := get(mux, link[1], "zstd"); w.Code != 200 {
			t.Errorf(`get(mux, link[1], "zstd"): want w.Code == 200; got %+v, %+v`, link[1], w.Code)
		}
	}
}

// TestTheFirstLoadIsSmall holds the budget of what a browser loads before the inbox shows: scripts and
// styles that the page names, and one catalogue of texts.
func TestTheFirstLoadIsSmall(t *testing.T) {
	const budget = 260_000
	built, err := app.Files()
	if err != nil {
		t.Fatal(err)
	}
	served, err := httpserver.NewApp(built, "")
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	for pattern, h := range served.Handlers() {
		mux.Handle("GET "+pattern, h)
	}
	page := get(mux, "/", "").Body.String()
	total := 0
	links := regexp.MustCompile(`(?:src|href)="([^"]+\.(?:js|css))"`).FindAllStringSubmatch(page, -1)
	texts, err := fs.Glob(built, "texts-pt-BR.js")
	if err != nil || len(texts) == 0 {
		texts = []string{"pt-BR.js"} // its name in earlier builds
	}
	catalogue := regexp.MustCompile(`[^/]+$`).ReplaceAllString(scriptPath(t, page), texts[0])
	for _, link := range append(links, []string{"", catalogue}) {
		w := get(mux, link[1], "gzip")
		if w.Code != 200 {
			t.Fatalf("want w.Code == 200; got %+v, %+v", link[1], w.Code)
		}
		total += w.Body.Len()
	}
	t.Logf("first load: %d bytes", total)
	if total > budget {
		t.Errorf("the first load is %d bytes compressed, at most %d are allowed", total, budget)
	}
}
