package model

import "time"

// Media is a file that was uploaded, or that came with a customer's message.
type Media struct {
	ID        ID        `json:"id" doc:"Give it as media_id to send the file."`
	MimeType  string    `json:"mime_type" doc:"Detected from the bytes of the file." example:"image/png"`
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
