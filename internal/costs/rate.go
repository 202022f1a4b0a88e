package costs

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
	"recado/internal/phone"
	"recado/internal/talk"
)

// MessageRates are the prices that a company has entered.
type MessageRates struct {
	Currency    *string       `json:"currency" example:"BRL" doc:"The three letters of the currency; null if there are no prices."`
	FreeService int64         `json:"free_service_per_month" doc:"The number of service messages per number and calendar month that are free although they are billable."`
	Rates       []MessageRate `json:"rates"`
}

// MessageRate is the price of a message from a day on.
type MessageRate struct {
	Country  string        `json:"country" example:"BR" doc:"The country of the recipient's number, or * for all countries without a rate of their own."`
	Category string        `json:"category" enum:"marketing,utility,authentication,service"`
	Amount   kernel.Amount `json:"amount" minimum:"0" doc:"The price of one message in units of the currency."`
	From     string        `json:"from" format:"date" doc:"The first day on which the price applies, in the company's time zone."`
}

// The categories of rates.
const (
	categoryMarketing      = "marketing"
	categoryUtility        = "utility"
	categoryAuthentication = "authentication"
)

// anyCountry is the country of a rate for all countries without a rate of their own.
const anyCountry = "*"

// The limits of rates.
const (
	MaxRates       = 500
	MaxFreeService = 1_000_000_000
)

type setRatesInput struct {
	Body struct {
		Currency    kernel.Optional[string] `json:"currency,omitempty" required:"false" doc:"The three capital letters of the currency, such as BRL. Required if there are rates."`
		FreeService int64                   `json:"free_service_per_month,omitempty" minimum:"0" maximum:"1000000000" doc:"The number of service messages per number and calendar month that are free although they are billable. Defaults to 0."`
		Rates       []rateInput             `json:"rates" maxItems:"500" doc:"Replaces all rates."`
	}
}

type rateInput struct {
	Country  string  `json:"country" minLength:"1" maxLength:"2" doc:"The two capital letters of the country of the recipient's number, or * for all countries without a rate of their own." example:"BR"`
	Category string  `json:"category" enum:"marketing,utility,authentication,service"`
	Amount   float64 `json:"amount" minimum:"0" maximum:"1000000000" doc:"The price of one message in units of the currency, with at most six decimals."`
	From     string  `json:"from" doc:"The first day on which the price applies, as YYYY-MM-DD." example:"2026-10-01"`
}

func (d *Costs) setRates(ctx context.Context, a *kernel.Principal, in *setRatesInput) (*httpserver.Reply[MessageRates], error) {
	r := MessageRates{Currency: in.Body.Currency.Pointer(), FreeService: in.Body.FreeService, Rates: []MessageRate{}}
	if r.Currency != nil && !isCurrency(*r.Currency) {
		return nil, kernel.Malformed("body.currency", "currency")
	}
	if r.Currency == nil && len(in.Body.Rates) > 0 {
		return nil, kernel.Required("body.currency")
	}
	type key struct {
		country, category string
		from              kernel.Date
	}
	seen := map[key]bool{}
	for i, rate := range in.Body.Rates {
		field := func(name string) string { return fmt.Sprintf("body.rates[%d].%s", i, name) }
		if rate.Country != anyCountry && !phone.IsCountry(rate.Country) {
			return nil, kernel.Malformed(field("country"), "country")
		}
		amount, invalid := kernel.ParseAmount(field("amount"), rate.Amount)
		if invalid != nil {
			return nil, invalid
		}
		from, ok := kernel.ParseDate(rate.From)
		if !ok {
			return nil, kernel.Malformed(field("from"), "date")
		}
		k := key{rate.Country, rate.Category, from}
		if seen[k] {
			return nil, kernel.Duplicate(fmt.Sprintf("body.rates[%d]", i), "another rate has the same country, category and from")
		}
		seen[k] = true
		r.Rates = append(r.Rates, MessageRate{Country: rate.Country, Category: rate.Category, Amount: amount, From: from.String()})
	}
	return httpserver.Body(d.SetRates(ctx, a, r))
}

func isCurrency(s string) bool {
	isCapital := func(c byte) bool { return c >= 'A' && c <= 'Z' }
	return len(s) == 3 && isCapital(s[0]) && isCapital(s[1]) && isCapital(s[2])
}

// Rates returns the company's prices.
func (d *Costs) Rates(ctx context.Context, a *kernel.Principal) (MessageRates, error) {
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (MessageRates, error) { return findRates(tx, a.Company.ID) })
}

// SetRates replaces the company's prices. Amounts of earlier messages stay as they are.
func (d *Costs) SetRates(ctx context.Context, a *kernel.Principal, r MessageRates) (MessageRates, error) {
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (MessageRates, error) {
		tx.LockCompany(a.Company.ID)
		before, err := findRates(tx, a.Company.ID)
		if err != nil {
			return before, err
		}
		tx.Later(`
			INSERT INTO cost_settings (company, currency, free_service)
			VALUES ($1, $2, $3)
			ON CONFLICT (company) DO UPDATE
			SET currency = excluded.currency, free_service = excluded.free_service`, a.Company.ID, r.Currency, r.FreeService)
		tx.Later(`DELETE FROM cost_rates WHERE company = $1`, a.Company.ID)
		for some := range slices.Chunk(r.Rates, 100) {
			s := tx.Statement()
			s.WriteString(`INSERT INTO cost_rates (company, category, country, day, amount) VALUES `)
			for i, rate := range some {
				from, _ := kernel.ParseDate(rate.From)
				if i > 0 {
					s.WriteString(", ")
				}
				s.WriteString("(" + s.Arg(a.Company.ID) + ", " + s.Arg(rate.Category) + ", " + s.Arg(rate.Country) + ", " + s.Arg(from.Number()) + ", " +
					s.Arg(int64(rate.Amount)) + ")")
			}
			tx.Later(s.String(), s.Args...)
		}
		after, err := findRates(tx, a.Company.ID)
		tx.AuditNoun(a, kernel.AuditSubject{Type: "rates"}, before, after)
		return after, err
	})
}

// findRates returns a company's prices, ordered by country, category and day, with * last.
func findRates(tx *kernel.Tx, company kernel.ID) (r MessageRates, err error) {
	s, err := findSettings(tx, company)
	if err != nil {
		return r, err
	}
	r = MessageRates{Currency: s.currency, FreeService: s.freeService}
	r.Rates, err = kernel.Rows(tx, `SELECT country, category, day, amount FROM cost_rates WHERE company = $1`, []any{company}, func(row db.Row) MessageRate {
		return MessageRate{
			Country: row.Text("country"), Category: row.Text("category"), Amount: kernel.Amount(row.Int("amount")),
			From: kernel.DateNumbered(row.Int("day")).String(),
		}
	})
	if r.Rates == nil {
		r.Rates = []MessageRate{}
	}
	slices.SortFunc(r.Rates, func(a, b MessageRate) int {
		switch {
		case a.Country != b.Country && a.Country == anyCountry:
			return 1
		case a.Country != b.Country && b.Country == anyCountry:
			return -1
		}
		return cmp.Or(cmp.Compare(a.Country, b.Country), cmp.Compare(a.Category, b.Category), cmp.Compare(a.From, b.From))
	})
	return r, err
}

// settings are the company's prices without the rates.
type settings struct {
	currency    *string
	freeService int64
}

func findSettings(tx *kernel.Tx, company kernel.ID) (s settings, err error) {
	_, err = tx.One(`SELECT currency, free_service FROM cost_settings WHERE company = $1`, []any{company}, func(r db.Row) {
		s = settings{r.NullText("currency"), r.Int("free_service")}
	})
	return s, err
}

// prices are what amounts depend on, except the rates.
type prices struct {
	settings
	zone *time.Location // of days and months
}

type pricesKey struct{ company kernel.ID }

// pricesOf returns the company's prices as they were when the transaction first used them.
func pricesOf(tx *kernel.Tx, company kernel.ID) (*prices, error) {
	p := kernel.Value[prices](tx, pricesKey{company})
	if p.zone != nil {
		return p, nil
	}
	var err error
	if p.settings, err = findSettings(tx, company); err != nil {
		return nil, err
	}
	p.zone, err = people.Zone(tx, company)
	return p, err
}

// today returns the present day in the company's time zone.
func (p *prices) today(tx *kernel.Tx) kernel.Date { return kernel.DateOf(tx.Now, p.zone) }

// findRate returns the price of a category on a day: the rate of the country, or else of all countries. It returns nil without one.
func findRate(tx *kernel.Tx, company kernel.ID, category, country string, day int64) (amount *kernel.Amount, err error) {
	_, err = tx.One(`
		SELECT amount
		FROM cost_rates
		WHERE company = $1 AND category = $2 AND country IN ($3, '*') AND day <= $4
		ORDER BY CASE WHEN country = '*' THEN 1 ELSE 0 END, day DESC
		LIMIT 1`, []any{company, category, country, day}, func(r db.Row) { amount = new(kernel.Amount(r.Int("amount"))) })
	return amount, err
}

// rateCategory returns the category of the rate for a category as WhatsApp reports it.
func rateCategory(reported string) string {
	switch reported {
	case "marketing_lite":
		return categoryMarketing
	case "authentication-international", "authentication_international":
		return categoryAuthentication
	}
	return reported
}

// countryOf returns the country of the customer of a conversation, or "". A customer whose number WhatsApp does not show has an id
// that begins with the country.
func countryOf(tx *kernel.Tx, c *talk.Conversation) (country string, err error) {
	if c.Phone != nil {
		return phone.Country(*c.Phone), nil
	}
	if c.Contact == nil {
		return "", nil
	}
	_, err = tx.One(`
		SELECT value
		FROM contact_identities
		WHERE company = $1 AND contact = $2 AND kind = $3 AND value NOT LIKE '%@lid'
		ORDER BY value
		LIMIT 1`,
		[]any{c.Company, *c.Contact, talk.IdentityUser}, func(r db.Row) {
			if id := r.Text("value"); len(id) > 2 && id[2] == '.' && phone.IsCountry(id[:2]) {
				country = id[:2]
			}
		})
	return country, err
}

// RateEstimate is what one message to a customer would cost now.
type RateEstimate struct {
	Currency *string         `json:"currency" example:"BRL" doc:"null if the company has entered no prices."`
	Amounts  CategoryAmounts `json:"amounts"`
}

// CategoryAmounts has an amount for each category. Amounts without a rate are nil.
type CategoryAmounts struct {
	Marketing      *kernel.Amount `json:"marketing"`
	Utility        *kernel.Amount `json:"utility"`
	Authentication *kernel.Amount `json:"authentication"`
	Service        *kernel.Amount `json:"service" doc:"0 while the number has free service messages left this month."`
}

func (d *Costs) conversationRates(ctx context.Context, a *kernel.Principal, in *httpserver.AtID) (*httpserver.Reply[RateEstimate], error) {
	return httpserver.Body(d.ConversationRates(ctx, a, kernel.ID(in.ID)))
}

// ConversationRates returns what one message to the customer of a conversation would cost now.
func (d *Costs) ConversationRates(ctx context.Context, a *kernel.Principal, conversation kernel.ID) (RateEstimate, error) {
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (out RateEstimate, err error) {
		c, found, err := talk.FindConversation(tx, a.Company.ID, conversation)
		if err != nil || !found || !talk.MaySee(a, &c) {
			return out, kernel.ErrOr(err, kernel.NotFound("conversation"))
		}
		p, err := pricesOf(tx, a.Company.ID)
		if err != nil || p.currency == nil {
			return out, err
		}
		out.Currency = p.currency
		country, err := countryOf(tx, &c)
		if err != nil {
			return out, err
		}
		day := p.today(tx)
		for category, amount := range map[string]**kernel.Amount{
			categoryMarketing: &out.Amounts.Marketing, categoryUtility: &out.Amounts.Utility,
			categoryAuthentication: &out.Amounts.Authentication, talk.CategoryService: &out.Amounts.Service,
		} {
			if *amount, err = findRate(tx, a.Company.ID, category, country, day.Number()); err != nil {
				return out, err
			}
		}
		if p.freeService > 0 {
			var used int64
			_, err = tx.One(`
				SELECT s.messages
				FROM cost_services s
				JOIN channels ch ON ch.company = $1 AND ch.phone = s.phone
				WHERE s.company = $1 AND ch.id = $2 AND s.month = $3`,
				[]any{a.Company.ID, c.Channel, monthOf(day)}, func(r db.Row) { used = r.Int("messages") })
			if used < p.freeService {
				out.Amounts.Service = new(kernel.Amount(0))
			}
		}
		return out, err
	})
}

// monthOf returns the month of a day as a number such as 202611.
func monthOf(day kernel.Date) int64 { return day.Number() / 100 }
