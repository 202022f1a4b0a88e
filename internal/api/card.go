package api

import (
	"context"
	"strconv"
	"time"

	"recado/internal/desk"
	"recado/internal/input"
	"recado/internal/model"
	"recado/internal/once"
)

// cardReply is a card with its version as entity tag.
type cardReply struct {
	ETag string `header:"ETag" doc:"The card's version, in quotes."`
	Body model.Card
}

func replyCard(c model.Card, err error) (*cardReply, error) {
	return &cardReply{versionTag(c.Version), c}, err
}

// versionTag is the entity tag of a version.
func versionTag(version int64) string { return `"` + strconv.FormatInt(version, 10) + `"` }

type listCardsInput struct {
	BoardID      input.FilterID `query:"board_id" doc:"Absent: all boards that the caller may see and that are not archived."`
	StageID      input.FilterID `query:"stage_id" doc:"Only of this stage."`
	Sort         string         `query:"sort" enum:"newest,position" default:"newest" doc:"position: in the order of the stages, and of the cards within each."`
	Limit        int            `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
	Cursor       string         `query:"cursor" maxLength:"400" doc:"The next_cursor of the previous page, with the same filters."`
	Q            string         `query:"q" maxLength:"100" doc:"Part of the title or the description; case and accents are ignored. A text without three letters or digits in a row is searched in the newest 10,000 cards; so is one for which the search index would have to read too much."`
	Priority     string         `query:"priority" enum:"low,medium,high,urgent"`
	Label        input.FilterID `query:"label"`
	Assignee     string         `query:"assignee" doc:"A person's UUID, \"me\" for the person this key acts as, or \"none\"."`
	Conversation input.FilterID `query:"conversation" doc:"Only of this conversation."`
	Due          string         `query:"due" enum:"any,today,week,overdue,none" default:"any" doc:"today and week (seven days including today) are days in tz. overdue: the due date is past and the card is open. none: no due date."`
	TZ           string         `query:"tz" default:"America/Sao_Paulo" doc:"The IANA name of the time zone for due."`
	Status       string         `query:"status" enum:"open,completed,lost,archived,all" default:"open"`
}

func (s *Server) listCards(ctx context.Context, a *desk.Principal, in *listCardsInput) (*reply[cursorList[model.Card]], error) {
	f := desk.CardFilter{
		Board: model.ID(in.BoardID), Stage: model.ID(in.StageID), Sort: in.Sort, Q: in.Q, Priority: in.Priority, Label: model.ID(in.Label), Due: in.Due, Zone: in.TZ, Status: in.Status,
		Conversation: model.ID(in.Conversation), Limit: in.Limit, Cursor: in.Cursor,
	}
	var err error
	if f.Assignee, f.Unassigned, err = assigneeFilter(a, in.Assignee); err != nil {
		return nil, err
	}
	page, next, err := s.desk.Cards(ctx, a, f)
	return cursorPage(page, next), err
}

func (s *Server) getCard(ctx context.Context, a *desk.Principal, in *AtID) (*cardReply, error) {
	id, err := pathID(in.ID, "card")
	if err != nil {
		return nil, err
	}
	return replyCard(s.desk.Card(ctx, a, id))
}

// CardBody holds the fields that creating and changing a card have in common.
type CardBody struct {
	Description  model.Optional[string]    `json:"description,omitempty" doc:"Up to 10,000 characters."`
	Priority     *string                   `json:"priority,omitempty" enum:"low,medium,high,urgent"`
	LabelIDs     *[]model.ID               `json:"label_ids,omitempty" maxItems:"100"`
	DueAt        model.Optional[time.Time] `json:"due_at,omitempty"`
	Assignee     model.Optional[model.ID]  `json:"assignee,omitempty" doc:"A team member."`
	Contact      model.Optional[model.ID]  `json:"contact,omitempty"`
	Conversation model.Optional[model.ID]  `json:"conversation,omitempty"`
	Private      *bool                     `json:"private,omitempty" doc:"API keys do not see private cards: with a key, this answer is the last one that has the card."`
}

func (b *CardBody) fields(title *string) desk.CardFields {
	return desk.CardFields{
		Title: title, Description: b.Description, Priority: b.Priority, Labels: b.LabelIDs, DueAt: b.DueAt,
		Assignee: b.Assignee, Contact: b.Contact, Conversation: b.Conversation, Private: b.Private,
	}
}

type createCardInput struct {
	Body struct {
		BoardID      model.ID                 `json:"board_id"`
		StageID      model.Optional[model.ID] `json:"stage_id,omitempty" doc:"Absent means the board's first stage."`
		BeforeCardID model.Optional[model.ID] `json:"before_card_id,omitempty" doc:"The card in that stage before which to insert it. Absent: at the end."`
		Title        string                   `json:"title" minLength:"1" maxLength:"120"`
		CardBody
	}
}

func (s *Server) createCard(ctx context.Context, a *desk.Principal, in *createCardInput, once *once.Call) (*locatedCard, error) {
	b := &in.Body
	card, err := s.desk.CreateCard(ctx, a, desk.NewCard{
		Board: b.BoardID, Stage: b.StageID.Pointer(), Before: b.BeforeCardID.Pointer(), CardFields: b.fields(&b.Title),
	}, once)
	return &locatedCard{cardReply: cardReply{Body: card}}, err
}

// AtVersion is the header by which a change says what it is based on.
type AtVersion struct {
	IfMatch string `header:"If-Match" doc:"The version that the change is based on, as in its ETag." example:"\"7\""`
}

// version settles which version a change is based on; 0 when the caller named none.
func (AtVersion) version(ctx context.Context, body *int64) (int64, error) {
	version, err := model.CardVersion(callFrom(ctx).request.Header["If-Match"], body)
	if err != nil && err.Code != model.CodeVersionRequired {
		return 0, err
	}
	return version, nil
}

type updateCardInput struct {
	AtID
	AtVersion
	Body struct {
		Title *string `json:"title,omitempty" minLength:"1" maxLength:"120"`
		CardBody
		Status  *string `json:"status,omitempty" enum:"open,archived" doc:"archived archives the card; open restores it, with the status that its stage gives."`
		Version *int64  `json:"version,omitempty" doc:"The version that the change is based on, unless If-Match has it."`
	} `required:"false"`
}

func (s *Server) updateCard(ctx context.Context, a *desk.Principal, in *updateCardInput) (*cardReply, error) {
	version, err := in.version(ctx, in.Body.Version)
	if err != nil {
		return nil, err
	}
	id, err := pathID(in.ID, "card")
	if err != nil {
		return nil, err
	}
	change := desk.CardChange{CardFields: in.Body.fields(in.Body.Title), Version: version}
	if in.Body.Status != nil {
		archived := *in.Body.Status == model.CardArchived
		change.Archived = &archived
	}
	return replyCard(s.desk.UpdateCard(ctx, a, id, change))
}

type moveCardInput struct {
	AtID
	AtVersion
	Body struct {
		StageID      model.ID                 `json:"stage_id" doc:"A stage of the card's board."`
		BeforeCardID model.Optional[model.ID] `json:"before_card_id,omitempty" doc:"The card in that stage before which to insert it. Absent: at the end."`
		Version      *int64                   `json:"version,omitempty" doc:"The version that the move is based on, unless If-Match has it."`
	}
}

func (s *Server) moveCard(ctx context.Context, a *desk.Principal, in *moveCardInput, once *once.Call) (*cardReply, error) {
	version, err := in.version(ctx, in.Body.Version)
	if err != nil {
		return nil, err
	}
	id, err := pathID(in.ID, "card")
	if err != nil {
		return nil, err
	}
	return replyCard(s.desk.MoveCard(ctx, a, id, desk.CardMove{Stage: in.Body.StageID, Before: in.Body.BeforeCardID.Pointer(), Version: version}, once))
}

type deleteCardInput struct {
	AtID
	AtVersion
	Body *struct {
		Version *int64 `json:"version,omitempty" doc:"Delete only this version of the card."`
	}
}

func (s *Server) deleteCard(ctx context.Context, a *desk.Principal, in *deleteCardInput) (*none, error) {
	var body *int64
	if in.Body != nil {
		body = in.Body.Version
	}
	version, err := in.version(ctx, body)
	if err != nil {
		return nil, err
	}
	id, err := pathID(in.ID, "card")
	if err != nil {
		return nil, err
	}
	return &none{}, s.desk.DeleteCard(ctx, a, id, version)
}

// locatedCard is located for a card.
type locatedCard struct {
	Location string `header:"Location" doc:"The address of the new card."`
	cardReply
}
