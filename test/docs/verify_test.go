package docs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"recado/internal/webhooks"
	"recado/test/testkit"
)

// verifiers turn the samples in docs/webhooks.md into programs. Each prints true or false for the timestamp, signature and
// body in its environment.
var verifiers = []struct{ language, program, file, before, after string }{
	{
		"go", "go", "main.go", "package main\n\nimport (\n\t\"crypto/hmac\"\n\t\"crypto/sha256\"\n\t\"encoding/hex\"\n\t\"fmt\"\n\t\"net/http\"\n\t\"os\"\n\t\"strconv\"\n\t\"time\"\n)\n\n",
		"\nfunc main() {\n\th := http.Header{}\n\th.Set(\"X-Service-Timestamp\", os.Getenv(\"STAMP\"))\n\th.Set(\"X-Service-Signature\", os.Getenv(\"SIGNATURE\"))\n" +
			"\tfmt.Println(verified(os.Getenv(\"SECRET\"), h, []byte(os.Getenv(\"BODY\"))))\n}\n",
	},
	{
		"js", "node", "main.cjs", "",
		"\nconst e = process.env;\nconsole.log(verified(e.SECRET, { 'x-service-timestamp': e.STAMP, 'x-service-signature': e.SIGNATURE }, Buffer.from(e.BODY)));\n",
	},
	{
		"python", "python3", "main.py", "",
		"\nimport os\ne = os.environ\nprint(str(verified(e['SECRET'], {'X-Service-Timestamp': e['STAMP'], 'X-Service-Signature': e['SIGNATURE']}, e['BODY'].encode())).lower())\n",
	},
}

func TestTheVerificationSamplesAcceptSignaturesOfTheServer(t *testing.T) {
	text := documents(t)["docs/webhooks.md"]
	for _, v := range verifiers {
		t.Run(v.language, func(t *testing.T) {
			path, err := exec.LookPath(v.program)
			if err != nil {
				t.Skip(v.program + " is not installed")
			}
			sample := regexp.MustCompile("(?s)```" + v.language + "\n(.*?)```").FindStringSubmatch(text)
			if sample == nil {
				t.Fatal("docs/webhooks.md has no sample in this language")
			}
			file := filepath.Join(t.TempDir(), v.file)
			if err := os.WriteFile(file, []byte(v.before+sample[1]+v.after), 0o600); err != nil {
				t.Fatal(err)
			}
			run := []string{path, file}
			if v.language == "go" {
				built := filepath.Join(t.TempDir(), "verify")
				if out, err := exec.CommandContext(t.Context(), path, "build", "-o", built, file).CombinedOutput(); err != nil {
					t.Fatalf("%v %s", err, out)
				}
				run = []string{built}
			}
			secret, body, now := webhooks.NewSigningSecret(), `{"type":"message.received","text":"pão"}`, time.Now()
			for _, c := range []struct {
				name, body, secret string
				at                 time.Time
				want               bool
			}{
				{"as it was signed", body, secret, now, true},
				{"another body", body + " ", secret, now, false},
				{"another secret", body, webhooks.NewSigningSecret(), now, false},
				{"an old timestamp", body, secret, now.Add(-6 * time.Minute), false},
			} {
				command := exec.CommandContext(t.Context(), run[0], run[1:]...)
				command.Env = append(os.Environ(), "SECRET="+secret, "BODY="+c.body, fmt.Sprintf("STAMP=%d", c.at.Unix()), "SIGNATURE="+webhooks.SignService(c.secret, c.at.Unix(), []byte(body)))
				out, err := command.CombinedOutput()
				if err != nil {
					t.Fatalf("%s: %v %s", c.name, err, out)
				}
				testkit.Equal(t, c.name, strings.TrimSpace(string(out)), fmt.Sprint(c.want))
			}
		})
	}
}
