package db

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"recado/internal/model"
)

// pgSession is one connection inside a transaction. BEGIN and the statements of later travel with
// the next statement, or with COMMIT, in one round trip.
type pgSession struct {
	conn  *pgx.Conn
	ctx   context.Context // the caller's; looked at between statements
	begin string          // empty: no transaction, one statement
	begun bool
	queue []queued

	undone error // the failure after which the whole transaction may run again
}

type queued struct {
	sql  string
	args []any
}

func (s *pgSession) exec(sql string, args []any) (int64, error) {
	var tag pgconn.CommandTag
	err := s.send(sql, args, func(rows pgx.Rows) error {
		for rows.Next() {
			continue
		}
		rows.Close()
		tag = rows.CommandTag()
		return rows.Err()
	})
	return tag.RowsAffected(), err
}

func (s *pgSession) later(sql string, args []any) error {
	if s.begin != beginWrite {
		return errReadOnly
	}
	simple, err := pgArgs(args)
	if err != nil {
		return err
	}
	s.queue = append(s.queue, queued{sql, simple})
	return nil
}

// limitTime travels with the next statement. What takes long enough to be limited is worth a plan for its own arguments: that
// of a prepared statement does not know how many rows a company has, or how many contain a text.
func (s *pgSession) limitTime(d time.Duration) func() {
	if s.begin != beginRead {
		return func() {}
	}
	s.queue = append(s.queue,
		queued{sql: "SET LOCAL statement_timeout = " + strconv.FormatInt(max(1, d.Milliseconds()), 10)},
		queued{sql: "SET LOCAL plan_cache_mode = force_custom_plan"})
	return func() {}
}

func (s *pgSession) query(sql string, args []any, each func(r Row) error) error {
	return s.send(sql, args, func(rows pgx.Rows) error {
		defer rows.Close()
		row := &pgRow{}
		for rows.Next() {
			if row.fields == nil {
				row.fields = rows.FieldDescriptions()
			}
			row.values = rows.RawValues()
			err := each(row)
			if row.err != nil {
				return row.err
			}
			if err != nil {
				rows.Close() // the rest still runs, and may fail
				return cmp.Or(rows.Err(), err)
			}
		}
		return rows.Err()
	})
}

// send runs what is queued and then sql, whose rows it hands to read.
func (s *pgSession) send(sql string, args []any, read func(rows pgx.Rows) error) (err error) {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	simple, err := pgArgs(args)
	if err != nil {
		return err
	}
	defer func() { err = s.failure(err) }()
	if len(s.queue) == 0 && (s.begun || s.begin == "") {
		rows, err := s.conn.Query(context.Background(), sql, simple...)
		if err != nil {
			return err
		}
		return read(rows)
	}
	results, err := s.flush(queued{sql, simple})
	if err != nil {
		return errors.Join(err, results.Close())
	}
	rows, err := results.Query()
	if err == nil {
		err = read(rows)
	}
	if closed := results.Close(); err == nil {
		err = closed
	}
	return err
}

// flush sends BEGIN if it is due, the queue and last, and reads the answers before that of last.
func (s *pgSession) flush(last queued) (pgx.BatchResults, error) {
	batch := &pgx.Batch{}
	if !s.begun && s.begin != "" {
		batch.Queue(s.begin)
		s.begun = true
	}
	for _, q := range s.queue {
		batch.Queue(q.sql, q.args...)
	}
	s.queue = s.queue[:0]
	before := batch.Len()
	batch.Queue(last.sql, last.args...)
	results := s.conn.SendBatch(context.Background(), batch)
	for range before {
		if _, err := results.Exec(); err != nil {
			return results, err
		}
	}
	return results, nil
}

func (s *pgSession) commit() error {
	if s.begin == "" || !s.begun && len(s.queue) == 0 {
		return nil
	}
	results, err := s.flush(queued{sql: "COMMIT"})
	var tag pgconn.CommandTag
	if err == nil {
		tag, err = results.Exec()
	}
	if closed := results.Close(); err == nil {
		err = closed
	}
	err = s.failure(err)
	switch {
	case err == nil && tag.String() != "COMMIT":
		return fmt.Errorf("db: the commit ended as %q", tag)
	case err != nil && s.begin == beginWrite && s.conn.IsClosed() && !pgconn.SafeToRetry(err):
		return &lostCommit{err}
	case err != nil:
		s.rollback()
	}
	return err
}

// rollback ends the transaction; where that fails, the connection is closed on its release.
func (s *pgSession) rollback() {
	if s.begun && !s.conn.IsClosed() {
		_, _ = s.conn.PgConn().Exec(context.Background(), "ROLLBACK").ReadAll()
	}
}

func (s *pgSession) failure(err error) error {
	if err != nil && s.conn.IsClosed() {
		err = &lostSession{err}
	}
	if s.undone == nil && err != nil && repeatable(err) {
		s.undone = err
	}
	return err
}

func pgArgs(args []any) ([]any, error) {
	if len(args) == 0 {
		return nil, nil
	}
	simple := make([]any, len(args))
	for i, arg := range args {
		switch v := arg.(type) {
		case string, int64, bool, float64, nil:
			simple[i] = v
			continue
		}
		v, err := plain(arg)
		if err != nil {
			return nil, err
		}
		switch v := v.(type) {
		case model.ID:
			if !v.IsZero() {
				simple[i] = pgtype.UUID{Bytes: v, Valid: true}
			}
		case []byte:
			if v != nil {
				simple[i] = v
			}
		default:
			simple[i] = v
		}
	}
	return simple, nil
}
