package talk

import (
	"testing"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
)

func TestTheOriginOfAMessageDependsOnItsSender(t *testing.T) {
	for want, p := range map[string]*kernel.Principal{
		provider.OriginAPI: kernel.KeyPrincipal(kernel.Company{}, kernel.Member{Role: kernel.RoleAgent}, kernel.Integration{ID: kernel.NewID(), Scopes: kernel.AllScopes}, "", kernel.Rate{}),
		provider.OriginApp: kernel.SessionPrincipal(kernel.Company{}, kernel.Member{Role: kernel.RoleAgent}, kernel.NewID(), nil, kernel.Rate{}),
	} {
		if got := origin(p); got != want {
			t.Errorf("origin of a message of a %v: %q, want %q", p.Kind(), got, want)
		}
	}
}
