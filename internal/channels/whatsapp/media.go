package whatsapp

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"

	"recado/internal/channels/provider"
)

// Media describes a file at Meta. The URL is valid for five minutes.
type Media struct {
	ID       string
	URL      string
	MimeType string
	SHA256   string // hex or base64
	Size     int64  // 0: unknown
}

// UploadMedia uploads a file to Meta and returns its id, which is valid for 30 days in messages of this number.
func (c *Client) UploadMedia(ctx context.Context, m provider.OutgoingMedia) (string, error) {
	file, err := m.Open()
	if err != nil {
		return "", refuse("media_unavailable", "The file of the message could not be read.", err)
	}
	defer file.Close()

	if m.MimeType == "audio/ogg" {
		m.MimeType = "audio/ogg; codecs=opus" // the only codec that WhatsApp accepts in Ogg
	}
	var head bytes.Buffer
	form := multipart.NewWriter(&head)
	_ = form.WriteField("messaging_product", "whatsapp") // writing to a buffer does not fail
	_ = form.WriteField("type", m.MimeType)
	_, _ = form.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="file"; filename="` + quotable(m.FileName) + `"`},
		"Content-Type":        {m.MimeType},
	})
	tail := "\r\n--" + form.Boundary() + "--\r\n"
	request := call{
		method: http.MethodPost, path: []string{c.PhoneNumberID, "media"}, kind: form.FormDataContentType(), length: -1,
	}
	if m.Size > 0 {
		request.length = int64(head.Len()) + m.Size + int64(len(tail))
	}
	request.body = io.MultiReader(&head, file, strings.NewReader(tail))

	ctx, cancel := context.WithTimeout(ctx, uploadTimeout)
	defer cancel()
	var result struct {
		ID text `json:"id"`
	}
	if err := c.do(ctx, request, &result); err != nil {
		return "", err
	}
	if result.ID == "" {
		return "", unreadable(nil, false)
	}
	return string(result.ID), nil
}

// quotable returns a file name that is safe in a quoted header value.
func quotable(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '"' || r == '\\' {
			return '_'
		}
		return r
	}, clip(cmp.Or(name, "file"), 240))
}

// MediaURL returns a file with its URL, which is valid for five minutes.
func (c *Client) MediaURL(ctx context.Context, mediaID string) (Media, error) {
	var result struct {
		ID       text   `json:"id"`
		URL      text   `json:"url"`
		MimeType text   `json:"mime_type"`
		SHA256   text   `json:"sha256"`
		Size     number `json:"file_size"`
	}
	err := c.callJSON(ctx, call{
		method: http.MethodGet, path: []string{mediaID}, query: url.Values{"phone_number_id": {c.PhoneNumberID}},
	}, nil, &result)
	if e, ok := errors.AsType[*provider.SendError](err); ok && (e.ProviderCode == 100 || e.ProviderCode == 803) {
		e.Code, e.Message = "media_unavailable", "WhatsApp no longer has the file."
	}
	return Media{
		ID: string(result.ID), URL: string(result.URL), MimeType: string(result.MimeType),
		SHA256: string(result.SHA256), Size: int64(result.Size),
	}, err
}

// DownloadMedia copies a file to w and returns its length. It rejects files larger than limit and files with a wrong hash.
// After an error the caller must discard what was written to w. The token is sent only to the configured API and to Meta's
// media host.
func (c *Client) DownloadMedia(ctx context.Context, m Media, limit int64, w io.Writer) (int64, error) {
	if m.Size > limit {
		return 0, tooLarge()
	}
	address, err := c.mediaAddress(m.URL)
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, uploadTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, refuse("media_unavailable", "The address of the file is not usable.", err)
	}
	c.sign(req)
	resp, err := c.transport().Do(req)
	if err != nil {
		return 0, noResponse(err, false)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return 0, refusedDownload(resp)
	}
	if resp.ContentLength > limit {
		return 0, tooLarge()
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, sum), io.LimitReader(resp.Body, limit+1))
	switch {
	case err != nil:
		return n, noResponse(err, false)
	case n > limit:
		return n, tooLarge()
	case m.Size > 0 && n != m.Size, !sameHash(m.SHA256, sum.Sum(nil)):
		return n, &provider.SendError{Code: "media_corrupt", Message: "The file did not arrive intact.", Retry: true}
	}
	return n, nil
}

// FetchMedia downloads the file of a message. It requests a URL if the callback had none or if it has expired.
func (c *Client) FetchMedia(ctx context.Context, in provider.IncomingMedia, limit int64, w io.Writer) (Media, error) {
	m := Media{ID: in.ProviderID, URL: in.URL, MimeType: in.MimeType, SHA256: in.SHA256}
	if m.URL != "" {
		n, err := c.DownloadMedia(ctx, m, limit, w)
		if err == nil || n > 0 || in.ProviderID == "" {
			m.Size = n
			return m, err
		}
	}
	found, err := c.MediaURL(ctx, in.ProviderID)
	if err != nil {
		return m, err
	}
	m.URL, m.Size = found.URL, found.Size
	m.SHA256, m.MimeType = cmp.Or(m.SHA256, found.SHA256), cmp.Or(m.MimeType, found.MimeType)
	m.Size, err = c.DownloadMedia(ctx, m, limit, w)
	return m, err
}

// mediaHost is the host of files at Meta.
const mediaHost = "lookaside.fbsbx.com"

func (c *Client) mediaAddress(address string) (string, error) {
	base, err := c.base()
	if err != nil {
		return "", err
	}
	u, err := url.Parse(address)
	if err != nil || u.User != nil ||
		!(u.Scheme == "https" && u.Host == mediaHost || u.Scheme == base.Scheme && u.Host == base.Host) {
		return "", refuse("media_unavailable", "The address of the file is not one of Meta's.", err)
	}
	u.Fragment = ""
	return u.String(), nil
}

func refusedDownload(resp *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if e := judgeResponse(resp, body, false); e != nil && (e.ProviderCode != 0 || e.Retry) {
		return e
	}
	return &provider.SendError{
		Code: "media_expired", Message: "The address of the file has expired.", Retry: true,
		Cause: errors.New("HTTP " + resp.Status),
	}
}

func tooLarge() error {
	return refuse("media_too_large", "The file is larger than this installation accepts.", nil)
}

// sameHash compares a hash in hex or in either base64 alphabet. It accepts everything if the hash is missing or in another
// format.
func sameHash(written string, sum []byte) bool {
	want, err := hex.DecodeString(written)
	if err != nil || len(want) != sha256.Size {
		plain := strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(written, "="))
		want, err = base64.RawStdEncoding.DecodeString(plain)
	}
	if err != nil || len(want) != sha256.Size {
		return true
	}
	return subtle.ConstantTimeCompare(want, sum) == 1
}
