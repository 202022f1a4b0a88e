package imports

import (
	"bufio"
	"bytes"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"recado/internal/fold"
)

// chatReader reads the entries of a chat that WhatsApp exported.
type chatReader struct {
	in    *bufio.Reader
	line  int        // number of the last line that was read
	ahead *chatEntry // begins at the line that was read last
	ended bool
}

// chatEntry is a message of a chat, a notice of WhatsApp, or lines that are neither.
type chatEntry struct {
	line    int // where it begins, from 1
	kind    entryKind
	stamp   stamp
	sender  string
	text    string // of a message with a file: its caption
	file    string // the name of a file; "": none, or it was left out of the export
	omitted string // the kind of a file that was left out of the export: image, video, audio, sticker or document
	long    bool   // the text has more than maxChatText bytes and is cut
}

type entryKind int

const (
	entryMessage entryKind = iota
	entryDeleted           // a message that was deleted
	entryNotice            // of WhatsApp, such as a missed call
	entryGroup             // a notice that only groups have
	entryUnknown           // lines before the first entry
)

// isMessage reports whether the entry becomes a message.
func (e *chatEntry) isMessage() bool { return e.kind == entryMessage || e.kind == entryDeleted }

// hasFile reports whether a file belongs to the message.
func (e *chatEntry) hasFile() bool { return e.file != "" || e.omitted != "" }

// maxChatText is the size of a message. WhatsApp allows 65,536 characters.
const maxChatText = 256 << 10

// newChatReader returns a reader of an exported chat.
func newChatReader(r io.Reader) *chatReader {
	return &chatReader{in: bufio.NewReaderSize(r, 64<<10)}
}

// next returns the next entry, or io.EOF.
func (c *chatReader) next() (chatEntry, error) {
	var e chatEntry
	var lines strings.Builder
	if c.ahead != nil {
		e, c.ahead = *c.ahead, nil
		lines.WriteString(e.text)
	} else if c.ended {
		return e, io.EOF
	} else {
		e.kind, e.line = entryUnknown, c.line+1
	}
	for {
		line, err := c.readLine()
		if err != nil && err != io.EOF {
			return e, err
		}
		if err == io.EOF {
			c.ended = true
			break
		}
		if head, begins := readHead(line); begins {
			head.line = c.line
			c.ahead = &head
			break
		}
		if e.long = e.long || lines.Len()+len(line) > maxChatText; !e.long {
			if lines.Len() > 0 || e.kind != entryUnknown {
				lines.WriteByte('\n')
			} else if strings.TrimSpace(trimMarks(line)) == "" { // blank lines before the first entry
				e.line = c.line + 1
				continue
			}
			lines.WriteString(line)
		}
	}
	e.text = lines.String()
	e.long = e.long || len(e.text) > maxChatText
	if e.kind == entryUnknown {
		if strings.TrimSpace(trimMarks(e.text)) == "" && !e.long {
			return c.next()
		}
		return e, nil
	}
	e.read()
	return e, nil
}

// readLine returns the next line without its end. What does not fit in a message is dropped.
func (c *chatReader) readLine() (string, error) {
	c.line++
	var line []byte
	for {
		part, err := c.in.ReadSlice('\n')
		if len(line) <= maxChatText {
			line = append(line, part...)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if err == io.EOF && len(line) > 0 {
			err = nil
		}
		return string(bytes.TrimRight(line, "\r\n")), err
	}
}

// stamp is the date and time of an entry as written: what its three numbers mean depends on the order of the dates in the file.
type stamp struct {
	date      [3]int
	yearFirst bool // the first number can only be a year
	hour      int
	minute    int
	second    int
	seconds   bool // it has seconds; many exports have none
	capitals  bool // AM or PM, as written in the United States
}

// Between the parts of a date and a time WhatsApp writes spaces of several kinds and invisible marks.
const (
	gap      = `[\s\x{a0}\x{202f}\x{200e}\x{200f}]+`
	maybeGap = `[\s\x{a0}\x{202f}\x{200e}\x{200f}]*`
)

// headForm matches the beginning of an entry: "12/03/2024 14:05 - Ana: Hi", "[12/03/24, 14:05:06] Ana: Hi", and "12/03/17 14:05:06: Ana: Hi" of old iPhones.
var headForm = regexp.MustCompile(`^(\[?)` + maybeGap +
	`(\d{1,4})[./-]` + maybeGap + `(\d{1,2})[./-]` + maybeGap + `(\d{1,4})[.,]{0,2}` + gap + `(?:(?:às|a las|at|,)` + gap + `)?` +
	`(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?(?:` + maybeGap + `([aApP])\.?` + maybeGap + `([mM])\.?)?` + maybeGap +
	`(\]` + maybeGap + `|-` + gap + `|–` + gap + `|:` + gap + `)`)

// marks are invisible characters that WhatsApp adds around its own texts.
const marks = "\u200e\u200f\u202a\u202b\u202c\ufeff"

func trimMarks(s string) string { return strings.TrimLeft(s, marks) }

// readHead parses a line that begins an entry. The text of the entry is what follows the time.
func readHead(line string) (e chatEntry, ok bool) {
	line = trimMarks(line)
	if line == "" || line[0] != '[' && (line[0] < '0' || line[0] > '9') {
		return e, false
	}
	m := headForm.FindStringSubmatch(line)
	if m == nil || (m[1] == "[") != strings.HasPrefix(m[10], "]") {
		return e, false
	}
	s := &e.stamp
	for i, part := range m[2:5] {
		s.date[i], _ = strconv.Atoi(part) // at most four digits
	}
	s.yearFirst = len(m[2]) > 2 || s.date[0] > 31
	if len(m[2]) == 3 || len(m[4]) == 3 || len(m[2]) == 4 && len(m[4]) > 2 {
		return e, false
	}
	s.hour, _ = strconv.Atoi(m[5])
	s.minute, _ = strconv.Atoi(m[6])
	s.second, _ = strconv.Atoi(m[7])
	s.seconds = m[7] != ""
	if half := strings.ToLower(m[8]); half != "" {
		if s.hour < 1 || s.hour > 12 {
			return e, false
		}
		s.hour %= 12
		if half == "p" {
			s.hour += 12
		}
		s.capitals = m[8] != half && m[9] == "M"
	}
	if s.hour > 23 || s.minute > 59 || s.second > 59 {
		return e, false
	}
	e.text = line[len(m[0]):]
	return e, true
}

// The orders of day, month and year.
const (
	orderDMY = "dmy"
	orderMDY = "mdy"
	orderYMD = "ymd"
)

var orders = []string{orderDMY, orderMDY, orderYMD}

// in returns the time that the stamp means in an order of day, month and year. It reports false if there is no such day.
func (s *stamp) in(order string, zone *time.Location) (time.Time, bool) {
	day, month, year := s.date[0], s.date[1], s.date[2]
	switch order {
	case orderMDY:
		day, month = month, day
	case orderYMD:
		day, year = year, day
	}
	if year < 100 {
		year += 2000
	}
	if year < 2009 || month < 1 || month > 12 || day < 1 { // WhatsApp exists since 2009
		return time.Time{}, false
	}
	at := time.Date(year, time.Month(month), day, s.hour, s.minute, s.second, 0, zone)
	if d := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC); d.Day() != day {
		return time.Time{}, false
	}
	return at, true
}

// read divides what follows the time into sender, text and file.
func (e *chatEntry) read() {
	rest := trimMarks(e.text)
	sender, text, hasSender := strings.Cut(rest, ": ")
	if !hasSender {
		first, more, _ := strings.Cut(rest, "\n")
		if sender, hasSender = strings.CutSuffix(first, ":"); hasSender { // an empty text
			text = more
		}
	}
	folded := fold.Text(firstLine(rest))
	if !hasSender || strings.Contains(sender, "\n") || utf8.RuneCountInString(sender) > 100 || noticeForm.MatchString(folded) {
		e.kind, e.text = entryNotice, ""
		if groupForm.MatchString(folded) {
			e.kind = entryGroup
		}
		return
	}
	e.sender = strings.TrimSpace(strings.Trim(strings.TrimSpace(sender), marks+"\u2068\u2069"))
	e.readText(text)
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s[:min(len(s), 300)]
}

// readText recognises the texts that WhatsApp writes instead of a message.
func (e *chatEntry) readText(text string) {
	own := strings.HasPrefix(text, "\u200e") // probably WhatsApp's own text
	text = strings.TrimSpace(trimMarks(text))
	text = strings.TrimSpace(editedForm.ReplaceAllString(text, ""))
	e.text = text
	folded := fold.Text(firstLine(text))
	single := !strings.Contains(text, "\n")
	switch {
	case text == "" || text == "null" || single && missedForm.MatchString(folded) || own && (callForm.MatchString(folded) || noticeForm.MatchString(folded)):
		e.kind, e.text = entryNotice, ""
		return
	case own && groupForm.MatchString(folded):
		e.kind, e.text = entryGroup, ""
		return
	case single && deletedForm.MatchString(folded):
		e.kind, e.text = entryDeleted, ""
		return
	}
	if m := attachedForm.FindStringSubmatchIndex(text); m != nil { // iPhone
		e.file = text[m[2]:m[3]]
		text = text[:m[0]] + text[m[1]:]
	} else if m := androidFileForm.FindStringSubmatchIndex(text); m != nil {
		e.file = text[m[2]:m[3]]
		text = text[m[1]:]
	} else if m := omittedForm.FindStringIndex(text); m != nil { // Android
		e.omitted = "document"
		text = text[m[1]:]
	} else if m := omittedKindForm.FindStringSubmatchIndex(text); m != nil { // iPhone
		e.omitted = omittedKind(fold.Text(text[m[2]:m[3]]))
		text = text[:m[0]]
	}
	e.file = strings.TrimSpace(strings.Trim(e.file, marks))
	e.text = strings.TrimSpace(strings.Trim(strings.TrimSpace(text), marks))
}

func omittedKind(word string) string {
	switch {
	case strings.HasPrefix(word, "imag"):
		return "image"
	case word == "video", word == "gif":
		return "video"
	case word == "audio":
		return "audio"
	case word == "sticker", word == "figurinha":
		return "sticker"
	}
	return "document"
}

// Texts of WhatsApp in Portuguese, English and Spanish. Those for folded text have no accents and no capitals.
var (
	attachedForm    = regexp.MustCompile(`(?i)[\x{200e}\x{200f}]*<(?:attached|anexado|anexo|adjunto|archivo adjunto|arquivo anexado):\s*([^<>\n]{1,255})>`)
	androidFileForm = regexp.MustCompile(`(?i)^[\x{200e}\x{200f}]*([^\n]{1,255}?) \((?:file attached|arquivo anexado|ficheiro anexado|archivo adjunto)\)[\x{200e}\x{200f}]*(?:\n|$)`)
	omittedForm     = regexp.MustCompile(`(?i)^<[^<>\n]{0,80}(?:omitted|omitid[oa]s?|ocult[oa]s?|ocultad[oa]s?)>(?:\n|$)`)
	omittedKindForm = regexp.MustCompile(`(?i)(?:^|\x{200e})(image|imagem|imagen|v[ií]deo|[aá]udio|sticker|figurinha|gif|document|documento|contact card|cart[aã]o d[eo] contato|tarjeta de contacto) (?:omitted|omitid[oa]|ocultad[oa]|ocult[oa])$`)
	editedForm      = regexp.MustCompile(`(?i)\s*[\x{200e}\x{200f}]*<(?:this message was edited|mensagem editada|esta mensagem foi editada|se edit[oó] este mensaje|este mensaje fue editado|mensaje editado)\.?>\s*$`)

	deletedForm = regexp.MustCompile(`^(?:this message was deleted(?: by admin .*)?|you deleted this message(?: as admin)?|mensagem apagada|esta mensagem foi apagada|essa mensagem foi apagada|voce apagou (?:esta|essa) mensagem|(?:esta )?mensagem (?:foi )?eliminada|se elimino este mensaje|eliminaste este mensaje|este mensaje fue eliminado)\.?$`)

	missedForm = regexp.MustCompile(`^(?:missed (?:group )?(?:voice|video) call|(?:chamada|ligacao) de (?:voz|video) perdida|(?:video)?llamada (?:de (?:voz|video) )?perdida)\.?$`)
	callForm   = regexp.MustCompile(`^(?:missed (?:group )?(?:voice|video) call|silenced (?:voice|video) call|(?:voice|video) call|(?:chamada|ligacao) de (?:voz|video)(?: perdida| recusada| silenciada)?|(?:chamada|ligacao) perdida|videochamada(?: perdida)?|` +
		`llamada(?: de voz| de video)?(?: perdida)?|videollamada(?: perdida)?|llamada perdida de (?:voz|video))` +
		`(?:[.,]? \W*(?:\d+ ?(?:s|seg|sec|min|h|hr|hora|hour).*|no answer|answered .*|sem resposta|nao atendida|sin respuesta|tap to .*|toque para .*|toca para .*|pulsa para .*))?\.?$`)

	noticeForm = regexp.MustCompile(`^(?:messages and calls are end-to-end|messages to this chat and calls|messages you send to this chat|as mensagens e (?:as )?(?:ligacoes|chamadas)|as mensagens que voce enviar|as mensagens (?:temporarias|desta conversa)|` +
		`los mensajes y las llamadas|los mensajes que envies|los mensajes temporales|` +
		`your security code with|seu codigo de seguranca|o codigo de seguranca|o seu codigo de seguranca|tu codigo de seguridad|el codigo de seguridad|cambio tu codigo de seguridad|` +
		`this business (?:is|account|uses|works)|this chat is with a|you(?:'re| are) now chatting with|esta (?:conversa|empresa) (?:e|usa|trabalha|agora|esta)\b.*(?:comercial|empresa|meta|whatsapp)|este chat es con|esta empresa (?:usa|trabaja)|` +
		`you blocked this contact|you unblocked this contact|voce bloqueou est[ea] contato|voce bloqueou esse contato|voce desbloqueou|bloqueaste a este contacto|desbloqueaste a|` +
		`.{1,60} (?:turned (?:on|off) disappearing messages|updated the message timer)|waiting for this message\b|aguardando (?:por )?(?:esta )?mensagem\. |esperando (?:a |el |este )?mensaje\. )`)

	groupForm = regexp.MustCompile(`(?:created (?:this )?group|criou (?:o|este) grupo|creo (?:el|este) grupo|added you\b|te adicionou ao grupo|adicionou voce|te anadio al grupo|joined using (?:this group|a group|an invite)|entrou usando|se unio (?:usando|con) el enlace)`)
)
