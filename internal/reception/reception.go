// Package reception answers customers automatically and assigns their cases: opening hours, menus and distribution.
package reception

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/fold"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/talk"
)

// Receptionist has the verbs of the package.
type Receptionist struct {
	*kernel.Kernel
	people     *people.People
	channels   *channels.Channels
	talk       *talk.Talk
	receptions sync.Map // channel -> *Reception
	shownMenus shownMenus
}

// New returns the verbs of reception. From then on receptions answer customers.
func New(t *talk.Talk, c *channels.Channels, p *people.People) *Receptionist {
	d := &Receptionist{Kernel: p.Kernel, people: p, channels: c, talk: t}
	t.Observe(talk.Observer{CustomerWrote: d.answerCustomer})
	return d
}

// Reception is the automatic reception of a channel for customers who open an attendance.
type Reception struct {
	Enabled  bool    `json:"enabled"`
	Greeting *string `json:"greeting" doc:"The beginning of the first message."`
	Away     *string `json:"away" doc:"The text that follows the greeting outside opening hours."`
	Menu     *Menu   `json:"menu" doc:"The menu at the end of the first message, or null."`

	Version  int64 `json:"-"` // 1 until it is first set; every change increments it
	Numbered bool  `json:"-"` // menus are numbered lines; see isNumbered
}

// isNumbered reports whether the menus of a channel are texts with numbered lines, because it has no buttons and lists.
func isNumbered(ch *channels.Channel) bool { return ch.Provider == channels.ProviderLinked }

// Menu lets the customer choose. Buttons show up to three options, a list more; linked numbers show numbered lines.
type Menu struct {
	Text           string       `json:"text" minLength:"1" maxLength:"1024"`
	Options        []MenuOption `json:"options" minItems:"2" maxItems:"10"`
	InvalidText    *string      `json:"invalid_text" required:"false" doc:"The text sent after an invalid answer. If null, the text of the parent menu is used; if that is null too, the menu is sent again."`
	MaxInvalid     int64        `json:"max_invalid" required:"false" minimum:"1" maximum:"5" doc:"The number of invalid answers after which the menu ends. Defaults to the value of the parent menu, or 2."`
	TimeoutMinutes int64        `json:"timeout_minutes" required:"false" minimum:"1" maximum:"1440" doc:"The number of minutes without an answer after which the menu ends. Defaults to the value of the parent menu, or 10."`
	FallbackSector *kernel.ID   `json:"fallback_sector" required:"false" doc:"The sector that receives the case if the menu ends without a choice. If null, the sector of the parent menu or the general queue receives it."`
}

// MenuOption is one option of a menu.
type MenuOption struct {
	Title  string     `json:"title" minLength:"1" maxLength:"24"`
	Action MenuAction `json:"action"`
}

// MenuAction is what a choice does. Exactly one of the fields is set.
type MenuAction struct {
	Sector *kernel.ID `json:"sector,omitempty" doc:"Adds the case to the queue of this sector."`
	User   *kernel.ID `json:"user,omitempty" doc:"Assigns the case to this person."`
	Text   *string    `json:"text,omitempty" minLength:"1" maxLength:"1024" doc:"Replies with this text and shows the menu again."`
	Close  *bool      `json:"close,omitempty" doc:"true closes the case."`
	Menu   *Menu      `json:"menu,omitempty" doc:"Shows a submenu. Menus can be nested at most three deep."`
}

// The limits and defaults of receptions.
const (
	MaxReceptionText   = 1024
	MaxMenuDepth       = 3
	DefaultMaxInvalid  = 2
	DefaultMenuTimeout = 10 // minutes
)

// ReceptionReply is the automatic reply to one text of the customer.
type ReceptionReply struct {
	Customer    string                `json:"customer" doc:"The customer's message."`
	Text        *string               `json:"text" doc:"The text of the automatic reply; null if there is none."`
	Interactive *provider.Interactive `json:"interactive" doc:"The buttons or the list of the reply."`
	Outcome     *ReceptionOutcome     `json:"outcome" doc:"The destination of the case if the reception ends with this text; null if the menu continues."`
}

// ReceptionOutcome is how a reception ended.
type ReceptionOutcome struct {
	Kind   string      `json:"kind" enum:"sector,user,close,people,none" doc:"people: the fallback sector or the general queue. none: there is no menu."`
	Sector *kernel.ID  `json:"sector"`
	User   *kernel.ID  `json:"user"`
	Reason string      `json:"reason" doc:"The reason shown in the history." example:"Menu: Sales"`
	Cause  *talk.Cause `json:"cause"`
}

// Reception returns the reception of a channel.
func (d *Receptionist) Reception(ctx context.Context, a *kernel.Principal, channel kernel.ID) (Reception, error) {
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (Reception, error) {
		if _, err := d.channels.Known(tx, a, channel); err != nil {
			return Reception{}, err
		}
		return findReception(tx, a.Company.ID, channel)
	})
}

// SetReception replaces the reception of a channel. It applies from the next message on, also to running menus. version is the
// one that the change is based on; 0 means any.
func (d *Receptionist) SetReception(
	ctx context.Context, a *kernel.Principal, channel kernel.ID, r Reception, version int64,
) (Reception, error) {
	if invalid := Check("body", &r); invalid != nil {
		return r, invalid
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (Reception, error) {
		ch, err := d.channels.Known(tx, a, channel)
		if err != nil {
			return r, err
		}
		if tx.Dialect().ConcurrentWrites() {
			tx.Later(`SELECT 1 FROM channels WHERE company = $1 AND id = $2 FOR NO KEY UPDATE`, ch.Company, ch.ID)
		}
		old, err := findReception(tx, ch.Company, ch.ID)
		if err == nil && version != 0 && version != old.Version {
			err = kernel.Errorf(kernel.CodeVersionConflict,
				"The reception is now at version %d, not %d. Fetch it again and reapply the change.", old.Version, version)
		}
		if err = kernel.ErrOr(err, checkNamed(tx, a, Names("body", &r))); err != nil {
			return r, err
		}
		r.Version = old.Version + 1
		tx.AuditUpdate(a, kernel.AuditEntry{
			Action: "reception.updated", Subject: kernel.NewAuditSubject("reception", ch.ID, ch.Name), Channel: ch.ID,
			Changes: kernel.AuditChanges(old, r),
		})
		return r, saveReception(tx, ch.Company, ch.ID, &r)
	})
}

// checkNamed returns an error for sectors and members that do not exist.
func checkNamed(tx *kernel.Tx, a *kernel.Principal, all []Named) error {
	for _, n := range all {
		if n.Sector != nil {
			if found, err := people.SectorExists(tx, a.Company.ID, *n.Sector); err != nil || !found {
				return kernel.ErrOr(err, kernel.NoSuch(n.Field, "sector"))
			}
		}
		if n.User != nil {
			if _, found, err := people.UserRef(tx, a.Company.ID, *n.User); err != nil || !found {
				return kernel.ErrOr(err, kernel.NoSuch(n.Field, "team_member"))
			}
		}
	}
	return nil
}

// ReceptionTrial is a reception to try out with a customer's texts.
type ReceptionTrial struct {
	Reception *Reception // nil: the channel's own
	Texts     []string
	At        *time.Time // nil: now
	Open      *bool      // nil: as the opening hours say
}

// TryReception returns the replies of a reception to a customer, without storing or sending anything.
func (d *Receptionist) TryReception(
	ctx context.Context, a *kernel.Principal, channel kernel.ID, in ReceptionTrial,
) ([]ReceptionReply, error) {
	if in.Reception != nil {
		if invalid := Check("body.reception", in.Reception); invalid != nil {
			return nil, invalid
		}
	}
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]ReceptionReply, error) {
		ch, err := d.channels.Known(tx, a, channel)
		if err != nil {
			return nil, err
		}
		r, err := findReception(tx, a.Company.ID, channel)
		if in.Reception != nil {
			r, err = *in.Reception, checkNamed(tx, a, Names("body.reception", in.Reception))
		}
		if err != nil {
			return nil, err
		}
		at := tx.Now
		kernel.Set(&at, in.At)
		r.Numbered = isNumbered(&ch)
		open, err := isOpen(tx, a.Company.ID, channel, nil, at)
		kernel.Set(&open, in.Open)
		return Try(&r, open, in.Texts), err
	})
}

// isOpen reports whether it is within the opening hours of a channel and a sector, which may be nil.
func isOpen(tx *kernel.Tx, company, channel kernel.ID, sector *kernel.ID, at time.Time) (bool, error) {
	schedule, err := ScheduleOf(tx, company, channel, sector)
	return err == nil && (schedule == nil || schedule.Open(at)), err
}

// receptionOf returns the reception of a channel, or nil if it is off. Every inbound message reads the channel's row, which has
// the version, so that a change on another node is noticed at once.
func (d *Receptionist) receptionOf(tx *kernel.Tx, ch *channels.Channel) (*Reception, error) {
	if ch.Reception == nil {
		return nil, nil
	}
	if cached, ok := d.receptions.Load(ch.ID); ok && cached.(*Reception).Version == *ch.Reception+1 {
		return cached.(*Reception), nil
	}
	r, err := findReception(tx, ch.Company, ch.ID)
	if err != nil {
		return nil, err
	}
	r.Numbered = isNumbered(ch)
	tx.AfterCommit(func() { d.receptions.Store(ch.ID, &r) })
	return &r, nil
}

// answerCustomer replies to the customer's messages of a batch. The reception begins when the customer opens an attendance, and
// continues while its menu runs.
func (d *Receptionist) answerCustomer(in *talk.InboundBatch, t *talk.BatchConversation) error {
	if t.Reception == nil && (!t.Opened || in.Channel.Reception == nil) {
		return nil
	}
	r, err := d.receptionOf(in.Tx, &in.Channel)
	if err != nil {
		return err
	}
	var messages []Customer
	for _, m := range t.Messages {
		c := Customer{Choice: m.Choice, At: m.CreatedAt}
		unreadable := m.Notice.IsOnPhoneOnly()
		if unreadable && t.Reception != nil { // it may be the answer, when it can be read
			continue
		}
		if !unreadable {
			kernel.Set(&c.Text, m.Text)
		}
		messages = append(messages, c)
	}
	if len(messages) == 0 {
		return nil
	}
	if t.Reception == nil {
		return d.beginReception(in, t, r, messages)
	}
	return d.answerMenu(in, t, r, messages)
}

// beginReception greets a customer who opened an attendance. Groups, private channels and customers for whom automation is off
// get no automatic message. There is no menu if a member has replied or is responsible already.
func (d *Receptionist) beginReception(in *talk.InboundBatch, t *talk.BatchConversation, r *Reception, messages []Customer) error {
	late := in.Tx.Now.Sub(messages[0].At) >= talk.ServiceWindow
	if r == nil || !t.Automation || t.Kind != talk.KindDirect || t.Private || !t.Unanswered || late ||
		in.Channel.Status != channels.ChannelConnected {
		return nil
	}
	open, err := isOpen(in.Tx, t.Company, t.Channel, t.Sector, in.Tx.Now)
	if err != nil {
		return err
	}
	if t.Assignee != nil {
		without := *r
		without.Menu = nil
		r = &without
	}
	m, state, end := Begin(r, open, messages[0])
	for _, more := range messages[1:] {
		if state == nil {
			break
		}
		state, end = state.Overheard(r, more)
	}
	sent, err := sendMenu(in, t, m)
	if err != nil {
		return err
	}
	if !sent && state != nil { // without its text there is no menu
		end = new(state.People(r, ReasonBudget))
	}
	if end != nil {
		return endMenuAt(t.LockedConversation, *end)
	}
	return d.keepMenu(in, t, r, state)
}

// answerMenu handles the customer's messages while a menu runs.
func (d *Receptionist) answerMenu(in *talk.InboundBatch, t *talk.BatchConversation, r *Reception, messages []Customer) error {
	var state State
	if err := json.Unmarshal([]byte(*t.Reception), &state); err != nil {
		return err
	}
	if r == nil || !t.Automation {
		stored, err := findReception(in.Tx, t.Company, t.Channel)
		if err != nil {
			return err
		}
		return endMenuAt(t.LockedConversation, state.People(&stored, ReasonChanged))
	}
	known, early := d.shownMenus.before(shownMenu{t.ID, state.Asked}, in.Arrived)
	elsewhere := !known && in.Arrived.UnixMilli() <= state.Asked // another node showed the menu, and its clock may be ahead
	next := &state
	for _, one := range messages {
		var m *Message
		var end *End
		if one.Choice == nil && (early || elsewhere && next.Together(one)) || next.Before(one) {
			next, end = next.Overheard(r, one)
		} else {
			m, next, end = next.Answer(r, one)
			early = true // the next ones were written before this reply
		}
		sent, err := sendMenu(in, t, m)
		if err != nil {
			return err
		}
		if end == nil && !sent { // the customer cannot answer a menu that was not sent
			end = new(next.People(r, ReasonBudget))
		}
		if end != nil {
			return endMenuAt(t.LockedConversation, *end)
		}
		if m != nil {
			if err := d.keepMenu(in, t, r, next); err != nil {
				return err
			}
		}
	}
	return storeMenu(t.LockedConversation, next)
}

// keepMenu stores the state and the timeout of a menu that was just shown.
func (d *Receptionist) keepMenu(in *talk.InboundBatch, t *talk.BatchConversation, r *Reception, state *State) error {
	if state == nil {
		return nil
	}
	t.ReceptionDue = new(in.Tx.Now.Add(state.Timeout(r)))
	state.Asked = time.Now().UnixMilli()
	shown := shownMenu{t.ID, state.Asked}
	d.shownMenus.set(shown, time.Time{})
	in.Tx.AfterCommit(func() { d.shownMenus.set(shown, time.Now()) })
	return storeMenu(t.LockedConversation, state)
}

func storeMenu(t *talk.LockedConversation, state *State) error {
	raw, err := json.Marshal(state)
	t.Reception = new(string(raw))
	return err
}

// sendMenu sends an automatic message unless it is nil. It reports false if the message fails because the company may send no
// automatic messages now.
func sendMenu(in *talk.InboundBatch, t *talk.BatchConversation, m *Message) (sent bool, err error) {
	if m == nil {
		return true, nil
	}
	return in.SendAutomatic(t, m.Text, m.Interactive)
}

// endMenuAt assigns a case when its menu ends. If the sector or member has been removed it goes to the general queue.
func endMenuAt(t *talk.LockedConversation, end End) error {
	t.EndMenu()
	t.Filed = true
	switch end.Kind {
	case EndClose:
		return t.CloseAttendance(end.Reason)
	case EndUser:
		ref, present, err := people.KeepUser(t.Tx, t.Company, *end.User)
		if err != nil {
			return err
		}
		if present {
			return t.Assign(&ref, t.Sector, nil, &end.Reason)
		}
	}
	if end.Sector != nil {
		if found, err := people.KeepSector(t.Tx, t.Company, *end.Sector); err != nil {
			return err
		} else if !found {
			end.Sector = nil
		}
	}
	return t.Assign(nil, end.Sector, nil, &end.Reason)
}

// EndMenus ends up to limit menus that have timed out, and returns the number that it checked. Several nodes may call it
// concurrently: each menu ends once.
func (d *Receptionist) EndMenus(ctx context.Context, limit int) (int, error) {
	now := d.Now()
	due, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]talk.ConversationAt, error) { return dueMenus(tx, now, limit) })
	if err != nil {
		return 0, err
	}
	return len(due), d.talk.ChangeEach(ctx, due, func(t *talk.LockedConversation) error {
		if t.Reception == nil || t.ReceptionDue == nil || t.ReceptionDue.After(now) {
			return nil
		}
		var state State
		if err := json.Unmarshal([]byte(*t.Reception), &state); err != nil {
			return err
		}
		r, err := findReception(t.Tx, t.Company, t.Channel)
		if err != nil {
			return err
		}
		if err := endMenuAt(t, state.People(&r, ReasonTimeout)); err != nil {
			return err
		}
		return t.Save()
	})
}

// shownMenus remembers when menus were shown: the time when the transaction that shows a menu was durable; zero: not yet. A call
// that arrived before contains no reply to the menu: customers often write several messages at once. The menu of a transaction
// that was rolled back is never looked up.
type shownMenus struct {
	mu      sync.Mutex
	durable map[shownMenu]time.Time
}

// shownMenu identifies a menu that this node showed, by its conversation and State.Asked.
type shownMenu struct {
	conversation kernel.ID
	asked        int64
}

// isOld reports whether no call can have begun before the menu was shown. No call takes longer than a minute.
func (m shownMenu) isOld() bool { return time.Since(time.UnixMilli(m.asked)) > time.Minute }

func (s *shownMenus) set(menu shownMenu, durable time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.durable == nil {
		s.durable = map[shownMenu]time.Time{}
	}
	if len(s.durable) >= 1000 {
		maps.DeleteFunc(s.durable, func(menu shownMenu, _ time.Time) bool { return menu.isOld() })
	}
	s.durable[menu] = durable
}

// before reports whether this node showed the menu and, if so, whether a call arrived before the customer could see it.
func (s *shownMenus) before(menu shownMenu, arrived time.Time) (known, early bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	durable, known := s.durable[menu]
	return known, known && !menu.isOld() && (durable.IsZero() || !arrived.After(durable))
}

// Check validates a reception and sets its defaults. field is its name in the request, such as "body".
func Check(field string, r *Reception) *kernel.Error {
	for name, text := range map[string]**string{".greeting": &r.Greeting, ".away": &r.Away} {
		if invalid := checkText(field+name, text); invalid != nil {
			return invalid
		}
	}
	if r.Menu == nil {
		return nil
	}
	above := &Menu{MaxInvalid: DefaultMaxInvalid, TimeoutMinutes: DefaultMenuTimeout}
	return checkMenu(field+".menu", r.Menu, above, 1)
}

// checkText validates a text and replaces an empty one by nil.
func checkText(field string, text **string) *kernel.Error {
	if *text == nil {
		return nil
	}
	if **text == "" {
		*text = nil
		return nil
	}
	_, invalid := kernel.Text(field, **text, MaxReceptionText)
	return invalid
}

func checkMenu(field string, m, above *Menu, depth int) *kernel.Error {
	if depth > MaxMenuDepth {
		return kernel.Invalid(field, kernel.RuleTooDeep, fmt.Sprintf("menus are at most %d deep", MaxMenuDepth),
			kernel.Params{"max": MaxMenuDepth})
	}
	if _, invalid := kernel.Text(field+".text", m.Text, MaxReceptionText); invalid != nil {
		return invalid
	}
	if invalid := checkText(field+".invalid_text", &m.InvalidText); invalid != nil {
		return invalid
	}
	m.MaxInvalid = cmp.Or(m.MaxInvalid, above.MaxInvalid)
	m.TimeoutMinutes = cmp.Or(m.TimeoutMinutes, above.TimeoutMinutes)
	if m.MaxInvalid < 1 || m.MaxInvalid > 5 {
		return kernel.Between(field+".max_invalid", 1, 5)
	}
	if m.TimeoutMinutes < 1 || m.TimeoutMinutes > 24*60 {
		return kernel.Between(field+".timeout_minutes", 1, 1440)
	}
	if len(m.Options) < 2 || len(m.Options) > 10 {
		return kernel.Count(field+".options", 2, 10)
	}
	seen := map[string]bool{}
	for i := range m.Options {
		o := &m.Options[i]
		at := fmt.Sprintf("%s.options[%d]", field, i)
		title, invalid := kernel.Name(at+".title", o.Title, 24)
		if invalid != nil {
			return invalid
		}
		o.Title = title
		folded := fold.Text(title)
		if seen[folded] {
			return kernel.Duplicate(at+".title", "another option has this title")
		}
		seen[folded] = true
		if invalid := checkAction(at+".action", &o.Action, m, depth); invalid != nil {
			return invalid
		}
	}
	return nil
}

func checkAction(field string, a *MenuAction, above *Menu, depth int) *kernel.Error {
	given := 0
	for _, isSet := range []bool{a.Sector != nil, a.User != nil, a.Text != nil, a.Close != nil, a.Menu != nil} {
		if isSet {
			given++
		}
	}
	switch {
	case given != 1:
		return kernel.ExactlyOne(field, "sector", "user", "text", "close", "menu")
	case a.Close != nil && !*a.Close:
		return kernel.Invalid(field+".close", kernel.RuleMustBeTrue, "must be true")
	case a.Text != nil:
		_, invalid := kernel.Text(field+".text", *a.Text, MaxReceptionText)
		return invalid
	case a.Menu != nil:
		return checkMenu(field+".menu", a.Menu, above, depth+1)
	}
	return nil
}

// Named is a sector or a member that a reception refers to in a field.
type Named struct {
	Field  string
	Sector *kernel.ID
	User   *kernel.ID
}

// Names returns the sectors and members that a reception refers to.
func Names(field string, r *Reception) []Named {
	if r.Menu == nil {
		return nil
	}
	return names(field+".menu", r.Menu)
}

func names(field string, m *Menu) (out []Named) {
	if m.FallbackSector != nil {
		out = append(out, Named{Field: field + ".fallback_sector", Sector: m.FallbackSector})
	}
	for i := range m.Options {
		a := &m.Options[i].Action
		at := fmt.Sprintf("%s.options[%d].action", field, i)
		switch {
		case a.Sector != nil:
			out = append(out, Named{Field: at + ".sector", Sector: a.Sector})
		case a.User != nil:
			out = append(out, Named{Field: at + ".user", User: a.User})
		case a.Menu != nil:
			out = append(out, names(at+".menu", a.Menu)...)
		}
	}
	return out
}

// Try returns the replies of a validated reception to a customer who writes texts one second apart. A text that is the id of a
// shown button or row presses it.
func Try(r *Reception, open bool, texts []string) []ReceptionReply {
	out := make([]ReceptionReply, 0, len(texts))
	var state *State
	at := time.Unix(0, 0)
	shown := map[string]string{} // titles by the ids of buttons and rows
	for i, text := range texts {
		at = at.Add(time.Second)
		in := Customer{Text: text, At: at}
		if title, ok := shown[text]; ok {
			in.Text, in.Choice = title, &provider.Choice{ID: text, Title: title}
		}
		reply := ReceptionReply{Customer: in.Text}
		var m *Message
		var end *End
		switch {
		case i == 0:
			if m, state, end = Begin(r, open, in); state == nil && end == nil {
				reply.Outcome = &ReceptionOutcome{Kind: "none"}
			}
		case state != nil:
			m, state, end = state.Answer(r, in)
		}
		if m != nil {
			reply.Text, reply.Interactive = &m.Text, m.Interactive
			addTitles(shown, m.Interactive)
		}
		if end != nil {
			reply.Outcome = &ReceptionOutcome{Kind: end.Kind, Sector: end.Sector, User: end.User, Reason: end.Reason, Cause: talk.CauseOf(nil, &end.Reason)}
		}
		out = append(out, reply)
	}
	return out
}

// addTitles adds the titles of buttons and rows by their ids.
func addTitles(shown map[string]string, offer *provider.Interactive) {
	if offer == nil {
		return
	}
	for _, b := range offer.Buttons {
		shown[b.ID] = b.Title
	}
	if offer.List == nil {
		return
	}
	for _, section := range offer.List.Sections {
		for _, row := range section.Rows {
			shown[row.ID] = row.Title
		}
	}
}
