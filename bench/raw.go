package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
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
