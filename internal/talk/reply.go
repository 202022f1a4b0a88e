package talk

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/people"
)

// Reply is a canned reply: a text to be sent again and again, with variables.
type Reply struct {
	ID        kernel.ID   `json:"id"`
	Shortcut  string      `json:"shortcut" example:"hello"`
	Title     string      `json:"title"`
	Text      string      `json:"text"`
	MediaID   *kernel.ID  `json:"media_id"`
	SectorIDs []kernel.ID `json:"sector_ids" doc:"The sectors it is meant for; empty: all."`
	Owner     *kernel.Ref `json:"owner" doc:"The person whose reply it is; null: the team's."`
	Uses      int64       `json:"uses" doc:"How many times it was rendered and then sent."`
	UpdatedAt time.Time   `json:"updated_at"`
}

// Rendered is a canned reply with the values of a conversation in place of its variables.
type Rendered struct {
	Text    string     `json:"text" doc:"A variable without a value and without a fallback stays as it is written."`
	MediaID *kernel.ID `json:"media_id"`

	Conversation kernel.ID `json:"-"`
}

// Subject is the conversation whose values the text has.
func (r *Rendered) Subject() kernel.Subject {
	return kernel.Subject{Kind: SubjectConversation, ID: r.Conversation}
}

// MaxTeamReplies is how many canned replies a team may have, MaxOwnReplies how many each person.
const (
	MaxTeamReplies = 500
	MaxOwnReplies  = 100
)

// RenderingRetention is how long a rendering that was not sent is remembered.
const RenderingRetention = 7 * 24 * time.Hour

// Shortcut checks the shortcut of a canned reply.
func Shortcut(field, s string) *kernel.Error {
	if shortcutForm.MatchString(s) {
		return nil
	}
	return kernel.Malformed(field, "shortcut")
}

var shortcutForm = regexp.MustCompile(`^[a-z0-9_-]{1,32}$`)

// The variables of canned replies.
const (
	VarContactName  = "contact.name"
	VarContactFirst = "contact.first_name"
	VarUserName     = "user.name"
	VarProtocol     = "protocol"
	VarSector       = "sector"
	VarCompany      = "company"
)

var replyVariables = []string{VarContactName, VarContactFirst, VarUserName, VarProtocol, VarSector, VarCompany}

// variable is {{name}} or {{name|fallback}}.
var variable = regexp.MustCompile(`\{\{([^{}|]*)(?:\|([^{}]*))?\}\}`)

// CheckVariables refuses a text with an unknown variable.
func CheckVariables(field, text string) *kernel.Error {
	for _, m := range variable.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(replyVariables, strings.TrimSpace(m[1])) {
			return kernel.Invalid(field, kernel.RuleNoSuch, "there is no variable "+kernel.Quoted(m[0])+"; the variables are {{"+strings.Join(replyVariables, "}}, {{")+"}}.",
				kernel.Params{"noun": "variable", "value": m[0]})
		}
	}
	return nil
}

// RenderVariables puts values in place of variables. One without a value gets its fallback, or stays as it is written.
func RenderVariables(text string, values map[string]string) string {
	return variable.ReplaceAllStringFunc(text, func(found string) string {
		m := variable.FindStringSubmatch(found)
		if value := values[strings.TrimSpace(m[1])]; value != "" {
			return value
		}
		if strings.Contains(found, "|") {
			return m[2]
		}
		return found
	})
}

// ContainsRendering reports whether a text that was sent contains a rendered one, whatever was written into the variables
// that had no value.
func ContainsRendering(sent, rendered string) bool {
	some := false
	for _, part := range variable.Split(rendered, -1) {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		_, after, found := strings.Cut(sent, part)
		if !found {
			return false
		}
		sent, some = after, true
	}
	return some
}

// FirstName is the first word of a person's name, and "" where the name has no letter, such as a phone number.
func FirstName(name string) string {
	if !strings.ContainsFunc(name, unicode.IsLetter) {
		return ""
	}
	return strings.Fields(name)[0]
}

// ReplyChange is what of a canned reply is to change; nil or unset leaves a part as it is.
type ReplyChange struct {
	Shortcut  *string
	Title     *string
	Text      *string
	MediaID   kernel.Optional[kernel.ID]
	SectorIDs *[]kernel.ID
}

// Replies lists the canned replies of the team and the caller's own, by shortcut.
func (d *Talk) Replies(ctx context.Context, a *kernel.Principal) ([]Reply, error) {
	if err := a.May(VerbReplies); err != nil {
		return nil, err
	}
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]Reply, error) {
		replies, err := listReplies(tx, a.Company.ID, a.User.ID)
		if err != nil {
			return nil, err
		}
		return replies, dropRemovedSectors(tx, a, pointers(replies)...)
	})
}

// dropRemovedSectors leaves out sectors that do not exist any more.
func dropRemovedSectors(tx *kernel.Tx, a *kernel.Principal, replies ...*Reply) error {
	if !slices.ContainsFunc(replies, func(p *Reply) bool { return len(p.SectorIDs) > 0 }) {
		return nil
	}
	ids, err := people.SectorIDs(tx, a.Company.ID)
	present := make(map[kernel.ID]bool, len(ids))
	for _, id := range ids {
		present[id] = true
	}
	for _, p := range replies {
		p.SectorIDs = slices.DeleteFunc(p.SectorIDs, func(id kernel.ID) bool { return !present[id] })
	}
	return err
}

// CreateReply adds a canned reply: one of the caller's own, or with owner null one of the team's.
func (d *Talk) CreateReply(ctx context.Context, a *kernel.Principal, owner kernel.Optional[kernel.ID], in ReplyChange) (Reply, error) {
	if err := a.May(VerbCreateReply); err != nil {
		return Reply{}, err
	}
	p := Reply{ID: kernel.NewID(), Owner: &a.User, SectorIDs: []kernel.ID{}}
	limit, plural := int64(MaxOwnReplies), "canned replies of one person"
	switch id := owner.Pointer(); {
	case id != nil && *id != a.User.ID:
		return p, kernel.Invalid("body.owner", kernel.RuleNotAllowed, "must be null, for a reply of the team, or your own id")
	case owner.Set && owner.Null:
		if err := mayManageReplies(a); err != nil {
			return p, err
		}
		p.Owner, limit, plural = nil, MaxTeamReplies, "canned replies of the team"
	}
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Reply, error) {
		n, err := countReplies(tx, a.Company.ID, kernel.RefID(p.Owner))
		if err != nil {
			return p, err
		}
		if n >= limit {
			return p, kernel.LimitReached(plural, limit)
		}
		made := p
		if err := d.fillReply(tx, a, &made, &in); err != nil {
			return p, err
		}
		if fresh, err := insertReply(tx, a.Company.ID, &made); err != nil || !fresh {
			return p, kernel.ErrOr(err, errShortcut(made.Shortcut))
		}
		return made, nil
	})
}

func errShortcut(shortcut string) error {
	return kernel.Errorf(kernel.CodeNameTaken, "There is already a canned reply with the shortcut %q. Choose another one.", shortcut)
}

// UpdateReply changes a canned reply of the caller's own, or one of the team's.
func (d *Talk) UpdateReply(ctx context.Context, a *kernel.Principal, id kernel.ID, in ReplyChange) (Reply, error) {
	if err := a.May(VerbUpdateReply); err != nil {
		return Reply{}, err
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (Reply, error) {
		tx.LockCompany(a.Company.ID) // no other reply takes the shortcut meanwhile
		p, err := editableReply(tx, a, id)
		if err != nil {
			return p, err
		}
		if err := d.fillReply(tx, a, &p, &in); err != nil {
			return p, err
		}
		if saved, err := saveReply(tx, a.Company.ID, &p); err != nil || !saved {
			return p, kernel.ErrOr(err, errShortcut(p.Shortcut))
		}
		return p, nil
	})
}

// DeleteReply removes a canned reply of the caller's own, or one of the team's.
func (d *Talk) DeleteReply(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	if err := a.May(VerbDeleteReply); err != nil {
		return err
	}
	_, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		_, err := editableReply(tx, a, id)
		if err == nil {
			deleteReply(tx, a.Company.ID, id)
		}
		return struct{}{}, err
	})
	return err
}

// editableReply gives a canned reply that the principal may change. Another person's does not exist for them.
func editableReply(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) (Reply, error) {
	p, found, err := lockReply(tx, a.Company.ID, id)
	if err != nil || !found || !ownOrShared(a, &p) {
		return p, kernel.ErrOr(err, kernel.NotFound("canned reply"))
	}
	if p.Owner == nil {
		return p, mayManageReplies(a)
	}
	return p, nil
}

func ownOrShared(a *kernel.Principal, p *Reply) bool {
	return p.Owner == nil || p.Owner.ID == a.User.ID
}

// fillReply checks a change and applies it.
func (d *Talk) fillReply(tx *kernel.Tx, a *kernel.Principal, p *Reply, in *ReplyChange) error {
	kernel.Set(&p.Shortcut, in.Shortcut)
	if invalid := Shortcut("body.shortcut", p.Shortcut); invalid != nil {
		return invalid
	}
	kernel.Set(&p.Title, in.Title)
	title, invalid := kernel.Name("body.title", p.Title, kernel.MaxName)
	if invalid != nil {
		return invalid
	}
	p.Title = title
	kernel.Set(&p.Text, in.Text)
	if in.MediaID.Set {
		if p.MediaID = in.MediaID.Pointer(); p.MediaID != nil {
			if _, err := d.usableMedia(tx, a, *p.MediaID); err != nil {
				return err
			}
		}
	}
	if invalid := checkReplyText(p); invalid != nil {
		return invalid
	}
	p.UpdatedAt = tx.Now
	if in.SectorIDs == nil {
		return dropRemovedSectors(tx, a, p)
	}
	p.SectorIDs = slices.Clone(*in.SectorIDs)
	return people.CheckSectors(tx, a, p.SectorIDs)
}

func checkReplyText(p *Reply) *kernel.Error {
	check, most := kernel.Text, provider.MaxText
	if p.MediaID != nil {
		check, most = kernel.OptionalText, provider.MaxCaption
	}
	if _, invalid := check("body.text", p.Text, most); invalid != nil {
		return invalid
	}
	return CheckVariables("body.text", p.Text)
}

// RenderReply gives a canned reply with the values of a conversation. A message of the caller there that contains the
// result counts as a use.
func (d *Talk) RenderReply(ctx context.Context, a *kernel.Principal, id, conversation kernel.ID) (Rendered, error) {
	if err := a.May(VerbRenderReply); err != nil {
		return Rendered{}, err
	}
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Rendered, error) {
		p, found, err := findReply(tx, a.Company.ID, id)
		if err != nil || !found || !ownOrShared(a, &p) {
			return Rendered{}, kernel.ErrOr(err, kernel.NotFound("canned reply"))
		}
		c, found, err := FindConversation(tx, a.Company.ID, conversation)
		if err != nil || !found || !MaySee(a, &c) {
			return Rendered{}, kernel.ErrOr(err, kernel.NoSuch("body.conversation_id", "conversation"))
		}
		values, err := replyValues(tx, a, &c)
		if err != nil {
			return Rendered{}, err
		}
		out := Rendered{Text: RenderVariables(p.Text, values), MediaID: p.MediaID, Conversation: conversation}
		keepRendering(tx, a.Company.ID, a.User.ID, conversation, Rendering{Reply: id, Text: out.Text, Media: p.MediaID})
		return out, nil
	})
}

// replyValues gives the values that a conversation has for the variables of canned replies.
func replyValues(tx *kernel.Tx, a *kernel.Principal, c *Conversation) (map[string]string, error) {
	values := map[string]string{VarUserName: a.User.Name, VarCompany: a.Company.Name}
	if c.Contact != nil {
		contact, _, err := findContact(tx, a.Company.ID, *c.Contact)
		if err != nil {
			return nil, err
		}
		if first := FirstName(contact.Name); first != "" {
			values[VarContactName], values[VarContactFirst] = contact.Name, first
		}
	}
	if c.Attendance != nil {
		values[VarProtocol] = c.Attendance.Protocol
	}
	if c.Sector == nil {
		return values, nil
	}
	name, err := people.SectorName(tx, a.Company.ID, *c.Sector)
	values[VarSector] = name
	return values, err
}

// countUses counts the renderings that a message contains.
func countUses(tx *kernel.Tx, a *kernel.Principal, m *Message) error {
	renderings, err := renderings(tx, a.Company.ID, a.User.ID, m.Conversation)
	for _, r := range renderings {
		sent := m.Text != nil && ContainsRendering(*m.Text, r.Text)
		if r.Text == "" {
			sent = kernel.Same(m.MediaID, r.Media)
		}
		if sent {
			countUse(tx, a.Company.ID, a.User.ID, m.Conversation, r.Reply)
		}
	}
	return err
}

// mayManageReplies reports whether the principal may change the canned replies of the team.
func mayManageReplies(a *kernel.Principal) error {
	switch {
	case a.Scopes.Has(people.ScopeRepliesManage):
		return nil
	case a.Kind() == kernel.KindSession:
		return kernel.Errorf(kernel.CodeInsufficientRole, "Canned replies of the team are managed by members with the role manager or above.")
	}
	return kernel.ErrScope(a, people.ScopeRepliesManage)
}
