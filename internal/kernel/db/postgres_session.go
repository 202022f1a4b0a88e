package db

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"recado/internal/kernel/base"
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
	each func(r Row) error // nil: rows are not read
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
	s.queue = append(s.queue, queued{sql: sql, args: simple})
	return nil
}

func (s *pgSession) ahead(sql string, args []any, each func(r Row) error) error {
	if s.begin == "" {
		return s.query(sql, args, each)
	}
	simple, err := pgArgs(args)
	if err != nil {
		return err
	}
	s.queue = append(s.queue, queued{sql, simple, each})
	return nil
}

// limitTime travels with the next statement, and so does its end. What takes long enough to be limited is worth a plan for its
// own arguments: that of a prepared statement does not know how many rows a company has, or how many contain a text.
func (s *pgSession) limitTime(d time.Duration) func() {
	if s.begin != beginRead {
		return func() {}
	}
	s.setLocal(d, "force_custom_plan")
	return func() { s.setLocal(TxTime, "auto") }
}

// setLocal sets the longest time of a statement and the choice of plans, until the end of the transaction.
func (s *pgSession) setLocal(timeout time.Duration, plans string) {
	s.queue = append(s.queue, queued{
		sql:  "SELECT set_config('statement_timeout', $1, TRUE), set_config('plan_cache_mode', $2, TRUE)",
		args: []any{strconv.FormatInt(max(1, timeout.Milliseconds()), 10), plans},
	})
}

func (s *pgSession) query(sql string, args []any, each func(r Row) error) error {
	return s.send(sql, args, func(rows pgx.Rows) error { return readRows(rows, each) })
}

// readRows calls each for every row, until it returns an error.
func readRows(rows pgx.Rows, each func(r Row) error) error {
	defer rows.Close()
	row := &pgRow{}
	for rows.Next() {
		if row.fields == nil {
			row.fields = rows.FieldDescriptions()
			for i := range row.fields {
				row.names = append(row.names, row.fields[i].Name)
			}
			if err := checkNames(row.names); err != nil {
				return err
			}
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
	results, err := s.flush(queued{sql: sql, args: simple})
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

// flush sends BEGIN if it is due, the queue and last, and reads the results before that of last.
func (s *pgSession) flush(last queued) (pgx.BatchResults, error) {
	batch := &pgx.Batch{}
	if !s.begun && s.begin != "" {
		batch.Queue(s.begin)
		s.begun = true
	}
	begun := batch.Len()
	for _, q := range s.queue {
		batch.Queue(q.sql, q.args...)
	}
	batch.Queue(last.sql, last.args...)
	results := s.conn.SendBatch(context.Background(), batch)
	defer func() { s.queue = s.queue[:0] }()
	for range begun {
		if _, err := results.Exec(); err != nil {
			return results, err
		}
	}
	for _, q := range s.queue {
		if err := q.read(results); err != nil {
			return results, err
		}
	}
	return results, nil
}

// read reads the result of a statement of a batch.
func (q *queued) read(results pgx.BatchResults) error {
	if q.each == nil {
		_, err := results.Exec()
		return err
	}
	rows, err := results.Query()
	if err != nil {
		return err
	}
	return readRows(rows, q.each)
}

// readAhead sends the queue if rows are to be read ahead in it, and reads them: sent together with COMMIT, an error about one of
// them would come after the commit.
func (s *pgSession) readAhead() error {
	if !slices.ContainsFunc(s.queue, func(q queued) bool { return q.each != nil }) {
		return nil
	}
	last := s.queue[len(s.queue)-1]
	s.queue = s.queue[:len(s.queue)-1]
	results, err := s.flush(last)
	if err == nil {
		err = last.read(results)
	}
	if closed := results.Close(); err == nil {
		err = closed
	}
	return s.failure(err)
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
		case []base.ID:
			simple[i] = pgIDs(v)
			continue
		}
		v, err := plain(arg)
		if err != nil {
			return nil, err
		}
		switch v := v.(type) {
		case base.ID:
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

// pgIDs is a list of ids as one argument.
func pgIDs(ids []base.ID) []pgtype.UUID {
	list := make([]pgtype.UUID, len(ids))
	for i, id := range ids {
		list[i] = pgtype.UUID{Bytes: id, Valid: true}
	}
	return list
}
