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

// receptionMessage has the fields of a message that the rules of the reception depend on.
type receptionMessage struct {
	Origin string    `json:"origin"`
	At     time.Time `json:"created_at"`
	Text   string    `json:"text"`
}

// sequence makes random steps of a customer, the team, its phone and the clock, and checks the rules after each step.
type sequence struct {
	*customer
	person *servertest.Client
	random *rand.Rand
	texts  []string // what the customer may write
	steps  []string
	team   bool // the team has acted on the open case
}

// customerTexts are texts of customers. lostTexts are those of them that do not end a menu.
var (
	lostTexts     = []string{"oi", "3", "5", "9", "banana", "horario", "suporte", "obrigado\n3", "kiwi", "😀"}
	customerTexts = append([]string{"1", "2", "4", "0", "Vendas", "forno", "atendente"}, lostTexts...)
)

// step makes one random step.
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

// wait advances the clock and ends the menus that have timed out.
func (s *sequence) wait(t *testing.T, d time.Duration) {
	t.Helper()
	s.Clock.Advance(d)
	if _, err := s.Desk.Receptionist.EndMenus(context.Background(), 100); err != nil {
		t.Fatal(err)
	}
}

// open reports whether there is an open case.
func (s *sequence) open(t *testing.T) bool {
	return s.conversation != "" && s.load(t).At("attendance") != nil
}

// fatalf ends the test with a message and the steps so far.
func (s *sequence) fatalf(t *testing.T, format string, values ...any) {
	t.Helper()
	t.Fatalf("%s\nafter these steps:\n%s", fmt.Sprintf(format, values...), strings.Join(s.steps, "\n"))
}

// check checks that no attendance has too many automatic messages, and that none follows a reply from the team.
func (s *sequence) check(t *testing.T) {
	t.Helper()
	var messages struct{ Data []receptionMessage }
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
				s.fatalf(t, "%s: the automatic message %q follows a reply from the team", a.Protocol, m.Text)
			default:
				automatic++
			}
		}
		if automatic > 4 {
			s.fatalf(t, "%s: got %d automatic messages, want at most 4", a.Protocol, automatic)
		}
	}
	s.checkSector(t)
}

// checkSector checks that a case whose menu has ended has a sector or a responsible person.
func (s *sequence) checkSector(t *testing.T) {
	t.Helper()
	conversation := s.load(t)
	if conversation.At("attendance") == nil || s.team {
		return
	}
	opened, _ := time.Parse(time.RFC3339, conversation.Text("attendance", "opened_at"))
	for i, entry := range s.A.Get(t, "/conversations/"+s.conversation+"/assignments").OK(200).List() {
		at, _ := time.Parse(time.RFC3339, entry.(map[string]any)["created_at"].(string))
		if i == 0 && !at.Before(opened) && conversation.At("sector") == nil && conversation.At("assignee") == nil {
			s.fatalf(t, "the menu has ended and the case has neither a sector nor a responsible person: %v", entry)
		}
	}
}

func TestTheReceptionRulesHoldInRandomSequences(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		f := newReceptionChannel(t, w)
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
			s.wait(t, 11*time.Minute) // every menu has timed out
			s.check(t)
			if c := s.load(t); c.At("attendance") != nil && !s.team && c.At("sector") == nil && c.At("assignee") == nil {
				s.fatalf(t, "seed %d: the menu has timed out and the case has neither a sector nor a responsible person", seed)
			}
		}
	})
}
