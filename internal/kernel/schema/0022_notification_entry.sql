-- The note or the message that a notification tells of, so that it opens the conversation there.
ALTER TABLE notifications ADD COLUMN entry UUID;
