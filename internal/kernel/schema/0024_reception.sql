-- What channels answer by themselves. content is JSON.
CREATE TABLE receptions (
    company    UUID   NOT NULL REFERENCES companies (id),
    channel    UUID   NOT NULL REFERENCES channels (id),
    version    BIGINT NOT NULL,
    content    TEXT   NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (company, channel)
);
-- The version of the channel's reception while it is switched on: nodes keep what they have read under it.
ALTER TABLE channels ADD COLUMN reception BIGINT;

-- The state of the menu of the open attendance, as JSON, and when the menu ends without an answer.
ALTER TABLE conversations ADD COLUMN reception TEXT;
ALTER TABLE conversations ADD COLUMN reception_due BIGINT;
CREATE INDEX conversations_reception_due ON conversations (reception_due) WHERE reception_due IS NOT NULL;

-- Whether receptions answer this person.
ALTER TABLE contacts ADD COLUMN automation BOOLEAN NOT NULL DEFAULT TRUE;
