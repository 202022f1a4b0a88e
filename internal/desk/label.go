package desk

import (
	"context"

	"recado/internal/model"
	"recado/internal/store"
)

// defaultLabelColor is grey.
const defaultLabelColor = "#607d8b"

// Labels lists the company's labels.
func (d *Desk) Labels(ctx context.Context, a *Principal) ([]model.Label, error) {
	if err := a.May(VerbLabels); err != nil {
		return nil, err
	}
	return read(ctx, d, func(tx *store.Tx) ([]model.Label, error) { return tx.Labels(a.Company.ID) })
}

// Label gives one label of the company.
func (d *Desk) Label(ctx context.Context, a *Principal, id model.ID) (model.Label, error) {
	if err := a.May(VerbLabel); err != nil {
		return model.Label{}, err
	}
	return readOne(ctx, d, func(tx *store.Tx) (model.Label, error) {
		l, found, err := tx.Label(a.Company.ID, id)
		if err == nil && !found {
			err = model.NotFound("label")
		}
		return l, err
	})
}

// CreateLabel adds a label; an empty color gets a default.
func (d *Desk) CreateLabel(ctx context.Context, a *Principal, name, color string) (model.Label, error) {
	if err := a.May(VerbCreateLabel); err != nil {
		return model.Label{}, err
	}
	name, invalid := model.Name("body.name", name, model.MaxName)
	if invalid != nil {
		return model.Label{}, invalid
	}
	if color == "" {
		color = defaultLabelColor
	}
	return writeAnswer(ctx, d, func(tx *store.Tx) (model.Label, error) {
		l := model.Label{ID: model.NewID(), Name: name, Color: color}
		if err := checkLimit(tx, a.Company.ID, store.CountLabels, "labels", d.limits.Labels); err != nil {
			return l, err
		}
		if fresh, err := tx.InsertLabel(a.Company.ID, l); err != nil || !fresh {
			return l, errOr(err, errLabelTaken(name))
		}
		return l, nil
	})
}

// UpdateLabel renames or recolours a label.
func (d *Desk) UpdateLabel(ctx context.Context, a *Principal, id model.ID, name, color *string) (model.Label, error) {
	if err := a.May(VerbUpdateLabel); err != nil {
		return model.Label{}, err
	}
	if name != nil {
		clean, invalid := model.Name("body.name", *name, model.MaxName)
		if invalid != nil {
			return model.Label{}, invalid
		}
		name = &clean
	}
	return write(ctx, d, func(tx *store.Tx) (model.Label, error) {
		l, found, err := tx.Label(a.Company.ID, id)
		if err != nil || !found {
			return l, errOr(err, model.NotFound("label"))
		}
		if name != nil {
			l.Name = *name
		}
		if color != nil {
			l.Color = *color
		}
		if free, err := tx.UpdateLabel(a.Company.ID, l); err != nil || !free {
			return l, errOr(err, errLabelTaken(l.Name))
		}
		return l, nil
	})
}

// DeleteLabel ends a label at once and takes it off everything that carries it, in many short transactions. A caller that
// leaves does not stop this; after a crash, FinishRemovals goes on with it.
func (d *Desk) DeleteLabel(ctx context.Context, a *Principal, id model.ID) error {
	if err := a.May(VerbDeleteLabel); err != nil {
		return err
	}
	_, err := write(ctx, d, func(tx *store.Tx) (struct{}, error) {
		found, err := tx.RemoveLabel(a.Company.ID, id)
		if err == nil && !found {
			err = model.NotFound("label")
		}
		return struct{}{}, err
	})
	if err != nil {
		return err
	}
	return d.takeOffLabel(context.WithoutCancel(ctx), id)
}

// takeOffLabel takes a removed label off everything.
func (d *Desk) takeOffLabel(ctx context.Context, id model.ID) error {
	for more := true; more; {
		var err error
		more, err = write(ctx, d, func(tx *store.Tx) (bool, error) { return tx.TakeOffLabel(id, removalBatch) })
		if err != nil {
			return err
		}
	}
	return nil
}

func errLabelTaken(name string) error {
	return model.Errorf(model.CodeNameTaken, "There is already a label called %q. Choose another name.", name)
}
