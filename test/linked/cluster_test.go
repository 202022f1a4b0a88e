package linked_test

import (
	"fmt"
	"testing"
	"time"

	"recado/internal/channels"
	"recado/internal/kernel"
	"recado/internal/server"
	"recado/test/kerneltest"
	"recado/test/linkedtest"
	"recado/test/servertest"
	"recado/test/testkit"
)

// twoNodes starts two servers on one PostgreSQL database. The clock of the second is an hour ahead.
func twoNodes(t *testing.T) (d *desk, url string) {
	t.Helper()
	t.Parallel()
	url = kerneltest.URL(t)
	phone := linkedtest.NewPhone("5511912345678")
	with := func(c *server.Config) {
		c.Lease = 3 * time.Second
		c.Linked = func(s *server.Server) channels.Linked { return s.NewLinked(phone.NewClient) }
	}
	w := servertest.Start(t, url, with)
	d = &desk{World: w, phone: phone, channel: w.A.Post(t, "/channels", `{"name": "Shop", "provider": "linked"}`).OK(201).ID()}
	d.link(t)
	w.SecondNode(t, url, with, func(c *server.Config) {
		c.Now = func() time.Time { return w.Clock.Now().Add(time.Hour) }
	})
	return d, url
}

// die gives the lease of the connection to a node that does not renew it. It returns when no node is connected.
func (d *desk) die(t *testing.T, url string) {
	t.Helper()
	testkit.Exec(t, url, fmt.Sprintf(`UPDATE links SET owner = '%s', beat = beat + 1`, kernel.NewID()))
	testkit.Eventually(t, "the node that lost the lease is disconnected", func() bool { return d.phone.Connections() == 0 })
}

func TestOneNodeHoldsTheConnection(t *testing.T) {
	d, url := twoNodes(t)
	d.phone.Write(d.phone.Info(maria, "IN", time.Now()), linkedtest.Text("Oi"))
	id := d.conversation(t)
	d.send(t, id, `"text": "before"`)
	d.die(t, url)
	message := d.A.Post(t, "/conversations/"+id+"/messages", fmt.Sprintf(`{"text": "meanwhile", "client_id": %q}`, kernel.NewID())).OK(201).ID()
	d.phone.Write(d.phone.Info(maria, "IN2", time.Now()), linkedtest.Text("Is anybody there?"))
	testkit.Eventually(t, "another node replaces it", func() bool { return d.phone.Connections() == 1 })
	testkit.Eventually(t, "the queued message is sent", func() bool {
		return d.A.Get(t, "/messages/"+message).OK(200).Text("status") == "sent"
	})
	testkit.Eventually(t, "the waiting message is received", func() bool { return d.messages(t, id)["IN2"] != nil })
	if sent := d.phone.Sent(); len(sent) != 2 || sent[1].Message.GetConversation() != "meanwhile" {
		t.Errorf("the phone got %v, want each message once", sent)
	}
	if got := d.phone.Peak(); got != 1 {
		t.Errorf("%d nodes were connected at the same time", got)
	}
}
