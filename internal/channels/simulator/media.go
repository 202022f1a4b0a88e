package simulator

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"io"
	"mime"
	"net/http"
	"strconv"
	"time"
)

// How long Meta keeps files and their download addresses.
const (
	uploadLife  = 30 * 24 * time.Hour
	inboundLife = 7 * 24 * time.Hour
	addressLife = 5 * time.Minute
)

// file is a stored file, uploaded by the business or sent by a customer.
type file struct {
	id       string
	number   string
	mimeType string
	name     string
	bytes    []byte
	expires  time.Time
}

// File is a file that a customer sends.
type File struct {
	Bytes    []byte `json:"bytes"` // base64 in JSON
	MimeType string `json:"mime_type"`
	Name     string `json:"file_name,omitempty"`
	Voice    bool   `json:"voice,omitempty"`
}

func (s *Simulator) store(numberID, mimeType, name string, content []byte, life time.Duration) *file {
	f := &file{
		id: strconv.FormatUint(800000000000000+s.nextID(), 10), number: numberID,
		mimeType: mimeType, name: name, bytes: content, expires: s.now().Add(life),
	}
	s.files[f.id] = f
	return f
}

// File returns the content and the type of a stored file.
func (s *Simulator) File(mediaID string) (content []byte, mimeType string, found bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.files[mediaID]
	if f == nil {
		return nil, "", false
	}
	return bytes.Clone(f.bytes), f.mimeType, true
}

func (s *Simulator) upload(r *request) (any, *graphFailure) {
	form, err := r.MultipartReader()
	if err != nil {
		return nil, refusal(100, "not multipart/form-data")
	}
	fields, content, name, partType := map[string]string{}, []byte(nil), "", ""
	for {
		part, err := form.NextPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, refusal(100, "the form is broken")
		}
		value, err := io.ReadAll(part)
		if err != nil {
			return nil, refusal(100, "the form is broken")
		}
		if part.FormName() == "file" {
			content, name, partType = value, part.FileName(), part.Header.Get("Content-Type")
		} else {
			fields[part.FormName()] = string(value)
		}
	}
	// Some clients send the product in the query and the type only in the header of the file's part.
	fields["messaging_product"] = cmp.Or(fields["messaging_product"], r.URL.Query().Get("messaging_product"))
	fields["type"] = cmp.Or(fields["type"], r.URL.Query().Get("type"), partType)
	declared, _, err := mime.ParseMediaType(fields["type"])
	part, _, partErr := mime.ParseMediaType(partType)
	switch {
	case fields["messaging_product"] != "whatsapp":
		return nil, refusal(100, "messaging_product is required")
	case len(content) == 0 || err != nil || partErr != nil:
		return nil, refusal(100, "file and type are required")
	case declared != part:
		return nil, refusal(131053, "type is "+declared+", the file "+part)
	case len(content) > 100<<20:
		return nil, refusal(131053, "larger than 100 MB")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return map[string]any{"id": s.store(r.path[0], fields["type"], name, content, uploadLife).id}, nil
}

func (s *Simulator) lookup(r *request) (any, *graphFailure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.files[r.path[0]]
	number := r.URL.Query().Get("phone_number_id")
	if !s.now().Before(f.expires) || number != "" && number != f.number {
		return nil, unknownObject(f.id)
	}
	sum := sha256.Sum256(f.bytes)
	hash := hex.EncodeToString(sum[:])
	if s.options.MediaHash == "base64" {
		hash = base64.StdEncoding.EncodeToString(sum[:])
	}
	var size any = len(f.bytes)
	if s.options.MediaSizeText {
		size = strconv.Itoa(len(f.bytes))
	}
	return map[string]any{
		"messaging_product": "whatsapp", "id": f.id, "mime_type": f.mimeType, "sha256": hash, "file_size": size,
		"url": s.fileAddress("http://"+r.Host, f),
	}, nil
}

// fileAddress returns a download address that contains the time it expires.
func (s *Simulator) fileAddress(origin string, f *file) string {
	until := strconv.FormatInt(s.now().Add(addressLife).Unix(), 10)
	return origin + "/whatsapp_business/attachments/?mid=" + f.id + "&ext=" + until + "&hash=simulated"
}

func (s *Simulator) download(r *request) (any, *graphFailure) {
	query := r.URL.Query()
	until, err := strconv.ParseInt(query.Get("ext"), 10, 64)
	s.mu.Lock()
	defer s.mu.Unlock()
	f, now := s.files[query.Get("mid")], s.now()
	if f == nil || err != nil || now.Unix() >= until || !now.Before(f.expires) {
		return nil, &graphFailure{status: http.StatusNotFound}
	}
	return f, nil
}

func (s *Simulator) deleteFile(r *request) (any, *graphFailure) {
	s.mu.Lock()
	delete(s.files, r.path[0])
	s.mu.Unlock()
	return success, nil
}
