package cluster

import (
	"strings"
	"testing"
	"time"

	"recado/test/binary"
	"recado/test/testkit"
)

func TestNodesThatStartAtOnceOnAnEmptyDatabaseMakeTheSchemaOnce(t *testing.T) {
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
		t.Errorf("the schema has the steps %v", steps)
	}
}

// The newer command brings a step of the schema that touches a busy table.
func TestNodesAreReplacedByANewerVersionUnderLoadWithoutAFailedCall(t *testing.T) {
	t.Parallel()
	newer := binary.Newer(t, map[string]string{
		"internal/kernel/schema/9999_later.sql": "ALTER TABLE messages ADD COLUMN later TEXT;\nALTER TABLE conversations ADD COLUMN later TEXT;\n",
	})
	database := testkit.OwnCluster(t).URL
	o := open(t, database, "--drain", "500ms")
	o.mayDeadlock = 100 // the step of the schema and the work, which PostgreSQL has to part
	older := o.nodes[0].Path
	end := o.work(t)
	for i, node := range o.nodes {
		before := o.Total.Load()
		testkit.EventuallyWithin(t, patience, "some work", func() bool { return o.Total.Load() > before+100 })
		node.Stop()
		if log := node.Log(); strings.Contains(log, "panic") || strings.Contains(log, `"level":"ERROR"`) {
			t.Errorf("node %d did not end well: %s", i, log)
		}
		node.Path, o.Command = newer, newer
		node.Start()
		o.balancer.back(node.URL)
	}
	before := o.Total.Load()
	testkit.EventuallyWithin(t, patience, "some work", func() bool { return o.Total.Load() > before+100 })
	end()
	if failures := o.balancer.failures(); len(failures) != 0 {
		t.Errorf("calls failed: %v", failures)
	}
	o.verify(t)
	if steps := o.migrations(t); steps[len(steps)-1] != 9999 {
		t.Errorf("the schema has the steps %v", steps)
	}

	t.Run("and the older version then refuses to start", func(t *testing.T) {
		late := binary.New(t, t.TempDir(), "--database-url", database)
		late.Path = older
		late.Launch()
		select {
		case <-late.Ended():
		case <-time.After(patience):
			t.Fatal("it runs")
		}
		if !strings.Contains(late.Log(), "run a newer Recado") {
			t.Errorf("it says: %s", late.Log())
		}
	})
}

// migrations lists the steps that were taken, in the order of their numbers.
func (o *fixture) migrations(t *testing.T) (steps []int64) {
	t.Helper()
	o.ask(t, "SELECT array_agg(version ORDER BY version) FROM schema_migrations", &steps)
	return steps
}
