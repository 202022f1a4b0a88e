package desk

import (
	"context"
	"fmt"
	"time"

	"recado/internal/hours"
	"recado/internal/model"
	"recado/internal/store"
)

// HoursChange is what of opening hours is to change; nil leaves a part as it is.
type HoursChange struct {
	Name       *string
	Timezone   *string
	Weekly     *[]model.WeeklyPeriod
	Exceptions *[]model.HoursException
}

// AllHours lists the company's opening hours by name.
func (d *Desk) AllHours(ctx context.Context, a *Principal) ([]model.Hours, error) {
	if err := a.May(VerbAllHours); err != nil {
		return nil, err
	}
	return readOne(ctx, d, func(tx *store.Tx) ([]model.Hours, error) { return tx.AllHours(a.Company.ID) })
}

// Hours gives one of the company's opening hours.
func (d *Desk) Hours(ctx context.Context, a *Principal, id model.ID) (model.Hours, error) {
	if err := a.May(VerbHours); err != nil {
		return model.Hours{}, err
	}
	return readOne(ctx, d, func(tx *store.Tx) (model.Hours, error) {
		h, found, err := tx.Hours(a.Company.ID, id)
		if err != nil || !found {
			return h, errOr(err, errNoHours())
		}
		return h, nil
	})
}

func errNoHours() error { return model.NotFound("set of opening hours") }

// HoursStatus says whether opening hours are open at a time, and until when; a zero time means now.
func (d *Desk) HoursStatus(ctx context.Context, a *Principal, id model.ID, at time.Time) (model.HoursStatus, error) {
	if err := a.May(VerbHoursStatus); err != nil {
		return model.HoursStatus{}, err
	}
	h, err := readOne(ctx, d, func(tx *store.Tx) (model.Hours, error) {
		h, found, err := tx.Hours(a.Company.ID, id)
		if err != nil || !found {
			return h, errOr(err, errNoHours())
		}
		return h, nil
	})
	if err != nil {
		return model.HoursStatus{}, err
	}
	schedule, err := readHours(&h)
	if err != nil {
		return model.HoursStatus{}, err
	}
	if at.IsZero() {
		at = d.now()
	}
	return schedule.Status(at), nil
}

// readHours reads stored opening hours, which were checked when they were saved.
func readHours(h *model.Hours) (*hours.Schedule, error) {
	schedule, invalid := hours.Read("", h)
	if invalid != nil {
		return nil, fmt.Errorf("desk: stored opening hours %s: %w", h.ID, invalid)
	}
	return schedule, nil
}

// CreateHours adds opening hours. Without a time zone they have the company's.
func (d *Desk) CreateHours(ctx context.Context, a *Principal, in HoursChange) (model.Hours, error) {
	if err := a.May(VerbCreateHours); err != nil {
		return model.Hours{}, err
	}
	h := model.Hours{ID: model.NewID(), Timezone: a.Company.Timezone}
	if err := in.apply(&h); err != nil {
		return h, err
	}
	return writeAnswer(ctx, d, func(tx *store.Tx) (model.Hours, error) {
		h := h
		h.CreatedAt, h.UpdatedAt = tx.Now, tx.Now
		if err := checkLimit(tx, a.Company.ID, store.CountHours, "opening hours", model.MaxHours); err != nil {
			return h, err
		}
		tx.InsertHours(a.Company.ID, &h)
		return h, nil
	})
}

// UpdateHours changes opening hours.
func (d *Desk) UpdateHours(ctx context.Context, a *Principal, id model.ID, in HoursChange) (model.Hours, error) {
	if err := a.May(VerbUpdateHours); err != nil {
		return model.Hours{}, err
	}
	if err := in.apply(&model.Hours{Name: "x", Timezone: model.DefaultZone}); err != nil { // the form comes before the id
		return model.Hours{}, err
	}
	return write(ctx, d, func(tx *store.Tx) (model.Hours, error) {
		h, found, err := tx.LockHours(a.Company.ID, id)
		if err != nil || !found {
			return h, errOr(err, errNoHours())
		}
		if err := in.apply(&h); err != nil {
			return h, err
		}
		h.UpdatedAt = tx.Now
		tx.SaveHours(a.Company.ID, &h)
		return h, nil
	})
}

// DeleteHours removes opening hours that neither the company nor a channel or sector names. A private channel that the
// caller does not see is no obstacle, as a refusal would tell of it: it has no opening hours of its own afterwards.
func (d *Desk) DeleteHours(ctx context.Context, a *Principal, id model.ID) error {
	if err := a.May(VerbDeleteHours); err != nil {
		return err
	}
	_, err := write(ctx, d, func(tx *store.Tx) (struct{}, error) {
		if _, found, err := tx.LockHours(a.Company.ID, id); err != nil || !found {
			return struct{}{}, errOr(err, errNoHours())
		}
		used, err := tx.HoursInUse(a.Company.ID, id, a.Views)
		if err != nil || used {
			return struct{}{}, errOr(err, model.Errorf(model.CodeInUse, "The company, a channel or a sector uses these opening hours. Choose others there first."))
		}
		tx.DeleteHours(a.Company.ID, id)
		return struct{}{}, nil
	})
	return err
}

// apply checks a change and makes it.
func (in *HoursChange) apply(h *model.Hours) error {
	if in.Name != nil {
		name, invalid := model.Name("body.name", *in.Name, model.MaxName)
		if invalid != nil {
			return invalid
		}
		h.Name = name
	}
	set(&h.Timezone, in.Timezone)
	set(&h.Weekly, in.Weekly)
	set(&h.Exceptions, in.Exceptions)
	if _, invalid := hours.Read("body.", h); invalid != nil {
		return invalid
	}
	return nil
}

// keepHours refuses hours_id where the company has no such opening hours.
func keepHours(tx *store.Tx, company model.ID, id *model.ID) error {
	if id == nil {
		return nil
	}
	found, err := tx.KeepHours(company, *id)
	if err == nil && !found {
		err = model.Invalid("body.hours_id", "there are no such opening hours")
	}
	return err
}

// Holidays lists the public holidays of Brazil in a year; 0 means the present one.
func (d *Desk) Holidays(_ context.Context, a *Principal, year int) ([]model.Holiday, error) {
	if err := a.May(VerbHolidays); err != nil {
		return nil, err
	}
	if year == 0 {
		zone, invalid := model.LoadZone("timezone", a.Company.Timezone)
		if invalid != nil {
			return nil, invalid
		}
		year = d.now().In(zone).Year()
	}
	return hours.Brazil(year), nil
}
