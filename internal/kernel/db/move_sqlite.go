package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"recado/internal/kernel/base"
)

// liteEnd is the SQLite database of a move. The lock of the folder keeps servers away.
type liteEnd struct {
	dir  string
	c    *liteConn
	lock *folderLock
}

// openLiteSource opens a database for reading alone: nothing in its file changes.
func openLiteSource(dir string, migrations fs.FS) (_ *liteEnd, err error) {
	path := filepath.Join(dir, liteFile)
	if _, err := os.Stat(path); err != nil {
		return nil, base.Errorf(base.CodeInvalidRequest, "There is no Recado data in %s.", dir)
	}
	lock, err := lockFolder(dir)
	if err != nil {
		return nil, err
	}
	e := &liteEnd{dir: dir, lock: lock}
	defer func() {
		if err != nil {
			err = errors.Join(err, e.close(context.Background()))
		}
	}()
	if e.c, err = openReadOnly(path); err != nil {
		return nil, err
	}
	if err := e.c.run("BEGIN"); err != nil {
		return nil, err
	}
	all, err := loadMigrations(migrations)
	if err != nil {
		return nil, err
	}
	done, err := e.c.applied()
	if err != nil {
		return nil, err
	}
	if err := e.c.refuseUnfinished(); err != nil {
		return nil, err
	}
	return e, olderSchema(all, done)
}

// openReadOnly opens a database file that this connection cannot change.
func openReadOnly(path string) (*liteConn, error) {
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadOnly)
	if err != nil {
		return nil, fmt.Errorf("db: open %s: %w", path, err)
	}
	conn.SetBusyTimeout(liteBusy)
	return &liteConn{conn: conn, stmts: map[string]*prepared{}}, nil
}

// applied returns the schema steps that the database has.
func (c *liteConn) applied() (done []applied, err error) {
	err = c.query(selectMigrations, nil, func(r Row) error {
		done = append(done, applied{version: r.Int("version"), name: r.Text("name"), checksum: r.Text("checksum")})
		return nil
	})
	return done, err
}

// refuseUnfinished reports an error when rows are being moved into the database.
func (c *liteConn) refuseUnfinished() error {
	return c.query(unfinishedMove(Dialect{sqlite: true}), nil, func(Row) error { return errUnfinishedMove })
}

func openLiteTarget(ctx context.Context, dir string, skip []string, migrations fs.FS) (_ *liteEnd, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("db: create the data folder: %w", err)
	}
	lock, err := lockFolder(dir)
	if err != nil {
		return nil, err
	}
	e := &liteEnd{dir: dir, lock: lock}
	defer func() {
		if err != nil {
			err = errors.Join(err, e.close(context.Background()))
		}
	}()
	path := filepath.Join(dir, liteFile)
	if err := refuseLiteRows(ctx, path, skip); err != nil {
		return nil, err
	}
	if err := clearMoved(dir); err != nil { // of a database that is gone
		return nil, err
	}
	engine := &sqliteEngine{path: path, now: time.Now, logger: slog.New(slog.DiscardHandler), lock: lock}
	if err := engine.keepPrivate(); err != nil {
		return nil, err
	}
	if e.c, err = openLite(path, true); err != nil {
		return nil, err
	}
	if err := engine.prepare(ctx, e.c, migrations); err != nil {
		return nil, err
	}
	// References are checked once, at the end. The log is synced with each checkpoint, and at the end.
	for _, setting := range []string{"PRAGMA foreign_keys = OFF", "PRAGMA synchronous = NORMAL"} {
		if err := e.c.run(setting); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// refuseLiteRows refuses a file with rows that are not those of an unfinished move, and does not change it.
func refuseLiteRows(ctx context.Context, path string, skip []string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	c, err := openReadOnly(path)
	if err != nil {
		return err
	}
	e := &liteEnd{c: c}
	_, begun, err := e.progress(ctx)
	if err == nil && !begun {
		err = refuseRows(ctx, e, skip)
	}
	return errors.Join(err, c.conn.Close())
}

// unchanged has nothing to look for: the lock keeps servers away.
func (e *liteEnd) unchanged(context.Context) error { return nil }

func (e *liteEnd) dialect() Dialect { return Dialect{sqlite: true} }

func (e *liteEnd) number(_ context.Context, sql string) (n int64, err error) {
	err = e.c.query(sql, nil, func(r Row) error { n = r.Int(""); return nil })
	return n, err
}

func (e *liteEnd) schema(context.Context) (map[string]map[string]string, error) {
	out := map[string]map[string]string{}
	err := e.c.query(`
		SELECT t.name AS table_name, c.name AS column_name, c.type
		FROM pragma_table_list t
		JOIN pragma_table_info(t.name) c
		WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite\_%' ESCAPE '\'`, nil, func(r Row) error {
		table := r.Text("table_name")
		if out[table] == nil {
			out[table] = map[string]string{}
		}
		out[table][r.Text("column_name")] = r.Text("type")
		return nil
	})
	return out, err
}

func (e *liteEnd) primaryKey(table string) ([]string, error) {
	return e.texts(`SELECT name FROM pragma_table_info($1) WHERE pk > 0 ORDER BY pk`, table)
}

func (e *liteEnd) references(table string) ([]string, error) {
	return e.texts(`SELECT DISTINCT "table" FROM pragma_foreign_key_list($1) ORDER BY 1`, table)
}

func (e *liteEnd) texts(sql, arg string) (out []string, err error) {
	err = e.c.query(sql, []any{arg}, func(r Row) error { out = append(out, r.Text("")); return nil })
	return out, err
}

func (e *liteEnd) rows(ctx context.Context, t *moveTable, each func(row []any) error) error {
	stmt, err := e.c.statement(selectRows(t, quoted), nil)
	if err != nil {
		return err
	}
	defer stmt.Reset()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		more, err := stmt.Step()
		if err != nil || !more {
			return err
		}
		row, err := liteValues(t, stmt.Stmt)
		if err != nil {
			return err
		}
		if err := each(row); err != nil {
			return err
		}
	}
}

// selectRows reads the rows of a table in the order of its key.
func selectRows(t *moveTable, inOrder func(column string) string) string {
	key := make([]string, len(t.key))
	for i, column := range t.key {
		key[i] = t.columns[column]
	}
	return "SELECT " + list(t.columns, quoted) + " FROM " + quoted(t.name) + " ORDER BY " + list(key, inOrder)
}

// liteArgs returns values as the driver takes them.
func liteArgs(values []any) []any {
	out := make([]any, len(values))
	for i, value := range values {
		if id, ok := value.([16]byte); ok {
			value = id[:]
		}
		out[i] = value
	}
	return out
}

// liteValues reads one row and refuses a value that is not of the kind of its column.
func liteValues(t *moveTable, stmt *sqlite.Stmt) ([]any, error) {
	row := make([]any, len(t.columns))
	for i, kind := range t.kinds {
		stored := stmt.ColumnType(i)
		switch {
		case stored == sqlite.TypeNull:
		case stored == sqlite.TypeInteger && kind == kindInteger:
			row[i] = stmt.ColumnInt64(i)
		case stored == sqlite.TypeInteger && kind == kindBoolean:
			row[i] = stmt.ColumnInt64(i) != 0
		case stored == sqlite.TypeText && kind == kindText:
			row[i] = stmt.ColumnText(i)
		case stored == sqlite.TypeBlob && kind == kindUUID && stmt.ColumnLen(i) == 16:
			var id [16]byte
			stmt.ColumnBytes(i, id[:])
			row[i] = id
		case stored == sqlite.TypeBlob && kind == kindBytes:
			raw := make([]byte, stmt.ColumnLen(i))
			stmt.ColumnBytes(i, raw)
			row[i] = raw
		default:
			return nil, fmt.Errorf("the column %s of the table %s holds a value of another type (%v)", t.columns[i], t.name, stored)
		}
	}
	return row, nil
}

func (e *liteEnd) progress(context.Context) (map[string]moveProgress, bool, error) {
	there := false
	err := e.c.query(unfinishedMove(Dialect{sqlite: true}), nil, func(Row) error { there = true; return nil })
	if err != nil || !there {
		return nil, false, err
	}
	out := map[string]moveProgress{}
	err = e.c.query(selectProgress, nil, func(r Row) error {
		p := moveProgress{name: r.Text("name"), rows: r.Int("copied"), hash: r.Bytes("hash"), done: r.Bool("done")}
		out[p.name] = p
		return nil
	})
	return out, true, err
}

const createProgress = `CREATE TABLE ` + progressTable + ` (name TEXT NOT NULL PRIMARY KEY, copied BIGINT NOT NULL, hash BYTEA, done BOOLEAN NOT NULL)`

const selectProgress = `SELECT name, copied, hash, done FROM ` + progressTable

const putProgress = `
	INSERT INTO ` + progressTable + ` (name, copied, hash, done)
	VALUES ($1, $2, $3, $4)
	ON CONFLICT (name) DO UPDATE SET copied = excluded.copied, hash = excluded.hash, done = excluded.done`

func (p moveProgress) args() []any { return []any{p.name, p.rows, p.hash, p.done} }

func (e *liteEnd) begin(_ context.Context, first moveProgress) error {
	return e.transaction(func() error {
		if err := e.c.run(createProgress); err != nil {
			return err
		}
		return e.c.later(putProgress, first.args())
	})
}

func (e *liteEnd) write(_ context.Context, t *moveTable, rows [][]any, p moveProgress) error {
	marks := make([]string, len(t.columns))
	for i := range marks {
		marks[i] = "$" + strconv.Itoa(i+1)
	}
	insert := "INSERT INTO " + quoted(t.name) + " (" + list(t.columns, quoted) + ") VALUES (" + strings.Join(marks, ", ") + ")"
	return e.transaction(func() error {
		for _, row := range rows {
			if err := e.c.later(insert, liteArgs(row)); err != nil {
				return err
			}
		}
		return e.c.later(putProgress, p.args())
	})
}

// finish also checks the references, which were not checked row by row, and puts the log into the database file.
func (e *liteEnd) finish(_ context.Context, statements []string) error {
	err := e.c.query("PRAGMA foreign_key_check", nil, func(r Row) error {
		return fmt.Errorf("a row of %s refers to a row of %s that does not exist", r.Text("table"), r.Text("parent"))
	})
	if err != nil {
		return err
	}
	err = e.transaction(func() error {
		for _, sql := range append(statements, "DROP TABLE "+progressTable) {
			if err := e.c.run(sql); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := e.c.run("PRAGMA synchronous = FULL"); err != nil {
		return err
	}
	return e.c.run("PRAGMA wal_checkpoint(TRUNCATE)")
}

func (e *liteEnd) transaction(do func() error) error {
	if err := e.c.run("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	if err := do(); err != nil {
		return errors.Join(err, e.c.run("ROLLBACK"))
	}
	return e.c.run("COMMIT")
}

func (e *liteEnd) close(context.Context) error {
	defer e.lock.release()
	if e.c == nil {
		return nil
	}
	return e.c.conn.Close()
}
