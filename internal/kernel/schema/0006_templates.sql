-- Templates ------------------------------------------------------------------------------------

ALTER TABLE templates ADD COLUMN quality TEXT;
ALTER TABLE templates ADD COLUMN reason TEXT; -- why Meta rejected it: Meta's word in lower case
ALTER TABLE templates ADD COLUMN reason_text TEXT; -- Meta's own explanation

-- Import of the contacts and the history of the WhatsApp Business app --------------------------

-- Meta accepts each request once, so what was requested is stored. import_due_at is when the next step is due.
ALTER TABLE channels ADD COLUMN import_state TEXT;
ALTER TABLE channels ADD COLUMN import_progress BIGINT NOT NULL DEFAULT 0;
ALTER TABLE channels ADD COLUMN import_reason TEXT; -- JSON
ALTER TABLE channels ADD COLUMN import_began_at BIGINT;
ALTER TABLE channels ADD COLUMN import_step TEXT; -- the next request: contacts, history; wait: all were made
ALTER TABLE channels ADD COLUMN import_tries BIGINT NOT NULL DEFAULT 0; -- of the step
ALTER TABLE channels ADD COLUMN import_due_at BIGINT;
CREATE INDEX channels_import_due ON channels (import_due_at) WHERE import_due_at IS NOT NULL;
