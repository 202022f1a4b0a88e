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
		httpserver.Get("/channels/{id}/reception", VerbReception, "Get the automatic replies of a channel", s.getReception,
			httpserver.Conditional),
		httpserver.Put("/channels/{id}/reception", VerbSetReception, "Set the automatic replies of a channel", s.setReception,
			httpserver.Fails(kernel.CodeVersionConflict),
			httpserver.Example(`{"enabled": true, "greeting": "Olá!", "away": "Estamos fechados agora.", "menu": {"text": "Como podemos ajudar?", "options": [{"title": "Vendas", "action": {"sector": "01a1dd8b-7e31-7000-89e2-ef1640efe6bb"}}, {"title": "Horário", "action": {"text": "Das 8h às 18h."}}]}}`),
			httpserver.About("The greeting, away text and menu are sent in one message when a customer opens an attendance: with buttons for up to "+
				"three options, a list for more, or numbered lines if the text is too long for either. "+
				"The customer chooses with a button, a number or a title; 0 and atendente lead to a person. An attendance gets at most 4 "+
				"automatic messages. Omitted fields are set to null. With If-Match, the reception is changed only if it still has that version.")),
		httpserver.Post("/channels/{id}/reception/try", VerbTryReception, "Test the replies of a reception", s.tryReception,
			httpserver.Subject(channels.SubjectChannel),
			httpserver.Example(`{"texts": ["Oi", "1"]}`),
			httpserver.About("Simulates a customer and returns the reply to each text. Nothing is stored or sent.")),

		httpserver.Put("/conversations/{id}/bot", talk.VerbSetBot, "Pause or resume bots in a conversation", s.setBot,
			httpserver.Named("setConversationBot"),
			httpserver.Example(`{"paused_until": "2026-12-01T13:00:00Z"}`),
			httpserver.About("Bots that receive webhooks should not reply before bot_paused_until. A message from a person, in the "+
				"app or on the phone, pauses bots for an hour; a message sent with an API key does not.")),

		httpserver.Get("/sectors/{id}/distribution", VerbDistribution, "Get the distribution order of a sector",
			httpserver.ByID(s.verbs.Distribution)),

		httpserver.Get("/hours", VerbAllHours, "List the opening hours", httpserver.ListAll(s.verbs.AllHours), httpserver.Named("listHours"),
			httpserver.About("Returns the opening hours sorted by name. Sectors, channels and the company refer to their opening hours with hours_id: the sector's apply first, then the "+
				"channel's, then the company's. Without any, it is always open.")),
		httpserver.Post("/hours", VerbCreateHours, "Create opening hours", s.createHours,
			httpserver.Fails(kernel.CodeLimitReached), httpserver.Created,
			httpserver.Example(`{"name": "Shop", "timezone": "America/Sao_Paulo", "weekly": [{"days": ["mon", "tue", "wed", "thu", "fri"], "from": "08:00", "to": "12:00"}], "exceptions": [{"date": "--12-25", "closed": true}]}`),
			httpserver.About("Requires the role admin or owner. A company can have 100 sets of opening hours, each with up to 50 weekly periods and 400 exceptions.")),
		httpserver.Get("/hours/holidays", VerbHolidays, "List the public holidays of Brazil in a year", s.listHolidays,
			httpserver.About("Returns the national holidays, and days on which many businesses close although they are not national holidays (optional). They are suggestions for "+
				"exceptions and have no effect by themselves.")),
		httpserver.Get("/hours/{id}", VerbHours, "Get opening hours", httpserver.ByID(s.verbs.Hours),
			httpserver.Named("getHours")),
		httpserver.Patch("/hours/{id}", VerbUpdateHours, "Change opening hours", s.updateHours,
			httpserver.Example(`{"exceptions": [{"date": "2026-12-24", "periods": [{"from": "08:00", "to": "12:00"}]}]}`),
			httpserver.About("Omitted fields do not change.")),
		httpserver.Del("/hours/{id}", VerbDeleteHours, "Delete opening hours", httpserver.DeleteByID(s.verbs.DeleteHours),
			httpserver.Fails(kernel.CodeInUse),
			httpserver.About("409 in_use: the opening hours are used by the company, a channel or a sector.")),
		httpserver.Get("/hours/{id}/status", VerbHoursStatus, "Get the current status of opening hours", s.hoursStatus,
			httpserver.Named("getHoursStatus")),
	}
}

// handlers serve the verbs over HTTP.
type handlers struct{ verbs *Receptionist }
