package db

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
)

// A migration is one step of the schema. Steps are only ever added: the checksum of an applied one must not change.
type migration struct {
	version  int64
	name     string
	checksum string
	text     string // not of applied migrations
}

const createMigrations = `
	CREATE TABLE IF NOT EXISTS schema_migrations (
		version BIGINT PRIMARY KEY,
		name TEXT NOT NULL,
		applied_at BIGINT NOT NULL,
		checksum TEXT NOT NULL
	)`

const selectMigrations = `
	SELECT version, name, checksum
	FROM schema_migrations
	ORDER BY version`

const insertMigration = `
	INSERT INTO schema_migrations (version, name, applied_at, checksum)
	VALUES ($1, $2, $3, $4)`

var migrationName = regexp.MustCompile(`^([0-9]{4})(?:_([a-z0-9_]+))?\.sql$`)

func loadMigrations(from fs.FS) ([]migration, error) {
	files, err := fs.Glob(from, "*.sql")
	if err != nil {
		return nil, fmt.Errorf("db: list migrations: %w", err)
	}
	slices.Sort(files)
	var all []migration
	for _, file := range files {
		parts := migrationName.FindStringSubmatch(path.Base(file))
		if parts == nil {
			return nil, fmt.Errorf("db: migration %s is not named NNNN_name.sql", file)
		}
		text, err := fs.ReadFile(from, file)
		if err != nil {
			return nil, fmt.Errorf("db: read migration: %w", err)
		}
		version, _ := strconv.ParseInt(parts[1], 10, 64)
		if len(all) > 0 && all[len(all)-1].version == version {
			return nil, fmt.Errorf("db: two migrations have the number %04d", version)
		}
		sum := sha256.Sum256(text)
		all = append(all, migration{version: version, name: parts[2], text: string(text), checksum: hex.EncodeToString(sum[:])})
	}
	return all, nil
}

// lastBeforeRelease is the version of the last build with the schema from before the first release.
const lastBeforeRelease = "998575b"

// pending compares the steps of this version with those of the database and returns the steps to apply.
func pending(all []migration, done []migration) ([]migration, error) {
	if len(all) > 0 && len(done) > 0 && done[0].version == all[0].version && done[0].name != all[0].name {
		return nil, fmt.Errorf("the database was created by a build from before version 0.1.0, which this version cannot read; the last build that can is %s", lastBeforeRelease)
	}
	for i, d := range done {
		if i >= len(all) || d.version > all[len(all)-1].version {
			return nil, fmt.Errorf("the database has schema version %04d, which this version of Recado does not know; run a newer Recado", done[len(done)-1].version)
		}
		m := all[i]
		if m.version != d.version {
			return nil, fmt.Errorf("the database has schema step %04d where this version of Recado has %04d; they are not compatible", d.version, m.version)
		}
		if m.checksum != d.checksum {
			return nil, fmt.Errorf("schema step %04d was changed after it was applied to this database; applied steps must not be changed", m.version)
		}
	}
	return all[len(done):], nil
}

// SchemaHash returns a hash of the migrations.
func SchemaHash(migrations fs.FS) string {
	all, err := loadMigrations(migrations)
	if err != nil {
		return "broken"
	}
	sum := sha256.New()
	for _, m := range all {
		fmt.Fprintf(sum, "%04d %s\n", m.version, m.checksum)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}
