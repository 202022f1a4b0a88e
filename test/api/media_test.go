package api_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/server"
	"recado/internal/talk"
	"recado/test/servertest"
	"recado/test/testkit"
)

var png = append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00"), bytes.Repeat([]byte("pixels"), 5000)...)

func TestFilesAreUploadedSentAndServed(t *testing.T) {
	t.Parallel()
	var dir string
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		inbound := w.A.Post(t, simulatePath(channel), `{"from": "+5511987654321", "name": "Ana", "text": "Bom dia"}`).OK(201)
		path := "/conversations/" + inbound.Text("conversation") + "/messages"

		t.Run("the type of a file is detected from its bytes", func(t *testing.T) {
			m := w.A.Upload(t, "menu.exe", png).OK(201)
			testkit.Equal(t, "mime_type", m.Text("mime_type"), "image/png")
			testkit.Equal(t, "file_name", m.Text("file_name"), "menu.exe.png")
			testkit.Equal(t, "size", m.Int("size"), len(png))
			testkit.Equal(t, "sha256", m.Text("sha256"), fmt.Sprintf("%x", sha256.Sum256(png)))
			w.A.Upload(t, "page.png", []byte("<html><script>alert(1)</script></html>")).Fails(400, "media_type_not_allowed")
			w.A.Upload(t, "empty.txt", nil).Fails(400, "invalid_request")
		})
		t.Run("each kind of file has a size limit", func(t *testing.T) {
			limit := int(talk.MediaImage.Limit())
			w.A.Upload(t, "just.png", append(bytes.Clone(png), make([]byte, limit-len(png))...)).OK(201)
			before := countFiles(t, dir)
			w.A.Upload(t, "over.png", append(bytes.Clone(png), make([]byte, limit-len(png)+1)...)).Fails(413, "media_too_large")
			if after := countFiles(t, dir); after != before {
				t.Fatalf("got %d files after refused uploads, want %d as before", after, before)
			}
		})
		t.Run("bodies that are no form or an invalid form are refused and leave no file", func(t *testing.T) {
			before := countFiles(t, dir)
			w.A.Post(t, "/media", `{}`).Fails(400, "invalid_request")
			w.A.Post(t, "/media", `--b--`, "Content-Type", "multipart/form-data; boundary=b").Fails(400, "invalid_request")
			for _, parts := range [][2]string{{"other", "file"}, {"file", "file"}, {"file", "caption"}} {
				var form bytes.Buffer
				mw := multipart.NewWriter(&form)
				for _, name := range parts {
					part, _ := mw.CreateFormFile(name, "x.png")
					_, _ = part.Write(png)
				}
				_ = mw.Close()
				w.A.Post(t, "/media", form.Bytes(), "Content-Type", mw.FormDataContentType()).Fails(400, "invalid_request")
			}
			if after := countFiles(t, dir); after != before {
				t.Fatalf("got %d files after refused uploads, want %d as before", after, before)
			}
		})
		t.Run("an interrupted upload leaves no file", func(t *testing.T) {
			before := countFiles(t, dir)
			head := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x.png\"\r\n\r\n"
			whole := head + string(png) + "\r\n--b--\r\n"
			for _, body := range []string{
				head, head + string(png), head + string(png) + "\r\n--b", head + string(png) + "\r\n--b\r\n", head + string(png) + "\r\n--b\r\n\r\n",
				head + string(png) + "\r\n--b-", whole + "more", whole + strings.Repeat("\n", 300),
			} {
				w.A.Post(t, "/media", body, "Content-Type", "multipart/form-data; boundary=b").Fails(400, "invalid_request")
			}
			// A connection that ends in the middle gets no successful response, and no file is kept.
			address, _ := url.Parse(w.A.Base())
			for _, cut := range []string{
				"Content-Length: 1000000\r\n\r\n" + head + string(png),
				"Content-Length: 1000000\r\n\r\n" + whole,
				fmt.Sprintf("Content-Length: %d\r\n\r\n", len(whole)+1) + whole,
				"Transfer-Encoding: chunked\r\n\r\n" + fmt.Sprintf("%x\r\n", len(whole)) + whole + "\r\n",
			} {
				conn, err := net.Dial("tcp", address.Host)
				if err != nil {
					t.Fatal(err)
				}
				_, _ = fmt.Fprintf(conn, "POST %s/media HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: multipart/form-data; boundary=b\r\n%s",
					address.Path, w.A.Secret(), cut)
				_ = conn.(*net.TCPConn).CloseWrite()
				if response, _ := io.ReadAll(conn); bytes.HasPrefix(response, []byte("HTTP/1.1 2")) {
					t.Errorf("an interrupted upload with %.60q: got %q, want no success", cut, response)
				}
				_ = conn.Close()
			}
			if after := countFiles(t, dir); after != before {
				t.Fatalf("got %d files after refused uploads, want %d as before", after, before)
			}
		})
		t.Run("a message can have a file, and a caption if its type allows one", func(t *testing.T) {
			media := w.A.Upload(t, "menu.png", png).OK(201)
			m := w.A.Post(t, path, fmt.Sprintf(`{"client_id": %q, "media_id": %q, "text": "Cardápio"}`, kernel.NewID(), media.ID())).OK(201)
			testkit.Equal(t, "type", m.Text("type"), "image")
			testkit.Equal(t, "text", m.Text("text"), "Cardápio")
			testkit.Equal(t, "media.file_name", m.Text("media", "file_name"), "menu.png")
			testkit.Equal(t, "media.size", m.Int("media", "size"), len(png))
			testkit.Equal(t, "media_id", m.Text("media_id"), media.ID())
			testkit.Equal(t, "data.0.media.mime_type", w.A.Get(t, path+"?limit=1").OK(200).Text("data", 0, "media", "mime_type"), "image/png")
			bare := w.A.Post(t, path, fmt.Sprintf(`{"client_id": %q, "media_id": %q}`, kernel.NewID(), media.ID())).OK(201)
			testkit.Equal(t, "text", bare.At("text"), nil)
			sound := w.A.Upload(t, "voice.amr", append([]byte("#!AMR\n"), make([]byte, 512)...)).OK(201)
			w.A.Post(t, path, fmt.Sprintf(`{"client_id": %q, "media_id": %q, "text": "no"}`, kernel.NewID(), sound.ID())).Fails(400, "invalid_request")
			w.A.Post(t, path, fmt.Sprintf(`{"client_id": %q, "media_id": %q}`, kernel.NewID(), sound.ID())).OK(201)
			got := w.A.Post(t, simulatePath(channel), fmt.Sprintf(`{"from": "+5511987654321", "media_id": %q, "text": "look"}`, media.ID())).OK(201)
			testkit.Equal(t, "direction", got.Text("direction"), "inbound")
			testkit.Equal(t, "type", got.Text("type"), "image")
			bs := w.B.Post(t, simulatePath(sandboxOf(t, w.B)), `{"from": "+5511987654321", "text": "hi"}`).OK(201)
			w.B.Post(t, "/conversations/"+bs.Text("conversation")+"/messages", fmt.Sprintf(`{"client_id": %q, "media_id": %q}`, kernel.NewID(), media.ID())).Fails(400, "invalid_request")
		})
		t.Run("a link serves the file without a key, in ranges, until it expires", func(t *testing.T) {
			media := w.A.Upload(t, "férias.png", png).OK(201)
			w.B.Get(t, "/media/"+media.ID()+"/url").Fails(404, "not_found")
			w.A.Get(t, "/media/"+kernel.NewID().String()+"/url").Fails(404, "not_found")
			link := w.A.Get(t, "/media/"+media.ID()+"/url").OK(200)
			expires, err := time.Parse(time.RFC3339, link.Text("expires_at"))
			if left := expires.Sub(w.Clock.Now()); err != nil || left < 9*time.Minute || left > 10*time.Minute {
				t.Fatalf("expires_at: got %s, want a time in 9 to 10 minutes", link.Raw)
			}
			resp, body := fetch(t, link.Text("url"))
			h := resp.Header
			testkit.Equal(t, "status", resp.StatusCode, 200)
			if !bytes.Equal(body, png) {
				t.Fatalf("the link returned %d bytes, want the %d of the file: %v", len(body), len(png), h)
			}
			testkit.Equal(t, "header Content-Type", h.Get("Content-Type"), "image/png")
			testkit.Equal(t, "header X-Content-Type-Options", h.Get("X-Content-Type-Options"), "nosniff")
			if !strings.HasPrefix(h.Get("Content-Security-Policy"), "sandbox") {
				t.Fatalf("Content-Security-Policy: got %q, want the prefix sandbox", h.Get("Content-Security-Policy"))
			}
			if !strings.HasPrefix(h.Get("Content-Disposition"), "inline") {
				t.Fatalf("Content-Disposition: got %q, want the prefix inline", h.Get("Content-Disposition"))
			}
			testkit.Contains(t, "header Content-Disposition", h.Get("Content-Disposition"), "UTF-8''f%C3%A9rias.png")
			if !strings.HasPrefix(h.Get("Cache-Control"), "private") {
				t.Fatalf("Cache-Control: got %q, want the prefix private", h.Get("Cache-Control"))
			}
			resp, body = fetch(t, link.Text("url"), "Range", "bytes=10-19")
			testkit.Equal(t, "status", resp.StatusCode, 206)
			if !bytes.Equal(body, png[10:20]) {
				t.Fatalf("range: got %q, want %q", body, png[10:20])
			}
			testkit.Equal(t, "header Content-Range", resp.Header.Get("Content-Range"), fmt.Sprintf("bytes 10-19/%d", len(png)))
			document := w.A.Upload(t, "note.txt", []byte("a plain note")).OK(201)
			resp, _ = fetch(t, w.A.Get(t, "/media/"+document.ID()+"/url").OK(200).Text("url"))
			if !strings.HasPrefix(resp.Header.Get("Content-Disposition"), "attachment") {
				t.Fatalf("Content-Disposition: got %q, want the prefix attachment", resp.Header.Get("Content-Disposition"))
			}
			for _, altered := range []string{
				strings.Replace(link.Text("url"), media.ID(), document.ID(), 1),
				strings.Replace(link.Text("url"), "expires=", "expires=1", 1),
				strings.Replace(link.Text("url"), "signature=", "signature=A", 1),
				strings.Split(link.Text("url"), "?")[0],
			} {
				if resp, body := fetch(t, altered); resp.StatusCode != 404 || bytes.Contains(body, []byte("pixels")) {
					t.Fatalf("altered link %s: got %d and %d bytes, want 404 without the file", altered, resp.StatusCode, len(body))
				}
			}
			w.Clock.Advance(11 * time.Minute)
			resp, _ = fetch(t, link.Text("url"))
			testkit.Equal(t, "status of an expired link", resp.StatusCode, 404)
		})
		t.Run("files of invisible conversations have no link", func(t *testing.T) {
			private := privateChannel(t, w)
			err := w.Desk.Talk.Receive(context.Background(), w.A.ID, private.ID, []provider.Incoming{{Message: &provider.IncomingMessage{
				ExternalID: "secret-1", Customer: provider.Person{WAID: "5511900007777"}, Type: "image", At: w.Clock.Now(),
				Media: &provider.IncomingMedia{ProviderID: "m-1", MimeType: "image/png"},
			}}})
			if err != nil {
				t.Fatal(err)
			}
			_, own := w.NewMemberKey(t, people.NewUser{Name: "Own", AccessProfile: kernel.AccessOwn})
			media := w.A.Upload(t, "menu.png", png).OK(201)
			own.Get(t, "/media/"+media.ID()+"/url").OK(200)
			w.A.Post(t, path, fmt.Sprintf(`{"client_id": %q, "media_id": %q}`, kernel.NewID(), media.ID())).OK(201)
			own.Get(t, "/media/"+media.ID()+"/url").Fails(404, "not_found")
			w.A.Get(t, "/media/"+media.ID()+"/url").OK(200)
		})
	}, func(c *server.Config) { dir = c.DataDir + "/media" })
}

// fetch requests a link without a key.
func fetch(t *testing.T, link string, headers ...string) (*http.Response, []byte) {
	t.Helper()
	r, err := http.NewRequest("GET", link, nil)
	if err != nil {
		t.Fatal(err)
	}
	return sendRaw(t, r, headers...)
}

// sendRaw sends a request with additional headers and returns the response and its body.
func sendRaw(t *testing.T, r *http.Request, headers ...string) (*http.Response, []byte) {
	t.Helper()
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, body
}

// countFiles counts the files below a folder, including unfinished uploads.
func countFiles(t *testing.T, dir string) int {
	t.Helper()
	n := 0
	err := fs.WalkDir(os.DirFS(dir), ".", func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			n++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
