package talk

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"recado/internal/channels/provider"
	"recado/internal/fields"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
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

// replyVariables lists the variables of canned replies; see replyValues.
var replyVariables = []string{"contact.name", "contact.first_name", "user.name", "protocol", "sector", "company"}

// fieldVariable matches the variables of custom fields. A key without a field is like a field without a value.
var fieldVariable = regexp.MustCompile(`^(contact|attendance)\.fields\.[a-z0-9_]{1,32}$`)

// variable matches {{name}} and {{name|fallback}}.
var variable = regexp.MustCompile(`\{\{([^{}|]*)(?:\|([^{}]*))?\}\}`)

// CheckVariables returns an error if the text contains an unknown variable.
func CheckVariables(field, text string) *kernel.Error {
	for _, m := range variable.FindAllStringSubmatch(text, -1) {
		if name := strings.TrimSpace(m[1]); !slices.Contains(replyVariables, name) && !fieldVariable.MatchString(name) {
			known := "{{" + strings.Join(replyVariables, "}}, {{") + "}}, {{contact.fields.KEY}}, {{attendance.fields.KEY}}"
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
	Shortcut  *string                    `json:"shortcut,omitempty" minLength:"1" maxLength:"32" pattern:"^[a-z0-9_-]{1,32}$" patternDescription:"a-z, 0-9, _ and -"`
	Title     *string                    `json:"title,omitempty" minLength:"1" maxLength:"120"`
	Text      *string                    `json:"text,omitempty" minLength:"0" maxLength:"4096"`
	MediaID   kernel.Optional[kernel.ID] `json:"media_id,omitempty" doc:"The id of a file uploaded with POST /media; null removes the file."`
	SectorIDs *[]kernel.ID               `json:"sector_ids,omitempty" maxItems:"100" doc:"Replaces all sectors."`
}

// Replies lists the canned replies of the team and of the caller, ordered by shortcut.
func (d *Talk) Replies(ctx context.Context, a *kernel.Principal) ([]Reply, error) {
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
		created.audit(tx, a, nil, created)
		return created, nil
	})
}

// audit records a change of a reply of the team. Members' own replies are their own business.
func (r *Reply) audit(tx *kernel.Tx, a *kernel.Principal, before, after any) {
	if r.Owner == nil {
		tx.AuditNoun(a, kernel.NewAuditSubject("reply", r.ID, r.Title), before, after, "uses", "owner")
	}
}

func errShortcut(shortcut string) error {
	return kernel.Errorf(kernel.CodeNameTaken, "There is already a canned reply with the shortcut %q. Choose another one.", shortcut)
}

// UpdateReply changes a canned reply of the caller or of the team.
func (d *Talk) UpdateReply(ctx context.Context, a *kernel.Principal, id kernel.ID, in ReplyChange) (Reply, error) {
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (Reply, error) {
		tx.LockCompany(a.Company.ID) // so that no other reply takes the shortcut
		p, err := editableReply(tx, a, id)
		if err != nil {
			return p, err
		}
		before := p
		before.SectorIDs = slices.Clone(p.SectorIDs)
		if err := d.fillReply(tx, a, &p, &in); err != nil {
			return p, err
		}
		if saved, err := saveReply(tx, a.Company.ID, &p); err != nil || !saved {
			return p, kernel.ErrOr(err, errShortcut(p.Shortcut))
		}
		p.audit(tx, a, before, p)
		return p, nil
	})
}

// DeleteReply deletes a canned reply of the caller or of the team.
func (d *Talk) DeleteReply(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		p, err := editableReply(tx, a, id)
		if err == nil {
			tx.Later(`DELETE FROM replies WHERE company = $1 AND id = $2`, a.Company.ID, id)
			p.audit(tx, a, p, nil)
		}
		return err
	})
}

// editableReply locks and returns a canned reply that the principal may change. Replies of other members are not found.
func editableReply(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) (Reply, error) {
	p, err := findReply(tx, a, id, tx.Dialect().Lock(` FOR UPDATE OF p`))
	if err == nil && p.Owner == nil {
		err = mayManageReplies(a)
	}
	return p, err
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
	check, limit := kernel.Text, provider.MaxText
	if p.MediaID != nil {
		check, limit = kernel.OptionalText, provider.MaxCaption
	}
	if _, invalid := check("body.text", p.Text, limit); invalid != nil {
		return invalid
	}
	if invalid := CheckVariables("body.text", p.Text); invalid != nil {
		return invalid
	}
	p.UpdatedAt = tx.Now
	if in.SectorIDs == nil {
		return dropRemovedSectors(tx, a, p)
	}
	p.SectorIDs = slices.Clone(*in.SectorIDs)
	return people.CheckSectors(tx, a, p.SectorIDs)
}

// RenderReply renders a canned reply for a conversation. When the caller sends the result there, the reply counts as used.
func (d *Talk) RenderReply(ctx context.Context, a *kernel.Principal, id, conversation kernel.ID) (Rendered, error) {
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Rendered, error) {
		p, err := findReply(tx, a, id, "")
		if err != nil {
			return Rendered{}, err
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
		tx.Later(`
			INSERT INTO reply_renderings (company, member, conversation, reply, text, media, created_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7)
			ON CONFLICT (company, member, conversation, reply) DO UPDATE
			SET text = excluded.text, media = excluded.media, created_at = excluded.created_at`,
			a.Company.ID, a.User.ID, conversation, id, out.Text, p.MediaID, tx.Now)
		return out, nil
	})
}

// replyValues returns the values of the variables for a conversation.
func replyValues(tx *kernel.Tx, a *kernel.Principal, c *Conversation) (map[string]string, error) {
	values := map[string]string{"user.name": a.User.Name, "company": a.Company.Name}
	if c.Contact != nil {
		contact, _, err := findContact(tx, a.Company.ID, *c.Contact)
		if err != nil {
			return nil, err
		}
		if first := FirstName(contact.Name); first != "" {
			values["contact.name"], values["contact.first_name"] = contact.Name, first
		}
		if err := addFields(tx, a, fields.EntityContact, contact.Fields, values); err != nil {
			return nil, err
		}
	}
	if c.Attendance != nil {
		att, err := openAttendanceOf(tx, c)
		if err != nil {
			return nil, err
		}
		values["protocol"] = att.Protocol
		if err := addFields(tx, a, fields.EntityAttendance, att.Fields, values); err != nil {
			return nil, err
		}
	}
	var err error
	if c.Sector != nil {
		values["sector"], err = people.SectorName(tx, a.Company.ID, *c.Sector)
	}
	return values, err
}

// addFields adds the values of custom fields to the values of variables.
func addFields(tx *kernel.Tx, a *kernel.Principal, entity string, of fields.Values, values map[string]string) error {
	if len(of) == 0 {
		return nil
	}
	all, err := fields.List(tx, a.Company.ID, entity)
	for _, f := range all {
		if value, has := of[f.Key]; has {
			values[entity+".fields."+f.Key] = f.Format(value)
		}
	}
	return err
}

// countUses counts the use of the renderings that a message contains, and deletes them.
func countUses(tx *kernel.Tx, a *kernel.Principal, m *Message) error {
	renderings, err := renderings(tx, a.Company.ID, a.User.ID, m.Conversation)
	for _, r := range renderings {
		sent := m.Text != nil && ContainsRendering(*m.Text, r.Text)
		if r.Text == "" {
			sent = kernel.Same(m.MediaID, r.Media)
		}
		if sent {
			tx.Later(`UPDATE replies SET uses = uses + 1 WHERE company = $1 AND id = $2`, a.Company.ID, r.Reply)
			tx.Later(`DELETE FROM reply_renderings WHERE company = $1 AND member = $2 AND conversation = $3 AND reply = $4`,
				a.Company.ID, a.User.ID, m.Conversation, r.Reply)
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

type createReplyInput struct {
	Body struct {
		Shortcut  string                     `json:"shortcut" minLength:"1" maxLength:"32" pattern:"^[a-z0-9_-]{1,32}$" patternDescription:"a-z, 0-9, _ and -" example:"hello"`
		Title     string                     `json:"title" minLength:"1" maxLength:"120"`
		Text      string                     `json:"text" minLength:"0" maxLength:"4096" doc:"May contain the variables {{contact.name}}, {{contact.first_name}}, {{user.name}}, {{protocol}}, {{sector}}, {{company}}, {{contact.fields.KEY}} and {{attendance.fields.KEY}}, each with an optional fallback, as in {{contact.first_name|client}}. With media_id, this is the caption: at most 1024 characters, and it may be empty."`
		MediaID   kernel.Optional[kernel.ID] `json:"media_id,omitempty" doc:"The id of a file uploaded with POST /media."`
		SectorIDs []kernel.ID                `json:"sector_ids,omitempty" maxItems:"100"`
		Owner     kernel.Optional[kernel.ID] `json:"owner,omitempty" doc:"null for a reply of the team, which requires the scope replies:manage. If omitted or set to your own id, the reply is your own."`
	}
}

func (s *handlers) createReply(ctx context.Context, a *kernel.Principal, in *createReplyInput) (*httpserver.Reply[Reply], error) {
	b := &in.Body
	return httpserver.Body(s.verbs.CreateReply(ctx, a, b.Owner, ReplyChange{
		Shortcut: &b.Shortcut, Title: &b.Title, Text: &b.Text, MediaID: b.MediaID, SectorIDs: &b.SectorIDs,
	}))
}

type updateReplyInput struct {
	httpserver.AtID
	Body struct{ ReplyChange } `required:"false"`
}

func (s *handlers) updateReply(ctx context.Context, a *kernel.Principal, in *updateReplyInput) (*httpserver.Reply[Reply], error) {
	return httpserver.Body(s.verbs.UpdateReply(ctx, a, kernel.ID(in.ID), in.Body.ReplyChange))
}

type renderReplyInput struct {
	httpserver.AtID
	Body struct {
		ConversationID kernel.ID `json:"conversation_id"`
	}
}

func (s *handlers) renderReply(ctx context.Context, a *kernel.Principal, in *renderReplyInput) (*httpserver.Reply[Rendered], error) {
	return httpserver.Body(s.verbs.RenderReply(ctx, a, kernel.ID(in.ID), in.Body.ConversationID))
}

const replyColumns = `p.id, p.shortcut, p.title, p.text, p.media, p.sectors, p.uses, p.updated_at, p.owner, u.name AS owner_name`

func scanReply(r db.Row) Reply {
	return Reply{
		ID: r.ID("id"), Shortcut: r.Text("shortcut"), Title: r.Text("title"), Text: r.Text("text"), MediaID: r.NullID("media"),
		SectorIDs: kernel.UnpackIDs(r.Bytes("sectors")), Uses: r.Int("uses"), UpdatedAt: r.Time("updated_at"),
		Owner: scanRef(r, "owner", "owner_name"),
	}
}

// listReplies returns the canned replies of the team and of a member, ordered by shortcut. The member's own come first.
func listReplies(tx *kernel.Tx, company, member kernel.ID) ([]Reply, error) {
	return kernel.Rows(tx, `
		SELECT `+replyColumns+`
		FROM replies p
		LEFT JOIN users u ON u.company = p.company AND u.id = p.owner
		WHERE p.company = $1 AND (p.owner IS NULL OR p.owner = $2)
		ORDER BY p.shortcut, p.owner IS NULL, p.id`, []any{company, member}, scanReply)
}

// findReply returns a canned reply of the team or of the principal.
func findReply(tx *kernel.Tx, a *kernel.Principal, id kernel.ID, lock string) (Reply, error) {
	return kernel.Find(tx, "canned reply", `
		SELECT `+replyColumns+`
		FROM replies p
		LEFT JOIN users u ON u.company = p.company AND u.id = p.owner
		WHERE p.company = $1 AND p.id = $2 AND (p.owner IS NULL OR p.owner = $3)`+lock, []any{a.Company.ID, id, a.User.ID}, scanReply)
}

// countReplies locks the company and counts the canned replies of a member or, if owner is nil, of the team.
func countReplies(tx *kernel.Tx, company kernel.ID, owner *kernel.ID) (n int64, err error) {
	tx.LockCompany(company)
	sql, args := `SELECT COUNT(*) AS total FROM replies WHERE company = $1 AND owner IS NULL`, []any{company}
	if owner != nil {
		sql, args = `SELECT COUNT(*) AS total FROM replies WHERE company = $1 AND owner = $2`, []any{company, *owner}
	}
	_, err = tx.One(sql, args, func(r db.Row) { n = r.Int("total") })
	return n, err
}

// insertReply stores a canned reply. It returns false if the owner or the team already has one with this shortcut.
func insertReply(tx *kernel.Tx, company kernel.ID, p *Reply) (bool, error) {
	n, err := tx.Exec(`
		INSERT INTO replies (company, id, owner, shortcut, title, text, media, sectors, uses, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, $9, $9)
		ON CONFLICT DO NOTHING`,
		company, p.ID, kernel.RefID(p.Owner), p.Shortcut, p.Title, p.Text, p.MediaID, kernel.PackIDs(p.SectorIDs), p.UpdatedAt)
	return n == 1, err
}

// saveReply updates a canned reply. It returns false if the owner or the team has another one with this shortcut.
func saveReply(tx *kernel.Tx, company kernel.ID, p *Reply) (bool, error) {
	n, err := tx.Exec(`
		UPDATE replies
		SET shortcut = $3, title = $4, text = $5, media = $6, sectors = $7, updated_at = $8
		WHERE company = $1 AND id = $2
			AND NOT EXISTS (
				SELECT 1
				FROM replies o
				WHERE o.company = $1 AND o.shortcut = $3 AND o.id <> $2
					AND (o.owner = replies.owner OR o.owner IS NULL AND replies.owner IS NULL))`,
		company, p.ID, p.Shortcut, p.Title, p.Text, p.MediaID, kernel.PackIDs(p.SectorIDs), p.UpdatedAt)
	return n == 1, err
}

// Rendering is a canned reply that a member rendered for a conversation and has not sent yet.
type Rendering struct {
	Reply kernel.ID
	Text  string
	Media *kernel.ID
}

// renderings returns what a member rendered for a conversation and has not sent yet.
func renderings(tx *kernel.Tx, company, member, conversation kernel.ID) ([]Rendering, error) {
	return kernel.Rows(tx, `
		SELECT reply, text, media
		FROM reply_renderings
		WHERE company = $1 AND member = $2 AND conversation = $3
		ORDER BY reply`, []any{company, member, conversation}, func(r db.Row) Rendering {
		return Rendering{r.ID("reply"), r.Text("text"), r.NullID("media")}
	})
}
