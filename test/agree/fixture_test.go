package agree

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"recado/internal/channels"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/server"
	"recado/test/servertest"
	"recado/test/testkit"
)

// fixture is one company: the desk whose verbs are called, and the ledger that mirrors them.
type fixture struct {
	*ledger
	t        *testing.T
	ctx      context.Context
	desk     *server.Desk
	random   *rand.Rand
	clock    *testkit.Clock
	began    time.Time
	owner    *kernel.Principal
	people   []*kernel.Principal // the team, including the owner
	sectors  []*sector
	channels []kernel.ID // the last one is private
	made     int         // counter for unique names and phones
	log      []string    // the steps of this history
}

type sector struct {
	id      kernel.ID
	members []kernel.ID
}

// zones include days of 23 and 25 hours, days that start at 1 a.m., and offsets of a quarter hour.
var zones = []string{"America/Sao_Paulo", "America/Sao_Paulo", "UTC", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia", "America/St_Johns"}

func newFixture(t *testing.T, d *server.Desk, clock *testkit.Clock, random *rand.Rand) *fixture {
	t.Helper()
	o := &fixture{t: t, ctx: t.Context(), desk: d, clock: clock, random: random, ledger: &ledger{rules: people.DefaultRules}}
	year := []int{2010, 2017, 2018, 2026}[random.IntN(4)]
	o.began = time.Date(year, time.Month(1+random.IntN(12)), 1+random.IntN(28), random.IntN(24), random.IntN(60), 0, 0, time.UTC)
	clock.Set(o.began)

	o.owner, _ = servertest.AddCompany(t, d, people.NewCompany{Name: "Agreement", Timezone: zones[random.IntN(len(zones))], Rules: o.rules})
	var err error
	o.zone, err = time.LoadLocation(o.owner.Company.Timezone)
	o.must(err)
	o.people = []*kernel.Principal{o.owner}
	o.addMember(kernel.RoleManager)
	for range 3 {
		o.addMember(kernel.RoleAgent)
	}
	for range 3 {
		o.addSector()
	}
	for i := range 3 {
		channel, err := d.Channels.CreateChannel(o.ctx, o.owner, channels.NewChannel{
			Name: fmt.Sprint("Number ", i), Phone: fmt.Sprintf("+55113333%04d", i), Provider: channels.ProviderSandbox, Private: i == 2,
		})
		o.must(err)
		o.channels = append(o.channels, channel.ID)
	}
	return o
}

func (o *fixture) must(err error) {
	o.t.Helper()
	if err != nil {
		o.t.Fatalf("%v\nafter %v", err, o.log)
	}
}

// refused fails the test unless err has this code. An empty code means that no error is expected.
func (o *fixture) refused(err error, code kernel.Code) {
	o.t.Helper()
	if code == "" {
		o.must(err)
	} else if err == nil || kernel.CodeOf(err) != code {
		o.t.Fatalf("got error %v, want %s\nafter %v", err, code, o.log)
	}
}

func (o *fixture) note(format string, args ...any) {
	o.log = append(o.log, fmt.Sprintf(format, args...))
}

// addMember adds a member to the team.
func (o *fixture) addMember(role kernel.Role) {
	o.made++
	_, person := servertest.AddMember(o.t, o.desk, o.owner.Company, people.NewUser{Name: fmt.Sprint("Person ", o.made), Role: role})
	o.people = append(o.people, person)
}

// addSector adds a sector with a random part of the team.
func (o *fixture) addSector() {
	o.made++
	members := o.some()
	made, err := o.desk.People.CreateSector(o.ctx, o.owner, people.SectorChange{Name: new(fmt.Sprint("Sector ", o.made)), Members: &members})
	o.must(err)
	o.sectors = append(o.sectors, &sector{id: made.ID, members: members})
}

// some returns a random part of the team.
func (o *fixture) some() []kernel.ID {
	members := []kernel.ID{}
	for _, p := range o.people {
		if o.random.IntN(2) == 0 {
			members = append(members, p.User.ID)
		}
	}
	return members
}

// customer returns a chat with a new customer who has not written yet.
func (o *fixture) customer() *chat {
	o.made++
	channel := o.random.IntN(5) % len(o.channels)
	c := &chat{channel: o.channels[channel], private: channel == len(o.channels)-1, phone: fmt.Sprintf("+55119%08d", 10_000_000+o.made)}
	o.chats = append(o.chats, c)
	return c
}

func pick[T any](o *fixture, from []T) T { return from[o.random.IntN(len(from))] }

func (s *sector) has(member kernel.ID) bool { return slices.Contains(s.members, member) }
