package fields

import (
	"context"
	"maps"
	"slices"
	"strings"

	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// Prefix begins the query parameters that filter by a field: field.KEY=VALUE.
const Prefix = "field."

// Filtered declares the query parameters of a list that Query returns.
var Filtered = httpserver.Family(Prefix, "fields", "Returns only entries whose custom fields have these values, as in "+
	"field.plan=gold. CPF and CNPJ may have punctuation; a bool is true or false.")

// Query returns the values by which a request filters, by the key of the field, or nil.
func Query(ctx context.Context) map[string]string {
	var values map[string]string
	for name, of := range httpserver.RequestFrom(ctx).URL.Query() {
		if key, found := strings.CutPrefix(name, Prefix); found {
			if values == nil {
				values = map[string]string{}
			}
			values[key] = of[0]
		}
	}
	return values
}

// Filter selects nouns by the values of their fields. The zero value selects all.
type Filter struct{ conditions []condition }

type condition struct {
	field kernel.ID
	value string // canonical
}

// NewFilter returns the filter for the result of Query. It returns an error for an unknown field and for a value that does not
// have the type of its field.
func NewFilter(tx *kernel.Tx, company kernel.ID, entity string, values map[string]string) (Filter, error) {
	var out Filter
	if len(values) == 0 {
		return out, nil
	}
	all, err := List(tx, company, entity)
	if err != nil {
		return out, err
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		name, f := "query."+Prefix+shortKey(key), byKey(all, key)
		if f == nil {
			return out, errUnknown(name)
		}
		value, invalid := f.Parse(name, values[key])
		if invalid != nil {
			return out, invalid
		}
		out.conditions = append(out.conditions, condition{f.ID, canonical(value)})
	}
	return out, nil
}

// IsEmpty reports whether the filter selects everything.
func (f *Filter) IsEmpty() bool { return len(f.conditions) == 0 }

// And adds the conditions of the filter to a statement for nouns, whose rows are called alias and have the columns company and id.
// They are evaluated row by row; see Rare.
func (f *Filter) And(s *db.Statement, alias string) {
	if condition := f.Condition(s, alias); condition != "" {
		s.And(condition)
	}
}

// Condition is And as one condition. It is "" if the filter selects everything.
func (f *Filter) Condition(s *db.Statement, alias string) string {
	var all []string
	for _, c := range f.conditions { // unlike EXISTS, this is evaluated row by row; CASE keeps it from reading all values of the field
		all = append(all, "(SELECT TRUE FROM field_values fv WHERE fv.company = "+alias+".company AND fv.noun = "+alias+".id AND CASE WHEN fv.field = "+
			s.Arg(c.field)+" THEN fv.value = "+s.Arg(c.value)+" ELSE FALSE END)")
	}
	return strings.Join(all, " AND ")
}

// Rare returns the nouns that fulfil one of the conditions, if there is a condition that few nouns fulfil, and otherwise nil.
func (f *Filter) Rare(tx *kernel.Tx, company kernel.ID) (db.Subset, error) {
	for _, c := range f.conditions {
		with := func(s *db.Statement) string {
			return "SELECT noun AS id FROM field_values" + tx.Dialect().IndexedBy("field_values_hash") + " WHERE company = " + s.Arg(company) + " AND field = " + s.Arg(c.field) +
				" AND hash = " + s.Arg(hash(c.value)) + " AND value = " + s.Arg(c.value)
		}
		if few, err := tx.IsFew(with); err != nil || few {
			return with, err
		}
	}
	return nil, nil
}

// Keys returns a function that returns the keys of the fields of an entity in their order, for httpserver.CSV.
func Keys(k *kernel.Kernel, entity string) func(ctx context.Context, a *kernel.Principal) ([]string, error) {
	return func(ctx context.Context, a *kernel.Principal) ([]string, error) {
		all, err := kernel.Read(ctx, k, func(tx *kernel.Tx) ([]Field, error) { return List(tx, a.Company.ID, entity) })
		keys := make([]string, len(all))
		for i := range all {
			keys[i] = all[i].Key
		}
		return keys, err
	}
}
