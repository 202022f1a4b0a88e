package costs

import (
	"context"

	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/talk"
)

// Budget is what a company wants to spend on messages in a calendar month.
type Budget struct {
	MonthlyAmount *kernel.Amount `json:"monthly_amount" doc:"In units of the currency; null if there is no budget."`
	WarnPercent   int64          `json:"warn_percent" doc:"The share of the budget at which the owners are notified."`
	Currency      *string        `json:"currency" example:"BRL" doc:"The currency of the company's prices; null if it has entered none."`
	Spent         kernel.Amount  `json:"spent" doc:"What the messages of the present month cost so far, including those of private numbers."`
	Reached       bool           `json:"reached" doc:"Whether the budget is used up, so that automatic messages are not sent."`

	month       int64
	warnedMonth int64
}

// DefaultWarnPercent is the share of a budget at which the owners are notified, unless the company sets another.
const DefaultWarnPercent = 80

// isNear reports whether it is time for a warning.
func (b *Budget) isNear() bool {
	return b.MonthlyAmount != nil && b.Currency != nil && int64(b.Spent)*100 >= int64(*b.MonthlyAmount)*b.WarnPercent
}

// findBudget returns the company's budget and what it has spent this month.
func findBudget(tx *kernel.Tx, company kernel.ID) (Budget, error) {
	b := Budget{WarnPercent: DefaultWarnPercent}
	_, err := tx.One(`SELECT monthly_amount, warn_percent, warned_month FROM budgets WHERE company = $1`, []any{company}, func(r db.Row) {
		b.WarnPercent, b.warnedMonth = r.Int("warn_percent"), r.Int("warned_month")
		if n := r.NullInt("monthly_amount"); n != nil {
			b.MonthlyAmount = new(kernel.Amount(*n))
		}
	})
	if err != nil {
		return b, err
	}
	p, err := pricesOf(tx, company)
	if err != nil || p.currency == nil {
		return b, err
	}
	b.Currency, b.month = p.currency, monthOf(p.today(tx))
	_, err = tx.One(`SELECT amount FROM cost_months WHERE company = $1 AND month = $2 AND currency = $3`, []any{company, b.month, *b.Currency}, func(r db.Row) {
		b.Spent = kernel.Amount(r.Int("amount"))
	})
	b.Reached = b.MonthlyAmount != nil && b.Spent >= *b.MonthlyAmount
	return b, err
}

// Budget returns the company's budget and what it has spent this month.
func (d *Costs) Budget(ctx context.Context, a *kernel.Principal) (Budget, error) {
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (Budget, error) { return findBudget(tx, a.Company.ID) })
}

// BudgetChange lists the fields to change; absent fields stay as they are.
type BudgetChange struct {
	MonthlyAmount kernel.Optional[float64] `json:"monthly_amount,omitempty" required:"false" doc:"The budget of a calendar month in units of the currency, with at most six decimals; null for no budget."`
	WarnPercent   *int64                   `json:"warn_percent,omitempty" minimum:"1" maximum:"100" doc:"The share of the budget at which the owners are notified. 80 unless you set another."`
}

type updateBudgetInput struct {
	Body struct{ BudgetChange } `required:"false"`
}

func (d *Costs) updateBudget(ctx context.Context, a *kernel.Principal, in *updateBudgetInput) (*httpserver.Reply[Budget], error) {
	return httpserver.Body(d.UpdateBudget(ctx, a, in.Body.BudgetChange))
}

// UpdateBudget changes the company's budget. If the warning is due already, the owners are notified.
func (d *Costs) UpdateBudget(ctx context.Context, a *kernel.Principal, in BudgetChange) (Budget, error) {
	var monthly *kernel.Amount
	if units := in.MonthlyAmount.Pointer(); units != nil {
		amount, invalid := kernel.ParseAmount("body.monthly_amount", *units)
		if invalid != nil {
			return Budget{}, invalid
		}
		monthly = &amount
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (Budget, error) {
		tx.LockCompany(a.Company.ID)
		b, err := findBudget(tx, a.Company.ID)
		if err != nil {
			return b, err
		}
		before := b
		if in.MonthlyAmount.Set {
			b.MonthlyAmount = monthly
		}
		kernel.Set(&b.WarnPercent, in.WarnPercent)
		tx.AuditNoun(a, kernel.AuditSubject{Type: "budget"}, before, b, "spent", "reached")
		tx.Later(`
			INSERT INTO budgets (company, monthly_amount, warn_percent, warned_month)
			VALUES ($1, $2, $3, 0)
			ON CONFLICT (company) DO UPDATE
			SET monthly_amount = excluded.monthly_amount, warn_percent = excluded.warn_percent`,
			a.Company.ID, (*int64)(b.MonthlyAmount), b.WarnPercent)
		if err := d.warn(tx, a.Company.ID); err != nil {
			return b, err
		}
		return findBudget(tx, a.Company.ID)
	})
}

// warn notifies the owners if the budget of the present month is nearly used up and they have not been notified this month.
func (d *Costs) warn(tx *kernel.Tx, company kernel.ID) error {
	b, err := findBudget(tx, company)
	if err != nil || !b.isNear() || b.warnedMonth == b.month {
		return err
	}
	n, err := tx.Exec(`UPDATE budgets SET warned_month = $2 WHERE company = $1 AND warned_month <> $2`, company, b.month)
	if err != nil || n == 0 { // another transaction was first
		return err
	}
	owners, err := tx.IDs(`SELECT id FROM users WHERE company = $1 AND role = 'owner' AND removed_at IS NULL ORDER BY id`, company)
	d.talk.NotifyCompany(tx, company, talk.NotifyBudgetWarning, nil, owners...)
	return err
}

// mayAutomate reports whether the budget allows automatic messages.
func mayAutomate(tx *kernel.Tx, company kernel.ID) (bool, error) {
	b, err := findBudget(tx, company)
	return !b.Reached, err
}
