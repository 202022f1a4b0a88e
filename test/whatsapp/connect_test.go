package whatsapp_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"recado/internal/channels/simulator"
	"recado/internal/kernel"
	"recado/internal/server"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestConnectingANumber(t *testing.T) {
	each(t, simulator.Options{}, func(t *testing.T, w *servertest.World, sim *simulator.Simulator) {
		t.Run("credentials that Meta rejects return 400 with Meta's message", func(t *testing.T) {
			refused := w.A.Post(t, "/channels", strings.Replace(theNumber, simulator.DefaultToken, "stolen", 1)).Fails(400, "invalid_request")
			testkit.Equal(t, "details.0.field", refused.Text("details", 0, "field"), "body.credentials.token")
			testkit.Contains(t, "message", refused.Text("message"), "Invalid OAuth access token")
			unknown := w.A.Post(t, "/channels", strings.Replace(theNumber, simulator.DefaultNumberID, "999", 1)).Fails(400, "invalid_request")
			testkit.Equal(t, "details.0.field", unknown.Text("details", 0, "field"), "body.credentials.phone_number_id")
			account := w.A.Post(t, "/channels", strings.Replace(theNumber, simulator.DefaultWABAID, "999", 1)).Fails(400, "invalid_request")
			testkit.Equal(t, "details.0.field", account.Text("details", 0, "field"), "body.credentials.waba_id")
			if all := w.A.Get(t, "/channels").OK(200).List(); len(all) != 0 {
				t.Fatalf("got the channels %v, want none", all)
			}
		})
		t.Run("invalid fields are refused", func(t *testing.T) {
			w.A.Post(t, "/channels", `{"name": "x", "provider": "whatsapp"}`).Fails(400, "invalid_request")
			w.A.Post(t, "/channels", `{"name": "x", "provider": "sandbox"}`).Fails(400, "invalid_request")
			w.A.Post(t, "/channels", strings.Replace(theNumber, `"whatsapp"`, `"sandbox", "phone": "+5511912345678"`, 1)).Fails(400, "invalid_request")
			w.A.Post(t, "/channels", strings.Replace(theNumber, `"token"`, `"api_base": "http://10.0.0.1", "token"`, 1)).Fails(400, "invalid_request")
			other := w.A.Post(t, "/channels", strings.Replace(theNumber, `"provider"`, `"phone": "+5511912345678", "provider"`, 1)).Fails(400, "invalid_request")
			testkit.Equal(t, "details.0.field", other.Text("details", 0, "field"), "body.phone")
		})

		made := w.A.Post(t, "/channels", theNumber).OK(201)
		path := "/channels/" + made.ID()
		t.Run("the phone comes from Meta, and responses contain no secrets", func(t *testing.T) {
			testkit.Equal(t, "phone", made.Text("phone"), "+"+simulator.DefaultBusinessPhone)
			testkit.Equal(t, "status", made.Text("status"), "connected")
			testkit.Equal(t, "warning", made.At("warning"), nil)
			for _, answer := range []*servertest.Answer{made, w.A.Get(t, "/channels"), w.A.Patch(t, path, `{}`), w.A.Get(t, "/audit")} {
				if strings.Contains(string(answer.Raw), simulator.DefaultToken) || strings.Contains(string(answer.Raw), simulator.DefaultAppSecret) {
					t.Fatalf("got a token or app secret in %s", answer.Raw)
				}
			}
		})
		t.Run("the callback address and the verify token can be read again, the secrets cannot", func(t *testing.T) {
			connection := w.A.Get(t, path+"/connection").OK(200)
			if got := connection.Text("callback_url"); !strings.HasSuffix(got, path+"/whatsapp") || !strings.HasPrefix(got, "http") {
				t.Errorf("got the callback_url %q, want the URL of the channel's callbacks", got)
			}
			testkit.Equal(t, "phone_number_id", connection.Text("phone_number_id"), simulator.DefaultNumberID)
			testkit.Equal(t, "waba_id", connection.Text("waba_id"), simulator.DefaultWABAID)
			testkit.Equal(t, "coexistence", connection.At("coexistence"), false)
			if connection.Text("verify_token") == "" {
				t.Error("got no verify_token, want a generated one")
			}
			if strings.Contains(string(connection.Raw), simulator.DefaultToken) || strings.Contains(string(connection.Raw), simulator.DefaultAppSecret) {
				t.Errorf("got a token or app secret in %s", connection.Raw)
			}
			w.B.Get(t, path+"/connection").Fails(404, "not_found")
			box := w.A.Post(t, "/channels", `{"name": "Box", "phone": "+5511912340000", "provider": "sandbox"}`).OK(201).ID()
			testkit.Equal(t, "callback_url of a sandbox", w.A.Get(t, "/channels/"+box+"/connection").OK(200).At("callback_url"), nil)
		})
		t.Run("a number can be connected only once, in any company", func(t *testing.T) {
			for _, company := range []*servertest.Company{w.A, w.B} {
				taken := company.Post(t, "/channels", theNumber).Fails(400, "invalid_request")
				testkit.Equal(t, "details.0.field", taken.Text("details", 0, "field"), "body.credentials.phone_number_id")
				if strings.Contains(string(taken.Raw), w.A.ID.String()) {
					t.Fatalf("got the id of the other company in %s", taken.Raw)
				}
			}
		})
		t.Run("a number of another company is refused like one that Meta does not know", func(t *testing.T) {
			taken := w.B.Post(t, "/channels", theNumber).Fails(400, "invalid_request")
			unknown := w.B.Post(t, "/channels", strings.Replace(theNumber, simulator.DefaultNumberID, "999", 1)).Fails(400, "invalid_request")
			if got, want := taken.Text("message"), unknown.Text("message"); got != want {
				t.Errorf("got the message %q, want %q", got, want)
			}
			if got := w.A.Post(t, "/channels", theNumber).Fails(400, "invalid_request").Text("message"); !strings.Contains(got, "already connected") {
				t.Errorf("connecting again in the same company: got the message %q, want \"already connected\"", got)
			}
		})
		t.Run("a test asks Meta and returns its response", func(t *testing.T) {
			works := w.A.Post(t, path+"/test", nil).OK(200)
			testkit.Equal(t, "ok", works.At("ok"), true)
			testkit.Equal(t, "phone", works.Text("phone"), made.Text("phone"))
			testkit.Equal(t, "status", works.Text("status"), "CONNECTED")
			testkit.Equal(t, "quality", works.Text("quality"), "GREEN")
			must(t, sim.SetToken(simulator.DefaultToken, "expired"))
			broken := w.A.Post(t, path+"/test", nil).OK(200)
			testkit.Equal(t, "ok", broken.At("ok"), false)
			testkit.Equal(t, "error.code", broken.Text("error", "code"), "token_rejected")
			must(t, sim.SetToken(simulator.DefaultToken, "valid"))
			must(t, sim.SetNumberStatus("", "BANNED"))
			banned := w.A.Post(t, path+"/test", nil).OK(200)
			testkit.Equal(t, "ok", banned.At("ok"), false)
			testkit.Equal(t, "status", banned.Text("status"), "BANNED")
			must(t, sim.SetNumberStatus("", "CONNECTED"))
			w.B.Post(t, path+"/test", nil).Fails(404, "not_found")
			w.A.Post(t, "/channels/"+kernel.NewID().String()+"/test", nil).Fails(404, "not_found")
		})
		t.Run("it can be disconnected, and reconnected only with valid credentials", func(t *testing.T) {
			off := w.A.Patch(t, path, `{"status": "disconnected"}`).OK(200)
			testkit.Equal(t, "status", off.Text("status"), "disconnected")
			testkit.Equal(t, "status_reason", off.Text("status_reason", "code"), "disconnected_by_team")
			must(t, sim.SetToken(simulator.DefaultToken, "revoked"))
			w.A.Patch(t, path, `{"status": "connected"}`).Fails(409, "channel_disconnected")
			refused := w.A.Patch(t, path, `{"credentials": {"token": "worse"}}`).Fails(400, "invalid_request")
			testkit.Equal(t, "details.0.field", refused.Text("details", 0, "field"), "body.credentials.token")
			must(t, sim.SetToken("renewed", "valid"))
			on := w.A.Patch(t, path, `{"credentials": {"token": "renewed"}}`).OK(200)
			testkit.Equal(t, "status", on.Text("status"), "connected")
			testkit.Equal(t, "status_reason", on.At("status_reason"), nil)
		})
		t.Run("new credentials must belong to the same number", func(t *testing.T) {
			must(t, sim.AddNumber(simulator.Number{ID: "200000000000002", Phone: "5511900000002", Name: "Other"}))
			other := w.A.Patch(t, path, `{"credentials": {"phone_number_id": "200000000000002"}}`).Fails(400, "invalid_request")
			testkit.Equal(t, "details.0.field", other.Text("details", 0, "field"), "body.credentials.phone_number_id")
		})
		t.Run("a number that is not active yet is connected with a warning", func(t *testing.T) {
			must(t, sim.AddNumber(simulator.Number{ID: "200000000000003", Phone: "5511900000003", Name: "New", Status: "PENDING"}))
			body := strings.NewReplacer(simulator.DefaultNumberID, "200000000000003", simulator.DefaultToken, "renewed").Replace(theNumber)
			warning := w.A.Post(t, "/channels", body).OK(201)
			testkit.Equal(t, "warning.code", warning.Text("warning", "code"), "number_unavailable")
			testkit.Equal(t, "warning.params.status", warning.Text("warning", "params", "status"), "PENDING")
		})
		t.Run("a sandbox has nothing to connect to", func(t *testing.T) {
			box := w.A.Post(t, "/channels", `{"name": "Box", "phone": "+5511912345678", "provider": "sandbox"}`).OK(201)
			testkit.Equal(t, "ok", w.A.Post(t, "/channels/"+box.ID()+"/test", nil).OK(200).At("ok"), true)
			w.A.Patch(t, "/channels/"+box.ID(), `{"credentials": {"token": "x"}}`).Fails(400, "invalid_request")
			w.A.Patch(t, "/channels/"+box.ID(), `{"status": "disconnected"}`).OK(200)
			testkit.Equal(t, "status", w.A.Patch(t, "/channels/"+box.ID(), `{"status": "connected"}`).OK(200).Text("status"), "connected")
		})
	})
}

// notCalledYet is the code of the warning for a number that can send but does not receive.
const notCalledYet = "no_callbacks"

func TestANewNumberWarnsUntilItsCallbacksAreConfirmed(t *testing.T) {
	t.Parallel()
	var asked chan struct{} // receives when WhatsApp is asked to confirm the callbacks
	var confirm func()      // lets WhatsApp respond
	held := func(c *server.Config) {
		sim, _ := startSimulator(t, simulator.Options{})
		reached, answer := make(chan struct{}, 1), make(chan struct{})
		asked, confirm = reached, sync.OnceFunc(func() { close(answer) })
		c.WhatsAppBaseURL = testkit.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/"+simulator.DefaultNumberID) {
				reached <- struct{}{}
				<-answer
			}
			sim.ServeHTTP(w, r)
		}))
	}
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		defer confirm()
		made := make(chan *servertest.Answer, 1)
		go func() { made <- w.A.Post(t, "/channels", theNumber) }()
		select {
		case <-asked:
		case answer := <-made:
			t.Fatalf("got %s before WhatsApp confirmed the callbacks", answer.Raw)
		}
		known := w.A.Get(t, "/channels").OK(200)
		testkit.Equal(t, "status before WhatsApp has confirmed", known.Text("data", 0, "status"), "connected")
		testkit.Equal(t, "warning before WhatsApp has confirmed", known.Text("data", 0, "warning", "code"), notCalledYet)
		confirm()
		testkit.Equal(t, "warning in the response", (<-made).OK(201).At("warning"), nil)
		testkit.Equal(t, "warning afterwards", w.A.Get(t, "/channels").OK(200).At("data", 0, "warning"), nil)
	}, held)
}

func TestANewNumberWhoseCallbacksWhatsAppRefusesKeepsItsWarning(t *testing.T) {
	each(t, simulator.Options{}, func(t *testing.T, w *servertest.World, sim *simulator.Simulator) {
		must(t, sim.AddFault(simulator.Fault{Preset: "permission_missing", Target: "callback", Always: true}))
		made := w.A.Post(t, "/channels", theNumber).OK(201)
		testkit.Equal(t, "warning.code", made.Text("warning", "code"), notCalledYet)
		testkit.Equal(t, "warning.params.cause", made.Text("warning", "params", "cause"), "permission_missing")
		testkit.Diff(t, "warning afterwards", w.A.Get(t, "/channels").OK(200).At("data", 0, "warning"), made.At("warning"))
	})
}
