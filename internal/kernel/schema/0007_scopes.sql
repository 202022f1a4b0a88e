-- Scopes of keys are stored by name, with a space between two of them. They were bits before, one for each
-- place in the list of scopes of that time.
ALTER TABLE keys ADD COLUMN scope_names TEXT NOT NULL DEFAULT '';
UPDATE keys
SET scope_names = TRIM(
    CASE WHEN (scopes & 1) <> 0 THEN ' conversations:read' ELSE '' END
    || CASE WHEN (scopes & 2) <> 0 THEN ' conversations:write' ELSE '' END
    || CASE WHEN (scopes & 4) <> 0 THEN ' messages:read' ELSE '' END
    || CASE WHEN (scopes & 8) <> 0 THEN ' messages:send' ELSE '' END
    || CASE WHEN (scopes & 16) <> 0 THEN ' media:write' ELSE '' END
    || CASE WHEN (scopes & 32) <> 0 THEN ' contacts:read' ELSE '' END
    || CASE WHEN (scopes & 64) <> 0 THEN ' contacts:write' ELSE '' END
    || CASE WHEN (scopes & 128) <> 0 THEN ' attendances:read' ELSE '' END
    || CASE WHEN (scopes & 256) <> 0 THEN ' attendances:write' ELSE '' END
    || CASE WHEN (scopes & 512) <> 0 THEN ' team:read' ELSE '' END
    || CASE WHEN (scopes & 1024) <> 0 THEN ' reports:read' ELSE '' END
    || CASE WHEN (scopes & 2048) <> 0 THEN ' webhooks:manage' ELSE '' END
    || CASE WHEN (scopes & 4096) <> 0 THEN ' read' ELSE '' END
    || CASE WHEN (scopes & 8192) <> 0 THEN ' write' ELSE '' END
    || CASE WHEN (scopes & 16384) <> 0 THEN ' labels:write' ELSE '' END
    || CASE WHEN (scopes & 32768) <> 0 THEN ' team:manage' ELSE '' END
    || CASE WHEN (scopes & 65536) <> 0 THEN ' channels:manage' ELSE '' END
    || CASE WHEN (scopes & 131072) <> 0 THEN ' company:manage' ELSE '' END
    || CASE WHEN (scopes & 262144) <> 0 THEN ' keys:manage' ELSE '' END
);
ALTER TABLE keys DROP COLUMN scopes;
ALTER TABLE keys RENAME COLUMN scope_names TO scopes;
