package httpserver

import (
	"bufio"
	"context"
	"encoding"
	"encoding/csv"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"

	"recado/internal/kernel"
	"recado/internal/limits"
)

const (
	contentTypeCSV = "text/csv"

	csvPage = 500       // rows that are read at a time
	csvRows = 1_000_000 // at most

	csvWait     = 30 * time.Second // for another CSV of the company
	csvPageTime = time.Minute      // for the client to take a page
	csvRenewal  = 10 * time.Second // how often the key or session is checked again
)

// csvTable describes the CSV of a route.
type csvTable struct {
	name   string // of the file
	fields func(ctx context.Context, a *kernel.Principal) ([]string, error)
}

// CSV lets clients get all entries of a list as CSV, with one column per field of the JSON. fields returns the keys of the object
// "fields" of an entry, each of which gets a column; it may be nil. The output must be a Reply with a CursorList, an OffsetList or
// a CSVReport. Entries of private channels are left out.
func CSV(name string, fields func(ctx context.Context, a *kernel.Principal) ([]string, error)) option {
	return func(r *Route) { r.csv = &csvTable{name, fields} }
}

// CSVReport is a response that is not a list and has tables. The field Table of the input names one of them; it may be empty.
type CSVReport interface {
	// CSVRows returns the rows of a table: a slice of structs.
	CSVRows(table string) any
}

// seeker is an input of a list with offsets that can continue after an entry instead, which is faster.
type seeker interface {
	// Follow makes the list continue after an entry, which is a pointer.
	Follow(last any)
}

// wantsCSV reports whether a request asks for CSV: with format=csv, or because it prefers text/csv to JSON.
func wantsCSV(r *http.Request) bool {
	switch r.URL.Query().Get("format") {
	case "csv":
		return true
	case "json":
		return false
	}
	preferred, weight := preference(r.Header.Values("Accept"), func(name string) bool { return strings.Contains(name, "/") })
	return strings.EqualFold(preferred, contentTypeCSV) && weight > 0
}

// preference returns the first of the names with the highest weight in an Accept or Accept-Language header.
func preference(headers []string, valid func(name string) bool) (name string, weight float64) {
	for part := range strings.SplitSeq(strings.Join(headers, ","), ",") {
		candidate, parameters, _ := strings.Cut(part, ";")
		candidate = strings.TrimSpace(candidate)
		q := 1.0
		if text, found := strings.CutPrefix(strings.ReplaceAll(parameters, " ", ""), "q="); found {
			q, _ = strconv.ParseFloat(text, 64)
		}
		if valid(candidate) && q > weight {
			name, weight = candidate, q
		}
	}
	return name, weight
}

// separator returns the separator for the client's language.
func separator(r *http.Request) rune {
	language, _ := preference(r.Header.Values("Accept-Language"), func(name string) bool { return name != "" })
	return Separator(language)
}

// Separator returns the separator of cells that spreadsheets in a language expect.
func Separator(language string) rune {
	language, _, _ = strings.Cut(strings.ToLower(language), "-")
	if language == "pt" || language == "es" {
		return ';'
	}
	return ','
}

// checkFormat refuses unknown values of the query parameter format.
func checkFormat(r *http.Request) *kernel.Error {
	if format := r.URL.Query().Get("format"); format != "" && format != "csv" && format != "json" {
		return kernel.Invalid("query.format", kernel.RuleOneOf, "must be one of: json, csv", kernel.Params{"values": []string{"json", "csv"}})
	}
	return nil
}

// csvStream is a CSV that is being sent.
type csvStream struct {
	call    *call
	columns []column
	page    any // the response with the current page
	// more returns the next page, or nil.
	more    func(ctx context.Context, a *kernel.Principal, last any) (any, error)
	release func()
}

// stream returns the first page and prepares to send it and all others.
func (h handler[I, O]) stream(ctx context.Context, s *Server, r *Route, in *I) (*O, error) {
	c := callFrom(ctx)
	release, err := s.beginExport(ctx, c.principal)
	if err != nil {
		return nil, s.problem(c.requestID, err)
	}
	input := reflect.ValueOf(in).Elem()
	if limit := input.FieldByName("Limit"); limit.IsValid() {
		limit.SetInt(csvPage)
	}
	for _, start := range []string{"Cursor", "Offset"} { // all rows are sent
		if field := input.FieldByName(start); field.IsValid() {
			field.SetZero()
		}
	}
	var keys []string
	out, err := h(ctx, withoutPrivate(c.principal), in)
	if err == nil && r.csv.fields != nil {
		keys, err = r.csv.fields(ctx, c.principal)
	}
	if err == nil && s.options.Exported != nil {
		err = s.options.Exported(ctx, c.principal, r.csv.name)
	}
	if err != nil {
		release()
		return nil, s.problem(c.requestID, err)
	}
	c.csv = &csvStream{call: c, release: release, page: out}
	rows := c.csv.rows()
	c.csv.columns = columnsOf(rows.Type().Elem(), "", nil, keys)
	c.csv.more = func(ctx context.Context, a *kernel.Principal, last any) (any, error) {
		body := reflect.ValueOf(c.csv.page).Elem().FieldByName("Body")
		next, more := body.FieldByName("NextCursor"), body.FieldByName("HasMore")
		follows, seeks := any(in).(seeker)
		switch {
		case next.IsValid() && !next.IsNil():
			input.FieldByName("Cursor").Set(next.Elem())
		case more.IsValid() && more.Bool() && seeks:
			follows.Follow(last)
		case more.IsValid() && more.Bool():
			offset := input.FieldByName("Offset")
			offset.SetInt(offset.Int() + csvPage)
		default:
			return nil, nil
		}
		return h(ctx, a, in)
	}
	return out, nil
}

// beginExport waits until the company may get a CSV: one at a time.
func (s *Server) beginExport(ctx context.Context, a *kernel.Principal) (release func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, csvWait)
	defer cancel()
	release, err = s.exports.Acquire(ctx, a.Company.ID)
	if errors.Is(err, limits.ErrFull) || errors.Is(err, context.DeadlineExceeded) {
		return nil, kernel.ErrBusy("exports", 1)
	}
	return release, err
}

// withoutPrivate returns the principal without access to private channels.
func withoutPrivate(a *kernel.Principal) *kernel.Principal {
	public := *a
	public.Views = nil
	return &public
}

// rows returns the entries of the current page.
func (s *csvStream) rows() reflect.Value {
	body := reflect.ValueOf(s.page).Elem().FieldByName("Body")
	if report, ok := body.Interface().(CSVReport); ok {
		return reflect.ValueOf(report.CSVRows(s.call.request.URL.Query().Get("table")))
	}
	return body.FieldByName("Data")
}

// announce sets the headers.
func (s *csvStream) announce(h http.Header) {
	h.Set("Content-Type", contentTypeCSV+"; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="`+s.call.route.csv.name+"-"+time.Now().UTC().Format(time.DateOnly)+`.csv"`)
	h.Add("Vary", "Accept, Accept-Language")
}

// send writes everything. If that fails, it aborts the connection, so that the client notices that the file is incomplete.
func (s *csvStream) send(ctx context.Context, w io.Writer) {
	defer s.release()
	if err := s.write(ctx, w); err != nil {
		if ctx.Err() == nil {
			s.call.server.log.Warn("csv interrupted", slog.String("request_id", s.call.requestID), slog.Any("error", err))
		}
		panic(http.ErrAbortHandler)
	}
}

func (s *csvStream) write(ctx context.Context, to io.Writer) error {
	buffered := bufio.NewWriterSize(to, 64<<10)
	if _, err := buffered.WriteString("\ufeff"); err != nil {
		return err
	}
	w := csv.NewWriter(buffered)
	w.Comma, w.UseCRLF = separator(s.call.request), true
	record := make([]string, len(s.columns))
	for i, c := range s.columns {
		record[i] = c.name
	}
	if err := w.Write(record); err != nil {
		return err
	}
	control := http.NewResponseController(s.call.writer)
	principal, checked, renew := s.call.principal, time.Now(), Renewal(ctx)
	for sent := 0; ; {
		_ = control.SetWriteDeadline(time.Now().Add(csvPageTime))
		rows := s.rows()
		n := min(rows.Len(), csvRows-sent)
		for i := range n {
			for k, c := range s.columns {
				record[k] = c.cell(rows.Index(i))
			}
			if err := w.Write(record); err != nil {
				return err
			}
		}
		w.Flush()
		if err := errors.Join(w.Error(), buffered.Flush()); err != nil {
			return err
		}
		sent += n
		if n == 0 || sent == csvRows {
			return nil
		}
		if time.Since(checked) > csvRenewal {
			var err error
			if principal, err = renew(ctx); err == nil {
				err = principal.May(s.call.route.Verb)
			}
			if err != nil {
				return err
			}
			checked = time.Now()
		}
		page, err := s.more(ctx, withoutPrivate(principal), rows.Index(n-1).Addr().Interface())
		if err != nil || page == nil || reflect.ValueOf(page).IsNil() {
			return err
		}
		s.page = page
	}
}

// column is a column of a CSV: a field of a struct, or a key of the object in that field.
type column struct {
	name  string
	index [][]int // of the fields on the way; pointers lie between them
	key   string
}

// columnsOf returns the columns of a type: those of nested objects have names with dots. keys are the columns of the object
// "fields".
func columnsOf(t reflect.Type, prefix string, path [][]int, keys []string) (columns []column) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" || !field.IsExported() && !field.Anonymous {
			continue
		}
		at := append(slices.Clone(path), field.Index)
		inner := field.Type
		for inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch {
		case name == "" && field.Anonymous:
			columns = append(columns, columnsOf(inner, prefix, at, keys)...)
		case inner.Kind() == reflect.Struct && !isScalar(inner):
			columns = append(columns, columnsOf(inner, prefix+name+".", at, keys)...)
		case inner.Kind() == reflect.Map && name == "fields":
			for _, key := range keys {
				columns = append(columns, column{prefix + name + "." + key, at, key})
			}
		default:
			columns = append(columns, column{name: prefix + name, index: at})
		}
	}
	return columns
}

var (
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
	jsonMarshaler = reflect.TypeFor[json.MarshalerTo]()
)

// isScalar reports whether a struct is not an object in JSON.
func isScalar(t reflect.Type) bool {
	return t.Implements(textMarshaler) || t.Implements(jsonMarshaler) || reflect.PointerTo(t).Implements(jsonMarshaler)
}

// cell returns the text of a row in the column; see SafeCell.
func (c *column) cell(row reflect.Value) string {
	v := row
	for _, index := range c.index {
		for v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return ""
			}
			v = v.Elem()
		}
		v = v.FieldByIndex(index)
	}
	if c.key != "" {
		for v.Kind() == reflect.Pointer && !v.IsNil() {
			v = v.Elem()
		}
		if v.Kind() != reflect.Map {
			return ""
		}
		if v = v.MapIndex(reflect.ValueOf(c.key)); !v.IsValid() {
			return ""
		}
	}
	return SafeCell(cellText(v))
}

// SafeCell returns the text of a cell that no spreadsheet takes for a formula.
func SafeCell(text string) string {
	if text != "" && strings.ContainsRune("=+-@", rune(text[0])) {
		return "'" + text
	}
	return text
}

// cellText returns a value as in JSON, but strings without quotes, null as an empty text, and lists of scalars without brackets.
func cellText(v reflect.Value) string {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return ""
		}
		v = v.Elem()
	}
	switch x := v.Interface().(type) {
	case string:
		return x
	case kernel.ID:
		return x.String()
	case int64:
		return strconv.FormatInt(x, 10)
	}
	if v.Kind() == reflect.Slice && !slices.Contains([]reflect.Kind{reflect.Struct, reflect.Map}, v.Type().Elem().Kind()) {
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = cellText(v.Index(i))
		}
		return strings.Join(parts, ",")
	}
	encoded, err := kernel.EncodeJSON(v.Interface())
	if err != nil {
		return ""
	}
	var text string
	switch {
	case string(encoded) == "null":
		return ""
	case len(encoded) > 0 && encoded[0] == '"' && json.Unmarshal(encoded, &text) == nil:
		return text
	}
	return string(encoded)
}

// sendsCSV replaces the body of a response by the CSV that its handler has prepared.
func sendsCSV(ctx huma.Context, status string, body any) (any, error) {
	if c := callFrom(ctx.Context()); c.csv != nil && status == "200" {
		c.csv.announce(c.writer.Header())
		return &csvBody{ctx.Context(), c.csv}, nil
	}
	return body, nil
}

// csvBody is a response that jsonFormat writes as CSV.
type csvBody struct {
	ctx    context.Context
	stream *csvStream
}

// documentCSV adds the parameter format to an operation.
func (r *Route) documentCSV(op *huma.Operation) {
	op.Parameters = append(op.Parameters, &huma.Param{
		Name: "format", In: "query", Schema: &huma.Schema{Type: huma.TypeString, Enum: []any{"json", "csv"}},
		Description: "csv returns all entries as CSV, like the header Accept: text/csv. limit and cursor or offset are then ignored.",
	})
}

// describeCSV adds the CSV to the successful response.
func (r *Route) describeCSV(responses map[string]any) {
	success, _ := responses["200"].(map[string]any)
	content, _ := success["content"].(map[string]any)
	if r.csv == nil || content == nil {
		return
	}
	content[contentTypeCSV] = map[string]any{
		"schema": map[string]any{"type": "string", "description": "All entries, at most 1,000,000, in UTF-8 with a byte order mark. The first line has the names of the " +
			"JSON fields; those of nested objects have dots, such as contact.name. The separator is a semicolon if Accept-Language prefers Portuguese " +
			"or Spanish, otherwise a comma. Cells that begin with =, +, - or @ begin with an apostrophe. Entries of private channels are left out."},
	}
}
