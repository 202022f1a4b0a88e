package imports

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// tableReader reads the records of a CSV file. Unlike encoding/csv it goes on after a quote that is never closed, and it decodes
// Windows-1252.
type tableReader struct {
	in      *bufio.Reader
	comma   byte
	line    int      // number of the last line that was returned
	width   int      // number of cells of the first record
	pending [][]byte // lines that were read too early
	ended   error
}

// record is one record of a table. If it could not be read, cells is nil.
type record struct {
	line  int // where it begins, from 1
	cells []string
	raw   string // its first line, if it could not be read
}

// unreadable returns a record that could not be read.
func unreadable(line int, first []byte) record {
	raw := strings.TrimSpace(strings.ToValidUTF8(string(first), "\uFFFD"))
	return record{line: line, raw: raw[:min(len(raw), 200)]}
}

const (
	maxRecordLines = 100      // that a quoted cell may make a record have
	maxRecordBytes = 64 << 10 // of a record
)

var (
	utf8Mark = []byte("\uFEFF")

	// errUTF16 is returned for files in UTF-16, which some spreadsheets call Unicode text.
	errUTF16 = errors.New("imports: the file is in UTF-16")
)

// newTableReader returns a reader of a CSV file, whose separator it detects in the first line.
func newTableReader(r io.Reader) (*tableReader, error) {
	t := &tableReader{in: bufio.NewReaderSize(r, maxRecordBytes+16), comma: ','}
	head, err := t.in.Peek(len(utf8Mark))
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case bytes.Equal(head, utf8Mark):
		_, _ = t.in.Discard(len(utf8Mark))
	case bytes.HasPrefix(head, []byte{0xFF, 0xFE}), bytes.HasPrefix(head, []byte{0xFE, 0xFF}):
		return nil, errUTF16
	}
	first, ok, err := t.readLine()
	if err != nil || !ok {
		return t, err
	}
	if separator, found := strings.CutPrefix(strings.ToLower(strings.TrimRight(string(first), "\r\n")), "sep="); found { // written by spreadsheets
		if slices.Contains(separators, separator) {
			t.comma = separator[0]
			return t, nil
		}
		if first, ok, err = t.readLine(); err != nil || !ok {
			return t, err
		}
	}
	t.comma = separatorOf(first)
	t.unread(first)
	return t, nil
}

// separators lists the separators of cells. The first one is preferred.
var separators = []string{";", ",", "\t"}

// separatorOf returns the separator that a line contains most often outside of quotes, if these come in pairs.
func separatorOf(line []byte) byte {
	counts := map[byte]int{}
	quoted, paired := false, bytes.Count(line, []byte{'"'})%2 == 0
	for _, c := range line {
		if c == '"' && paired {
			quoted = !quoted
		}
		if !quoted {
			counts[c]++
		}
	}
	best := separators[0]
	for _, c := range separators {
		if counts[c[0]] > counts[best[0]] {
			best = c
		}
	}
	return best[0]
}

// readLine returns the next line with its end. The rest of a line that is too long is dropped, and its text is returned as invalid.
func (t *tableReader) readLine() (line []byte, ok bool, err error) {
	t.line++
	if len(t.pending) > 0 {
		line, t.pending = t.pending[0], t.pending[1:]
		return line, true, nil
	}
	if t.ended != nil {
		return nil, false, nil
	}
	part, err := t.in.ReadSlice('\n')
	line = bytes.Clone(part)
	for err == bufio.ErrBufferFull { // such a line is longer than maxRecordBytes, so parse reports it
		_, err = t.in.ReadSlice('\n')
	}
	if err == io.EOF {
		t.ended = err
		return line, len(line) > 0, nil
	}
	return line, err == nil, err
}

func (t *tableReader) unread(lines ...[]byte) {
	t.pending = append(append([][]byte{}, lines...), t.pending...)
	t.line -= len(lines)
}

// next returns the next record that is not blank, or io.EOF.
func (t *tableReader) next() (record, error) {
	for {
		first, ok, err := t.readLine()
		if err != nil || !ok {
			if err == nil {
				err = io.EOF
			}
			return record{}, err
		}
		if len(bytes.TrimSpace(first)) == 0 {
			continue
		}
		r := record{line: t.line}
		p := cellParser{comma: t.comma}
		if len(first) > maxRecordBytes {
			return unreadable(r.line, first), nil
		}
		closed := p.add(first)
		var rest [][]byte
		for size := len(first); !closed; {
			line, ok, err := t.readLine()
			if err != nil {
				return record{}, err
			}
			if ok {
				rest, size, closed = append(rest, line), size+len(line), p.add(line)
			} else {
				t.line--
			}
			// A quote that is never closed, or only by one of another record, belongs to this line alone.
			swallowed := closed && len(p.cells) < t.width && bytes.Count(first, []byte{t.comma}) >= t.width-1
			if !ok || len(rest) >= maxRecordLines || size > maxRecordBytes || swallowed {
				t.unread(rest...)
				return unreadable(r.line, first), nil
			}
		}
		r.cells = decode(p.cells)
		if t.width == 0 {
			t.width = len(r.cells)
		}
		if strings.Join(r.cells, "") != "" {
			return r, nil
		}
	}
}

// cellParser splits a record into cells.
type cellParser struct {
	comma  byte
	cells  [][]byte
	cell   []byte
	quoted bool // the cell is quoted and its quote is open
	begun  bool // the cell has a first character
}

// add parses a line and reports whether the record ends with it.
func (p *cellParser) add(line []byte) bool {
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case p.quoted && c == '"' && i+1 < len(line) && line[i+1] == '"':
			p.cell = append(p.cell, '"')
			i++
		case p.quoted && c == '"' && endsCell(line[i+1:], p.comma):
			p.quoted = false
		case p.quoted:
			p.cell = append(p.cell, c)
		case c == p.comma:
			p.end()
		case c == '"' && !p.begun:
			p.quoted, p.begun = true, true
		case c == '\r' || c == '\n':
		default:
			p.cell, p.begun = append(p.cell, c), true
		}
	}
	if !p.quoted {
		p.end()
	}
	return !p.quoted
}

func (p *cellParser) end() {
	p.cells = append(p.cells, p.cell)
	p.cell, p.begun = nil, false
}

// endsCell reports whether a cell may end before rest.
func endsCell(rest []byte, comma byte) bool {
	return len(rest) == 0 || rest[0] == comma || rest[0] == '\r' || rest[0] == '\n'
}

// decode returns the cells as text. A record that is not UTF-8 is taken for Windows-1252.
func decode(cells [][]byte) []string {
	out := make([]string, len(cells))
	valid := utf8.Valid(bytes.Join(cells, nil))
	for i, cell := range cells {
		text := string(cell)
		if !valid {
			text, _ = charmap.Windows1252.NewDecoder().String(text)
		}
		out[i] = unescape(strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) }))
	}
	return out
}

// unescape removes the apostrophe with which exports keep spreadsheets from taking a cell for a formula.
func unescape(cell string) string {
	if len(cell) > 1 && cell[0] == '\'' && strings.IndexByte("=+-@", cell[1]) >= 0 {
		return cell[1:]
	}
	return cell
}
