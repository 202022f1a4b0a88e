package api_test

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"recado/test/servertest"
	"recado/test/testkit"
)

// importForm returns the form of an import: a file and fields (name, value, name, value).
func importForm(t *testing.T, name, content string, fields ...string) (form []byte, contentType string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i < len(fields); i += 2 {
		if err := w.WriteField(fields[i], fields[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	part, err := w.CreateFormFile("file", name)
	if err == nil {
		_, err = io.WriteString(part, content)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), w.FormDataContentType()
}

func sendImport(t *testing.T, c *servertest.Client, name, content string, fields ...string) *servertest.Answer {
	t.Helper()
	form, kind := importForm(t, name, content, fields...)
	return c.Post(t, "/imports", form, "Content-Type", kind)
}

// importJob is a job of an import as the API returns it.
type importJob struct {
	ID       string `json:"id"`
	Kind     string `json:"kind"`
	Status   string `json:"status"`
	Progress struct {
		Done  int `json:"done"`
		Total int `json:"total"`
	} `json:"progress"`
	Result importResult `json:"result"`
	Error  *struct {
		Code string `json:"code"`
	} `json:"error"`
}

type importResult struct {
	Created     int           `json:"created"`
	Updated     int           `json:"updated"`
	Skipped     int           `json:"skipped"`
	Lines       int           `json:"lines"`
	Errors      []importError `json:"errors"`
	ErrorsTotal int           `json:"errors_total"`
	URL         *string       `json:"url"`
	Columns     []struct {
		Index   int      `json:"index"`
		Header  string   `json:"header"`
		Field   *string  `json:"field"`
		Samples []string `json:"samples"`
	} `json:"columns"`
	Preview []map[string]any `json:"preview"`

	Messages int `json:"messages"`
	Files    int `json:"files"`
	Senders  []struct {
		Name     string `json:"name"`
		Messages int    `json:"messages"`
	} `json:"senders"`
	FirstAt   string `json:"first_at"`
	LastAt    string `json:"last_at"`
	DateOrder string `json:"date_order"`

	Existing         int     `json:"existing"`
	FilesMissing     int     `json:"files_missing"`
	DateOrderCertain *bool   `json:"date_order_certain"`
	Me               *string `json:"me"`
	Conversation     string  `json:"conversation"`
	Contact          string  `json:"contact"`
}

type importError struct {
	Line    int    `json:"line"`
	Field   string `json:"field"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// finishImport waits for the end of an import.
func finishImport(t *testing.T, w *servertest.World, c *servertest.Client, started *servertest.Answer) (job importJob) {
	t.Helper()
	id := started.OK(202).ID()
	testkit.Eventually(t, "the import ends", func() bool {
		job = importJob{}
		if err := json.Unmarshal(c.Get(t, "/jobs/"+id).OK(200).Raw, &job); err != nil {
			t.Fatal(err)
		}
		return job.Status != "running"
	})
	return job
}

func importContacts(t *testing.T, w *servertest.World, csv string, fields ...string) importJob {
	t.Helper()
	job := finishImport(t, w, w.A.Client, sendImport(t, w.A.Client, "contacts.csv", csv, append(fields, "kind", "contacts")...))
	if job.Status != "done" || job.Kind != "contacts_import" {
		t.Fatalf("the job ended with %+v", job)
	}
	return job
}

type importedContact struct {
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	Phone    string         `json:"phone"`
	Company  *string        `json:"company"`
	City     *string        `json:"city"`
	LabelIDs []string       `json:"label_ids"`
	OptedOut bool           `json:"opted_out"`
	Fields   map[string]any `json:"fields"`
}

func contactsOf(t *testing.T, c *servertest.Client, query string) []importedContact {
	t.Helper()
	var page struct {
		Data []importedContact `json:"data"`
	}
	if err := json.Unmarshal(c.Get(t, "/contacts"+query).OK(200).Raw, &page); err != nil {
		t.Fatal(err)
	}
	return page.Data
}

func TestContactsAreImportedFromCSV(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.A.Post(t, "/fields", map[string]any{"entity": "contact", "key": "plan", "name": "Plano", "type": "choice", "options": []string{"Básico", "Ouro"}}).OK(201)
		known := w.A.Post(t, "/contacts", map[string]any{"name": "Bia", "phone": "+5511987650002", "company": "Aurora"}).OK(201).ID()

		file := "\uFEFFNome;Celular;Empresa;Cidade;Etiquetas;Plano;Observações\r\n" +
			"João;(11) 98765-0001;\"Padaria; \"\"Sol\"\"\";São Paulo;VIP, Novo;ouro;linha\r\n" +
			"Beatriz;11 98765-0002;;Santos;vip;;\r\n" +
			"Sem telefone;;;;;;\r\n" +
			"Errado;123;;;;;\r\n" +
			"Plano errado;11987650003;;;;Prata;\r\n" +
			"De novo;+55 11 8765-0001;;;;;\r\n" +
			";11987650004;;;;;\r\n"
		started := sendImport(t, w.A.Client, "contatos.csv", file, "kind", "contacts")
		job := finishImport(t, w, w.A.Client, started)
		got := job.Result
		if job.Status != "done" || got.Created != 2 || got.Updated != 1 || got.Skipped != 4 || got.ErrorsTotal != 4 || got.Lines != 7 {
			t.Fatalf("the import ended with %+v", job)
		}
		var wrong []string
		for _, e := range got.Errors {
			wrong = append(wrong, fmt.Sprint(e.Line, " ", e.Field, " ", e.Code))
			if e.Message == "" {
				t.Errorf("line %d has no message", e.Line)
			}
		}
		want := []string{"4 phone required", "5 phone malformed", "6 fields.plan one_of", "7 phone same_as_line"}
		if !slices.Equal(wrong, want) {
			t.Errorf("got %q, want %q", wrong, want)
		}
		if job.Progress.Done != 7 || job.Progress.Total != 7 {
			t.Errorf("the progress is %+v", job.Progress)
		}

		joao := contactsOf(t, w.A.Client, "?q=Jo%C3%A3o")
		if len(joao) != 1 || joao[0].Phone != "+5511987650001" || *joao[0].Company != `Padaria; "Sol"` || *joao[0].City != "São Paulo" || len(joao[0].LabelIDs) != 2 || joao[0].Fields["plan"] != "Ouro" {
			t.Errorf("João is %+v", joao)
		}
		var bia importedContact
		if err := json.Unmarshal(w.A.Get(t, "/contacts/"+known).OK(200).Raw, &bia); err != nil {
			t.Fatal(err)
		}
		if bia.Name != "Beatriz" || *bia.Company != "Aurora" || *bia.City != "Santos" || len(bia.LabelIDs) != 1 {
			t.Errorf("Bia is %+v", bia)
		}
		if nameless := contactsOf(t, w.A.Client, "?q=987650004"); len(nameless) != 1 || nameless[0].Name != "+5511987650004" {
			t.Errorf("the contact without a name is %+v", nameless)
		}
		if found := contactsOf(t, w.A.Client, "?field.plan=Ouro"); len(found) != 1 {
			t.Errorf("the filter by a field finds %+v", found)
		}

		t.Run("new labels and people who have opted out are audited", func(t *testing.T) {
			importContacts(t, w, "nome;telefone;opted_out\nLia;11987650077;sim\n")
			testkit.Diff(t, "labels", actions(t, w.A.Client, "action=label"), []string{"label.created", "label.created"})
			testkit.Diff(t, "contacts", actions(t, w.A.Client, "action=contact"), []string{"contact.opted_out"})
		})
		t.Run("the bad lines can be downloaded", func(t *testing.T) {
			resp, err := http.Get(*got.URL)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = resp.Body.Close() }()
			content, err := io.ReadAll(resp.Body)
			lines := strings.Split(string(content), "\r\n")
			if err != nil || len(lines) != 6 || lines[0] != "\uFEFFNome;Celular;Empresa;Cidade;Etiquetas;Plano;Observações;error;error_code" || !strings.HasPrefix(lines[4], "De novo;'+55 11 8765-0001;;;;;;phone: ") || !strings.HasSuffix(lines[4], ";same_as_line") {
				t.Errorf("got %q, %v", content, err)
			}
		})
		t.Run("a second import creates nothing", func(t *testing.T) {
			again := importContacts(t, w, file).Result
			if again.Created != 0 || again.Updated != 3 || again.Skipped != 4 {
				t.Errorf("got %+v", again)
			}
		})
		t.Run("it is in the audit", func(t *testing.T) {
			if entries := w.A.Get(t, "/audit?action=import.created").OK(200); !strings.Contains(string(entries.Raw), job.ID) {
				t.Errorf("got %s", entries.Raw)
			}
		})
		t.Run("other companies have nothing of it", func(t *testing.T) {
			if found := contactsOf(t, w.B.Client, ""); len(found) != 0 {
				t.Errorf("got %+v", found)
			}
			w.B.Get(t, "/jobs/"+job.ID).OK(404)
		})
	})
}

func TestADryRunOfAnImportChangesNothing(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.A.Post(t, "/contacts", map[string]any{"name": "Bia", "phone": "+5511987650002"}).OK(201)
		got := importContacts(t, w, "who,whatsapp,tags\nAna,11987650001,novo\nBeatriz,11987650002,\nX,1,\n", "dry_run", "true", "mapping", `{"who": "name"}`).Result
		if got.Created != 1 || got.Updated != 1 || got.Skipped != 1 || len(got.Columns) != 3 || len(got.Preview) != 3 {
			t.Fatalf("got %+v", got)
		}
		if c := got.Columns[0]; c.Index != 0 || c.Header != "who" || *c.Field != "name" || strings.Join(c.Samples, " ") != "Ana Beatriz X" {
			t.Errorf("the first column is %+v", c)
		}
		if p := got.Preview[0]; p["line"] != 2.0 || p["name"] != "Ana" || p["phone"] != "+5511987650001" || p["outcome"] != "created" {
			t.Errorf("the preview begins with %+v", p)
		}
		if p := got.Preview[2]; p["name"] != "X" || p["outcome"] != "skipped" {
			t.Errorf("the preview ends with %+v", p)
		}
		if all := contactsOf(t, w.A.Client, ""); len(all) != 1 || all[0].Name != "Bia" {
			t.Errorf("the contacts are %+v", all)
		}
		if labels := w.A.Get(t, "/labels").OK(200); strings.Contains(string(labels.Raw), "novo") {
			t.Errorf("the labels are %s", labels.Raw)
		}
		t.Run("also without a line", func(t *testing.T) {
			if got := importContacts(t, w, "nome;telefone\n", "dry_run", "1").Result; got.Lines != 0 || got.Preview == nil {
				t.Errorf("got %+v", got)
			}
		})
		t.Run("also without a phone column", func(t *testing.T) {
			got := importContacts(t, w, "who\nAna\n", "dry_run", "1").Result
			if got.Skipped != 1 || got.Columns[0].Field != nil {
				t.Errorf("got %+v", got)
			}
		})
	})
}

func TestADryRunIsMarkedAndItsCancellationIsNotAudited(t *testing.T) {
	c := newCounting()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		earlier := c.start(t, w, "count", 1) // the others wait for it
		for _, dryRun := range []bool{true, false} {
			id := sendImport(t, w.A.Client, "a.csv", "nome;telefone\nAna;11987650001\n", "kind", "contacts", "dry_run", fmt.Sprint(dryRun)).OK(202).ID()
			testkit.Equal(t, "dry_run of a job that waits", w.A.Get(t, "/jobs/"+id).OK(200).At("dry_run"), any(dryRun))
			w.A.Post(t, "/jobs/"+id+"/cancel", nil).OK(200)
			testkit.Equal(t, "dry_run of a cancelled job", w.A.Get(t, "/jobs").OK(200).At("data", 0, "dry_run"), any(dryRun))
			testkit.Equal(t, "jobs with dry_run", len(w.A.Get(t, "/jobs?kind=contacts_import&dry_run="+fmt.Sprint(dryRun)).OK(200).List()), 1)
			entries := 1
			if dryRun {
				entries = 0
			}
			testkit.Equal(t, "audit entries", len(actions(t, w.A.Client, "action=job.cancelled&subject="+id)), entries)
		}
		c.may <- struct{}{}
		ended(t, w.A.Client, earlier)
	}, c.option)
}

func TestAnExportOfContactsCanBeImported(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		label := w.A.Post(t, "/labels", map[string]any{"name": "VIP"}).OK(201).ID()
		id := w.A.Post(t, "/contacts", map[string]any{"name": "=Ana", "phone": "+5511987650001", "city": "Santos"}).OK(201).ID()
		w.A.Patch(t, "/contacts/"+id, map[string]any{"label_ids": []string{label}, "opted_out": true}).OK(200)
		export := string(w.A.Do(t, "GET", "/contacts?format=csv", nil, "Accept-Language", "pt-BR").OK(200).Raw)

		if got := importContacts(t, w, export).Result; got.Created != 0 || got.Updated != 1 || got.Skipped != 0 {
			t.Errorf("the same company got %+v", got)
		}
		job := finishImport(t, w, w.B.Client, sendImport(t, w.B.Client, "contacts.csv", export, "kind", "contacts"))
		all := contactsOf(t, w.B.Client, "")
		if job.Result.Created != 1 || len(all) != 1 || all[0].Name != "=Ana" || all[0].Phone != "+5511987650001" || *all[0].City != "Santos" || !all[0].OptedOut {
			t.Errorf("the other company got %+v %+v", job, all)
		}
	})
}

func TestImportsThatCannotBeReadAreRefused(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		many := "telefone\n" + strings.Repeat("1\n", 100_001)
		for _, tt := range []struct {
			name, content, field, code string
			fields                     []string
		}{
			{"no kind", "telefone\n1\n", "body.kind", "required", nil},
			{"unknown kind", "telefone\n1\n", "body.kind", "one_of", []string{"kind", "dogs"}},
			{"unknown field", "telefone\n1\n", "body.colour", "unknown", []string{"kind", "contacts", "colour", "red"}},
			{"twice the kind", "telefone\n1\n", "body.kind", "repeated", []string{"kind", "contacts", "kind", "contacts"}},
			{"field of another kind", "telefone\n1\n", "body.me", "not_allowed", []string{"kind", "contacts", "me", "Ana"}},
			{"dry run", "telefone\n1\n", "body.dry_run", "one_of", []string{"kind", "contacts", "dry_run", "maybe"}},
			{"empty file", "", "body.file", "required", []string{"kind", "contacts"}},
			{"no phone column", "nome\nAna\n", "body.mapping", "no_phone_column", []string{"kind", "contacts"}},
			{"mapping is no object", "telefone\n1\n", "body.mapping", "malformed", []string{"kind", "contacts", "mapping", "[1]"}},
			{"mapping of an unknown column", "telefone\n1\n", "body.mapping.fax", "no_such", []string{"kind", "contacts", "mapping", `{"fax": "phone"}`}},
			{"mapping to an unknown field", "telefone\n1\n", "body.mapping.0", "no_such", []string{"kind", "contacts", "mapping", `{"0": "shoe"}`}},
			{"too many lines", many, "body.file", "too_many", []string{"kind", "contacts"}},
			{"UTF-16", "\xff\xfet\x00", "body.file", "malformed", []string{"kind", "contacts"}},
		} {
			t.Run(tt.name, func(t *testing.T) {
				answer := sendImport(t, w.A.Client, "contacts.csv", tt.content, tt.fields...).OK(400)
				var e struct {
					Details []struct {
						Field string `json:"field"`
						Code  string `json:"code"`
					} `json:"details"`
				}
				if err := json.Unmarshal(answer.Raw, &e); err != nil || len(e.Details) != 1 || e.Details[0].Field != tt.field || e.Details[0].Code != tt.code {
					t.Errorf("got %s, want %s %s", answer.Raw, tt.field, tt.code)
				}
			})
		}
		t.Run("the file may come first", func(t *testing.T) {
			var b bytes.Buffer
			form := multipart.NewWriter(&b)
			part, _ := form.CreateFormFile("file", "x.csv")
			_, _ = io.WriteString(part, "telefone\n11987650001\n")
			_ = form.WriteField("kind", "contacts")
			_ = form.Close()
			job := finishImport(t, w, w.A.Client, w.A.Post(t, "/imports", b.Bytes(), "Content-Type", form.FormDataContentType()))
			if job.Result.Created != 1 {
				t.Errorf("got %+v", job)
			}
		})
		t.Run("a form that was cut off changes nothing", func(t *testing.T) {
			form, kind := importForm(t, "x.csv", "telefone\n11987650009\n", "kind", "contacts")
			w.A.Post(t, "/imports", form[:len(form)-8], "Content-Type", kind).OK(400)
		})
		t.Run("a repeated request starts one job", func(t *testing.T) {
			send := func() string {
				form, kind := importForm(t, "x.csv", "telefone\n11987650005\n", "kind", "contacts")
				return w.A.Post(t, "/imports", form, "Content-Type", kind, "Idempotency-Key", "import-0001").OK(202).ID()
			}
			if first, second := send(), send(); first != second {
				t.Errorf("got the jobs %s and %s", first, second)
			}
			form, kind := importForm(t, "x.csv", "telefone\n11987650005\n", "kind", "contacts", "dry_run", "true")
			w.A.Post(t, "/imports", form, "Content-Type", kind, "Idempotency-Key", "import-0001").OK(409)
		})
	})
}
