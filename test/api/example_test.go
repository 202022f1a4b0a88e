package api_test

import (
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"recado/test/servertest"
)

func TestTheDocumentShowsExamplesThatFitIt(t *testing.T) {
	w := servertest.Start(t, "")
	doc, err := openapi3.NewLoader().LoadFromData(w.A.Get(t, "/openapi.json").OK(200).Raw)
	if err != nil {
		t.Fatal(err)
	}
	fits := func(t *testing.T, content openapi3.Content) {
		t.Helper()
		media := content["application/json"]
		if media == nil {
			return
		}
		shown := []any{}
		if media.Example != nil {
			shown = append(shown, media.Example)
		}
		for _, example := range media.Examples {
			shown = append(shown, example.Value.Value)
		}
		if len(shown) == 0 {
			t.Error("no example")
		}
		for _, example := range shown {
			if err := media.Schema.Value.VisitJSON(example); err != nil {
				t.Error(err)
			}
		}
	}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			t.Run(method+" "+path, func(t *testing.T) {
				if op.RequestBody != nil {
					fits(t, op.RequestBody.Value.Content)
				}
				for _, response := range op.Responses.Map() {
					fits(t, response.Value.Content)
				}
			})
		}
	}
}
