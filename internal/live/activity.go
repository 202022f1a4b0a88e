package live

import (
	"slices"
	"sync"
	"time"

	"recado/internal/kernel"
)

// activityLasts is how long a viewer is remembered who says nothing more.
const activityLasts = 20 * time.Second

// activity remembers who views which conversation. Every node has all of it, from the signals. While its lock
// is held streams are told, so that they learn of changes in their order.
type activity struct {
	mu        sync.Mutex
	companies map[kernel.ID]map[kernel.ID]*viewed // by company and conversation
}

// viewed is a conversation that is viewed.
type viewed struct {
	is      *kernel.Visibility
	viewers []viewer // in the order in which they came
}

type viewer struct {
	user  kernel.Ref
	until time.Time
}

func (v *viewed) users() []kernel.Ref {
	users := make([]kernel.Ref, len(v.viewers))
	for i, one := range v.viewers {
		users[i] = one.user
	}
	return users
}

func (v *viewed) index(member kernel.ID) int {
	return slices.IndexFunc(v.viewers, func(one viewer) bool { return one.user.ID == member })
}

// act notes what a member does in a conversation and tells the streams of it.
func (h *Hub) act(s kernel.Signal) {
	h.activity.mu.Lock()
	defer h.activity.mu.Unlock()
	switch s.Activity {
	case kernel.ActivityTyping:
		if v := h.activity.companies[s.Company][s.Conversation]; v != nil {
			if i := v.index(s.User.ID); i >= 0 { // who types still views
				v.viewers[i].until = h.system.Now().Add(activityLasts)
			}
		}
		h.tell(s.Company, "typing", typing{s.Conversation, s.User}, func(a *kernel.Principal) bool { return a.MaySeeBy(s.Is) })
	case kernel.ActivityViewing:
		v := h.activity.view(s)
		until := h.system.Now().Add(activityLasts)
		if i := v.index(s.User.ID); i >= 0 {
			v.viewers[i] = viewer{s.User, until}
		} else {
			v.viewers = append(v.viewers, viewer{s.User, until})
		}
		h.tellViewing(s.Company, s.Conversation, v)
	case kernel.ActivityLeft:
		v := h.activity.companies[s.Company][s.Conversation]
		if v == nil {
			v = &viewed{is: s.Is}
		}
		if i := v.index(s.User.ID); i >= 0 {
			v.viewers = slices.Delete(v.viewers, i, i+1)
		}
		h.tellViewing(s.Company, s.Conversation, v) // also of one who only typed: that is over
	}
}

// view gives a conversation that is viewed, as the signal describes it.
func (a *activity) view(s kernel.Signal) *viewed {
	if a.companies == nil {
		a.companies = map[kernel.ID]map[kernel.ID]*viewed{}
	}
	if a.companies[s.Company] == nil {
		a.companies[s.Company] = map[kernel.ID]*viewed{}
	}
	v := a.companies[s.Company][s.Conversation]
	if v == nil {
		v = &viewed{}
		a.companies[s.Company][s.Conversation] = v
	}
	v.is = s.Is
	return v
}

// moved notes who sees a conversation now.
func (a *activity) moved(s kernel.Signal) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if v := a.companies[s.Company][s.Conversation]; v != nil {
		v.is = s.Is
	}
}

func (h *Hub) tellViewing(company, id kernel.ID, v *viewed) {
	h.tell(company, "viewing", viewing{id, v.users()}, func(a *kernel.Principal) bool { return a.MaySeeBy(v.is) })
}

// forgetActivity forgets viewers who have said nothing for a while.
func (h *Hub) forgetActivity() {
	h.activity.mu.Lock()
	defer h.activity.mu.Unlock()
	now := h.system.Now()
	for company, conversations := range h.activity.companies {
		for id, v := range conversations {
			before := len(v.viewers)
			v.viewers = slices.DeleteFunc(v.viewers, func(one viewer) bool { return !now.Before(one.until) })
			if len(v.viewers) < before {
				h.tellViewing(company, id, v)
			}
			if len(v.viewers) == 0 {
				delete(conversations, id)
			}
		}
		if len(conversations) == 0 {
			delete(h.activity.companies, company)
		}
	}
}

// tellAll tells a new stream who views what.
func (h *Hub) tellAll(s *Stream, a *kernel.Principal) {
	h.activity.mu.Lock()
	defer h.activity.mu.Unlock()
	for id, v := range h.activity.companies[a.Company.ID] {
		if len(v.viewers) > 0 && a.MaySeeBy(v.is) {
			s.push(signalFrame("viewing", viewing{id, v.users()}))
		}
	}
}
