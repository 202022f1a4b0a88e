package simulator

import (
	"encoding/json"
	"mime"
	"slices"
	"strings"
	"unicode/utf8"
)

// checkContent checks the object named after the type of the message.
func (s *Simulator) checkContent(n *number, e *envelope) *graphFailure {
	raw, ok := e.content[e.Type]
	if !ok {
		return refusal(131008, e.Type+" is required")
	}
	switch e.Type {
	case "text":
		var t struct {
			Body string `json:"body"`
		}
		if json.Unmarshal(raw, &t) != nil || t.Body == "" {
			return refusal(131008, "text.body is required")
		}
		if utf8.RuneCountInString(t.Body) > 4096 {
			return refusal(131009, "text.body is longer than 4096")
		}
	case "image", "video", "audio", "document", "sticker":
		return s.checkFile(n, e.Type, raw)
	case "template":
		return s.checkTemplate(n, raw)
	case "reaction":
		var r struct {
			MessageID string `json:"message_id"`
		}
		if json.Unmarshal(raw, &r) != nil || !strings.HasPrefix(r.MessageID, "wamid.") || e.Context != nil {
			return refusal(131009, "reaction.message_id is not a message id")
		}
	case "interactive":
		return checkInteractive(raw)
	case "location", "contacts":
		if len(raw) < 3 {
			return refusal(131008, e.Type+" is empty")
		}
	default:
		return refusal(131051, "type "+e.Type)
	}
	return nil
}

// fileLimits lists the file types and the size that each message type allows.
var fileLimits = map[string]struct {
	types []string // nil for any
	bytes int
}{
	"image":    {[]string{"image/jpeg", "image/png"}, 5 << 20},
	"sticker":  {[]string{"image/webp"}, 500 << 10},
	"audio":    {[]string{"audio/aac", "audio/amr", "audio/mpeg", "audio/mp4", "audio/ogg"}, 16 << 20},
	"video":    {[]string{"video/mp4", "video/3gpp"}, 16 << 20},
	"document": {nil, 100 << 20},
}

func (s *Simulator) checkFile(n *number, kind string, raw json.RawMessage) *graphFailure {
	var m struct {
		ID       string  `json:"id"`
		Link     string  `json:"link"`
		Caption  *string `json:"caption"`
		FileName *string `json:"filename"`
		Voice    bool    `json:"voice"`
	}
	if json.Unmarshal(raw, &m) != nil || (m.ID == "") == (m.Link == "") {
		return refusal(131009, "exactly one of id and link is required")
	}
	switch {
	case m.Caption != nil && (kind == "audio" || kind == "sticker"):
		return refusal(131009, kind+" takes no caption")
	case m.Caption != nil && utf8.RuneCountInString(*m.Caption) > 1024:
		return refusal(131009, "caption is longer than 1024")
	case m.FileName != nil && kind != "document":
		return refusal(131009, kind+" takes no filename")
	case m.Link != "":
		return nil
	}
	f := s.files[m.ID]
	if f == nil || f.number != n.ID || !s.now().Before(f.expires) {
		return refusal(100, "Param "+kind+"['id'] is not a valid whatsapp business account media attachment ID")
	}
	plain, _, _ := mime.ParseMediaType(f.mimeType)
	allowed := fileLimits[kind]
	if allowed.types != nil && !slices.Contains(allowed.types, plain) || len(f.bytes) > allowed.bytes {
		return refusal(131053, f.mimeType+" cannot be sent as "+kind)
	}
	if m.Voice && plain != "audio/ogg" {
		return refusal(131009, "voice needs audio/ogg")
	}
	return nil
}
