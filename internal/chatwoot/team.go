package chatwoot

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"recado/internal/fold"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/talk"
)

// user is a person in Chatwoot.
type user struct {
	ID    int64
	Name  string
	Email string
	Role  int64 // 1: administrator
}

// importMembers adds the people of the account who are not members yet. They have no password: a reset link lets them choose one.
func (r *run) importMembers(ctx context.Context) error {
	users, err := collect(ctx, r.db, `
		SELECT u.id, COALESCE(u.name, ''), COALESCE(u.email, ''), COALESCE(a.role, 0)
		FROM account_users a
		JOIN users u ON u.id = a.user_id
		WHERE a.account_id = $1
		ORDER BY u.id`, []any{r.db.account.id}, pgx.RowToStructByPos[user])
	if err != nil {
		return err
	}
	known, err := r.imported(ctx, kindUser, keysOf(users, func(u user) int64 { return u.ID }))
	if err != nil {
		return err
	}
	team, err := r.People.Team(ctx, r.operator)
	if err != nil {
		return err
	}
	byEmail := map[string]kernel.ID{}
	for _, m := range team {
		byEmail[fold.Text(m.Email)], r.present[m.ID] = m.ID, true
	}
	for _, u := range users {
		key := strconv.FormatInt(u.ID, 10)
		if is, found := known[key]; found {
			r.members[u.ID] = is.Subject
			continue
		}
		id, found := byEmail[fold.Text(strings.TrimSpace(u.Email))]
		if !found {
			if id, err = r.addMember(ctx, u); err != nil {
				return err
			}
			if id.IsZero() {
				continue
			}
		}
		r.members[u.ID] = id
		if err := r.remember(ctx, kindUser, key, id); err != nil {
			return err
		}
	}
	r.progress(Progress{Phase: "people", Done: int64(len(users)), Total: int64(len(users))})
	return nil
}

// addMember adds a member and returns the id, or zero if the person's data is not valid.
func (r *run) addMember(ctx context.Context, u user) (kernel.ID, error) {
	in := people.NewUser{Name: cut(u.Name, kernel.MaxName), Email: u.Email, Role: kernel.RoleAgent, AccessProfile: kernel.AccessAll}
	if in.Name == "" {
		in.Name, _, _ = strings.Cut(u.Email, "@")
	}
	if u.Role == 1 {
		in.Role = kernel.RoleAdmin
	}
	m, err := r.People.CreateUser(ctx, r.company, in)
	if isInvalid(err) {
		r.problem("user %d (%s) is not a valid member: %v", u.ID, u.Email, err)
		return kernel.ID{}, nil
	}
	if err == nil {
		r.result.People++
		r.present[m.ID] = true
	}
	return m.ID, err
}

// noUser is the author of notes that no person wrote.
const noUser = 0

// resolveMembers adds the authors among ids who do not belong to the account, as people who have left the team.
func (r *run) resolveMembers(ctx context.Context, ids []int64) error {
	ids = slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(ids))), func(id int64) bool { _, found := r.members[id]; return found })
	if len(ids) == 0 {
		return nil
	}
	known, err := r.imported(ctx, kindUser, keysOf(ids, func(id int64) int64 { return id }))
	if err != nil {
		return err
	}
	users, err := collect(ctx, r.db, `SELECT id, COALESCE(name, ''), COALESCE(email, ''), 0 FROM users WHERE id = ANY ($1)`, []any{ids}, pgx.RowToStructByPos[user])
	if err != nil {
		return err
	}
	for _, id := range ids {
		key := strconv.FormatInt(id, 10)
		if is, found := known[key]; found {
			r.members[id] = is.Subject
			continue
		}
		name := "Chatwoot"
		if i := slices.IndexFunc(users, func(u user) bool { return u.ID == id }); i >= 0 && id != noUser {
			name = cut(users[i].Name, kernel.MaxName)
		}
		if name == "" {
			name = "Chatwoot"
		}
		member := kernel.NewID()
		err := r.Talk.Store.Write(ctx, func(tx *kernel.Tx) error {
			people.InsertFormer(tx, r.company, member, name)
			talk.SetImported(tx, r.company, r.name, kindUser, key, talk.Imported{Subject: member})
			return nil
		})
		if err != nil {
			return err
		}
		r.members[id] = member
	}
	return nil
}

// team is a team of Chatwoot.
type team struct {
	ID      int64
	Name    string
	Members []int64
}

// importTeams adds teams as sectors. A sector with the same name is used as it is.
func (r *run) importTeams(ctx context.Context) error {
	teams, err := collect(ctx, r.db, `
		SELECT t.id, COALESCE(t.name, ''), COALESCE((SELECT array_agg(m.user_id ORDER BY m.user_id) FROM team_members m WHERE m.team_id = t.id), '{}')
		FROM teams t
		WHERE t.account_id = $1
		ORDER BY t.id`, []any{r.db.account.id}, pgx.RowToStructByPos[team])
	if err != nil {
		return err
	}
	known, err := r.imported(ctx, kindSector, keysOf(teams, func(t team) int64 { return t.ID }))
	if err != nil {
		return err
	}
	sectors, err := r.People.Sectors(ctx, r.operator)
	if err != nil {
		return err
	}
	for _, t := range teams {
		key := strconv.FormatInt(t.ID, 10)
		is, found := known[key]
		i := slices.IndexFunc(sectors, func(s people.Sector) bool {
			return found && s.ID == is.Subject || !found && fold.Text(s.Name) == fold.Text(t.Name)
		})
		switch {
		case i >= 0:
			r.sectors[t.ID] = sectors[i].ID
		case found: // it was removed here
			continue
		default:
			created, err := r.addSector(ctx, t)
			if isInvalid(err) {
				r.problem("team %d (%s) cannot become a sector: %v", t.ID, t.Name, err)
				continue
			}
			if err != nil {
				return err
			}
			sectors = append(sectors, created)
			r.sectors[t.ID] = created.ID
		}
		if !found {
			if err := r.remember(ctx, kindSector, key, r.sectors[t.ID]); err != nil {
				return err
			}
		}
	}
	r.progress(Progress{Phase: "teams", Done: int64(len(teams)), Total: int64(len(teams))})
	return nil
}

func (r *run) addSector(ctx context.Context, t team) (people.Sector, error) {
	members := []kernel.ID{}
	for _, id := range t.Members {
		if member := r.members[id]; r.present[member] {
			members = append(members, member)
		}
	}
	s, err := r.People.CreateSector(ctx, r.operator, people.SectorChange{Name: new(cut(t.Name, kernel.MaxName)), Members: &members})
	if err == nil {
		r.result.Sectors++
	}
	return s, err
}

var hexColor = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// label is a label of Chatwoot.
type label struct {
	ID    int64
	Title string
	Color string
}

// importLabels adds labels. One with the same name is used as it is.
func (r *run) importLabels(ctx context.Context) error {
	labels, err := collect(ctx, r.db, `SELECT id, COALESCE(title, ''), COALESCE(color, '') FROM labels WHERE account_id = $1 ORDER BY id`, []any{r.db.account.id},
		pgx.RowToStructByPos[label])
	if err != nil {
		return err
	}
	known, err := r.imported(ctx, kindLabel, keysOf(labels, func(l label) int64 { return l.ID }))
	if err != nil {
		return err
	}
	present, err := r.Talk.Labels(ctx, r.operator)
	if err != nil {
		return err
	}
	for _, l := range labels {
		key := strconv.FormatInt(l.ID, 10)
		is, found := known[key]
		i := slices.IndexFunc(present, func(p talk.Label) bool {
			return found && p.ID == is.Subject || !found && fold.Text(p.Name) == fold.Text(l.Title)
		})
		switch {
		case i >= 0:
			r.labels[fold.Text(l.Title)] = present[i].ID
		case found: // it was deleted here
			continue
		default:
			if !hexColor.MatchString(l.Color) {
				l.Color = ""
			}
			created, err := r.Talk.CreateLabel(ctx, r.operator, cut(l.Title, kernel.MaxName), strings.ToLower(l.Color))
			if isInvalid(err) {
				r.problem("label %d (%s) is not valid: %v", l.ID, l.Title, err)
				continue
			}
			if err != nil {
				return err
			}
			r.result.Labels++
			present = append(present, created)
			r.labels[fold.Text(l.Title)] = created.ID
		}
		if !found {
			if err := r.remember(ctx, kindLabel, key, r.labels[fold.Text(l.Title)]); err != nil {
				return err
			}
		}
	}
	r.progress(Progress{Phase: "labels", Done: int64(len(labels)), Total: int64(len(labels))})
	return nil
}

// labelIDs returns the labels with the titles.
func (r *run) labelIDs(titles []string) (ids []kernel.ID) {
	for _, title := range titles {
		if id, found := r.labels[fold.Text(title)]; found {
			ids = append(ids, id)
		}
	}
	return ids
}

// canned is a canned response of Chatwoot.
type canned struct {
	ID      int64
	Code    string
	Content string
}

// importReplies adds canned responses as replies of the team.
func (r *run) importReplies(ctx context.Context) error {
	all, err := collect(ctx, r.db, `SELECT id, COALESCE(short_code, ''), COALESCE(content, '') FROM canned_responses WHERE account_id = $1 ORDER BY id`,
		[]any{r.db.account.id}, pgx.RowToStructByPos[canned])
	if err != nil {
		return err
	}
	known, err := r.imported(ctx, kindReply, keysOf(all, func(c canned) int64 { return c.ID }))
	if err != nil {
		return err
	}
	present, err := r.Talk.Replies(ctx, r.operator)
	if err != nil {
		return err
	}
	for _, c := range all {
		key := strconv.FormatInt(c.ID, 10)
		same := func(p talk.Reply) bool {
			return p.Owner == nil && p.Shortcut == shortcutOf(c.Code) && p.Text == replyText(c.Content)
		}
		if _, found := known[key]; found || slices.ContainsFunc(present, same) {
			continue
		}
		reply, err := r.addReply(ctx, c)
		if isInvalid(err) {
			r.problem("canned response %d (%s) is not valid: %v", c.ID, c.Code, err)
			continue
		}
		if err == nil {
			r.result.Replies++
			err = r.remember(ctx, kindReply, key, reply.ID)
		}
		if err != nil {
			return err
		}
	}
	r.progress(Progress{Phase: "canned responses", Done: int64(len(all)), Total: int64(len(all))})
	return nil
}

// addReply adds a reply. If its shortcut is taken by another text, a number follows it.
func (r *run) addReply(ctx context.Context, c canned) (talk.Reply, error) {
	shortcut := shortcutOf(c.Code)
	text := replyText(c.Content)
	in := talk.ReplyChange{Shortcut: &shortcut, Title: new(cut(c.Code, kernel.MaxName)), Text: &text}
	for n := 2; ; n++ {
		reply, err := r.Talk.CreateReply(ctx, r.operator, kernel.Optional[kernel.ID]{Set: true, Null: true}, in)
		if kernel.CodeOf(err) != kernel.CodeNameTaken || n > 99 {
			return reply, err
		}
		shortcut = fmt.Sprintf("%.29s-%d", shortcutOf(c.Code), n)
	}
}

var notInShortcut = regexp.MustCompile(`[^a-z0-9_-]+`)

func shortcutOf(code string) string {
	shortcut := strings.Trim(notInShortcut.ReplaceAllString(fold.Text(code), "-"), "-")
	if shortcut == "" {
		shortcut = "chatwoot"
	}
	return shortcut[:min(len(shortcut), 32)]
}

// liquid matches the variables of Chatwoot's canned responses.
var liquid = regexp.MustCompile(`\{\{\s*([^{}]*?)\s*\}\}`)

// replyVariables are the variables of Chatwoot that replies have too.
var replyVariables = map[string]string{
	"contact.name": "contact.name", "contact.first_name": "contact.first_name", "agent.name": "user.name", "agent.first_name": "user.name",
	"conversation.display_id": "protocol", "conversation.id": "protocol", "account.name": "company",
}

// replyText replaces the variables of a canned response. Variables that replies do not have become visible gaps.
func replyText(text string) string {
	return liquid.ReplaceAllStringFunc(kernel.CleanText(text), func(match string) string {
		name := liquid.FindStringSubmatch(match)[1]
		if ours, known := replyVariables[name]; known {
			return "{{" + ours + "}}"
		}
		return "[" + name + "]"
	})
}

// isInvalid reports whether err says that a value of Chatwoot cannot be stored.
func isInvalid(err error) bool {
	known, ok := errors.AsType[*kernel.Error](err)
	return ok && (known.Code == kernel.CodeInvalidRequest || known.Code == kernel.CodeNameTaken || known.Code == kernel.CodeLimitReached)
}

// cut returns a text on one line with at most n characters.
func cut(text string, n int) string {
	runes := []rune(strings.Join(strings.Fields(kernel.CleanText(text)), " "))
	return strings.TrimSpace(string(runes[:min(n, len(runes))]))
}

func keysOf[T any](list []T, id func(T) int64) []string {
	keys := make([]string, len(list))
	for i := range list {
		keys[i] = strconv.FormatInt(id(list[i]), 10)
	}
	return keys
}
