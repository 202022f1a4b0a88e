package imports

import (
	"bufio"
	"bytes"
	"errors"
	"io"
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
	if separator, found := bytes.CutPrefix(bytes.ToLower(bytes.TrimSpace(first)), []byte("sep=")); found { // written by spreadsheets
		if len(separator) == 1 {
			t.comma = separator[0]
		}
		return t, nil
	}
	t.comma = separatorOf(first)
	t.unread(first)
	return t, nil
}

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
	best := byte(';')
	for _, c := range []byte{',', '\t'} {
		if counts[c] > counts[best] {
			best = c
		}
	}
	return best
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
			if !ok {
				t.line--
			} else {
				rest = append(rest, line)
				size += len(line)
			}
			if !ok || len(rest) >= maxRecordLines || size > maxRecordBytes { // the quote belongs to this line alone
				t.unread(rest...)
				return unreadable(r.line, first), nil
			}
			closed = p.add(line)
		}
		r.cells = decode(p.cells)
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
