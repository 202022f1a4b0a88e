import { Button, Table } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { AuditEntry } from '../../api/types'
import { CopyField } from '../../ui/CopyField'
import { dateAndTime } from '../../ui/format'
import type { AuditSearch } from './search'
import { actorName, subjectName } from './sentence'
import { fieldName, valueText, type NameOf } from './values'
import classes from './Audit.module.css'

/** AuditDetails shows all that is recorded in an entry, and leads to other entries of the same person and about the same thing. */
export function AuditDetails({
  entry,
  nameOf,
  onFilter,
}: {
  entry: AuditEntry
  nameOf: NameOf
  onFilter: (search: AuditSearch) => void
}) {
  const { t } = useTranslation()
  const { actor, subject, changes, ip, request_id, action, at } = entry
  const who = actorName(actor, t)
  const name = subjectName(entry, t)
  return (
    <div className={classes.details}>
      {changes.length > 0 && <Changes changes={changes} nameOf={nameOf} />}
      <dl className={classes.record}>
        <dt>{t('audit.at')}</dt>
        <dd>{dateAndTime(at)}</dd>
        <dt>{t('audit.code')}</dt>
        <dd>
          <code>{action}</code>
        </dd>
        {ip && (
          <>
            <dt>{t('audit.ip')}</dt>
            <dd>{ip}</dd>
          </>
        )}
        {request_id && (
          <>
            <dt>{t('audit.requestId')}</dt>
            <dd>
              <CopyField value={request_id} />
            </dd>
          </>
        )}
      </dl>
      <div className={classes.ways}>
        <Button
          size="xs"
          variant="default"
          onClick={() =>
            onFilter({ actor: actor.id ?? actor.type, who: actor.name })
          }
        >
          {t('audit.onlyActor', { name: who })}
        </Button>
        {subject.id && name && subject.type !== 'session' && (
          <Button
            size="xs"
            variant="default"
            onClick={() => onFilter({ subject: subject.id ?? undefined, name })}
          >
            {t('audit.onlySubject', { name })}
          </Button>
        )}
      </div>
    </div>
  )
}

function Changes({
  changes,
  nameOf,
}: Pick<AuditEntry, 'changes'> & { nameOf: NameOf }) {
  const { t } = useTranslation()
  const before = changes.some(({ from }) => from !== null)
  const after = changes.some(({ to }) => to !== null)
  return (
    <div
      className={classes.table}
      tabIndex={0}
      role="region"
      aria-label={t('audit.changes')}
    >
      <Table aria-label={t('audit.changes')} verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('audit.change')}</Table.Th>
            {before && <Table.Th>{t('audit.before')}</Table.Th>}
            {after && <Table.Th>{t('audit.after')}</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {changes.map(({ field, from, to }) => (
            <Table.Tr key={field}>
              <Table.Th scope="row">{fieldName(field, t)}</Table.Th>
              {before && (
                <Table.Td>{valueText(field, from, t, nameOf)}</Table.Td>
              )}
              {after && <Table.Td>{valueText(field, to, t, nameOf)}</Table.Td>}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}
