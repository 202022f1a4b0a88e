-- Held replies ---------------------------------------------------------------------------------

-- The template that asks a customer to reopen the service window.
ALTER TABLE channels ADD COLUMN reopen_name TEXT;
ALTER TABLE channels ADD COLUMN reopen_language TEXT;

ALTER TABLE conversations ADD COLUMN reopening UUID; -- the message with the last reopening template
ALTER TABLE sends ADD COLUMN released_at BIGINT; -- of a message that was held

-- Messages with the status held. They wait until the customer writes. A row is deleted when its message is released or fails.
CREATE TABLE held_messages (
    company      UUID   NOT NULL,
    message      UUID   NOT NULL,
    conversation UUID   NOT NULL,
    channel      UUID   NOT NULL,
    member       UUID   NOT NULL, -- on whose behalf it is sent
    key_id       UUID, -- the API key that sent it
    expires_at   BIGINT NOT NULL,
    PRIMARY KEY (company, message)
);
CREATE INDEX held_messages_conversation ON held_messages (company, conversation);
CREATE INDEX held_messages_channel ON held_messages (company, channel);
CREATE INDEX held_messages_due ON held_messages (expires_at);
