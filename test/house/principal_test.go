package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestVerbsTakeAPrincipal reads the sources of the desk: an exported method of Desk takes a Principal, and only
// methods of System take none. System itself is the one exception.
func TestVerbsTakeAPrincipal(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("..", "..", "internal", "desk", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	verbs := 0
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range file.Decls {
			method, ok := declaration.(*ast.FuncDecl)
			if !ok || !method.Name.IsExported() || receiverOf(method) != "Desk" || method.Name.Name == "System" {
				continue
			}
			if verbs++; !takesPrincipal(method) {
				t.Errorf("%s: the method %s of Desk takes no *Principal", filepath.Base(name), method.Name.Name)
			}
		}
	}
	if verbs == 0 {
		t.Error("the desk has no exported method: this test reads the wrong folder")
	}
}

func receiverOf(method *ast.FuncDecl) string {
	if method.Recv == nil {
		return ""
	}
	return typeName(method.Recv.List[0].Type)
}

func takesPrincipal(method *ast.FuncDecl) bool {
	for _, parameter := range method.Type.Params.List {
		if typeName(parameter.Type) == "Principal" {
			return true
		}
	}
	return false
}

func typeName(expression ast.Expr) string {
	if pointer, ok := expression.(*ast.StarExpr); ok {
		expression = pointer.X
	}
	if name, ok := expression.(*ast.Ident); ok {
		return name.Name
	}
	return ""
}
