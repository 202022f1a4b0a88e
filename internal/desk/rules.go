package desk

import (
	"context"

	"recado/internal/model"
	"recado/internal/store"
)

// AttendanceRules gives the company's rules of attendances.
func (d *Desk) AttendanceRules(ctx context.Context, a *Principal) (model.AttendanceRules, error) {
	if err := a.May(VerbAttendanceRules); err != nil {
		return model.AttendanceRules{}, err
	}
	return read(ctx, d, func(tx *store.Tx) (model.AttendanceRules, error) { return tx.AttendanceRules(a.Company.ID) })
}

// RulesChange is what of the rules is to change; nil leaves a part as it is.
type RulesChange struct {
	Enabled        *bool
	FirstResponder *bool
	Mode           *string
	AutoClose      *bool
	AfterMinutes   *int64
}

// UpdateAttendanceRules changes the company's rules. They hold at once, for open attendances too;
// switching attendances off opens no new ones and leaves the open ones to be closed.
func (d *Desk) UpdateAttendanceRules(ctx context.Context, a *Principal, in RulesChange) (model.AttendanceRules, error) {
	if err := a.May(VerbUpdateAttendanceRules); err != nil {
		return model.AttendanceRules{}, err
	}
	return write(ctx, d, func(tx *store.Tx) (model.AttendanceRules, error) {
		rules, err := tx.LockRules(a.Company.ID)
		if err != nil {
			return rules, err
		}
		set(&rules.Enabled, in.Enabled)
		set(&rules.FirstResponderTakesOwnership, in.FirstResponder)
		set(&rules.Mode, in.Mode)
		set(&rules.AutoClose.Enabled, in.AutoClose)
		set(&rules.AutoClose.AfterMinutes, in.AfterMinutes)
		tx.SaveAttendanceRules(a.Company.ID, rules)
		return rules, nil
	})
}
