// Package media detects file types, sanitizes file names, reads dimensions and durations from headers, and converts
// voice recordings of browsers to the format of WhatsApp. It treats every file as untrusted.
package media

import (
	"bytes"
	"encoding/binary"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gabriel-vasile/mimetype"
)

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

// Bytes is how many bytes from the start of a file Detect needs.
const Bytes = 8 << 10

// Detect returns the type of a file from its first Bytes bytes and reports whether that type may be sent.
// The name matters only where the bytes are ambiguous and safety does not depend on it. If ok is false, the
// type is a guess for the log and the kind is document: such a file may only be downloaded.
func Detect(head []byte, fileName string) (mimeType string, kind Kind, ok bool) {
	mimeType = detectType(head, strings.ToLower(path.Ext(fileName)))
	t, ok := types[mimeType]
	if !ok {
		return mimeType, Document, false
	}
	return mimeType, t.kind, true
}

// detectType corrects the library where it accepts too much.
func detectType(head []byte, ending string) string {
	if len(head) == 0 {
		return typeUnknown
	}
	found, _, _ := strings.Cut(mimetype.Detect(head).String(), ";")
	switch found {
	case typeUnknown:
		if hasID3Tag(head) {
			return "audio/mpeg"
		}
	case "image/apng":
		return "image/png"
	case "application/zip":
		return officeType(head)
	case "application/x-ole-storage":
		return oldOfficeType(ending)
	case "application/pdf":
		// The library finds the signature anywhere in the first KiB, even after a script.
		if !bytes.HasPrefix(bytes.TrimLeft(head, "\xef\xbb\xbf\r\n\t "), []byte("%PDF-")) {
			return typeUnknown
		}
	case "audio/mpeg":
		// The library finds a frame anywhere.
		if !bytes.HasPrefix(head, []byte("ID3")) && !(head[0] == 0xff && head[1]&0xe0 == 0xe0) {
			return typeUnknown
		}
	case "audio/ogg":
		if !bytes.HasPrefix(head[28:], []byte("OpusHead")) {
			return "application/ogg" // other codecs are not delivered
		}
	case "video/mp4", "audio/mp4", "audio/x-m4a", "video/x-m4v":
		return mp4Type(head, ending)
	case typePlain, "text/csv", "text/tab-separated-values":
		return textType(head, found, ending)
	}
	return found
}

// hasID3Tag reports whether a file starts with the tag of an MP3 file. A tag with a picture can be longer than
// Bytes, so that no frame is visible.
func hasID3Tag(head []byte) bool {
	return len(head) >= 10 && bytes.HasPrefix(head, []byte("ID3")) && head[3] >= 2 && head[3] <= 4 &&
		(head[6]|head[7]|head[8]|head[9])&0x80 == 0
}

// officeType distinguishes modern Office formats by the names in the archive, further than the library looks.
func officeType(head []byte) string {
	for first := true; ; first = false {
		name, rest, ok := nextZipName(head)
		switch {
		case !ok:
			return "application/zip"
		case strings.HasPrefix(name, "word/"):
			return typeDocx
		case strings.HasPrefix(name, "xl/"):
			return typeXlsx
		case strings.HasPrefix(name, "ppt/"):
			return typePptx
		case first && name != "[Content_Types].xml" && !strings.HasPrefix(name, "_rels/") &&
			!strings.HasPrefix(name, "docProps/") && !strings.HasPrefix(name, "customXml/"):
			return "application/zip"
		}
		head = rest
	}
}

// nextZipName finds the next local file header: 30 bytes, including the length of the name that follows.
func nextZipName(b []byte) (name string, rest []byte, ok bool) {
	at := bytes.Index(b, []byte("PK\x03\x04"))
	if at < 0 || len(b) < at+30 {
		return "", nil, false
	}
	end := at + 30 + int(binary.LittleEndian.Uint16(b[at+26:]))
	if end > len(b) {
		return "", nil, false
	}
	return string(b[at+30 : end]), b[end:], true
}

// oldOfficeType uses the name, because the old Office formats share one container whose content may be anywhere.
func oldOfficeType(ending string) string {
	for _, t := range []string{"application/msword", typeExcel, typePowerPoint} {
		if slices.Contains(types[t].endings, ending) {
			return t
		}
	}
	return "application/x-ole-storage"
}

// mp4Type distinguishes audio and video by the tracks or, if they are at the end of the file, by name and brand.
func mp4Type(head []byte, ending string) string {
	sound := false
	for b := head; ; {
		at := bytes.Index(b, []byte("hdlr"))
		if at < 0 || len(b) < at+16 {
			break
		}
		switch string(b[at+12 : at+16]) {
		case "vide":
			return "video/mp4"
		case "soun":
			sound = true
		}
		b = b[at+4:]
	}
	if sound && len(head) < Bytes || ending == ".m4a" || ending == ".m4b" {
		return "audio/mp4"
	}
	switch string(head[8:12]) {
	case "M4A ", "M4B ", "M4P ", "F4A ":
		return "audio/mp4"
	}
	return "video/mp4"
}

// textType accepts plain text only if it does not start like markup and its name is not that of a script or
// another loadable file. The library takes sentences with commas for a table; in a text file they are text.
func textType(head []byte, found, ending string) string {
	if !isText(head) {
		return typeUnknown
	}
	start := bytes.TrimLeft(head, "\xef\xbb\xbf\r\n\t\f ")
	if len(start) > 1 && start[0] == '<' && (start[1] == '!' || start[1] == '?' || isLetter(start[1])) {
		return "text/html"
	}
	if slices.Contains(types[typePlain].endings, ending) {
		return typePlain
	}
	if found == typePlain && looksLikeEnding(ending) {
		return typeUnknown
	}
	return found
}

// isText accepts UTF-8 and the single-byte encodings of old Windows programs. UTF-16 could hide markup.
func isText(head []byte) bool {
	if bytes.HasPrefix(head, []byte{0xff, 0xfe}) || bytes.HasPrefix(head, []byte{0xfe, 0xff}) {
		return false
	}
	high := 0
	for _, c := range head {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != 0x1b || c == 0x7f {
			return false
		}
		if c >= utf8.RuneSelf {
			high++
		}
	}
	whole := head
	for i := 1; i < utf8.UTFMax && i <= len(head); i++ { // the last character may be incomplete
		if c := head[len(head)-i]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf {
				whole = head[:len(head)-i]
			}
			break
		}
	}
	return utf8.Valid(whole) || high*3 < len(head)
}

// looksLikeEnding distinguishes ".bat" from the end of "Price list v1.2" or "Letter to Mr. Silva Santos".
func looksLikeEnding(ending string) bool {
	if len(ending) < 2 || len(ending) > 12 {
		return false
	}
	letters := 0
	for _, c := range []byte(ending[1:]) {
		if isLetter(c) {
			letters++
		} else if (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return letters > 0
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

const maxFileNameBytes = 255

// SafeName returns a name that can be shown, stored and downloaded: the last part of a path, without control or
// invisible characters, direction marks, or characters that file systems forbid. If the ending does not match the
// type, the usual one is added. An empty name is derived from the type.
func SafeName(name, mimeType string) string {
	t, known := types[mimeType]
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
	name = name[strings.LastIndexAny(name, `/\`)+1:]
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
	return strings.Trim(name, " .") // a leading dot hides a file, Windows drops a trailing one
}

// reservedName reports whether Windows treats a name as a device, with any ending.
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
