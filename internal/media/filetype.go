// Package media detects file types, sanitizes file names, reads dimensions and durations from headers, and converts
// voice recordings of browsers to the format of WhatsApp. It treats every file as untrusted.
package media

// Kind is the message type in which a provider sends a file.
type Kind string

// All kinds.
const (
	Image    Kind = "image"
	Sticker  Kind = "sticker"
	Audio    Kind = "audio"
	Video    Kind = "video"
	Document Kind = "document"
)

// types are the types that WhatsApp delivers, with their file name endings, the usual one first.
var types = map[string]struct {
	kind    Kind
	endings []string
}{
	"image/jpeg": {Image, []string{".jpg", ".jpeg", ".jpe", ".jfif"}},
	"image/png":  {Image, []string{".png"}},
	"image/webp": {Sticker, []string{".webp"}},

	"audio/aac":  {Audio, []string{".aac"}},
	"audio/amr":  {Audio, []string{".amr"}},
	"audio/mpeg": {Audio, []string{".mp3", ".mpga"}},
	"audio/mp4":  {Audio, []string{".m4a", ".m4b", ".mp4"}},
	"audio/ogg":  {Audio, []string{".ogg", ".oga", ".opus"}},

	"video/mp4":  {Video, []string{".mp4", ".m4v"}},
	"video/3gpp": {Video, []string{".3gp", ".3gpp"}},

	typePlain:            {Document, []string{".txt", ".text", ".log", ".md"}},
	"application/pdf":    {Document, []string{".pdf"}},
	"application/msword": {Document, []string{".doc"}},
	typeExcel:            {Document, []string{".xls"}},
	typePowerPoint:       {Document, []string{".ppt", ".pps"}},
	typeDocx:             {Document, []string{".docx"}},
	typeXlsx:             {Document, []string{".xlsx"}},
	typePptx:             {Document, []string{".pptx", ".ppsx"}},
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
