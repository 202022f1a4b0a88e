package kernel

import (
	"testing"

	"github.com/go-json-experiment/json"
)

func TestAnAudienceOfNobodyStaysOneBetweenNodes(t *testing.T) {
	text, err := json.Marshal(Signal{To: Audience{Members: []ID{}, OrRole: RoleManager}})
	if err != nil {
		t.Fatal(err)
	}
	var got Signal
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for role, want := range map[Role]bool{RoleAgent: false, RoleManager: true} {
		a := SessionPrincipal(Company{}, Member{Role: role, Profile: AccessAll}, NewID(), nil, Rate{})
		if got := got.To.Includes(a); got != want {
			t.Errorf("%s: got %v, want %v", role, got, want)
		}
	}
}
