-- What lists show of the last message beside its text: how far it came, and the name and the length of its file.
ALTER TABLE conversations ADD COLUMN last_status TEXT;
ALTER TABLE conversations ADD COLUMN last_file_name TEXT;
ALTER TABLE conversations ADD COLUMN last_duration_ms BIGINT;
UPDATE conversations
SET last_status = COALESCE((SELECT m.status FROM messages m WHERE m.id = conversations.last_id),
    CASE WHEN last_direction = 'inbound' THEN 'received' ELSE 'sent' END)
WHERE last_id IS NOT NULL;
UPDATE conversations
SET last_file_name = (SELECT d.file_name FROM messages m JOIN media d ON d.id = m.media WHERE m.id = conversations.last_id),
    last_duration_ms = (SELECT d.duration_ms FROM messages m JOIN media d ON d.id = m.media WHERE m.id = conversations.last_id)
WHERE last_type IN ('image', 'audio', 'video', 'document', 'sticker');
