-- A search looks only at the rows of its own company that wait to be indexed.
DROP INDEX conversations_unindexed;
DROP INDEX contacts_unindexed;
DROP INDEX cards_unindexed;
CREATE INDEX conversations_unindexed ON conversations (company, id) WHERE unindexed;
CREATE INDEX contacts_unindexed ON contacts (company, id) WHERE unindexed;
CREATE INDEX cards_unindexed ON cards (company, id) WHERE unindexed;

-- In SQLite's full-text index every text ends with a tag of its company: all are indexed again in the background.
-- sqlite: UPDATE conversations SET unindexed = TRUE;
-- sqlite: UPDATE contacts SET unindexed = TRUE;
-- sqlite: UPDATE cards SET unindexed = TRUE;
