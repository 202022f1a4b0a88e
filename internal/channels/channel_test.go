package channels

import (
	"testing"

	"recado/internal/kernel"
)

func TestAPrivateChannelExistsForItsViewersAndTheOperator(t *testing.T) {
	company := kernel.Company{ID: kernel.NewID()}
	ch := Channel{ID: kernel.NewID(), Company: company.ID, Private: true}
	owner := kernel.Member{Role: kernel.RoleOwner, Profile: kernel.AccessAll}
	for who, tt := range map[string]struct {
		p    *kernel.Principal
		want bool
	}{
		"the owner's key":            {kernel.KeyPrincipal(company, owner, kernel.Integration{ID: kernel.NewID(), Scopes: kernel.AllScopes}, "", kernel.Rate{}), false},
		"the owner, not a viewer":    {kernel.SessionPrincipal(company, owner, kernel.NewID(), nil, kernel.Rate{}), false},
		"a viewer":                   {kernel.SessionPrincipal(company, kernel.Member{Role: kernel.RoleAgent}, kernel.NewID(), []kernel.ID{ch.ID}, kernel.Rate{}), true},
		"a viewer of another":        {kernel.SessionPrincipal(company, owner, kernel.NewID(), []kernel.ID{kernel.NewID()}, kernel.Rate{}), false},
		"the operator":               {kernel.SystemPrincipal(company, kernel.Ref{}, kernel.Rate{}), true},
		"another company's operator": {kernel.SystemPrincipal(kernel.Company{ID: kernel.NewID()}, kernel.Ref{}, kernel.Rate{}), false},
	} {
		if got := Knows(tt.p, ch); got != tt.want {
			t.Errorf("%s: got %v, want %v", who, got, tt.want)
		}
	}
}
