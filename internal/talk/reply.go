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

// Reply is a canned reply: a text with variables.
type Reply struct {
	ID        kernel.ID   `json:"id"`
	Shortcut  string      `json:"shortcut" example:"hello"`
	Title     string      `json:"title"`
	Text      string      `json:"text"`
	MediaID   *kernel.ID  `json:"media_id"`
	SectorIDs []kernel.ID `json:"sector_ids" doc:"The sectors the reply is intended for; empty means all sectors."`
	Owner     *kernel.Ref `json:"owner" doc:"The owner of the reply; null for replies of the team."`
	Uses      int64       `json:"uses" doc:"The number of times the reply was rendered and then sent."`
	UpdatedAt time.Time   `json:"updated_at"`
}

// Rendered is a canned reply whose variables were replaced by the values of a conversation.
type Rendered struct {
	Text    string     `json:"text" doc:"The rendered text. Variables that have neither a value nor a fallback are left unchanged."`
	MediaID *kernel.ID `json:"media_id"`

	Conversation kernel.ID `json:"-"`
}

// Subject returns the conversation.
func (r *Rendered) Subject() kernel.Subject {
	return kernel.Subject{Kind: SubjectConversation, ID: r.Conversation}
}

// Limits of canned replies.
const (
	MaxTeamReplies = 500
	MaxOwnReplies  = 100 // per member

	RenderingRetention = 7 * 24 * time.Hour // of renderings that were not sent
)

var shortcutPattern = regexp.MustCompile(`^[a-z0-9_-]{1,32}$`)

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

// variable matches {{name}} and {{name|fallback}}.
var variable = regexp.MustCompile(`\{\{([^{}|]*)(?:\|([^{}]*))?\}\}`)

// CheckVariables returns an error if the text contains an unknown variable.
func CheckVariables(field, text string) *kernel.Error {
	for _, m := range variable.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(replyVariables, strings.TrimSpace(m[1])) {
			known := "{{" + strings.Join(replyVariables, "}}, {{") + "}}"
			return kernel.Invalid(field, kernel.RuleNoSuch, "there is no variable "+kernel.Quoted(m[0])+"; the variables are "+known+".",
				kernel.Params{"noun": "variable", "value": m[0]})
		}
	}
	return nil
}

// RenderVariables replaces variables by their values. A variable without a value is replaced by its fallback, or stays unchanged.
func RenderVariables(text string, values map[string]string) string {
	return variable.ReplaceAllStringFunc(text, func(match string) string {
		m := variable.FindStringSubmatch(match)
		if value := values[strings.TrimSpace(m[1])]; value != "" {
			return value
		}
		if strings.Contains(match, "|") {
			return m[2]
		}
		return match
	})
}

// ContainsRendering reports whether a sent text contains a rendered reply. Variables that had no value match any text.
func ContainsRendering(sent, rendered string) bool {
	matched := false
	for _, part := range variable.Split(rendered, -1) {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		_, after, found := strings.Cut(sent, part)
		if !found {
			return false
		}
		sent, matched = after, true
	}
	return matched
}

// FirstName returns the first word of a name, or "" if the name contains no letter, as a phone number does.
func FirstName(name string) string {
	if !strings.ContainsFunc(name, unicode.IsLetter) {
		return ""
	}
	return strings.Fields(name)[0]
}

// ReplyChange lists the fields of a canned reply to change; nil and unset fields stay as they are.
type ReplyChange struct {
	Shortcut  *string
	Title     *string
	Text      *string
	MediaID   kernel.Optional[kernel.ID]
	SectorIDs *[]kernel.ID
}

// Replies lists the canned replies of the team and of the caller, ordered by shortcut.
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

// dropRemovedSectors removes the ids of deleted sectors.
func dropRemovedSectors(tx *kernel.Tx, a *kernel.Principal, replies ...*Reply) error {
	if !slices.ContainsFunc(replies, func(p *Reply) bool { return len(p.SectorIDs) > 0 }) {
		return nil
	}
	existing, err := people.SectorIDs(tx, a.Company.ID)
	for _, p := range replies {
		p.SectorIDs = slices.DeleteFunc(p.SectorIDs, func(id kernel.ID) bool { return !slices.Contains(existing, id) })
	}
	return err
}

// CreateReply adds a canned reply of the caller or, if owner is null, of the team.
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
		created := p
		if err := d.fillReply(tx, a, &created, &in); err != nil {
			return p, err
		}
		if inserted, err := insertReply(tx, a.Company.ID, &created); err != nil || !inserted {
			return p, kernel.ErrOr(err, errShortcut(created.Shortcut))
		}
		return created, nil
	})
}

func errShortcut(shortcut string) error {
	return kernel.Errorf(kernel.CodeNameTaken, "There is already a canned reply with the shortcut %q. Choose another one.", shortcut)
}

// UpdateReply changes a canned reply of the caller or of the team.
func (d *Talk) UpdateReply(ctx context.Context, a *kernel.Principal, id kernel.ID, in ReplyChange) (Reply, error) {
	if err := a.May(VerbUpdateReply); err != nil {
		return Reply{}, err
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (Reply, error) {
		tx.LockCompany(a.Company.ID) // so that no other reply takes the shortcut
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

// DeleteReply deletes a canned reply of the caller or of the team.
func (d *Talk) DeleteReply(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	if err := a.May(VerbDeleteReply); err != nil {
		return err
	}
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		_, err := editableReply(tx, a, id)
		if err == nil {
			deleteReply(tx, a.Company.ID, id)
		}
		return err
	})
}

// editableReply locks and returns a canned reply that the principal may change. Replies of other members are not found.
func editableReply(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) (Reply, error) {
	p, found, err := findReply(tx, a, id, tx.Dialect().Lock(` FOR UPDATE OF p`))
	if err != nil || !found {
		return p, kernel.ErrOr(err, kernel.NotFound("canned reply"))
	}
	if p.Owner == nil {
		return p, mayManageReplies(a)
	}
	return p, nil
}

func (d *Talk) fillReply(tx *kernel.Tx, a *kernel.Principal, p *Reply, in *ReplyChange) error {
	kernel.Set(&p.Shortcut, in.Shortcut)
	if !shortcutPattern.MatchString(p.Shortcut) {
		return kernel.Malformed("body.shortcut", "shortcut")
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
	check, limit := kernel.Text, provider.MaxText
	if p.MediaID != nil {
		check, limit = kernel.OptionalText, provider.MaxCaption
	}
	if _, invalid := check("body.text", p.Text, limit); invalid != nil {
		return invalid
	}
	return CheckVariables("body.text", p.Text)
}

// RenderReply renders a canned reply for a conversation. When the caller sends the result there, the reply counts as used.
func (d *Talk) RenderReply(ctx context.Context, a *kernel.Principal, id, conversation kernel.ID) (Rendered, error) {
	if err := a.May(VerbRenderReply); err != nil {
		return Rendered{}, err
	}
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Rendered, error) {
		p, found, err := findReply(tx, a, id, "")
		if err != nil || !found {
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

// replyValues returns the values of the variables for a conversation.
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
	var err error
	if c.Sector != nil {
		values[VarSector], err = people.SectorName(tx, a.Company.ID, *c.Sector)
	}
	return values, err
}

// countUses counts the use of the renderings that a message contains.
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

// mayManageReplies returns an error unless the principal may change the canned replies of the team.
func mayManageReplies(a *kernel.Principal) error {
	switch {
	case a.Scopes.Has(people.ScopeRepliesManage):
		return nil
	case a.Kind() == kernel.KindSession:
		return kernel.Errorf(kernel.CodeInsufficientRole, "Canned replies of the team are managed by members with the role manager or above.")
	}
	return kernel.ErrScope(a, people.ScopeRepliesManage)
}
