package docs

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/server"
	"recado/test/servertest"
	"recado/test/testkit"
)

var pythonBlock = regexp.MustCompile("(?s)```python\n(.*?)```")

// startBot runs the bot from docs/reception.md with the key of a member created for it, and returns the id of its webhook.
func startBot(t *testing.T, w *servertest.World) string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	block := pythonBlock.FindStringSubmatch(documents(t)[filepath.Join("docs", "reception.md")])
	if block == nil {
		t.Fatal("docs/reception.md has no bot in Python")
	}
	script := filepath.Join(t.TempDir(), "bot.py")
	if err := os.WriteFile(script, []byte(block[1]), 0o600); err != nil {
		t.Fatal(err)
	}
	address := testkit.FreeAddress(t)
	_, port, _ := net.SplitHostPort(address)
	hook := w.A.Post(t, "/integrations/webhooks", map[string]any{"name": "bot", "url": "http://" + address, "events": []string{"message.received"}}).OK(201)
	member := w.NewMember(t, people.NewUser{Name: "Robô", Email: "bot@example.com", Role: kernel.RoleAgent, AccessProfile: kernel.AccessAll})
	scopes := kernel.NewScopeSet(people.ScopeConversationsRead, people.ScopeConversationsWrite, people.ScopeMessagesSend)
	_, key := w.NewKey(t, w.A.ID, people.NewKey{Name: "bot", Scopes: scopes, User: &member.ID})
	bot := exec.Command(python, script)
	bot.Env = append(os.Environ(), "API="+w.A.Base(), "KEY="+key.Secret(), "SECRET="+hook.Text("secret"), "PORT="+port)
	bot.Stderr = os.Stderr
	if err := bot.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = bot.Process.Kill()
		_ = bot.Wait()
	})
	testkit.Eventually(t, "the bot listens", func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	return hook.ID()
}

func TestTheDocumentedBotAnswersOnceAndIsSilentWhenAPersonHasTheCase(t *testing.T) {
	w := servertest.Start(t, "", func(c *server.Config) { c.Now = nil })
	hook := startBot(t, w)
	channel := w.A.Post(t, "/channels", `{"name":"Front desk","phone":"+551132345678","provider":"sandbox"}`).OK(201).ID()
	simulate := "/channels/" + channel + "/simulate"
	phone := func(n int) string { return fmt.Sprintf("+55119%08d", 10000000+n) }
	asks := func(n int) string {
		t.Helper()
		return w.A.Post(t, simulate, map[string]any{"from": phone(n), "text": "qual o horário?"}).OK(201).Text("conversation")
	}
	answers := func(conversation string) (n int) {
		for _, m := range w.A.Get(t, "/conversations/"+conversation+"/messages").OK(200).List() {
			if m := m.(map[string]any); m["origin"] == "api" && m["text"] == "Abrimos das 8h às 18h." {
				n++
			}
		}
		return n
	}
	// The bot handles events in sequence: once it has answered a later one, it has handled all earlier ones.
	others := 100
	handled := func() {
		t.Helper()
		deliveries := "/integrations/webhooks/" + hook + "/deliveries?limit=50"
		testkit.Eventually(t, "everything is delivered", func() bool {
			for _, d := range w.A.Get(t, deliveries).OK(200).List() {
				if d.(map[string]any)["status"] != "delivered" {
					return false
				}
			}
			return true
		})
		others++
		other := asks(others)
		testkit.Eventually(t, "the bot answers another customer", func() bool { return answers(other) == 1 })
	}

	first := asks(1)
	testkit.Eventually(t, "the bot answers", func() bool { return answers(first) > 0 })
	handled()
	testkit.Equal(t, "answers", answers(first), 1)
	testkit.Equal(t, "responsible", w.A.Get(t, "/conversations/"+first).OK(200).At("assignee"), nil)

	delivery := w.A.Get(t, "/integrations/webhooks/"+hook+"/deliveries?limit=50").OK(200)
	for i := range delivery.List() {
		w.A.Post(t, "/integrations/webhooks/"+hook+"/deliveries/"+delivery.Text("data", i, "id")+"/redeliver", nil).OK(200)
	}
	handled()
	testkit.Equal(t, "answers after the event was delivered again", answers(first), 1)

	asks(1)
	testkit.Eventually(t, "the bot answers a second question", func() bool { return answers(first) == 2 })

	w.A.Post(t, simulate, map[string]any{"from": phone(2), "text": "bom dia"}).OK(201)
	onPhone := w.A.Post(t, simulate, map[string]any{"from_phone_app": true, "to": phone(2), "text": "Bom dia, sou a Ana."}).OK(201).Text("conversation")
	person := w.A.Enter(t, w.A.Owner.ID.String(), "correct horse battery")
	person.Post(t, "/conversations/"+first+"/messages", map[string]any{"client_id": kernel.NewID(), "text": "Bom dia, sou a Ana."}).OK(201)
	asks(1)
	asks(2)
	handled()
	testkit.Equal(t, "answers after a person wrote in the app", answers(first), 2)
	testkit.Equal(t, "answers after a person wrote on the phone", answers(onPhone), 0)
}
