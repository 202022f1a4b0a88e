import { ActionIcon, Badge, Button } from '@mantine/core'
import {
  IconClockHour4,
  IconPencil,
  IconPlus,
  IconTrash,
} from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { TFunction } from 'i18next'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, Failure, unwrap } from '../../api/client'
import { Confirm } from '../../api/Confirm'
import { keys } from '../../api/keys'
import { Loaded } from '../../api/Loaded'
import type {
  AttendanceRules,
  Channel,
  Hours as HoursData,
  Sector,
} from '../../api/types'
import { Page } from '../../ui/Layout'
import { Empty } from '../../ui/states'
import { useFresh } from '../useFresh'
import { HoursEditor } from './HoursEditor'
import { statusText, weekText } from './texts'
import {
  useHours,
  useHoursStatus,
  usesOf,
  useStoredHours,
  useUses,
  type Uses,
} from './useHours'
import rows from '../../ui/rows.module.css'
import settings from '../Settings.module.css'
import classes from './Hours.module.css'

/** Hours is the page of the company's opening hours: all of them, or one. */
export default function Hours() {
  const { _splat: path = '' } = useParams({ strict: false })
  const [, id] = path.split('/')
  useFresh(keys.hours, keys.rules, keys.channels, keys.sectors)
  if (!id) return <HoursList />
  if (id === 'new') return <HoursEditor key="new" hours={null} />
  return <OneHours key={id} id={id} />
}

function OneHours({ id }: { id: string }) {
  const { t } = useTranslation()
  const hours = useStoredHours()
  return (
    <Loaded query={hours}>
      {(data) => {
        const found = data.find((one) => one.id === id)
        return found ? (
          <HoursEditor hours={found} />
        ) : (
          <Empty title={t('hours.gone')}>
            <Button component={Link} to="/settings/hours" variant="default">
              {t('hours.title')}
            </Button>
          </Empty>
        )
      }}
    </Loaded>
  )
}

/** usesText lists the places that use opening hours: the company, the number Loja, the department Vendas. */
const usesText = ({ company, channels, sectors }: Uses, t: TFunction) =>
  [
    company && t('hours.useCompany'),
    ...channels.map(({ name }) => t('hours.useChannel', { name })),
    ...sectors.map(({ name }) => t('hours.useSector', { name })),
  ]
    .filter(Boolean)
    .join(', ')

function HoursList() {
  const { t } = useTranslation()
  const client = useQueryClient()
  const hours = useHours()
  const uses = useUses()
  const [deleting, setDeleting] = useState<HoursData | null>(null)
  const add = (
    <Button
      component={Link}
      to="/settings/hours/new"
      leftSection={<IconPlus size={16} />}
    >
      {t('hours.new')}
    </Button>
  )
  const places = deleting ? usesText(uses(deleting.id), t) : ''
  const named = [keys.rules, keys.channels, keys.sectors]
  return (
    <Page
      title={t('hours.title')}
      text={t('hours.text')}
      action={(hours.data?.length ?? 0) > 0 && add}
    >
      <Loaded query={hours}>
        {(data) =>
          data.length === 0 ? (
            <Empty
              icon={<IconClockHour4 size={28} />}
              title={t('hours.none')}
              text={t('hours.noneText')}
            >
              {add}
            </Empty>
          ) : (
            <ul className={rows.rows} aria-label={t('hours.title')}>
              {data.map((one) => (
                <HoursRow
                  key={one.id}
                  hours={one}
                  uses={usesText(uses(one.id), t)}
                  onDelete={() => setDeleting(one)}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {deleting && (
        <Confirm
          title={t('hours.deleteTitle', { name: deleting.name })}
          text={
            places ? t('hours.deleteUsed', { places }) : t('hours.deleteText')
          }
          action={t('inbox.delete')}
          onClose={() => setDeleting(null)}
          task={async () => {
            try {
              await unwrap(
                api.DELETE('/hours/{id}', {
                  params: { path: { id: deleting.id } },
                }),
              )
            } catch (error) {
              await Promise.all(
                named.map((queryKey) => client.invalidateQueries({ queryKey })),
              )
              throw error
            }
            await client.invalidateQueries({ queryKey: keys.hours })
          }}
          reason={(error) => {
            if (!(error instanceof Failure) || error.code !== 'in_use')
              return undefined
            const now = usesOf(
              deleting.id,
              client.getQueryData<AttendanceRules>(keys.rules),
              client.getQueryData<Channel[]>(keys.channels),
              client.getQueryData<Sector[]>(keys.sectors),
            )
            return (
              usesText(now, t) && t('hours.inUse', { places: usesText(now, t) })
            )
          }}
        />
      )}
    </Page>
  )
}

function HoursRow({
  hours,
  uses,
  onDelete,
}: {
  hours: HoursData
  uses: string
  onDelete: () => void
}) {
  const { t } = useTranslation()
  const status = useHoursStatus(hours.id).data
  const edit = t('settings.edit', { name: hours.name })
  return (
    <li className={rows.row}>
      <div className={rows.main}>
        <strong className={classes.rowName}>
          {hours.name}
          {status && (
            <Badge
              variant="light"
              color={status.open ? 'green' : 'gray'}
              className={settings.badge}
              tt="none"
            >
              {t(status.open ? 'hours.openNow' : 'hours.closedNow')}
            </Badge>
          )}
        </strong>
        {status && <span>{statusText(status, hours.timezone, t)}</span>}
        <span>
          {[
            weekText(hours) || t('hours.noWeek'),
            hours.exceptions.length > 0 &&
              t('hours.exceptionCount', { count: hours.exceptions.length }),
          ]
            .filter(Boolean)
            .join(' · ')}
        </span>
        <span>{hours.timezone}</span>
        <span data-tone={uses ? undefined : 'amber'}>
          {uses ? t('hours.usedBy', { places: uses }) : t('hours.unused')}
        </span>
      </div>
      <ActionIcon
        component={Link}
        to={`/settings/hours/${hours.id}`}
        variant="subtle"
        color="gray"
        size={36}
        aria-label={edit}
        title={edit}
      >
        <IconPencil size={18} />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={36}
        aria-label={t('settings.delete', { name: hours.name })}
        title={t('settings.delete', { name: hours.name })}
        onClick={onDelete}
      >
        <IconTrash size={18} />
      </ActionIcon>
    </li>
  )
}
