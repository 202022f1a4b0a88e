package talk

import (
	"cmp"
	"context"
	"slices"

	"recado/internal/fold"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// Label marks contacts, conversations and cards.
type Label struct {
	ID    kernel.ID `json:"id"`
	Name  string    `json:"name"`
	Color string    `json:"color" example:"#2e7d32"`
}

// Labels returns the company's labels by name.
func (d *Talk) Labels(ctx context.Context, a *kernel.Principal) ([]Label, error) {
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]Label, error) { return listLabels(tx, a.Company.ID) })
}

// Label returns a label of the company.
func (d *Talk) Label(ctx context.Context, a *kernel.Principal, id kernel.ID) (Label, error) {
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (Label, error) {
		l, found, err := findLabel(tx, a.Company.ID, id)
		if err != nil || !found {
			return l, kernel.ErrOr(err, kernel.NotFound("label"))
		}
		return l, nil
	})
}

const defaultLabelColor = "#607d8b"

// CreateLabel adds a label. An empty color means grey.
func (d *Talk) CreateLabel(ctx context.Context, a *kernel.Principal, name, color string) (Label, error) {
	name, invalid := kernel.Name("body.name", name, kernel.MaxName)
	if invalid != nil {
		return Label{}, invalid
	}
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Label, error) {
		l := Label{ID: kernel.NewID(), Name: name, Color: cmp.Or(color, defaultLabelColor)}
		if err := kernel.CheckLimit(tx, a.Company.ID, countLabels, "labels", d.Limit(limitLabels)); err != nil {
			return l, err
		}
		if inserted, err := InsertLabel(tx, a.Company.ID, l); err != nil || !inserted {
			return l, kernel.ErrOr(err, errLabelTaken(name))
		}
		tx.AuditNoun(a, l.subject(), nil, l)
		return l, nil
	})
}

// UpdateLabel changes the name or the color of a label; nil leaves it as it is.
func (d *Talk) UpdateLabel(ctx context.Context, a *kernel.Principal, id kernel.ID, name, color *string) (Label, error) {
	if err := kernel.CleanName("body.name", &name); err != nil {
		return Label{}, err
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (Label, error) {
		l, found, err := findLabel(tx, a.Company.ID, id)
		if err != nil || !found {
			return l, kernel.ErrOr(err, kernel.NotFound("label"))
		}
		before := l
		kernel.Set(&l.Name, name)
		kernel.Set(&l.Color, color)
		if updated, err := updateLabel(tx, a.Company.ID, l); err != nil || !updated {
			return l, kernel.ErrOr(err, errLabelTaken(l.Name))
		}
		tx.AuditNoun(a, l.subject(), before, l)
		return l, nil
	})
}

// DeleteLabel removes a label at once and takes it off everything that has it, in many short transactions. It continues if ctx is
// canceled; after a crash, FinishRemovals continues it.
func (d *Talk) DeleteLabel(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	err := d.Store.Write(ctx, func(tx *kernel.Tx) error {
		l, _, err := findLabel(tx, a.Company.ID, id)
		if err != nil {
			return err
		}
		if found, err := removeLabel(tx, a.Company.ID, id); err != nil || !found {
			return kernel.ErrOr(err, kernel.NotFound("label"))
		}
		tx.AuditNoun(a, l.subject(), l, nil)
		return nil
	})
	if err != nil {
		return err
	}
	return d.takeOffLabel(context.WithoutCancel(ctx), rowAt{a.Company.ID, id})
}

// takeOffLabel takes a removed label off everything and deletes it.
func (d *Talk) takeOffLabel(ctx context.Context, label rowAt) error {
	for {
		more, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (bool, error) {
			more, err := takeOffLabel(tx, label.company, label.id, removalBatch)
			if err != nil || more {
				return more, err
			}
			return false, d.tell(func(o *Observer) error { return o.LabelDeleted(tx, label.company, label.id) })
		})
		if err != nil || !more {
			return err
		}
	}
}

// subject returns the label as the subject of an audit entry.
func (l *Label) subject() kernel.AuditSubject { return kernel.NewAuditSubject("label", l.ID, l.Name) }

func errLabelTaken(name string) error {
	return kernel.Errorf(kernel.CodeNameTaken, "There is already a label called %q. Choose another name.", name)
}

type createLabelInput struct {
	Body struct {
		Name  string `json:"name" minLength:"1" maxLength:"120"`
		Color string `json:"color,omitempty" pattern:"^#[0-9a-fA-F]{6}$" patternDescription:"a colour such as #2e7d32" example:"#2e7d32"`
	}
}

func (s *handlers) createLabel(ctx context.Context, a *kernel.Principal, in *createLabelInput) (*httpserver.Reply[Label], error) {
	return httpserver.Body(s.verbs.CreateLabel(ctx, a, in.Body.Name, in.Body.Color))
}

type updateLabelInput struct {
	httpserver.AtID
	Body struct {
		Name  *string `json:"name,omitempty" minLength:"1" maxLength:"120"`
		Color *string `json:"color,omitempty" pattern:"^#[0-9a-fA-F]{6}$" patternDescription:"a colour such as #2e7d32"`
	} `required:"false"`
}

func (s *handlers) updateLabel(ctx context.Context, a *kernel.Principal, in *updateLabelInput) (*httpserver.Reply[Label], error) {
	return httpserver.Body(s.verbs.UpdateLabel(ctx, a, kernel.ID(in.ID), in.Body.Name, in.Body.Color))
}

// A label whose name is empty was removed but is still on something: only removedLabels and takeOffLabel see it.

func listLabels(tx *kernel.Tx, company kernel.ID) ([]Label, error) {
	return kernel.Rows(tx, `SELECT id, name, color FROM labels WHERE company = $1 AND name <> '' ORDER BY folded, id`, []any{company}, scanLabel)
}

func findLabel(tx *kernel.Tx, company, id kernel.ID) (Label, bool, error) {
	return kernel.Row(tx, `SELECT id, name, color FROM labels WHERE company = $1 AND id = $2 AND name <> ''`, []any{company, id}, scanLabel)
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
func rowsAt(tx *kernel.Tx, sql string, args ...any) ([]rowAt, error) {
	return kernel.Rows(tx, sql, args, func(r db.Row) rowAt { return rowAt{r.ID("company"), r.ID("id")} })
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
