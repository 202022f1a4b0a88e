package talk

import (
	"cmp"
	"context"

	"recado/internal/kernel"
)

// Label marks contacts, conversations and cards.
type Label struct {
	ID    kernel.ID `json:"id"`
	Name  string    `json:"name"`
	Color string    `json:"color" example:"#2e7d32"`
}

const defaultLabelColor = "#607d8b" // grey

// Labels returns the company's labels by name.
func (d *Talk) Labels(ctx context.Context, a *kernel.Principal) ([]Label, error) {
	if err := a.May(VerbLabels); err != nil {
		return nil, err
	}
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]Label, error) { return listLabels(tx, a.Company.ID) })
}

// Label returns a label of the company.
func (d *Talk) Label(ctx context.Context, a *kernel.Principal, id kernel.ID) (Label, error) {
	if err := a.May(VerbLabel); err != nil {
		return Label{}, err
	}
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (Label, error) {
		l, found, err := findLabel(tx, a.Company.ID, id)
		if err != nil || !found {
			return l, kernel.ErrOr(err, kernel.NotFound("label"))
		}
		return l, nil
	})
}

// CreateLabel adds a label. An empty color means the default.
func (d *Talk) CreateLabel(ctx context.Context, a *kernel.Principal, name, color string) (Label, error) {
	if err := a.May(VerbCreateLabel); err != nil {
		return Label{}, err
	}
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
		return l, nil
	})
}

// UpdateLabel changes the name or the color of a label; nil leaves it as it is.
func (d *Talk) UpdateLabel(ctx context.Context, a *kernel.Principal, id kernel.ID, name, color *string) (Label, error) {
	if err := a.May(VerbUpdateLabel); err != nil {
		return Label{}, err
	}
	if name != nil {
		clean, invalid := kernel.Name("body.name", *name, kernel.MaxName)
		if invalid != nil {
			return Label{}, invalid
		}
		name = &clean
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (Label, error) {
		l, found, err := findLabel(tx, a.Company.ID, id)
		if err != nil || !found {
			return l, kernel.ErrOr(err, kernel.NotFound("label"))
		}
		kernel.Set(&l.Name, name)
		kernel.Set(&l.Color, color)
		if updated, err := updateLabel(tx, a.Company.ID, l); err != nil || !updated {
			return l, kernel.ErrOr(err, errLabelTaken(l.Name))
		}
		return l, nil
	})
}

// DeleteLabel removes a label at once and takes it off everything that has it, in many short transactions. It continues if ctx is
// canceled; after a crash, FinishRemovals continues it.
func (d *Talk) DeleteLabel(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	if err := a.May(VerbDeleteLabel); err != nil {
		return err
	}
	err := d.Store.Write(ctx, func(tx *kernel.Tx) error {
		found, err := removeLabel(tx, a.Company.ID, id)
		if err == nil && !found {
			err = kernel.NotFound("label")
		}
		return err
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
			return takeOffLabel(tx, label.company, label.id, removalBatch)
		})
		if err != nil || !more {
			return err
		}
	}
}

func errLabelTaken(name string) error {
	return kernel.Errorf(kernel.CodeNameTaken, "There is already a label called %q. Choose another name.", name)
}
