package db

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"recado/internal/kernel/base"
)

// progressTable is in a database while rows are moved into it. Open refuses such a database.
const progressTable = "move_progress"

// defaultBatch is how many rows are written in one transaction.
const defaultBatch = 10_000

// errUnfinishedMove is for a database that holds a part of what is moved into it.
var errUnfinishedMove = errors.New("a move to this database has not finished; run the same `recado move` again, or empty the database")

// MovePlan says what Move must know of the tables.
type MovePlan struct {
	// Skip names the tables that are not copied, because they are made again on the target.
	Skip []string
	// Reset names a column that is set on the target and is not compared: rows that a background loop has to look at again.
	Reset string
	// Order returns the order of the tables that have no primary key on one of the engines.
	Order map[string][]string
	// Counter returns the column of a table that SQLite makes unique. There a row gets a higher value where the value of
	// the row before is not lower. It decides the order of the rows and is not compared.
	Counter map[string]string
	// Identity is a table that differs between installations: a move is resumed from the same one only.
	Identity string
	// Mark is a query of one number of the source, which Finish gets.
	Mark func(source Dialect) string
	// Finish returns statements for the target, run in one transaction when all rows are there.
	Finish func(target Dialect, mark int64) []string
}

// MoveOptions name the two databases of a move. One is SQLite, the other PostgreSQL.
type MoveOptions struct {
	From, To Options
	Plan     MovePlan
	Batch    int // rows in one transaction; default 10,000

	// Progress is called after each batch and when a table is complete or verified. An error ends the move, which
	// can be resumed.
	Progress func(MovedTable) error

	// BeforeFinish runs when all rows are there and verified. After an error the move can be resumed.
	BeforeFinish func() error
}

// MovedTable tells how far one table is.
type MovedTable struct {
	Name     string
	Rows     int64  // copied so far
	Hash     string // SHA-256 of all rows in the order of their key, once Complete
	Complete bool   // all rows are copied
	Verified bool   // the target was read again and has the same rows
}

// Move copies every row of one database into an empty one of the other engine, or goes on with a move that was cut
// off, and then reads the target again and compares the number of rows and a hash for each table. The source is
// read in one snapshot, and at the end it is marked as moved: Open refuses it. No server may use either of them. Where the source has changed since rows were copied, the move
// is not finished.
func Move(ctx context.Context, o MoveOptions, migrations fs.FS) (moved []MovedTable, err error) {
	if (o.From.DatabaseURL == "") == (o.To.DatabaseURL == "") {
		return nil, base.Errorf(base.CodeInvalidRequest, "Only moves from SQLite to PostgreSQL or back are supported. To copy SQLite, use `recado backup`; to copy PostgreSQL, use pg_dump.")
	}
	if o.Batch <= 0 {
		o.Batch = defaultBatch
	}
	from, err := openMoveSource(ctx, o.From, migrations)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, from.close(ctx)) }()
	to, err := openMoveTarget(ctx, o.To, o.Plan.Skip, migrations)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, to.close(ctx)) }()
	m := &mover{MoveOptions: o, from: from, to: to}
	if err := m.prepare(ctx); err != nil {
		return nil, err
	}
	for i := range m.tables {
		done, err := m.copyTable(ctx, &m.tables[i])
		if err != nil {
			return nil, fmt.Errorf("move %s: %w", m.tables[i].name, err)
		}
		moved = append(moved, done)
	}
	for i := range m.tables {
		if err := m.verify(ctx, &m.tables[i], &moved[i]); err != nil {
			return nil, fmt.Errorf("verify %s: %w", m.tables[i].name, err)
		}
	}
	return moved, m.finish(ctx)
}

// mover is one move under way.
type mover struct {
	MoveOptions
	from, to moveEnd
	tables   []moveTable
}

func (m *mover) finish(ctx context.Context) error {
	if m.BeforeFinish != nil {
		if err := m.BeforeFinish(); err != nil {
			return err
		}
	}
	if err := m.from.unchanged(ctx); err != nil {
		return err
	}
	mark, err := m.from.number(ctx, m.Plan.Mark(m.from.dialect()))
	if err != nil {
		return err
	}
	// The target becomes usable last. A move that is cut off in between can be resumed.
	if err := m.from.markMoved(ctx, m.To.targetName()); err != nil {
		return err
	}
	return m.to.finish(ctx, m.Plan.Finish(m.to.dialect(), mark))
}

// moveEnd is one of the two databases of a move.
type moveEnd interface {
	dialect() Dialect
	// schema returns the columns of each table with their types in lower case.
	schema(ctx context.Context) (map[string]map[string]string, error)
	// rows calls each for all rows in the order of their key.
	rows(ctx context.Context, t *moveTable, each func(row []any) error) error
	// number returns the first value of a query, or 0.
	number(ctx context.Context, sql string) (int64, error)
	// progress returns how far the move is, by table, and false when none was begun.
	progress(ctx context.Context) (map[string]moveProgress, bool, error)
	// movedTo returns the name of the target that the source was moved to, or "".
	movedTo(ctx context.Context) (string, error)
	// markMoved keeps servers and commands from the source.
	markMoved(ctx context.Context, target string) error
	// unchanged refuses a source that a server uses or that was changed since it was opened.
	unchanged(ctx context.Context) error
	// begin makes the table of the progress with one row.
	begin(ctx context.Context, first moveProgress) error
	// write adds rows and records the progress in one transaction.
	write(ctx context.Context, t *moveTable, rows [][]any, p moveProgress) error
	// finish runs the last statements and forgets the progress, in one transaction.
	finish(ctx context.Context, statements []string) error
	close(ctx context.Context) error
}

// moveProgress is how far one table is.
type moveProgress struct {
	name string
	rows int64
	hash []byte // the state of the hash of the rows so far; its value when done
	done bool
}

// prepare compares the schemas, and refuses a target that holds rows or a part of another installation.
func (m *mover) prepare(ctx context.Context) error {
	from, err := m.from.schema(ctx)
	if err != nil {
		return err
	}
	to, err := m.to.schema(ctx)
	if err != nil {
		return err
	}
	if m.tables, err = plannedTables(m.Plan, from, to, m.keys()); err != nil {
		return err
	}
	identity, err := m.identity(ctx)
	if err != nil {
		return err
	}
	done, begun, err := m.to.progress(ctx)
	switch {
	case err != nil:
		return err
	case begun && string(done[""].hash) != string(identity):
		return base.Errorf(base.CodeInvalidRequest, "The target contains part of another installation. Choose an empty one.")
	case begun:
		return nil
	}
	switch target, err := m.from.movedTo(ctx); {
	case err != nil:
		return err
	case target != "":
		return errMoved(target)
	}
	if err := refuseRows(ctx, m.to, m.Plan.Skip); err != nil {
		return err
	}
	return m.to.begin(ctx, moveProgress{hash: identity})
}

// refuseRows reports an error when a table of the target has rows, apart from those that are not copied.
func refuseRows(ctx context.Context, to moveEnd, skip []string) error {
	schema, err := to.schema(ctx)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(schema)) {
		if slices.Contains(skip, name) {
			continue
		}
		there, err := to.number(ctx, "SELECT 1 FROM "+quoted(name)+" LIMIT 1")
		if err != nil {
			return err
		}
		if there != 0 {
			return base.Errorf(base.CodeInvalidRequest, "The target is not empty: its table %s has rows. Choose an empty one.", name)
		}
	}
	return nil
}

// keys returns the catalogue of the SQLite end: it declares primary keys and references for both.
func (m *mover) keys() catalogue {
	if lite, ok := m.from.(*liteEnd); ok {
		return lite
	}
	return m.to.(*liteEnd)
}

// identity is a hash of the rows that tell one installation from another.
func (m *mover) identity(ctx context.Context) ([]byte, error) {
	for i := range m.tables {
		if m.tables[i].name == m.Plan.Identity {
			_, sum, err := tableHash(ctx, m.from, &m.tables[i])
			return []byte(sum), err
		}
	}
	return nil, fmt.Errorf("there is no table %s", m.Plan.Identity)
}

// copyTable copies the rows that the target does not have yet. Those that it has are read again, since they must be the
// ones that were copied.
func (m *mover) copyTable(ctx context.Context, t *moveTable) (MovedTable, error) {
	all, _, err := m.to.progress(ctx)
	if err != nil {
		return MovedTable{}, err
	}
	c := &tableCopy{mover: m, t: t, before: all[t.name], p: moveProgress{name: t.name}, sum: sha256.New()}
	err = m.from.rows(ctx, t, func(row []any) error { return c.add(ctx, row) })
	if err != nil {
		return MovedTable{}, err
	}
	if c.p.rows < c.before.rows {
		return MovedTable{}, errSourceChanged
	}
	c.p.done = true
	if c.before.done {
		err = c.compare()
	} else {
		err = c.flush(ctx)
	}
	if err != nil {
		return MovedTable{}, err
	}
	return m.report(MovedTable{Name: t.name, Rows: c.p.rows, Hash: hex.EncodeToString(c.p.hash), Complete: true})
}

// errSourceChanged is for a source that no longer has the rows that were copied before the move was cut off.
var errSourceChanged = base.Errorf(base.CodeInvalidRequest, "The source has changed since the move began. Empty the target and begin again.")

func (m *mover) report(t MovedTable) (MovedTable, error) {
	if m.Progress == nil {
		return t, nil
	}
	return t, m.Progress(t)
}

// tableCopy collects the rows of a table into batches.
type tableCopy struct {
	*mover
	t       *moveTable
	before  moveProgress // how far it was before the move was cut off
	p       moveProgress
	sum     hash.Hash
	buffer  []byte
	batch   [][]any
	counter int64
}

func (c *tableCopy) add(ctx context.Context, row []any) error {
	c.buffer = c.t.encode(c.buffer[:0], row)
	c.sum.Write(c.buffer)
	c.p.rows++
	row = c.changed(row)
	switch {
	case c.p.rows < c.before.rows:
		return nil
	case c.p.rows == c.before.rows:
		if c.before.done {
			return nil // compared when there are no more rows
		}
		return c.compare()
	case c.before.done:
		return errSourceChanged
	}
	c.batch = append(c.batch, row)
	if len(c.batch) < c.Batch {
		return nil
	}
	if err := c.flush(ctx); err != nil {
		return err
	}
	_, err := c.report(MovedTable{Name: c.t.name, Rows: c.p.rows})
	return err
}

// compare refuses a source whose rows so far are not those that were copied before.
func (c *tableCopy) compare() error {
	if err := c.setHash(); err != nil {
		return err
	}
	if !bytes.Equal(c.p.hash, c.before.hash) {
		return errSourceChanged
	}
	return nil
}

// setHash records the state of the hash, or its value when the table is done.
func (c *tableCopy) setHash() (err error) {
	if c.p.done {
		c.p.hash = c.sum.Sum(nil)
		return nil
	}
	c.p.hash, err = c.sum.(encoding.BinaryMarshaler).MarshalBinary()
	return err
}

// changed returns a row as the target gets it.
func (c *tableCopy) changed(row []any) []any {
	_, lite := c.to.(*liteEnd)
	if c.t.reset < 0 && (c.t.counter < 0 || !lite) {
		return row
	}
	row = slices.Clone(row)
	if c.t.reset >= 0 {
		row[c.t.reset] = true
	}
	if c.t.counter >= 0 && lite {
		c.counter = max(c.counter+1, row[c.t.counter].(int64))
		row[c.t.counter] = c.counter
	}
	return row
}

// flush writes the batch and records how far the table is.
func (c *tableCopy) flush(ctx context.Context) error {
	if err := c.setHash(); err != nil {
		return err
	}
	err := c.to.write(ctx, c.t, c.batch, c.p)
	c.batch = c.batch[:0]
	return err
}

// verify reads a table of the target and compares it with what was read of the source.
func (m *mover) verify(ctx context.Context, t *moveTable, moved *MovedTable) error {
	rows, sum, err := tableHash(ctx, m.to, t)
	if err != nil {
		return err
	}
	if rows != moved.Rows || sum != moved.Hash {
		return fmt.Errorf("the target has %d rows with the hash %s, the source has %d rows with the hash %s; empty the target and move again",
			rows, sum, moved.Rows, moved.Hash)
	}
	moved.Verified = true
	_, err = m.report(*moved)
	return err
}

// tableHash counts and hashes the rows of a table.
func tableHash(ctx context.Context, end moveEnd, t *moveTable) (rows int64, sum string, err error) {
	state := sha256.New()
	var buffer []byte
	err = end.rows(ctx, t, func(row []any) error {
		rows++
		buffer = t.encode(buffer[:0], row)
		state.Write(buffer)
		return nil
	})
	return rows, hex.EncodeToString(state.Sum(nil)), err
}

// unfinishedMove is the statement that finds the table of the progress.
func unfinishedMove(d Dialect) string {
	return d.Pick(`SELECT 1 FROM sqlite_schema WHERE name = '`+progressTable+`'`, `SELECT 1 WHERE to_regclass('`+progressTable+`') IS NOT NULL`)
}

// list joins quoted names.
func list(names []string, each func(string) string) string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = each(name)
	}
	return strings.Join(out, ", ")
}
