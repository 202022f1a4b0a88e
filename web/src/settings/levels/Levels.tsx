import { ActionIcon, Button } from '@mantine/core'
import { IconAlarm, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { Confirm } from '../../api/Confirm'
import { keys } from '../../api/keys'
import { Loaded } from '../../api/Loaded'
import { policiesOptions, useRowNames, useSectors } from '../../api/queries'
import type { Policy } from '../../api/types'
import { duration } from '../../ui/format'
import { Page } from '../../ui/Layout'
import { Empty } from '../../ui/states'
import { useFresh } from '../useFresh'
import { LevelDialog } from './LevelDialog'
import { refreshLevels } from './refreshLevels'
import rows from '../../ui/rows.module.css'

/** Levels is the page of the service levels. */
export default function Levels() {
  const { t } = useTranslation()
  const client = useQueryClient()
  useFresh(keys.policies, keys.sectors)
  const policies = useQuery(policiesOptions)
  const sectors = useSectors()
  const [editing, setEditing] = useState<Policy | 'new' | null>(null)
  const [deleting, setDeleting] = useState<Policy | null>(null)
  const add = (
    <Button
      leftSection={<IconPlus size={16} />}
      onClick={() => setEditing('new')}
    >
      {t('levels.new')}
    </Button>
  )
  return (
    <Page
      title={t('levels.title')}
      text={t('levels.text')}
      action={(policies.data?.length ?? 0) > 0 && add}
    >
      <Loaded query={policies}>
        {(data) =>
          data.length === 0 ? (
            <Empty
              icon={<IconAlarm size={28} />}
              title={t('levels.empty')}
              text={t('levels.emptyText')}
            >
              {add}
            </Empty>
          ) : (
            <ul className={rows.rows} aria-label={t('levels.title')}>
              {data.map((policy) => (
                <PolicyRow
                  key={policy.id}
                  policy={policy}
                  onEdit={() => setEditing(policy)}
                  onDelete={() => setDeleting(policy)}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {editing && policies.data && sectors.data && (
        <LevelDialog
          policy={editing === 'new' ? null : editing}
          policies={policies.data}
          sectors={sectors.data}
          onClose={() => setEditing(null)}
        />
      )}
      {deleting && (
        <Confirm
          title={t('levels.deleteTitle', { name: deleting.name })}
          text={t('levels.deleteText')}
          action={t('inbox.delete')}
          onClose={() => setDeleting(null)}
          task={async () => {
            await unwrap(
              api.DELETE('/sla-policies/{id}', {
                params: { path: { id: deleting.id } },
              }),
            )
            await refreshLevels(client)
          }}
        />
      )}
    </Page>
  )
}

/** PolicyRow shows for whom a policy is, its targets, and which time counts. */
function PolicyRow({
  policy,
  onEdit,
  onDelete,
}: {
  policy: Policy
  onEdit: () => void
  onDelete: () => void
}) {
  const { t } = useTranslation()
  const names = useRowNames()
  const { name, sector_ids: ids } = policy
  const known = ids.map((id) => names.sector(id)).filter(Boolean)
  const targets = (
    [
      ['first', policy.first_response_minutes],
      ['next', policy.next_response_minutes],
      ['resolution', policy.resolution_minutes],
    ] as const
  ).filter(([, minutes]) => minutes !== null)
  return (
    <li className={rows.row}>
      <div className={rows.main}>
        <strong>{name}</strong>
        <span>
          {ids.length === 0
            ? t('levels.all')
            : known.join(', ') || t('levels.noSector')}
        </span>
        <span>
          {targets
            .map(
              ([target, minutes]) =>
                `${t(`sla.${target}`)} ${duration((minutes ?? 0) * 60)}`,
            )
            .join(' · ')}
        </span>
        <span>
          {t(`levels.clocks.${policy.clock}`)} ·{' '}
          {t('levels.warnAt', { n: policy.warn_percent })}
        </span>
      </div>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={36}
        aria-label={t('settings.edit', { name })}
        title={t('settings.edit', { name })}
        onClick={onEdit}
      >
        <IconPencil size={18} />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={36}
        aria-label={t('settings.delete', { name })}
        title={t('settings.delete', { name })}
        onClick={onDelete}
      >
        <IconTrash size={18} />
      </ActionIcon>
    </li>
  )
}
