package api_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"recado/test/servertest"
)

// said is one message of a conversation as the rules of the reception look at it.
type said struct {
	Origin string    `json:"origin"`
	At     time.Time `json:"created_at"`
	Text   string    `json:"text"`
}

// sequence plays one customer, the team, its phone and the time against a real server, and checks the rules after each step.
type sequence struct {
	*customer
	person *servertest.Client
	random *rand.Rand
	texts  []string // of the customer
	steps  []string
	team   bool // the team has decided on the open case
}

// customerTexts are texts of customers; lostTexts are those that end no menu.
var (
	lostTexts     = []string{"oi", "3", "5", "9", "banana", "horario", "suporte", "obrigado\n3", "kiwi", "😀"}
	customerTexts = append([]string{"1", "2", "4", "0", "Vendas", "forno", "atendente"}, lostTexts...)
)

// step does one thing that can happen.
func (s *sequence) step(t *testing.T) {
	at := "/conversations/" + s.conversation
	do := func(what string, act func() int) { s.steps = append(s.steps, fmt.Sprintf("%s: %d", what, act())) }
	n := s.random.IntN(20)
	if s.conversation == "" {
		n = 0
	}
	switch {
	case n < 10:
		text := s.texts[s.random.IntN(len(s.texts))]
		open := s.open(t)
		s.says(t, text)
		s.steps = append(s.steps, "customer: "+text)
		s.team = s.team && open
	case n < 11:
		do("person", func() int { return s.person.Post(t, at+"/messages", message("Bom dia")).Status })
		s.team = true
	case n < 12:
		do("key", func() int { return s.A.Post(t, at+"/messages", message("Bom dia")).Status })
		s.team = true
	case n < 13:
		do("phone", func() int {
			return s.A.Post(t, simulatePath(s.channel), map[string]any{"from_phone_app": true, "to": s.phone, "text": "Bom dia"}).Status
		})
		s.team = true
	case n < 14:
		do("take", func() int { return s.person.Post(t, at+"/take", nil).Status })
		s.team = true
	case n < 15:
		do("transfer", func() int { return s.person.Post(t, at+"/transfer", map[string]any{"sector_id": s.support}).Status })
		s.team = true
	case n < 16:
		do("close", func() int { return s.person.Post(t, at+"/attendance/close", `{}`).Status })
	default:
		wait := []time.Duration{time.Second, 40 * time.Second, 4 * time.Minute, 11 * time.Minute}[s.random.IntN(4)]
		s.wait(t, wait)
		s.steps = append(s.steps, "time: "+wait.String())
	}
}

// wait lets time pass, and ends the menus whose time is over.
func (s *sequence) wait(t *testing.T, d time.Duration) {
	t.Helper()
	s.Clock.Advance(d)
	if _, err := s.Desk.Receptionist.EndMenus(context.Background(), 100); err != nil {
		t.Fatal(err)
	}
}

func (s *sequence) open(t *testing.T) bool {
	return s.conversation != "" && s.at(t).At("attendance") != nil
}

// fails ends the test with what has happened so far.
func (s *sequence) fails(t *testing.T, format string, values ...any) {
	t.Helper()
	t.Fatalf("%s; after\n%s", fmt.Sprintf(format, values...), strings.Join(s.steps, "\n"))
}

// check checks what holds at any time: of each attendance the number of automatic messages, and that none follows a person's.
func (s *sequence) check(t *testing.T) {
	t.Helper()
	var messages struct{ Data []said }
	s.A.Get(t, "/conversations/"+s.conversation+"/messages?limit=100").OK(200).Into(&messages)
	var attendances struct {
		Data []struct {
			Protocol string     `json:"protocol"`
			Opened   time.Time  `json:"opened_at"`
			Closed   *time.Time `json:"closed_at"`
		}
	}
	s.A.Get(t, "/attendances?limit=50&conversation="+s.conversation).OK(200).Into(&attendances)
	for _, a := range attendances.Data {
		automatic := 0
		var answered *time.Time
		for i := len(messages.Data) - 1; i >= 0; i-- { // the oldest first
			m := messages.Data[i]
			switch {
			case m.At.Before(a.Opened) || a.Closed != nil && m.At.After(*a.Closed) || m.Origin == "customer":
			case m.Origin != "automation":
				answered = &m.At
			case answered != nil:
				s.fails(t, "%s: the automatic message %q follows an answer of the team", a.Protocol, m.Text)
			default:
				automatic++
			}
		}
		if automatic > 4 {
			s.fails(t, "%s: %d automatic messages", a.Protocol, automatic)
		}
	}
	s.checkFiled(t)
}

// checkFiled checks that a case whose menu has ended has a sector or a person.
func (s *sequence) checkFiled(t *testing.T) {
	t.Helper()
	is := s.at(t)
	if is.At("attendance") == nil || s.team {
		return
	}
	opened, _ := time.Parse(time.RFC3339, is.Text("attendance", "opened_at"))
	for i, entry := range s.A.Get(t, "/conversations/"+s.conversation+"/assignments").OK(200).List() {
		at, _ := time.Parse(time.RFC3339, entry.(map[string]any)["created_at"].(string))
		if i == 0 && !at.Before(opened) && is.At("sector") == nil && is.At("assignee") == nil {
			s.fails(t, "the menu has ended, and the case has no sector and no person: %v", entry)
		}
	}
}

func TestAnySequenceOfCustomerTeamPhoneAndTimeAtTheDesk(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		f := newFront(t, w)
		patient := strings.Replace(f.menu(), `"invalid_text"`, `"max_invalid":5,"invalid_text"`, 1)
		w.A.Put(t, "/channels/"+f.channel+"/reception", patient).OK(200)
		person, _ := signedIn(t, w, "Bia")
		for _, seed := range []uint64{1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233} {
			s := &sequence{customer: f.customer(), person: person, random: rand.New(rand.NewPCG(seed, seed)), texts: customerTexts}
			if seed%2 == 1 {
				s.texts = lostTexts
			}
			for range 14 {
				s.step(t)
				s.check(t)
			}
			s.wait(t, 11*time.Minute) // no menu runs any more
			s.check(t)
			if is := s.at(t); is.At("attendance") != nil && !s.team && is.At("sector") == nil && is.At("assignee") == nil {
				s.fails(t, "seed %d: the time of the menu is over, and the case has no sector and no person", seed)
			}
		}
	})
}
