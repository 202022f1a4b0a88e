package talk

import (
	"slices"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
)

// Cost is what WhatsApp charges for a message.
type Cost struct {
	Category string         `json:"category" example:"marketing" doc:"The category as WhatsApp reports it, such as marketing, utility, authentication or service."`
	Type     string         `json:"type" example:"regular" doc:"The type as WhatsApp reports it: regular, free_customer_service or free_entry_point."`
	Billable bool           `json:"billable" doc:"Whether WhatsApp charges for the message. A message that failed is not billable."`
	Amount   *kernel.Amount `json:"amount" doc:"The price by the company's rates, in units of the currency, with at most six decimals; null if there was no rate for it."`
	Currency *string        `json:"currency" example:"BRL" doc:"null if the company had not entered prices."`

	Day        int64      `json:"-"` // for which it counts, such as 20261114
	Sector     *kernel.ID `json:"-"`
	Attendance *kernel.ID `json:"-"` // to which the message belongs
}

// AttendanceCost is what the messages of an attendance cost.
type AttendanceCost struct {
	Amount   kernel.Amount `json:"amount" doc:"In units of the currency."`
	Currency string        `json:"currency" example:"BRL"`
}

func scanCost(r db.Row) *Cost {
	if r.Null("cost_category") {
		return nil
	}
	c := &Cost{
		Category: r.Text("cost_category"), Type: r.Text("cost_type"), Billable: r.Bool("cost_billable"), Currency: r.NullText("cost_currency"),
		Day: r.Int("cost_day"), Sector: r.NullID("cost_sector"), Attendance: r.NullID("cost_attendance"),
	}
	if !r.Null("cost_amount") {
		c.Amount = new(kernel.Amount(r.Int("cost_amount")))
	}
	return c
}

func scanAttendanceCost(r db.Row) *AttendanceCost {
	if r.Null("cost_amount") {
		return nil
	}
	return &AttendanceCost{Amount: kernel.Amount(r.Int("cost_amount")), Currency: r.Text("cost_currency")}
}

func saveCost(tx *kernel.Tx, m *Message) {
	c := m.Cost
	var amount *int64
	if c.Amount != nil {
		amount = new(int64(*c.Amount))
	}
	tx.Later(`
		UPDATE messages
		SET cost_category = $4, cost_type = $5, cost_billable = $6, cost_amount = $7, cost_currency = $8, cost_day = $9, cost_sector = $10,
			cost_attendance = $11
		WHERE company = $1 AND conversation = $2 AND seq = $3`,
		m.Company, m.Conversation, m.Seq, c.Category, c.Type, c.Billable, amount, c.Currency, c.Day, c.Sector, c.Attendance)
}

// price stores how the provider charges for a message, which it reports in one or several of its statuses: the first report counts.
// A message that has failed is not billable. It reports whether the cost of the message changed.
func (in *InboundBatch) price(t *BatchConversation, m *Message, reported *provider.Pricing) (bool, error) {
	before := m.Cost
	failed := m.Status == provider.StatusFailed
	switch {
	case before == nil && reported != nil && m.Direction == provider.Outbound:
		c := &Cost{
			Category: kernel.CleanText(reported.Category), Type: kernel.CleanText(reported.Type),
			Billable: reported.Billable && !failed, Sector: t.Sector,
		}
		if err := in.findCase(t, m, c); err != nil {
			return false, err
		}
		m.Cost = c
	case before != nil && before.Billable && failed:
		c := *before
		c.Billable, c.Amount = false, nil
		m.Cost = &c
	default:
		return false, nil
	}
	if err := in.d.tell(func(o *Observer) error { return o.Priced(t.LockedConversation, m, before) }); err != nil {
		return false, err
	}
	saveCost(in.Tx, m)
	return true, nil
}

// SentOrCreated returns when a message was sent, or was created if that is not known or later.
func (m *Message) SentOrCreated() time.Time {
	if m.SentAt != nil && m.SentAt.After(m.CreatedAt) {
		return *m.SentAt
	}
	return m.CreatedAt
}

// findCase sets the attendance to which a message belongs, and its sector: the one that was open when it was written, or was closed
// after it was written or just before. A held message belongs to the attendance in which it was released; the question of a survey
// and the reply to its answer belong to the attendance that was rated.
func (in *InboundBatch) findCase(t *BatchConversation, m *Message, c *Cost) error {
	var id kernel.ID
	var sector *kernel.ID
	var closed *time.Time
	var own bool // the message is certainly about it
	found, err := in.Tx.One(`
		SELECT id, sector, closed_at, own
		FROM (
			SELECT id, sector, opened_at, closed_at,
				CASE WHEN id = $5 OR $4 AND (survey_sent_at = $3 OR survey_answered_at = $3) THEN TRUE ELSE FALSE END AS own
			FROM attendances
			WHERE company = $1 AND conversation = $2 AND (opened_at <= $3 OR id = $5)) a
		ORDER BY own DESC, opened_at DESC, id DESC
		LIMIT 1`, []any{t.Company, t.ID, m.CreatedAt, m.Origin == provider.OriginAutomation, m.releasedIn}, func(r db.Row) {
		id, sector, closed, own = r.ID("id"), r.NullID("sector"), r.NullTime("closed_at"), r.Bool("own")
	})
	if err != nil || !found {
		return err
	}
	if closed != nil && closed.Before(m.CreatedAt) && !own {
		rules, err := people.ListAttendanceRules(in.Tx, t.Company)
		if err != nil || !m.CreatedAt.Before(closed.Add(time.Duration(rules.GraceMinutes)*time.Minute)) {
			return err
		}
	}
	c.Attendance, c.Sector = &id, sector
	return nil
}

// releaseIn records that a held message belongs to an attendance, which may be nil, before it has a cost.
func (m *Message) releaseIn(tx *kernel.Tx, attendance *kernel.ID) {
	m.releasedIn = attendance
	tx.Later(`UPDATE messages SET cost_attendance = $4 WHERE company = $1 AND conversation = $2 AND seq = $3`,
		m.Company, m.Conversation, m.Seq, attendance)
}

// AddCost adds to the cost of an attendance. An attendance has the currency of its first message; other currencies are not added.
func AddCost(tx *kernel.Tx, company, attendance kernel.ID, amount kernel.Amount, currency string) {
	tx.Later(`
		UPDATE attendances
		SET cost_amount = COALESCE(cost_amount, 0) + $3, cost_currency = $4
		WHERE company = $1 AND id = $2 AND (cost_currency IS NULL OR cost_currency = $4)`, company, attendance, int64(amount), currency)
}

// mayCountService reports whether one of the items may change the number of service messages that WhatsApp charges for: with a
// price, with the failure of a message that has one, or with a message of the phone whose statuses arrived before it. Transactions
// that count those take turns, because they lock that number in addition to their conversations.
func mayCountService(items []provider.Incoming) bool {
	return slices.ContainsFunc(items, func(item provider.Incoming) bool {
		if s := item.Status; s != nil {
			return s.Status == provider.StatusFailed || s.Pricing != nil && s.Pricing.Billable && s.Pricing.Category == CategoryService
		}
		return item.Message != nil && item.Message.FromPhoneApp
	})
}

// CategoryService is the category of messages that are not templates.
const CategoryService = "service"

// MayAutomate reports whether automatic messages may be sent to the customer now.
func (t *LockedConversation) MayAutomate() (bool, error) {
	if out, err := t.hasOptedOut(); err != nil || out {
		return false, err
	}
	return t.companyMayAutomate()
}

// companyMayAutomate reports whether the company may send automatic messages now.
func (t *LockedConversation) companyMayAutomate() (bool, error) {
	may := true
	err := t.d.tell(func(o *Observer) error {
		allowed, err := o.MayAutomate(t.Tx, t.Company)
		may = may && allowed
		return err
	})
	return may, err
}

// NotifyCompany stores a notification that is about no conversation for each of the members. entry is what it is about, or nil.
func (d *Talk) NotifyCompany(tx *kernel.Tx, company kernel.ID, kind string, entry *kernel.ID, members ...kernel.ID) {
	d.storeNotifications(tx, company, nil, kind, nil, entry, members)
}
