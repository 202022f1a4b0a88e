-- What the server says of a message in place of words of its author, and the answers to a form, both JSON; and whether a message
-- arrived while another app answered in the conversation.
ALTER TABLE messages ADD COLUMN notice TEXT;
ALTER TABLE messages ADD COLUMN form TEXT;
ALTER TABLE messages ADD COLUMN standby BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE conversations ADD COLUMN last_notice TEXT;
