package recorded

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// normalizer replaces values that differ between runs with stable names and numbers.
type normalizer struct {
	target target
	names  map[string]string // names of values seen before
	counts map[string]int    // how many values are numbered, by kind
}

func newNormalizer(t target) *normalizer {
	n := &normalizer{target: t, names: map[string]string{}, counts: map[string]int{}}
	n.name("00000000-0000-7000-8000-000000000000", "unknown")
	return n
}

// name sets the name of a value that has none.
func (n *normalizer) name(value, name string) {
	if n.names[value] == "" {
		n.names[value] = "<" + name + ">"
	}
}

// number returns the name of a value. If it has none, the name becomes the next number of its kind.
func (n *normalizer) number(kind, value string) string {
	if n.names[value] == "" {
		n.counts[kind]++
		n.names[value] = fmt.Sprintf("<%s %d>", kind, n.counts[kind])
	}
	return n.names[value]
}

var (
	uuids     = regexp.MustCompile(`((?:"([a-z_]+)":)?\{?(?:"id":)?"?)((?:sandbox\.)?)([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})`)
	requestID = regexp.MustCompile(`"request_id":"[^"]*"`)
	moments   = regexp.MustCompile(`20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(\.[0-9]+)?Z`)
	days      = regexp.MustCompile(`20[0-9]{2}-[0-9]{2}-[0-9]{2}`)
	secrets   = regexp.MustCompile(`(rcd_|whsec_)[A-Za-z0-9+/=]{20,}`)
	cursors   = regexp.MustCompile(`"(next_cursor|before|after|cursor)":"[^"]+"`)
	tokens    = regexp.MustCompile(`(token|signature|expires|secret)=[A-Za-z0-9_-]+`)
	messages  = regexp.MustCompile(`wamid\.[A-Za-z0-9+/=_.-]+`)
	took      = regexp.MustCompile(`"(duration_ms|average_seconds|median_seconds|p90_seconds|first_response_seconds)":[0-9.]+`)
	oneTime   = regexp.MustCompile(`"(secret|uri|code)":"([A-Z2-7]{16,}|otpauth:[^"]*)"`)
	httpDates = regexp.MustCompile(`[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT`)
	positions = regexp.MustCompile(`"position":"[A-Za-z0-9]{8,}"`)  // of cards that the server ranks by time
	lastUsed  = regexp.MustCompile(`"last_used_at":(null|"[^"]*")`) // written shortly after the request
	zipSizes  = regexp.MustCompile(`"size":[0-9]+,"url"`)           // of exports, whose bytes differ
	cookies   = regexp.MustCompile(`^([a-z_-]+)=[^;]+`)
)

// example is the example of a time in error messages.
const example = "2026-11-14T23:56:54Z"

// value replaces everything that differs between runs.
func (n *normalizer) value(s string) string {
	s = strings.NewReplacer(n.target.url, "<url>", n.target.receiver, "<receiver>", n.target.simulator, "<simulator>").Replace(s)
	s = secrets.ReplaceAllStringFunc(s, func(v string) string { return n.number("secret", v) })
	s = cursors.ReplaceAllString(s, `"$1":"<cursor>"`)
	s = requestID.ReplaceAllString(s, `"request_id":"<request>"`)
	s = uuids.ReplaceAllStringFunc(s, func(v string) string {
		m := uuids.FindStringSubmatch(v)
		before, kind, id := m[1]+m[3], cmp.Or(m[2], "id"), m[4]
		if !strings.HasPrefix(id, "6f1c3a52-") { // client ids in requests.txt
			id = n.number(kind, id)
		}
		return before + id
	})
	s = tokens.ReplaceAllString(s, "$1=<token>")
	s = messages.ReplaceAllStringFunc(s, func(v string) string { return n.number("wamid", v) })
	s = took.ReplaceAllString(s, `"$1":<number>`)
	s = oneTime.ReplaceAllString(s, `"$1":"<secret>"`)
	s = zipSizes.ReplaceAllString(s, `"size":<number>,"url"`)
	s = lastUsed.ReplaceAllString(s, `"last_used_at":<time>`)
	s = positions.ReplaceAllString(s, `"position":"<position>"`)
	s = httpDates.ReplaceAllString(s, "<time>")
	s = moments.ReplaceAllStringFunc(s, func(v string) string {
		if at, err := time.Parse(time.RFC3339, v); v == example || err != nil || at.Sub(n.target.today).Abs() > 60*24*time.Hour {
			return v // a time in requests.txt
		}
		return "<time>"
	})
	return days.ReplaceAllStringFunc(s, func(v string) string {
		at, err := time.Parse(time.DateOnly, v)
		today, _ := time.Parse(time.DateOnly, n.target.today.Format(time.DateOnly))
		if strings.HasPrefix(example, v) || err != nil || at.Sub(today).Abs() > 60*24*time.Hour {
			return v
		}
		return fmt.Sprintf("<today%+d>", int(at.Sub(today).Hours()/24))
	})
}

// usual are the headers of most responses. Only different values are recorded.
var usual = map[string]string{
	"X-Api-Version": "1.1.0", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Content-Type": "application/json",
}

// answer formats a response as in answers.txt.
func (n *normalizer) answer(q request, status int, header http.Header, raw []byte) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%d %s\n", q.text, status, http.StatusText(status))
	all := maps.Clone(usual)
	for name := range header {
		all[name] = header.Get(name)
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		got := header.Get(name)
		switch {
		case name == "Date" || name == "Content-Length" || got == usual[name] && got != "":
		case strings.HasPrefix(name, "Ratelimit-"): // depends on the number of earlier requests
		case name == "Etag" && strings.HasPrefix(got, "W/"):
			fmt.Fprintf(&b, "%s: W/<hash of the body>\n", name)
		case name == "X-Request-Id" && !strings.HasPrefix(got, "order"):
		case name == "Content-Type" && len(raw) == 0 && got == "":
		case got == "":
			fmt.Fprintf(&b, "no %s\n", name)
		case name == "Set-Cookie":
			fmt.Fprintf(&b, "%s: %s\n", name, httpDates.ReplaceAllString(cookies.ReplaceAllString(got, "$1=<secret>"), "<time>"))
		default:
			fmt.Fprintf(&b, "%s: %s\n", name, n.value(got))
		}
	}
	if text := strings.ToValidUTF8(n.value(string(raw)), "\uFFFD"); text != "" {
		b.WriteString(layout(text))
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// layout breaks a long JSON text into lines and changes nothing else. The API sends JSON without white space, so removing
// line breaks and indentation restores the original bytes.
func layout(s string) string {
	if len(s) <= 160 || s[0] != '{' && s[0] != '[' {
		return s
	}
	var b strings.Builder
	depth, quoted := 0, false
	for i := 0; i < len(s); i++ {
		c := s[i]
		if quoted {
			b.WriteByte(c)
			if c == '\\' {
				i++
				b.WriteByte(s[i])
			}
			quoted = c != '"'
			continue
		}
		switch c {
		case '"':
			quoted = true
		case '{', '[':
			depth++
		case '}', ']':
			if depth <= 2 {
				b.WriteString("\n" + strings.Repeat("  ", depth-1))
			}
			depth--
		}
		b.WriteByte(c)
		if depth <= 2 && depth > 0 && (c == '{' || c == '[' || c == ',') {
			b.WriteString("\n" + strings.Repeat("  ", depth))
		}
	}
	return b.String()
}
