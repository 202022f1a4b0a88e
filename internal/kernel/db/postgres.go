package db

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	pgAttempts     = 6
	pgMigrateTries = 30
	pgConnectTime  = 5 * time.Second // of waiting for a connection
	pgIdleTime     = 3 * time.Second // between two statements, so that a node that hangs does not keep its locks

	beginWrite = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
	beginRead  = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
)

// pgName is the application_name of the connections of servers.
const pgName = "recado"

// LockKey is the key ("recado") of the advisory lock for migrations on PostgreSQL. Other locks use the keys after it.
const LockKey = 0x7265_6361_646f

// TxTime is the timeout of transactions on PostgreSQL. Tests that fill a database on a busy machine raise it.
var TxTime = 10 * time.Second

// postgresEngine is a pool of connections to a PostgreSQL server that several nodes may share.
type postgresEngine struct {
	pool   *pgxpool.Pool
	now    func() time.Time
	logger *slog.Logger
	notes  *notifier

	txTime    time.Duration // for a whole transaction
	lastReset atomic.Int64  // Unix milliseconds
}

func openPostgres(ctx context.Context, o Options, migrations fs.FS) (*postgresEngine, error) {
	config, err := pgxpool.ParseConfig(o.DatabaseURL)
	if err != nil {
		return nil, errDatabaseURL
	}
	config.MaxConns = int32(o.MaxConns)
	config.MaxConnIdleTime = 5 * time.Minute
	config.ConnConfig.ConnectTimeout = pgConnectTime
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheStatement
	params := config.ConnConfig.RuntimeParams
	params["application_name"] = pgName
	params["timezone"] = "UTC"
	params["idle_in_transaction_session_timeout"] = strconv.FormatInt(pgIdleTime.Milliseconds(), 10)
	if err := preparePostgres(ctx, config.ConnConfig, migrations, o.Now); err != nil {
		return nil, err
	}
	// Statements outside of transactions are reads.
	params["default_transaction_read_only"] = "on"
	// A statement whose caller has timed out ends on the server too.
	params["statement_timeout"] = strconv.FormatInt(TxTime.Milliseconds(), 10)
	// The server runs many small statements. One statement must not take several processors from the others, and compiling
	// one takes longer than running it.
	params["max_parallel_workers_per_gather"] = "0"
	params["jit"] = "off"
	// The default, 4, is that of a spinning disk: it makes the planner read and sort a small table instead of following the
	// index with the order of the list. A parameter of the URL takes precedence.
	if params["random_page_cost"] == "" {
		params["random_page_cost"] = "1.1"
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("db: %w", err)
	}
	e := &postgresEngine{pool: pool, now: o.Now, logger: o.Logger, txTime: TxTime}
	unfinished, err := hasTable(ctx, pool, progressTable)
	if err == nil && unfinished {
		err = errUnfinishedMove
	}
	if err != nil {
		pool.Close()
		return nil, pgError(fmt.Errorf("db: %w", err))
	}
	e.notes = newNotifier(e)
	return e, nil
}

// preparePostgres checks the server and applies the missing migrations, on a separate connection and with a lock, so that nodes
// that start together take turns.
func preparePostgres(ctx context.Context, config *pgx.ConnConfig, from fs.FS, now func() time.Time) error {
	all, err := loadMigrations(from)
	if err != nil {
		return err
	}
	conn, err := pgx.ConnectConfig(ctx, config.Copy())
	if err != nil {
		return pgError(fmt.Errorf("db: connect to PostgreSQL: %w", err))
	}
	defer conn.Close(context.WithoutCancel(ctx)) // releases the lock
	if err := checkPostgres(ctx, conn, config); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", int64(LockKey)); err != nil {
		return pgError(fmt.Errorf("db: wait for the schema lock: %w", err))
	}
	switch target, err := pgMovedTo(ctx, conn); {
	case err != nil:
		return pgError(fmt.Errorf("db: %w", err))
	case target != "":
		return errMoved(target)
	}
	steps, err := pgPending(ctx, conn, all)
	if err != nil {
		return fmt.Errorf("db: %w", err)
	}
	for _, m := range steps {
		if err := pgMigrate(ctx, conn, m, now); err != nil {
			return fmt.Errorf("db: schema step %04d: %w", m.version, err)
		}
	}
	return nil
}

// pgMigrate applies a migration. Nodes of the previous version may be running, so it retries after a deadlock with their
// transactions.
func pgMigrate(ctx context.Context, conn *pgx.Conn, m migration, now func() time.Time) error {
	for try := 1; ; try++ {
		err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			if _, err := conn.PgConn().Exec(ctx, forEngine(m.text, false)).ReadAll(); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, insertMigration, m.version, m.name, now().UnixMilli(), m.checksum)
			return err
		})
		if err == nil || !repeatable(err) || try == pgMigrateTries {
			return err
		}
		select {
		case <-time.After(10*time.Millisecond + rand.N(100*time.Millisecond)):
		case <-ctx.Done():
			return err
		}
	}
}

// checkPostgres refuses servers that cannot store the data, and turns synchronous_commit on if the server has it off.
func checkPostgres(ctx context.Context, conn *pgx.Conn, config *pgx.ConnConfig) error {
	var version, durable string
	err := conn.QueryRow(ctx, "SELECT current_setting('server_version_num'), current_setting('synchronous_commit')").Scan(&version, &durable)
	if err != nil {
		return pgError(fmt.Errorf("db: ask for the PostgreSQL version: %w", err))
	}
	if n, _ := strconv.Atoi(version); n < 140000 {
		return fmt.Errorf("db: the PostgreSQL server has version %s; 14 or newer is required", conn.PgConn().ParameterStatus("server_version"))
	}
	if encoding := conn.PgConn().ParameterStatus("server_encoding"); encoding != "UTF8" {
		return fmt.Errorf("db: the PostgreSQL database is encoded in %s; UTF8 is required", encoding)
	}
	if durable == "off" {
		config.RuntimeParams["synchronous_commit"] = "on"
	}
	return nil
}

// hasTable reports whether a table exists.
func hasTable(ctx context.Context, on interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}, name string,
) (there bool, err error) {
	err = on.QueryRow(ctx, "SELECT to_regclass($1) IS NOT NULL", name).Scan(&there)
	return there, err
}

func pgPending(ctx context.Context, conn *pgx.Conn, all []migration) ([]migration, error) {
	// CREATE TABLE IF NOT EXISTS would need the right to create even if the table exists.
	there, err := hasTable(ctx, conn, "schema_migrations")
	if err == nil && !there {
		_, err = conn.Exec(ctx, createMigrations)
	}
	if err != nil {
		return nil, err
	}
	done, err := pgApplied(ctx, conn)
	if err != nil {
		return nil, err
	}
	return pending(all, done)
}

// pgApplied returns the applied migrations.
func pgApplied(ctx context.Context, conn *pgx.Conn) ([]migration, error) {
	rows, err := conn.Query(ctx, selectMigrations)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (m migration, err error) {
		err = row.Scan(&m.version, &m.name, &m.checksum)
		return m, err
	})
}

func (e *postgresEngine) write(ctx context.Context, fn func(tx *Tx) error) (after []func(), err error) {
	err = e.retry(ctx, func() error {
		after, err = e.attempt(ctx, beginWrite, fn)
		return err
	})
	return after, err
}

func (e *postgresEngine) read(ctx context.Context, single bool, fn func(tx *Tx) error) error {
	begin := beginRead
	if single {
		begin = ""
	}
	return e.retry(ctx, func() error {
		_, err := e.attempt(ctx, begin, fn)
		return err
	})
}

// retry retries transactions that PostgreSQL or the network has undone: a few times, after short random delays, so that two
// transactions do not collide again.
func (e *postgresEngine) retry(ctx context.Context, once func() error) error {
	for try := 1; ; try++ {
		err := once()
		if err == nil || !repeatable(err) || try == pgAttempts {
			return pgError(err)
		}
		if lostConnection(err) {
			e.reset()
		}
		wait := time.Duration(1<<try) * time.Millisecond
		wait += rand.N(wait)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return pgError(err)
		}
	}
}

// reset closes the idle connections after a connection was lost, because they are probably broken too. Calls within 100 ms
// count as one.
func (e *postgresEngine) reset() {
	now, last := time.Now().UnixMilli(), e.lastReset.Load()
	if now-last > 100 && e.lastReset.CompareAndSwap(last, now) {
		e.pool.Reset()
	}
}

// attempt runs fn once.
func (e *postgresEngine) attempt(ctx context.Context, begin string, fn func(tx *Tx) error) ([]func(), error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	waiting, cancel := context.WithTimeout(ctx, pgConnectTime)
	conn, err := e.pool.Acquire(waiting)
	cancel()
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &lost{beforeBegin, err}
	}
	defer conn.Release() // closes it if a transaction is still open, as after runtime.Goexit

	// The socket has one deadline for the whole transaction. The caller's context is checked only between statements, because
	// canceling a statement would close the connection.
	_ = conn.Conn().PgConn().Conn().SetDeadline(time.Now().Add(e.txTime))
	defer func() {
		if c := conn.Conn(); !c.IsClosed() {
			_ = c.PgConn().Conn().SetDeadline(time.Time{})
		}
	}()
	s := &pgSession{conn: conn.Conn(), ctx: ctx, begin: begin}
	tx := newTx(s, e.now(), false)
	tx.single = begin == ""
	if err := tx.run(fn); err != nil {
		s.rollback()
		if s.undone != nil {
			return nil, s.undone // whatever fn returned
		}
		return nil, err
	}
	if err := s.commit(); err != nil {
		return nil, err
	}
	return tx.after, nil
}

func (e *postgresEngine) ping(ctx context.Context) error {
	return e.read(ctx, true, func(tx *Tx) error {
		return tx.Query("SELECT 1", nil, func(Row) error { return nil })
	})
}

func (e *postgresEngine) close() error {
	e.notes.close()
	e.pool.Close()
	return nil
}
