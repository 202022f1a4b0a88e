package db

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"recado/internal/kernel/base"
)

// moveTable describes a table. The values of a row are in the order of the names of the columns.
type moveTable struct {
	name    string
	columns []string
	kinds   []columnKind
	key     []int  // the columns of the key
	reset   int    // see MovePlan; -1: none
	counter int    // see MovePlan; -1: none
	where   string // a condition for the rows; "": all rows
}

// columnKind is the type of a value in memory: a UUID is a [16]byte, the others are string, int64, bool or []byte.
type columnKind byte

const (
	kindNone columnKind = iota
	kindInteger
	kindBoolean
	kindUUID
	kindText
	kindBytes
)

// kindOf parses the type of a column from the declaration of SQLite or the catalogue of PostgreSQL.
func kindOf(declared string) columnKind {
	switch strings.ToLower(declared) {
	case "bigint", "integer":
		return kindInteger
	case "boolean":
		return kindBoolean
	case "uuid":
		return kindUUID
	case "text":
		return kindText
	case "bytea":
		return kindBytes
	}
	return kindNone
}

// plannedTables returns the tables to copy. Tables that others refer to come first.
func plannedTables(plan MovePlan, from, to map[string]map[string]string, keys *liteEnd) ([]moveTable, error) {
	var names []string
	for _, schema := range []map[string]map[string]string{from, to} {
		for name := range schema {
			if !slices.Contains(names, name) && !slices.Contains(plan.Skip, name) && name != progressTable && name != movedTable {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	var ordered []moveTable
	var visit func(name string, above []string) error
	visit = func(name string, above []string) error {
		if slices.ContainsFunc(ordered, func(t moveTable) bool { return t.name == name }) || slices.Contains(above, name) {
			return nil
		}
		refers, err := keys.references(name)
		if err != nil {
			return err
		}
		for _, other := range refers {
			if err := visit(other, append(above, name)); err != nil {
				return err
			}
		}
		t, err := newMoveTable(plan, name, from[name], to[name], keys)
		ordered = append(ordered, t)
		return err
	}
	for _, name := range names {
		if err := visit(name, nil); err != nil {
			return nil, err
		}
	}
	return ordered, nil
}

func newMoveTable(plan MovePlan, name string, from, to map[string]string, keys *liteEnd) (moveTable, error) {
	t := moveTable{name: name, reset: -1, counter: -1}
	for column := range from {
		t.columns = append(t.columns, column)
	}
	slices.Sort(t.columns)
	if len(from) != len(to) {
		return t, fmt.Errorf("the table %s differs between the engines", name)
	}
	for i, column := range t.columns {
		kind := kindOf(from[column])
		if kind == kindNone || kind != kindOf(to[column]) {
			return t, fmt.Errorf("the column %s of the table %s is %q on one engine and %q on the other", column, name, from[column], to[column])
		}
		t.kinds = append(t.kinds, kind)
		switch column {
		case plan.Reset:
			t.reset = i
		case plan.Counter[name]:
			t.counter = i
		}
	}
	key, err := plan.Order[name], error(nil)
	if key == nil {
		key, err = keys.primaryKey(name)
	}
	for _, column := range key {
		t.key = append(t.key, slices.Index(t.columns, column))
	}
	if err == nil && (len(t.key) == 0 || slices.Contains(t.key, -1)) {
		err = fmt.Errorf("the table %s has no key", name)
	}
	return t, err
}

// encode appends the form of a row that is hashed. It is the same on both engines and leaves out the columns that may differ.
func (t *moveTable) encode(b []byte, row []any) []byte {
	for i, value := range row {
		if i != t.reset && i != t.counter {
			b = encodeCell(b, value)
		}
	}
	return b
}

func encodeCell(b []byte, value any) []byte {
	switch v := value.(type) {
	case int64:
		return binary.BigEndian.AppendUint64(append(b, byte(kindInteger)), uint64(v))
	case bool:
		if v {
			return append(b, byte(kindBoolean), 1)
		}
		return append(b, byte(kindBoolean), 0)
	case [16]byte:
		return append(append(b, byte(kindUUID)), v[:]...)
	case string:
		b = binary.BigEndian.AppendUint64(append(b, byte(kindText)), uint64(len(v)))
		return append(b, v...)
	case []byte:
		b = binary.BigEndian.AppendUint64(append(b, byte(kindBytes)), uint64(len(v)))
		return append(b, v...)
	}
	return append(b, byte(kindNone))
}

// olderSchema returns an error if migrations are missing in the source, because a move does not change it.
func olderSchema(all []migration, done []migration) error {
	steps, err := pending(all, done)
	if err != nil {
		return err
	}
	if len(steps) > 0 {
		return base.Errorf(base.CodeInvalidRequest, "The source has an older schema. Start this version of `recado serve` on it once, stop it, and move again.")
	}
	return nil
}

// quoted quotes a name for SQL, because some columns are named like keywords.
func quoted(name string) string { return `"` + name + `"` }
