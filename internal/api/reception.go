package api

import (
	"context"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"recado/internal/desk"
	"recado/internal/model"
)

// receptionReply is a reception with its version as entity tag.
type receptionReply struct {
	ETag string `header:"ETag" doc:"The version of the reception, in quotes."`
	Body model.Reception
}

func replyReception(r model.Reception, err error) (*receptionReply, error) {
	return &receptionReply{versionTag(r.Version), r}, err
}

func (s *Server) getReception(ctx context.Context, a *desk.Principal, in *AtID) (*receptionReply, error) {
	id, err := pathID(in.ID, "channel")
	if err != nil {
		return nil, err
	}
	return replyReception(s.desk.Reception(ctx, a, id))
}

// receptionBody is a reception as it is sent; what is absent is null.
type receptionBody struct {
	Enabled  bool                       `json:"enabled,omitempty"`
	Greeting model.Optional[string]     `json:"greeting,omitempty" required:"false" doc:"The beginning of the first message, at most 1024 characters."`
	Away     model.Optional[string]     `json:"away,omitempty" required:"false" doc:"Follows the greeting outside of the opening hours, at most 1024 characters."`
	Menu     model.Optional[model.Menu] `json:"menu,omitempty" required:"false" doc:"Ends the first message with a choice."`
}

func (b *receptionBody) reception() model.Reception {
	return model.Reception{Enabled: b.Enabled, Greeting: b.Greeting.Pointer(), Away: b.Away.Pointer(), Menu: b.Menu.Pointer()}
}

// nullableMenuSchema documents a menu that may be null.
type nullableMenuSchema struct{}

func (nullableMenuSchema) Schema(r huma.Registry) *huma.Schema {
	menu := *r.SchemaFromRef(r.Schema(reflect.TypeFor[model.Menu](), true, "").Ref)
	menu.Nullable = true
	return &menu
}

type setReceptionInput struct {
	AtID
	AtVersion
	Body receptionBody
}

func (s *Server) setReception(ctx context.Context, a *desk.Principal, in *setReceptionInput) (*receptionReply, error) {
	id, err := pathID(in.ID, "channel")
	if err != nil {
		return nil, err
	}
	version, err := in.version(ctx, nil)
	if err != nil {
		return nil, err
	}
	return replyReception(s.desk.SetReception(ctx, a, id, in.Body.reception(), version))
}

type tryReceptionInput struct {
	AtID
	Body struct {
		Reception *receptionBody `json:"reception,omitempty" doc:"Absent: the channel's own, switched on or not."`
		Texts     []string       `json:"texts" minItems:"1" maxItems:"20" doc:"What the customer writes, one text after the other; the first one opens the attendance. The id of a button or row that was shown presses it."`
		At        *time.Time     `json:"at,omitempty" doc:"When the customer writes, which decides on the away text. Absent: now."`
		Open      *bool          `json:"open,omitempty" doc:"Whether it is open then. Absent: as the opening hours say."`
	}
}

func (s *Server) tryReception(ctx context.Context, a *desk.Principal, in *tryReceptionInput) (*reply[list[model.ReceptionReply]], error) {
	id, err := pathID(in.ID, "channel")
	if err != nil {
		return nil, err
	}
	trial := desk.ReceptionTrial{Texts: in.Body.Texts, At: in.Body.At, Open: in.Body.Open}
	if in.Body.Reception != nil {
		r := in.Body.Reception.reception()
		trial.Reception = &r
	}
	replies, err := s.desk.TryReception(ctx, a, id, trial)
	return &reply[list[model.ReceptionReply]]{list[model.ReceptionReply]{replies}}, err
}
