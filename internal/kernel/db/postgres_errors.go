package db

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"recado/internal/kernel/base"
)

// noConnection means that nothing was sent.
type noConnection struct{ cause error }

func (e *noConnection) Error() string { return "db: no connection: " + e.cause.Error() }

func (e *noConnection) Unwrap() error { return e.cause }

// lostSession means that the connection ended in the middle of a transaction, which is undone.
type lostSession struct{ cause error }

func (e *lostSession) Error() string { return "connection lost: " + e.cause.Error() }

func (e *lostSession) Unwrap() error { return e.cause }

// lostCommit means that the connection ended while a commit was under way: it may have happened.
type lostCommit struct{ cause error }

func (e *lostCommit) Error() string { return "db: connection lost in a commit: " + e.cause.Error() }

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

// lostConnection reports whether the connection ended in the middle of a transaction. One that was
// given up because the server did not answer in time is none: it would not answer now.
func lostConnection(err error) bool {
	_, lost := errors.AsType[*lostSession](err)
	return lost && !pgconn.Timeout(err) && !errors.Is(err, os.ErrDeadlineExceeded)
}

// pgError returns a database that cannot be reached the code that callers wait and repeat on. The
// driver's text stays in the chain for the log, and never becomes part of a base.Error.
func pgError(err error) error {
	if err == nil {
		return nil
	}
	if _, known := errors.AsType[*base.Error](err); known {
		return err
	}
	if _, uncertain := errors.AsType[*lostCommit](err); uncertain {
		return fmt.Errorf("%w (%w)", base.Errorf(base.CodeUncertain, "The connection to the database was lost at the last moment, so it is not known whether the change was stored. Retry the request with the same client_id if it has one; otherwise check whether the change was stored before retrying."), err)
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.Code == "53100" { // disk full
		return fmt.Errorf("%w (%w)", base.StorageFull(), err)
	}
	if isUnreachable(err) || repeatable(err) {
		return fmt.Errorf("%w (%w)", &base.Error{
			Code: base.CodeUnavailable, Message: "The database cannot be reached at the moment. Try again.",
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
	if _, lost := errors.AsType[*lostSession](err); lost {
		return true
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch (pg.Code + "00")[:2] {
		case "08", "53", "57", "58": // connection, resources, operator, system
			return true
		}
		return pg.Code == "55P03" // a lock that was not to be had
	}
	return false
}
