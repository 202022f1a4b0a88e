package kernel_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/kernel/kerneltest"
	"recado/internal/testkit"
)

// Every table stands in the list of docs/scaling.md, and those whose primary key begins with the company in its first row.
// A table of a new feature belongs there unless it is found before the company is known.
func TestTheListOfKeysThatBeginWithTheCompanyIsTheSchemas(t *testing.T) {
	first, others := keysInTheDocs(t)
	kerneltest.EachOne(t, func(t *testing.T, s *kernel.Store) {
		for table, column := range firstKeyColumns(t, s) {
			switch begins := column == "company"; {
			case begins && !slices.Contains(first, table):
				t.Errorf("the key of %s begins with the company: name it in the first row of the table in docs/scaling.md", table)
			case !begins && slices.Contains(first, table):
				t.Errorf("the key of %s begins with %s, and docs/scaling.md says that it begins with the company", table, column)
			case !begins && !slices.Contains(others, table):
				t.Errorf("the key of %s begins with %s: let it begin with company, or say in docs/scaling.md why it does not", table, column)
			}
		}
	})
}

func TestTheUniqueKeysThatDoNotBeginWithTheCompanyAreNamed(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "scaling.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, list, found := strings.Cut(string(text), "Unique keys beside the primary ones")
	if !found {
		t.Fatal("docs/scaling.md has no list of unique keys")
	}
	list, _, _ = strings.Cut(list, "\n\n")
	var named []string
	for _, match := range regexp.MustCompile("`([a-z_]+\\.[a-z_]+)`").FindAllStringSubmatch(list, -1) {
		named = append(named, match[1])
	}
	slices.Sort(named)
	kerneltest.EachOne(t, func(t *testing.T, s *kernel.Store) {
		testkit.Diff(t, "unique keys, by table and first column", uniqueKeysOfOthers(t, s), named)
	})
}

// uniqueKeysOfOthers gives the table and the first column of each unique key, primary keys aside, that does not begin with
// the company, of the tables that have one.
func uniqueKeysOfOthers(t *testing.T, s *kernel.Store) (keys []string) {
	t.Helper()
	kerneltest.Read(t, s, func(tx *kernel.Tx) error {
		return tx.Query(tx.Dialect().Pick(`
			SELECT DISTINCT m.name || '.' || i.name
			FROM sqlite_master m
			JOIN pragma_index_list(m.name) l ON l."unique" AND l.origin <> 'pk'
			JOIN pragma_index_info(l.name) i ON i.seqno = 0
			WHERE m.type = 'table' AND i.name <> 'company' AND EXISTS (SELECT 1 FROM pragma_table_info(m.name) c WHERE c.name = 'company')`, `
			SELECT DISTINCT r.relname || '.' || a.attname
			FROM pg_index x
			JOIN pg_class r ON r.oid = x.indrelid
			JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum = x.indkey[0]
			WHERE x.indisunique AND NOT x.indisprimary AND r.relnamespace = current_schema()::regnamespace AND a.attname <> 'company'
				AND EXISTS (SELECT 1 FROM pg_attribute c WHERE c.attrelid = r.oid AND c.attname = 'company')`), nil, func(r db.Row) error {
			keys = append(keys, r.Text(0))
			return nil
		})
	})
	slices.Sort(keys)
	return keys
}

// keysInTheDocs gives the tables of the first row of the list in docs/scaling.md, and those of the others.
func keysInTheDocs(t *testing.T) (first, others []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "scaling.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, list, found := strings.Cut(string(text), "| tables | key today |")
	if !found {
		t.Fatal("docs/scaling.md has no list of tables and their keys")
	}
	name := regexp.MustCompile("`([a-z_]+)`")
	for row := range strings.Lines(list) {
		cells := strings.Split(row, "|")
		if len(cells) < 3 {
			continue
		}
		for _, match := range name.FindAllStringSubmatch(cells[1], -1) {
			if strings.Contains(cells[2], "begins with `company`") {
				first = append(first, match[1])
			} else {
				others = append(others, match[1])
			}
		}
	}
	return first, others
}

// firstKeyColumns gives the first column of each table's primary key.
func firstKeyColumns(t *testing.T, s *kernel.Store) map[string]string {
	t.Helper()
	columns := map[string]string{}
	kerneltest.Read(t, s, func(tx *kernel.Tx) error {
		return tx.Query(tx.Dialect().Pick(`
			SELECT m.name, p.name
			FROM sqlite_master m
			JOIN pragma_table_info(m.name) p
			WHERE m.type = 'table' AND p.pk = 1 AND m.sql NOT LIKE 'CREATE VIRTUAL%' AND m.name NOT LIKE '%trigrams%'`, `
			SELECT table_name::text, column_name::text
			FROM information_schema.key_column_usage k
			JOIN information_schema.table_constraints c USING (constraint_schema, constraint_name, table_name)
			WHERE c.constraint_type = 'PRIMARY KEY' AND k.ordinal_position = 1 AND constraint_schema = current_schema()`), nil, func(r db.Row) error {
			if table := r.Text(0); table != "schema_migrations" {
				columns[table] = r.Text(1)
			}
			return nil
		})
	})
	if len(columns) < 20 {
		t.Fatalf("only %d tables were found: %v", len(columns), columns)
	}
	return columns
}
