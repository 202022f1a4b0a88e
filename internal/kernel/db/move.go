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
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"recado/internal/kernel/base"
)

// progressTable exists in a database while rows are moved to it. Open refuses such a database.
const progressTable = "move_progress"

// defaultBatch is the number of rows in one transaction.
const defaultBatch = 10_000

// errUnfinishedMove is returned for the target of a move that has not finished.
var errUnfinishedMove = errors.New("a move or import to this database has not finished; run the same command again, or empty the database")

// MovePlan describes the tables for Move.
type MovePlan struct {
	// Skip lists tables that are not copied, because the target creates them again.
	Skip []string
	// Reset is a column that is set to true on the target, so that background work processes the rows again. It is not compared.
	Reset string
	// Order contains the keys of tables without a primary key on one of the engines.
	Order map[string][]string
	// Counter contains the column of a table that must be unique on SQLite. If the value of a row is not greater than that of the
	// row before it, the row gets the next value there. It determines the order of the rows and is not compared.
	Counter map[string]string
	// Identity is a table that differs between installations. Only a move from the same installation can be resumed.
	Identity string
	// Mark returns a query for a number of the source, which is passed to Finish.
	Mark func(source Dialect) string
	// Finish returns the last statements for the target, which run in one transaction.
	Finish func(target Dialect, mark int64) []string
}

// MoveOptions configure a move. One database is SQLite, the other PostgreSQL.
type MoveOptions struct {
	From, To Options
	Plan     MovePlan
	Batch    int // rows in one transaction; default 10,000

	// Progress is called after each batch and when a table is complete or verified. An error ends the move, which can be resumed.
	Progress func(MovedTable) error

	// BeforeFinish is called when all rows are verified. After an error the move can be resumed.
	BeforeFinish func() error
}

// MovedTable is the progress of a table.
type MovedTable struct {
	Name     string
	Rows     int64  // copied so far
	Hash     string // SHA-256 of all rows in the order of their key, once Complete
	Complete bool   // all rows are copied
	Verified bool   // the target was read again and has the same rows
}

// Move copies all rows of a database to an empty one of the other engine, or resumes an interrupted move. Then it reads the target
// again and compares the number of rows and a hash of each table. The source is read in one snapshot. At the end it is marked as
// moved, and Open refuses it. No server may use either database. If the source has changed since rows were copied, the move fails.
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
	catalog, lite := from.(*liteEnd)
	if !lite {
		catalog = to.(*liteEnd)
	}
	m := &mover{MoveOptions: o, from: from, to: to, catalog: catalog}
	return m.run(ctx)
}

// mover is a running move.
type mover struct {
	MoveOptions
	from, to moveEnd
	catalog  *liteEnd // has the primary keys and references of the tables
	tables   []moveTable
}

func (m *mover) run(ctx context.Context) (moved []MovedTable, err error) {
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
	// The target becomes usable last. If the move is interrupted before that, it can be resumed.
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
	// progress returns the progress by table, and false if no move has begun.
	progress(ctx context.Context) (map[string]moveProgress, bool, error)
	// movedTo returns the name of the target that the source was moved to, or "".
	movedTo(ctx context.Context) (string, error)
	// markMoved marks the source as moved.
	markMoved(ctx context.Context, target string) error
	// unchanged returns an error if a server uses the source or it has changed since it was opened.
	unchanged(ctx context.Context) error
	// begin creates the table of the progress with one row.
	begin(ctx context.Context, first moveProgress) error
	// write inserts rows and stores the progress in one transaction.
	write(ctx context.Context, t *moveTable, rows [][]any, p moveProgress) error
	// finish runs the last statements and drops the table of the progress, in one transaction.
	finish(ctx context.Context, statements []string) error
	close(ctx context.Context) error
}

// moveProgress is the stored progress of a table.
type moveProgress struct {
	name string
	rows int64
	hash []byte // the state of the hash of the rows so far; its value when done
	done bool
}

// prepare compares the schemas, and refuses a target with rows or with part of another installation.
func (m *mover) prepare(ctx context.Context) error {
	from, err := m.from.schema(ctx)
	if err != nil {
		return err
	}
	to, err := m.to.schema(ctx)
	if err != nil {
		return err
	}
	if m.tables, err = plannedTables(m.Plan, from, to, m.catalog); err != nil {
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

// refuseRows returns an error if a table of the target has rows, except for those in skip.
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

// identity returns a hash of the rows of the table Identity.
func (m *mover) identity(ctx context.Context) ([]byte, error) {
	for i := range m.tables {
		if m.tables[i].name == m.Plan.Identity {
			_, sum, err := tableHash(ctx, m.from, &m.tables[i])
			return []byte(sum), err
		}
	}
	return nil, fmt.Errorf("there is no table %s", m.Plan.Identity)
}

// copyTable copies the rows that the target does not have yet. It reads the others again, to check that they have not changed.
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
	moved := MovedTable{Name: t.name, Rows: c.p.rows, Hash: hex.EncodeToString(c.p.hash), Complete: true}
	return moved, m.report(moved)
}

// errSourceChanged is returned if rows have changed that were copied before the move was interrupted.
var errSourceChanged = base.Errorf(base.CodeInvalidRequest, "The source has changed since the move began. Empty the target and begin again.")

func (m *mover) report(t MovedTable) error {
	if m.Progress == nil {
		return nil
	}
	return m.Progress(t)
}

// tableCopy collects the rows of a table into batches.
type tableCopy struct {
	*mover
	t       *moveTable
	before  moveProgress // before the move was interrupted
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
	return c.report(MovedTable{Name: c.t.name, Rows: c.p.rows})
}

// compare returns an error if the rows so far are not those that were copied before.
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

// changed returns a row for the target.
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

// flush writes the batch and stores the progress.
func (c *tableCopy) flush(ctx context.Context) error {
	if err := c.setHash(); err != nil {
		return err
	}
	err := c.to.write(ctx, c.t, c.batch, c.p)
	c.batch = c.batch[:0]
	return err
}

// verify compares a table of the target with the rows of the source.
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
	return m.report(*moved)
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

// list joins quoted names.
func list(names []string, each func(string) string) string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = each(name)
	}
	return strings.Join(out, ", ")
}

const (
	// movedFile marks the SQLite database beside it as moved. It contains the name of the target.
	movedFile = DatabaseFile + ".moved"

	// movedTable marks a PostgreSQL database as moved. It contains the name of the target.
	movedTable = "moved_to"
)

// errMoved returns the error for a database that was moved. A server that used it would send queued messages twice, and its
// changes would be lost.
func errMoved(target string) error {
	return base.Errorf(base.CodeInvalidRequest, "This installation was moved to %s. Use that one. To use this one again, run `recado move --undo` with the same --data or --database-url.", target)
}

// targetName returns the target of a move without credentials.
func (o Options) targetName() string {
	if o.DatabaseURL == "" {
		if dir, err := filepath.Abs(o.Dir); err == nil {
			return dir
		}
		return o.Dir
	}
	u, err := url.Parse(o.DatabaseURL)
	if err != nil {
		return "a PostgreSQL database"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// movedFrom returns the target that the SQLite database in a folder was moved to, or "".
func movedFrom(dir string) (string, error) {
	raw, err := os.ReadFile(filepath.Join(dir, movedFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("db: %w", err)
	}
	if target := strings.TrimSpace(string(raw)); target != "" {
		return target, nil
	}
	return "another place", nil
}

// refuseMoved returns an error if the SQLite database in a folder was moved.
func refuseMoved(dir string) error {
	target, err := movedFrom(dir)
	if err == nil && target != "" {
		err = errMoved(target)
	}
	return err
}

func clearMoved(dir string) error {
	if err := os.Remove(filepath.Join(dir, movedFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("db: %w", err)
	}
	return nil
}

// markMoved is durable when it returns, because the target is finished afterwards.
func (e *liteEnd) markMoved(_ context.Context, target string) error {
	f, err := os.OpenFile(filepath.Join(e.dir, movedFile), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("db: %w", err)
	}
	_, err = f.WriteString(target + "\n")
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("db: %w", err)
	}
	return syncFolder(e.dir)
}

func (e *liteEnd) movedTo(context.Context) (string, error) { return movedFrom(e.dir) }

// markMoved uses another connection, because that of the move only reads.
func (e *pgEnd) markMoved(ctx context.Context, target string) error {
	return e.alone(ctx, func(other *pgEnd) error {
		return pgx.BeginFunc(ctx, other.conn, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "DROP TABLE IF EXISTS "+movedTable); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, "CREATE TABLE "+movedTable+" (target TEXT NOT NULL)"); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, "INSERT INTO "+movedTable+" (target) VALUES ($1)", target)
			return err
		})
	})
}

func (e *pgEnd) movedTo(ctx context.Context) (string, error) { return pgMovedTo(ctx, e.conn) }

// pgMovedTo returns the target that a PostgreSQL database was moved to, or "".
func pgMovedTo(ctx context.Context, conn *pgx.Conn) (target string, err error) {
	there, err := hasTable(ctx, conn, movedTable)
	if err != nil || !there {
		return "", err
	}
	err = conn.QueryRow(ctx, "SELECT target FROM "+movedTable).Scan(&target)
	return target, err
}

// UndoMove makes a database usable again that a move has marked as moved, and returns the target of that move.
func UndoMove(ctx context.Context, o Options) (target string, err error) {
	if o.DatabaseURL == "" {
		return undoLiteMove(o.Dir)
	}
	e, err := openPostgresEnd(ctx, o.DatabaseURL, func(e *pgEnd) (err error) {
		if target, err = pgMovedTo(ctx, e.conn); err == nil && target == "" {
			err = errNotMoved
		}
		if err == nil {
			_, err = e.conn.Exec(ctx, "DROP TABLE "+movedTable)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	return target, e.close(ctx)
}

var errNotMoved = base.Errorf(base.CodeInvalidRequest, "This installation is not marked as moved: there is nothing to undo.")

func undoLiteMove(dir string) (string, error) {
	lock, err := lockFolder(dir)
	if err != nil {
		return "", err
	}
	defer lock.release()
	target, err := movedFrom(dir)
	switch {
	case err != nil:
		return "", err
	case target == "":
		return "", errNotMoved
	}
	return target, clearMoved(dir)
}
