-- Unique keys begin with the company, so that data can be divided by company. Every statement that looks a row up by
-- one of them knows the company. Only indexes change: no row is copied.
DROP INDEX conversations_contact;
CREATE UNIQUE INDEX conversations_contact ON conversations (company, channel, contact) WHERE contact IS NOT NULL;
DROP INDEX conversations_group;
CREATE UNIQUE INDEX conversations_group ON conversations (company, channel, group_id) WHERE group_id IS NOT NULL;
DROP INDEX attendances_open;
CREATE UNIQUE INDEX attendances_open ON attendances (company, conversation) WHERE closed_at IS NULL;
DROP INDEX stages_name;
CREATE UNIQUE INDEX stages_name ON stages (company, board, folded);
DROP INDEX cards_attendance;
CREATE UNIQUE INDEX cards_attendance ON cards (company, attendance) WHERE attendance IS NOT NULL;
