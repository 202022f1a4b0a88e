package costs

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/talk"
)

// priced sets the amount of a message and counts it. before is the cost that was counted so far, or nil.
func (d *Costs) priced(t *talk.LockedConversation, m *talk.Message, before *talk.Cost) error {
	tx, c := t.Tx, m.Cost
	p, err := pricesOf(tx, t.Company)
	if err != nil {
		return err
	}
	if before == nil {
		c.Day = kernel.DateOf(m.SentOrCreated(), p.zone).Number()
	}
	var services int64 // of the number in the month, with this one
	if change := countService(c) - countService(before); change != 0 {
		if services, err = addServices(tx, t.Company, t.Channel, c.Day/100, change); err != nil {
			return err
		}
	}
	if before == nil {
		c.Currency = p.currency
		if c.Amount, err = amountOf(t, c, p, services); err != nil {
			return err
		}
	} else if c.Currency != nil {
		c.Amount = new(kernel.Amount(0)) // it failed
	}
	count(d, tx, m, before, -1)
	count(d, tx, m, c, 1)
	if c.Attendance != nil && (c.Amount != nil || before != nil && before.Amount != nil) {
		talk.AddCost(tx, t.Company, *c.Attendance, amount(c)-amount(before), *c.Currency)
	}
	return nil
}

// amountOf returns the price of a message that has no amount yet, or nil if the company has no rate for it. services is the number
// of billable service messages of the number in the month, with this one.
func amountOf(t *talk.LockedConversation, c *talk.Cost, p *prices, services int64) (*kernel.Amount, error) {
	switch {
	case p.currency == nil:
		return nil, nil
	case !c.Billable, c.Category == talk.CategoryService && services <= p.freeService:
		return new(kernel.Amount(0)), nil
	}
	country, err := countryOf(t.Tx, &t.Conversation)
	if err != nil {
		return nil, err
	}
	return findRate(t.Tx, t.Company, rateCategory(c.Category), country, c.Day)
}

// countService returns 1 for a message that uses the free service messages of its month, which may be nil.
func countService(c *talk.Cost) int64 {
	if c != nil && c.Billable && c.Category == talk.CategoryService {
		return 1
	}
	return 0
}

// amount returns the amount of a cost, which may be nil.
func amount(c *talk.Cost) kernel.Amount {
	if c == nil || c.Amount == nil {
		return 0
	}
	return *c.Amount
}

// addServices adds to the number of billable service messages of a channel's number in a month and returns it. A number that is
// connected again as another channel continues its month. Transactions that count for the same number wait for each other.
func addServices(tx *kernel.Tx, company, channel kernel.ID, month, n int64) (total int64, err error) {
	_, err = tx.One(`
		INSERT INTO cost_services (company, phone, month, messages)
		SELECT company, phone, CAST($3 AS BIGINT), CAST($4 AS BIGINT)
		FROM channels
		WHERE company = $1 AND id = $2
		ON CONFLICT (company, phone, month) DO UPDATE SET messages = cost_services.messages + excluded.messages
		RETURNING messages`, []any{company, channel, month, n}, func(r db.Row) { total = r.Int("messages") })
	return total, err
}

// line identifies a row of the report. member and sector are kernel.MaxID if there is none.
type line struct {
	company, channel, member, sector kernel.ID
	day                              int64
	category, origin, currency       string
}

// figures are the sums of a line.
type figures struct{ messages, billable, amount int64 }

func (f *figures) add(other figures, n int64) {
	f.messages += n * other.messages
	f.billable += n * other.billable
	f.amount += n * other.amount
}

func (l line) compare(other line) int {
	return cmp.Or(
		kernel.CompareIDs(l.company, other.company), cmp.Compare(l.day, other.day), kernel.CompareIDs(l.channel, other.channel),
		kernel.CompareIDs(l.member, other.member), kernel.CompareIDs(l.sector, other.sector), strings.Compare(l.category, other.category),
		strings.Compare(l.origin, other.origin), strings.Compare(l.currency, other.currency),
	)
}

// lines are the changes of a transaction to the report.
type lines map[line]*figures

// get returns the figures of a line, which the caller may change.
func (ls lines) get(l line) *figures {
	f := ls[l]
	if f == nil {
		f = &figures{}
		ls[l] = f
	}
	return f
}

type linesKey struct{}

// count counts a message with a cost n times: once, or -1 times if it was counted before. The report is written at the end of the
// transaction, in a fixed order and before that of attendances, so that transactions wait for each other only briefly.
func count(d *Costs, tx *kernel.Tx, m *talk.Message, c *talk.Cost, n int64) {
	if c == nil {
		return
	}
	changes := kernel.Value[lines](tx, linesKey{})
	if *changes == nil {
		*changes = lines{}
		tx.FirstBeforeCommit(func() error { return d.write(tx, *changes) })
	}
	l := line{
		company: m.Company, channel: m.Channel, member: kernel.MaxID, sector: kernel.MaxID, day: c.Day, category: c.Category, origin: m.Origin,
	}
	kernel.Set(&l.member, kernel.RefID(m.SentBy))
	kernel.Set(&l.sector, c.Sector)
	f := figures{messages: 1}
	if c.Billable {
		f.billable = 1
	}
	if c.Amount != nil {
		l.currency, f.amount = *c.Currency, int64(*c.Amount)
	}
	(*changes).get(l).add(f, n)
}

// month identifies a sum of a month.
type month struct {
	company  kernel.ID
	month    int64
	currency string
}

// write writes the changes of a transaction and warns if a budget is nearly used up.
func (d *Costs) write(tx *kernel.Tx, changes lines) error {
	maps.DeleteFunc(changes, func(_ line, f *figures) bool { return *f == figures{} })
	months := map[month]int64{}
	for _, l := range slices.SortedFunc(maps.Keys(changes), line.compare) {
		addLine(tx, l, *changes[l])
		if f := changes[l]; f.amount != 0 {
			months[month{l.company, l.day / 100, l.currency}] += f.amount
		}
	}
	maps.DeleteFunc(months, func(_ month, amount int64) bool { return amount == 0 })
	order := func(a, b month) int {
		return cmp.Or(kernel.CompareIDs(a.company, b.company), cmp.Compare(a.month, b.month), strings.Compare(a.currency, b.currency))
	}
	companies := map[kernel.ID]bool{}
	for _, m := range slices.SortedFunc(maps.Keys(months), order) {
		addMonth(tx, m, months[m])
		companies[m.company] = true
	}
	for company := range companies {
		if err := d.warn(tx, company); err != nil {
			return err
		}
	}
	return nil
}

func addLine(tx *kernel.Tx, l line, f figures) {
	tx.Later(`
		INSERT INTO cost_lines (company, day, channel, member, sector, category, origin, currency, messages, billable, amount)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
		ON CONFLICT (company, day, channel, member, sector, category, origin, currency) DO UPDATE
		SET messages = cost_lines.messages + excluded.messages,
			billable = cost_lines.billable + excluded.billable,
			amount = cost_lines.amount + excluded.amount`,
		l.company, l.day, l.channel, l.member, l.sector, l.category, l.origin, l.currency, f.messages, f.billable, f.amount)
}

func addMonth(tx *kernel.Tx, m month, amount int64) {
	tx.Later(`
		INSERT INTO cost_months (company, month, currency, amount)
		VALUES ($1, $2, $3, $4)
		ON CONFLICT (company, month, currency) DO UPDATE SET amount = cost_months.amount + excluded.amount`,
		m.company, m.month, m.currency, amount)
}
