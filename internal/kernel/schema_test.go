package kernel_test

import (
	"strings"
	"testing"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/test/kerneltest"
)

// Queries of the catalogs that return the table, kind and first column of each key. A table without a primary key has a row
// with an empty column.
const (
	sqliteKeys = `
		SELECT m.name AS relation, 'primary' AS kind, COALESCE((SELECT p.name FROM pragma_table_info(m.name) p WHERE p.pk = 1), '') AS first
		FROM sqlite_master m
		WHERE m.type = 'table'
		UNION ALL
		SELECT m.name, 'unique', i.name
		FROM sqlite_master m
		JOIN pragma_index_list(m.name) l ON l."unique" AND l.origin <> 'pk'
		JOIN pragma_index_info(l.name) i ON i.seqno = 0
		WHERE m.type = 'table'
		UNION ALL
		SELECT m.name, 'foreign', f."from"
		FROM sqlite_master m
		JOIN pragma_foreign_key_list(m.name) f ON f.seq = 0
		WHERE m.type = 'table'
		UNION ALL
		SELECT m.name, 'column', c.name
		FROM sqlite_master m
		JOIN pragma_table_info(m.name) c
		WHERE m.type = 'table' AND c.name = 'company'`
	postgresKeys = `
		SELECT r.relname::text AS relation, CASE WHEN x.indisprimary THEN 'primary' ELSE 'unique' END AS kind, a.attname::text AS first
		FROM pg_index x
		JOIN pg_class r ON r.oid = x.indrelid
		JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum = x.indkey[0]
		WHERE x.indisunique AND r.relnamespace = current_schema()::regnamespace
		UNION ALL
		SELECT r.relname::text, 'foreign', a.attname::text
		FROM pg_constraint f
		JOIN pg_class r ON r.oid = f.conrelid
		JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum = f.conkey[1]
		WHERE f.contype = 'f' AND r.relnamespace = current_schema()::regnamespace
		UNION ALL
		SELECT r.relname::text, 'table', ''
		FROM pg_class r
		WHERE r.relkind = 'r' AND r.relnamespace = current_schema()::regnamespace
		UNION ALL
		SELECT r.relname::text, 'column', a.attname::text
		FROM pg_class r
		JOIN pg_attribute a ON a.attrelid = r.oid AND a.attname = 'company'
		WHERE r.relkind = 'r' AND r.relnamespace = current_schema()::regnamespace`
)

func TestEveryTableAndKeyBeginsWithTheCompany(t *testing.T) {
	kerneltest.EachOne(t, func(t *testing.T, s *kernel.Store) {
		tables, hasCompany := map[string]bool{}, map[string]bool{}
		kerneltest.Read(t, s, func(tx *kernel.Tx) error {
			return tx.Query(tx.Dialect().Pick(sqliteKeys, postgresKeys), nil, func(r db.Row) error {
				table, kind, column := r.Text("relation"), r.Text("kind"), r.Text("first")
				if kernel.GlobalTables[table] != "" || strings.Contains(table, "_trigrams") || strings.HasPrefix(table, "sqlite_") {
					return nil // internal tables of SQLite and its full-text indexes
				}
				tables[table] = true
				switch {
				case kind == "column":
					hasCompany[table] = true
				case column != "" && column != "company" && kernel.GlobalKeys[table+"."+column] == "":
					t.Errorf("the %s key of %s begins with %s and not with the company", kind, table, column)
				}
				return nil
			})
		})
		if len(tables) < 40 {
			t.Errorf("only %d tables were found", len(tables))
		}
		for table := range tables {
			if !hasCompany[table] {
				t.Errorf("the table %s has no column company; kernel.GlobalTables lists the exceptions", table)
			}
		}
	})
}
