package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// capabilities maps each package with verbs to the type whose methods they are.
var capabilities = map[string]string{
	"people": "People", "channels": "Channels", "talk": "Talk", "reception": "Receptionist", "boards": "Boards", "reports": "Reports", "webhooks": "Webhooks",
}

// TestVerbsCheckTheirPermission checks that the method of each verb takes a Principal and calls its May with that verb.
func TestVerbsCheckTheirPermission(t *testing.T) {
	for folder, receiver := range capabilities {
		verbs, methods := verbsAndMethods(t, folder, receiver)
		if len(verbs) == 0 {
			t.Errorf("got no verbs in %s, want some: this test reads the wrong folder", folder)
		}
		for _, verb := range verbs {
			method := methods[strings.TrimPrefix(verb, "Verb")]
			switch {
			case method == nil:
				t.Errorf("%s: %s has no method for %s", folder, receiver, verb)
			case !takesPrincipal(method):
				t.Errorf("%s: method %s of %s does not take a *kernel.Principal", folder, method.Name.Name, receiver)
			case !checks(method, verb):
				t.Errorf("%s: method %s of %s does not call May(%s)", folder, method.Name.Name, receiver, verb)
			}
		}
	}
}

// verbsAndMethods returns the names of a capability's verbs and the methods of its type.
func verbsAndMethods(t *testing.T, folder, receiver string) (verbs []string, methods map[string]*ast.FuncDecl) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "..", "internal", folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	methods = map[string]*ast.FuncDecl{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range file.Decls {
			switch d := declaration.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil && typeName(d.Recv.List[0].Type) == receiver {
					methods[d.Name.Name] = d
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if value, ok := spec.(*ast.ValueSpec); ok && strings.HasPrefix(value.Names[0].Name, "Verb") {
						verbs = append(verbs, value.Names[0].Name)
					}
				}
			}
		}
	}
	return verbs, methods
}

func takesPrincipal(method *ast.FuncDecl) bool {
	for _, parameter := range method.Type.Params.List {
		if typeName(parameter.Type) == "Principal" {
			return true
		}
	}
	return false
}

// checks reports whether a method calls May with this verb.
func checks(method *ast.FuncDecl, verb string) (found bool) {
	ast.Inspect(method.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 {
			return true
		}
		if called, ok := call.Fun.(*ast.SelectorExpr); ok && called.Sel.Name == "May" && typeName(call.Args[0]) == verb {
			found = true
		}
		return !found
	})
	return found
}

// typeName returns the name in an expression such as *kernel.Principal.
func typeName(expression ast.Expr) string {
	switch e := expression.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.Ident:
		return e.Name
	}
	return ""
}
