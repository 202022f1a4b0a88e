package talk

import (
	"context"

	"recado/internal/kernel"
)

// Label marks contacts, conversations and cards alike.
type Label struct {
	ID    kernel.ID `json:"id"`
	Name  string    `json:"name"`
	Color string    `json:"color" example:"#2e7d32"`
}

// defaultLabelColor is grey.
const defaultLabelColor = "#607d8b"

// Labels lists the company's labels.
func (d *Talk) Labels(ctx context.Context, a *kernel.Principal) ([]Label, error) {
	if err := a.May(VerbLabels); err != nil {
		return nil, err
	}
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]Label, error) { return listLabels(tx, a.Company.ID) })
}

// Label gives one label of the company.
func (d *Talk) Label(ctx context.Context, a *kernel.Principal, id kernel.ID) (Label, error) {
	if err := a.May(VerbLabel); err != nil {
		return Label{}, err
	}
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (Label, error) {
		l, found, err := findLabel(tx, a.Company.ID, id)
		if err == nil && !found {
			err = kernel.NotFound("label")
		}
		return l, err
	})
}

// CreateLabel adds a label; an empty color gets a default.
func (d *Talk) CreateLabel(ctx context.Context, a *kernel.Principal, name, color string) (Label, error) {
	if err := a.May(VerbCreateLabel); err != nil {
		return Label{}, err
	}
	name, invalid := kernel.Name("body.name", name, kernel.MaxName)
	if invalid != nil {
		return Label{}, invalid
	}
	if color == "" {
		color = defaultLabelColor
	}
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Label, error) {
		l := Label{ID: kernel.NewID(), Name: name, Color: color}
		if err := kernel.CheckLimit(tx, a.Company.ID, countLabels, "labels", d.Limit(limitLabels)); err != nil {
			return l, err
		}
		if fresh, err := InsertLabel(tx, a.Company.ID, l); err != nil || !fresh {
			return l, kernel.ErrOr(err, errLabelTaken(name))
		}
		return l, nil
	})
}

// UpdateLabel renames or recolours a label.
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
		if name != nil {
			l.Name = *name
		}
		if color != nil {
			l.Color = *color
		}
		if free, err := updateLabel(tx, a.Company.ID, l); err != nil || !free {
			return l, kernel.ErrOr(err, errLabelTaken(l.Name))
		}
		return l, nil
	})
}

// DeleteLabel ends a label at once and takes it off everything that carries it, in many short transactions. A caller that
// leaves does not stop this; after a crash, FinishRemovals goes on with it.
func (d *Talk) DeleteLabel(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	if err := a.May(VerbDeleteLabel); err != nil {
		return err
	}
	_, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		found, err := removeLabel(tx, a.Company.ID, id)
		if err == nil && !found {
			err = kernel.NotFound("label")
		}
		return struct{}{}, err
	})
	if err != nil {
		return err
	}
	return d.takeOffLabel(context.WithoutCancel(ctx), rowAt{a.Company.ID, id})
}

// takeOffLabel takes a removed label off everything.
func (d *Talk) takeOffLabel(ctx context.Context, label rowAt) error {
	for more := true; more; {
		var err error
		more, err = kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (bool, error) { return takeOffLabel(tx, label.company, label.id, removalBatch) })
		if err != nil {
			return err
		}
	}
	return nil
}

func errLabelTaken(name string) error {
	return kernel.Errorf(kernel.CodeNameTaken, "There is already a label called %q. Choose another name.", name)
}
