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

// How long Meta keeps things.
const (
	uploadLife  = 30 * 24 * time.Hour
	inboundLife = 7 * 24 * time.Hour
	addressLife = 5 * time.Minute
)

// file is a file at Meta, uploaded by the business or sent by a customer.
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

func (s *Simulator) keep(numberID, mimeType, name string, content []byte, life time.Duration) *file {
	f := &file{
		id: strconv.FormatUint(800000000000000+s.nextID(), 10), number: numberID,
		mimeType: mimeType, name: name, bytes: content, expires: s.now().Add(life),
	}
	s.files[f.id] = f
	return f
}

// File returns the bytes and the type of a file that was uploaded.
func (s *Simulator) File(mediaID string) (content []byte, mimeType string, found bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.files[mediaID]
	if f == nil {
		return nil, "", false
	}
	return bytes.Clone(f.bytes), f.mimeType, true
}

func (s *Simulator) upload(w http.ResponseWriter, r *request) func() {
	form, err := r.MultipartReader()
	if err != nil {
		refusal(100, "not multipart/form-data").write(w)
		return nil
	}
	fields, content, name, partType := map[string]string{}, []byte(nil), "", ""
	for {
		part, err := form.NextPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			refusal(100, "the form is broken").write(w)
			return nil
		}
		value, err := io.ReadAll(part)
		if err != nil {
			refusal(100, "the form is broken").write(w)
			return nil
		}
		if part.FormName() == "file" {
			content, name, partType = value, part.FileName(), part.Header.Get("Content-Type")
		} else {
			fields[part.FormName()] = string(value)
		}
	}
	// Some clients put the product into the query and leave the type to the file's own part.
	fields["messaging_product"] = cmp.Or(fields["messaging_product"], r.URL.Query().Get("messaging_product"))
	fields["type"] = cmp.Or(fields["type"], r.URL.Query().Get("type"), partType)
	declared, _, err := mime.ParseMediaType(fields["type"])
	part, _, partErr := mime.ParseMediaType(partType)
	switch {
	case fields["messaging_product"] != "whatsapp":
		refusal(100, "messaging_product is required").write(w)
	case len(content) == 0 || err != nil || partErr != nil:
		refusal(100, "file and type are required").write(w)
	case declared != part:
		refusal(131053, "type is "+declared+", the file "+part).write(w)
	case len(content) > 100<<20:
		refusal(131053, "larger than 100 MB").write(w)
	default:
		s.mu.Lock()
		id := s.keep(r.path[0], fields["type"], name, content, uploadLife).id
		s.mu.Unlock()
		answer(w, 200, map[string]any{"id": id})
	}
	return nil
}

func (s *Simulator) lookup(w http.ResponseWriter, r *request) func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.files[r.path[0]]
	number := r.URL.Query().Get("phone_number_id")
	if !s.now().Before(f.expires) || number != "" && number != f.number {
		s.unknownObject(w, f.id)
		return nil
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
	answer(w, 200, map[string]any{
		"messaging_product": "whatsapp", "id": f.id, "mime_type": f.mimeType, "sha256": hash, "file_size": size,
		"url": s.fileAddress("http://"+r.Host, f),
	})
	return nil
}

// fileAddress is good for five minutes; until when, it says itself.
func (s *Simulator) fileAddress(origin string, f *file) string {
	until := strconv.FormatInt(s.now().Add(addressLife).Unix(), 10)
	return origin + "/whatsapp_business/attachments/?mid=" + f.id + "&ext=" + until + "&hash=simulated"
}

func (s *Simulator) download(w http.ResponseWriter, r *request) func() {
	query := r.URL.Query()
	until, err := strconv.ParseInt(query.Get("ext"), 10, 64)
	s.mu.Lock()
	f, now := s.files[query.Get("mid")], s.now()
	s.mu.Unlock()
	if f == nil || err != nil || now.Unix() >= until || !now.Before(f.expires) {
		w.WriteHeader(http.StatusNotFound)
		return nil
	}
	w.Header().Set("Content-Type", f.mimeType)
	http.ServeContent(w, r.Request, "", time.Time{}, bytes.NewReader(f.bytes))
	return nil
}

func (s *Simulator) deleteFile(w http.ResponseWriter, r *request) func() {
	s.mu.Lock()
	delete(s.files, r.path[0])
	s.mu.Unlock()
	success(w)
	return nil
}
