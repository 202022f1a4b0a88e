package api_test

import (
	"os"
	"testing"

	"recado/internal/server"
	"recado/test/kerneltest"
	"recado/test/servertest"
	"recado/test/testkit"
)

// TestAFullPostgreSQLDiskIsReportedAsStorageFull makes the database fail as it does when its disk is full.
func TestAFullPostgreSQLDiskIsReportedAsStorageFull(t *testing.T) {
	url := kerneltest.URL(t)
	w := servertest.Start(t, url)
	testkit.Exec(t, url, `
		CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN
			RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100';
		END $$;
		CREATE TRIGGER full_disk BEFORE INSERT ON labels EXECUTE FUNCTION full_disk();`)
	refused := w.A.Post(t, "/labels", map[string]any{"name": "VIP", "color": "#ff0000"}).Fails(507, "storage_full")
	testkit.Equal(t, "Retry-After", refused.Header.Get("Retry-After"), "30")
	testkit.Exec(t, url, `DROP TRIGGER full_disk ON labels`)
	w.A.Post(t, "/labels", map[string]any{"name": "VIP", "color": "#ff0000"}).OK(201)
}

func TestReadinessReportsAnUnreadableDataFolder(t *testing.T) {
	dir := ""
	w := servertest.Start(t, kerneltest.URL(t), func(c *server.Config) { dir = c.DataDir })
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	resp, body := fetch(t, w.URL+"/readyz")
	testkit.Equal(t, "status", resp.StatusCode, 503)
	testkit.Contains(t, "body", body, "data folder")
}
