package httpserver

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"recado/docs"
)

// pageOf asks for an address as a browser does.
func pageOf(t *testing.T, g *Guides, path string) *httptest.ResponseRecorder {
	t.Helper()
	mux := http.NewServeMux()
	for pattern, h := range g.Handlers("/desk") {
		mux.Handle("GET /desk"+pattern, h)
	}
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w
}

func TestEveryLinkBetweenGuidesHasATarget(t *testing.T) {
	g, err := NewGuides(docs.Files)
	if err != nil {
		t.Fatal(err)
	}
	links := regexp.MustCompile(`<a href="([^"]+)"`)
	for name, guide := range g.byName {
		if guide.Title == "" {
			t.Errorf("%s has no title", name)
		}
		for _, match := range links.FindAllStringSubmatch(string(guide.Content), -1) {
			page, place, _ := strings.Cut(match[1], "#")
			if strings.Contains(page, "://") {
				continue
			}
			other := g.byName[page]
			if page == "" {
				other = guide
			}
			switch {
			case other == nil:
				t.Errorf("%s links %s, which is no guide", name, match[1])
			case place != "" && !strings.Contains(string(other.Content), `id="`+place+`"`):
				t.Errorf("%s links %s, which has no such place", name, match[1])
			}
		}
	}
}

func TestEveryGuideIsInTheList(t *testing.T) {
	g, err := NewGuides(docs.Files)
	if err != nil {
		t.Fatal(err)
	}
	placed := map[string]bool{}
	for _, one := range order {
		for _, name := range one.guides {
			placed[name] = true
			if g.byName[name] == nil {
				t.Errorf("there is no guide %s", name)
			}
		}
	}
	for name := range g.byName {
		if !placed[name] {
			t.Errorf("the guide %s is in no group", name)
		}
	}
}

func TestAGuideHasAStrictPolicyAndNoHTMLFromTheDocument(t *testing.T) {
	g, err := NewGuides(fstest.MapFS{
		"api.md":   {Data: []byte("# The API\n\n<script>x()</script>\n\n[a](javascript:x) [Limits](extra.md#limits) [bench](../bench/README.md)\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")},
		"extra.md": {Data: []byte("# Extra\n\n## Limits\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	answer := pageOf(t, g, "/desk/docs/guides/api")
	body := answer.Body.String()
	for _, part := range []string{`<a href="extra#limits">Limits</a>`, "bench", "<td>1</td>", `aria-current="page">The API</a>`, "<title>The API · Recado guides</title>"} {
		if !strings.Contains(body, part) {
			t.Errorf("%q is not in the page: %s", part, body)
		}
	}
	for _, part := range []string{"x()", "javascript:", "bench/README"} {
		if strings.Contains(body, part) {
			t.Errorf("%q is in the page: %s", part, body)
		}
	}
	if policy := answer.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
		t.Errorf("Content-Security-Policy is %q", policy)
	}
	index := pageOf(t, g, "/desk/docs/guides/").Body.String()
	for _, part := range []string{`href="/desk/docs/guides/api"`, `href="/desk/docs/guides/extra"`} {
		if !strings.Contains(index, part) {
			t.Errorf("%q is not in the list: %s", part, index)
		}
	}
	if pageOf(t, g, "/desk/docs/guides/nothing").Code != http.StatusNotFound {
		t.Error("an unknown guide is not 404")
	}
}
