package api

import (
	"context"
	"crypto/sha256"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"recado/internal/desk"
	"recado/internal/input"
	"recado/internal/model"
)

// How long the largest file may take in either direction: longer than any other request, and still an end.
const (
	uploadTime   = 10 * time.Minute
	downloadTime = 10 * time.Minute
)

// uploadMedia reads the form part by part: the file is stored as it arrives.
func (s *Server) uploadMedia(ctx context.Context, a *desk.Principal, _ *none) (*reply[model.Media], error) {
	name, file, err := callFrom(ctx).openUpload()
	if err != nil {
		return nil, err
	}
	media, err := s.desk.UploadMedia(ctx, a, name, file)
	return &reply[model.Media]{media}, err
}

// openUpload begins to read the form of an upload, and gives it the time that the largest file may take.
func (c *call) openUpload() (name string, file io.Reader, err error) {
	form, err := input.NewForm(c.request)
	if err != nil {
		return "", nil, err
	}
	control, end := http.NewResponseController(c.writer), time.Now().Add(uploadTime)
	_, _ = control.SetReadDeadline(end), control.SetWriteDeadline(end.Add(time.Minute))
	if name, err = form.File(); err != nil {
		return "", nil, err
	}
	if c.request.Header[headerIdempotencyKey] == nil {
		return name, form, nil
	}
	c.file = sha256.New()
	_, _ = io.WriteString(c.file, name+"\n")
	return name, io.TeeReader(io.LimitReader(form, model.MaxMedia+1), c.file), nil
}

// mediaLink is where a file can be fetched for a while.
type mediaLink struct {
	URL       string    `json:"url" format:"uri" doc:"Needs no key and supports range requests."`
	ExpiresAt time.Time `json:"expires_at"`
}

func (s *Server) linkMedia(ctx context.Context, a *desk.Principal, in *AtID) (*reply[mediaLink], error) {
	id, err := pathID(in.ID, "file")
	if err != nil {
		return nil, err
	}
	link, err := s.desk.LinkMedia(ctx, a, id)
	if err != nil {
		return nil, err
	}
	query := url.Values{"expires": {strconv.FormatInt(link.ExpiresAt.Unix(), 10)}, "signature": {link.Signature}}
	return &reply[mediaLink]{mediaLink{URL: s.public + "/media/" + id.String() + "?" + query.Encode(), ExpiresAt: link.ExpiresAt}}, nil
}

// serveMedia answers a signed link. No file runs in a browser: its content type is the one detected from its bytes,
// the browser may not guess another, and what is no image, audio or video is saved, not shown.
func (s *Server) serveMedia(w http.ResponseWriter, r *http.Request) {
	fail := func(err error) { s.writeError(w, callFrom(r.Context()).requestID, err) }
	id, err := pathID(r.PathValue("id"), "file")
	if err != nil {
		fail(err)
		return
	}
	query := r.URL.Query()
	media, file, err := s.desk.System().OpenMedia(r.Context(), id, query.Get("expires"), query.Get("signature"))
	if err != nil {
		fail(err)
		return
	}
	defer func() { _ = file.Close() }()
	w.Header().Set("Cache-Control", "private, max-age=600")
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	serveFile(w, r, media, file)
}

// serveFile sends a file, or a range of it, so that no browser runs anything in it.
func serveFile(w http.ResponseWriter, r *http.Request, media model.Media, file io.ReadSeeker) {
	h := w.Header()
	h.Set("Content-Type", media.MimeType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("ETag", `"`+media.SHA256+`"`)
	h.Set("Content-Disposition", disposition(media))
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(downloadTime))
	http.ServeContent(w, r, "", media.CreatedAt, file)
}

// mediaContent answers with the bytes of a file. They never change.
func (s *Server) mediaContent(ctx context.Context, a *desk.Principal, in *AtID) (*streamReply, error) {
	id, err := pathID(in.ID, "file")
	if err != nil {
		return nil, err
	}
	media, file, err := s.desk.MediaContent(ctx, a, id)
	if err != nil {
		return nil, err
	}
	return &streamReply{Body: func(ctx huma.Context) {
		defer func() { _ = file.Close() }()
		r, w := humago.Unwrap(ctx)
		w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
		serveFile(w, r, media, file)
	}}, nil
}

// disposition names the file in ASCII for old clients and in full for the others.
func disposition(m model.Media) string {
	kind := "attachment"
	if m.Kind.Inline() {
		kind = "inline"
	}
	ascii := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return '_'
		}
		return r
	}, m.FileName)
	return kind + `; filename="` + ascii + `"; filename*=UTF-8''` + strings.ReplaceAll(url.QueryEscape(m.FileName), "+", "%20")
}

// describeUpload documents the one operation whose body is no JSON.
func describeUpload(op map[string]any) {
	op["requestBody"] = map[string]any{
		"required": true,
		"content": map[string]any{"multipart/form-data": map[string]any{"schema": map[string]any{
			"type": "object", "required": []string{"file"}, "additionalProperties": false,
			"properties": map[string]any{"file": map[string]any{"type": "string", "format": "binary"}},
		}}},
	}
}

type listFilesInput struct {
	AtID
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
	Cursor string `query:"cursor" maxLength:"400" doc:"The next_cursor of the previous page."`
}

func (s *Server) listFiles(ctx context.Context, a *desk.Principal, in *listFilesInput) (*reply[cursorList[model.File]], error) {
	id, err := pathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	page, next, err := s.desk.Files(ctx, a, id, in.Limit, in.Cursor)
	return cursorPage(page, next), err
}
