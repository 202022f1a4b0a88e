import { Alert, Button, Table } from '@mantine/core'
import { IconChevronLeft } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, Failure, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { Loaded } from '../api/Loaded'
import { useSectors } from '../api/queries'
import type { DistributionStatus, Sector } from '../api/types'
import { Avatar } from '../ui/Avatar'
import { dateAndTime, duration } from '../ui/format'
import { Page, Section } from '../ui/Layout'
import { Empty } from '../ui/states'
import { nextReason } from './nextReason'
import { SectorDialog } from './SectorDialog'
import rows from '../ui/rows.module.css'
import settings from './Settings.module.css'
import classes from './Distribution.module.css'

/** The polling interval; presence and cases change all the time. */
const every = 5000

/** Distribution shows who gets a department's next case, and why. */
export function Distribution({ id }: { id: string }) {
  const { t } = useTranslation()
  const sector = useSectors().data?.find((one) => one.id === id)
  const [editing, setEditing] = useState<Sector | null>(null)
  const status = useQuery({
    queryKey: keys.distribution(id),
    staleTime: 0,
    refetchInterval: every,
    queryFn: () =>
      unwrap(
        api.GET('/sectors/{id}/distribution', { params: { path: { id } } }),
      ),
  })
  const back = (
    <Link
      to="/settings/$"
      params={{ _splat: 'sectors' }}
      className={settings.link}
    >
      <IconChevronLeft size={16} aria-hidden />
      {t('sectors.title')}
    </Link>
  )
  if (status.error instanceof Failure && status.error.status === 404)
    return (
      <Empty title={t('distribution.gone')}>
        <Button component={Link} to="/settings/sectors" variant="default">
          {t('sectors.title')}
        </Button>
      </Empty>
    )
  return (
    <Page
      title={t('distribution.title', {
        name: status.data?.sector.name ?? sector?.name ?? '',
      })}
      text={t('distribution.text')}
      action={back}
    >
      <Loaded query={status}>
        {(data) => (
          <>
            <Next status={data} onEdit={sector && (() => setEditing(sector))} />
            <Members status={data} />
          </>
        )}
      </Loaded>
      {editing && (
        <SectorDialog
          sector={editing}
          onClose={() => {
            setEditing(null)
            void status.refetch()
          }}
        />
      )}
    </Page>
  )
}

function Next({
  status,
  onEdit,
}: {
  status: DistributionStatus
  onEdit?: () => void
}) {
  const { t } = useTranslation()
  const { distribution, waiting, oldest_waiting_at: oldest, next } = status
  const age =
    oldest && duration((Date.now() - new Date(oldest).getTime()) / 1000)
  const returns = distribution.return_after_minutes
  const facts = [
    t('distribution.modeIs', {
      mode: t(`distribution.modes.${distribution.mode}`),
    }),
    waiting === 0
      ? t('distribution.noneWaiting')
      : [
          t('distribution.waiting', { count: waiting }),
          age && t('distribution.oldest', { time: age }),
        ]
          .filter(Boolean)
          .join(', '),
    t(status.open ? 'distribution.open' : 'distribution.closed'),
  ]
  return (
    <Section
      title={t('distribution.next')}
      action={
        onEdit && (
          <Button variant="default" size="xs" onClick={onEdit}>
            {t('distribution.change')}
          </Button>
        )
      }
    >
      <div role="status" className={classes.next}>
        {next && <Avatar id={next.id} name={next.name} size={40} />}
        <div className={rows.main}>
          <strong>{next ? next.name : t('distribution.nobody')}</strong>
          <span>{t(`distribution.why.${nextReason(status)}`)}</span>
        </div>
      </div>
      <p className={classes.facts}>{facts.join(' · ')}</p>
      {distribution.mode !== 'manual' &&
        (distribution.prefer_last || returns !== null) && (
          <p className={classes.facts}>
            {[
              distribution.prefer_last && t('distribution.prefers'),
              returns !== null && t('distribution.returns', { count: returns }),
            ]
              .filter(Boolean)
              .join(' ')}
          </p>
        )}
    </Section>
  )
}

function Members({ status }: { status: DistributionStatus }) {
  const { t } = useTranslation()
  if (status.members.length === 0)
    return (
      <Alert color="yellow" variant="light" mt="md">
        {t('distribution.noMembers')}
      </Alert>
    )
  return (
    <Section title={t('sectors.members')} text={t('distribution.membersText')}>
      <Table
        aria-label={t('sectors.members')}
        verticalSpacing={8}
        horizontalSpacing={8}
        className={classes.table}
      >
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('distribution.person')}</Table.Th>
            <Table.Th>{t('distribution.state')}</Table.Th>
            <Table.Th ta="right">{t('distribution.cases')}</Table.Th>
            <Table.Th className={classes.wide}>
              {t('distribution.received')}
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {status.members.map((member) => (
            <Table.Tr key={member.user.id} data-reason={member.reason}>
              <Table.Th scope="row">{member.user.name}</Table.Th>
              <Table.Td>
                <span
                  className={`${settings.presence} ${classes.state}`}
                  data-presence={member.presence}
                >
                  {t(`distribution.reason.${member.reason}`)}
                </span>
              </Table.Td>
              <Table.Td ta="right">
                {t('distribution.load', {
                  open: member.open_attendances,
                  capacity: member.capacity,
                })}
              </Table.Td>
              <Table.Td className={classes.wide}>
                {member.received_at
                  ? dateAndTime(member.received_at)
                  : t('distribution.neverReceived')}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Section>
  )
}
