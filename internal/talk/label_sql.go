package talk

import (
	"slices"

	"recado/internal/fold"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// A label whose name is empty was removed and is still on something: only RemovedLabels and TakeOffLabel see it.

// listLabels lists the company's labels by name.
func listLabels(tx *kernel.Tx, company kernel.ID) ([]Label, error) {
	var out []Label
	err := tx.Query(`SELECT id, name, color FROM labels WHERE company = $1 AND name <> '' ORDER BY folded, id`, []any{company}, func(r db.Row) error {
		out = append(out, scanLabel(r))
		return nil
	})
	return out, err
}

// findLabel gives one label of the company.
func findLabel(tx *kernel.Tx, company, id kernel.ID) (Label, bool, error) {
	var l Label
	found, err := tx.One(`SELECT id, name, color FROM labels WHERE company = $1 AND id = $2 AND name <> ''`, []any{company, id}, func(r db.Row) { l = scanLabel(r) })
	return l, found, err
}

func scanLabel(r db.Row) Label { return Label{ID: r.ID(0), Name: r.Text(1), Color: r.Text(2)} }

// InsertLabel reports false when the company has a label of that name.
func InsertLabel(tx *kernel.Tx, company kernel.ID, l Label) (bool, error) {
	n, err := tx.Exec(`
		INSERT INTO labels (id, company, name, folded, color, created_at)
		VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT DO NOTHING`, l.ID, company, l.Name, fold.Text(l.Name), l.Color, tx.Now)
	return n == 1, err
}

// updateLabel reports false when another label of the company has that name.
func updateLabel(tx *kernel.Tx, company kernel.ID, l Label) (bool, error) {
	taken, err := tx.One(`SELECT 1 FROM labels WHERE company = $1 AND folded = $2 AND id <> $3`, []any{company, fold.Text(l.Name), l.ID}, func(db.Row) {})
	if err != nil || taken {
		return false, err
	}
	_, err = tx.Exec(`UPDATE labels SET name = $3, folded = $4, color = $5 WHERE company = $1 AND id = $2 AND name <> ''`,
		company, l.ID, l.Name, fold.Text(l.Name), l.Color)
	return true, err
}

// The nouns that carry labels: each has a table of its own and a child table for filters. also is what
// else changes about one that loses a label.
var labelled = []struct{ table, labels, also string }{
	{"contacts", "contact_labels", ""},
	{"conversations", "conversation_labels", ""},
	{"cards", "card_labels", ", version = version + 1"},
}

// removeLabel ends a label and reports whether it was the company's. TakeOffLabel takes it off what carries it. Waits for
// the transactions that are putting it on something, since the name is part of a key: afterwards none can.
func removeLabel(tx *kernel.Tx, company, id kernel.ID) (bool, error) {
	n, err := tx.Exec(`UPDATE labels SET name = '', folded = $3 WHERE company = $1 AND id = $2 AND name <> ''`,
		company, id, "REMOVED "+id.String()) // which no name folds to
	return n == 1, err
}

// removedLabels returns the labels that were removed and are still on something; company zero means those of all.
func removedLabels(tx *kernel.Tx, company kernel.ID) ([]rowAt, error) {
	if company.IsZero() {
		return rowsAt(tx, `SELECT /* all companies: removals to finish */ company, id FROM labels WHERE name = ''`)
	}
	return rowsAt(tx, `SELECT company, id FROM labels WHERE company = $1 AND name = ''`, company)
}

// rowAt is a row and its company.
type rowAt struct{ company, id kernel.ID }

// rowsAt runs a query of companies and ids.
func rowsAt(tx *kernel.Tx, sql string, args ...any) (out []rowAt, err error) {
	err = tx.Query(sql, args, func(r db.Row) error {
		out = append(out, rowAt{r.ID(0), r.ID(1)})
		return nil
	})
	return out, err
}

// takeOffLabel takes a removed label off up to n contacts, conversations or cards and reports whether there may be more.
// After the last one it deletes the label.
func takeOffLabel(tx *kernel.Tx, company, id kernel.ID, n int) (more bool, err error) {
	for _, noun := range labelled {
		subjects, err := tx.IDs(`SELECT subject FROM `+noun.labels+` WHERE company = $1 AND label = $2 LIMIT $3`, company, id, n)
		if err != nil {
			return false, err
		}
		if len(subjects) == 0 {
			continue
		}
		rest := map[kernel.ID][]kernel.ID{}
		s := tx.Statement()
		s.WriteString("SELECT id, labels FROM " + noun.table + " WHERE company = " + s.Arg(company) + " AND " + s.In("id", subjects))
		s.WriteString(tx.Dialect().Lock(" ORDER BY id FOR UPDATE"))
		err = tx.Query(s.String(), s.Args, func(r db.Row) error {
			if labels := kernel.UnpackIDs(r.Bytes(1)); slices.Contains(labels, id) {
				rest[r.ID(0)] = slices.DeleteFunc(labels, func(label kernel.ID) bool { return label == id })
			}
			return nil
		})
		if err != nil {
			return false, err
		}
		for subject, labels := range rest {
			tx.Later(`UPDATE `+noun.table+` SET labels = $3`+noun.also+` WHERE company = $1 AND id = $2`, company, subject, kernel.PackIDs(labels))
		}
		s = tx.Statement()
		s.WriteString("DELETE FROM " + noun.labels + " WHERE company = " + s.Arg(company) + " AND label = " + s.Arg(id) + " AND " + s.In("subject", subjects))
		tx.Later(s.String(), s.Args...)
		return true, nil
	}
	tx.Later(`DELETE FROM labels WHERE company = $1 AND id = $2 AND name = ''`, company, id)
	return false, nil
}

// setLabels replaces the labels of one contact, conversation or card in its child table.
func setLabels(tx *kernel.Tx, childTable string, company, subject kernel.ID, labels []kernel.ID) {
	tx.Later(`DELETE FROM `+childTable+` WHERE company = $1 AND subject = $2`, company, subject)
	for _, label := range labels {
		tx.Later(`INSERT INTO `+childTable+` (company, subject, label) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, company, subject, label)
	}
}

// missingLabels gives those of the ids that are no labels of the company. The others stay labels until
// the end of the transaction.
func missingLabels(tx *kernel.Tx, company kernel.ID, ids []kernel.ID) ([]kernel.ID, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	s := tx.Statement()
	s.WriteString("SELECT id FROM labels WHERE company = " + s.Arg(company) + " AND name <> '' AND " + s.In("id", ids))
	s.WriteString(tx.Dialect().Lock(" ORDER BY id FOR KEY SHARE"))
	found, err := tx.IDs(s.String(), s.Args...)
	return slices.DeleteFunc(slices.Clone(ids), func(id kernel.ID) bool { return slices.Contains(found, id) }), err
}
