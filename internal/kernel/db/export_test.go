package db

import (
	"bytes"
	"io"
	"math"
	"testing"
	"testing/fstest"

	"recado/internal/kernel/base"
	"recado/test/testkit"
)

func TestALineOfAnExportHasAllValuesOfItsRow(t *testing.T) {
	table := &moveTable{
		name:    "things",
		columns: []string{"bytes", "created_at", "id", "number", "text", "yes"},
		kinds:   []columnKind{kindBytes, kindInteger, kindUUID, kindInteger, kindText, kindBoolean},
	}
	id := [16]byte(base.NewID())
	for _, row := range [][]any{
		{nil, nil, nil, nil, nil, nil},
		{[]byte{}, int64(0), id, int64(0), "", false},
		{[]byte(`{"a":1}`), int64(1_700_000_000_123), id, int64(-1), "Olá \"João\"\n\u2028\x00<&>", true},
		{[]byte{0xff, 0, 1}, int64(-1), id, int64(math.MaxInt64), "\xffnot UTF-8", true},
		{nil, int64(math.MaxInt64), id, int64(math.MinInt64), "\ufffd", true},
	} {
		line := table.appendLine(nil, row)
		if bytes.IndexByte(line, '\n') != len(line)-1 {
			t.Errorf("%q is not one line", line)
		}
		got, err := table.parseLine(line)
		if err != nil {
			t.Errorf("%s: %v", line, err)
		}
		testkit.Diff(t, string(line), got, row)
	}
	for _, line := range []string{``, `[]`, `{"number":1.5}`, `{"number":"1"}`, `{"yes":1}`, `{"id":"x"}`, `{"text":1}`, `{"text":{}}`, `{"bytes":{"base64":"%"}}`, `{"other":1}`} {
		if row, err := table.parseLine([]byte(line)); err == nil {
			t.Errorf("%s was read as %v", line, row)
		}
	}
}

func TestAnExportOfAnOlderVersionIsUpgraded(t *testing.T) {
	older := fstest.MapFS{"0001_first.sql": {Data: []byte(`
		CREATE TABLE secret (id BIGINT NOT NULL PRIMARY KEY);
		CREATE TABLE things (company UUID NOT NULL, name TEXT NOT NULL, PRIMARY KEY (company, name));`)}}
	newer := fstest.MapFS{"0001_first.sql": older["0001_first.sql"], "0002_second.sql": {Data: []byte(`ALTER TABLE things ADD COLUMN size BIGINT NOT NULL DEFAULT 7`)}}
	plan := MovePlan{
		Skip: []string{"schema_migrations"}, Identity: "secret",
		Mark: func(Dialect) string { return "SELECT 0" }, Finish: func(Dialect, int64) []string { return nil },
	}
	mine, other := base.NewID(), base.NewID()
	bothPlaces(t, func(t *testing.T, o Options) {
		s, err := Open(t.Context(), o, older)
		if err != nil {
			t.Fatal(err)
		}
		err = s.Write(t.Context(), func(tx *Tx) error {
			for _, company := range []base.ID{mine, other} {
				if _, err := tx.Exec(`INSERT INTO things (company, name) VALUES ($1, $2)`, company, "x"); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		export, err := OpenExport(t.Context(), o, plan, "companies", &mine, older)
		if err != nil {
			t.Fatal(err)
		}
		lines := map[string]string{}
		for _, table := range export.Tables {
			var b bytes.Buffer
			if _, err := export.Write(t.Context(), table, &b, nil); err != nil {
				t.Fatal(err)
			}
			lines[table] = b.String()
		}
		testkit.Diff(t, "lines", lines, map[string]string{"secret": "", "things": `{"company":"` + mine.String() + `","name":"x"}` + "\n"})
		if err := export.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}

		to := Options{Dir: t.TempDir()}
		if o.DatabaseURL != "" {
			to.DatabaseURL = testkit.Database(t, "")
		}
		in := ImportOptions{
			To: to, Plan: plan, Schema: export.Schema,
			Open: func(table string) (io.ReadCloser, error) {
				return io.NopCloser(bytes.NewBufferString(lines[table])), nil
			},
		}
		if _, err := Import(t.Context(), in, newer); err != nil {
			t.Fatal(err)
		}
		if s, err = Open(t.Context(), to, newer); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close() }()
		var sizes []int64
		err = s.Read(t.Context(), func(tx *Tx) error {
			return tx.Query(`SELECT size FROM things WHERE company = $1`, []any{mine}, func(r Row) error { sizes = append(sizes, r.Int("size")); return nil })
		})
		if err != nil {
			t.Fatal(err)
		}
		testkit.Diff(t, "sizes", sizes, []int64{7})
	})
}
