package model

import (
	"path"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Media is a file that was uploaded, or that came with a customer's message.
type Media struct {
	ID        ID        `json:"id" doc:"Give it as media_id to send the file."`
	MimeType  string    `json:"mime_type" doc:"Told by the file's bytes." example:"image/png"`
	FileName  string    `json:"file_name"`
	Size      int64     `json:"size" doc:"Bytes."`
	SHA256    string    `json:"sha256" doc:"Hexadecimal."`
	CreatedAt time.Time `json:"created_at"`
	MediaShape

	Company  ID              `json:"-"`
	Channel  *ID             `json:"-"` // where it came in; nil for uploads
	Private  bool            `json:"-"`
	Kind     MediaKind       `json:"-"`
	Stored   bool            `json:"-"` // the bytes are here
	Awaited  bool            `json:"-"` // the bytes are still to be fetched from the provider
	Provider MediaAtProvider `json:"-"`

	Unattached bool   `json:"-"` // uploaded, and nothing refers to it yet
	FetchError string `json:"-"` // why the bytes will not be fetched; "" for no reason
}

// MediaShape is how large a picture or film is shown, and how long a sound or film lasts; null where unknown.
type MediaShape struct {
	Width           *int64   `json:"width" doc:"Pixels, as it is shown."`
	Height          *int64   `json:"height" doc:"Pixels, as it is shown."`
	DurationSeconds *float64 `json:"duration_seconds"`
}

// File is a file of a conversation and the message that it came with.
type File struct {
	ID       ID     `json:"id"`
	MimeType string `json:"mime_type"`
	FileName string `json:"file_name"`
	Size     int64  `json:"size"`
	MediaShape
	Message   ID        `json:"message"`
	CreatedAt time.Time `json:"created_at" doc:"When the message was sent or received."`

	Seq int64 `json:"-"` // of the message
}

// MediaAtProvider is what a provider calls a file, since when, and the hash that it announced.
type MediaAtProvider struct {
	ID     string
	At     *time.Time
	SHA256 string // hex or base64, "" where unknown
}

// MediaKind is what a provider sends a file as.
type MediaKind string

// Every kind of media.
const (
	MediaImage    MediaKind = "image"
	MediaSticker  MediaKind = "sticker"
	MediaAudio    MediaKind = "audio"
	MediaVideo    MediaKind = "video"
	MediaDocument MediaKind = "document"
)

// Limit is the largest size of a file of this kind in bytes.
func (k MediaKind) Limit() int64 {
	switch k {
	case MediaImage:
		return MaxImage
	case MediaSticker:
		return MaxSticker
	case MediaAudio, MediaVideo:
		return MaxAudioVideo
	}
	return MaxDocument
}

// Inline reports whether a browser may show the file in place instead of saving it.
func (k MediaKind) Inline() bool { return k != MediaDocument }

// mediaTypes are the types that WhatsApp delivers, with the name endings that suit each, the usual
// one first.
var mediaTypes = map[string]struct {
	kind    MediaKind
	endings []string
}{
	"image/jpeg": {MediaImage, []string{".jpg", ".jpeg", ".jpe", ".jfif"}},
	"image/png":  {MediaImage, []string{".png"}},
	"image/webp": {MediaSticker, []string{".webp"}},

	"audio/aac":  {MediaAudio, []string{".aac"}},
	"audio/amr":  {MediaAudio, []string{".amr"}},
	"audio/mpeg": {MediaAudio, []string{".mp3", ".mpga"}},
	"audio/mp4":  {MediaAudio, []string{".m4a", ".m4b", ".mp4"}},
	"audio/ogg":  {MediaAudio, []string{".ogg", ".oga", ".opus"}},

	"video/mp4":  {MediaVideo, []string{".mp4", ".m4v"}},
	"video/3gpp": {MediaVideo, []string{".3gp", ".3gpp"}},

	typePlain:            {MediaDocument, []string{".txt", ".text", ".log", ".md"}},
	"application/pdf":    {MediaDocument, []string{".pdf"}},
	"application/msword": {MediaDocument, []string{".doc"}},
	typeExcel:            {MediaDocument, []string{".xls"}},
	typePowerPoint:       {MediaDocument, []string{".ppt", ".pps"}},
	typeDocx:             {MediaDocument, []string{".docx"}},
	typeXlsx:             {MediaDocument, []string{".xlsx"}},
	typePptx:             {MediaDocument, []string{".pptx", ".ppsx"}},
}

const (
	typeUnknown    = "application/octet-stream"
	typePlain      = "text/plain"
	typeExcel      = "application/vnd.ms-excel"
	typePowerPoint = "application/vnd.ms-powerpoint"
	typeDocx       = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	typeXlsx       = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	typePptx       = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
)

const maxFileNameBytes = 255

// SafeFileName makes a name that can be shown, stored and saved by a browser: the last part of a
// path, without control or invisible characters, marks that turn the reading direction, or
// characters that a file system forbids. A name whose ending does not suit the type gets the
// usual one, so that nothing opens as what it is not; without a usable name the type gives one.
func SafeFileName(name, mimeType string) string {
	t, known := mediaTypes[mimeType]
	name = cleanName(name)
	if name == "" {
		if !known {
			return "file"
		}
		return string(t.kind) + t.endings[0]
	}
	if reservedName(name) {
		name = "_" + name
	}
	ending := path.Ext(name)
	if known && !slices.Contains(t.endings, strings.ToLower(ending)) {
		ending = t.endings[0]
	} else {
		name = strings.TrimSuffix(name, ending)
	}
	if len(ending) > 32 {
		name, ending = name+ending, ""
	}
	return cut(name, maxFileNameBytes-len(ending)) + ending
}

func cleanName(name string) string {
	name = strings.ToValidUTF8(name, "")
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co):
			return -1
		case strings.ContainsRune(`<>:"|?*`, r):
			return '_'
		case unicode.IsSpace(r):
			return ' '
		}
		return r
	}, name)
	return strings.Trim(name, " .") // a leading dot hides a file, a trailing one vanishes on Windows
}

// reservedName reports a name that Windows takes for a device, whatever its ending.
func reservedName(name string) bool {
	stem, _, _ := strings.Cut(strings.ToUpper(name), ".")
	switch stem = strings.TrimSpace(stem); stem {
	case "CON", "PRN", "AUX", "NUL":
		return true
	}
	return len(stem) == 4 && (strings.HasPrefix(stem, "COM") || strings.HasPrefix(stem, "LPT")) && stem[3] >= '0' && stem[3] <= '9'
}

// cut shortens s to at most n bytes without splitting a character or ending in a dot or space.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.TrimRight(s[:n], " .")
}
