package db

import (
	"context"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"recado/internal/kernel/base"
)

// scratch is the schema of these tests; the real one plays no part in them.
const scratch = `
	CREATE TABLE things (
		id UUID PRIMARY KEY,
		name TEXT UNIQUE,
		n BIGINT,
		ok BOOLEAN,
		at BIGINT,
		other UUID,
		data /*sqlite: BLOB */ /*postgres: BYTEA */,
		f DOUBLE PRECISION
	);
	CREATE TABLE counters (
		id BIGINT PRIMARY KEY,
		n BIGINT NOT NULL
	);
	CREATE TABLE children (
		id BIGINT PRIMARY KEY,
		parent BIGINT REFERENCES counters (id) DEFERRABLE INITIALLY DEFERRED
	);
	INSERT INTO counters (id, n) VALUES (1, 0), (2, 0);
	-- sqlite: CREATE TABLE only_sqlite (id BIGINT);
	-- postgres: CREATE TABLE only_postgres (id BIGINT);
`

func scratchFS() fstest.MapFS { return fstest.MapFS{"0001_scratch.sql": {Data: []byte(scratch)}} }

func each(t *testing.T, body func(t *testing.T, s *DB)) {
	t.Helper()
	bothPlaces(t, func(t *testing.T, o Options) { body(t, opened(t, o)) })
}

func opened(t testing.TB, o Options) *DB {
	t.Helper()
	s, err := Open(t.Context(), o, scratchFS())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

const insertThing = `
	INSERT INTO things (id, name, n, ok, at, other, data, f)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`

const selectThing = `
	SELECT id, name, n, ok, at, other, data, f
	FROM things
	WHERE id = $1`

type defined string

type thing struct {
	ID, Other base.ID
	Name      string
	N         int64
	OK        bool
	At        time.Time
	Data      []byte
}

func TestTypes(t *testing.T) {
	each(t, func(t *testing.T, s *DB) {
		ctx := t.Context()
		at := time.Date(2026, 11, 14, 23, 56, 54, 123_000_000, time.UTC)
		t.Run("every type comes back as it was stored", func(t *testing.T) {
			want := thing{base.NewID(), base.NewID(), "ação 'x' $1", 1<<62 + 1, true, at, []byte{0, 1, 255}}
			write(t, s, func(tx *Tx) error {
				_, err := tx.Exec(insertThing, want.ID, want.Name, want.N, want.OK, want.At, &want.Other, want.Data, 2.5)
				return err
			})
			var got thing
			read(t, s, func(tx *Tx) error {
				_, err := tx.One(selectThing, []any{want.ID}, func(r Row) {
					got = thing{r.ID("id"), *r.NullID("other"), r.Text("name"), r.Int("n"), r.Bool("ok"), r.Time("at"), r.Bytes("data")}
					if *r.NullText("name") != want.Name || *r.NullInt("n") != want.N || !r.NullTime("at").Equal(at) || r.Null("id") {
						t.Error("the nullable getters differ")
					}
				})
				return err
			})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
		t.Run("nothing comes back as nothing", func(t *testing.T) {
			id := base.NewID()
			write(t, s, func(tx *Tx) error {
				_, err := tx.Exec(insertThing, id, (*string)(nil), (*int64)(nil), nil, (*time.Time)(nil), base.ID{}, []byte(nil), nil)
				return err
			})
			read(t, s, func(tx *Tx) error {
				found, err := tx.One(selectThing, []any{&id}, func(r Row) {
					if r.NullText("name") != nil || r.NullInt("n") != nil || !r.Null("ok") || r.NullTime("at") != nil || r.NullID("other") != nil || r.Bytes("data") != nil || !r.Null("f") {
						t.Error("a NULL came back as a value")
					}
					if r.Text("name") != "" || r.Int("n") != 0 || r.Bool("ok") || !r.Time("at").IsZero() || !r.ID("other").IsZero() {
						t.Error("a NULL is not the zero value")
					}
				})
				if !found {
					t.Error("not found")
				}
				return err
			})
		})
		t.Run("defined types and pointers are stored by their kind", func(t *testing.T) {
			id, name, n := base.NewID(), defined("defined"), int64(-7)
			write(t, s, func(tx *Tx) error {
				_, err := tx.Exec(insertThing, id, name, &n, false, &at, &id, []byte{}, 3)
				return err
			})
			read(t, s, func(tx *Tx) error {
				_, err := tx.One(selectThing, []any{id}, func(r Row) {
					if r.Text("name") != "defined" || r.Int("n") != -7 || r.Bool("ok") || !r.Time("at").Equal(at) || r.ID("other") != id || r.Bytes("data") == nil {
						t.Error("a value changed")
					}
				})
				return err
			})
		})
		t.Run("what cannot be stored is refused", func(t *testing.T) {
			err := s.Write(ctx, func(tx *Tx) error {
				_, err := tx.Exec("UPDATE counters SET n = $1", struct{}{})
				return err
			})
			if err == nil {
				t.Error("stored")
			}
		})
		t.Run("a missing row is not found", func(t *testing.T) {
			read(t, s, func(tx *Tx) error {
				found, err := tx.One(selectThing, []any{base.NewID()}, func(Row) { t.Error("a row") })
				if found {
					t.Error("found")
				}
				return err
			})
		})
		t.Run("a wrong number of arguments is an error", func(t *testing.T) {
			if err := s.Read(ctx, func(tx *Tx) error { return tx.Query(selectThing, nil, nil) }); err == nil {
				t.Error("accepted")
			}
		})
	})
}

func write(t testing.TB, s *DB, fn func(tx *Tx) error) {
	t.Helper()
	if err := s.Write(context.Background(), fn); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, s *DB, fn func(tx *Tx) error) {
	t.Helper()
	if err := s.Read(context.Background(), fn); err != nil {
		t.Fatal(err)
	}
}

func counter(t testing.TB, s *DB, id int) (n int64) {
	t.Helper()
	err := s.ReadOne(context.Background(), func(tx *Tx) error {
		_, err := tx.One("SELECT n FROM counters WHERE id = $1", []any{id}, func(r Row) { n = r.Int("n") })
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return n
}
