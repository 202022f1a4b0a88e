package api_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/server"
	"recado/internal/tasks"
	"recado/test/kerneltest"
	"recado/test/servertest"
	"recado/test/testkit"
)

// counting is a kind of job for tests that counts to a number. After each step it waits for a permission.
type counting struct {
	desk *server.Desk
	may  chan struct{}

	mu      sync.Mutex
	steps   []int // that were committed
	running int
	most    int // running at the same time
}

type countingState struct {
	Done int `json:"done"`
}

func newCounting() *counting { return &counting{may: make(chan struct{}, 100)} }

// option registers the kind with a server.
func (c *counting) option(config *server.Config) {
	config.Extensions = append(config.Extensions, func(d *server.Desk) httpserver.Capability {
		c.desk = d
		d.Tasks.Register(tasks.Kind{Name: "count", Run: c.run})
		d.Tasks.Register(tasks.Kind{Name: "count_for_good", Run: c.run, Irrevocable: true})
		d.Tasks.Register(tasks.Kind{Name: "refuse", Run: func(context.Context, *tasks.Run) error {
			return kernel.Errorf(kernel.CodeNameTaken, "No.")
		}})
		d.Tasks.Register(tasks.Kind{Name: "write", Run: c.write, Personal: true, Shared: []string{"errors"}})
		return httpserver.Capability{}
	})
}

func (c *counting) run(ctx context.Context, run *tasks.Run) error {
	c.mu.Lock()
	c.running++
	c.most = max(c.most, c.running)
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.running--
		c.mu.Unlock()
	}()
	var to int
	var at countingState
	if err := run.Read(&to, &at); err != nil {
		return err
	}
	for ; at.Done < to; at.Done++ {
		select {
		case <-c.may:
		case <-ctx.Done():
			return ctx.Err()
		}
		step := at.Done + 1
		err := c.desk.Kernel.Store.Write(ctx, func(tx *kernel.Tx) error {
			if _, err := run.Principal(tx); err != nil {
				return err
			}
			return run.Save(tx, countingState{step}, int64(step), int64(to))
		})
		if err != nil {
			return err
		}
		c.mu.Lock()
		c.steps = append(c.steps, step)
		c.mu.Unlock()
	}
	return c.desk.Kernel.Store.Write(ctx, func(tx *kernel.Tx) error { return run.Done(tx, map[string]any{"counted": to}, nil) })
}

// write copies the uploaded file to a result.
func (c *counting) write(ctx context.Context, run *tasks.Run) error {
	files, err := run.Files(ctx)
	if err != nil || len(files) != 1 {
		return errors.Join(err, errors.New("want one file"))
	}
	file, err := run.Create(ctx, "cópia.txt", "text/plain", func(w io.Writer) error {
		r, _, err := run.Open(ctx, files[0].ID)
		if err != nil {
			return err
		}
		_, err = io.Copy(w, r)
		return errors.Join(err, r.Close())
	})
	if err != nil {
		return err
	}
	return c.desk.Kernel.Store.Write(ctx, func(tx *kernel.Tx) error {
		return run.Done(tx, map[string]any{"lines": 7, "first": "Maria", "rows": []string{"Maria"}, "errors": []int{3}, "url": nil}, &file.ID)
	})
}

// start starts a job as the owner of company A.
func (c *counting) start(t *testing.T, w *servertest.World, kind string, input any, files ...kernel.ID) string {
	t.Helper()
	a := c.principal(t, w)
	j, err := kernel.Write(t.Context(), c.desk.Kernel, func(tx *kernel.Tx) (tasks.Job, error) {
		return c.desk.Tasks.Start(tx, a, tasks.NewJob{Kind: kind, Input: input, Files: files})
	})
	if err != nil {
		t.Fatal(err)
	}
	return j.ID.String()
}

// principal returns a principal of the key of company A.
func (c *counting) principal(t *testing.T, w *servertest.World) *kernel.Principal {
	t.Helper()
	a, err := c.desk.People.Authenticate(t.Context(), w.A.Secret())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func ended(t *testing.T, client *servertest.Client, job string) *servertest.Answer {
	t.Helper()
	var last *servertest.Answer
	testkit.Eventually(t, "the job has ended", func() bool {
		last = client.Get(t, "/jobs/"+job).OK(200)
		return last.Text("status") != "running"
	})
	return last
}

func TestJobsShowTheirProgressAndTheirResult(t *testing.T) {
	c := newCounting()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id := c.start(t, w, "count", 2)
		j := w.A.Get(t, "/jobs/"+id).OK(200)
		if j.Text("kind") != "count" || j.Text("status") != "running" || j.At("result") != nil || j.At("error") != nil || j.At("finished_at") != nil || j.At("cancellable") != true {
			t.Errorf("a new job: got %v", j.At())
		}
		c.may <- struct{}{}
		testkit.Eventually(t, "a step is done", func() bool {
			j := w.A.Get(t, "/jobs/"+id).OK(200)
			return j.Int("progress", "done") == 1 && j.Int("progress", "total") == 2
		})
		c.may <- struct{}{}
		j = ended(t, w.A.Client, id)
		if j.Text("status") != "done" || j.Int("result", "counted") != 2 || j.Int("progress", "done") != 2 || j.At("finished_at") == nil || j.At("cancellable") != false {
			t.Errorf("an ended job: got %v", j.At())
		}
		w.A.Post(t, "/jobs/"+id+"/cancel", nil).Fails(409, "job_finished")
		w.B.Get(t, "/jobs/"+id).Fails(404, "not_found")
		if n := len(w.B.Get(t, "/jobs").OK(200).List("data")); n != 0 {
			t.Errorf("another company sees %d jobs, want none", n)
		}
	}, c.option)
}

func TestJobsOfACompanyRunOneAfterTheOther(t *testing.T) {
	c := newCounting()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		first, second := c.start(t, w, "count", 1), c.start(t, w, "count", 1)
		list := w.A.Get(t, "/jobs?kind=count&status=running&limit=1").OK(200)
		if list.Text("data", 0, "id") != second {
			t.Errorf("the first job of the list: got %v, want the newest", list.At("data", 0))
		}
		list = w.A.Get(t, "/jobs?kind=count&status=running&limit=1&cursor="+list.Text("next_cursor")).OK(200)
		if list.Text("data", 0, "id") != first || list.At("next_cursor") != nil {
			t.Errorf("the second page: got %v", list.At())
		}
		if n := len(w.A.Get(t, "/jobs?kind=other").OK(200).List("data")); n != 0 {
			t.Errorf("jobs of another kind: got %d, want none", n)
		}
		c.may <- struct{}{}
		ended(t, w.A.Client, first)
		if j := w.A.Get(t, "/jobs/"+second).OK(200); j.Text("status") != "running" || j.Int("progress", "done") != 0 {
			t.Errorf("the second job: got %v, want it to wait", j.At())
		}
		c.may <- struct{}{}
		ended(t, w.A.Client, second)
		if c.most != 1 {
			t.Errorf("%d jobs ran at the same time, want 1", c.most)
		}
	}, c.option)
}

func TestACursorOfDryRunsIsAcceptedHoweverTheFilterIsWritten(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for range 2 {
			sendImport(t, w.A.Client, "contacts.csv", "nome;telefone\nBia;+5511987650002\n", "kind", "contacts", "dry_run", "true").OK(202)
		}
		next := w.A.Get(t, "/jobs?dry_run=1&limit=1").OK(200).Text("next_cursor")
		testkit.Equal(t, "jobs of the next page", len(w.A.Get(t, "/jobs?dry_run=true&limit=1&cursor="+next).OK(200).List("data")), 1)
		w.A.Get(t, "/jobs?dry_run=0&limit=1&cursor="+next).Fails(400, "invalid_cursor")
	})
}

func TestACancelledJobDoesNothingMore(t *testing.T) {
	c := newCounting()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		c.steps = nil
		id := c.start(t, w, "count", 3)
		c.may <- struct{}{}
		testkit.Eventually(t, "a step is done", func() bool { return w.A.Get(t, "/jobs/"+id).OK(200).Int("progress", "done") == 1 })
		j := w.A.Post(t, "/jobs/"+id+"/cancel", nil).OK(200)
		if j.Text("status") != "failed" || j.Text("error", "code") != "cancelled" || j.At("finished_at") == nil {
			t.Errorf("got %v, want a cancelled job", j.At())
		}
		c.may <- struct{}{}
		next := c.start(t, w, "count", 0) // runs when the first has stopped
		ended(t, w.A.Client, next)
		if got := w.A.Get(t, "/jobs/"+id).OK(200); got.Int("progress", "done") != 1 || len(c.steps) != 1 {
			t.Errorf("got %v after the steps %v, want one step", got.At(), c.steps)
		}
		audit := w.A.Get(t, "/audit?action=job.cancelled").OK(200)
		if audit.Text("data", 0, "subject", "id") != id {
			t.Errorf("audit: got %v", audit.At())
		}
	}, c.option)
}

func TestSomeJobsCannotBeCancelledAfterTheyHaveBegun(t *testing.T) {
	c := newCounting()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id, waiting := c.start(t, w, "count_for_good", 2), c.start(t, w, "count_for_good", 1)
		c.may <- struct{}{}
		testkit.Eventually(t, "a step is done", func() bool { return w.A.Get(t, "/jobs/"+id).OK(200).Int("progress", "done") == 1 })
		if w.A.Get(t, "/jobs/"+id).OK(200).At("cancellable") != false {
			t.Error("got a cancellable job, want one that is not")
		}
		w.A.Post(t, "/jobs/"+id+"/cancel", nil).Fails(409, "job_not_cancellable")
		w.A.Post(t, "/jobs/"+waiting+"/cancel", nil).OK(200)
		c.may <- struct{}{}
		if j := ended(t, w.A.Client, id); j.Text("status") != "done" {
			t.Errorf("got %v, want done", j.At())
		}
	}, c.option)
}

func TestAJobFailsWithTheCodeOfARefusal(t *testing.T) {
	c := newCounting()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		j := ended(t, w.A.Client, c.start(t, w, "refuse", nil))
		if j.Text("status") != "failed" || j.Text("error", "code") != "name_taken" || j.Text("error", "message") != "No." {
			t.Errorf("got %v, want name_taken", j.At())
		}
	}, c.option)
}

func TestAJobFailsWhenThePersonWhoStartedItMayNotManageDataAnyMore(t *testing.T) {
	c := newCounting()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		key, client := w.NewKey(t, w.A.ID, people.NewKey{Name: "k", Scopes: kernel.NewScopeSet(kernel.AllScopes...)})
		a, err := c.desk.People.Authenticate(t.Context(), client.Secret())
		if err != nil {
			t.Fatal(err)
		}
		j, err := kernel.Write(t.Context(), c.desk.Kernel, func(tx *kernel.Tx) (tasks.Job, error) {
			return c.desk.Tasks.Start(tx, a, tasks.NewJob{Kind: "count", Input: 1})
		})
		if err != nil {
			t.Fatal(err)
		}
		w.A.Delete(t, "/keys/"+key.ID.String()).OK(204)
		c.may <- struct{}{}
		if j := ended(t, w.A.Client, j.ID.String()); j.Text("error", "code") != "key_revoked" {
			t.Errorf("got %v, want key_revoked", j.At())
		}
	}, c.option)
}

// A server is stopped in the middle of a job, and another one continues on the same database.
func TestAJobContinuesAfterARestartAndEachBatchHappensOnce(t *testing.T) {
	kerneltest.EachURL(t, func(t *testing.T, url string) {
		c, dir := newCounting(), t.TempDir()
		folder := func(config *server.Config) { config.DataDir = dir }
		w := servertest.Start(t, url, c.option, folder)
		id := c.start(t, w, "count", 3)
		c.may <- struct{}{}
		testkit.Eventually(t, "a step is done", func() bool { return w.A.Get(t, "/jobs/"+id).OK(200).Int("progress", "done") == 1 })
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := w.Stop(ctx); err != nil {
			t.Fatal(err)
		}
		again := servertest.Start(t, url, c.option, folder)
		client := again.A.Visitor().As(w.A.Secret())
		c.may <- struct{}{}
		c.may <- struct{}{}
		if j := ended(t, client, id); j.Text("status") != "done" || j.Int("result", "counted") != 3 {
			t.Errorf("got %v, want done", j.At())
		}
		if len(c.steps) != 3 || c.steps[0] != 1 || c.steps[1] != 2 || c.steps[2] != 3 {
			t.Errorf("got the steps %v, want each once", c.steps)
		}
	})
}

func TestTheLinkToTheFileOfAJobWorksForADayAndOthersGetNothingAboutPeople(t *testing.T) {
	c := newCounting()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		file, err := c.desk.Tasks.Upload(t.Context(), w.A.ID, "in.txt", strings.NewReader("olá"), 100)
		if err != nil {
			t.Fatal(err)
		}
		id := c.start(t, w, "write", nil, file.ID)
		j := ended(t, w.A.Client, id)
		url := j.Text("result", "url")
		status, body, header := download(t, url)
		if status != 200 || body != "olá" || !strings.Contains(header.Get("Content-Disposition"), "filename*=UTF-8''c%C3%B3pia.txt") {
			t.Errorf("got %d, %q, %v", status, body, header)
		}
		expires, err := time.Parse(time.RFC3339, j.Text("result", "expires_at"))
		if err != nil || expires.Sub(w.Clock.Now()) > 24*time.Hour || expires.Sub(w.Clock.Now()) < 23*time.Hour {
			t.Errorf("the link expires at %v, want in 24 hours", expires)
		}
		for _, other := range []string{strings.Replace(url, "signature=", "signature=A", 1), strings.Replace(url, "expires=", "expires=9", 1), strings.Replace(url, w.A.ID.String(), w.B.ID.String(), 1)} {
			if status, _, _ := download(t, other); status != 404 {
				t.Errorf("%s: got %d, want 404", other, status)
			}
		}
		_, colleague := w.NewMemberKey(t, people.NewUser{Name: "Bia", Role: kernel.RoleOwner, AccessProfile: kernel.AccessAll})
		want := fmt.Sprintf("map[errors:[3] expires_at:%s first:<nil> lines:7 rows:[] url:<nil>]", j.Text("result", "expires_at"))
		testkit.Equal(t, "the result for another person", fmt.Sprint(colleague.Get(t, "/jobs/"+id).OK(200).At("result")), want)
		testkit.Equal(t, "the result in the list of another person", fmt.Sprint(colleague.Get(t, "/jobs").OK(200).At("data", 0, "result")), want)
		w.Clock.Advance(25 * time.Hour)
		if status, _, _ := download(t, url); status != 404 {
			t.Errorf("after a day: got %d, want 404", status)
		}
		if _, err := c.desk.Tasks.Purge(t.Context()); err != nil {
			t.Fatal(err)
		}
		if j := w.A.Get(t, "/jobs/"+id).OK(200); j.At("result", "url") != nil || j.Int("result", "lines") != 7 {
			t.Errorf("after a day: got %v", j.At())
		}
		w.Clock.Advance(30 * 24 * time.Hour)
		if _, err := c.desk.Tasks.Purge(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.A.Get(t, "/jobs/"+id).Fails(404, "not_found")
	}, c.option)
}

func TestAnErasureRemovesTheResultsOfJobs(t *testing.T) {
	c := newCounting()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		file, err := c.desk.Tasks.Upload(t.Context(), w.A.ID, "in.txt", strings.NewReader("Maria"), 100)
		if err != nil {
			t.Fatal(err)
		}
		id := c.start(t, w, "write", nil, file.ID)
		url := ended(t, w.A.Client, id).Text("result", "url")
		if err := c.desk.Tasks.EraseSubject(t.Context(), w.A.ID, kernel.NewID(), kernel.NewID()); err != nil {
			t.Fatal(err)
		}
		result := w.A.Get(t, "/jobs/"+id).OK(200).At("result")
		testkit.Equal(t, "the result", fmt.Sprint(result), "map[errors:[3] first:<nil> lines:7 rows:[] url:<nil>]")
		if status, _, _ := download(t, url); status != 404 {
			t.Errorf("the file: got %d, want 404", status)
		}
	}, c.option)
}

func TestAJobAboutAPrivateNumberIsForItsViewers(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		_, email := member(t, w.A.Client, "Ada", `"role":"owner"`)
		owner, viewer := w.A.Enter(t, w.A.Owner.ID.String(), password), w.A.SignIn(t, email, password)
		channel := viewer.Post(t, "/channels", `{"name":"Board","phone":"+551140028922","provider":"sandbox","private":true}`).OK(201).ID()
		receiveConfidentialMessage(t, w, channel)
		contact := viewer.Get(t, "/contacts?channel="+channel).OK(200)
		at := "/contacts/" + contact.Text("data", 0, "id")
		chat := func(dryRun string) *servertest.Answer {
			return sendImport(t, viewer, "chat.txt", chatOfAna, "kind", "chat", "channel", channel, "phone", "+5511987650001", "me", "Loja", "dry_run", dryRun)
		}
		erasure := map[string]any{"confirm_phone": contact.At("data", 0, "phone"), "reason": "request"}
		var jobs []string
		for _, started := range []*servertest.Answer{chat("true"), chat("false"), viewer.Post(t, at+"/export", nil), viewer.Post(t, at+"/erase", erasure)} {
			jobs = append(jobs, started.OK(202).ID())
		}
		for who, c := range map[string]*servertest.Client{"another owner": owner, "a key": w.A.Client} {
			testkit.Equal(t, who+": jobs", len(c.Get(t, "/jobs").OK(200).List("data")), 0)
			for _, id := range jobs {
				c.Get(t, "/jobs/"+id).Fails(404, "not_found")
				c.Post(t, "/jobs/"+id+"/cancel", nil).Fails(404, "not_found")
			}
		}
		testkit.Equal(t, "jobs of a viewer", len(viewer.Get(t, "/jobs").OK(200).List("data")), len(jobs))
		for _, id := range jobs {
			ended(t, viewer, id)
		}
		viewer.Patch(t, "/channels/"+channel, `{"private":false,"confirm":true}`).OK(200)
		testkit.Equal(t, "jobs once it is public", len(owner.Get(t, "/jobs").OK(200).List("data")), len(jobs))
	})
}

func TestAnErasureCancelsWaitingDryRunsOfImports(t *testing.T) {
	c := newCounting()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		c.start(t, w, "count", 1)
		send := func(dryRun string) string {
			return sendImport(t, w.A.Client, "contacts.csv", "nome;telefone\nBia;+5511987650002\n", "kind", "contacts", "dry_run", dryRun).OK(202).ID()
		}
		dry, real := send("true"), send("false")
		if err := c.desk.Tasks.EraseSubject(t.Context(), w.A.ID, kernel.NewID(), kernel.NewID()); err != nil {
			t.Fatal(err)
		}
		testkit.Equal(t, "the dry run", w.A.Get(t, "/jobs/"+dry).OK(200).Text("error", "code"), "cancelled")
		c.may <- struct{}{}
		testkit.Equal(t, "the import", ended(t, w.A.Client, real).Text("status"), "done")
	}, c.option)
}

// download gets a link without a key.
func download(t *testing.T, url string) (int, string, http.Header) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body), resp.Header
}
