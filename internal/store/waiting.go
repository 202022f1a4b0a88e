package store

// Waiting is how much background work of all companies is left to do.
type Waiting struct {
	Sends  int64 // messages that have yet to reach their provider
	Files  int64 // files that have yet to be fetched from their provider
	Search int64 // conversations, contacts and cards whose text the search index does not have yet
}

// Waiting counts each kind up to a number.
func (tx *Tx) Waiting(most int) (Waiting, error) {
	var w Waiting
	_, err := tx.one(`
		SELECT
			(SELECT COUNT(*) FROM (SELECT 1 AS one FROM sends LIMIT $1) counted),
			(SELECT COUNT(*) FROM (SELECT 1 AS one FROM media WHERE fetch_at IS NOT NULL LIMIT $1) counted),
			(SELECT COUNT(*) FROM (SELECT 1 AS one FROM conversations WHERE unindexed LIMIT $1) counted) +
			(SELECT COUNT(*) FROM (SELECT 1 AS one FROM contacts WHERE unindexed LIMIT $1) counted) +
			(SELECT COUNT(*) FROM (SELECT 1 AS one FROM cards WHERE unindexed LIMIT $1) counted)`,
		[]any{most}, func(r Row) { w = Waiting{r.Int(0), r.Int(1), r.Int(2)} })
	return w, err
}
