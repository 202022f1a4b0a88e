package kerneltest

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"sync"
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// Every statement that a test runs is checked.
func init() {
	db.CheckStatement = checkCompany
	db.TxTime = 2 * time.Minute
}

var (
	checked sync.Map // statement -> error

	comment   = regexp.MustCompile(`(?s)--[^\n]*|/\*.*?\*/`)
	reference = regexp.MustCompile(`(?i)\b(from|join|update)\s+(?:only\s+|lateral\s+)?([a-z_]+)`)
	condition = regexp.MustCompile(`(?i)\bcompany\s*(=|in\b)|=\s*([a-z_]+\.)?company\b|using\s*\(\s*company\b|` +
		`\(\s*([a-z_]+\.)?company\s*,[^()]*\)\s*(=|in\b|<|>)`)
)

// checkCompany returns an error for a statement that does not name the company for each of its tables. Statements for
// all companies need a comment that starts with "all companies:" and states the reason.
func checkCompany(sql string) error {
	result, ok := checked.Load(sql)
	if !ok {
		result = companyError(sql)
		checked.Store(sql, result)
	}
	err, _ := result.(error)
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
		return fmt.Errorf("the statement uses %s and names the company %d times: %s",
			strings.Join(tables, ", "), named, strings.Join(strings.Fields(sql), " "))
	}
	return nil
}

// companyTables returns the tables of the schema whose rows belong to a company.
var companyTables = sync.OnceValue(func() map[string]bool {
	tables := map[string]bool{}
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
		for _, match := range regexp.MustCompile(`CREATE TABLE ([a-z_]+)`).FindAllStringSubmatch(string(text), -1) {
			if kernel.GlobalTables[match[1]] == "" {
				tables[match[1]] = true
			}
		}
	}
	return tables
})
