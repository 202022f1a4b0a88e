package httpserver

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// pages lists the paths of the app's page. Routing happens in the browser.
var pages = []string{"/{$}", "/inbox", "/inbox/", "/contacts", "/contacts/", "/boards", "/boards/", "/now", "/report", "/report/", "/settings", "/settings/"}

// App serves the browser app below a base path.
type App struct {
	base    string
	version string
	files   map[string]*file
	worker  *file       // the service worker; nil: none
	page    [2][]string // index.html without and with a session, split at the nonce
}

// NewApp reads the files of the app. Its version is a hash of their names and contents.
func NewApp(files fs.FS, base string) (*App, error) {
	contents, sum := map[string][]byte{}, sha256.New()
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, name)
		contents[name] = content
		fmt.Fprintf(sum, "%s\x00%d\x00%s", name, len(content), content)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading the app: %w", err)
	}
	a := &App{base: base, version: hex.EncodeToString(sum.Sum(nil))[:16], files: map[string]*file{}}
	for name, content := range contents {
		switch name {
		case "index.html":
			for i, session := range []string{"no", "yes"} {
				a.page[i] = strings.Split(strings.ReplaceAll(a.place(string(content)), sessionMark, session), nonceMark)
			}
		case "manifest.webmanifest", "manifest-en.webmanifest", "manifest-es.webmanifest": // one in each language
			a.files[name] = newFile(name, []byte(a.place(string(content))))
		case workerName:
			a.worker = newFile(name, []byte(a.place(string(content))))
		default:
			a.files[name] = newFile(name, content)
		}
	}
	if len(a.page[0]) < 2 {
		return nil, fmt.Errorf("reading the app: index.html does not exist or has no %s", nonceMark)
	}
	return a, nil
}

// workerName is the name of the service worker. It is served below the base path and not with the other files, because a worker
// controls only pages below its own address, and because that address must stay the same in all versions.
const workerName = "sw.js"

// Placeholders in index.html, the manifest and the service worker.
const (
	nonceMark   = "__NONCE__"
	baseMark    = "__BASE__"
	versionMark = "__VERSION__"
	sessionMark = "__SESSION__"
)

// place replaces the placeholders that are the same in all responses.
func (a *App) place(text string) string {
	base := html.EscapeString(a.base)
	return strings.NewReplacer(`"./`, `"`+base+"/app/"+a.version+"/", baseMark, base, versionMark, a.version).Replace(text)
}

// Handlers returns the handlers of GET requests by pattern below the base path.
func (a *App) Handlers() map[string]http.Handler {
	handlers := map[string]http.Handler{
		"/app/{version}/{file...}": http.HandlerFunc(a.serveFile),
		"/app/version":             http.HandlerFunc(a.serveVersion),
	}
	if a.worker != nil {
		handlers["/"+workerName] = http.HandlerFunc(a.serveWorker)
	}
	for _, pattern := range pages {
		handlers[pattern] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { a.servePage(w, r, http.StatusOK) })
	}
	return handlers
}

// NotFound serves index.html with status 404. The app shows that the address does not exist.
func (a *App) NotFound(w http.ResponseWriter, r *http.Request) {
	a.servePage(w, r, http.StatusNotFound)
}

// servePage serves index.html. The policy allows style elements with a nonce that is new in every response, because the
// components create some. Scripts come from files only.
func (a *App) servePage(w http.ResponseWriter, r *http.Request, status int) {
	nonce := rand.Text()
	h := w.Header()
	protectPage(h, "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-"+nonce+"'; connect-src 'self'; "+
		"img-src 'self' blob: data:; media-src 'self' blob:; font-src 'self'; manifest-src 'self'; worker-src 'self'")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	if r.Method == http.MethodHead {
		return
	}
	page := a.page[0]
	if hasSessionCookie(r) {
		page = a.page[1]
	}
	_, _ = w.Write([]byte(strings.Join(page, nonce)))
}

// hasSessionCookie reports whether the browser has a session cookie, valid or not. Without one, the page does not have to
// ask the server who is signed in.
func hasSessionCookie(r *http.Request) bool {
	return slices.ContainsFunc(r.Cookies(), func(c *http.Cookie) bool {
		return c.Name == CookiePlain || c.Name == CookieHost || c.Name == CookieSecure
	})
}

// serveFile serves a file of this version, which browsers may cache forever.
func (a *App) serveFile(w http.ResponseWriter, r *http.Request) {
	f := a.files[path.Clean(r.PathValue("file"))]
	if f == nil || r.PathValue("version") != a.version {
		w.Header().Set("Cache-Control", "no-store")
		http.NotFound(w, r)
		return
	}
	protect(w.Header())
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	f.serve(w, r)
}

// serveWorker serves the service worker, which browsers must not cache: they compare it with the installed one. Its policy lets
// it fetch from this server only; the icons of its notifications are part of it.
func (a *App) serveWorker(w http.ResponseWriter, r *http.Request) {
	protectPage(w.Header(), "default-src 'none'; script-src 'self'; connect-src 'self'; img-src data:")
	w.Header().Set("Cache-Control", "no-cache")
	a.worker.serve(w, r)
}

// serveVersion lets open pages check whether they are current.
func (a *App) serveVersion(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(a.version))
}

func protect(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY") // for browsers without frame-ancestors
	h.Set("Referrer-Policy", "no-referrer")
}

// file is a file of the app. It is compressed on first use, once for each encoding.
type file struct {
	mime  string
	plain []byte
	gzip  func() []byte // returns nil if compression does not help
	zstd  func() []byte
}

// types contains the types of the files of the build. The table of the system differs between machines.
var types = map[string]string{
	".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".json": "application/json",
	".woff2": "font/woff2", ".png": "image/png", ".webmanifest": "application/manifest+json", ".txt": "text/plain; charset=utf-8",
}

func newFile(name string, content []byte) *file {
	f := &file{mime: types[path.Ext(name)], plain: content}
	if f.mime == "" {
		f.mime = mime.TypeByExtension(path.Ext(name))
	}
	// encoded returns nil if compression does not help.
	encoded := func(encode func(content []byte) []byte) func() []byte {
		return sync.OnceValue(func() []byte {
			if f.mime != "font/woff2" && f.mime != "image/png" { // already compressed
				if out := encode(content); len(out) < len(content) {
					return out
				}
			}
			return nil
		})
	}
	f.gzip = encoded(func(content []byte) []byte { return gzipped(content, gzip.BestCompression) })
	f.zstd = encoded(func(content []byte) []byte { // cannot fail: the options are valid
		w, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
		return w.EncodeAll(content, nil)
	})
	return f
}

func (f *file) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.mime)
	h.Set("Vary", "Accept-Encoding")
	content, encoding := f.plain, ""
	accepted := r.Header.Get("Accept-Encoding")
	if acceptsEncoding(accepted, "zstd") && f.zstd() != nil {
		content, encoding = f.zstd(), "zstd"
	} else if acceptsEncoding(accepted, "gzip") && f.gzip() != nil {
		content, encoding = f.gzip(), "gzip"
	}
	if encoding == "" {
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
		return
	}
	h.Set("Content-Encoding", encoding)
	h.Set("Content-Length", strconv.Itoa(len(content)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(content)
	}
}
