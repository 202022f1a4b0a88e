package testkit

import (
	"context"
	"crypto/rand"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Server returns the URL of the server's maintenance database. Without one the test fails: every test must run on
// PostgreSQL.
func Server(t testing.TB) string {
	t.Helper()
	server := os.Getenv("RECADO_TEST_POSTGRES")
	if server == "" {
		t.Fatal("RECADO_TEST_POSTGRES is not set: it must name a PostgreSQL server whose user may create databases")
	}
	return server
}

// Database creates a database, empty or a copy of the template, and drops it when the test ends. It returns the URL.
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

// Named returns the URL of a database on the server.
func Named(t testing.TB, name string) string {
	t.Helper()
	u, err := url.Parse(Server(t))
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	return u.String()
}

// Exec executes one statement on a new connection.
func Exec(t testing.TB, database, sql string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
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

// Template creates a database once for all test processes, filled by fill, and returns its name. It stays for later
// runs, so the name must identify the content.
func Template(t testing.TB, name string, fill func(url string) error) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, Server(t))
	if err != nil {
		t.Fatalf("connect to PostgreSQL: %v", err)
	}
	defer conn.Close(ctx) // releases the lock
	var ready bool
	for _, sql := range []string{
		"SELECT true FROM pg_advisory_lock(hashtext($1))",
		"SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)",
	} {
		if err := conn.QueryRow(ctx, sql, name).Scan(&ready); err != nil {
			t.Fatal(err)
		}
	}
	if ready {
		return name
	}
	// A partly filled database must never have the name of the template.
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
