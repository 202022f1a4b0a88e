package costs

import (
	"cmp"
	"context"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"recado/internal/fold"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/reports"
)

// CostReport is what the messages of some days cost. Days are in the company's time zone.
type CostReport struct {
	From     string         `json:"from" format:"date"`
	To       string         `json:"to" format:"date"`
	Timezone string         `json:"timezone"`
	Currency *string        `json:"currency" example:"BRL" doc:"The currency of the company's prices; null if it has entered none."`
	Total    *kernel.Amount `json:"total" doc:"The sum of the amounts in this currency; null if the company has entered no prices."`
	Messages int64          `json:"messages" doc:"The number of messages with a category."`
	Billable int64          `json:"billable" doc:"The number of them for which WhatsApp charges."`
	Rows     []CostRow      `json:"rows"`

	by string
}

// CostFigures are the numbers of one row.
type CostFigures struct {
	Total    *kernel.Amount `json:"total" doc:"null if the company has entered no prices."`
	Messages int64          `json:"messages"`
	Billable int64          `json:"billable"`
}

// CostRow is one row of a report. It has one of the other fields, according to by.
type CostRow struct {
	Date     *string     `json:"date,omitempty" format:"date"`
	Channel  *kernel.Ref `json:"channel,omitempty"`
	Sector   *kernel.Ref `json:"sector,omitempty" null:"true" doc:"null for messages without a sector."`
	User     *kernel.Ref `json:"user,omitempty" null:"true" doc:"The person who sent the messages; null for those that no person sent."`
	Category *string     `json:"category,omitempty" example:"marketing"`
	Origin   *string     `json:"origin,omitempty" enum:"app,phone,api,automation"`
	CostFigures

	by string
}

// The groups of a report.
const (
	byDay      = "day"
	byChannel  = "channel"
	bySector   = "sector"
	byUser     = "user"
	byCategory = "category"
	byOrigin   = "origin"
)

// The rows by group, as they are in JSON and CSV.
type (
	dayRow struct {
		Date *string `json:"date"`
		CostFigures
	}
	channelRow struct {
		Channel *kernel.Ref `json:"channel"`
		CostFigures
	}
	sectorRow struct {
		Sector *kernel.Ref `json:"sector"`
		CostFigures
	}
	userRow struct {
		User *kernel.Ref `json:"user"`
		CostFigures
	}
	categoryRow struct {
		Category *string `json:"category"`
		CostFigures
	}
	originRow struct {
		Origin *string `json:"origin"`
		CostFigures
	}
)

// MarshalJSONTo writes the field of the group, which may be null, and the figures.
func (r CostRow) MarshalJSONTo(enc *jsontext.Encoder) error {
	var row any
	switch r.by {
	case byChannel:
		row = channelRow{r.Channel, r.CostFigures}
	case bySector:
		row = sectorRow{r.Sector, r.CostFigures}
	case byUser:
		row = userRow{r.User, r.CostFigures}
	case byCategory:
		row = categoryRow{r.Category, r.CostFigures}
	case byOrigin:
		row = originRow{r.Origin, r.CostFigures}
	default:
		row = dayRow{r.Date, r.CostFigures}
	}
	return json.MarshalEncode(enc, row)
}

// CSVRows returns the rows.
func (r CostReport) CSVRows(string) any {
	switch r.by {
	case byChannel:
		return rowsAs(r.Rows, func(r CostRow) channelRow { return channelRow{r.Channel, r.CostFigures} })
	case bySector:
		return rowsAs(r.Rows, func(r CostRow) sectorRow { return sectorRow{r.Sector, r.CostFigures} })
	case byUser:
		return rowsAs(r.Rows, func(r CostRow) userRow { return userRow{r.User, r.CostFigures} })
	case byCategory:
		return rowsAs(r.Rows, func(r CostRow) categoryRow { return categoryRow{r.Category, r.CostFigures} })
	case byOrigin:
		return rowsAs(r.Rows, func(r CostRow) originRow { return originRow{r.Origin, r.CostFigures} })
	}
	return rowsAs(r.Rows, func(r CostRow) dayRow { return dayRow{r.Date, r.CostFigures} })
}

func rowsAs[T any](rows []CostRow, as func(CostRow) T) []T {
	out := make([]T, len(rows))
	for i, row := range rows {
		out[i] = as(row)
	}
	return out
}

type costReportInput struct {
	From string `query:"from" format:"date" doc:"The first day of the report, as YYYY-MM-DD." example:"2026-11-01"`
	To   string `query:"to" format:"date" doc:"The last day of the report, inclusive. A report covers at most 366 days." example:"2026-11-30"`
	By   string `query:"by" enum:"day,channel,sector,user,category,origin" default:"day" doc:"What the rows are about."`
}

func (d *Costs) costReport(ctx context.Context, a *kernel.Principal, in *costReportInput) (*httpserver.Reply[CostReport], error) {
	from, invalid := httpserver.Date("query.from", in.From)
	if invalid != nil {
		return nil, invalid
	}
	to, invalid := httpserver.Date("query.to", in.To)
	if invalid != nil {
		return nil, invalid
	}
	return httpserver.Body(d.CostReport(ctx, a, from, to, in.By))
}

// CostReport returns what the messages of a range of days cost, in rows by one of the groups. from and to may be nil, as in
// reports.AttendanceReport.
func (d *Costs) CostReport(ctx context.Context, a *kernel.Principal, from, to *kernel.Date, by string) (CostReport, error) {
	release, err := d.queries.Begin(ctx, a)
	if err != nil {
		return CostReport{}, err
	}
	defer release()
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (CostReport, error) {
		p, err := pricesOf(tx, a.Company.ID)
		if err != nil {
			return CostReport{}, err
		}
		first, last, err := reports.Days(from, to, p.today(tx))
		if err != nil {
			return CostReport{}, err
		}
		r := CostReport{From: first.String(), To: last.String(), Timezone: p.zone.String(), Currency: p.currency, Rows: []CostRow{}, by: by}
		sums, err := sumsBy(tx, a.Company.ID, by, first, last, p.currency)
		if err != nil {
			return r, err
		}
		var total figures
		for _, f := range sums {
			total.add(*f, 1)
		}
		sum := r.figures(total)
		r.Total, r.Messages, r.Billable = sum.Total, sum.Messages, sum.Billable
		if by == byDay {
			for day := range first.Through(last) {
				f := figures{}
				kernel.Set(&f, sums[day.String()])
				r.Rows = append(r.Rows, CostRow{by: by, Date: new(day.String()), CostFigures: r.figures(f)})
			}
			return r, nil
		}
		names, err := findNames(tx, a.Company.ID, by)
		if err != nil {
			return r, err
		}
		for key, f := range sums {
			r.Rows = append(r.Rows, r.row(key, *f, names))
		}
		slices.SortFunc(r.Rows, CostRow.compare)
		return r, nil
	})
}

// figures returns the figures of a row or of the report.
func (r *CostReport) figures(f figures) CostFigures {
	out := CostFigures{Messages: f.messages, Billable: f.billable}
	if r.Currency != nil {
		out.Total = new(kernel.Amount(f.amount))
	}
	return out
}

// row returns the row of a key of sumsBy.
func (r *CostReport) row(key string, f figures, names map[string]kernel.Ref) CostRow {
	row := CostRow{by: r.by, CostFigures: r.figures(f)}
	var ref *kernel.Ref
	if named, found := names[key]; found {
		ref = &named
	}
	switch r.by {
	case byChannel:
		row.Channel = ref
	case bySector:
		row.Sector = ref
	case byUser:
		row.User = ref
	case byCategory:
		row.Category = &key
	case byOrigin:
		row.Origin = &key
	}
	return row
}

// name returns what a row is about, or "" if it is about no sector or person.
func (r CostRow) name() string {
	for _, ref := range []*kernel.Ref{r.Channel, r.Sector, r.User} {
		if ref != nil {
			return fold.Text(ref.Name) + " " + ref.ID.String()
		}
	}
	for _, text := range []*string{r.Category, r.Origin} {
		if text != nil {
			return *text
		}
	}
	return ""
}

// compare orders rows by their total, the number of messages and the name. The row without a sector or person comes last.
func (r CostRow) compare(other CostRow) int {
	a, b := r.name(), other.name()
	if (a == "") != (b == "") {
		return cmp.Compare(b, a)
	}
	var totals [2]kernel.Amount
	kernel.Set(&totals[0], r.Total)
	kernel.Set(&totals[1], other.Total)
	return cmp.Or(cmp.Compare(totals[1], totals[0]), cmp.Compare(other.Messages, r.Messages), cmp.Compare(a, b))
}

// sumsBy returns the figures of the company's public channels in a range of days, by a day, the text of an id, a category or an
// origin. Only amounts in the currency are added.
func sumsBy(tx *kernel.Tx, company kernel.ID, by string, from, to kernel.Date, currency *string) (map[string]*figures, error) {
	column := map[string]string{bySector: "sector", byUser: "member", byChannel: "channel", byCategory: "category", byOrigin: "origin"}[by]
	if column == "" {
		column = "day"
	}
	sums := map[string]*figures{}
	return sums, tx.Query(`
		SELECT `+column+`, currency, CAST(SUM(messages) AS BIGINT) AS messages, CAST(SUM(billable) AS BIGINT) AS billable,
			CAST(SUM(amount) AS BIGINT) AS amount
		FROM cost_lines
		WHERE company = $1 AND day >= $2 AND day <= $3
			AND channel NOT IN (SELECT x.id FROM channels x WHERE x.company = $1 AND x.private)
		GROUP BY `+column+`, currency`, []any{company, from.Number(), to.Number()}, func(r db.Row) error {
		var key string
		switch column {
		case "day":
			key = kernel.DateNumbered(r.Int(column)).String()
		case "category", "origin":
			key = r.Text(column)
		default:
			key = r.ID(column).String()
		}
		f := figures{messages: r.Int("messages"), billable: r.Int("billable")}
		if currency != nil && r.Text("currency") == *currency {
			f.amount = r.Int("amount")
		}
		if f == (figures{}) { // everything was taken back
			return nil
		}
		if sums[key] == nil {
			sums[key] = &figures{}
		}
		sums[key].add(f, 1)
		return nil
	})
}

// findNames returns the channels, sectors or members that the company has or had, by the text of their ids.
func findNames(tx *kernel.Tx, company kernel.ID, by string) (map[string]kernel.Ref, error) {
	table := map[string]string{byChannel: "channels", bySector: "sectors", byUser: "users"}[by]
	names := map[string]kernel.Ref{}
	if table == "" {
		return names, nil
	}
	return names, tx.Query(`SELECT id, name FROM `+table+` WHERE company = $1`, []any{company}, func(r db.Row) error {
		names[r.ID("id").String()] = kernel.Ref{ID: r.ID("id"), Name: r.Text("name")}
		return nil
	})
}
