package boards

import (
	"context"

	"recado/internal/fields"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/talk"
)

// cardReply is a card with its version as ETag.
type cardReply struct {
	ETag string `header:"ETag" doc:"The version of the card, in quotes."`
	Body Card
}

func newCardReply(c *Card) *cardReply { return &cardReply{httpserver.VersionTag(c.Version), *c} }

func replyCard(c Card, err error) (*cardReply, error) { return newCardReply(&c), err }

type listCardsInput struct {
	BoardID      httpserver.FilterID `query:"board_id" doc:"Returns only cards of this board. Defaults to all boards visible to the caller that are not archived."`
	StageID      httpserver.FilterID `query:"stage_id" doc:"Returns only cards of this stage."`
	Sort         string              `query:"sort" enum:"newest,position" default:"newest" doc:"position sorts by stage, and within each stage by the position of the card."`
	Limit        int                 `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
	Cursor       string              `query:"cursor" maxLength:"400" doc:"The next_cursor of the previous page, with the same filters."`
	Q            string              `query:"q" maxLength:"100" doc:"Returns cards whose title or description contains this text. Case and accents are ignored. If the text has no three consecutive letters or digits, or is too common for the search index, only the newest 10,000 cards are searched."`
	Priority     string              `query:"priority" enum:"low,medium,high,urgent"`
	Label        httpserver.FilterID `query:"label"`
	Assignee     string              `query:"assignee" doc:"The UUID of a person, \"me\" for the person the key acts as, or \"none\" for cards without an assignee."`
	Conversation httpserver.FilterID `query:"conversation" doc:"Returns only cards of this conversation."`
	Due          string              `query:"due" enum:"any,today,week,overdue,none" default:"any" doc:"today and week (seven days including today) use the time zone tz. overdue: the due date has passed and the card is open. none: no due date."`
	TZ           string              `query:"tz" default:"America/Sao_Paulo" doc:"The IANA name of the time zone for due."`
	Status       string              `query:"status" enum:"open,completed,lost,archived,all" default:"open"`
}

func (s *handlers) listCards(ctx context.Context, a *kernel.Principal, in *listCardsInput) (*httpserver.Reply[httpserver.CursorList[Card]], error) {
	f := CardFilter{
		Board: kernel.ID(in.BoardID), Stage: kernel.ID(in.StageID), Sort: in.Sort, Q: in.Q, Priority: in.Priority,
		Label: kernel.ID(in.Label), Due: in.Due, Zone: in.TZ, Status: in.Status, Conversation: kernel.ID(in.Conversation),
		Fields: fields.Query(ctx), Limit: in.Limit, Cursor: in.Cursor,
	}
	var err error
	if f.Assignee, f.Unassigned, err = talk.AssigneeFilter(a, in.Assignee); err != nil {
		return nil, err
	}
	page, next, err := s.verbs.Cards(ctx, a, f)
	return httpserver.CursorPage(page, next), err
}

func (s *handlers) getCard(ctx context.Context, a *kernel.Principal, in *httpserver.AtID) (*cardReply, error) {
	return replyCard(s.verbs.Card(ctx, a, kernel.ID(in.ID)))
}

type createCardInput struct {
	Body struct {
		BoardID      kernel.ID                  `json:"board_id"`
		StageID      kernel.Optional[kernel.ID] `json:"stage_id,omitempty" doc:"Defaults to the board's first stage."`
		BeforeCardID kernel.Optional[kernel.ID] `json:"before_card_id,omitempty" doc:"The card in that stage before which to insert this card. Defaults to the end of the stage."`
		Title        string                     `json:"title" minLength:"1" maxLength:"120"`
		CardFields
	}
}

// locatedCard is a new card with its address.
type locatedCard struct {
	Location string `header:"Location" doc:"The URL of the new card."`
	ETag     string `header:"ETag" hidden:"true"` // sent, but not documented
	Body     Card
}

func (s *handlers) createCard(ctx context.Context, a *kernel.Principal, in *createCardInput) (*locatedCard, error) {
	reply := httpserver.Shaped(ctx, func(c *Card) *locatedCard {
		return &locatedCard{httpserver.At(ctx, "/kanban/cards/"+c.ID.String()), httpserver.VersionTag(c.Version), *c}
	})
	b := &in.Body
	b.CardFields.Title = &b.Title
	card, err := s.verbs.CreateCard(ctx, a, NewCard{b.BoardID, b.StageID.Pointer(), b.BeforeCardID.Pointer(), b.CardFields})
	return reply(&card), err
}

type updateCardInput struct {
	httpserver.AtID
	httpserver.AtVersion
	Body struct {
		Title *string `json:"title,omitempty" minLength:"1" maxLength:"120"`
		CardFields
		Status  *string `json:"status,omitempty" enum:"open,archived" doc:"archived archives the card. open restores it with the status of its stage."`
		Version *int64  `json:"version,omitempty" doc:"The version the change is based on, unless sent in If-Match."`
	} `required:"false"`
}

func (s *handlers) updateCard(ctx context.Context, a *kernel.Principal, in *updateCardInput) (*cardReply, error) {
	version, err := in.Version(ctx, in.Body.Version)
	if err != nil {
		return nil, err
	}
	change := CardChange{CardFields: in.Body.CardFields, Version: version}
	change.Title = in.Body.Title
	if in.Body.Status != nil {
		change.Archived = new(*in.Body.Status == CardArchived)
	}
	return replyCard(s.verbs.UpdateCard(ctx, a, kernel.ID(in.ID), change))
}

type moveCardInput struct {
	httpserver.AtID
	httpserver.AtVersion
	Body struct {
		StageID      kernel.ID                  `json:"stage_id" doc:"A stage of the card's board."`
		BeforeCardID kernel.Optional[kernel.ID] `json:"before_card_id,omitempty" doc:"The card in that stage before which to insert this card. Defaults to the end of the stage."`
		Version      *int64                     `json:"version,omitempty" doc:"The version the move is based on, unless sent in If-Match."`
		ReasonID     *kernel.ID                 `json:"reason_id,omitempty" doc:"The closing reason, if the move closes an attendance."`
		Note         string                     `json:"note,omitempty" maxLength:"1000" doc:"A note on the closing reason."`
	}
}

func (s *handlers) moveCard(ctx context.Context, a *kernel.Principal, in *moveCardInput) (*cardReply, error) {
	version, err := in.Version(ctx, in.Body.Version)
	if err != nil {
		return nil, err
	}
	reply := httpserver.Shaped(ctx, newCardReply)
	move := CardMove{
		Stage: in.Body.StageID, Before: in.Body.BeforeCardID.Pointer(), Version: version,
		Closing: talk.CloseInput{ReasonID: in.Body.ReasonID, Note: in.Body.Note},
	}
	card, err := s.verbs.MoveCard(ctx, a, kernel.ID(in.ID), move)
	return reply(&card), err
}

type deleteCardInput struct {
	httpserver.AtID
	httpserver.AtVersion
	Body *struct {
		Version *int64 `json:"version,omitempty" doc:"Deletes the card only if it has this version."`
	}
}

func (s *handlers) deleteCard(ctx context.Context, a *kernel.Principal, in *deleteCardInput) (*httpserver.None, error) {
	var body *int64
	if in.Body != nil {
		body = in.Body.Version
	}
	version, err := in.Version(ctx, body)
	if err != nil {
		return nil, err
	}
	return &httpserver.None{}, s.verbs.DeleteCard(ctx, a, kernel.ID(in.ID), version)
}
