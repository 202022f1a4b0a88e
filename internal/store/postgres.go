package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"recado/internal/model"
)

const (
	pgAttempts    = 6
	pgConnectTime = 5 * time.Second  // to get a connection
	pgTxTime      = 20 * time.Second // for a whole transaction
	pgLockKey     = 0x7265_6361_646f // "recado": held while the schema is brought up to date

	beginWrite = "BEGIN ISOLATION LEVEL READ COMMITTED"
	beginRead  = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
)

// postgresEngine is a pool of connections to a PostgreSQL server that several nodes may share.
type postgresEngine struct {
	pool   *pgxpool.Pool
	now    func() time.Time
	logger *slog.Logger
	notes  *notifier
}

func openPostgres(ctx context.Context, o Options, migrations fs.FS) (*postgresEngine, error) {
	config, err := pgxpool.ParseConfig(o.DatabaseURL)
	if err != nil {
		// The driver's message may quote the address with its password.
		return nil, errors.New("store: the database URL is not a valid postgres:// address")
	}
	config.MaxConns = int32(o.MaxConns)
	config.MaxConnIdleTime = 5 * time.Minute
	config.ConnConfig.ConnectTimeout = pgConnectTime
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheStatement
	config.ConnConfig.RuntimeParams["application_name"] = "recado"
	config.ConnConfig.RuntimeParams["timezone"] = "UTC"
	if err := migratePostgres(ctx, config.ConnConfig.Copy(), migrations, o.Now); err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	e := &postgresEngine{pool: pool, now: o.Now, logger: o.Logger}
	e.notes = newNotifier(e)
	return e, nil
}

// migratePostgres brings the schema up to date on a connection of its own, under a lock, so that
// nodes that start together take turns.
func migratePostgres(ctx context.Context, config *pgx.ConnConfig, from fs.FS, now func() time.Time) error {
	all, err := loadMigrations(from)
	if err != nil {
		return err
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return pgError(fmt.Errorf("store: connect to PostgreSQL: %w", err))
	}
	defer conn.Close(context.WithoutCancel(ctx)) // lets go of the lock
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", int64(pgLockKey)); err != nil {
		return pgError(fmt.Errorf("store: wait for the schema lock: %w", err))
	}
	steps, err := pgPending(ctx, conn, all)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	for _, m := range steps {
		err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			if _, err := conn.PgConn().Exec(ctx, forEngine(m.text, false)).ReadAll(); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, insertMigration, m.version, m.name, now().UnixMilli(), m.checksum)
			return err
		})
		if err != nil {
			return fmt.Errorf("store: schema step %04d: %w", m.version, err)
		}
	}
	return nil
}

func pgPending(ctx context.Context, conn *pgx.Conn, all []migration) ([]migration, error) {
	// Asked first, since even IF NOT EXISTS needs the right to create.
	var there bool
	if err := conn.QueryRow(ctx, "SELECT to_regclass('schema_migrations') IS NOT NULL").Scan(&there); err != nil {
		return nil, err
	}
	if !there {
		if _, err := conn.Exec(ctx, createMigrations); err != nil {
			return nil, err
		}
	}
	rows, err := conn.Query(ctx, selectMigrations)
	if err != nil {
		return nil, err
	}
	done, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (a applied, err error) {
		err = row.Scan(&a.version, &a.name, &a.checksum)
		return a, err
	})
	if err != nil {
		return nil, err
	}
	return pending(all, done)
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

// retry repeats what PostgreSQL or the network undid completely: a few times, soon, and at slightly
// random moments, so that two that collided do not meet again.
func (e *postgresEngine) retry(ctx context.Context, once func() error) error {
	for try := 1; ; try++ {
		err := once()
		if err == nil || !repeatable(err) || try == pgAttempts {
			return pgError(err)
		}
		if lostConnection(err) {
			e.pool.Reset() // the others most likely died with it
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

// attempt runs fn once. It leaves the connection without a transaction, or closed.
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
		return nil, &noConnection{err}
	}
	defer conn.Release() // closes it when a transaction is still open, as after runtime.Goexit

	// One deadline for all of it, kept by the socket. The caller's context is looked at between
	// statements only: ending one in the middle would cost the connection.
	_ = conn.Conn().PgConn().Conn().SetDeadline(time.Now().Add(pgTxTime))
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
		return nil, err
	}
	if err := s.commit(); err != nil {
		return nil, err
	}
	return tx.after, nil
}

func (e *postgresEngine) ping(ctx context.Context) error {
	return e.read(ctx, true, func(tx *Tx) error {
		return tx.query("SELECT 1", nil, func(Row) error { return nil })
	})
}

func (e *postgresEngine) close() error {
	e.notes.close()
	e.pool.Close()
	return nil
}

// noConnection means that nothing was sent.
type noConnection struct{ cause error }

func (e *noConnection) Error() string { return "store: no connection: " + e.cause.Error() }
func (e *noConnection) Unwrap() error { return e.cause }

// lostCommit means that the connection ended while a commit was under way: it may have happened.
type lostCommit struct{ cause error }

func (e *lostCommit) Error() string { return "store: connection lost in a commit: " + e.cause.Error() }
func (e *lostCommit) Unwrap() error { return e.cause }

// repeatable reports whether the whole transaction was undone and may succeed when run again.
func repeatable(err error) bool {
	if _, uncertain := errors.AsType[*lostCommit](err); uncertain {
		return false
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch pg.Code {
		case "40001", "40P01": // serialization failure, deadlock
			return true
		case "0A000": // a prepared plan outlived a change of the schema; it is dropped by now
			return strings.Contains(pg.Message, "cached plan")
		}
	}
	return lostConnection(err)
}

// lostConnection reports whether a connection that worked is gone, or was refused for the moment.
func lostConnection(err error) bool {
	if _, none := errors.AsType[*noConnection](err); none {
		return false // the pool has tried already
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return strings.HasPrefix(pg.Code, "08") || strings.HasPrefix(pg.Code, "57P")
	}
	_, lost := errors.AsType[*lostSession](err)
	return lost
}

// pgError gives a database that cannot be reached the code that callers wait and repeat on. The
// driver's text stays in the chain for the log, and never becomes part of a model.Error.
func pgError(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) && !isUnreachable(err) {
		return err
	}
	if _, known := errors.AsType[*model.Error](err); known {
		return err
	}
	if _, uncertain := errors.AsType[*lostCommit](err); uncertain {
		return fmt.Errorf("%w: %w", model.Errorf(model.CodeUncertain, "The connection to the database was lost at the last moment; whether the change was stored is unknown."), err)
	}
	if isUnreachable(err) || repeatable(err) {
		return fmt.Errorf("%w: %w", &model.Error{
			Code: model.CodeUnavailable, Message: "The database cannot be reached at the moment.",
			RetryAfter: time.Second + rand.N(time.Second),
		}, err)
	}
	return err
}

func isUnreachable(err error) bool {
	if _, none := errors.AsType[*noConnection](err); none {
		return true
	}
	if _, failed := errors.AsType[*pgconn.ConnectError](err); failed {
		return true
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch pg.Code[:2] {
		case "08", "53", "57", "58": // connection, resources, operator, system
			return true
		}
		return pg.Code == "55P03" // a lock that was not to be had
	}
	return lostConnection(err)
}
