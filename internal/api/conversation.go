package api

import (
	"context"
	"time"

	"recado/internal/desk"
	"recado/internal/input"
	"recado/internal/model"
)

type listConversationsInput struct {
	Page
	Cursor   string         `query:"cursor" doc:"The next_cursor of a page, with the same filters: gives the page after it, regardless of changes in between. Not together with offset."`
	Q        string         `query:"q" maxLength:"200" doc:"Part of the name, the phone or the last message. Case, accents and surrounding spaces are ignored. A text without three letters or digits in a row is searched in the newest 10,000 conversations; so is one for which the search index would have to read too much."`
	Archived string         `query:"archived" enum:"true,false,1,0" doc:"Absent: both."`
	Unread   string         `query:"unread" enum:"true,false,1,0" doc:"true: only conversations with unread messages. false filters nothing."`
	Kind     string         `query:"kind" enum:"direct,group"`
	Channel  input.FilterID `query:"channel" doc:"Only of this WhatsApp number."`
	Assignee string         `query:"assignee" doc:"A person's UUID, \"me\" for the person this key acts as, or \"none\"."`
	Sector   input.FilterID `query:"sector"`
	Label    input.FilterID `query:"label"`
	Contact  input.FilterID `query:"contact" doc:"Only with this contact."`
	Status   string         `query:"status" enum:"open,waiting,closed" doc:"open: an attendance is open, or there are unread messages and the conversation is not muted. waiting: an attendance is open and has no responsible person. closed: not open."`
	Snoozed  string         `query:"snoozed" enum:"true,false,1,0" doc:"Absent: snoozed conversations are omitted for the status open and waiting only."`
	Sort     string         `query:"sort" enum:"newest,oldest_waiting" default:"newest" doc:"newest: pinned ones first unless status is given, then by newest message. oldest_waiting: first those whose customer waits for an answer, the longest first, then by newest message."`
}

// conversationList is a list with offset paging that can also be continued by cursor.
type conversationList struct {
	Data       []model.Conversation `json:"data"`
	Limit      int                  `json:"limit"`
	Offset     int                  `json:"offset"`
	HasMore    bool                 `json:"has_more"`
	NextCursor *string              `json:"next_cursor" doc:"Send it as cursor to get the next page; null on the last page."`
}

func (s *Server) listConversations(ctx context.Context, a *desk.Principal, in *listConversationsInput) (*reply[conversationList], error) {
	if in.Cursor != "" && callFrom(ctx).request.URL.Query().Has("offset") {
		return nil, model.Invalid("query.cursor", "send either cursor or offset, not both")
	}
	f := desk.ConversationFilter{
		Status: in.Status, Snoozed: boolOrNil(in.Snoozed), OldestWaiting: in.Sort == "oldest_waiting",
		Q: in.Q, Archived: boolOrNil(in.Archived), Unread: isTrue(in.Unread), Kind: in.Kind,
		Channel: model.ID(in.Channel), Sector: model.ID(in.Sector), Label: model.ID(in.Label), Contact: model.ID(in.Contact), Limit: in.Limit, Offset: in.Offset,
	}
	var err error
	if f.Assignee, f.Unassigned, err = assigneeFilter(a, in.Assignee); err != nil {
		return nil, err
	}
	page, err := s.desk.Conversations(ctx, a, f, in.Cursor)
	out := conversationList{Data: page.Data, Limit: in.Limit, Offset: in.Offset, HasMore: page.More}
	if page.Next != "" {
		out.NextCursor = &page.Next
	}
	return &reply[conversationList]{out}, err
}

// assigneeFilter reads the query parameter assignee: a person, the caller, or none.
func assigneeFilter(a *desk.Principal, text string) (person model.ID, none bool, err error) {
	switch text {
	case "":
		return model.ID{}, false, nil
	case "none":
		return model.ID{}, true, nil
	case "me":
		return a.User.ID, false, nil
	}
	id, ok := input.ParseFilterID(text)
	if !ok {
		return model.ID{}, false, model.Invalid("query.assignee", `must be "none", "me" or a UUID`)
	}
	return id, false, nil
}

// boolOrNil reads a query parameter that is true, false or absent.
func boolOrNil(text string) *bool {
	if text == "" {
		return nil
	}
	value := isTrue(text)
	return &value
}

// isTrue reads a query parameter that is true or false, or 1 or 0.
func isTrue(text string) bool { return text == "true" || text == "1" }

type openConversationInput struct {
	Body struct {
		ChannelID model.ID  `json:"channel_id"`
		Phone     *string   `json:"phone,omitempty" minLength:"1" maxLength:"64" example:"+55 11 91234-5678"`
		ContactID *model.ID `json:"contact_id,omitempty"`
		Name      *string   `json:"name,omitempty" minLength:"1" maxLength:"120" doc:"The name of the contact and conversation if they are new."`
	}
}

func (s *Server) openConversation(ctx context.Context, a *desk.Principal, in *openConversationInput) (*located[*model.Conversation], error) {
	shaped(ctx, s.opened)
	opened, err := s.desk.OpenConversation(ctx, a, desk.NewConversation{
		Channel: in.Body.ChannelID, Phone: in.Body.Phone, Contact: in.Body.ContactID, Name: in.Body.Name,
	})
	if err != nil {
		return nil, err
	}
	return s.opened(&opened), nil
}

func (s *Server) opened(o *desk.Opened) *located[*model.Conversation] {
	out := &located[*model.Conversation]{Status: 200, Body: o.Conversation}
	if o.Created {
		out.Status, out.Location = 201, s.at("/conversations/"+o.Conversation.ID.String())
	}
	return out
}

func (s *Server) getConversation(ctx context.Context, a *desk.Principal, in *AtID) (*reply[*model.Conversation], error) {
	id, err := pathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	c, err := s.desk.Conversation(ctx, a, id)
	return &reply[*model.Conversation]{c}, err
}

type updateConversationInput struct {
	AtID
	Body struct {
		Archived *bool       `json:"archived,omitempty"`
		Pinned   *bool       `json:"pinned,omitempty"`
		Muted    *bool       `json:"muted,omitempty"`
		Name     *string     `json:"name,omitempty" minLength:"1" maxLength:"120"`
		LabelIDs *[]model.ID `json:"label_ids,omitempty" maxItems:"100" doc:"Replaces all labels of the conversation."`
	} `required:"false"`
}

func (s *Server) updateConversation(ctx context.Context, a *desk.Principal, in *updateConversationInput) (*reply[*model.Conversation], error) {
	id, err := pathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	c, err := s.desk.UpdateConversation(ctx, a, id, desk.ConversationChange{
		Archived: in.Body.Archived, Pinned: in.Body.Pinned, Muted: in.Body.Muted, Name: in.Body.Name, LabelIDs: in.Body.LabelIDs,
	})
	return &reply[*model.Conversation]{c}, err
}

func (s *Server) readConversation(ctx context.Context, a *desk.Principal, in *AtID) (*reply[*model.Conversation], error) {
	id, err := pathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	c, err := s.desk.MarkRead(ctx, a, id)
	return &reply[*model.Conversation]{c}, err
}

func (s *Server) unreadConversation(ctx context.Context, a *desk.Principal, in *AtID) (*reply[*model.Conversation], error) {
	id, err := pathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	c, err := s.desk.MarkUnread(ctx, a, id)
	return &reply[*model.Conversation]{c}, err
}

func (s *Server) takeConversation(ctx context.Context, a *desk.Principal, in *AtID) (*reply[*model.Conversation], error) {
	id, err := pathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	c, err := s.desk.Take(ctx, a, id)
	return &reply[*model.Conversation]{c}, err
}

type snoozeInput struct {
	AtID
	Body struct {
		Until model.Optional[time.Time] `json:"until" doc:"null ends snoozing."`
	}
}

func (s *Server) snoozeConversation(ctx context.Context, a *desk.Principal, in *snoozeInput) (*reply[*model.Conversation], error) {
	id, err := pathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	c, err := s.desk.Snooze(ctx, a, id, in.Body.Until.Pointer())
	return &reply[*model.Conversation]{c}, err
}

type saveDraftInput struct {
	AtID
	Body struct {
		Text    string                 `json:"text" minLength:"0" maxLength:"4096"`
		ReplyTo model.Optional[string] `json:"reply_to_external_id,omitempty" doc:"The external_id of a message of this conversation to quote."`
	}
}

func (s *Server) saveDraft(ctx context.Context, a *desk.Principal, in *saveDraftInput) (*reply[model.Draft], error) {
	id, err := pathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	draft, err := s.desk.SaveDraft(ctx, a, id, in.Body.Text, in.Body.ReplyTo.Pointer())
	return &reply[model.Draft]{draft}, err
}

func (s *Server) deleteDraft(ctx context.Context, a *desk.Principal, in *AtID) (*none, error) {
	id, err := pathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	return &none{}, s.desk.DeleteDraft(ctx, a, id)
}

type setBotInput struct {
	AtID
	Body struct {
		PausedUntil model.Optional[time.Time] `json:"paused_until" doc:"null lets bots answer again."`
	}
}

func (s *Server) setBot(ctx context.Context, a *desk.Principal, in *setBotInput) (*reply[*model.Conversation], error) {
	id, err := pathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	c, err := s.desk.SetBot(ctx, a, id, in.Body.PausedUntil.Pointer())
	return &reply[*model.Conversation]{c}, err
}
