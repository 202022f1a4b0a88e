package fields

import (
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// A deleted field keeps its row until its values are deleted: only removedFields and forgetField see it.

const fieldColumns = `id, company, entity, key, name, type, options, required_on_close, position, created_at, updated_at`

func scanField(r db.Row) Field {
	f := Field{
		ID: r.ID("id"), Company: r.ID("company"), Entity: r.Text("entity"), Key: r.Text("key"), Name: r.Text("name"), Type: r.Text("type"),
		RequiredOnClose: r.Bool("required_on_close"), Position: r.Int("position"), CreatedAt: r.Time("created_at"), UpdatedAt: r.Time("updated_at"),
	}
	if options := kernel.ReadJSON[[]string](r, "options"); options != nil {
		f.Options = *options
	}
	return f
}

// List returns the fields of an entity in order, or those of all entities if it is "".
func List(tx *kernel.Tx, company kernel.ID, entity string) ([]Field, error) {
	return listFields(tx, company, entity, "")
}

func listFields(tx *kernel.Tx, company kernel.ID, entity, lock string) ([]Field, error) {
	s := tx.Statement()
	s.WriteString("SELECT " + fieldColumns + " FROM fields WHERE company = " + s.Arg(company) + " AND NOT deleted")
	if entity != "" {
		s.And("entity = " + s.Arg(entity))
	}
	s.WriteString(" ORDER BY CASE entity WHEN 'contact' THEN 1 WHEN 'attendance' THEN 2 ELSE 3 END, position, id" + lock)
	return kernel.Rows(tx, s.String(), s.Args, scanField)
}

func findField(tx *kernel.Tx, company, id kernel.ID) (Field, error) {
	return kernel.Find(tx, "field", `SELECT `+fieldColumns+` FROM fields WHERE company = $1 AND id = $2 AND NOT deleted`, []any{company, id}, scanField)
}

func insertField(tx *kernel.Tx, f *Field) {
	tx.Later(`
		INSERT INTO fields (company, id, entity, key, name, type, options, required_on_close, position, deleted, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, FALSE, $10, $10)`,
		f.Company, f.ID, f.Entity, f.Key, f.Name, f.Type, kernel.WriteList(f.Options), f.RequiredOnClose, f.Position, f.CreatedAt)
}

func updateField(tx *kernel.Tx, f *Field) {
	tx.Later(`UPDATE fields SET name = $3, options = $4, required_on_close = $5, updated_at = $6 WHERE company = $1 AND id = $2`,
		f.Company, f.ID, f.Name, kernel.WriteList(f.Options), f.RequiredOnClose, f.UpdatedAt)
}

func setPosition(tx *kernel.Tx, company, id kernel.ID, position int64) {
	tx.Later(`UPDATE fields SET position = $3 WHERE company = $1 AND id = $2`, company, id, position)
}

// removeField marks a field as deleted. It waits for the transactions that set a value of the field; afterwards none can.
func removeField(tx *kernel.Tx, company, id kernel.ID) {
	tx.Later(`UPDATE fields SET deleted = TRUE WHERE company = $1 AND id = $2`, company, id)
}

// removedField is a deleted field that may still have values.
type removedField struct {
	company, id kernel.ID
	entity      string
}

func removedFields(tx *kernel.Tx) ([]removedField, error) {
	return kernel.Rows(tx, `SELECT /* all companies: removals to finish */ company, id, entity FROM fields WHERE deleted`, nil,
		func(r db.Row) removedField { return removedField{r.ID("company"), r.ID("id"), r.Text("entity")} })
}

func forgetField(tx *kernel.Tx, f removedField) {
	tx.Later(`DELETE FROM fields WHERE company = $1 AND id = $2 AND deleted`, f.company, f.id)
}

// nounsWith returns up to n nouns that have a value of a field.
func nounsWith(tx *kernel.Tx, f removedField, n int) ([]kernel.ID, error) {
	return tx.IDs(`SELECT noun FROM field_values WHERE company = $1 AND field = $2 LIMIT $3`, f.company, f.id, n)
}

func deleteValues(tx *kernel.Tx, f removedField, nouns []kernel.ID) {
	s := tx.Statement()
	s.WriteString("DELETE FROM field_values WHERE company = " + s.Arg(f.company) + " AND field = " + s.Arg(f.id))
	s.And(s.In("noun", nouns))
	tx.Later(s.String(), s.Args...)
}

// Lock returns the fields of an entity. They cannot be deleted until the transaction ends.
func Lock(tx *kernel.Tx, company kernel.ID, entity string) ([]Field, error) {
	return listFields(tx, company, entity, tx.ForShare())
}

// Column returns the column fields of a statement with the values of a noun, whose row is called alias and has the columns
// company and id. Read it with Scan. On PostgreSQL a statement that locks the noun must not read it, because it may have waited
// for a change and would not see its values.
func Column(alias string) string {
	return `(
		SELECT string_agg('"' || fd.key || '":' || fv.value, ',')
		FROM field_values fv
		CROSS JOIN fields fd
		WHERE fv.company = ` + alias + `.company AND fv.noun = ` + alias + `.id AND fd.company = fv.company AND fd.id = fv.field AND NOT fd.deleted) AS fields`
}

// Scan reads Column.
func Scan(r db.Row) Values {
	if r.Null("fields") {
		return nil
	}
	values := kernel.FromJSON[Values]("{" + r.Text("fields") + "}")
	if values == nil {
		return nil
	}
	return *values
}

func storeValue(tx *kernel.Tx, company, noun, field kernel.ID, value string) {
	tx.Later(`
		INSERT INTO field_values (company, noun, field, value, hash)
		VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (company, noun, field) DO UPDATE SET value = excluded.value, hash = excluded.hash`, company, noun, field, value, hash(value))
}

func deleteValue(tx *kernel.Tx, company, noun, field kernel.ID) {
	tx.Later(`DELETE FROM field_values WHERE company = $1 AND noun = $2 AND field = $3`, company, noun, field)
}

// Forget deletes the values of a noun that is deleted.
func Forget(tx *kernel.Tx, company, noun kernel.ID) {
	tx.Later(`DELETE FROM field_values WHERE company = $1 AND noun = $2`, company, noun)
}

// Copy gives a noun the values of another one that it does not have itself. With Forget, this merges two nouns.
func Copy(tx *kernel.Tx, company, from, to kernel.ID) {
	tx.Later(`
		INSERT INTO field_values (company, noun, field, value, hash)
		SELECT company, $3, field, value, hash
		FROM field_values
		WHERE company = $1 AND noun = $2
		ON CONFLICT DO NOTHING`, company, from, to)
}
