package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// try says how a block of shell commands in a document is run.
type try struct {
	begins string                      // how the block begins, to match rows and blocks
	how    func(s *shell, text string) // runs the block
	where  string                      // if how is nil: the package and the test that run it
	not    string                      // if both are empty: why no test runs it
}

const generated = "make api-clients ARGS=--as-written runs it with the newest packages, which needs a network; in CI, make api-clients runs the same generators in the versions of test/clients and web/package.json, and the programs of the page"

// tries has a row for every block of shell commands in the documents, in the order of the page. A row says how the block is
// run, or why it is not. A block without a row fails the test. For make, only the name of the target is checked.
var tries = map[string][]try{
	"README.md": {
		{begins: "make run", how: makeTargets},
	},
	"CONTRIBUTING.md": {
		{begins: "make build", how: makeTargets},
	},
	"bench/README.md": {
		{begins: "make bench", how: makeTargets},
	},
	"docs/api.md": {
		{begins: "field() {", how: besideDemo},
		{begins: "# Who is this key?", where: "test/readme TestTheTourWorksWhenPasted"},
	},
	"docs/assistants.md": {{begins: "field() {", where: "test/readme TestTheExampleForAssistantsWorksWhenPasted"}},
	"docs/attendances.md": {
		{begins: "CONVERSATION=", how: besideDemo},
		{begins: "call $API/conversations/$CONVERSATION/attendance ", how: besideDemo},
		{begins: "call $API/conversations/$CONVERSATION/transfer", how: besideDemo},
		{begins: "call $API/company/attendance", how: besideDemo},
		{begins: "REASON=", how: besideDemo},
		{begins: "call $API/company/survey", how: besideDemo},
		{begins: "call $API/sla-policies", how: besideDemo},
		{begins: "call $API/team", how: besideDemo},
	},
	"docs/clients.md": {
		{begins: "npm init", not: generated},
		{begins: "npx tsc", not: generated},
		{begins: "go mod init example.com/desk\nmkdir -p recado", not: generated},
		{begins: "go mod tidy", not: generated},
		{begins: "go mod init example.com/desk\ncurl", not: generated},
		{begins: "go mod tidy", not: generated},
	},
	"docs/conversations.md": {
		{begins: "LABEL=", how: besideDemo},
		{begins: "CONVERSATION=", how: besideDemo},
		{begins: `call "$API/conversations"`, how: besideDemo},
		{begins: `call -G "$API/conversations"`, how: besideDemo},
		{begins: "call -X PATCH $API/conversations/", how: besideDemo},
		{begins: "call $API/contacts", how: besideDemo},
		{begins: "FIELD=", how: besideDemo},
	},
	"docs/install.md": {
		{begins: "sha256sum", where: "test/install TestAnInstallationLosesNothing"},
		{begins: "recado serve", how: untilReady},
		{begins: "sudo install -D", how: onSystemd},
		{begins: "sudo -u recado", how: onInstallation},
		{begins: "cp packaging/compose.env.example", not: "it needs Docker and pulls an image; test/packaging parses the file like Compose, and test/install runs the contents of the image"},
	},
	"docs/kanban.md": {
		{begins: "once() {", how: besideDemo},
		{begins: "call $API/kanban/boards", how: besideDemo},
		{begins: "STAGE=", how: besideDemo},
	},
	"docs/messages.md": {
		{begins: "# a customer writes", how: besideDemo},
		{begins: "call $API/conversations/$CONVERSATION/messages", how: besideDemo},
		{begins: "MEDIA=", how: besideDemo},
		{begins: `call "$API/conversations/$CONVERSATION/messages?limit`, how: besideDemo},
		{begins: `call "$API/messages`, how: besideDemo},
	},
	"docs/operating.md": {
		{begins: "recado backup", how: onInstallation},
		{begins: "recado move --data /var/lib/recado --to postgres", how: thenUndone},
		{begins: "recado move --data /var/lib/recado --database-url", how: onInstallation},
		{begins: "recado export", how: onInstallation},
		{begins: "recado secret-key rotate", how: onInstallation},
		{begins: "export RECADO_DATABASE_URL", how: untilReady},
		{begins: "recado company create", how: newInstallation},
		{begins: "source <(recado completion bash)", how: onInstallation},
	},
	"docs/people.md": {
		{begins: "recado user list", how: onInstallation},
	},
	"docs/reception.md": {
		{begins: "SECTOR=", how: besideDemo},
		{begins: "call $API/hours", how: besideDemo},
		{begins: "call -X PUT $API/channels/$CHANNEL/reception", how: besideDemo},
		{begins: "call -X PATCH $API/sectors/", how: besideDemo},
	},
	"docs/reports.md": {{begins: `call "$API/reports/attendance`, how: besideDemo}, {begins: `call -H "Accept: text/csv"`, how: besideDemo}},
	"docs/scaling.md": {{begins: "make bench", how: makeTargets}},
	"docs/team-talk.md": {
		{begins: "CONVERSATION=", how: besideDemo},
		{begins: "call $API/conversations/$CONVERSATION/notes", how: besideDemo},
		{begins: "TOMORROW=", how: besideDemo},
	},
	"docs/webhooks.md": {
		{begins: "call $API/integrations/webhooks", how: besideDemo},
		{begins: "RECADO_KEY=", how: untilListening},
		{begins: "recado listen --secret", how: untilListening},
		{begins: `call "$API/events`, how: besideDemo},
		{begins: "curl -sN $API/events/stream", how: untilStreaming},
	},
	"docs/whatsapp.md": {
		{begins: "recado serve --public-url", how: untilReady},
		{begins: "curl https://desk.example.com/v1/channels", how: connectNumber},
		{begins: "RECADO_TOKEN=", how: connectNumber},
		{begins: "recado simulate-whatsapp", how: untilSimulating},
		{begins: "recado serve --demo --whatsapp-base-url", how: untilReady},
		{begins: "field() {", where: "test/whatsapp TestTheTourOfTheGuideWorksWhenPasted"},
	},
}

var shellBlock = regexp.MustCompile("(?ms)^( *)```(?:sh|bash|shell|console)?\n(.*?)\n *```")

// commandsOf returns the blocks of shell commands in a document, without the indentation of lists.
func commandsOf(text string) (blocks []string) {
	open := regexp.MustCompile("(?m)^ *```")
	for at := 0; ; {
		begin := open.FindStringIndex(text[at:])
		if begin == nil {
			return blocks
		}
		end := open.FindStringIndex(text[at+begin[1]:])
		if end == nil {
			return blocks
		}
		whole := text[at+begin[0] : at+begin[1]+end[1]]
		if m := shellBlock.FindStringSubmatch(whole); m != nil {
			blocks = append(blocks, strings.TrimPrefix(strings.ReplaceAll("\n"+m[2], "\n"+m[1], "\n"), "\n"))
		}
		at += begin[1] + end[1]
	}
}

func TestEveryBlockOfCommandsInTheDocumentsWorks(t *testing.T) {
	all := documents(t)
	for name := range tries {
		if _, known := all[name]; !known {
			t.Errorf("the table has rows for %s, which does not exist", name)
		}
	}
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	prelude := commandsOf(all["docs/api.md"])[0]
	for _, name := range names {
		blocks, rows := commandsOf(all[name]), tries[name]
		t.Run(name, func(t *testing.T) {
			s := &shell{t: t, prelude: prelude}
			for i, block := range blocks {
				if i >= len(rows) || !strings.HasPrefix(block, rows[i].begins) {
					t.Fatalf("the table has no row for this block:\n%s", block)
				}
				s.run(rows[i], block)
			}
			if len(rows) > len(blocks) {
				t.Errorf("got %d rows for %d blocks, want as many", len(rows), len(blocks))
			}
			s.paste()
		})
	}
}

// run runs a block as described by its row.
func (s *shell) run(row try, block string) {
	s.t.Helper()
	switch {
	case row.how != nil:
		row.how(s, block)
	case row.where != "":
		folder, name, _ := strings.Cut(row.where, " ")
		if !hasTest(s.t, folder, name) {
			s.t.Errorf("%s has no test %s, which should run this block:\n%s", folder, name, block)
		}
	case row.not == "":
		s.t.Errorf("the row says neither how this block is run nor why it is not:\n%s", block)
	}
}

// hasTest reports whether a folder has a test with this name.
func hasTest(t *testing.T, folder, name string) bool {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(folder), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(raw), fmt.Sprintf("\nfunc %s(t *testing.T)", name)) {
			return true
		}
	}
	return false
}
