-- What the inbox of the app needs: which conversations are open, since when a customer waits, snoozing, saved views, one
-- order of everything that happened in a conversation, and the dimensions of files.

-- open: an attendance is open, or there are unread messages and the conversation is not muted. number and opened_at are
-- those of the open attendance; waiting_since is when the customer's oldest unanswered message of it came.
ALTER TABLE conversations ADD COLUMN open BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE conversations ADD COLUMN attendance_number BIGINT;
ALTER TABLE conversations ADD COLUMN attendance_opened_at BIGINT;
ALTER TABLE conversations ADD COLUMN waiting_since BIGINT;
ALTER TABLE conversations ADD COLUMN snoozed_until BIGINT;
-- windowed: the provider takes free-form messages only within 24 hours of the customer's last one.
ALTER TABLE conversations ADD COLUMN windowed BOOLEAN NOT NULL DEFAULT FALSE;

UPDATE conversations
SET open = attendance IS NOT NULL OR unread_count > 0 AND NOT muted,
    windowed = EXISTS (SELECT 1 FROM channels ch WHERE ch.id = conversations.channel AND ch.provider <> 'sandbox');
UPDATE conversations
SET attendance_number = (SELECT a.number FROM attendances a WHERE a.id = conversations.attendance),
    attendance_opened_at = (SELECT a.opened_at FROM attendances a WHERE a.id = conversations.attendance)
WHERE attendance IS NOT NULL;
UPDATE conversations
SET waiting_since = COALESCE(
    (SELECT MIN(m.created_at)
     FROM messages m
     WHERE m.conversation = conversations.id AND m.direction = 'inbound' AND m.created_at >= conversations.attendance_opened_at
         AND m.seq > COALESCE((SELECT o.seq FROM messages o WHERE o.conversation = conversations.id AND o.direction = 'outbound' ORDER BY o.seq DESC LIMIT 1), 0)),
    attendance_opened_at)
WHERE attendance IS NOT NULL AND last_direction = 'inbound';

CREATE INDEX conversations_open ON conversations (company, open, activity_at DESC, id DESC) WHERE NOT private;
CREATE INDEX conversations_waiting ON conversations (company, waiting_since, id) WHERE waiting_since IS NOT NULL AND NOT private;
CREATE INDEX conversations_snoozed ON conversations (company, id) WHERE snoozed_until IS NOT NULL;
CREATE INDEX conversations_wake ON conversations (snoozed_until) WHERE snoozed_until IS NOT NULL;

-- Where attendances were opened (kind 2) and closed (kind 3) among the messages and assignments of a conversation.
CREATE TABLE attendance_marks (
    conversation UUID   NOT NULL,
    seq          BIGINT NOT NULL,
    kind         BIGINT NOT NULL,
    attendance   UUID   NOT NULL,
    PRIMARY KEY (conversation, seq, kind, attendance)
) /*sqlite: WITHOUT ROWID */;
INSERT INTO attendance_marks (conversation, seq, kind, attendance)
SELECT a.conversation, COALESCE((SELECT MAX(m.seq) FROM messages m WHERE m.conversation = a.conversation AND m.created_at <= a.opened_at), 0), 2, a.id
FROM attendances a;
INSERT INTO attendance_marks (conversation, seq, kind, attendance)
SELECT a.conversation, COALESCE((SELECT MAX(m.seq) FROM messages m WHERE m.conversation = a.conversation AND m.created_at <= a.closed_at), 0), 3, a.id
FROM attendances a
WHERE a.closed_at IS NOT NULL;

CREATE INDEX messages_files ON messages (conversation, seq) WHERE media IS NOT NULL;
CREATE INDEX attendances_load ON attendances (company, responsible) WHERE closed_at IS NULL AND responsible IS NOT NULL AND NOT private;

-- query is JSON: the filters of a list of conversations.
CREATE TABLE views (
    id         UUID    NOT NULL PRIMARY KEY,
    company    UUID    NOT NULL REFERENCES companies (id),
    owner      UUID    NOT NULL REFERENCES users (id),
    name       TEXT    NOT NULL,
    folded     TEXT    NOT NULL,
    query      TEXT    NOT NULL,
    shared     BOOLEAN NOT NULL,
    position   BIGINT  NOT NULL,
    created_at BIGINT  NOT NULL
);
CREATE INDEX views_company ON views (company, owner);

ALTER TABLE media ADD COLUMN width BIGINT;
ALTER TABLE media ADD COLUMN height BIGINT;
ALTER TABLE media ADD COLUMN duration_ms BIGINT;
