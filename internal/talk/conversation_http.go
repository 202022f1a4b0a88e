package talk

import (
	"context"
	"time"

	"recado/internal/httpserver"
	"recado/internal/kernel"
)

type listConversationsInput struct {
	httpserver.Page
	Cursor   string              `query:"cursor" doc:"The next_cursor of the previous page, with the same filters. Returns the next page regardless of changes in between. Cannot be combined with offset."`
	Q        string              `query:"q" maxLength:"200" doc:"Returns conversations whose name, phone or last message contains this text. Case, accents and surrounding spaces are ignored. If the text has no three consecutive letters or digits, or is too common for the search index, only the newest 10,000 conversations are searched."`
	Archived string              `query:"archived" enum:"true,false,1,0" doc:"Returns only archived (true) or unarchived (false) conversations. Defaults to both."`
	Unread   string              `query:"unread" enum:"true,false,1,0" doc:"Set to true to return only conversations with unread messages. false has no effect."`
	Kind     string              `query:"kind" enum:"direct,group"`
	Channel  httpserver.FilterID `query:"channel" doc:"Returns only conversations of this WhatsApp number."`
	Assignee string              `query:"assignee" doc:"The UUID of a person, \"me\" for the caller (or the person an API key acts as), or \"none\"."`
	Sector   httpserver.FilterID `query:"sector"`
	Label    httpserver.FilterID `query:"label"`
	Contact  httpserver.FilterID `query:"contact" doc:"Returns only conversations with this contact."`
	Status   string              `query:"status" enum:"open,waiting,closed" doc:"open: an attendance is open, or the conversation has unread messages and is not muted. waiting: an attendance is open and has no responsible person. closed: not open."`
	Snoozed  string              `query:"snoozed" enum:"true,false,1,0" doc:"Returns only snoozed (true) or only other (false) conversations. By default, snoozed conversations are omitted only with the status open or waiting."`
	Sort     string              `query:"sort" enum:"newest,oldest_waiting" default:"newest" doc:"newest sorts by newest message, with pinned conversations first unless status is given. oldest_waiting returns conversations whose customer is waiting for an answer first, the longest wait first, then the others by newest message."`
}

// conversationList is a page of a list that supports both offsets and cursors.
type conversationList struct {
	Data       []Conversation `json:"data"`
	Limit      int            `json:"limit"`
	Offset     int            `json:"offset"`
	HasMore    bool           `json:"has_more"`
	NextCursor *string        `json:"next_cursor" doc:"Pass it as cursor to get the next page; null on the last page."`
}

func (s *handlers) listConversations(ctx context.Context, a *kernel.Principal, in *listConversationsInput) (*httpserver.Reply[conversationList], error) {
	if in.Cursor != "" && httpserver.RequestFrom(ctx).URL.Query().Has("offset") {
		return nil, kernel.NotTogether("query.cursor", "send either cursor or offset, not both", "cursor", "offset")
	}
	f := conversationCriteria{
		Status: in.Status, Snoozed: httpserver.BoolOrNil(in.Snoozed), OldestWaiting: in.Sort == "oldest_waiting",
		Q: in.Q, Archived: httpserver.BoolOrNil(in.Archived), Unread: httpserver.IsTrue(in.Unread), Kind: in.Kind,
		Channel: kernel.ID(in.Channel), Sector: kernel.ID(in.Sector), Label: kernel.ID(in.Label), Contact: kernel.ID(in.Contact), Limit: in.Limit, Offset: in.Offset,
	}
	var err error
	if f.Assignee, f.Unassigned, err = AssigneeFilter(a, in.Assignee); err != nil {
		return nil, err
	}
	page, err := s.verbs.Conversations(ctx, a, f, in.Cursor)
	out := conversationList{Data: page.Data, Limit: in.Limit, Offset: in.Offset, HasMore: page.More}
	if page.Next != "" {
		out.NextCursor = &page.Next
	}
	return &httpserver.Reply[conversationList]{Body: out}, err
}

// AssigneeFilter parses the query parameter assignee: the id of a person, "me" or "none".
func AssigneeFilter(a *kernel.Principal, text string) (person kernel.ID, none bool, err error) {
	switch text {
	case "":
		return kernel.ID{}, false, nil
	case "none":
		return kernel.ID{}, true, nil
	case "me":
		return a.User.ID, false, nil
	}
	id, ok := httpserver.ParseFilterID(text)
	if !ok {
		return kernel.ID{}, false, kernel.Malformed("query.assignee", "assignee")
	}
	return id, false, nil
}

type openConversationInput struct {
	Body struct {
		ChannelID kernel.ID  `json:"channel_id"`
		Phone     *string    `json:"phone,omitempty" minLength:"1" maxLength:"64" example:"+55 11 91234-5678"`
		ContactID *kernel.ID `json:"contact_id,omitempty"`
		Name      *string    `json:"name,omitempty" minLength:"1" maxLength:"120" doc:"The name for the contact and the conversation, if they are new."`
	}
}

func (s *handlers) openConversation(ctx context.Context, a *kernel.Principal, in *openConversationInput) (*httpserver.Located[*Conversation], error) {
	response := httpserver.Shaped(ctx, func(o *Opened) *httpserver.Located[*Conversation] {
		out := &httpserver.Located[*Conversation]{Status: 200, Body: o.Conversation}
		if o.Created {
			out.Status, out.Location = 201, httpserver.At(ctx, "/conversations/"+o.Conversation.ID.String())
		}
		return out
	})
	opened, err := s.verbs.OpenConversation(ctx, a, NewConversation{
		Channel: in.Body.ChannelID, Phone: in.Body.Phone, Contact: in.Body.ContactID, Name: in.Body.Name,
	})
	if err != nil {
		return nil, err
	}
	return response(&opened), nil
}

func (s *handlers) getConversation(ctx context.Context, a *kernel.Principal, in *httpserver.AtID) (*httpserver.Reply[*Conversation], error) {
	return replyAt(ctx, a, in, "conversation", s.verbs.Conversation)
}

// replyAt calls a verb with the id of the path and returns its result as the body.
func replyAt[T any](
	ctx context.Context, a *kernel.Principal, in *httpserver.AtID, noun string,
	verb func(context.Context, *kernel.Principal, kernel.ID) (T, error),
) (*httpserver.Reply[T], error) {
	id, err := httpserver.PathID(in.ID, noun)
	if err != nil {
		return nil, err
	}
	body, err := verb(ctx, a, id)
	return &httpserver.Reply[T]{Body: body}, err
}

type updateConversationInput struct {
	httpserver.AtID
	Body struct {
		Archived *bool        `json:"archived,omitempty"`
		Pinned   *bool        `json:"pinned,omitempty"`
		Muted    *bool        `json:"muted,omitempty"`
		Name     *string      `json:"name,omitempty" minLength:"1" maxLength:"120"`
		LabelIDs *[]kernel.ID `json:"label_ids,omitempty" maxItems:"100" doc:"Replaces all labels of the conversation."`
	} `required:"false"`
}

func (s *handlers) updateConversation(ctx context.Context, a *kernel.Principal, in *updateConversationInput) (*httpserver.Reply[*Conversation], error) {
	id, err := httpserver.PathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	c, err := s.verbs.UpdateConversation(ctx, a, id, ConversationChange{
		Archived: in.Body.Archived, Pinned: in.Body.Pinned, Muted: in.Body.Muted, Name: in.Body.Name, LabelIDs: in.Body.LabelIDs,
	})
	return &httpserver.Reply[*Conversation]{Body: c}, err
}

func (s *handlers) readConversation(ctx context.Context, a *kernel.Principal, in *httpserver.AtID) (*httpserver.Reply[*Conversation], error) {
	return replyAt(ctx, a, in, "conversation", s.verbs.MarkRead)
}

func (s *handlers) unreadConversation(ctx context.Context, a *kernel.Principal, in *httpserver.AtID) (*httpserver.Reply[*Conversation], error) {
	return replyAt(ctx, a, in, "conversation", s.verbs.MarkUnread)
}

func (s *handlers) takeConversation(ctx context.Context, a *kernel.Principal, in *httpserver.AtID) (*httpserver.Reply[*Conversation], error) {
	return replyAt(ctx, a, in, "conversation", s.verbs.Take)
}

type snoozeInput struct {
	httpserver.AtID
	Body struct {
		Until kernel.Optional[time.Time] `json:"until" doc:"null ends snoozing."`
	}
}

func (s *handlers) snoozeConversation(ctx context.Context, a *kernel.Principal, in *snoozeInput) (*httpserver.Reply[*Conversation], error) {
	id, err := httpserver.PathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	c, err := s.verbs.Snooze(ctx, a, id, in.Body.Until.Pointer())
	return &httpserver.Reply[*Conversation]{Body: c}, err
}

type activityInput struct {
	httpserver.AtID
	Body struct {
		Kind string `json:"kind" enum:"viewing,typing,left"`
	}
}

func (s *handlers) postActivity(ctx context.Context, a *kernel.Principal, in *activityInput) (*httpserver.None, error) {
	id, err := httpserver.PathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	return &httpserver.None{}, s.verbs.Activity(ctx, a, id, in.Body.Kind)
}
