package cluster

import (
	"strings"
	"testing"
	"time"

	"recado/test/binary"
	"recado/test/testkit"
)

func TestNodesThatStartTogetherOnAnEmptyDatabaseCreateTheSchemaOnce(t *testing.T) {
	t.Parallel()
	database, dir := testkit.Database(t, ""), t.TempDir()
	var started []*binary.Process
	for range nodes {
		started = append(started, binary.New(t, dir, "--database-url", database))
	}
	for _, p := range started {
		p.Launch()
	}
	for _, p := range started {
		p.WaitReady()
	}
	if steps := (&fixture{database: database}).migrations(t); len(steps) == 0 || steps[0] != 1 {
		t.Errorf("got the schema steps %v, want 1 to be the first", steps)
	}
}

// The newer version has a schema step that changes a busy table.
func TestNodesAreUpgradedUnderLoadWithoutAFailedRequest(t *testing.T) {
	newer := binary.Newer(t, map[string]string{
		"internal/kernel/schema/9999_later.sql": "ALTER TABLE messages ADD COLUMN later TEXT;\nALTER TABLE conversations ADD COLUMN later TEXT;\n",
	})
	database := testkit.OwnCluster(t).URL
	o := open(t, database, "--drain", "3s")
	o.mayDeadlock = 100 // between the schema step and the load
	older := o.nodes[0].Path
	end := o.work(t)
	for i, node := range o.nodes {
		before := o.Total.Load()
		testkit.EventuallyWithin(t, patience, "some work", func() bool { return o.Total.Load() > before+100 })
		node.Stop()
		if log := node.Log(); strings.Contains(log, "panic") || strings.Contains(log, `"level":"ERROR"`) {
			t.Errorf("node %d logged an error or a panic: %s", i, log)
		}
		node.Path, o.Command = newer, newer
		node.Start()
		o.balancer.back(node.URL)
	}
	before := o.Total.Load()
	testkit.EventuallyWithin(t, patience, "some work", func() bool { return o.Total.Load() > before+100 })
	end()
	if failures := o.balancer.failures(); len(failures) != 0 {
		t.Errorf("got failed requests %v, want none", failures)
	}
	o.verify(t)
	if steps := o.migrations(t); steps[len(steps)-1] != 9999 {
		t.Errorf("got the schema steps %v, want 9999 to be the last", steps)
	}

	t.Run("the older version then refuses to start", func(t *testing.T) {
		late := binary.New(t, t.TempDir(), "--database-url", database)
		late.Path = older
		late.Launch()
		select {
		case <-late.Ended():
		case <-time.After(patience):
			t.Fatal("the older version is still running")
		}
		if !strings.Contains(late.Log(), "run a newer Recado") {
			t.Errorf("got the log %s, want \"run a newer Recado\"", late.Log())
		}
	})
}

// migrations returns the numbers of the applied schema steps in order.
func (o *fixture) migrations(t *testing.T) (steps []int64) {
	t.Helper()
	o.ask(t, "SELECT array_agg(version ORDER BY version) FROM schema_migrations", &steps)
	return steps
}
