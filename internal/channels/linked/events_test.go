package linked

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// ignored lists the types of whatsmeow's package events that a session does not handle, with the reason.
var ignored = map[string]string{
	"AppState":                "the raw form of events that have types",
	"Archive":                 "how the phone's owner sorts chats says nothing about the team's",
	"Blocklist":               "contacts are blocked in Recado",
	"BlocklistChange":         "part of Blocklist",
	"CATRefreshError":         "only for Messenger",
	"CallAccept":              "CallTerminate says whether a call was answered",
	"CallOfferNotice":         "a call of a group: nobody waits for an answer of the team",
	"CallPreAccept":           "CallTerminate says how a call ended",
	"CallReject":              "CallTerminate says how a call ended",
	"CallRelayLatency":        "of interest to a program that answers calls",
	"CallTransport":           "of interest to a program that answers calls",
	"ClearChat":               "the team's conversations stay when the phone's owner clears a chat",
	"DeleteChat":              "the team's conversations stay when the phone's owner deletes a chat",
	"DeleteForMe":             "it deletes the phone's copy, not the message",
	"FBMessage":               "only for Messenger",
	"HistorySync":             "importHistory downloads the history, so that a crash does not lose it",
	"IdentityChange":          "whatsmeow accepts new keys; the customer is the same",
	"LabelAssociationChat":    "labels of the WhatsApp Business app are not Recado's",
	"LabelAssociationMessage": "labels of the WhatsApp Business app are not Recado's",
	"LabelEdit":               "labels of the WhatsApp Business app are not Recado's",
	"ManualLoginReconnect":    "whatsmeow connects again by itself",
	"MarkChatAsRead":          "what the phone's owner has read says nothing about the team",
	"MediaRetry":              "files are not requested from the phone again",
	"MediaRetryError":         "part of MediaRetry",
	"Mute":                    "it mutes the phone, not the team",
	"NewsletterJoin":          "newsletters are not conversations",
	"NewsletterLeave":         "newsletters are not conversations",
	"NewsletterLiveUpdate":    "newsletters are not conversations",
	"NewsletterMessageMeta":   "part of Message",
	"NewsletterMuteChange":    "newsletters are not conversations",
	"OfflineSyncCompleted":    "the events themselves follow",
	"OfflineSyncPreview":      "the events themselves follow",
	"Pin":                     "how the phone's owner sorts chats says nothing about the team's",
	"Presence":                "nobody subscribes to it",
	"PrivacySettings":         "settings of the phone",
	"Star":                    "how the phone's owner marks messages says nothing about the team",
	"StreamError":             "whatsmeow connects again by itself, and Disconnected follows",
	"UnarchiveChatsSetting":   "settings of the phone",
	"UnknownCallEvent":        "nothing is known about it",
	"UserAbout":               "Recado does not show what people write about themselves",
	"UserStatusMute":          "status updates are no messages to the company",
}

// Every type of event is handled or ignored for a reason. A new version of whatsmeow with a new type fails this test.
func TestEveryEventIsHandledOrIgnoredForAReason(t *testing.T) {
	handled := handledEvents(t)
	known := exportedStructs(t)
	for name := range known {
		switch reason, isIgnored := ignored[name]; {
		case handled[name] && isIgnored:
			t.Errorf("%s is handled, but listed as ignored", name)
		case !handled[name] && reason == "":
			t.Errorf("%s is neither handled nor ignored with a reason", name)
		}
	}
	for name := range ignored {
		if !known[name] {
			t.Errorf("%s is listed as ignored, but does not exist", name)
		}
	}
	if len(handled) < 15 || len(known) < 60 {
		t.Errorf("found %d handled of %d types: the test does not see all of them", len(handled), len(known))
	}
}

// exportedStructs returns the exported struct types of whatsmeow's package events.
func exportedStructs(t *testing.T) map[string]bool {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Dir}}", "go.mau.fi/whatsmeow/types/events").Output()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("cannot find the source of the package events in %s: %v", dir, err)
	}
	found := map[string]bool{}
	for _, name := range files {
		ast.Inspect(parse(t, name), func(n ast.Node) bool {
			if s, ok := n.(*ast.TypeSpec); ok && s.Name.IsExported() {
				if _, isStruct := s.Type.(*ast.StructType); isStruct {
					found[s.Name.Name] = true
				}
			}
			return true
		})
	}
	return found
}

// handledEvents returns the types in the switches of session.handle and session.delivered.
func handledEvents(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, d := range parse(t, "session.go").Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name != "handle" && f.Name.Name != "delivered" {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			c, ok := n.(*ast.CaseClause)
			if !ok {
				return true
			}
			for _, e := range c.List {
				if star, ok := e.(*ast.StarExpr); ok {
					if s, ok := star.X.(*ast.SelectorExpr); ok {
						found[s.Sel.Name] = true
					}
				}
			}
			return true
		})
	}
	return found
}

func parse(t *testing.T, name string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
