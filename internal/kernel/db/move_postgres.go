package db

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"recado/internal/kernel/base"
)

// moveLock is the key of the advisory lock of a move into a PostgreSQL database.
const moveLock = LockKey + 64

// pgEnd is the PostgreSQL database of a move, with a connection without timeouts.
type pgEnd struct {
	conn    *pgx.Conn
	url     string
	changes int64 // rows that had been changed when it was opened
}

func openMoveSource(ctx context.Context, o Options, migrations fs.FS) (moveEnd, error) {
	if o.DatabaseURL == "" {
		return openLiteSource(o.Dir, migrations)
	}
	return openPostgresEnd(ctx, o.DatabaseURL, func(e *pgEnd) error { return e.startReading(ctx, migrations) })
}

// openMoveTarget applies the missing migrations to the target, if it is empty and not in use.
func openMoveTarget(ctx context.Context, o Options, skip []string, migrations fs.FS) (moveEnd, error) {
	if o.DatabaseURL == "" {
		return openLiteTarget(ctx, o.Dir, skip, migrations)
	}
	return openPostgresEnd(ctx, o.DatabaseURL, func(e *pgEnd) error { return e.prepareTarget(ctx, skip, migrations) })
}

func (e *pgEnd) prepareTarget(ctx context.Context, skip []string, migrations fs.FS) error {
	err := retry(ctx, func() (mine bool, err error) {
		err = e.conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", int64(moveLock)).Scan(&mine)
		return mine, err
	}, "Another move to this database is in progress.")
	if err != nil {
		return err
	}
	_, begun, err := e.progress(ctx)
	if err == nil && !begun {
		err = refuseRows(ctx, e, skip)
	}
	if err != nil {
		return err
	}
	config, err := pgx.ParseConfig(e.url)
	if err != nil {
		return errDatabaseURL
	}
	config.ConnectTimeout = pgConnectTime
	config.RuntimeParams["application_name"] = moveName
	return preparePostgres(ctx, config, migrations, time.Now)
}

// moveName is the application_name of the connections of a move.
const moveName = "recado move"

// errDatabaseURL does not quote the address, which may contain a password.
var errDatabaseURL = errors.New("db: the database URL is not a valid postgres:// address")

// openPostgresEnd connects to a database that no server uses, and prepares it.
func openPostgresEnd(ctx context.Context, url string, prepare func(e *pgEnd) error) (*pgEnd, error) {
	return connectPostgresEnd(ctx, url, func(e *pgEnd) error {
		if err := e.refuseServers(ctx); err != nil {
			return err
		}
		return prepare(e)
	})
}

// connectPostgresEnd is openPostgresEnd for a database that servers may use.
func connectPostgresEnd(ctx context.Context, url string, prepare func(e *pgEnd) error) (*pgEnd, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, errDatabaseURL
	}
	config.ConnectTimeout = pgConnectTime
	for name, value := range map[string]string{
		"application_name": moveName, "timezone": "UTC", "statement_timeout": "0", "idle_in_transaction_session_timeout": "0",
		"synchronous_commit": "on",
		"enable_sort":        "off", // tables are read along the index of their key, which needs no space on disk
		"jit":                "off",
	} {
		config.RuntimeParams[name] = value
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, pgError(fmt.Errorf("db: connect to PostgreSQL: %w", err))
	}
	e := &pgEnd{conn: conn, url: url}
	if err := prepare(e); err != nil {
		return nil, errors.Join(err, e.close(ctx))
	}
	return e, nil
}

// refuseServers returns an error if a server is connected to the database.
func (e *pgEnd) refuseServers(ctx context.Context) error {
	return retry(ctx, func() (bool, error) {
		servers, err := e.number(ctx, `
			SELECT count(*)
			FROM pg_stat_activity
			WHERE datname = current_database() AND application_name = '`+pgName+`' AND pid <> pg_backend_pid()`)
		return servers == 0, err
	}, "A Recado server is connected to the PostgreSQL database. Stop every node first.")
}

// retry calls check for up to two seconds, because the connections of a process that has just stopped may remain for a moment.
func retry(ctx context.Context, check func() (bool, error), refusal string) error {
	for range 20 {
		if ok, err := check(); err != nil || ok {
			return pgError(err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	return base.Errorf(base.CodeInvalidRequest, "%s", refusal)
}

// countChanges returns the number of rows that have been changed. PostgreSQL counts them when the session that changed them ends,
// or about a second later. Transaction ids cannot be used, because other databases of the server use them too.
func (e *pgEnd) countChanges(ctx context.Context) (int64, error) {
	return e.number(ctx, `
		SELECT COALESCE(sum(n_tup_ins + n_tup_upd + n_tup_del), 0)::bigint
		FROM pg_stat_user_tables
		WHERE schemaname = current_schema()`)
}

// unchanged uses another connection, because that of the move has a snapshot.
func (e *pgEnd) unchanged(ctx context.Context) error {
	return e.alone(ctx, func(other *pgEnd) error {
		changes, err := other.countChanges(ctx)
		if err == nil && changes != e.changes {
			err = base.Errorf(base.CodeInvalidRequest, "The source changed during the move. Make sure that no server uses it, and run the same `recado move` again.")
		}
		return err
	})
}

// alone runs do on another connection to the same database.
func (e *pgEnd) alone(ctx context.Context, do func(other *pgEnd) error) error {
	other, err := openPostgresEnd(ctx, e.url, do)
	if err != nil {
		return err
	}
	return other.close(ctx)
}

// startReading begins the snapshot. It refuses a database without the latest schema.
func (e *pgEnd) startReading(ctx context.Context, migrations fs.FS) (err error) {
	if e.changes, err = e.countChanges(ctx); err != nil {
		return err
	}
	if _, err := e.conn.Exec(ctx, beginRead); err != nil {
		return err
	}
	all, err := loadMigrations(migrations)
	if err != nil {
		return err
	}
	there, err := hasTable(ctx, e.conn, "schema_migrations")
	if err != nil {
		return err
	}
	if !there {
		return base.Errorf(base.CodeInvalidRequest, "The PostgreSQL database contains no Recado data.")
	}
	done, err := pgApplied(ctx, e.conn)
	if err != nil {
		return err
	}
	switch _, begun, err := e.progress(ctx); {
	case err != nil:
		return err
	case begun:
		return errUnfinishedMove
	}
	return olderSchema(all, done)
}

func (e *pgEnd) dialect() Dialect { return Dialect{} }

func (e *pgEnd) number(ctx context.Context, sql string) (n int64, err error) {
	if err = e.conn.QueryRow(ctx, sql).Scan(&n); errors.Is(err, pgx.ErrNoRows) {
		err = nil
	}
	return n, err
}

func (e *pgEnd) schema(ctx context.Context) (map[string]map[string]string, error) {
	rows, err := e.conn.Query(ctx, `
		SELECT c.table_name, c.column_name, c.data_type
		FROM information_schema.columns c
		JOIN information_schema.tables t USING (table_catalog, table_schema, table_name)
		WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE'`)
	if err != nil {
		return nil, err
	}
	out := map[string]map[string]string{}
	var table, column, kind string
	_, err = pgx.ForEachRow(rows, []any{&table, &column, &kind}, func() error {
		if out[table] == nil {
			out[table] = map[string]string{}
		}
		out[table][column] = kind
		return nil
	})
	return out, err
}

func (e *pgEnd) rows(ctx context.Context, t *moveTable, each func(row []any) error) error {
	inOrder := func(column string) string {
		if t.kinds[slices.Index(t.columns, column)] == kindText {
			return quoted(column) + ` COLLATE "C"` // the order of SQLite
		}
		return quoted(column)
	}
	rows, err := e.conn.Query(ctx, selectRows(t, inOrder))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		row, err := pgValues(t, rows)
		if err != nil {
			return err
		}
		if err := each(row); err != nil {
			return err
		}
	}
	return rows.Err()
}

// pgValues reads a row. All types but text have the binary format.
func pgValues(t *moveTable, rows pgx.Rows) ([]any, error) {
	raw, fields := rows.RawValues(), rows.FieldDescriptions()
	row := make([]any, len(raw))
	for i, value := range raw {
		kind := t.kinds[i]
		switch {
		case value == nil:
		case kind == kindText:
			row[i] = string(value)
		case fields[i].Format != pgx.BinaryFormatCode:
			return nil, fmt.Errorf("the column %s of the table %s is not sent in binary form", t.columns[i], t.name)
		case kind == kindInteger && len(value) == 8:
			row[i] = int64(binary.BigEndian.Uint64(value))
		case kind == kindBoolean && len(value) == 1:
			row[i] = value[0] != 0
		case kind == kindUUID && len(value) == 16:
			row[i] = [16]byte(value)
		case kind == kindBytes:
			row[i] = append([]byte{}, value...)
		default:
			return nil, fmt.Errorf("the column %s of the table %s has %d bytes", t.columns[i], t.name, len(value))
		}
	}
	return row, nil
}

func (e *pgEnd) progress(ctx context.Context) (map[string]moveProgress, bool, error) {
	there, err := hasTable(ctx, e.conn, progressTable)
	if err != nil || !there {
		return nil, false, err
	}
	rows, err := e.conn.Query(ctx, selectProgress)
	if err != nil {
		return nil, false, err
	}
	out := map[string]moveProgress{}
	var p moveProgress
	_, err = pgx.ForEachRow(rows, []any{&p.name, &p.rows, &p.hash, &p.done}, func() error {
		out[p.name] = moveProgress{name: p.name, rows: p.rows, hash: slices.Clone(p.hash), done: p.done}
		return nil
	})
	return out, true, err
}

func (e *pgEnd) begin(ctx context.Context, first moveProgress) error {
	return pgx.BeginFunc(ctx, e.conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, createProgress); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, putProgress, first.args()...)
		return err
	})
}

func (e *pgEnd) write(ctx context.Context, t *moveTable, rows [][]any, p moveProgress) error {
	return pgx.BeginFunc(ctx, e.conn, func(tx pgx.Tx) error {
		if len(rows) > 0 {
			if _, err := tx.CopyFrom(ctx, pgx.Identifier{t.name}, t.columns, pgx.CopyFromRows(rows)); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, putProgress, p.args()...)
		return err
	})
}

// finish also updates the statistics, because the first queries would have bad plans without them.
func (e *pgEnd) finish(ctx context.Context, statements []string) error {
	err := pgx.BeginFunc(ctx, e.conn, func(tx pgx.Tx) error {
		for _, sql := range append(statements, "DROP TABLE "+progressTable) {
			if _, err := tx.Exec(ctx, sql); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	_, err = e.conn.Exec(ctx, "ANALYZE")
	return err
}

func (e *pgEnd) close(ctx context.Context) error {
	return e.conn.Close(context.WithoutCancel(ctx))
}
