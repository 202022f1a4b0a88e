package testkit

import (
	"context"
	"crypto/rand"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Server gives the URL of the server's maintenance database. Its absence fails the test: what was not
// run on PostgreSQL is not proven.
func Server(t testing.TB) string {
	t.Helper()
	server := os.Getenv("RECADO_TEST_POSTGRES")
	if server == "" {
		t.Fatal("RECADO_TEST_POSTGRES is not set: it must name a PostgreSQL server whose user may create databases")
	}
	return server
}

// Database makes an empty database, or a copy of the template when one is named, and drops it when
// the test ends.
func Database(t testing.TB, template string) string {
	t.Helper()
	name := "recado_" + strings.ToLower(rand.Text())
	create := "CREATE DATABASE " + name
	if template != "" {
		create += " TEMPLATE " + pgx.Identifier{template}.Sanitize()
	}
	Exec(t, Server(t), create)
	t.Cleanup(func() { Exec(t, Server(t), "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)") })
	return Named(t, name)
}

// Named gives the URL of a database of the server.
func Named(t testing.TB, name string) string {
	t.Helper()
	u, err := url.Parse(Server(t))
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	return u.String()
}

// Exec runs one statement on a connection of its own.
func Exec(t testing.TB, database, sql string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		t.Fatalf("connect to PostgreSQL: %v", err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// Template makes sure that a database of that name exists and was filled by fill, once for all test
// processes, and gives the name. It stays for the next run; the name says what is inside.
func Template(t testing.TB, name string, fill func(url string) error) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, Server(t))
	if err != nil {
		t.Fatalf("connect to PostgreSQL: %v", err)
	}
	defer conn.Close(ctx) // lets go of the lock
	var ready bool
	for _, sql := range []string{"SELECT true FROM pg_advisory_lock(hashtext($1))", "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)"} {
		if err := conn.QueryRow(ctx, sql, name).Scan(&ready); err != nil {
			t.Fatal(err)
		}
	}
	if ready {
		return name
	}
	// Built under another name: a half-filled one must never be taken for the template.
	draft := name + "_draft"
	quoted := pgx.Identifier{draft}.Sanitize()
	for _, sql := range []string{"DROP DATABASE IF EXISTS " + quoted + " WITH (FORCE)", "CREATE DATABASE " + quoted} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	if err := fill(Named(t, draft)); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(ctx, "ALTER DATABASE "+quoted+" RENAME TO "+pgx.Identifier{name}.Sanitize()); err != nil {
		t.Fatal(err)
	}
	return name
}
