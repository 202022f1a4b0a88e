-- Closing reasons ------------------------------------------------------------------------------

ALTER TABLE companies ADD COLUMN require_reason BOOLEAN NOT NULL DEFAULT FALSE; -- people must choose a reason to close a case

-- A deleted reason keeps its row, because closed cases show its name.
CREATE TABLE closing_reasons (
    company      UUID    NOT NULL REFERENCES companies (id),
    id           UUID    NOT NULL,
    name         TEXT    NOT NULL,
    folded       TEXT    NOT NULL,
    sectors      BYTEA, -- packed ids; NULL: for all sectors
    require_note BOOLEAN NOT NULL,
    active       BOOLEAN NOT NULL,
    position     BIGINT  NOT NULL,
    created_at   BIGINT  NOT NULL,
    updated_at   BIGINT  NOT NULL,
    deleted_at   BIGINT,
    PRIMARY KEY (company, id)
);
CREATE UNIQUE INDEX closing_reasons_name ON closing_reasons (company, folded) WHERE deleted_at IS NULL;

ALTER TABLE attendances ADD COLUMN closing_reason UUID;
ALTER TABLE attendances ADD COLUMN closing_note TEXT;
CREATE INDEX attendances_reason ON attendances (company, closing_reason, opened_at DESC, id DESC) WHERE closing_reason IS NOT NULL;
CREATE INDEX attendances_no_reason ON attendances (company, opened_at DESC, id DESC) WHERE closing_reason IS NULL;
CREATE INDEX attendances_channel ON attendances (company, channel, opened_at DESC, id DESC);

-- Custom fields --------------------------------------------------------------------------------

-- A deleted field keeps its row until its values are deleted.
CREATE TABLE fields (
    company           UUID    NOT NULL REFERENCES companies (id),
    id                UUID    NOT NULL,
    entity            TEXT    NOT NULL,
    key               TEXT    NOT NULL,
    name              TEXT    NOT NULL,
    type              TEXT    NOT NULL,
    options           TEXT    NOT NULL, -- JSON, of a choice
    required_on_close BOOLEAN NOT NULL,
    position          BIGINT  NOT NULL,
    deleted           BOOLEAN NOT NULL,
    created_at        BIGINT  NOT NULL,
    updated_at        BIGINT  NOT NULL,
    PRIMARY KEY (company, id)
);
CREATE UNIQUE INDEX fields_key ON fields (company, entity, key) WHERE NOT deleted;
CREATE INDEX fields_deleted ON fields (company, id) WHERE deleted;

-- The values of fields. noun is the id of a contact, an attendance or a card; value is JSON in its canonical form. A value may be
-- too long for an index, so its hash is indexed.
CREATE TABLE field_values (
    company UUID   NOT NULL,
    noun    UUID   NOT NULL,
    field   UUID   NOT NULL,
    value   TEXT   NOT NULL,
    hash    BIGINT NOT NULL,
    PRIMARY KEY (company, noun, field)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX field_values_hash ON field_values (company, field, hash, noun);

-- Survey ---------------------------------------------------------------------------------------

CREATE TABLE survey_settings (
    company       UUID    NOT NULL PRIMARY KEY REFERENCES companies (id),
    enabled       BOOLEAN NOT NULL,
    question      TEXT    NOT NULL,
    low_question  TEXT,
    thanks        TEXT,
    sectors       BYTEA, -- packed ids; NULL: all sectors
    delay_minutes BIGINT  NOT NULL,
    min_days      BIGINT  NOT NULL,
    valid_hours   BIGINT  NOT NULL
);

ALTER TABLE attendances ADD COLUMN survey TEXT; -- due until it is sent, then a status of the API
ALTER TABLE attendances ADD COLUMN survey_at BIGINT; -- when it is sent or expires; NULL: nothing is left to do
ALTER TABLE attendances ADD COLUMN survey_sent_at BIGINT;
ALTER TABLE attendances ADD COLUMN survey_answered_at BIGINT;
ALTER TABLE attendances ADD COLUMN survey_rating BIGINT;
ALTER TABLE attendances ADD COLUMN survey_comment TEXT;
CREATE INDEX attendances_survey ON attendances (company, survey, opened_at DESC, id DESC) WHERE survey IS NOT NULL;
CREATE INDEX attendances_not_asked ON attendances (company, opened_at DESC, id DESC) WHERE survey IN ('none', 'due');
CREATE INDEX attendances_survey_at ON attendances (survey_at) WHERE survey_at IS NOT NULL;
CREATE INDEX attendances_rating ON attendances (company, survey_rating, opened_at DESC, id DESC) WHERE survey_rating IS NOT NULL;
CREATE INDEX attendances_low ON attendances (company, opened_at DESC, id DESC) WHERE survey_rating <= 3;
CREATE INDEX attendances_high ON attendances (company, opened_at DESC, id DESC) WHERE survey_rating >= 4;
CREATE INDEX attendances_surveyed ON attendances (company, contact, survey_sent_at) WHERE survey_sent_at IS NOT NULL;

ALTER TABLE conversations ADD COLUMN survey UUID; -- the attendance whose survey waits for a rating or a comment

-- Service levels -------------------------------------------------------------------------------

-- A deleted policy keeps its row, because closed cases show its name.
CREATE TABLE sla_policies (
    company                UUID   NOT NULL REFERENCES companies (id),
    id                     UUID   NOT NULL,
    name                   TEXT   NOT NULL,
    folded                 TEXT   NOT NULL,
    sectors                BYTEA, -- packed ids; NULL: for the sectors without a policy of their own
    first_response_minutes BIGINT,
    next_response_minutes  BIGINT,
    resolution_minutes     BIGINT,
    clock                  TEXT   NOT NULL,
    warn_percent           BIGINT NOT NULL,
    created_at             BIGINT NOT NULL,
    updated_at             BIGINT NOT NULL,
    deleted_at             BIGINT,
    PRIMARY KEY (company, id)
);
CREATE UNIQUE INDEX sla_policies_name ON sla_policies (company, folded) WHERE deleted_at IS NULL;

ALTER TABLE companies ADD COLUMN sla_stale UUID; -- the last change of policies or hours; NULL: open cases are up to date
CREATE INDEX companies_sla_stale ON companies (id) WHERE sla_stale IS NOT NULL;

ALTER TABLE attendances ADD COLUMN menu_ended_at BIGINT; -- when it began to wait for a person; NULL: at opening, or not yet
ALTER TABLE attendances ADD COLUMN sla_policy UUID;
ALTER TABLE attendances ADD COLUMN sla TEXT; -- the targets as JSON
ALTER TABLE attendances ADD COLUMN sla_state TEXT; -- the worst state of its targets
ALTER TABLE attendances ADD COLUMN sla_check_at BIGINT; -- when a target is next warned of or breached
CREATE INDEX attendances_sla_check ON attendances (sla_check_at) WHERE sla_check_at IS NOT NULL;
CREATE INDEX attendances_sla ON attendances (company, sla_state, opened_at DESC, id DESC) WHERE sla_state IS NOT NULL;

-- Of the open attendance: its policy, and the target that is due next.
ALTER TABLE conversations ADD COLUMN sla_policy UUID;
ALTER TABLE conversations ADD COLUMN sla_target TEXT;
ALTER TABLE conversations ADD COLUMN sla_due BIGINT;
ALTER TABLE conversations ADD COLUMN sla_state TEXT;
CREATE INDEX conversations_sla ON conversations (company, sla_due, id) WHERE sla_due IS NOT NULL AND NOT private;
CREATE INDEX conversations_at_risk ON conversations (company, sla_state, id) WHERE sla_state IN ('warned', 'breached');

-- Lists of cases by the time of the first response or of the closing ------------------------------

CREATE INDEX attendances_answered_at ON attendances (company, first_response_at) WHERE first_response_at IS NOT NULL;
CREATE INDEX attendances_closed_at ON attendances (company, closed_at) WHERE closed_at IS NOT NULL;
