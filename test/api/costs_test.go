package api_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/test/servertest"
	"recado/test/testkit"
)

// november is noon of a day in the middle of a month, in São Paulo.
var november = time.Date(2026, 11, 15, 15, 0, 0, 0, time.UTC)

// priced is a company with messages that WhatsApp charges for.
type priced struct {
	*servertest.World
	channel, conversation string
}

// newPriced has the rates of a JSON list, in BRL. Empty: no prices.
func newPriced(t *testing.T, w *servertest.World, rates string) *priced {
	t.Helper()
	w.Clock.Set(november)
	w.A.Patch(t, "/company", `{"timezone":"America/Sao_Paulo"}`).OK(200)
	f := &priced{World: w, channel: sandbox(t, w)}
	f.conversation = customerWrites(t, w, f.channel, phoneNumber(1))
	if rates != "" {
		f.rates(t, rates, 0)
	}
	return f
}

func (f *priced) rates(t *testing.T, rates string, free int) {
	t.Helper()
	f.A.Put(t, "/company/rates", fmt.Sprintf(`{"currency":"BRL","free_service_per_month":%d,"rates":%s}`, free, rates)).OK(200)
}

const marketingRate = `[{"country":"BR","category":"marketing","amount":0.3125,"from":"2026-01-01"}]`

// send sends a message and returns its id and its external id.
func (f *priced) send(t *testing.T) (id, external string) {
	t.Helper()
	m := f.A.Post(t, "/conversations/"+f.conversation+"/messages", message("x")).OK(201)
	return m.ID(), m.Text("external_id")
}

func status(external, status string, pricing *provider.Pricing) provider.Incoming {
	s := &provider.IncomingStatus{ExternalID: external, Status: status, Pricing: pricing}
	if status == provider.StatusFailed {
		s.Error = new(provider.NewReason("not_delivered", "It was not delivered."))
	}
	return provider.Incoming{Status: s}
}

func (f *priced) receive(t *testing.T, items ...provider.Incoming) {
	t.Helper()
	if err := f.Desk.Talk.Receive(t.Context(), f.A.ID, mustID(f.channel), items); err != nil {
		t.Error(err)
	}
}

// sent sends a message of a category that is billable, and returns its id.
func (f *priced) sent(t *testing.T, category string) string {
	t.Helper()
	id, external := f.send(t)
	f.receive(t, status(external, "delivered", billed(category)))
	return id
}

func billed(category string) *provider.Pricing {
	return &provider.Pricing{Category: category, Type: "regular", Billable: true}
}

func (f *priced) cost(t *testing.T, message string) string {
	t.Helper()
	return asJSON(f.A.Get(t, "/messages/"+message).OK(200).At("cost"))
}

func asJSON(v any) string {
	raw, err := kernel.EncodeJSON(v)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

func (f *priced) report(t *testing.T, query string) *servertest.Answer {
	t.Helper()
	return f.A.Get(t, "/reports/cost?"+query).OK(200)
}

func TestAMessageHasTheCostThatWhatsAppReports(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		f := newPriced(t, w, "")
		id, external := f.send(t)
		testkit.Equal(t, "cost without a report", f.cost(t, id), "null")
		attendance := "/attendances/" + openAttendance(t, w, f.conversation).ID()

		f.receive(t, status(external, "delivered", billed("marketing")))
		testkit.Equal(t, "cost without rates", f.cost(t, id), `{"amount":null,"billable":true,"category":"marketing","currency":null,"type":"regular"}`)
		testkit.Equal(t, "cost of the case without rates", w.A.Get(t, attendance).OK(200).At("cost"), any(nil))
		r := f.report(t, "")
		testkit.Equal(t, "report without rates", asJSON([]any{r.At("currency"), r.At("total"), r.At("messages"), r.At("billable")}), `[null,null,1,1]`)

		f.rates(t, marketingRate, 0)
		testkit.Equal(t, "cost after the rates were set", f.cost(t, id), `{"amount":null,"billable":true,"category":"marketing","currency":null,"type":"regular"}`)

		second := f.sent(t, "marketing")
		testkit.Equal(t, "cost", f.cost(t, second), `{"amount":0.3125,"billable":true,"category":"marketing","currency":"BRL","type":"regular"}`)
		lite := f.sent(t, "marketing_lite")
		testkit.Equal(t, "cost of marketing_lite", f.cost(t, lite), `{"amount":0.3125,"billable":true,"category":"marketing_lite","currency":"BRL","type":"regular"}`)
		testkit.Equal(t, "cost without a rate", f.cost(t, f.sent(t, "utility")), `{"amount":null,"billable":true,"category":"utility","currency":"BRL","type":"regular"}`)

		free, external := f.send(t)
		pricing := &provider.Pricing{Category: "service", Type: "free_customer_service"}
		f.receive(t, status(external, "delivered", pricing))
		testkit.Equal(t, "cost of a free message", f.cost(t, free), `{"amount":0,"billable":false,"category":"service","currency":"BRL","type":"free_customer_service"}`)

		f.rates(t, `[{"country":"BR","category":"marketing","amount":9,"from":"2026-01-01"}]`, 0)
		testkit.Equal(t, "cost after the rates changed", f.cost(t, second), `{"amount":0.3125,"billable":true,"category":"marketing","currency":"BRL","type":"regular"}`)
		testkit.Equal(t, "cost of the case", asJSON(w.A.Get(t, attendance).OK(200).At("cost")), `{"amount":0.625,"currency":"BRL"}`)
		csv := w.A.Do(t, "GET", "/attendances?format=csv", nil).OK(200)
		if !strings.Contains(string(csv.Raw), "cost.amount,cost.currency") || !strings.Contains(string(csv.Raw), "0.625,BRL") {
			t.Errorf("the CSV of the cases has no cost: %s", csv.Raw)
		}
	})
}

func TestTheFirstPricingOfAMessageCountsOnce(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		f := newPriced(t, w, `[{"country":"*","category":"marketing","amount":1,"from":"2026-01-01"},{"country":"*","category":"utility","amount":2,"from":"2026-01-01"}]`)
		id, external := f.send(t)
		var all sync.WaitGroup
		for range 5 {
			for _, s := range []string{"sent", "delivered", "read"} {
				all.Go(func() { f.receive(t, status(external, s, billed("marketing"))) })
			}
		}
		all.Wait()
		f.receive(t, status(external, "read", billed("utility")), status(external, "read", nil))
		testkit.Equal(t, "cost", f.cost(t, id), `{"amount":1,"billable":true,"category":"marketing","currency":"BRL","type":"regular"}`)
		r := f.report(t, "by=category")
		testkit.Equal(t, "total", asJSON([]any{r.At("total"), r.At("messages"), r.At("billable")}), `[1,1,1]`)
		testkit.Equal(t, "rows", asJSON(r.At("rows")), `[{"billable":1,"category":"marketing","messages":1,"total":1}]`)
	})
}

func TestAReportBeforeTheMessageIsKnownIsKept(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		f := newPriced(t, w, marketingRate)
		f.receive(t, status("wamid.echo", "delivered", nil))
		f.receive(t, status("wamid.echo", "delivered", billed("marketing")))
		f.receive(t, provider.Incoming{Message: &provider.IncomingMessage{
			ExternalID: "wamid.echo", FromPhoneApp: true, Customer: provider.Person{Phone: phoneNumber(1), WAID: phoneNumber(1)[1:]}, Type: "text", Text: "x", At: w.Clock.Now(),
		}})
		r := f.report(t, "by=origin")
		testkit.Equal(t, "rows", asJSON(r.At("rows")), `[{"billable":1,"messages":1,"origin":"phone","total":0.3125}]`)
	})
}

func TestAFailedMessageIsNotBillable(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		f := newPriced(t, w, marketingRate)
		w.A.Patch(t, "/company/budget", `{"monthly_amount":100}`).OK(200)
		attendance := "/attendances/" + openAttendance(t, w, f.conversation).ID()
		want := `{"amount":0,"billable":false,"category":"marketing","currency":"BRL","type":"regular"}`
		after, external := f.send(t)
		f.receive(t, status(external, "sent", billed("marketing")))
		testkit.Equal(t, "spent", w.A.Get(t, "/company/budget").OK(200).At("spent"), any(0.3125))
		f.receive(t, status(external, "failed", nil))
		testkit.Equal(t, "cost of a message that failed after it was priced", f.cost(t, after), want)

		before, external := f.send(t)
		f.receive(t, status(external, "failed", nil), status(external, "sent", billed("marketing")))
		testkit.Equal(t, "cost of a message that failed before it was priced", f.cost(t, before), want)

		batch, external := f.send(t)
		f.receive(t, status(external, "sent", billed("marketing")), status(external, "failed", nil))
		testkit.Equal(t, "cost of a message that was priced and failed at once", f.cost(t, batch), want)

		r := f.report(t, "")
		testkit.Equal(t, "report", asJSON([]any{r.At("total"), r.At("messages"), r.At("billable")}), `[0,3,0]`)
		testkit.Equal(t, "spent", w.A.Get(t, "/company/budget").OK(200).At("spent"), any(0.0))
		testkit.Equal(t, "cost of the case", asJSON(w.A.Get(t, attendance).OK(200).At("cost")), `{"amount":0,"currency":"BRL"}`)
	})
}

func TestTheNewestRateOfTheCountryApplies(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		f := newPriced(t, w, `[
			{"country":"BR","category":"authentication","amount":1,"from":"2026-01-01"},
			{"country":"BR","category":"authentication","amount":2,"from":"2026-11-15"},
			{"country":"BR","category":"authentication","amount":3,"from":"2026-11-16"},
			{"country":"*","category":"authentication","amount":4,"from":"2026-11-10"},
			{"country":"PT","category":"utility","amount":5,"from":"2026-01-01"},
			{"country":"*","category":"utility","amount":0.000001,"from":"2026-01-01"}]`)
		amount := func(category string) any {
			return w.A.Get(t, "/messages/"+f.sent(t, category)).OK(200).At("cost", "amount")
		}
		testkit.Equal(t, "of today", amount("authentication"), any(2.0))
		testkit.Equal(t, "as authentication", amount("authentication-international"), any(2.0))
		testkit.Equal(t, "of all countries", amount("utility"), any(0.000001))
		testkit.Equal(t, "without a rate", amount("marketing"), any(nil))
		estimate := w.A.Get(t, "/conversations/"+f.conversation+"/rates").OK(200)
		testkit.Equal(t, "estimate", asJSON(estimate.At("amounts")), `{"authentication":2,"marketing":null,"service":null,"utility":0.000001}`)
		testkit.Equal(t, "currency", estimate.Text("currency"), "BRL")

		w.Clock.Set(time.Date(2026, 11, 16, 2, 0, 0, 0, time.UTC)) // still the 15th in São Paulo
		testkit.Equal(t, "in the company's time zone", amount("authentication"), any(2.0))
		w.Clock.Set(time.Date(2026, 11, 16, 4, 0, 0, 0, time.UTC))
		testkit.Equal(t, "of the next day", amount("authentication"), any(3.0))
		f.conversation = customerWrites(t, w, f.channel, "+351912345678")
		testkit.Equal(t, "of another country", amount("utility"), any(5.0))
	})
}

func TestTheFreeServiceMessagesCountPerNumberAndMonth(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		f := newPriced(t, w, "")
		f.rates(t, `[{"country":"*","category":"service","amount":0.05,"from":"2026-01-01"}]`, 3)
		estimate := func() any {
			return w.A.Get(t, "/conversations/"+f.conversation+"/rates").OK(200).At("amounts", "service")
		}
		testkit.Equal(t, "estimate with free messages left", estimate(), any(0.0))
		external := make([]string, 5)
		for i := range external {
			_, external[i] = f.send(t)
		}
		var all sync.WaitGroup
		for _, e := range external {
			all.Go(func() { f.receive(t, status(e, "delivered", billed("service"))) })
			all.Go(func() { f.receive(t, status(e, "sent", billed("service"))) })
		}
		all.Wait()
		r := f.report(t, "")
		testkit.Equal(t, "three of five are free", asJSON([]any{r.At("total"), r.At("messages"), r.At("billable")}), `[0.1,5,5]`)
		testkit.Equal(t, "estimate without free messages", estimate(), any(0.05))

		first := f.channel
		f.channel = w.A.Post(t, "/channels", `{"name": "Second", "phone": "+551132345679", "provider": "sandbox"}`).OK(201).ID()
		f.conversation = customerWrites(t, w, f.channel, phoneNumber(2))
		testkit.Equal(t, "another number", w.A.Get(t, "/messages/"+f.sent(t, "service")).OK(200).At("cost", "amount"), any(0.0))
		f.channel = first
		f.conversation = customerWrites(t, w, f.channel, phoneNumber(1))
		w.Clock.Set(time.Date(2026, 12, 1, 2, 59, 0, 0, time.UTC)) // still November in São Paulo
		f.conversation = customerWrites(t, w, f.channel, phoneNumber(1))
		testkit.Equal(t, "the last minute of the month", w.A.Get(t, "/messages/"+f.sent(t, "service")).OK(200).At("cost", "amount"), any(0.05))
		w.Clock.Set(time.Date(2026, 12, 1, 3, 1, 0, 0, time.UTC))
		testkit.Equal(t, "another month", w.A.Get(t, "/messages/"+f.sent(t, "service")).OK(200).At("cost", "amount"), any(0.0))
		f.sent(t, "service")
		f.sent(t, "service")
		w.A.Delete(t, "/channels/"+f.channel).OK(204)
		f.channel = sandbox(t, w)
		f.conversation = customerWrites(t, w, f.channel, phoneNumber(1))
		testkit.Equal(t, "estimate for a number that is connected again", estimate(), any(0.05))
		testkit.Equal(t, "a number that is connected again", w.A.Get(t, "/messages/"+f.sent(t, "service")).OK(200).At("cost", "amount"), any(0.05))
	})
}

func TestTheCostReport(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		f := newPriced(t, w, `[{"country":"*","category":"marketing","amount":1.5,"from":"2026-01-01"},{"country":"*","category":"utility","amount":0.5,"from":"2026-01-01"}]`)
		sector := w.A.Post(t, "/sectors", `{"name":"Sales"}`).OK(201).ID()
		f.sent(t, "marketing")
		w.Clock.Advance(24 * time.Hour)
		f.conversation = customerWrites(t, w, f.channel, phoneNumber(2))
		w.A.Post(t, "/conversations/"+f.conversation+"/transfer", map[string]any{"sector_id": sector}).OK(200)
		f.sent(t, "utility")
		_, last := f.send(t)
		f.receive(t, status(last, "sent", billed("utility")))

		r := f.report(t, "from=2026-11-14&to=2026-11-16")
		testkit.Equal(t, "rows by day", asJSON(r.At("rows")), `[{"billable":0,"date":"2026-11-14","messages":0,"total":0},{"billable":1,"date":"2026-11-15","messages":1,"total":1.5},{"billable":2,"date":"2026-11-16","messages":2,"total":1}]`)
		testkit.Equal(t, "total", asJSON([]any{r.At("currency"), r.At("total"), r.At("messages"), r.At("billable")}), `["BRL",2.5,3,3]`)
		testkit.Equal(t, "by category", asJSON(f.report(t, "by=category").At("rows")), `[{"billable":1,"category":"marketing","messages":1,"total":1.5},{"billable":2,"category":"utility","messages":2,"total":1}]`)
		testkit.Equal(t, "by origin", asJSON(f.report(t, "by=origin").At("rows")), `[{"billable":3,"messages":3,"origin":"api","total":2.5}]`)
		testkit.Equal(t, "by channel", asJSON(f.report(t, "by=channel").At("rows")), fmt.Sprintf(`[{"billable":3,"channel":{"id":%q,"name":"Front desk"},"messages":3,"total":2.5}]`, f.channel))
		testkit.Equal(t, "by sector", asJSON(f.report(t, "by=sector").At("rows")), fmt.Sprintf(`[{"billable":2,"messages":2,"sector":{"id":%q,"name":"Sales"},"total":1},{"billable":1,"messages":1,"sector":null,"total":1.5}]`, sector))
		rows := f.report(t, "by=user").List("rows")
		testkit.Equal(t, "rows by user", len(rows), 1)
		testkit.Equal(t, "other days", asJSON(f.report(t, "from=2026-10-01&to=2026-10-31&by=category").At("rows")), "[]")
		w.A.Get(t, "/reports/cost?by=weekday").Fails(400, "invalid_request")
		w.A.Get(t, "/reports/cost?from=2026-11-02&to=2026-11-01").Fails(400, "invalid_request")
		w.A.Get(t, "/reports/cost?from=2024-11-02&to=2026-11-01").Fails(400, "invalid_request")

		csv := string(w.A.Get(t, "/reports/cost?by=category&format=csv").OK(200).Raw)
		testkit.Equal(t, "CSV", strings.TrimPrefix(csv, "\ufeff"), "category,total,messages,billable\r\nmarketing,1.5,1,1\r\nutility,1,2,2\r\n")

		testkit.Equal(t, "another company", asJSON(w.B.Get(t, "/reports/cost").OK(200).At("messages")), "0")
		w.B.Get(t, "/conversations/"+f.conversation+"/rates").Fails(404, "not_found")

		w.A.Patch(t, "/company", `{"timezone":"Asia/Tokyo"}`).OK(200) // noon of the 16th in São Paulo is the 17th in Tokyo
		testkit.Equal(t, "days that were counted in another time zone", asJSON(f.report(t, "from=2026-11-14&to=2026-11-16").At("rows")), asJSON(r.At("rows")))
		f.receive(t, status(last, "failed", nil))
		testkit.Equal(t, "a failure counts for the day of its message", asJSON(f.report(t, "from=2026-11-16&to=2026-11-17").At("rows")),
			`[{"billable":1,"date":"2026-11-16","messages":2,"total":0.5},{"billable":0,"date":"2026-11-17","messages":0,"total":0}]`)
	})
}

func TestRatesAreChecked(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		testkit.Equal(t, "no rates", asJSON(w.A.Get(t, "/company/rates").OK(200).At()), `{"currency":null,"free_service_per_month":0,"rates":[]}`)
		rate := `{"country":"BR","category":"marketing","amount":0.3125,"from":"2026-01-01"}`
		for name, body := range map[string]string{
			"without a currency":   `{"rates":[` + rate + `]}`,
			"a small currency":     `{"currency":"brl","rates":[]}`,
			"a long currency":      `{"currency":"REAL","rates":[]}`,
			"an unknown country":   `{"currency":"BRL","rates":[{"country":"XX","category":"marketing","amount":1,"from":"2026-01-01"}]}`,
			"a small country":      `{"currency":"BRL","rates":[{"country":"br","category":"marketing","amount":1,"from":"2026-01-01"}]}`,
			"an unknown category":  `{"currency":"BRL","rates":[{"country":"BR","category":"marketing_lite","amount":1,"from":"2026-01-01"}]}`,
			"a negative amount":    `{"currency":"BRL","rates":[{"country":"BR","category":"marketing","amount":-1,"from":"2026-01-01"}]}`,
			"seven decimals":       `{"currency":"BRL","rates":[{"country":"BR","category":"marketing","amount":0.0000001,"from":"2026-01-01"}]}`,
			"no date":              `{"currency":"BRL","rates":[{"country":"BR","category":"marketing","amount":1}]}`,
			"not a date":           `{"currency":"BRL","rates":[{"country":"BR","category":"marketing","amount":1,"from":"2026-02-30"}]}`,
			"a rate twice":         `{"currency":"BRL","rates":[` + rate + `,` + rate + `]}`,
			"a negative allowance": `{"currency":"BRL","free_service_per_month":-1,"rates":[]}`,
			"too many rates":       `{"currency":"BRL","rates":[` + strings.Repeat(rate+",", 500) + rate + `]}`,
		} {
			t.Run(name, func(t *testing.T) { w.A.Put(t, "/company/rates", body).Fails(400, "invalid_request") })
		}
		want := `{"currency":"BRL","free_service_per_month":7,"rates":[` + `{"amount":0.3125,"category":"marketing","country":"BR","from":"2026-01-01"},{"amount":0,"category":"service","country":"*","from":"2026-02-01"}` + `]}`
		got := w.A.Put(t, "/company/rates", want).OK(200)
		testkit.Equal(t, "response", asJSON(got.At()), want)
		testkit.Equal(t, "rates", asJSON(w.A.Get(t, "/company/rates").OK(200).At()), want)
		testkit.Equal(t, "rates of another company", asJSON(w.B.Get(t, "/company/rates").OK(200).At("currency")), "null")
		for _, body := range []string{`{"monthly_amount":-1}`, `{"monthly_amount":0.0000001}`, `{"warn_percent":0}`, `{"warn_percent":101}`, `{"spent":1}`} {
			w.A.Patch(t, "/company/budget", body).Fails(400, "invalid_request")
		}
		testkit.Equal(t, "budget", asJSON(w.A.Get(t, "/company/budget").OK(200).At()), `{"currency":"BRL","monthly_amount":null,"reached":false,"spent":0,"warn_percent":80}`)
	})
}

func TestTheBudgetWarnsOnceAMonthAndStopsAutomaticMessages(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		f := newPriced(t, w, `[{"country":"*","category":"marketing","amount":1,"from":"2026-01-01"}]`)
		w.A.Put(t, "/channels/"+f.channel+"/reception", `{"enabled":true,"greeting":"Welcome!","menu":{"text":"Choose","options":[{"title":"One","action":{"text":"1"}},{"title":"Two","action":{"text":"2"}}]}}`).OK(200)
		w.A.Put(t, "/company/survey", `{"enabled":true,"question":"Como foi?","min_days":0}`).OK(200)
		owner, email := member(t, w.A.Client, "Olga", `"role":"owner"`)
		warnings := func() (n int) {
			t.Helper()
			list, err := kernel.Read(t.Context(), w.Desk.Kernel, func(tx *kernel.Tx) ([]kernel.ID, error) {
				return tx.IDs(`SELECT id FROM notifications WHERE company = $1 AND member = $2 AND kind = 'budget_warning' AND conversation IS NULL`, w.A.ID, mustID(owner))
			})
			if err != nil {
				t.Fatal(err)
			}
			return len(list)
		}
		w.A.Patch(t, "/company/budget", `{"monthly_amount":5,"warn_percent":60}`).OK(200)
		f.sent(t, "marketing")
		f.sent(t, "marketing")
		testkit.Equal(t, "warnings below the limit", warnings(), 0)
		f.sent(t, "marketing")
		f.sent(t, "marketing")
		testkit.Equal(t, "warnings", warnings(), 1)
		menu := customerWrites(t, w, f.channel, phoneNumber(3))
		testkit.Equal(t, "the menu before the budget is used up", w.A.Get(t, "/conversations/"+menu+"/messages").OK(200).Text("data", 0, "status"), "sent")
		f.sent(t, "marketing")
		b := w.A.Get(t, "/company/budget").OK(200)
		testkit.Equal(t, "budget", asJSON([]any{b.At("spent"), b.At("reached")}), `[5,true]`)
		testkit.Equal(t, "warnings", warnings(), 1)

		c := customerWrites(t, w, f.channel, phoneNumber(4))
		last := w.A.Get(t, "/conversations/"+c+"/messages").OK(200)
		testkit.Equal(t, "greeting", asJSON([]any{last.At("data", 0, "origin"), last.At("data", 0, "status"), last.At("data", 0, "error", "code")}), `["automation","failed","budget_reached"]`)
		att := openAttendance(t, w, c).ID()
		w.A.Post(t, simulatePath(f.channel), map[string]any{"from": phoneNumber(4), "text": "1"}).OK(201)
		testkit.Equal(t, "no menu runs", w.A.Get(t, "/conversations/"+c+"/messages").OK(200).Text("data", 0, "text"), "1")
		w.A.Post(t, "/conversations/"+c+"/messages", message("from a person")).OK(201)
		w.A.Post(t, "/conversations/"+c+"/attendance/close", nil).OK(200)
		testkit.Equal(t, "survey", w.A.Get(t, "/attendances/"+att).OK(200).At("survey", "status"), any("none"))

		w.A.Patch(t, "/company/budget", `{"monthly_amount":6}`).OK(200)
		c = customerWrites(t, w, f.channel, phoneNumber(5))
		testkit.Equal(t, "greeting with a higher budget", w.A.Get(t, "/conversations/"+c+"/messages").OK(200).Text("data", 0, "status"), "sent")
		w.A.Patch(t, "/company/budget", `{"monthly_amount":1}`).OK(200)
		testkit.Equal(t, "warnings", warnings(), 1)
		w.Clock.Set(time.Date(2026, 12, 2, 15, 0, 0, 0, time.UTC))
		c = customerWrites(t, w, f.channel, phoneNumber(6))
		testkit.Equal(t, "greeting in another month", w.A.Get(t, "/conversations/"+c+"/messages").OK(200).Text("data", 0, "status"), "sent")
		f.conversation = c
		f.sent(t, "marketing")
		testkit.Equal(t, "warnings of two months", warnings(), 2)
		list := w.A.SignIn(t, email, password).Get(t, "/me/notifications").OK(200)
		testkit.Equal(t, "unread", list.Int("unread_count"), 2)
		testkit.Equal(t, "notification", asJSON([]any{list.At("data", 0, "kind"), list.At("data", 0, "conversation")}), `["budget_warning",null]`)
	})
}

// spend uses up the budget of the month.
func (f *priced) spend(t *testing.T) {
	t.Helper()
	f.rates(t, `[{"country":"*","category":"marketing","amount":1,"from":"2026-01-01"}]`, 0)
	f.A.Patch(t, "/company/budget", `{"monthly_amount":1}`).OK(200)
	f.sent(t, "marketing")
}

// cause returns the cause of the last transfer of a conversation.
func (f *priced) cause(t *testing.T, conversation string) (code any) {
	t.Helper()
	for _, e := range f.A.Get(t, "/conversations/"+conversation+"/timeline").OK(200).List("data") {
		assignment, _ := e.(map[string]any)["assignment"].(map[string]any)
		if cause, _ := assignment["cause"].(map[string]any); cause != nil {
			return cause["code"]
		}
	}
	return nil
}

func TestACaseGoesToTheFallbackSectorIfTheBudgetStopsItsMenu(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		f := newPriced(t, w, "")
		sector := w.A.Post(t, "/sectors", `{"name":"Sales"}`).OK(201).ID()
		w.A.Put(t, "/channels/"+f.channel+"/reception", fmt.Sprintf(`{"enabled":true,"greeting":"Welcome!","menu":{"text":"Choose","fallback_sector":%q,
			"options":[{"title":"One","action":{"text":"1"}},{"title":"Two","action":{"text":"2"}}]}}`, sector)).OK(200)
		running := customerWrites(t, w, f.channel, phoneNumber(2))
		f.spend(t)
		expect := func(c, cause, last string) {
			t.Helper()
			got := w.A.Get(t, "/conversations/"+c).OK(200)
			testkit.Equal(t, "sector", got.At("sector"), any(sector))
			testkit.Equal(t, "cause", f.cause(t, c), any(cause))
			testkit.Equal(t, "last message", got.Text("last_message", "text"), last)
			newest := w.A.Get(t, "/conversations/"+c+"/messages").OK(200)
			testkit.Equal(t, "stopped message", asJSON([]any{newest.At("data", 0, "origin"), newest.At("data", 0, "status"), newest.At("data", 0, "error", "code")}), `["automation","failed","budget_reached"]`)
			if events := w.A.Get(t, "/events?limit=100").OK(200); strings.Contains(string(events.Raw), newest.Text("data", 0, "id")) {
				t.Errorf("an event is about the stopped message: %s", events.Raw)
			}
		}
		expect(customerWrites(t, w, f.channel, phoneNumber(3)), "budget_reached", "oi")
		asked := customerWritesText(t, w.A.Client, f.channel, phoneNumber(4), "atendente")
		expect(asked, "menu_asked", "atendente")
		w.Clock.Advance(time.Minute)
		customerWritesText(t, w.A.Client, f.channel, phoneNumber(2), "1")
		expect(running, "budget_reached", "1")
	})
}

func TestASurveyStopsWhenTheBudgetIsUsedUp(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		f := newPriced(t, w, "")
		s := &surveyed{World: w, channel: f.channel, n: 10}
		s.set(t, `"low_question":"O que faltou?"`, `"thanks":"Obrigado!"`)
		asked := s.closed(t)
		f.spend(t)
		stopped := s.closed(t)
		stopped.expect(t, "none", "Como foi?")
		newest := w.A.Get(t, "/conversations/"+stopped.conversation+"/messages").OK(200)
		testkit.Equal(t, "question", asJSON([]any{newest.At("data", 0, "status"), newest.At("data", 0, "error", "code")}), `["failed","budget_reached"]`)

		w.Clock.Advance(time.Minute)
		asked.taps(t, 1)
		asked.expect(t, "answered 1", "Como foi?", "O que faltou?")
		newest = w.A.Get(t, "/conversations/"+asked.conversation+"/messages").OK(200)
		testkit.Equal(t, "low question", asJSON([]any{newest.At("data", 0, "status"), newest.At("data", 0, "error", "code")}), `["failed","budget_reached"]`)
		asked.says(t, "boa tarde")
		testkit.Equal(t, "the survey after another text", asked.survey(t), "answered 1")
	})
}

func TestASurveyBelongsToTheCaseThatItIsAbout(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		f := newPriced(t, w, `[{"country":"*","category":"utility","amount":1,"from":"2026-01-01"}]`)
		s := &surveyed{World: w, channel: f.channel, n: 10}
		s.set(t, `"low_question":"O que faltou?"`, `"thanks":"Obrigado!"`, `"delay_minutes":600`, `"min_days":30`) // the second case gets no survey
		price := func(c *surveyCase) {
			t.Helper()
			newest := w.A.Get(t, "/conversations/"+c.conversation+"/messages").OK(200)
			testkit.Equal(t, "origin", newest.Text("data", 0, "origin"), "automation")
			f.receive(t, status(newest.Text("data", 0, "external_id"), "delivered", billed("utility")))
		}
		first := s.closed(t)
		w.Clock.Advance(9 * time.Hour)
		second := first.again(t)
		w.Clock.Advance(2 * time.Hour)
		first.sendDue(t)
		price(first)
		second.close(t)
		w.Clock.Advance(20 * time.Hour)
		first.taps(t, 2)
		price(first)
		testkit.Equal(t, "cost of the rated case", asJSON(w.A.Get(t, "/attendances/"+first.id).OK(200).At("cost")), `{"amount":2,"currency":"BRL"}`)
		w.Clock.Advance(time.Minute)
		first.says(t, "tudo")
		price(first)
		testkit.Equal(t, "cost of the later case", w.A.Get(t, "/attendances/"+second.id).OK(200).At("cost"), any(nil))
	})
}

func TestPrivateNumbersAreNotInTheCostReport(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		f := newPriced(t, w, marketingRate)
		_, email := member(t, w.A.Client, "Olga", `"role":"owner"`)
		owner := w.A.SignIn(t, email, password)
		f.sent(t, "marketing")
		private := owner.Post(t, "/channels", `{"name":"Board","phone":"+551140028922","provider":"sandbox","private":true}`).OK(201).ID()
		c := owner.Post(t, simulatePath(private), fmt.Sprintf(`{"from":%q,"name":"Zé","text":"oi"}`, phoneNumber(2))).OK(201).Text("conversation")
		m := owner.Post(t, "/conversations/"+c+"/messages", message("x")).OK(201)
		f.channel = private
		f.receive(t, status(m.Text("external_id"), "delivered", billed("marketing")))
		testkit.Equal(t, "cost of the private message", owner.Get(t, "/messages/"+m.ID()).OK(200).At("cost", "amount"), any(0.3125))
		for _, by := range []string{"day", "channel", "sector", "user", "category", "origin"} {
			r := owner.Get(t, "/reports/cost?by="+by).OK(200)
			testkit.Equal(t, "report by "+by, asJSON([]any{r.At("total"), r.At("messages"), r.At("billable")}), `[0.3125,1,1]`)
			if strings.Contains(string(r.Raw), private) {
				t.Errorf("the report by %s names the private number: %s", by, r.Raw)
			}
		}
		testkit.Equal(t, "spent", owner.Get(t, "/company/budget").OK(200).At("spent"), any(0.625))
	})
}

func TestTheRolesForCosts(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		as := func(name, role string) *servertest.Client {
			_, email := member(t, w.A.Client, name, fmt.Sprintf(`"role":%q`, role))
			return w.A.SignIn(t, email, password)
		}
		agent, manager, admin := as("Ana", "agent"), as("Mia", "manager"), as("Ada", "admin")
		rates := `{"currency":"BRL","rates":[]}`
		for _, c := range []*servertest.Client{agent, manager} {
			c.Put(t, "/company/rates", rates).Fails(403, "insufficient_scope")
			c.Patch(t, "/company/budget", `{"monthly_amount":1}`).Fails(403, "insufficient_scope")
		}
		agent.Get(t, "/company/budget").Fails(403, "insufficient_scope")
		agent.Get(t, "/reports/cost").Fails(403, "insufficient_scope")
		manager.Get(t, "/reports/cost").OK(200)
		admin.Put(t, "/company/rates", rates).OK(200)
		admin.Patch(t, "/company/budget", `{"monthly_amount":1}`).OK(200)
		admin.Get(t, "/reports/cost").OK(200)
	})
}

// The test is not parallel, because it counts the deadlocks of the database.
func TestConcurrentStatusesOfServiceMessagesDoNotDeadlock(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		f := newPriced(t, w, "")
		f.rates(t, `[{"country":"*","category":"service","amount":0.05,"from":"2026-01-01"}]`, 3)
		deadlocks := func() int64 {
			n, err := kernel.Read(t.Context(), w.Desk.Kernel, func(tx *kernel.Tx) (n int64, err error) {
				counted := tx.Dialect().Pick(`SELECT 0 AS deadlocks`, `SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`)
				_, err = tx.One(counted, nil, func(r db.Row) { n = r.Int("deadlocks") })
				return n, err
			})
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		before := deadlocks()
		const people, rounds = 8, 4
		for round := range rounds {
			charged, external := make([]string, people), make([]string, people)
			for i := range people {
				f.conversation = customerWrites(t, w, f.channel, phoneNumber(100+i))
				_, charged[i] = f.send(t)
				_, external[i] = f.send(t)
				f.receive(t, status(charged[i], "sent", billed("service")))
			}
			var all sync.WaitGroup
			for worker := range 3 {
				all.Go(func() {
					var items []provider.Incoming
					for i := range people { // each worker has a different order
						items = append(items, status(external[(i*(2*worker+1)+round)%people], "sent", billed("service")))
					}
					f.receive(t, items...)
				})
			}
			for _, e := range charged {
				all.Go(func() { f.receive(t, status(e, "failed", nil)) })
			}
			all.Wait()
		}
		testkit.Equal(t, "deadlocks", deadlocks()-before, 0)
		r := f.report(t, "")
		testkit.Equal(t, "half of them failed", asJSON([]any{r.At("messages"), r.At("billable")}), fmt.Sprintf(`[%d,%d]`, 2*people*rounds, people*rounds))
	})
}
