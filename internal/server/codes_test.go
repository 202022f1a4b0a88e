package server

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"slices"
	"testing"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/talk"
	"recado/internal/webhooks"
)

var update = flag.Bool("update", false, "write the list of codes for the app")

// codesFile lists the codes for which the app must have a text.
const codesFile = "../../web/src/api/codes.json"

// The app has a text for each code and, for errors and channels, one for each reason: code_reason.
func TestTheAppKnowsEveryCode(t *testing.T) {
	errorCodes := map[string][]string{}
	for code := range httpserver.Statuses() {
		errorCodes[string(code)] = kernel.ErrorReasons[code]
	}
	notices := map[string][]string{}
	for _, code := range provider.NoticeCodes() {
		notices[string(code)] = nil
	}
	causes := map[string][]string{}
	for _, code := range talk.CauseCodes() {
		causes[code] = nil
	}
	actions := map[string][]string{}
	for _, action := range kernel.AuditActions() {
		actions[action] = nil
	}
	names, values := map[string][]string{}, map[string][]string{}
	for field, codes := range auditedFields(t) {
		names[field] = nil
		for _, code := range codes {
			values[field+"."+code] = nil
		}
	}
	groups := map[string]map[string][]string{
		"actions":      actions,
		"attempts":     webhooks.AttemptCodes(),
		"audit_fields": names,
		"audit_values": values,
		"causes":       causes,
		"channel":      channels.ReasonCodes(),
		"errors":       errorCodes,
		"failures":     talk.FailureCodes(),
		"fields":       kernel.Rules(),
		"notices":      notices,
	}
	texts := map[string][]string{}
	for group, all := range groups {
		for _, code := range slices.Sorted(maps.Keys(all)) {
			texts[group] = append(texts[group], code)
			if group != "channel" && group != "errors" { // the text of the code is enough
				continue
			}
			for _, reason := range slices.Sorted(slices.Values(all[code])) {
				texts[group] = append(texts[group], code+"_"+reason)
			}
		}
	}
	want, err := json.MarshalIndent(texts, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if *update {
		if err := os.WriteFile(codesFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(codesFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s is out of date: run go test ./internal/server -run TestTheAppKnowsEveryCode -update", codesFile)
	}
}
