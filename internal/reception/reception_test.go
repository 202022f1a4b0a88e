package reception

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
)

var (
	sales, support, fallback = kernel.NewID(), kernel.NewID(), kernel.NewID()
	ana                      = kernel.NewID()
	noon                     = time.Date(2026, 11, 16, 15, 0, 0, 0, time.UTC)
)

// shop returns a reception with every kind of action.
func shop(t testing.TB) *Reception {
	r := &Reception{
		Enabled: true, Greeting: new("Olá!"), Away: new("Estamos fechados."),
		Menu: &Menu{Text: "Como podemos ajudar?", InvalidText: new("Escolha uma opção."), FallbackSector: &fallback, Options: []MenuOption{
			{Title: "Vendas", Action: MenuAction{Sector: &sales}},
			{Title: "Orçamento", Action: MenuAction{User: &ana}},
			{Title: "Horário", Action: MenuAction{Text: new("Das 8 às 18 horas.")}},
			{Title: "Suporte", Action: MenuAction{Menu: &Menu{Text: "Qual produto?", Options: []MenuOption{
				{Title: "Forno", Action: MenuAction{Sector: &support}},
				{Title: "Nenhum", Action: MenuAction{Close: new(true)}},
			}}}},
		}},
	}
	if invalid := Check("body", r); invalid != nil {
		t.Fatal(invalid)
	}
	return r
}

// says acts as a customer and returns the last reply and how the menu ended.
func says(t testing.TB, r *Reception, inputs ...Customer) (*Message, *State, *End) {
	t.Helper()
	m, s, _ := Begin(r, true, Customer{Text: "oi", At: noon})
	var end *End
	for i, in := range inputs {
		if s == nil {
			t.Fatalf("the menu ended before %q", in.Text)
		}
		in.At = noon.Add(time.Duration(i+1) * 30 * time.Second)
		m, s, end = s.Answer(r, in)
	}
	return m, s, end
}

func texts(all ...string) []Customer {
	out := make([]Customer, len(all))
	for i := range all {
		out[i].Text = all[i]
	}
	return out
}

func TestTheFirstMessage(t *testing.T) {
	r := shop(t)
	m, s, _ := Begin(r, true, Customer{Text: "oi", At: noon})
	if m.Interactive == nil || m.Interactive.Body != "Olá!\n\nComo podemos ajudar?" || s == nil {
		t.Errorf("open: %+v", m.Interactive)
	}
	if rows := m.Interactive.List.Sections[0].Rows; len(rows) != 4 || rows[3].ID != "menu:4" {
		t.Errorf("four options are a list: %+v", rows)
	}
	if m, _, _ := Begin(r, false, Customer{}); !strings.Contains(m.Text, "Olá!\n\nEstamos fechados.\n\nComo") {
		t.Errorf("closed: %q", m.Text)
	}
	r.Menu.Options = r.Menu.Options[:3]
	if m, _, _ := Begin(r, true, Customer{}); len(m.Interactive.Buttons) != 3 || m.Interactive.List != nil {
		t.Errorf("three options are buttons: %+v", m.Interactive)
	}
	r.Menu.Options[0].Title = "Falar com o setor Vendas"
	if m, _, _ := Begin(r, true, Customer{}); m.Interactive.List == nil {
		t.Errorf("a title that is too long for a button must lead to a list: %+v", m.Interactive)
	}
	r.Menu.Text = strings.Repeat("x", 1020)
	if m, _, _ := Begin(r, true, Customer{}); m.Interactive != nil || !strings.HasSuffix(m.Text, "\n2. Orçamento\n3. Horário") {
		t.Errorf("a text that is too long for a list is numbered: %q", m.Text)
	}
	r.Menu = nil
	if m, s, _ := Begin(r, true, Customer{}); m.Text != "Olá!" || s != nil {
		t.Errorf("without a menu: %+v, %+v", m, s)
	}
	if m, s, _ := Begin(&Reception{Away: new("x")}, true, Customer{}); m != nil || s != nil {
		t.Errorf("nothing to say: %+v, %+v", m, s)
	}
}

func TestACustomerWhoAsksForAPersonBeforeTheMenuGetsOne(t *testing.T) {
	r := shop(t)
	for _, text := range []string{"0", "Atendente", "oi\n0"} {
		m, s, end := Begin(r, false, Customer{Text: text, At: noon})
		if m == nil || m.Text != "Olá!\n\nEstamos fechados." || m.Interactive != nil || s != nil {
			t.Errorf("first message %q: sends %+v, state %+v", text, m, s)
		}
		if end == nil || end.Kind != EndPeople || end.Sector != &fallback || end.Reason != ReasonAsked {
			t.Errorf("first message %q ends %+v", text, end)
		}
		_, s, _ = Begin(r, true, Customer{Text: "oi", At: noon})
		if s, end := s.Overheard(r, Customer{Text: text, At: noon}); s != nil || end == nil || end.Reason != ReasonAsked {
			t.Errorf("early message %q: state %+v, ends %+v", text, s, end)
		}
	}
	if replies := Try(r, true, []string{"atendente", "1"}); replies[0].Outcome == nil || replies[0].Outcome.Kind != EndPeople || replies[1].Outcome != nil {
		t.Errorf("tried: %+v", replies)
	}
	r.Menu = nil
	if _, _, end := Begin(r, true, Customer{Text: "0"}); end != nil {
		t.Errorf("without a menu: %+v", end)
	}
}

func TestRepliesToAMenu(t *testing.T) {
	r := shop(t)
	button := func(id, title string) Customer {
		return Customer{Text: title, Choice: &provider.Choice{ID: id, Title: title}}
	}
	cases := []struct {
		name   string
		inputs []Customer
		end    End
		sends  string // a part of the answer where the menu goes on
	}{
		{"the id of a button", []Customer{button("menu:1", "Vendas")}, End{Kind: EndSector, Sector: &sales, Reason: "Menu: Vendas"}, ""},
		{"the number", texts("1"), End{Kind: EndSector, Sector: &sales, Reason: "Menu: Vendas"}, ""},
		{"the number as an emoji", texts("1️⃣"), End{Kind: EndSector, Sector: &sales, Reason: "Menu: Vendas"}, ""},
		{"the title without case and accents", texts(" ORCAMENTO "), End{Kind: EndUser, User: &ana, Reason: "Menu: Orçamento"}, ""},
		{"a last line that is only a number", texts("Bom dia,\nquero comprar\n1"), End{Kind: EndSector, Sector: &sales, Reason: "Menu: Vendas"}, ""},
		{"zero", texts("0"), End{Kind: EndPeople, Sector: &fallback, Reason: ReasonAsked}, ""},
		{"the word for a person", texts("Atendente"), End{Kind: EndPeople, Sector: &fallback, Reason: ReasonAsked}, ""},
		{"a text is answered and the menu shown again", texts("horario"), End{}, "Das 8 às 18 horas.\n\nComo podemos ajudar?"},
		{"a menu below", texts("4"), End{}, "Qual produto?"},
		{"a choice in the menu below", texts("4", "Forno"), End{Kind: EndSector, Sector: &support, Reason: "Menu: Suporte > Forno"}, ""},
		{"closing", texts("4", "2"), End{Kind: EndClose, Reason: "Menu: Suporte > Nenhum"}, ""},
		{"a button of the menu above", append(texts("4"), button("menu:1", "Vendas")), End{Kind: EndSector, Sector: &sales, Reason: "Menu: Vendas"}, ""},
		{"a button that meant something else", []Customer{button("menu:1", "Financeiro")}, End{}, "Escolha uma opção."},
		{"an invalid answer", texts("banana"), End{}, "Escolha uma opção."},
		{"a number that is no option", texts("7"), End{}, "Escolha uma opção."},
		{"a second invalid answer", texts("banana", ""), End{Kind: EndPeople, Sector: &fallback, Reason: ReasonInvalid}, ""},
		{"a valid answer between two invalid ones", texts("banana", "3", "kiwi"), End{}, "Escolha uma opção."},
		{"invalid below: the text of the menu above", texts("4", "banana"), End{}, "Escolha uma opção."},
		{"invalid below: the fallback sector of the menu above", texts("4", "banana", "kiwi"), End{Kind: EndPeople, Sector: &fallback, Reason: ReasonInvalid}, ""},
		{"the fifth message is not sent", texts("3", "horário", "Horario", "3"), End{Kind: EndPeople, Sector: &fallback, Reason: ReasonLimit}, ""},
		{"a choice counts after the fourth message", texts("3", "horário", "Horario", "1"), End{Kind: EndSector, Sector: &sales, Reason: "Menu: Vendas"}, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m, s, end := says(t, r, c.inputs...)
			if c.sends != "" {
				if m == nil || s == nil || end != nil || !strings.Contains(m.Text, c.sends) {
					t.Fatalf("sends %+v, ends %+v; want a message with %q", m, end, c.sends)
				}
				return
			}
			if m != nil || s != nil || end == nil || fmt.Sprint(*end) != fmt.Sprint(c.end) {
				t.Fatalf("sends %+v, ends %+v; want %+v", m, end, c.end)
			}
		})
	}
	t.Run("the same text three times within a minute", func(t *testing.T) {
		r := shop(t)
		r.Menu.MaxInvalid = 5
		_, s, _ := Begin(r, true, Customer{Text: "oi", At: noon})
		_, s, _ = s.Answer(r, Customer{Text: "OI", At: noon.Add(20 * time.Second)})
		if _, _, end := s.Answer(r, Customer{Text: "oi ", At: noon.Add(59 * time.Second)}); end == nil || end.Reason != ReasonRepeated {
			t.Errorf("within a minute: %+v", end)
		}
		if _, _, end := s.Answer(r, Customer{Text: "oi", At: noon.Add(61 * time.Second)}); end != nil {
			t.Errorf("over more than a minute: %+v", end)
		}
	})
	t.Run("a menu that was changed meanwhile leads to people", func(t *testing.T) {
		_, s, _ := says(t, r, texts("4")...)
		if _, _, end := s.Answer(&Reception{Menu: &Menu{Options: r.Menu.Options[:2]}}, Customer{Text: "1"}); end == nil || end.Kind != EndPeople || end.Sector != nil {
			t.Errorf("a menu less: %+v", end)
		}
		if _, _, end := s.Answer(&Reception{}, Customer{Text: "1"}); end == nil || end.Kind != EndPeople {
			t.Errorf("no menu: %+v", end)
		}
	})
}

func TestInvalidReceptionsAreRejected(t *testing.T) {
	cases := []struct {
		name   string
		change func(r *Reception)
		field  string
	}{
		{"one option", func(r *Reception) { r.Menu.Options = r.Menu.Options[:1] }, "body.menu.options"},
		{"a long title", func(r *Reception) { r.Menu.Options[0].Title = strings.Repeat("x", 25) }, "body.menu.options[0].title"},
		{"a title twice", func(r *Reception) { r.Menu.Options[1].Title = "VENDAS" }, "body.menu.options[1].title"},
		{"no action", func(r *Reception) { r.Menu.Options[0].Action = MenuAction{} }, "body.menu.options[0].action"},
		{"two actions", func(r *Reception) { r.Menu.Options[0].Action.User = &ana }, "body.menu.options[0].action"},
		{"close: false", func(r *Reception) { r.Menu.Options[0].Action = MenuAction{Close: new(false)} }, "body.menu.options[0].action.close"},
		{"a blank text", func(r *Reception) { r.Menu.Text = " " }, "body.menu.text"},
		{"a long greeting", func(r *Reception) { r.Greeting = new(strings.Repeat("x", 1025)) }, "body.greeting"},
		{"six invalid answers", func(r *Reception) { r.Menu.MaxInvalid = 6 }, "body.menu.max_invalid"},
		{"four menus deep", func(r *Reception) {
			deep := *r.Menu.Options[3].Action.Menu
			deeper := deep
			deeper.Options = slices.Clone(deep.Options)
			deeper.Options[0].Action = MenuAction{Menu: &Menu{Text: "x", Options: deep.Options}}
			r.Menu.Options[3].Action.Menu.Options = slices.Clone(deep.Options)
			r.Menu.Options[3].Action.Menu.Options[0].Action = MenuAction{Menu: &deeper}
		}, "body.menu.options[3].action.menu.options[0].action.menu.options[0].action.menu"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := shop(t)
			c.change(r)
			invalid := Check("body", r)
			if invalid == nil || invalid.Fields[0].Field != c.field {
				t.Errorf("%+v, want %s", invalid, c.field)
			}
		})
	}
	t.Run("defaults", func(t *testing.T) {
		r := shop(t)
		below := r.Menu.Options[3].Action.Menu
		if r.Menu.MaxInvalid != 2 || r.Menu.TimeoutMinutes != 10 || below.MaxInvalid != 2 || below.TimeoutMinutes != 10 {
			t.Errorf("%+v, below %+v", r.Menu, below)
		}
	})
}

func TestTry(t *testing.T) {
	got := Try(shop(t), false, []string{"oi", "4", "forno", "obrigado"})
	if len(got) != 4 || !strings.Contains(*got[0].Text, "Estamos fechados.") || got[1].Interactive == nil || got[2].Text != nil ||
		got[2].Outcome.Reason != "Menu: Suporte > Forno" || got[3].Text != nil || got[3].Outcome != nil {
		t.Errorf("%+v", got)
	}
	r := shop(t)
	r.Menu.Options[1].Title = "Atendente"
	got = Try(r, true, []string{"oi", "menu:2"})
	if got[1].Customer != "Atendente" || got[1].Outcome.Kind != EndUser {
		t.Errorf("a button presses its option, whatever its title means as a text: %+v, %+v", got[1], got[1].Outcome)
	}
	if got = Try(r, true, []string{"menu:2"}); got[0].Customer != "menu:2" {
		t.Errorf("the id of a button that was not shown is a text: %+v", got[0])
	}
}

// attendance simulates the conversation around the state machine. The state belongs to the attendance; a message of the team or a
// transfer ends it.
type attendance struct {
	r        *Reception
	state    *State
	sent     int
	answered bool // by a person
	ended    bool
	filed    *End
}

func (a *attendance) automatic(t *rapid.T, m *Message) {
	if m == nil {
		return
	}
	if a.answered {
		t.Fatalf("an automatic message after a person has answered")
	}
	if a.sent++; a.sent > MaxSent {
		t.Fatalf("%d automatic messages", a.sent)
	}
}

func (a *attendance) ends(end *End) {
	if end != nil {
		a.ended, a.filed = true, end
	}
}

func TestAMenuObeysItsLimitsInAnySequenceOfEvents(t *testing.T) {
	words := []string{"oi", "1", "2", "3", "4", "0", "9", "banana", "Vendas", "horario", "suporte", "atendente", "obrigado\n3", ""}
	rapid.Check(t, func(rt *rapid.T) {
		r := shop(t)
		r.Menu.MaxInvalid = rapid.Int64Range(1, 5).Draw(rt, "max_invalid")
		if rapid.Bool().Draw(rt, "without fallback") {
			r.Menu.FallbackSector = nil
		}
		now := noon
		a := &attendance{r: r}
		m, s, _ := Begin(r, rapid.Bool().Draw(rt, "open"), Customer{Text: "oi", At: now})
		a.state = s
		a.automatic(rt, m)
		for range rapid.IntRange(0, 25).Draw(rt, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 90).Draw(rt, "seconds")) * time.Second)
			switch rapid.SampledFrom([]string{"customer", "customer", "customer", "customer", "early", "team", "time"}).Draw(rt, "who") {
			case "customer":
				if a.state != nil {
					m, s, end := a.state.Answer(r, Customer{Text: rapid.SampledFrom(words).Draw(rt, "text"), At: now})
					if (s == nil) != (end != nil) || end != nil && m != nil {
						rt.Fatalf("message %v, state %v, end %v", m, s, end)
					}
					a.automatic(rt, m)
					a.state = s
					a.ends(end)
				}
			case "early":
				if a.state != nil {
					s, end := a.state.Overheard(r, Customer{Text: rapid.SampledFrom(words).Draw(rt, "text"), At: now})
					a.state = s
					a.ends(end)
				}
			case "team":
				a.state, a.answered = nil, true
			case "time":
				if a.state != nil {
					end := a.state.People(r, ReasonTimeout)
					a.state = nil
					a.ends(&end)
				}
			}
			if a.ended && a.filed.Kind != EndClose && a.filed.User == nil && a.filed.Sector == nil && a.filed.Kind != EndPeople {
				rt.Fatalf("the menu ended and the case is nowhere: %+v", a.filed)
			}
			if a.ended && a.filed.Kind == EndPeople && r.Menu.FallbackSector != nil && a.filed.Sector == nil {
				rt.Fatalf("the case is not in the fallback sector: %+v", a.filed)
			}
		}
	})
}
