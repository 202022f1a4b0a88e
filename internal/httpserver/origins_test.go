package httpserver_test

import (
	"testing"

	"recado/internal/httpserver"
	"recado/test/testkit"
)

func TestOriginsAreNormalizedAsBrowsersDo(t *testing.T) {
	got, err := httpserver.ParseOrigins([]string{
		"https://CRM.example.com", "http://localhost:3000/", "*",
		"https://shop.example.com:443", "http://localhost:80/", "https://shop.example.com:80", "https://[::1]:443", "https://[fe80::443]",
	})
	if err != nil {
		t.Fatal(err)
	}
	testkit.Diff(t, "origins", got, httpserver.Origins{
		"https://crm.example.com", "http://localhost:3000", "*",
		"https://shop.example.com", "http://localhost", "https://shop.example.com:80", "https://[::1]", "https://[fe80::443]",
	})
	for _, bad := range []string{"crm.example.com", "https://crm.example.com/app", "ftp://crm.example.com", "https://a@crm.example.com", "null", ""} {
		if _, err := httpserver.ParseOrigins([]string{bad}); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
