-- A number can become private or public while it has a history. channels.private alone decides who sees what belongs to it;
-- the copies of it in conversations, attendances and cards, and the pools of contacts, serve the indexes of lists and
-- follow in the background. settling: they have yet to follow; settled_to is the last conversation that has.
ALTER TABLE channels ADD COLUMN settling BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE channels ADD COLUMN settled_to UUID;
-- Grows with every change of privacy. Links to files are signed with it, so that a change ends them.
ALTER TABLE channels ADD COLUMN privacy_version BIGINT NOT NULL DEFAULT 0;
CREATE INDEX channels_settling ON channels (id) WHERE settling;
CREATE INDEX conversations_channel ON conversations (channel, id);
CREATE INDEX cards_contact ON cards (contact) WHERE contact IS NOT NULL;

-- When a number was archived: it is disconnected for good, and its phone number may be connected again as another channel.
ALTER TABLE channels ADD COLUMN archived_at BIGINT;
DROP INDEX channels_phone_number_id;
CREATE UNIQUE INDEX channels_phone_number_id ON channels (phone_number_id) WHERE phone_number_id IS NOT NULL AND archived_at IS NULL;
