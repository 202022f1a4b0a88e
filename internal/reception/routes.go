package reception

import (
	"recado/internal/channels"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/talk"
)

// HTTP returns the routes and schemas of the package.
func (d *Receptionist) HTTP() httpserver.Capability {
	s := &handlers{d}
	return httpserver.Capability{
		Routes:  s.receptionRoutes(),
		Schemas: []httpserver.Schema{httpserver.SchemaOf[kernel.Optional[Menu], nullableMenuSchema]()},
		Tags:    []httpserver.Tag{{Name: "company", Words: []string{"hours"}}},
	}
}

func (s *handlers) receptionRoutes() []*httpserver.Route {
	return []*httpserver.Route{
		httpserver.Get("/channels/{id}/reception", VerbReception, "Get what a channel answers by itself", s.getReception,
			httpserver.Conditional),
		httpserver.Put("/channels/{id}/reception", VerbSetReception, "Set what a channel answers by itself", s.setReception,
			httpserver.Fails(kernel.CodeVersionConflict),
			httpserver.Example(`{"enabled": true, "greeting": "Olá!", "away": "Estamos fechados agora.", "menu": {"text": "Como podemos ajudar?", "options": [{"title": "Vendas", "action": {"sector": "01a1dd8b-7e31-7000-89e2-ef1640efe6bb"}}, {"title": "Horário", "action": {"text": "Das 8h às 18h."}}]}}`),
			httpserver.About("Greeting, away text and menu go out in one message when a customer opens an attendance: buttons for up to "+
				"three options, a list for more, numbered lines where the text is too long for either. "+
				"The customer chooses with a button, the number or the title; 0 and atendente lead to people. An attendance gets at most 4 "+
				"automatic messages. What is absent is null. With If-Match it is changed only if it still has that version.")),
		httpserver.Post("/channels/{id}/reception/try", VerbTryReception, "Try what a reception would answer", s.tryReception,
			httpserver.Subject(channels.SubjectChannel),
			httpserver.Example(`{"texts": ["Oi", "1"]}`),
			httpserver.About("Acts as a customer and returns the reply to each text. Nothing is stored or sent.")),

		httpserver.Put("/conversations/{id}/bot", talk.VerbSetBot, "Pause or resume bots in a conversation", s.setBot,
			httpserver.Named("setConversationBot"),
			httpserver.Example(`{"paused_until": "2026-12-01T13:00:00Z"}`),
			httpserver.About("bot_paused_until tells bots that listen to webhooks until when to be silent. A message of a person, in the "+
				"app or on the phone, pauses them for an hour; one that is sent with a key does not.")),

		httpserver.Get("/sectors/{id}/distribution", VerbDistribution, "Get who gets the next case of a sector, and why",
			httpserver.ByID("sector", s.verbs.Distribution)),

		httpserver.Get("/hours", VerbAllHours, "List the opening hours", s.listHours, httpserver.Named("listHours"),
			httpserver.About("By name. A sector, a channel and the company each name theirs with hours_id: the sector's count, then the "+
				"channel's, then the company's; none means always open.")),
		httpserver.Post("/hours", VerbCreateHours, "Create opening hours", s.createHours,
			httpserver.Fails(kernel.CodeLimitReached), httpserver.Created,
			httpserver.Example(`{"name": "Shop", "timezone": "America/Sao_Paulo", "weekly": [{"days": ["mon", "tue", "wed", "thu", "fri"], "from": "08:00", "to": "12:00"}], "exceptions": [{"date": "--12-25", "closed": true}]}`),
			httpserver.About("Takes an admin or an owner. A company may have 100, each with up to 50 weekly periods and 400 exceptions.")),
		httpserver.Get("/hours/holidays", VerbHolidays, "List the public holidays of Brazil in a year", s.listHolidays,
			httpserver.About("National holidays, and the days on which many close though they are none (optional). They are offered as "+
				"exceptions and have no effect of their own.")),
		httpserver.Get("/hours/{id}", VerbHours, "Get opening hours", httpserver.ByID("set of opening hours", s.verbs.Hours),
			httpserver.Named("getHours")),
		httpserver.Patch("/hours/{id}", VerbUpdateHours, "Change opening hours", s.updateHours,
			httpserver.Example(`{"exceptions": [{"date": "2026-12-24", "periods": [{"from": "08:00", "to": "12:00"}]}]}`),
			httpserver.About("Absent fields do not change.")),
		httpserver.Del("/hours/{id}", VerbDeleteHours, "Delete opening hours", s.deleteHours, httpserver.Fails(kernel.CodeInUse),
			httpserver.About("409 in_use: the company, a channel or a sector uses them.")),
		httpserver.Get("/hours/{id}/status", VerbHoursStatus, "Get whether opening hours are open", s.hoursStatus,
			httpserver.Named("getHoursStatus")),
	}
}

// handlers serve the verbs over HTTP.
type handlers struct{ verbs *Receptionist }
