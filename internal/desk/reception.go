package desk

import (
	"context"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"recado/internal/model"
	"recado/internal/reception"
	"recado/internal/store"
)

// Reception gives what a channel answers by itself.
func (d *Desk) Reception(ctx context.Context, a *Principal, channel model.ID) (model.Reception, error) {
	if err := a.May(VerbReception); err != nil {
		return model.Reception{}, err
	}
	return read(ctx, d, func(tx *store.Tx) (model.Reception, error) {
		if _, err := d.channel(tx, a, channel); err != nil {
			return model.Reception{}, err
		}
		r, _, err := tx.Reception(a.Company.ID, channel)
		return r, err
	})
}

// SetReception replaces what a channel answers by itself. It holds from the next message on, also for menus that run. Version is the
// one that the change is based on; 0 means any.
func (d *Desk) SetReception(ctx context.Context, a *Principal, channel model.ID, r model.Reception, version int64) (model.Reception, error) {
	if err := a.May(VerbSetReception); err != nil {
		return r, err
	}
	if invalid := reception.Check("body", &r); invalid != nil {
		return r, invalid
	}
	return write(ctx, d, func(tx *store.Tx) (model.Reception, error) {
		ch, err := d.channel(tx, a, channel)
		if err != nil {
			return r, err
		}
		was, err := tx.LockReception(ch.Company, ch.ID)
		if err == nil && version != 0 && version != was.Version {
			err = model.Errorf(model.CodeVersionConflict,
				"The reception is at version %d by now, not %d. Fetch it again and apply the change to what it is.", was.Version, version)
		}
		if err != nil {
			return r, err
		}
		r.Version = was.Version + 1
		if err := checkNamed(tx, a, reception.Names("body", &r)); err != nil {
			return r, err
		}
		return r, tx.SaveReception(ch.Company, ch.ID, &r)
	})
}

// checkNamed refuses sectors and people that do not exist.
func checkNamed(tx *store.Tx, a *Principal, all []reception.Named) error {
	for _, n := range all {
		if n.Sector != nil {
			if found, err := tx.SectorExists(a.Company.ID, *n.Sector); err != nil || !found {
				return errOr(err, model.Invalid(n.Field, "there is no such sector"))
			}
		}
		if n.User != nil {
			if _, found, err := tx.UserRef(a.Company.ID, *n.User); err != nil || !found {
				return errOr(err, model.Invalid(n.Field, "there is no such team member"))
			}
		}
	}
	return nil
}

// ReceptionTrial is a reception to be tried: what a customer writes, and when.
type ReceptionTrial struct {
	Reception *model.Reception // nil: the channel's own
	Texts     []string
	At        *time.Time // nil: now
	Open      *bool      // nil: as the opening hours say
}

// TryReception gives what a reception would answer to a customer, without storing or sending anything.
func (d *Desk) TryReception(ctx context.Context, a *Principal, channel model.ID, in ReceptionTrial) ([]model.ReceptionReply, error) {
	if err := a.May(VerbTryReception); err != nil {
		return nil, err
	}
	if in.Reception != nil {
		if invalid := reception.Check("body.reception", in.Reception); invalid != nil {
			return nil, invalid
		}
	}
	return read(ctx, d, func(tx *store.Tx) ([]model.ReceptionReply, error) {
		if _, err := d.channel(tx, a, channel); err != nil {
			return nil, err
		}
		if in.Reception != nil {
			if err := checkNamed(tx, a, reception.Names("body.reception", in.Reception)); err != nil {
				return nil, err
			}
		}
		r := in.Reception
		if r == nil {
			own, _, err := tx.Reception(a.Company.ID, channel)
			if err != nil {
				return nil, err
			}
			r = &own
		}
		at := tx.Now
		set(&at, in.At)
		open, err := isOpen(tx, a.Company.ID, channel, nil, at)
		set(&open, in.Open)
		return reception.Try(r, open, in.Texts), err
	})
}

// isOpen reports whether it is within the opening hours of a channel and a sector, which may be nil.
func isOpen(tx *store.Tx, company, channel model.ID, sector *model.ID, at time.Time) (bool, error) {
	h, found, err := tx.HoursOf(company, channel, sector)
	if err != nil || !found {
		return err == nil, err
	}
	schedule, err := readHours(&h)
	return err == nil && schedule.Open(at), err
}

// knownReception is the reception of a channel as this node read it.
type knownReception struct {
	version   int64
	reception model.Reception
}

// receptionOf gives the reception of a channel that has one switched on. The row of the channel, which every inbound message
// reads, tells the version, so that a change on another node is seen at once.
func (d *Desk) receptionOf(tx *store.Tx, ch *model.Channel) (*model.Reception, error) {
	if ch.Reception == nil {
		return nil, nil
	}
	if known, ok := d.receptions.Load(ch.ID); ok && known.(*knownReception).version == *ch.Reception {
		return &known.(*knownReception).reception, nil
	}
	r, found, err := tx.Reception(ch.Company, ch.ID)
	if err != nil || !found {
		return nil, err
	}
	known := &knownReception{*ch.Reception, r}
	tx.AfterCommit(func() { d.receptions.Store(ch.ID, known) })
	return &r, nil
}

// saidBy is a customer's message as the reception takes it.
func saidBy(m *model.Message) reception.Customer {
	said := reception.Customer{Choice: m.Choice, At: m.CreatedAt}
	if m.Text != nil {
		said.Text = *m.Text
	}
	return said
}

// receive lets the reception answer what the customer wrote in this batch: it begins when the customer opened the attendance, and
// goes on while its menu runs.
func (in *inboundBatch) receive(t *batchConversation) error {
	if len(t.said) == 0 || t.silent || t.Attendance == nil || t.Reception == nil && (!t.opened || in.channel.Reception == nil) {
		return nil
	}
	said := t.said
	t.said = nil
	r, err := in.d.receptionOf(in.tx, &in.channel)
	if err != nil {
		return err
	}
	if t.Reception == nil {
		return in.beginReception(t, r, said)
	}
	return in.answerMenu(t, r, said)
}

// beginReception greets the customer who opened an attendance. Groups, private channels and people for whom it is switched off get
// no automatic message, and where a person has answered or is responsible already there is no menu.
func (in *inboundBatch) beginReception(t *batchConversation, r *model.Reception, said []reception.Customer) error {
	late := in.tx.Now.Sub(said[0].At) >= model.ServiceWindow
	if r == nil || !t.automation || t.Kind != model.KindDirect || t.Private || !t.Unanswered || late || in.channel.Status != model.ChannelConnected {
		return nil
	}
	open, err := isOpen(in.tx, t.Company, t.Channel, t.Sector, in.tx.Now)
	if err != nil {
		return err
	}
	if t.Assignee != nil {
		without := *r
		without.Menu = nil
		r = &without
	}
	m, state, end := reception.Begin(r, open, said[0])
	for _, more := range said[1:] {
		if state == nil {
			break
		}
		state, end = state.Overheard(r, more)
	}
	if err := in.sendAutomatic(t, m); err != nil {
		return err
	}
	if end != nil {
		return t.endMenuAt(*end)
	}
	return in.keepMenu(t, r, state)
}

// answerMenu takes what the customer wrote while a menu runs.
func (in *inboundBatch) answerMenu(t *batchConversation, r *model.Reception, said []reception.Customer) error {
	var state reception.State
	if err := json.Unmarshal([]byte(*t.Reception), &state); err != nil {
		return err
	}
	if r == nil || !t.automation {
		stored, _, err := in.tx.Reception(t.Company, t.Channel)
		if err != nil {
			return err
		}
		return t.endMenuAt(state.People(&stored, reception.ReasonChanged))
	}
	known, early := in.d.shownMenus.before(shownMenu{t.ID, state.Asked}, in.arrived)
	elsewhere := !known && in.arrived.UnixMilli() <= state.Asked // another node showed the menu, and its clock may be ahead
	next := &state
	for _, one := range said {
		var m *reception.Message
		var end *reception.End
		if one.Choice == nil && (early || elsewhere && next.Together(one)) || next.Before(one) {
			next, end = next.Overheard(r, one)
		} else {
			m, next, end = next.Answer(r, one)
			early = true // what came with it was written before this answer
		}
		if err := in.sendAutomatic(t, m); err != nil {
			return err
		}
		if end != nil {
			return t.endMenuAt(*end)
		}
		if m != nil {
			if err := in.keepMenu(t, r, next); err != nil {
				return err
			}
		}
	}
	return t.storeMenu(next)
}

// keepMenu stores the state of a menu that was just shown, and when it ends without an answer.
func (in *inboundBatch) keepMenu(t *batchConversation, r *model.Reception, state *reception.State) error {
	if state == nil {
		return nil
	}
	due := in.tx.Now.Add(state.Timeout(r))
	t.ReceptionDue = &due
	state.Asked = time.Now().UnixMilli()
	shown := shownMenu{t.ID, state.Asked}
	in.d.shownMenus.begin(shown)
	in.tx.AfterCommit(func() { in.d.shownMenus.end(shown) })
	return t.storeMenu(state)
}

func (t *lockedConversation) storeMenu(state *reception.State) error {
	raw, err := json.Marshal(state)
	text := string(raw)
	t.Reception = &text
	return err
}

// endMenu ends the menu of the open attendance, if one runs. Where the case goes is the caller's decision.
func (t *lockedConversation) endMenu() { t.Reception, t.ReceptionDue = nil, nil }

// sendAutomatic sends an automatic message; nil sends none. It is no answer of the team: the customer still waits, and no person
// becomes responsible.
func (in *inboundBatch) sendAutomatic(t *batchConversation, out *reception.Message) error {
	if out == nil {
		return nil
	}
	m := &model.Message{
		ID: model.NewID(), Conversation: t.ID, Company: t.Company, Channel: t.Channel, Private: t.Private,
		Direction: model.Outbound, Origin: model.OriginAutomation, Type: model.TypeText, Text: &out.Text, Interactive: out.Interactive,
		Status: model.StatusQueued, Seq: t.next(), CreatedAt: in.tx.Now,
	}
	if m.Interactive != nil {
		m.Type = model.TypeInteractive
	}
	sandbox := in.channel.Provider == model.ProviderSandbox
	if sandbox {
		external := "sandbox." + m.ID.String()
		m.Status, m.SentAt, m.ExternalID = model.StatusSent, &in.tx.Now, &external
	}
	if _, err := in.tx.InsertMessage(m, store.MessageExtras{}); err != nil {
		return err
	}
	t.arrived(m)
	if sandbox {
		return t.emitWith(model.EventMessageSent, "message", m)
	}
	in.tx.InsertSend(m)
	in.tx.AfterCommit(in.d.notifySend)
	return nil
}

// endMenuAt files a case where its menu ended. What has been removed meanwhile is replaced by the general queue.
func (t *lockedConversation) endMenuAt(end reception.End) error {
	t.endMenu()
	t.filed = true
	switch end.Kind {
	case reception.EndClose:
		_, err := t.closeAttendance(nil, &end.Reason)
		return err
	case reception.EndUser:
		ref, present, err := t.tx.KeepUser(t.Company, *end.User)
		if err != nil {
			return err
		}
		if present {
			return t.assign(&ref, t.Sector, nil, &end.Reason)
		}
	}
	if end.Sector != nil {
		found, err := t.tx.KeepSector(t.Company, *end.Sector)
		if err != nil {
			return err
		}
		if !found {
			end.Sector = nil
		}
	}
	return t.assign(nil, end.Sector, nil, &end.Reason)
}

// EndMenus ends up to limit menus that got no answer in time, and gives how many it looked at. Any number of nodes may do this at the
// same time: each menu ends once.
func (d System) EndMenus(ctx context.Context, limit int) (int, error) {
	now := d.now()
	due, err := read(ctx, d.Desk, func(tx *store.Tx) ([]store.ConversationAt, error) { return tx.DueMenus(now, limit) })
	if err != nil {
		return 0, err
	}
	return len(due), d.changeEach(ctx, due, func(t *lockedConversation) error {
		if t.Reception == nil || t.ReceptionDue == nil || t.ReceptionDue.After(now) {
			return nil
		}
		var state reception.State
		if err := json.Unmarshal([]byte(*t.Reception), &state); err != nil {
			return err
		}
		r, _, err := t.tx.Reception(t.Company, t.Channel)
		if err != nil {
			return err
		}
		if err := t.endMenuAt(state.People(&r, reception.ReasonTimeout)); err != nil {
			return err
		}
		return t.save()
	})
}

// shownMenus tells which calls came before the customer can have seen a menu: those that arrived while the transaction that
// shows it was not yet durable. Customers often write several messages at once. A menu of a transaction that was rolled back is never
// asked for: no conversation has it.
type shownMenus struct {
	mu sync.Mutex
	at map[shownMenu]menuShown
}

// shownMenu is a menu that this node showed in a conversation; asked is that of its state.
type shownMenu struct {
	conversation model.ID
	asked        int64
}

// menuShown is when a menu was put into its transaction, and when that was durable; zero: not yet.
type menuShown struct{ began, durable time.Time }

// shownFor is how long a menu that was shown is remembered, longer than any call lasts.
const shownFor = time.Minute

func (s *shownMenus) begin(menu shownMenu) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if s.at == nil {
		s.at = map[shownMenu]menuShown{}
	}
	if len(s.at) >= 1000 {
		for old, shown := range s.at {
			if now.Sub(shown.began) > shownFor {
				delete(s.at, old)
			}
		}
	}
	s.at[menu] = menuShown{began: now}
}

func (s *shownMenus) end(menu shownMenu) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if shown, found := s.at[menu]; found {
		shown.durable = time.Now()
		s.at[menu] = shown
	}
}

// before reports whether this node showed the menu, and then whether a call that arrived at a time came before the customer can have
// seen it.
func (s *shownMenus) before(menu shownMenu, arrived time.Time) (known, early bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	shown, known := s.at[menu]
	if !known || time.Since(shown.began) > shownFor {
		return known, false
	}
	return true, shown.durable.IsZero() || !arrived.After(shown.durable)
}
