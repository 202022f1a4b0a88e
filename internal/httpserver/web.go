package httpserver

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"html"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

// pages are the addresses that show the app. What the app shows there is decided in the browser.
var pages = []string{"/{$}", "/inbox", "/inbox/", "/contacts", "/contacts/", "/boards", "/boards/", "/report", "/settings", "/settings/"}

// App is the browser app below one base path.
type App struct {
	base    string
	version string
	files   map[string]*file
	page    [2][]string // index.html without and with a session, split where the nonce of an answer goes
}

// NewApp prepares the files: the page refers to them by their content.
func NewApp(files fs.FS, base string) (*App, error) {
	a := &App{base: base, files: map[string]*file{}}
	version, err := contentVersion(files)
	if err != nil {
		return nil, fmt.Errorf("reading the app: %w", err)
	}
	a.version = version
	err = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		switch name {
		case "index.html":
			for i, session := range []string{"no", "yes"} {
				a.page[i] = strings.Split(strings.ReplaceAll(a.place(string(content)), sessionMark, session), nonceMark)
			}
		case "manifest.webmanifest":
			a.files[name] = newFile(name, []byte(a.place(string(content))))
		default:
			a.files[name] = newFile(name, content)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading the app: %w", err)
	}
	if len(a.page[0]) < 2 {
		return nil, fmt.Errorf("reading the app: index.html does not exist or has no %s", nonceMark)
	}
	return a, nil
}

// The marks in index.html and the manifest that an answer replaces.
const (
	nonceMark   = "__NONCE__"
	baseMark    = "__BASE__"
	versionMark = "__VERSION__"
	sessionMark = "__SESSION__"
)

// place fills in what is the same in all answers: where the app and its files are.
func (a *App) place(text string) string {
	text = strings.NewReplacer(`"./`, `"`+html.EscapeString(a.prefix())).Replace(text)
	return strings.NewReplacer(baseMark, html.EscapeString(a.base), versionMark, a.version).Replace(text)
}

func (a *App) prefix() string { return a.base + "/app/" + a.version + "/" }

// Handlers maps patterns below the base path to what answers GET there.
func (a *App) Handlers() map[string]http.Handler {
	handlers := map[string]http.Handler{
		"/app/{version}/{file...}": http.HandlerFunc(a.serveFile),
		"/app/version":             http.HandlerFunc(a.serveVersion),
	}
	for _, pattern := range pages {
		handlers[pattern] = http.HandlerFunc(a.servePage)
	}
	return handlers
}

// servePage answers index.html. Style elements are allowed by a nonce that is new in every answer, since
// the components write some; scripts come from files only.
func (a *App) servePage(w http.ResponseWriter, r *http.Request) {
	var random [16]byte
	_, _ = rand.Read(random[:])
	nonce := base64.RawURLEncoding.EncodeToString(random[:])
	h := w.Header()
	protect(h)
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-"+nonce+"'; "+
		"connect-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; font-src 'self'; manifest-src 'self'; worker-src 'self'; "+
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "text/html; charset=utf-8")
	if r.Method == http.MethodHead {
		return
	}
	page := a.page[0]
	if hasSessionCookie(r) {
		page = a.page[1]
	}
	_, _ = w.Write([]byte(strings.Join(page, nonce)))
}

// hasSessionCookie reports whether the browser has a cookie of a session, valid or not. Without one the page need
// not ask who is signed in, and be told 401.
func hasSessionCookie(r *http.Request) bool {
	for _, cookie := range r.Cookies() {
		if cookie.Name == "recado" || cookie.Name == "__Host-recado" || cookie.Name == "__Secure-recado" {
			return true
		}
	}
	return false
}

// serveFile serves a file of this version, which browsers may keep without a limit. A file of another version gets
// 404.
func (a *App) serveFile(w http.ResponseWriter, r *http.Request) {
	f := a.files[path.Clean(r.PathValue("file"))]
	if f == nil || r.PathValue("version") != a.version {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		http.NotFound(w, r)
		return
	}
	protect(w.Header())
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	f.serve(w, r)
}

// serveVersion tells an open page whether it is the current one.
func (a *App) serveVersion(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(a.version))
}

func protect(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY") // for browsers that do not know frame-ancestors
	h.Set("Referrer-Policy", "no-referrer")
}
