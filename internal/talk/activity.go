package talk

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/phone"
)

// The kinds of activity.
const (
	ActivityViewing = "viewing"
	ActivityTyping  = "typing"
	ActivityLeft    = "left"
)

const (
	activityInterval = 2 * time.Second  // repeated reports of an activity within this time are ignored
	viewerTimeout    = 20 * time.Second // a viewer without further reports is removed after this time
)

// activities stores the activity of members in conversations. Every node receives the signals of all nodes.
type activities struct {
	mu       sync.Mutex
	reported map[reportedActivity]time.Time          // by this node
	viewed   map[conversationKey]*viewedConversation // in all companies
	focused  map[memberKey]map[kernel.ID]time.Time   // until when a member is viewing conversations
}

type (
	conversationKey struct{ company, conversation kernel.ID }
	memberKey       struct{ company, member kernel.ID }
)

type reportedActivity struct {
	member, conversation kernel.ID
	kind                 string
}

// viewedConversation is a conversation that members are viewing.
type viewedConversation struct {
	visibility *kernel.Visibility
	viewers    []viewer // in order of arrival
}

type viewer struct {
	user  kernel.Ref
	until time.Time
}

// signal returns the signal that lists the viewers.
func (v *viewedConversation) signal(key conversationKey) kernel.Signal {
	users := make([]kernel.Ref, len(v.viewers))
	for i, viewer := range v.viewers {
		users[i] = viewer.user
	}
	return kernel.NewSignal("viewing", key.company, kernel.Audience{Seeing: v.visibility}, struct {
		Conversation kernel.ID    `json:"conversation"`
		Users        []kernel.Ref `json:"users"`
	}{key.conversation, users})
}

// activitySignal is the data of the signals of activity between nodes.
type activitySignal struct {
	Conversation kernel.ID  `json:"conversation"`
	User         kernel.Ref `json:"user"`
	Kind         string     `json:"kind"`
	Channel      kernel.ID  `json:"channel"`
}

// Activity notifies the other members of an activity of the caller in a conversation. The same activity is reported at most once
// every two seconds.
func (d *Talk) Activity(ctx context.Context, a *kernel.Principal, id kernel.ID, kind string) error {
	c, err := kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (Conversation, error) { return visibleConversation(tx, a, id) })
	if err != nil || !d.activities.isNew(a.User.ID, id, kind, d.Now()) {
		return err
	}
	s := kernel.NewSignal(signalActivity, a.Company.ID, kernel.Audience{Seeing: c.Visibility()}, activitySignal{id, a.User, kind, c.Channel})
	s.Quiet = true
	d.Signal(s)
	return nil
}

// CustomerTypes tells the team that a customer of a channel is typing, if there is a conversation.
func (d *Talk) CustomerTypes(ctx context.Context, company, channel kernel.ID, customer provider.Person) error {
	p := normalizePhones([]provider.Incoming{{Identity: &provider.IncomingIdentity{Person: customer}}})[0].Identity.Person
	return d.Store.Read(ctx, func(tx *kernel.Tx) error {
		ch, found, err := channels.FindChannel(tx, company, channel)
		if err != nil || !found {
			return err
		}
		known, err := contactsKnownAs(tx, company, ch.Pool(), [2]string{p.UserID}, [2]string{p.WAID}, phone.Key(p.Phone))
		if err != nil || len(known) == 0 || known[0].Contact.Blocked {
			return err
		}
		contact := known[0].Contact
		c, found, err := selectConversation(tx, `WHERE c.company = $1 AND c.channel = $2 AND c.contact = $3`, company, channel, contact.ID)
		if err == nil && found {
			d.signalTyping(company, kernel.Audience{Seeing: c.Visibility()}, c.ID, kernel.Ref{ID: contact.ID, Name: c.Name}, d.Signal)
		}
		return err
	})
}

// signalTyping signals the streams that a member or the customer is typing.
func (d *Talk) signalTyping(company kernel.ID, to kernel.Audience, conversation kernel.ID, who kernel.Ref, send func(kernel.Signal)) {
	send(kernel.NewSignal("typing", company, to, struct {
		Conversation kernel.ID  `json:"conversation"`
		User         kernel.Ref `json:"user"`
	}{conversation, who}))
}

// isNew reports whether an activity was not reported within the last two seconds, and records it.
func (s *activities) isNew(member, conversation kernel.ID, kind string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.reported, func(_ reportedActivity, last time.Time) bool { return now.Sub(last) >= activityInterval })
	key := func(kind string) reportedActivity { return reportedActivity{member, conversation, kind} }
	if _, reported := s.reported[key(kind)]; reported {
		return false
	}
	if s.reported == nil {
		s.reported = map[reportedActivity]time.Time{}
	}
	if kind == ActivityLeft {
		delete(s.reported, key(ActivityViewing))
		delete(s.reported, key(ActivityTyping))
	} else {
		delete(s.reported, key(ActivityLeft))
	}
	s.reported[key(kind)] = now
	return true
}

// receive updates the viewers of a conversation. It signals the streams while it holds the lock, so that they receive changes in
// order.
func (d *Talk) receive(s kernel.Signal) {
	if s.Kind != signalActivity && s.Kind != signalGone {
		return
	}
	var activity activitySignal
	if json.Unmarshal(s.Data, &activity) != nil {
		return
	}
	d.activities.mu.Lock()
	defer d.activities.mu.Unlock()
	key := conversationKey{s.Company, activity.Conversation}
	v := d.activities.viewed[key]
	if s.Kind == signalGone {
		if v != nil {
			v.visibility = s.To.Unless
		}
		return
	}
	for _, o := range d.observers {
		if o.Viewed != nil && activity.Kind != ActivityLeft {
			o.Viewed(activity.Channel)
		}
	}
	if v == nil {
		v = &viewedConversation{}
	}
	v.visibility = s.To.Seeing
	i := slices.IndexFunc(v.viewers, func(v viewer) bool { return v.user.ID == activity.User.ID })
	until := d.Now().Add(viewerTimeout)
	switch activity.Kind {
	case ActivityTyping:
		if i >= 0 { // a member who is typing is still viewing
			v.viewers[i].until = until
			d.activities.focus(s.Company, activity.User.ID, activity.Conversation, until)
		}
		d.signalTyping(s.Company, s.To, activity.Conversation, activity.User, d.SignalHere)
		return
	case ActivityViewing:
		if i < 0 {
			v.viewers = append(v.viewers, viewer{})
			i = len(v.viewers) - 1
		}
		v.viewers[i] = viewer{activity.User, until}
		if d.activities.viewed == nil {
			d.activities.viewed = map[conversationKey]*viewedConversation{}
		}
		d.activities.viewed[key] = v
		d.activities.focus(s.Company, activity.User.ID, activity.Conversation, until)
	case ActivityLeft:
		if i >= 0 {
			v.viewers = slices.Delete(v.viewers, i, i+1)
			delete(d.activities.focused[memberKey{s.Company, activity.User.ID}], activity.Conversation)
		}
	}
	d.SignalHere(v.signal(key)) // even if nothing changed: it also ends typing
}

// focus records until when a member is viewing a conversation.
func (s *activities) focus(company, member, conversation kernel.ID, until time.Time) {
	if s.focused == nil {
		s.focused = map[memberKey]map[kernel.ID]time.Time{}
	}
	key := memberKey{company, member}
	if s.focused[key] == nil {
		s.focused[key] = map[kernel.ID]time.Time{}
	}
	s.focused[key][conversation] = until
}

// IsFocused reports whether a member is viewing a conversation in the app, on any node.
func (d *Talk) IsFocused(company, member kernel.ID) bool {
	d.activities.mu.Lock()
	defer d.activities.mu.Unlock()
	now := d.Now()
	for _, until := range d.activities.focused[memberKey{company, member}] {
		if now.Before(until) {
			return true
		}
	}
	return false
}

// ExpireViewers removes viewers without recent reports. It is called every second.
func (d *Talk) ExpireViewers() {
	d.activities.mu.Lock()
	defer d.activities.mu.Unlock()
	now := d.Now()
	for key, v := range d.activities.viewed {
		before := len(v.viewers)
		v.viewers = slices.DeleteFunc(v.viewers, func(v viewer) bool { return !now.Before(v.until) })
		if len(v.viewers) < before {
			d.SignalHere(v.signal(key))
		}
		if len(v.viewers) == 0 {
			delete(d.activities.viewed, key)
		}
	}
	for key, conversations := range d.activities.focused {
		maps.DeleteFunc(conversations, func(_ kernel.ID, until time.Time) bool { return !now.Before(until) })
		if len(conversations) == 0 {
			delete(d.activities.focused, key)
		}
	}
}

// greet sends the viewers of all conversations that a principal may see, under the lock, so that no later change is sent before.
func (d *Talk) greet(a *kernel.Principal, send func(kernel.Signal)) {
	d.activities.mu.Lock()
	defer d.activities.mu.Unlock()
	for key, v := range d.activities.viewed {
		if key.company == a.Company.ID && len(v.viewers) > 0 && a.MaySeeBy(v.visibility) {
			send(v.signal(key))
		}
	}
}
