package kerneltest

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"sync"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// Every statement that a test runs is checked.
func init() { db.CheckStatement = checkCompany }

var (
	checked sync.Map // statement -> error

	comment   = regexp.MustCompile(`(?s)--[^\n]*|/\*.*?\*/`)
	reference = regexp.MustCompile(`(?i)\b(from|join|update)\s+(?:only\s+|lateral\s+)?([a-z_]+)`)
	condition = regexp.MustCompile(`(?i)\bcompany\s*(=|in\b)|=\s*([a-z_]+\.)?company\b|using\s*\(\s*company\b|\(\s*([a-z_]+\.)?company\s*,[^()]*\)\s*(=|in\b|<|>)`)
)

// checkCompany refuses a statement that reads or changes rows of a company without naming the company once for
// each table. A statement that is meant for the rows of all companies says so in a comment that begins with
// "all companies:" and gives the reason.
func checkCompany(sql string) error {
	if err, ok := checked.Load(sql); ok {
		if err == nil {
			return nil
		}
		return err.(error)
	}
	err := companyError(sql)
	checked.Store(sql, err)
	return err
}

func companyError(sql string) error {
	if strings.Contains(sql, "/* all companies: ") {
		return nil
	}
	text := comment.ReplaceAllString(sql, " ")
	var tables []string
	for _, match := range reference.FindAllStringSubmatch(text, -1) {
		table := strings.ToLower(match[2])
		if companyTables()[table] {
			tables = append(tables, table)
		}
	}
	if named := len(condition.FindAllString(text, -1)); named < len(tables) {
		return fmt.Errorf("the statement uses %s and names the company %d times: %s", strings.Join(tables, ", "), named, strings.Join(strings.Fields(sql), " "))
	}
	return nil
}

// companyTables returns the tables of the schema whose rows belong to a company.
var companyTables = sync.OnceValue(func() map[string]bool {
	tables := map[string]bool{}
	for _, text := range schemaTexts() {
		for _, match := range regexp.MustCompile(`CREATE TABLE ([a-z_]+)`).FindAllStringSubmatch(text, -1) {
			if kernel.GlobalTables[match[1]] == "" {
				tables[match[1]] = true
			}
		}
	}
	return tables
})

func schemaTexts() (texts []string) {
	files := kernel.Embedded()
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		panic(err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			panic(err)
		}
		texts = append(texts, string(text))
	}
	return texts
}
