-- A search in a small company reads the texts of that company and not those of all that have its trigrams.
-- postgres: CREATE INDEX conversation_search_company ON conversation_search (company);
-- postgres: CREATE INDEX contact_search_company ON contact_search (company);
-- postgres: CREATE INDEX card_search_company ON card_search (company);

-- The order in which distribution gave members their last case. Times cannot tell it: the clocks of nodes differ, and several cases
-- may be given in one millisecond.
ALTER TABLE users ADD COLUMN received_turn BIGINT;
UPDATE users
SET received_turn = received_at
WHERE received_at IS NOT NULL;
