package admin

import (
	"context"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// Check reads a backup without restoring it. It returns an error if a restore would refuse the backup, or if the media files do
// not match the database and the description of the archive.
func Check(ctx context.Context, file string) (info Info, err error) {
	isDatabase, err := isSQLite(file)
	if err != nil {
		return info, kernel.Errorf(kernel.CodeInvalidRequest, "The backup cannot be read: %v.", err)
	}
	if isDatabase { // a copy of a database
		return info, kernel.CheckBackup(file)
	}
	temp, err := os.MkdirTemp(filepath.Dir(file), ".recado-check-")
	if err != nil { // the folder may be read-only
		temp, err = os.MkdirTemp("", "recado-check-")
	}
	if err != nil {
		return info, err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	r := &archive{file: file, temp: temp}
	if err := r.readAll(ctx); err != nil {
		return info, err
	}
	if err := r.checkMedia(); err != nil {
		return info, err
	}
	if r.key != nil {
		sealed, err := SecretCheckOf(filepath.Join(temp, db.DatabaseFile))
		if err != nil {
			return info, err
		}
		if err := fits(r.key, sealed); err != nil {
			return info, r.bad("its secret key does not match its database")
		}
	}
	return r.info, nil
}

// checkMedia compares the media files with the database and the description of the archive.
func (r *archive) checkMedia() error {
	files, err := StoredFiles(filepath.Join(r.temp, db.DatabaseFile))
	if err != nil {
		return err
	}
	found, missing := 0, 0
	for _, file := range files {
		got, there := r.sums[mediaName+"/"+file.ID.String()]
		if !there {
			missing++
			continue
		}
		found++
		damaged := file.SHA256 != nil && got != hex.EncodeToString(file.SHA256)
		if damaged && !slices.Contains(r.info.DamagedMedia, file.ID) {
			return r.bad("the SHA-256 hash of the media file %s does not match the database", file.ID)
		}
	}
	if found != r.info.Media || missing != r.info.MissingMedia || r.info.SecretKey != (r.key != nil) {
		return r.bad("%s does not describe it: %d media files are there and %d are missing", infoName, found, missing)
	}
	return nil
}
