-- The figures of reports by channel, closing reason, label, hour, survey and service level. Every case is in one line of the
-- kind channel; the sum of those lines is the figures of all cases. The kinds hour, survey and sla only count, in opened.
CREATE TABLE report_lines (
    company        UUID   NOT NULL,
    kind           TEXT   NOT NULL,
    day            BIGINT NOT NULL,
    member         UUID   NOT NULL,
    sector         UUID   NOT NULL,
    key            TEXT   NOT NULL, -- the id of a channel, reason or label, an hour, or the name of a counter
    opened         BIGINT NOT NULL,
    answered       BIGINT NOT NULL,
    answer_seconds BIGINT NOT NULL,
    answer_sketch  BYTEA,
    closed         BIGINT NOT NULL,
    close_seconds  BIGINT NOT NULL,
    close_sketch   BYTEA,
    PRIMARY KEY (company, kind, day, member, sector, key)
) /*sqlite: WITHOUT ROWID */;
DROP TABLE report_days;

-- The figures of earlier cases are counted again at the next start.
ALTER TABLE companies ADD COLUMN report_stale BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE companies SET report_stale = TRUE;
CREATE INDEX companies_report_stale ON companies (id) WHERE report_stale;
