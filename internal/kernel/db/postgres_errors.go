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

// lost is the failure of a connection.
type lost struct {
	when  stage
	cause error
}

// stage says when a connection failed.
type stage string

const (
	beforeBegin stage = "no connection"               // nothing was sent
	inSession   stage = "connection lost"             // the transaction is undone
	inCommit    stage = "connection lost in a commit" // the transaction may be committed
)

func (e *lost) Error() string { return "db: " + string(e.when) + ": " + e.cause.Error() }

func (e *lost) Unwrap() error { return e.cause }

// lostWhen returns the stage at which the connection failed, or "".
func lostWhen(err error) stage {
	if e, ok := errors.AsType[*lost](err); ok {
		return e.when
	}
	return ""
}

// repeatable reports whether the whole transaction was undone and may succeed if it is retried.
func repeatable(err error) bool {
	if lostWhen(err) == inCommit {
		return false
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch pg.Code {
		case "40001", "40P01": // serialization failure, deadlock
			return true
		case "0A000": // a prepared plan from before a change of the schema; the driver has dropped it
			return strings.Contains(pg.Message, "cached plan")
		}
	}
	return lostConnection(err)
}

// lostConnection reports whether the connection failed in the middle of a transaction. Timeouts do not count, because the
// server would not respond to a retry either.
func lostConnection(err error) bool {
	return lostWhen(err) == inSession && !pgconn.Timeout(err) && !errors.Is(err, os.ErrDeadlineExceeded)
}

// pgError adds the codes for a database that cannot be reached or has no space. The text of the driver stays in the chain for
// the log, and never becomes part of a base.Error.
func pgError(err error) error {
	if err == nil {
		return nil
	}
	if _, known := errors.AsType[*base.Error](err); known {
		return err
	}
	if lostWhen(err) == inCommit {
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
	if _, failed := errors.AsType[*pgconn.ConnectError](err); failed || lostWhen(err) != "" {
		return true
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch (pg.Code + "00")[:2] {
		case "08", "53", "57", "58": // connection, resources, operator, system
			return true
		}
		return pg.Code == "55P03" // lock_not_available
	}
	return false
}
