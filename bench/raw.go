package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// freshDatabase makes an empty database on the PostgreSQL that the environment names, and gives its address.
func (b *bench) freshDatabase(ctx context.Context) (string, error) {
	address, err := url.Parse(b.postgres)
	if err != nil {
		return "", fmt.Errorf("RECADO_TEST_POSTGRES: %w", err)
	}
	admin, err := pgx.Connect(ctx, b.postgres)
	if err != nil {
		return "", err
	}
	name := fmt.Sprintf("recado_bench_%d_%d", os.Getpid(), time.Now().UnixNano())
	if _, err := admin.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		return "", err
	}
	b.onClose(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if _, err := admin.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
		}
		admin.Close(ctx)
	})
	address.Path = "/" + name
	return address.String(), nil
}

// ask reads one number from the database of a place, beside the server that may be running there.
func (b *bench) ask(ctx context.Context, at place, query string) (n int64, err error) {
	if at.database != "" {
		conn, err := pgx.Connect(ctx, at.database)
		if err != nil {
			return 0, err
		}
		defer conn.Close(ctx)
		err = conn.QueryRow(ctx, query).Scan(&n)
		return n, err
	}
	conn, err := sqlite.OpenConn(filepath.Join(at.folder, "recado.db"), sqlite.OpenReadWrite)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	conn.SetBlockOnBusy()
	err = sqlitex.ExecuteTransient(conn, query, &sqlitex.ExecOptions{ResultFunc: func(row *sqlite.Stmt) error {
		n = row.ColumnInt64(0)
		return nil
	}})
	return n, err
}
