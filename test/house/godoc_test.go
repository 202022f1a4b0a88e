package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"
)

func TestEveryExportedNameHasAComment(t *testing.T) {
	for _, file := range sources(t) {
		if file.test {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", filepath.FromSlash(file.path)), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range uncommented(parsed) {
			t.Errorf("%s: %s has no comment", file.path, name)
		}
	}
}

// uncommented returns the exported names in a file that have no comment. The names in a block may share one.
func uncommented(file *ast.File) (names []string) {
	report := func(name *ast.Ident, comments ...*ast.CommentGroup) {
		for _, comment := range comments {
			if comment != nil {
				return
			}
		}
		if name.IsExported() {
			names = append(names, name.Name)
		}
	}
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil || isExportedType(d.Recv.List[0].Type) {
				report(d.Name, d.Doc)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					report(s.Name, d.Doc, s.Doc, s.Comment)
				case *ast.ValueSpec:
					for _, name := range s.Names {
						report(name, d.Doc, s.Doc, s.Comment)
					}
				}
			}
		}
	}
	return names
}

func isExportedType(t ast.Expr) bool {
	switch t := t.(type) {
	case *ast.StarExpr:
		return isExportedType(t.X)
	case *ast.IndexExpr:
		return isExportedType(t.X)
	case *ast.Ident:
		return t.IsExported()
	}
	return false
}
