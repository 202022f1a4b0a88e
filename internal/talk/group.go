package talk

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"recado/internal/channels/provider"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/media"
	"recado/internal/phone"
)

// storedMember is a member of a group in the column members.
type storedMember struct {
	Phone  string `json:"phone,omitempty"`
	WAID   string `json:"wa_id,omitempty"`
	UserID string `json:"user_id,omitempty"`
	Name   string `json:"name,omitempty"`
	Role   string `json:"role"`
}

// GroupMember is a member of a WhatsApp group.
type GroupMember struct {
	Contact *kernel.ID `json:"contact" doc:"The id of the contact; null if there is no such contact."`
	Name    string     `json:"name" doc:"The name of the contact, or the one that the person chose; empty if it is unknown."`
	Phone   *string    `json:"phone" doc:"null if the person hides the number."`
	Role    string     `json:"role" enum:"member,admin,owner"`
}

// is reports whether the member is a person.
func (m *storedMember) is(p provider.Person) bool {
	return p.UserID != "" && m.UserID == p.UserID || p.WAID != "" && m.WAID == p.WAID || p.Phone != "" && phone.Key(m.Phone) == phone.Key(p.Phone)
}

// GroupMembers lists the members of a group as WhatsApp last reported them. Other conversations have none. next is "" on the last
// page.
func (d *Talk) GroupMembers(
	ctx context.Context, a *kernel.Principal, id kernel.ID, limit int, cursor string,
) (page []GroupMember, next string, err error) {
	list, first := "members "+id.String(), int64(0)
	if err := d.openCursor(a, list, cursor, &first, nil); err != nil {
		return nil, "", err
	}
	err = d.Store.Read(ctx, func(tx *kernel.Tx) error {
		next = ""
		if _, err := visibleConversation(tx, a, id); err != nil {
			return err
		}
		pool, stored, err := storedMembers(tx, a.Company.ID, id)
		if err != nil {
			return err
		}
		stored = stored[min(int(first), len(stored)):]
		if len(stored) > limit {
			stored, next = stored[:limit], d.Cursors.Seal(a.Company.ID, list, kernel.Int(first+int64(limit)))
		}
		known, err := knownMembers(tx, a.Company.ID, pool, stored)
		page = make([]GroupMember, len(known))
		for i, m := range known {
			number := personPhone(provider.Person{Phone: m.Phone, WAID: m.WAID})
			page[i] = GroupMember{Contact: m.contact, Name: m.Name, Phone: kernel.TextOrNil(number), Role: m.Role}
		}
		return err
	})
	return page, next, err
}

// knownMember is a member of a group with the name and id of the contact, if there is one.
type knownMember struct {
	storedMember
	contact *kernel.ID
}

// storedMembers returns the members of a group, and the pool of their contacts.
func storedMembers(tx *kernel.Tx, company, conversation kernel.ID) (pool kernel.ID, members []storedMember, err error) {
	pool = company
	_, err = tx.One(`SELECT channel, private, members FROM conversations WHERE company = $1 AND id = $2`, []any{company, conversation},
		func(r db.Row) {
			if stored := kernel.ReadJSON[[]storedMember](r, "members"); stored != nil {
				members = *stored
			}
			if r.Bool("private") {
				pool = r.ID("channel")
			}
		})
	return pool, members, err
}

// removeMembers removes people from the members of a group.
func (in *InboundBatch) removeMembers(t *LockedConversation, left []provider.Person) error {
	_, members, err := storedMembers(in.Tx, t.Company, t.ID)
	stay := slices.DeleteFunc(members, func(m storedMember) bool { return slices.ContainsFunc(left, m.is) })
	in.Tx.Later(`UPDATE conversations SET members = $3 WHERE company = $1 AND id = $2`, t.Company, t.ID, kernel.WriteJSON(&stay))
	return err
}

// knownMembers adds the names and ids of contacts to members.
func knownMembers(tx *kernel.Tx, company, pool kernel.ID, stored []storedMember) ([]knownMember, error) {
	members := make([]knownMember, len(stored))
	var userIDs, waIDs, phoneKeys []string
	for i, m := range stored {
		members[i].storedMember = m
		userIDs, waIDs, phoneKeys = append(userIDs, m.UserID), append(waIDs, m.WAID), append(phoneKeys, phone.Key(m.Phone))
	}
	contacts := map[identity]kernel.Ref{}
	from := func(values string) string { // begins with the values, so that each is looked up
		return tx.Dialect().Pick("json_each("+values+") v CROSS JOIN", "json_array_elements_text(CAST("+values+" AS JSON)) v JOIN")
	}
	err := tx.Query(`
		SELECT i.kind, i.value, ct.id, ct.name
		FROM `+from("$3")+` contact_identities i ON i.company = $1 AND i.pool = $2 AND i.kind = 'user_id' AND i.value = v.value
		JOIN contacts ct ON ct.company = $1 AND ct.id = i.contact
		UNION ALL
		SELECT i.kind, i.value, ct.id, ct.name
		FROM `+from("$4")+` contact_identities i ON i.company = $1 AND i.pool = $2 AND i.kind = 'wa_id' AND i.value = v.value
		JOIN contacts ct ON ct.company = $1 AND ct.id = i.contact
		UNION ALL
		SELECT 'phone', ct.phone_key, ct.id, ct.name
		FROM `+from("$5")+` contacts ct ON ct.company = $1 AND ct.pool = $2 AND ct.phone_key = v.value
		WHERE v.value <> ''`,
		[]any{company, pool, kernel.WriteJSON(&userIDs), kernel.WriteJSON(&waIDs), kernel.WriteJSON(&phoneKeys)}, func(r db.Row) error {
			contacts[identity{r.Text("kind"), r.Text("value")}] = kernel.Ref{ID: r.ID("id"), Name: r.Text("name")}
			return nil
		})
	for i, m := range stored {
		for _, id := range []identity{{IdentityUser, m.UserID}, {IdentityWA, m.WAID}, {"phone", phone.Key(m.Phone)}} {
			if c, found := contacts[id]; found {
				members[i].contact, members[i].Name = &c.ID, c.Name
				break
			}
		}
	}
	return members, err
}

var typedNumber = regexp.MustCompile(`@(\d{8,15})\b`)

// addMentions adds the members of groups whose names or numbers stand after an @ in the texts.
func addMentions(tx *kernel.Tx, company kernel.ID, jobs []SendJob) error {
	for i := range jobs {
		j := &jobs[i]
		if j.Out.GroupID == "" || !strings.Contains(j.Out.Text, "@") {
			continue
		}
		pool, stored, err := storedMembers(tx, company, j.queued.Conversation)
		if err != nil {
			return err
		}
		members, err := knownMembers(tx, company, pool, stored)
		if err != nil {
			return err
		}
		for _, typed := range typedNumber.FindAllStringSubmatch(j.Out.Text, -1) {
			j.Out.Mentions = append(j.Out.Mentions, withNumber(members, typed[1]))
		}
		members = slices.DeleteFunc(members, func(m knownMember) bool {
			_, found := provider.ReplaceMention(j.Out.Text, m.Name, "")
			return m.Name == "" || !found
		})
		for _, m := range members {
			if !isAmbiguous(m.Name, members) {
				j.Out.Mentions = append(j.Out.Mentions, m.as(m.Name))
			}
		}
	}
	return nil
}

// withNumber returns the member of a group with a number, whose address may have another form of it, or else somebody with the number
// as the address. The name is the number.
func withNumber(members []knownMember, number string) provider.Person {
	for _, m := range members {
		if phone.Key(cmp.Or(m.WAID, m.Phone)) == phone.Key(number) {
			return m.as(number)
		}
	}
	return provider.Person{Name: number, WAID: number}
}

// as returns the member with another name.
func (m *storedMember) as(name string) provider.Person {
	return provider.Person{Name: name, Phone: m.Phone, WAID: m.WAID, UserID: m.UserID}
}

// isAmbiguous reports whether several members have a name, or a longer one that begins with it. Nobody is mentioned by such a name.
func isAmbiguous(name string, members []knownMember) bool {
	for i, m := range members {
		isSame := func(other knownMember) bool { return other.Name == m.Name }
		if strings.HasPrefix(m.Name, name) && slices.ContainsFunc(members[i+1:], isSame) {
			return true
		}
	}
	return false
}

type listMembersInput struct {
	httpserver.AtID
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
	Cursor string `query:"cursor" maxLength:"400" doc:"The next_cursor of the previous page."`
}

func (s *handlers) groupMembers(
	ctx context.Context, a *kernel.Principal, in *listMembersInput,
) (*httpserver.Reply[httpserver.CursorList[GroupMember]], error) {
	members, next, err := s.verbs.GroupMembers(ctx, a, kernel.ID(in.ID), in.Limit, in.Cursor)
	return httpserver.CursorPage(members, next), err
}

// picturePath returns the path of the picture with this id of WhatsApp; nil if there is none.
func picturePath(conversation kernel.ID, id string) *string {
	if id == "" {
		return nil
	}
	return new("/conversations/" + conversation.String() + "/picture?v=" + url.QueryEscape(id))
}

// GroupPictureID returns WhatsApp's id of the stored picture of a group, "" if it has none. It reports false if the channel has no
// conversation with the group.
func (d *Talk) GroupPictureID(ctx context.Context, company, channel kernel.ID, group string) (id string, found bool, err error) {
	err = d.Store.Read(ctx, func(tx *kernel.Tx) error {
		id, found, err = kernel.Row(tx, `SELECT picture_id FROM conversations WHERE company = $1 AND channel = $2 AND group_id = $3`,
			[]any{company, channel, group}, func(r db.Row) string { return r.Text("picture_id") })
		return err
	})
	return id, found, err
}

// GroupPicture returns the picture of a group and its id.
func (d *Talk) GroupPicture(ctx context.Context, a *kernel.Principal, id kernel.ID) (provider.GroupPicture, error) {
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (provider.GroupPicture, error) {
		if err := checkConversation(tx, a, id); err != nil {
			return provider.GroupPicture{}, err
		}
		return kernel.Find(tx, "picture", `SELECT picture_id, picture FROM conversations WHERE company = $1 AND id = $2 AND picture_id IS NOT NULL`,
			[]any{a.Company.ID, id}, func(r db.Row) provider.GroupPicture {
				return provider.GroupPicture{ID: r.Text("picture_id"), Image: r.Bytes("picture")}
			})
	})
}

type pictureInput struct {
	httpserver.AtID
	Version string `query:"v" doc:"The version of the picture, as in picture of the conversation. If it is the current one, the response can be cached."`
}

// groupPicture sends the picture of a group, which never changes at the path with its version.
func (s *handlers) groupPicture(ctx context.Context, a *kernel.Principal, in *pictureInput) (*httpserver.StreamReply, error) {
	p, err := s.verbs.GroupPicture(ctx, a, kernel.ID(in.ID))
	if err != nil {
		return nil, err
	}
	mime, kind, _ := media.Detect(p.Image, "")
	file := Media{MimeType: mime, Kind: MediaKind(kind), FileName: media.SafeName("picture", mime), SHA256: fmt.Sprintf("%x", sha256.Sum256(p.Image))}
	return &httpserver.StreamReply{Body: func(ctx huma.Context) {
		r, w := humago.Unwrap(ctx)
		if in.Version == p.ID {
			w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
		}
		serveFile(w, r, file, bytes.NewReader(p.Image))
	}}, nil
}

// eraseLinked deletes what linked devices store about a person with some numbers and hidden numbers: keys and names.
func eraseLinked(tx *kernel.Tx, company kernel.ID, channels []kernel.ID, users []string) {
	for _, user := range users {
		s := tx.Statement()
		s.WriteString(`
			DELETE FROM linked_store
			WHERE company = ` + s.Arg(company) + ` AND channel IN (` + db.Listed(channels)(s) + `) AND (key = ` + s.Arg(user))
		for _, end := range []string{`:%`, `@%`, `\_%`} { // addresses of devices and chats, also after that of a group
			s.WriteString(` OR key LIKE ` + s.Arg(user+end) + ` ESCAPE '\' OR key LIKE ` + s.Arg(`% `+user+end) + ` ESCAPE '\'`)
		}
		s.WriteString(`)`)
		tx.Later(s.String(), s.Args...)
	}
}

// eraseMember removes a person from the stored members of the groups of channels.
func eraseMember(tx *kernel.Tx, company kernel.ID, channels []kernel.ID, users []string) error {
	type group struct {
		id      kernel.ID
		members []storedMember
	}
	keys := make([]string, len(users))
	for i, user := range users {
		keys[i] = phone.Key(user)
	}
	s := tx.Statement()
	s.WriteString(`
		SELECT id, members
		FROM conversations
		WHERE company = ` + s.Arg(company) + ` AND channel IN (` + db.Listed(channels)(s) + `) AND kind = 'group' AND members IS NOT NULL`)
	groups, err := kernel.Rows(tx, s.String(), s.Args,
		func(r db.Row) group { return group{r.ID("id"), *kernel.ReadJSON[[]storedMember](r, "members")} })
	for _, g := range groups {
		before := len(g.members)
		g.members = slices.DeleteFunc(g.members, func(m storedMember) bool {
			user, _, _ := strings.Cut(m.UserID, "@")
			return slices.Contains(users, user) || slices.Contains(keys, phone.Key(m.WAID)) || slices.Contains(keys, phone.Key(m.Phone))
		})
		if len(g.members) < before {
			tx.Later(`UPDATE conversations SET members = $3 WHERE company = $1 AND id = $2`, company, g.id, kernel.WriteJSON(&g.members))
		}
	}
	return err
}
