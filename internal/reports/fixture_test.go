package reports

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recado/internal/channels"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/talk"
	"recado/test/kerneltest"
)

// desk has the capabilities that reports need, on one node.
type desk struct {
	*Reports
	people   *people.People
	channels *channels.Channels
	talk     *talk.Talk
}

func newDesk(s *kernel.Store) *desk {
	p := people.New(kernel.New(kernel.Options{Store: s}), people.PasswordCost{Memory: 64, Passes: 1})
	c := channels.New(p, nil)
	t := talk.New(c, p, nil)
	return &desk{New(t, c, p), p, c, t}
}

// testCompany creates a company and its owner, and returns the operator, who acts as the owner.
func testCompany(t testing.TB, d *desk) *kernel.Principal {
	t.Helper()
	rules := people.DefaultRules
	rules.GraceMinutes = 0
	company, err := d.people.CreateCompany(t.Context(), people.NewCompany{Name: "Padaria", Rules: rules})
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.people.CreateUser(t.Context(), company.ID, people.NewUser{Name: "Ana", Email: "ana@padaria.example", Role: kernel.RoleOwner, AccessProfile: kernel.AccessAll})
	if err != nil {
		t.Fatal(err)
	}
	operator, err := d.people.Operator(t.Context(), company.ID)
	if err != nil {
		t.Fatal(err)
	}
	return operator
}

// office is a company whose customers write to a channel, on nodes of one database.
type office struct {
	nodes   []*desk
	owner   *kernel.Principal
	person  *kernel.Principal // the owner, signed in
	company kernel.Company
	channel kernel.ID
}

func eachOffice(t *testing.T, body func(t *testing.T, o *office)) {
	kerneltest.Each(t, func(t *testing.T, open func() *kernel.Store) {
		body(t, newOffice(t, newDesk(open()), newDesk(open())))
	})
}

func newOffice(t *testing.T, nodes ...*desk) *office {
	t.Helper()
	o := &office{nodes: nodes, owner: testCompany(t, nodes[0])}
	o.company = o.owner.Company
	o.person = kernel.SessionPrincipal(o.company, kernel.Member{User: o.owner.User, Role: kernel.RoleOwner, Profile: kernel.AccessAll}, kernel.NewID(), nil, kernel.Rate{})
	ch, err := nodes[0].channels.CreateChannel(t.Context(), o.owner, channels.NewChannel{Name: "Sandbox", Phone: "+551130000000", Provider: channels.ProviderSandbox})
	if err != nil {
		t.Fatal(err)
	}
	o.channel = ch.ID
	return o
}

// opens lets a customer write, and returns the conversation.
func (o *office) opens(t *testing.T, d *desk, customer int) kernel.ID {
	t.Helper()
	from, text := fmt.Sprintf("+55119876500%02d", customer), "oi"
	m, err := d.talk.Simulate(t.Context(), o.owner, o.channel, talk.Simulation{From: &from, Text: &text})
	if err != nil {
		t.Error(err)
		return kernel.ID{}
	}
	return m.Conversation
}

// answers lets the owner write.
func (o *office) answers(t *testing.T, d *desk, conversation kernel.ID) {
	t.Helper()
	text := "bom dia"
	if _, _, err := d.talk.SendMessage(t.Context(), o.person, conversation, talk.NewMessage{ClientID: kernel.NewID(), Text: &text}); err != nil {
		t.Error(err)
	}
}

// attend opens, answers and closes an attendance. With handBack it is handed back before it is closed.
func (o *office) attend(t *testing.T, d *desk, customer int, handBack bool) {
	t.Helper()
	conversation := o.opens(t, d, customer)
	o.answers(t, d, conversation)
	if handBack {
		if _, err := d.talk.Transfer(t.Context(), o.person, conversation, talk.NewTransfer{User: kernel.Optional[kernel.ID]{Set: true, Null: true}}); err != nil {
			t.Error(err)
		}
	}
	if _, err := d.talk.CloseAttendance(t.Context(), o.person, conversation, talk.CloseInput{}); err != nil {
		t.Error(err)
	}
}

// reportIsRight compares the report with a recount and with the number of closed attendances.
func (o *office) reportIsRight(t *testing.T, closed int64) {
	t.Helper()
	read := func() Report {
		today := kernel.DateOf(time.Now(), time.UTC)
		from, to := today.AddDays(-2), today.AddDays(2)
		r, err := o.nodes[0].AttendanceReport(t.Context(), o.owner, ReportFilter{From: &from, To: &to})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	kept := read()
	if err := o.nodes[0].RebuildReport(t.Context(), o.company.ID); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(kept, read()); diff != "" || kept.Totals.Closed != closed {
		t.Errorf("%d opened, %d closed, want %d (- as kept, + as rebuilt):\n%s", kept.Totals.Opened, kept.Totals.Closed, closed, diff)
	}
}
