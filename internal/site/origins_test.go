package site_test

import (
	"testing"

	"recado/internal/site"
	"recado/internal/testkit"
)

func TestOriginsAreWrittenAsBrowsersDo(t *testing.T) {
	got, err := site.ParseOrigins([]string{"https://CRM.example.com", "http://localhost:3000/", "*"})
	if err != nil {
		t.Fatal(err)
	}
	testkit.Diff(t, "origins", got, site.Origins{"https://crm.example.com", "http://localhost:3000", "*"})
	for _, bad := range []string{"crm.example.com", "https://crm.example.com/app", "ftp://crm.example.com", "https://a@crm.example.com", "null", ""} {
		if _, err := site.ParseOrigins([]string{bad}); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
