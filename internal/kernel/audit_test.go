package kernel_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recado/internal/kernel"
)

type auditedRate struct {
	PerSecond int64 `json:"per_second"`
	Burst     int64 `json:"burst"`
}

type audited struct {
	ID      kernel.ID    `json:"id"`
	Name    string       `json:"name"`
	Email   *string      `json:"email"`
	Rate    auditedRate  `json:"rate"`
	Members []kernel.Ref `json:"members"`
	User    *kernel.Ref  `json:"user"`
	Seen    int          `json:"seen"`
}

func changesText(t *testing.T, changes []kernel.AuditChange) string {
	t.Helper()
	text, err := kernel.EncodeJSON(changes)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAuditChangesComparesTheJSONOfTwoValues(t *testing.T) {
	ana, bia := kernel.Ref{ID: kernel.NewID(), Name: "Ana"}, kernel.Ref{ID: kernel.NewID(), Name: "Bia"}
	before := audited{ID: kernel.NewID(), Name: "CRM", Rate: auditedRate{10, 20}, Members: []kernel.Ref{ana}, User: &ana, Seen: 1}
	for name, c := range map[string]struct {
		change func(v *audited)
		want   string
	}{
		"nothing":        {func(*audited) {}, `[]`},
		"a text":         {func(v *audited) { v.Name = "ERP" }, `[{"field":"name","from":"CRM","to":"ERP"}]`},
		"from null":      {func(v *audited) { v.Email = new("a@b.example") }, `[{"field":"email","from":null,"to":"a@b.example"}]`},
		"null to empty":  {func(v *audited) { v.Email = new("") }, `[]`},
		"a nested field": {func(v *audited) { v.Rate.Burst = 40 }, `[{"field":"rate.burst","from":20,"to":40}]`},
		"a list of references": {
			func(v *audited) { v.Members = []kernel.Ref{ana, bia} },
			`[{"field":"members","from":["Ana"],"to":["Ana","Bia"]}]`,
		},
		"a reference":        {func(v *audited) { v.User = &bia }, `[{"field":"user","from":"Ana","to":"Bia"}]`},
		"a field left out":   {func(v *audited) { v.Seen = 2 }, `[]`},
		"an id of the whole": {func(v *audited) { v.ID = kernel.NewID() }, `[]`},
	} {
		t.Run(name, func(t *testing.T) {
			after := before
			c.change(&after)
			if diff := cmp.Diff(c.want, changesText(t, kernel.AuditChanges(before, after, "seen"))); diff != "" {
				t.Errorf("changes differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAuditChangesListsWhatANewObjectHas(t *testing.T) {
	got := changesText(t, kernel.AuditChanges(nil, audited{Name: "CRM", Rate: auditedRate{10, 20}}))
	want := `[{"field":"name","from":null,"to":"CRM"},{"field":"rate.per_second","from":null,"to":10},` +
		`{"field":"rate.burst","from":null,"to":20},{"field":"seen","from":null,"to":0}]`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes differ (-want +got):\n%s", diff)
	}
}

func TestAuditChangesShortensLongValues(t *testing.T) {
	changes := kernel.AuditChanges(audited{}, audited{Name: strings.Repeat("é", 5000)})
	if got := changesText(t, changes); len(got) > 2200 || !strings.Contains(got, "… (") {
		t.Errorf("got %d bytes: %.100s", len(got), got)
	}
}

func TestLongValuesInTheAuditAreShortened(t *testing.T) {
	for length, isShort := range map[int]bool{1990: false, 1998: false, 1999: true, 2000: true, 2001: true, 9000: true} {
		for _, text := range []string{strings.Repeat("x", length), strings.Repeat("\n", length/2) + strings.Repeat("é", length/4)} {
			got := changesText(t, kernel.AuditChanges(audited{}, audited{Name: text}))
			if text[0] == 'x' && strings.Contains(got, "bytes)") != isShort {
				t.Errorf("a text of %d bytes: shortened is %t, want %t", length, !isShort, isShort)
			}
			if len(got) > 5000 {
				t.Errorf("a text of %d bytes has an entry of %d bytes", length, len(got))
			}
		}
	}
}
