package db

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"recado/internal/kernel/base"
)

// Export reads the tables of a database in one snapshot, as lines of JSON. Servers may be using the database.
type Export struct {
	Schema int64 // the last migration of the database
	Mark   int64 // see MovePlan
	Tables []string

	from    moveEnd
	catalog *liteEnd
	tables  []moveTable
}

// OpenExport begins the snapshot. With a company, only its rows and those of tables without a column company are exported; owners is
// the table of the companies.
func OpenExport(ctx context.Context, o Options, plan MovePlan, owners string, company *base.ID, migrations fs.FS) (*Export, error) {
	e := &Export{}
	err := e.open(ctx, o, plan, migrations)
	if err != nil {
		return nil, errors.Join(err, e.Close(ctx))
	}
	for i := range e.tables {
		t := &e.tables[i]
		e.Tables = append(e.Tables, t.name)
		if company != nil {
			t.where = ofCompany(e.from.dialect(), t, owners, *company)
		}
	}
	return e, nil
}

func (e *Export) open(ctx context.Context, o Options, plan MovePlan, migrations fs.FS) (err error) {
	if e.from, err = openSnapshot(ctx, o, migrations); err != nil {
		return err
	}
	switch target, err := e.from.movedTo(ctx); {
	case err != nil:
		return err
	case target != "":
		return errMoved(target)
	}
	if e.catalog, err = openCatalog(ctx, migrations); err != nil {
		return err
	}
	if e.Mark, err = e.from.number(ctx, plan.Mark(e.from.dialect())); err != nil {
		return err
	}
	if e.Schema, err = e.from.number(ctx, `SELECT MAX(version) FROM schema_migrations`); err != nil {
		return err
	}
	from, err := e.from.schema(ctx)
	if err != nil {
		return err
	}
	to, err := e.catalog.schema(ctx)
	if err != nil {
		return err
	}
	e.tables, err = plannedTables(plan, from, to, e.catalog)
	return err
}

// ofCompany returns a condition for the rows of a company, or "".
func ofCompany(d Dialect, t *moveTable, owners string, company base.ID) string {
	column := "company"
	switch {
	case t.name == owners:
		column = "id"
	case !slices.Contains(t.columns, column):
		return ""
	}
	return quoted(column) + " = " + d.Pick(fmt.Sprintf("x'%x'", company[:]), "'"+company.String()+"'")
}

// Write writes the rows of a table in the order of their key. It calls progress after every ten thousand rows.
func (e *Export) Write(ctx context.Context, table string, w io.Writer, progress func(rows int64) error) (rows int64, err error) {
	i := slices.Index(e.Tables, table)
	if i < 0 {
		return 0, fmt.Errorf("there is no table %s", table)
	}
	var line []byte
	err = e.from.rows(ctx, &e.tables[i], func(row []any) (err error) {
		line = e.tables[i].appendLine(line[:0], row)
		if _, err = w.Write(line); err != nil {
			return err
		}
		if rows++; rows%defaultBatch == 0 {
			err = progress(rows)
		}
		return err
	})
	return rows, err
}

// Close ends the snapshot.
func (e *Export) Close(ctx context.Context) error {
	var err error
	if e.from != nil {
		err = e.from.close(ctx)
	}
	if e.catalog != nil {
		err = errors.Join(err, e.catalog.closeCatalog(ctx))
	}
	return err
}

func openSnapshot(ctx context.Context, o Options, migrations fs.FS) (moveEnd, error) {
	if o.DatabaseURL != "" {
		return connectPostgresEnd(ctx, o.DatabaseURL, func(e *pgEnd) error { return e.startReading(ctx, migrations) })
	}
	e := &liteEnd{dir: o.Dir}
	if err := e.startReading(migrations); err != nil {
		return nil, errors.Join(err, e.close(ctx))
	}
	return e, nil
}

// openCatalog creates an empty SQLite database with the keys and references of the tables, in a temporary folder.
func openCatalog(ctx context.Context, migrations fs.FS) (*liteEnd, error) {
	dir, err := os.MkdirTemp("", "recado-catalog-")
	if err != nil {
		return nil, err
	}
	e, err := openLiteTarget(ctx, dir, nil, migrations)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return e, nil
}

func (e *liteEnd) closeCatalog(ctx context.Context) error {
	return errors.Join(e.close(ctx), os.RemoveAll(e.dir))
}

// ImportOptions configure an import.
type ImportOptions struct {
	To       Options // an empty database
	Plan     MovePlan
	Schema   int64 // of the export
	Mark     int64 // of the export
	Open     func(table string) (io.ReadCloser, error)
	Progress func(MovedTable) error

	// BeforeFinish is called when all rows are verified. After an error the import can be resumed.
	BeforeFinish func() error
}

// Import copies the tables of an export to an empty database as Move does. The database gets the schema of the export; Open applies
// the remaining migrations.
func Import(ctx context.Context, o ImportOptions, migrations fs.FS) (moved []MovedTable, err error) {
	all, err := loadMigrations(migrations)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(all, func(m migration) bool { return m.version == o.Schema }) {
		return nil, base.Errorf(base.CodeInvalidRequest, "The export has schema version %04d, which this version of Recado does not know. Run a newer Recado.", o.Schema)
	}
	migrations = upTo{migrations, o.Schema}
	catalog, err := openCatalog(ctx, migrations)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, catalog.closeCatalog(ctx)) }()
	to, err := openMoveTarget(ctx, o.To, o.Plan.Skip, migrations)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, to.close(ctx)) }()
	m := &mover{
		MoveOptions: MoveOptions{To: o.To, Plan: o.Plan, Batch: defaultBatch, Progress: o.Progress, BeforeFinish: o.BeforeFinish},
		from:        &lineEnd{liteEnd: catalog, open: o.Open, mark: o.Mark}, to: to, catalog: catalog,
	}
	return m.run(ctx)
}

// upTo contains the migrations up to a version.
type upTo struct {
	fs.FS
	last int64
}

// ReadDir leaves out later migrations.
func (u upTo) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(u.FS, name)
	return slices.DeleteFunc(entries, func(entry fs.DirEntry) bool {
		parts := migrationName.FindStringSubmatch(entry.Name())
		if parts == nil {
			return false
		}
		version, _ := strconv.ParseInt(parts[1], 10, 64)
		return version > u.last
	}), err
}

// lineEnd is an export as the source of a move. Its schema is that of the empty database.
type lineEnd struct {
	*liteEnd
	open func(table string) (io.ReadCloser, error)
	mark int64
}

func (e *lineEnd) number(context.Context, string) (int64, error) { return e.mark, nil }
func (e *lineEnd) movedTo(context.Context) (string, error)       { return "", nil }
func (e *lineEnd) markMoved(context.Context, string) error       { return nil }
func (e *lineEnd) unchanged(context.Context) error               { return nil }

func (e *lineEnd) rows(ctx context.Context, t *moveTable, each func(row []any) error) (err error) {
	f, err := e.open(t.name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lines := bufio.NewReaderSize(f, 1<<20)
	for number := 1; ; number++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		line, err := lines.ReadBytes('\n')
		if len(line) == 0 && errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		row, err := t.parseLine(line)
		if err != nil {
			return base.Errorf(base.CodeInvalidRequest, "Line %d of the table %s cannot be read: %v.", number, t.name, err)
		}
		if err := each(row); err != nil {
			return err
		}
	}
}

// appendLine appends a row as a JSON object, without the columns that are null.
func (t *moveTable) appendLine(b []byte, row []any) []byte {
	b = append(b, '{')
	for i, value := range row {
		if value == nil {
			continue
		}
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = appendText(b, []byte(t.columns[i]))
		b = append(b, ':')
		switch v := value.(type) {
		case int64:
			b = appendInteger(b, v, isTime(t.columns[i]))
		case bool:
			b = strconv.AppendBool(b, v)
		case [16]byte:
			b = appendText(b, []byte(base.ID(v).String()))
		case string:
			b = appendText(b, []byte(v))
		case []byte:
			b = appendText(b, v)
		}
	}
	return append(b, "}\n"...)
}

// isTime reports whether a column of integers holds milliseconds since 1970.
func isTime(column string) bool {
	return slices.ContainsFunc([]string{"_at", "_until", "_since"}, func(tail string) bool { return strings.HasSuffix(column, tail) })
}

// appendInteger appends a number, or the time of a column of times in RFC 3339.
func appendInteger(b []byte, v int64, isTime bool) []byte {
	if at := time.UnixMilli(v).UTC(); isTime && at.Year() >= 1 && at.Year() <= 9999 {
		return append(at.AppendFormat(append(b, '"'), time.RFC3339Nano), '"')
	}
	return strconv.AppendInt(b, v, 10)
}

// appendText appends a string, or an object with the value in base64 if it is not UTF-8.
func appendText(b, value []byte) []byte {
	if utf8.Valid(value) {
		b, _ = jsontext.AppendQuote(b, value) // fails only for invalid UTF-8
		return b
	}
	b = append(b, `{"base64":"`...)
	return append(base64.StdEncoding.AppendEncode(b, value), `"}`...)
}

func (t *moveTable) parseLine(line []byte) ([]any, error) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(line, &object); err != nil {
		return nil, errors.New("it is not a JSON object")
	}
	row := make([]any, len(t.columns))
	for i, column := range t.columns {
		raw, there := object[column]
		if !there || string(raw) == "null" {
			delete(object, column)
			continue
		}
		value, ok := parseValue(t.kinds[i], raw)
		if !ok {
			return nil, fmt.Errorf("the value of %s has another type", column)
		}
		row[i] = value
		delete(object, column)
	}
	for column := range object {
		return nil, fmt.Errorf("there is no column %s", column)
	}
	return row, nil
}

func parseValue(kind columnKind, raw json.RawMessage) (value any, ok bool) {
	switch kind {
	case kindBoolean:
		return string(raw) == "true", string(raw) == "true" || string(raw) == "false"
	case kindInteger:
		if raw[0] != '"' {
			v, err := strconv.ParseInt(string(raw), 10, 64)
			return v, err == nil
		}
		at, err := time.Parse(`"`+time.RFC3339Nano+`"`, string(raw))
		return at.UnixMilli(), err == nil
	case kindUUID:
		text, ok := parseText(raw)
		if !ok {
			return nil, false
		}
		id, ok := base.ParseID(string(text))
		return [16]byte(id), ok
	}
	text, ok := parseText(raw)
	if kind == kindText {
		return string(text), ok
	}
	return text, ok
}

func parseText(raw json.RawMessage) ([]byte, bool) {
	var v Bytes
	err := v.UnmarshalJSON(raw)
	return v, err == nil
}

// Bytes is a text or bytes in a line of an export: a string, or an object with the value in base64 if it is not UTF-8.
type Bytes []byte

// UnmarshalJSON reads both forms.
func (b *Bytes) UnmarshalJSON(raw []byte) error {
	if raw[0] == '{' {
		var v struct{ Base64 *[]byte }
		err := json.Unmarshal(raw, &v)
		if err == nil && v.Base64 == nil {
			err = errors.New("base64 is missing")
		}
		if err == nil {
			*b = *v.Base64
		}
		return err
	}
	var v string
	err := json.Unmarshal(raw, &v)
	*b = []byte(v)
	return err
}
