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

// liteEnd is the SQLite database of a move. It holds the lock of the folder, so that no server can use it.
type liteEnd struct {
	dir  string
	c    *liteConn
	lock *folderLock
}

// openLiteEnd locks a data folder and prepares the database in it.
func openLiteEnd(dir string, prepare func(e *liteEnd) error) (*liteEnd, error) {
	lock, err := lockFolder(dir)
	if err != nil {
		return nil, err
	}
	e := &liteEnd{dir: dir, lock: lock}
	if err := prepare(e); err != nil {
		return nil, errors.Join(err, e.close(context.Background()))
	}
	return e, nil
}

// openLiteSource opens a database for reading. Its file does not change.
func openLiteSource(dir string, migrations fs.FS) (*liteEnd, error) {
	if _, err := os.Stat(filepath.Join(dir, DatabaseFile)); err != nil {
		return nil, base.Errorf(base.CodeInvalidRequest, "There is no Recado data in %s.", dir)
	}
	return openLiteEnd(dir, func(e *liteEnd) error { return e.startReading(migrations) })
}

// startReading opens the database and begins the snapshot. It refuses a database without the latest schema.
func (e *liteEnd) startReading(migrations fs.FS) (err error) {
	if e.c, err = openFile(filepath.Join(e.dir, DatabaseFile), sqlite.OpenReadOnly); err != nil {
		return err
	}
	if err := e.c.run("BEGIN"); err != nil {
		return err
	}
	all, err := loadMigrations(migrations)
	if err != nil {
		return err
	}
	done, err := e.c.applied()
	if err != nil {
		return err
	}
	if err := e.c.refuseUnfinished(); err != nil {
		return err
	}
	return olderSchema(all, done)
}

// applied returns the applied migrations.
func (c *liteConn) applied() (done []migration, err error) {
	err = c.query(selectMigrations, nil, func(r Row) error {
		done = append(done, migration{version: r.Int("version"), name: r.Text("name"), checksum: r.Text("checksum")})
		return nil
	})
	return done, err
}

// refuseUnfinished returns an error if a move to the database has not finished.
func (c *liteConn) refuseUnfinished() error {
	return c.query(unfinishedMove, nil, func(Row) error { return errUnfinishedMove })
}

func openLiteTarget(ctx context.Context, dir string, skip []string, migrations fs.FS) (*liteEnd, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("db: create the data folder: %w", err)
	}
	path := filepath.Join(dir, DatabaseFile)
	return openLiteEnd(dir, func(e *liteEnd) (err error) {
		if err := refuseLiteRows(ctx, path, skip); err != nil {
			return err
		}
		if err := clearMoved(dir); err != nil { // of a database that is gone
			return err
		}
		engine := &sqliteEngine{path: path, now: time.Now, logger: slog.New(slog.DiscardHandler), lock: e.lock}
		if err := engine.keepPrivate(); err != nil {
			return err
		}
		if e.c, err = openLite(path, true); err != nil {
			return err
		}
		if err := engine.prepare(ctx, e.c, migrations); err != nil {
			return err
		}
		// References are checked once, at the end. The log is flushed at checkpoints and at the end.
		if err := e.c.run("PRAGMA foreign_keys = OFF"); err != nil {
			return err
		}
		return e.c.run("PRAGMA synchronous = NORMAL")
	})
}

// refuseLiteRows refuses a file with rows, except for those of an unfinished move. It does not change the file.
func refuseLiteRows(ctx context.Context, path string, skip []string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	c, err := openFile(path, sqlite.OpenReadOnly)
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

// unchanged checks nothing, because no server can use the database.
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

// selectRows returns a query for the rows of a table in the order of its key.
func selectRows(t *moveTable, inOrder func(column string) string) string {
	key := make([]string, len(t.key))
	for i, column := range t.key {
		key[i] = t.columns[column]
	}
	where := ""
	if t.where != "" {
		where = " WHERE " + t.where
	}
	return "SELECT " + list(t.columns, quoted) + " FROM " + quoted(t.name) + where + " ORDER BY " + list(key, inOrder)
}

// liteValues reads a row. It returns an error if a value does not have the type of its column.
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
	err := e.c.query(unfinishedMove, nil, func(Row) error { there = true; return nil })
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

// unfinishedMove finds the table of the progress.
const unfinishedMove = `SELECT 1 FROM sqlite_schema WHERE name = '` + progressTable + `'`

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
			if err := e.c.later(insert, row); err != nil {
				return err
			}
		}
		return e.c.later(putProgress, p.args())
	})
}

// finish also checks the references and runs a checkpoint.
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
