package talk

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"recado/internal/httpserver"
	"recado/internal/kernel"
)

// downloadTimeout is longer than the timeout of other requests, for the largest files.
const downloadTimeout = 10 * time.Minute

// mediaLinks is the path of signed links below the base path.
const mediaLinks = "/media/"

// uploadMedia stores the file as it arrives.
func (s *handlers) uploadMedia(ctx context.Context, a *kernel.Principal, _ *httpserver.None) (*httpserver.Reply[Media], error) {
	name, file, err := httpserver.OpenUpload(ctx)
	if err != nil {
		return nil, err
	}
	media, err := s.verbs.UploadMedia(ctx, a, name, file)
	return &httpserver.Reply[Media]{Body: media}, err
}

type mediaLink struct {
	URL       string    `json:"url" format:"uri" doc:"The link. It requires no key and supports range requests."`
	ExpiresAt time.Time `json:"expires_at"`
}

func (s *handlers) linkMedia(ctx context.Context, a *kernel.Principal, in *httpserver.AtID) (*httpserver.Reply[mediaLink], error) {
	id, err := httpserver.PathID(in.ID, "file")
	if err != nil {
		return nil, err
	}
	link, err := s.verbs.LinkMedia(ctx, a, id)
	if err != nil {
		return nil, err
	}
	query := url.Values{
		"company": {a.Company.ID.String()}, "expires": {strconv.FormatInt(link.ExpiresAt.Unix(), 10)}, "signature": {link.Signature},
	}
	address := httpserver.PublicURL(ctx) + mediaLinks + id.String() + "?" + query.Encode()
	return &httpserver.Reply[mediaLink]{Body: mediaLink{URL: address, ExpiresAt: link.ExpiresAt}}, nil
}

// serveMedia serves the file of a signed link.
func (s *handlers) serveMedia(w http.ResponseWriter, r *http.Request) {
	id, err := httpserver.PathID(r.PathValue("id"), "file")
	if err != nil {
		httpserver.WriteError(w, r, err)
		return
	}
	query := r.URL.Query()
	company, _ := kernel.ParseID(query.Get("company"))
	media, file, err := s.verbs.OpenMedia(r.Context(), company, id, query.Get("expires"), query.Get("signature"))
	if err != nil {
		httpserver.WriteError(w, r, err)
		return
	}
	defer func() { _ = file.Close() }()
	w.Header().Set("Cache-Control", "private, max-age=600")
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	serveFile(w, r, media, file)
}

// serveFile sends a file or a range of it. No browser runs anything in the file: its content type was detected from its bytes,
// the browser must not guess another, and only images, audio and video are shown.
func serveFile(w http.ResponseWriter, r *http.Request, media Media, file io.ReadSeeker) {
	h := w.Header()
	h.Set("Content-Type", media.MimeType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("ETag", `"`+media.SHA256+`"`)
	h.Set("Content-Disposition", disposition(media))
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(downloadTimeout))
	http.ServeContent(w, r, "", media.CreatedAt, file)
}

// mediaContent sends the bytes of a file, which never change.
func (s *handlers) mediaContent(ctx context.Context, a *kernel.Principal, in *httpserver.AtID) (*httpserver.StreamReply, error) {
	id, err := httpserver.PathID(in.ID, "file")
	if err != nil {
		return nil, err
	}
	media, file, err := s.verbs.MediaContent(ctx, a, id)
	if err != nil {
		return nil, err
	}
	return &httpserver.StreamReply{Body: func(ctx huma.Context) {
		defer func() { _ = file.Close() }()
		r, w := humago.Unwrap(ctx)
		w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
		serveFile(w, r, media, file)
	}}, nil
}

// disposition returns a Content-Disposition with the file name in ASCII for old clients and in full for others.
func disposition(m Media) string {
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

type listFilesInput struct {
	httpserver.AtID
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
	Cursor string `query:"cursor" maxLength:"400" doc:"The next_cursor of the previous page."`
}

func (s *handlers) listFiles(ctx context.Context, a *kernel.Principal, in *listFilesInput) (*httpserver.Reply[httpserver.CursorList[File]], error) {
	id, err := httpserver.PathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	page, next, err := s.verbs.Files(ctx, a, id, in.Limit, in.Cursor)
	return httpserver.CursorPage(page, next), err
}
