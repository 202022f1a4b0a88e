package talk

import (
	"slices"

	"recado/internal/fold"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// A label whose name is empty was removed but is still on something: only removedLabels and takeOffLabel see it.

func listLabels(tx *kernel.Tx, company kernel.ID) (labels []Label, err error) {
	err = tx.Query(`SELECT id, name, color FROM labels WHERE company = $1 AND name <> '' ORDER BY folded, id`, []any{company},
		func(r db.Row) error {
			labels = append(labels, scanLabel(r))
			return nil
		})
	return labels, err
}

func findLabel(tx *kernel.Tx, company, id kernel.ID) (l Label, found bool, err error) {
	found, err = tx.One(`SELECT id, name, color FROM labels WHERE company = $1 AND id = $2 AND name <> ''`, []any{company, id},
		func(r db.Row) { l = scanLabel(r) })
	return l, found, err
}

func scanLabel(r db.Row) Label {
	return Label{ID: r.ID("id"), Name: r.Text("name"), Color: r.Text("color")}
}

// InsertLabel adds a label. It reports false if the company already has a label with that name.
func InsertLabel(tx *kernel.Tx, company kernel.ID, l Label) (bool, error) {
	n, err := tx.Exec(`
		INSERT INTO labels (id, company, name, folded, color, created_at)
		VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT DO NOTHING`, l.ID, company, l.Name, fold.Text(l.Name), l.Color, tx.Now)
	return n == 1, err
}

// updateLabel saves a label. It reports false if another label of the company has that name.
func updateLabel(tx *kernel.Tx, company kernel.ID, l Label) (bool, error) {
	taken, err := tx.One(`SELECT 1 FROM labels WHERE company = $1 AND folded = $2 AND id <> $3`,
		[]any{company, fold.Text(l.Name), l.ID}, func(db.Row) {})
	if err != nil || taken {
		return false, err
	}
	_, err = tx.Exec(`UPDATE labels SET name = $3, folded = $4, color = $5 WHERE company = $1 AND id = $2 AND name <> ''`,
		company, l.ID, l.Name, fold.Text(l.Name), l.Color)
	return true, err
}

// labelled lists the tables whose rows have labels. Each has a child table for filters; alsoSet extends the UPDATE of a row that
// loses a label.
var labelled = []struct{ table, labels, alsoSet string }{
	{"contacts", "contact_labels", ""},
	{"conversations", "conversation_labels", ""},
	{"cards", "card_labels", ", version = version + 1"},
}

// removeLabel marks a label as removed and reports whether the company had it. It waits for the transactions that are adding the
// label to something, since the name is part of a key. Afterwards none can; takeOffLabel finishes the removal.
func removeLabel(tx *kernel.Tx, company, id kernel.ID) (bool, error) {
	n, err := tx.Exec(`UPDATE labels SET name = '', folded = $3 WHERE company = $1 AND id = $2 AND name <> ''`,
		company, id, "REMOVED "+id.String()) // no name folds to upper case
	return n == 1, err
}

// removedLabels returns the labels that were removed and are still on something, for all companies if company is zero.
func removedLabels(tx *kernel.Tx, company kernel.ID) ([]rowAt, error) {
	if company.IsZero() {
		return rowsAt(tx, `SELECT /* all companies: removals to finish */ company, id FROM labels WHERE name = ''`)
	}
	return rowsAt(tx, `SELECT company, id FROM labels WHERE company = $1 AND name = ''`, company)
}

// rowAt identifies a row by its company and id.
type rowAt struct{ company, id kernel.ID }

// rowsAt runs a query with the columns company and id.
func rowsAt(tx *kernel.Tx, sql string, args ...any) (rows []rowAt, err error) {
	err = tx.Query(sql, args, func(r db.Row) error {
		rows = append(rows, rowAt{r.ID("company"), r.ID("id")})
		return nil
	})
	return rows, err
}

// takeOffLabel removes a label from up to n contacts, conversations or cards and reports whether there may be more. When nothing
// is left it deletes the label.
func takeOffLabel(tx *kernel.Tx, company, id kernel.ID, n int) (more bool, err error) {
	for _, kind := range labelled {
		subjects, err := tx.IDs(`SELECT subject FROM `+kind.labels+` WHERE company = $1 AND label = $2 LIMIT $3`, company, id, n)
		if err != nil {
			return false, err
		}
		if len(subjects) == 0 {
			continue
		}
		remaining := map[kernel.ID][]kernel.ID{}
		s := tx.Statement()
		s.WriteString("SELECT id, labels FROM " + kind.table + " WHERE company = " + s.Arg(company) + " AND " + s.In("id", subjects))
		s.WriteString(tx.Dialect().Lock(" ORDER BY id FOR UPDATE"))
		err = tx.Query(s.String(), s.Args, func(r db.Row) error {
			subject := r.ID("id")
			if labels := kernel.UnpackIDs(r.Bytes("labels")); slices.Contains(labels, id) {
				remaining[subject] = slices.DeleteFunc(labels, func(label kernel.ID) bool { return label == id })
			}
			return nil
		})
		if err != nil {
			return false, err
		}
		for subject, labels := range remaining {
			tx.Later(`UPDATE `+kind.table+` SET labels = $3`+kind.alsoSet+` WHERE company = $1 AND id = $2`,
				company, subject, kernel.PackIDs(labels))
		}
		s = tx.Statement()
		s.WriteString("DELETE FROM " + kind.labels + " WHERE company = " + s.Arg(company) + " AND label = " + s.Arg(id))
		s.And(s.In("subject", subjects))
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
		tx.Later(`INSERT INTO `+childTable+` (company, subject, label) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
			company, subject, label)
	}
}

// missingLabels returns those of the ids that are not labels of the company. The others cannot be removed until the transaction
// ends.
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
