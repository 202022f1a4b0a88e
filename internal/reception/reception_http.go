package reception

import (
	"context"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/talk"
)

// receptionReply is a reception with its version as entity tag.
type receptionReply struct {
	ETag string `header:"ETag" doc:"The version of the reception, in quotes."`
	Body Reception
}

func replyReception(r Reception, err error) (*receptionReply, error) {
	return &receptionReply{httpserver.VersionTag(r.Version), r}, err
}

func (s *handlers) getReception(ctx context.Context, a *kernel.Principal, in *httpserver.AtID) (*receptionReply, error) {
	return replyReception(s.verbs.Reception(ctx, a, kernel.ID(in.ID)))
}

// receptionBody is a reception in a request. Absent fields are null.
type receptionBody struct {
	Enabled  bool                    `json:"enabled,omitempty"`
	Greeting kernel.Optional[string] `json:"greeting,omitempty" required:"false" doc:"The beginning of the first message, at most 1024 characters."`
	Away     kernel.Optional[string] `json:"away,omitempty" required:"false" doc:"The text that follows the greeting outside opening hours, at most 1024 characters."`
	Menu     kernel.Optional[Menu]   `json:"menu,omitempty" required:"false" doc:"The menu at the end of the first message."`
}

func (b *receptionBody) reception() Reception {
	return Reception{Enabled: b.Enabled, Greeting: b.Greeting.Pointer(), Away: b.Away.Pointer(), Menu: b.Menu.Pointer()}
}

// nullableMenuSchema is the schema of a menu that may be null.
type nullableMenuSchema struct{}

func (nullableMenuSchema) Schema(r huma.Registry) *huma.Schema {
	menu := *r.SchemaFromRef(r.Schema(reflect.TypeFor[Menu](), true, "").Ref)
	menu.Nullable = true
	return &menu
}

type setReceptionInput struct {
	httpserver.AtID
	httpserver.AtVersion
	Body receptionBody
}

func (s *handlers) setReception(ctx context.Context, a *kernel.Principal, in *setReceptionInput) (*receptionReply, error) {
	version, err := in.Version(ctx, nil)
	if err != nil {
		return nil, err
	}
	return replyReception(s.verbs.SetReception(ctx, a, kernel.ID(in.ID), in.Body.reception(), version))
}

type tryReceptionInput struct {
	httpserver.AtID
	Body struct {
		Reception *receptionBody `json:"reception,omitempty" doc:"The reception to try. Defaults to the channel's own, even if it is disabled."`
		Texts     []string       `json:"texts" minItems:"1" maxItems:"20" doc:"The customer's messages, in order; the first one opens the attendance. To press a button or select a row, send its id."`
		At        *time.Time     `json:"at,omitempty" doc:"The time at which the customer writes, which determines whether the away text is sent. Defaults to now."`
		Open      *bool          `json:"open,omitempty" doc:"Whether it is open at that time. Determined by the opening hours if omitted."`
	}
}

func (s *handlers) tryReception(
	ctx context.Context, a *kernel.Principal, in *tryReceptionInput,
) (*httpserver.Reply[httpserver.List[ReceptionReply]], error) {
	trial := ReceptionTrial{Texts: in.Body.Texts, At: in.Body.At, Open: in.Body.Open}
	if in.Body.Reception != nil {
		trial.Reception = new(in.Body.Reception.reception())
	}
	return httpserver.Entries(s.verbs.TryReception(ctx, a, kernel.ID(in.ID), trial))
}

type setBotInput struct {
	httpserver.AtID
	Body struct {
		PausedUntil kernel.Optional[time.Time] `json:"paused_until" doc:"The time until which bots are paused. null resumes them."`
	}
}

func (s *handlers) setBot(
	ctx context.Context, a *kernel.Principal, in *setBotInput,
) (*httpserver.Reply[*talk.Conversation], error) {
	return httpserver.Body(s.verbs.talk.SetBot(ctx, a, kernel.ID(in.ID), in.Body.PausedUntil.Pointer()))
}
