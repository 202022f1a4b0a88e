-- The events of a webhook are stored by their names, so that capabilities can add events in any order.
ALTER TABLE webhooks ADD COLUMN event_names TEXT NOT NULL DEFAULT '';
UPDATE webhooks SET event_names = TRIM(
    CASE WHEN events & 1 <> 0 THEN 'message.received ' ELSE '' END ||
    CASE WHEN events & 2 <> 0 THEN 'message.sent ' ELSE '' END ||
    CASE WHEN events & 4 <> 0 THEN 'conversation.updated ' ELSE '' END ||
    CASE WHEN events & 8 <> 0 THEN 'attendance.opened ' ELSE '' END ||
    CASE WHEN events & 16 <> 0 THEN 'attendance.closed ' ELSE '' END ||
    CASE WHEN events & 32 <> 0 THEN 'kanban.card.created ' ELSE '' END ||
    CASE WHEN events & 64 <> 0 THEN 'kanban.card.moved ' ELSE '' END ||
    CASE WHEN events & 128 <> 0 THEN 'kanban.card.completed ' ELSE '' END ||
    CASE WHEN events & 256 <> 0 THEN 'message.updated ' ELSE '' END ||
    CASE WHEN events & 512 <> 0 THEN 'note.created ' ELSE '' END);
ALTER TABLE webhooks DROP COLUMN events;
ALTER TABLE webhooks RENAME COLUMN event_names TO events;
