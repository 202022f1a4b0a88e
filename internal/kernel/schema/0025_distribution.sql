-- How the waiting cases of a sector get a responsible person.
ALTER TABLE sectors ADD COLUMN distribution TEXT NOT NULL DEFAULT 'manual';
ALTER TABLE sectors ADD COLUMN capacity BIGINT NOT NULL DEFAULT 10;
ALTER TABLE sectors ADD COLUMN prefer_last BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE sectors ADD COLUMN return_minutes BIGINT;
CREATE INDEX sectors_distributing ON sectors (company, id) WHERE distribution <> 'manual';

-- A member's own capacity, and when distribution last gave them a case.
ALTER TABLE users ADD COLUMN capacity BIGINT;
ALTER TABLE users ADD COLUMN received_at BIGINT;

-- When a case was distributed that goes back unless it is answered, and who let it go back last.
ALTER TABLE attendances ADD COLUMN distributed_at BIGINT;
ALTER TABLE attendances ADD COLUMN returned_from UUID;
CREATE INDEX attendances_distributed ON attendances (distributed_at) WHERE distributed_at IS NOT NULL;

-- Until when bots are silent in a conversation.
ALTER TABLE conversations ADD COLUMN bot_paused_until BIGINT;
