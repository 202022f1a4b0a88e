package kerneltest

import "testing"

func TestAStatementNamesTheCompanyForEachOfItsTables(t *testing.T) {
	for sql, wantError := range map[string]bool{
		`SELECT name FROM labels WHERE company = $1 AND id = $2`:                                                                    false,
		`SELECT name FROM labels WHERE id = $1`:                                                                                     true,
		`UPDATE labels SET name = $2 WHERE id = $1`:                                                                                 true,
		`DELETE FROM labels WHERE id = $1`:                                                                                          true,
		`SELECT 1 FROM cards c JOIN boards b ON b.company = c.company AND b.id = c.board WHERE c.company = $1`:                      false,
		`SELECT 1 FROM cards c JOIN boards b ON b.id = c.board WHERE c.company = $1`:                                                true,
		`DELETE FROM notices WHERE (company, channel, digest) IN (SELECT company, channel, digest FROM notices WHERE company = $1)`: false,
		`SELECT 1 FROM labels -- company = $1`:                                                                                      true,
		`SELECT /* all companies: due work */ id FROM labels`:                                                                       false,
		`SELECT name FROM companies WHERE id = $1`:                                                                                  false,
	} {
		if err := companyError(sql); (err != nil) != wantError {
			t.Errorf("%s: got %v, want an error: %v", sql, err, wantError)
		}
	}
}
