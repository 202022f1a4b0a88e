package db

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"recado/internal/kernel/base"
)

// pgSession is a connection in a transaction. BEGIN and the statements of later are sent with the next statement, or with
// COMMIT, in one round trip.
type pgSession struct {
	conn  *pgx.Conn
	ctx   context.Context // of the caller; checked between statements
	begin string          // empty: no transaction, one statement
	begun bool
	queue []queued

	undone error // the failure after which the whole transaction may be retried
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

// limitTime sends the limit with the next statement, and so does its end. A query that may take that long gets a plan for its
// own arguments: the plan of a prepared statement does not depend on how many rows a company has, or how many contain a text.
func (s *pgSession) limitTime(d time.Duration) func() {
	if s.begin != beginRead {
		return func() {}
	}
	s.setLocal(d, "force_custom_plan")
	return func() { s.setLocal(TxTime, "auto") }
}

// setLocal sets the timeout of statements and the choice of plans, until the end of the transaction.
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
	values := &pgCells{fields: rows.FieldDescriptions()}
	names := make([]string, len(values.fields))
	for i := range names {
		names[i] = values.fields[i].Name
	}
	row, err := newRow(values, names)
	if err != nil {
		return err
	}
	for rows.Next() {
		values.values = rows.RawValues()
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

// send runs the queue and then sql, whose rows it passes to read.
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
	return s.flush(queued{sql: sql, args: simple}, func(results pgx.BatchResults) error {
		rows, err := results.Query()
		if err != nil {
			return err
		}
		return read(rows)
	})
}

// flush sends BEGIN if it is due, the queue and last, and reads the results. read reads that of last.
func (s *pgSession) flush(last queued, read func(results pgx.BatchResults) error) (err error) {
	statements := append(s.queue, last)
	if !s.begun && s.begin != "" {
		statements = slices.Insert(statements, 0, queued{sql: s.begin})
		s.begun = true
	}
	s.queue = nil
	batch := &pgx.Batch{}
	for _, q := range statements {
		batch.Queue(q.sql, q.args...)
	}
	results := s.conn.SendBatch(context.Background(), batch)
	defer func() { err = cmp.Or(err, results.Close()) }()
	for _, q := range statements[:len(statements)-1] {
		if err := q.read(results); err != nil {
			return err
		}
	}
	return read(results)
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

// commit does not send queries that nothing waits for: an error of one of them would come after the commit.
func (s *pgSession) commit() error {
	s.queue = slices.DeleteFunc(s.queue, func(q queued) bool { return q.each != nil })
	if s.begin == "" || !s.begun && len(s.queue) == 0 {
		return nil
	}
	var tag pgconn.CommandTag
	err := s.failure(s.flush(queued{sql: "COMMIT"}, func(results pgx.BatchResults) (err error) {
		tag, err = results.Exec()
		return err
	}))
	switch {
	case err == nil && tag.String() != "COMMIT":
		return fmt.Errorf("db: the commit ended as %q", tag)
	case err != nil && s.begin == beginWrite && s.conn.IsClosed() && !pgconn.SafeToRetry(err):
		return &lost{inCommit, err}
	case err != nil:
		s.rollback()
	}
	return err
}

// rollback ends the transaction. If that fails, the connection is closed when it is released.
func (s *pgSession) rollback() {
	if s.begun && !s.conn.IsClosed() {
		_, _ = s.conn.PgConn().Exec(context.Background(), "ROLLBACK").ReadAll()
	}
}

func (s *pgSession) failure(err error) error {
	if err != nil && s.conn.IsClosed() {
		err = &lost{inSession, err}
	}
	if s.undone == nil && err != nil && repeatable(err) {
		s.undone = err
	}
	return err
}

func pgArgs(args []any) ([]any, error) {
	simple := make([]any, len(args))
	for i, arg := range args {
		if ids, ok := arg.([]base.ID); ok {
			list := make([]pgtype.UUID, len(ids))
			for j, id := range ids {
				list[j] = pgtype.UUID{Bytes: id, Valid: true}
			}
			simple[i] = list
			continue
		}
		v, err := plain(arg)
		if err != nil {
			return nil, err
		}
		if id, ok := v.([16]byte); ok {
			v = pgtype.UUID{Bytes: id, Valid: true}
		}
		simple[i] = v
	}
	return simple, nil
}
