package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"

	"recado/internal/kernel/base"
)

const (
	// movedFile marks the SQLite database beside it as moved. It holds the name of the target.
	movedFile = liteFile + ".moved"

	// movedTable marks a PostgreSQL database as moved. It holds the name of the target.
	movedTable = "moved_to"
)

// errMoved is for a database whose installation lives elsewhere. A server on it would send what waits a second time, and changes
// to it would be lost.
func errMoved(target string) error {
	return base.Errorf(base.CodeInvalidRequest, "This installation was moved to %s. Use that one. To use this one again, run `recado move --undo` with the same --data or --database-url.", target)
}

// targetName is where a move goes to, without credentials.
func (o Options) targetName() string {
	if o.DatabaseURL == "" {
		if dir, err := filepath.Abs(o.Dir); err == nil {
			return dir
		}
		return o.Dir
	}
	u, err := url.Parse(o.DatabaseURL)
	if err != nil {
		return "a PostgreSQL database"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// movedFrom returns the target that the SQLite database in a folder was moved to, or "".
func movedFrom(dir string) (string, error) {
	raw, err := os.ReadFile(filepath.Join(dir, movedFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("db: %w", err)
	}
	if target := strings.TrimSpace(string(raw)); target != "" {
		return target, nil
	}
	return "another place", nil
}

// refuseMoved reports an error when the SQLite database in a folder was moved.
func refuseMoved(dir string) error {
	target, err := movedFrom(dir)
	if err == nil && target != "" {
		err = errMoved(target)
	}
	return err
}

func clearMoved(dir string) error {
	if err := os.Remove(filepath.Join(dir, movedFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("db: %w", err)
	}
	return nil
}

// markMoved is durable when it returns: the target is finished only afterwards.
func (e *liteEnd) markMoved(_ context.Context, target string) error {
	f, err := os.OpenFile(filepath.Join(e.dir, movedFile), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("db: %w", err)
	}
	_, err = f.WriteString(target + "\n")
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("db: %w", err)
	}
	return syncFolder(e.dir)
}

func (e *liteEnd) movedTo(context.Context) (string, error) { return movedFrom(e.dir) }

// markMoved uses a connection of its own: that of the move only reads.
func (e *pgEnd) markMoved(ctx context.Context, target string) error {
	return e.alone(ctx, func(conn *pgx.Conn) error {
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "DROP TABLE IF EXISTS "+movedTable); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, "CREATE TABLE "+movedTable+" (target TEXT NOT NULL)"); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, "INSERT INTO "+movedTable+" (target) VALUES ($1)", target)
			return err
		})
	})
}

func (e *pgEnd) movedTo(ctx context.Context) (string, error) { return pgMovedTo(ctx, e.conn) }

// alone runs do on another connection to the same database.
func (e *pgEnd) alone(ctx context.Context, do func(conn *pgx.Conn) error) error {
	other, err := openPostgresEnd(ctx, e.url)
	if err != nil {
		return err
	}
	return errors.Join(do(other.conn), other.close(ctx))
}

// pgMovedTo returns the target that a PostgreSQL database was moved to, or "".
func pgMovedTo(ctx context.Context, conn *pgx.Conn) (target string, err error) {
	there := false
	if err := conn.QueryRow(ctx, "SELECT to_regclass($1) IS NOT NULL", movedTable).Scan(&there); err != nil || !there {
		return "", err
	}
	err = conn.QueryRow(ctx, "SELECT target FROM "+movedTable).Scan(&target)
	return target, err
}

// UndoMove makes a database usable again that a move has marked as moved, and returns the target of that move.
func UndoMove(ctx context.Context, o Options) (target string, err error) {
	if o.DatabaseURL == "" {
		return undoLiteMove(o.Dir)
	}
	e, err := openPostgresEnd(ctx, o.DatabaseURL)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, e.close(ctx)) }()
	if target, err = pgMovedTo(ctx, e.conn); err != nil {
		return "", err
	}
	if target == "" {
		return "", errNotMoved
	}
	_, err = e.conn.Exec(ctx, "DROP TABLE "+movedTable)
	return target, err
}

var errNotMoved = base.Errorf(base.CodeInvalidRequest, "This installation is not marked as moved: there is nothing to undo.")

func undoLiteMove(dir string) (string, error) {
	lock, err := lockFolder(dir)
	if err != nil {
		return "", err
	}
	defer lock.release()
	target, err := movedFrom(dir)
	switch {
	case err != nil:
		return "", err
	case target == "":
		return "", errNotMoved
	}
	return target, clearMoved(dir)
}
