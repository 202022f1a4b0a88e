import { ActionIcon, Button } from '@mantine/core'
import {
  IconArrowsSplit,
  IconPencil,
  IconPlus,
  IconSitemap,
  IconTrash,
} from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { Confirm } from '../api/Confirm'
import { keys } from '../api/keys'
import { Loaded } from '../api/Loaded'
import { useSectors } from '../api/queries'
import type { Sector } from '../api/types'
import { Page } from '../ui/Layout'
import { Empty } from '../ui/states'
import { Distribution } from './Distribution'
import { useHours } from './hours/useHours'
import { SectorDialog } from './SectorDialog'
import { useFresh } from './useFresh'
import rows from '../ui/rows.module.css'

/** Sectors is the page of departments, or of one department's distribution. */
export default function Sectors() {
  const { _splat: path = '' } = useParams({ strict: false })
  const [, id] = path.split('/')
  useFresh(keys.sectors, keys.team, keys.hours)
  return id ? <Distribution key={id} id={id} /> : <SectorList />
}

function SectorList() {
  const { t } = useTranslation()
  const client = useQueryClient()
  const sectors = useSectors()
  const [editing, setEditing] = useState<Sector | 'new' | null>(null)
  const [deleting, setDeleting] = useState<Sector | null>(null)
  const add = (
    <Button
      leftSection={<IconPlus size={16} />}
      onClick={() => setEditing('new')}
    >
      {t('sectors.new')}
    </Button>
  )
  const some = (sectors.data?.length ?? 0) > 0
  return (
    <Page
      title={t('sectors.title')}
      text={t('sectors.text')}
      action={some && add}
    >
      <Loaded query={sectors}>
        {(data) =>
          data.length === 0 ? (
            <Empty
              icon={<IconSitemap size={28} />}
              title={t('sectors.none')}
              text={t('sectors.noneText')}
            >
              {add}
            </Empty>
          ) : (
            <ul className={rows.rows} aria-label={t('sectors.title')}>
              {data.map((sector) => (
                <SectorRow
                  key={sector.id}
                  sector={sector}
                  onEdit={() => setEditing(sector)}
                  onDelete={() => setDeleting(sector)}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {editing && (
        <SectorDialog
          sector={editing === 'new' ? null : editing}
          onClose={() => setEditing(null)}
        />
      )}
      {deleting && (
        <Confirm
          title={t('sectors.deleteTitle', { name: deleting.name })}
          text={t('sectors.deleteText')}
          action={t('inbox.delete')}
          onClose={() => setDeleting(null)}
          task={async () => {
            await unwrap(
              api.DELETE('/sectors/{id}', {
                params: { path: { id: deleting.id } },
              }),
            )
            await Promise.all(
              [keys.sectors, keys.team, keys.counts].map((queryKey) =>
                client.invalidateQueries({ queryKey }),
              ),
            )
          }}
        />
      )}
    </Page>
  )
}

function SectorRow({
  sector,
  onEdit,
  onDelete,
}: {
  sector: Sector
  onEdit: () => void
  onDelete: () => void
}) {
  const { t } = useTranslation()
  const waiting = sector.queues.reduce((sum, queue) => sum + queue.waiting, 0)
  const hours = useHours().data?.find((one) => one.id === sector.hours_id)
  const next = t('distribution.of', { name: sector.name })
  const people =
    sector.members.length === 0
      ? t('sectors.nobody')
      : sector.members.map((member) => member.name).join(', ')
  return (
    <li className={rows.row}>
      <div className={rows.main}>
        <strong>{sector.name}</strong>
        <span>{people}</span>
        <span>
          {[
            t('distribution.modeIs', {
              mode: t(`distribution.modes.${sector.distribution.mode}`),
            }),
            hours && t('hours.is', { name: hours.name }),
          ]
            .filter(Boolean)
            .join(' · ')}
        </span>
        {waiting > 0 && (
          <span data-tone="amber">
            {t('sectors.waiting', { count: waiting })}
          </span>
        )}
      </div>
      <ActionIcon
        component={Link}
        to={`/settings/sectors/${sector.id}`}
        variant="subtle"
        color="gray"
        size={36}
        aria-label={next}
        title={next}
      >
        <IconArrowsSplit size={18} />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={36}
        aria-label={t('settings.edit', { name: sector.name })}
        title={t('settings.edit', { name: sector.name })}
        onClick={onEdit}
      >
        <IconPencil size={18} />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={36}
        aria-label={t('settings.delete', { name: sector.name })}
        title={t('settings.delete', { name: sector.name })}
        onClick={onDelete}
      >
        <IconTrash size={18} />
      </ActionIcon>
    </li>
  )
}
