package whatsapp_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/channels/simulator"
	"recado/internal/kernel"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestCallbacksAreVerifiedAndStored(t *testing.T) {
	eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
		body := batch(0, 1)
		t.Run("without a valid signature the status is 401 and nothing is stored", func(t *testing.T) {
			other := "sha256=" + simulator.Sign("another secret", body)
			for name, signature := range map[string]string{"missing": "", "malformed": "sha256=xyz", "of another secret": other} {
				if status := call(t, s.callback(), signature, body); status != 401 {
					t.Errorf("signature %s: got status %d, want 401", name, status)
				}
			}
			right := "sha256=" + simulator.Sign(simulator.DefaultAppSecret, body)
			if status := call(t, s.callback(), right, append(bytes.Clone(body), ' ')); status != 401 {
				t.Errorf("altered body: got status %d, want 401", status)
			}
			if status := call(t, strings.Replace(s.callback(), s.channel, kernel.NewID().String(), 1), right, body); status != 401 {
				t.Errorf("another channel: got status %d, want 401", status)
			}
			if all := s.A.Get(t, "/conversations").OK(200).List(); len(all) != 0 {
				t.Fatalf("got the conversations %v, want none", all)
			}
		})
		t.Run("a callback for a number that is not connected is kept as a notice only", func(t *testing.T) {
			foreign := []byte(strings.ReplaceAll(string(body), simulator.DefaultNumberID, "300000000000009"))
			if status := call(t, s.callback(), "sha256="+simulator.Sign(simulator.DefaultAppSecret, foreign), foreign); status != 200 {
				t.Errorf("got status %d, want 200", status)
			}
			if all := s.A.Get(t, "/conversations").OK(200).List(); len(all) != 0 {
				t.Fatalf("got the conversations %v, want none", all)
			}
			n := s.notices(t)
			testkit.Equal(t, "number of notices", len(n), 1)
			testkit.Equal(t, "kind of the notice", n[0].Kind, "other_number")
			if !bytes.Equal(n[0].Raw, foreign) {
				t.Fatalf("got the notice %s, want %s", n[0].Raw, foreign)
			}
		})
		t.Run("a callback that is retried with a valid signature is stored once", func(t *testing.T) {
			s.sim.SetDelivery(simulator.Delivery{WrongSignature: 1})
			conversation, _ := s.customer(t, simulator.Inbound{Customer: "5511912345678", Text: "oi"})
			s.sim.SetDelivery(simulator.Delivery{})
			testkit.Equal(t, "number of messages", len(s.messages(t, conversation)), 1)
		})
		t.Run("the handshake succeeds only with the right verify token", func(t *testing.T) {
			s.A.Patch(t, "/channels/"+s.channel, `{"credentials": {"verify_token": "chosen"}}`).OK(200)
			for token, want := range map[string]int{"chosen": 200, "guessed": 403, "": 403} {
				resp, err := http.Get(s.callback() + "?hub.mode=subscribe&hub.challenge=12345&hub.verify_token=" + token)
				must(t, err)
				got, _ := io.ReadAll(resp.Body)
				_ = resp.Body.Close()
				if resp.StatusCode != want || want == 200 && string(got) != "12345" {
					t.Errorf("verify token %q: got %d %s, want %d and the challenge on success", token, resp.StatusCode, got, want)
				}
			}
		})
		t.Run("an unknown field returns 200 and is kept once, unchanged", func(t *testing.T) {
			value := `{"decision": "PENDING", "something_new": [1, {"deep": true}]}`
			odd := []byte(`{"object": "whatsapp_business_account", "entry": [{"id": "1", "changes": [{"field": "field_of_tomorrow", "value": ` + value + `}]}]}`)
			for range 2 {
				if status := call(t, s.callback(), "sha256="+simulator.Sign(simulator.DefaultAppSecret, odd), odd); status != 200 {
					t.Errorf("got status %d, want 200", status)
				}
			}
			operator, err := s.Desk.People.Operator(t.Context(), s.A.ID)
			must(t, err)
			notices := s.notices(t)
			testkit.Equal(t, "number of notices", len(notices), 2)
			testkit.Equal(t, "kind of the notice", notices[0].Kind, "field_of_tomorrow")
			testkit.Equal(t, "raw notice", string(notices[0].Raw), value)
			if _, err := s.Desk.Channels.Notices(t.Context(), operator.Company.ID, kernel.NewID(), 10); kernel.CodeOf(err) != kernel.CodeNotFound {
				t.Errorf("notices of another channel: got %v, want not_found", err)
			}
		})
		t.Run("a body over 3 MiB is refused", func(t *testing.T) {
			large := bytes.Repeat([]byte(" "), 3<<20+1)
			if status := call(t, s.callback(), "sha256="+simulator.Sign(simulator.DefaultAppSecret, large), large); status != 413 {
				t.Errorf("got status %d, want 413", status)
			}
		})
	})
}

// notices returns the notices of the shop's channel, newest first.
func (s *shop) notices(t *testing.T) []provider.Notice {
	t.Helper()
	operator, err := s.Desk.People.Operator(t.Context(), s.A.ID)
	must(t, err)
	channel, _ := kernel.ParseID(s.channel)
	notices, err := s.Desk.Channels.Notices(t.Context(), operator.Company.ID, channel, 10)
	must(t, err)
	return notices
}

func TestAMessageThatFollowsAChangeOfThePhoneNumberIDIsStored(t *testing.T) {
	eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
		s.customer(t, simulator.Inbound{Customer: "5511955550001", Text: "antes"})
		const other = "200000000000077"
		must(t, s.sim.AddNumber(simulator.Number{ID: other, WABAID: simulator.DefaultWABAID, Phone: simulator.DefaultBusinessPhone, Name: "Loja"}))
		s.A.Patch(t, "/channels/"+s.channel, `{"credentials": {"phone_number_id": "`+other+`"}}`).OK(200)
		s.customer(t, simulator.Inbound{Number: other, Customer: "5511955550001", Text: "depois"})
	})
}

func TestACallbackForAnotherNumberIsStoredOnlyIfItSharesCompanyAndSecret(t *testing.T) {
	const same, others, secret = "200000000000077", "200000000000088", "200000000000099"
	var numbers []simulator.Number
	for i, id := range []string{simulator.DefaultNumberID, same, others, secret} {
		numbers = append(numbers, simulator.Number{ID: id, WABAID: simulator.DefaultWABAID, Phone: fmt.Sprintf("551190000%04d", i), Name: "Number"})
	}
	each(t, simulator.Options{Numbers: numbers}, func(t *testing.T, w *servertest.World, sim *simulator.Simulator) {
		s := &shop{World: w, sim: sim, channel: w.A.Post(t, "/channels", theNumber).OK(201).ID()}
		of := func(number string) string { return strings.Replace(theNumber, simulator.DefaultNumberID, number, 1) }
		second := w.A.Post(t, "/channels", of(same)).OK(201).ID()
		w.B.Post(t, "/channels", of(others)).OK(201)
		w.A.Post(t, "/channels", strings.Replace(of(secret), simulator.DefaultAppSecret, "another secret", 1)).OK(201)
		for _, number := range []string{same, others, secret} {
			body := []byte(strings.ReplaceAll(string(batch(0, 1)), simulator.DefaultNumberID, number))
			testkit.Equal(t, "status", call(t, s.callback(), "sha256="+simulator.Sign(simulator.DefaultAppSecret, body), body), 200)
		}
		all := w.A.Get(t, "/conversations").OK(200).List()
		if len(all) != 1 || all[0].(map[string]any)["channel"] != second {
			t.Errorf("got the conversations %v, want one, of the second number", all)
		}
		if all := w.B.Get(t, "/conversations").OK(200).List(); len(all) != 0 {
			t.Errorf("got the conversations %v in another company, want none", all)
		}
		if n := s.notices(t); len(n) != 2 || n[0].Kind != "other_number" || n[1].Kind != "other_number" {
			t.Errorf("got the notices %+v, want two of kind other_number", n)
		}
	})
}

// The test also logs the rate; use -v to see it.
func TestAThousandMessagesInOneCallbackAreAllStored(t *testing.T) {
	t.Parallel()
	_, graph := startSimulator(t, simulator.Options{})
	servertest.EachLive(t, func(t *testing.T, w *servertest.World) {
		number := w.A.Post(t, "/channels", theNumber).OK(201).ID()
		address := w.URL + "/channels/" + number + "/whatsapp"
		const batches, size = 2, 1000 // the first of new customers, the second of known ones
		began, used := time.Now(), processorTime(t)
		for i := range batches {
			body := batch(i*size, size)
			testkit.Equal(t, "status", call(t, address, "sha256="+simulator.Sign(simulator.DefaultAppSecret, body), body), 200)
		}
		took := time.Since(began)
		t.Logf("%d messages of %d people in %v: %.0f per second; %.0f per second of processor time, including the sender's",
			batches*size, customers, took.Round(time.Millisecond), batches*size/took.Seconds(), batches*size/(processorTime(t)-used).Seconds())
		count := 0
		for offset := 0; ; offset += 100 {
			page := w.A.Get(t, fmt.Sprintf("/conversations?limit=100&offset=%d", offset)).OK(200)
			for _, c := range page.List() {
				count += int(c.(map[string]any)["unread_count"].(float64))
			}
			if page.At("has_more") != true {
				break
			}
		}
		if count != batches*size {
			t.Fatalf("got %d messages, want %d", count, batches*size)
		}
	}, withGraph(graph))
}

// processorTime returns the processor time of this process, which depends less on a busy machine than elapsed time.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	must(t, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// customers is the number of customers in a batch.
const customers = 250

// batch returns a callback with n text messages, numbered from first.
func batch(first, n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"object":"whatsapp_business_account","entry":[{"id":"` + simulator.DefaultWABAID + `","changes":[`)
	for i := first; i < first+n; i++ {
		if i > first {
			b.WriteByte(',')
		}
		phone := fmt.Sprintf("55119%08d", 10000000+i%customers)
		fmt.Fprintf(&b, `{"field":"messages","value":{"messaging_product":"whatsapp","metadata":{"display_phone_number":"5511900000000","phone_number_id":%q},`+
			`"contacts":[{"profile":{"name":"Cliente %d"},"wa_id":%q}],"messages":[{"from":%q,"id":"wamid.batch%d","timestamp":"%d","type":"text","text":{"body":"Mensagem número %d"}}]}}`,
			simulator.DefaultNumberID, i%customers, phone, phone, i, time.Now().Unix(), i)
	}
	b.WriteString(`]}]}`)
	return b.Bytes()
}

// call posts a callback like Meta and returns the status.
func call(t *testing.T, address, signature string, body []byte) int {
	t.Helper()
	r, err := http.NewRequest("POST", address, bytes.NewReader(body))
	must(t, err)
	if signature != "" {
		r.Header.Set("X-Hub-Signature-256", signature)
	}
	resp, err := http.DefaultClient.Do(r)
	must(t, err)
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode
}
