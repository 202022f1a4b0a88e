import { ActionIcon, Button } from '@mantine/core'
import { IconPencil, IconUserPlus } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { Confirm } from '../api/Confirm'
import { keys } from '../api/keys'
import { Loaded } from '../api/Loaded'
import { useMe, useTeam } from '../api/queries'
import type { Invitation, Member } from '../api/types'
import { Avatar } from '../ui/Avatar'
import { Page } from '../ui/Layout'
import { Invitations } from './Invitations'
import { InviteDialog, LinkDialog } from './InviteDialog'
import { MemberDialog } from './MemberDialog'
import { manageable, onlyOwner } from './roles'
import { useFresh } from './useFresh'
import rows from '../ui/rows.module.css'
import classes from './Settings.module.css'

/** Team is the page of team members and invitations. */
export default function Team() {
  const { t } = useTranslation()
  const client = useQueryClient()
  const me = useMe()
  const team = useTeam()
  useFresh(keys.team, keys.sectors, keys.invitations)
  const [inviting, setInviting] = useState(false)
  const [links, setLinks] = useState(new Map<string, Invitation>())
  const [shown, setShown] = useState<Invitation | null>(null)
  const [editing, setEditing] = useState<Member | null>(null)
  const [removing, setRemoving] = useState<Member | null>(null)
  const show = (made: Invitation) => {
    setInviting(false)
    setLinks(new Map(links).set(made.id, made))
    setShown(made)
  }
  return (
    <Page
      title={t('team.title')}
      text={t('team.text')}
      action={
        <Button
          leftSection={<IconUserPlus size={16} />}
          onClick={() => setInviting(true)}
        >
          {t('team.invite')}
        </Button>
      }
    >
      <Loaded query={team}>
        {(data) => (
          <ul className={rows.rows} aria-label={t('team.title')}>
            {data.map((member) => (
              <MemberRow
                key={member.id}
                member={member}
                me={member.id === me.user.id}
                onEdit={
                  manageable(me.user.role).includes(member.role)
                    ? () => setEditing(member)
                    : undefined
                }
              />
            ))}
          </ul>
        )}
      </Loaded>
      <Invitations links={links} onLink={show} />
      {inviting && (
        <InviteDialog onMade={show} onClose={() => setInviting(false)} />
      )}
      {shown?.url && (
        <LinkDialog
          title={t('team.linkTitle', { name: shown.name })}
          text={t('team.linkText', { name: shown.name })}
          url={shown.url}
          expires={shown.expires_at}
          onClose={() => setShown(null)}
        />
      )}
      {editing && (
        <MemberDialog
          member={editing}
          onlyOwner={onlyOwner(team.data ?? [], editing)}
          onClose={() => setEditing(null)}
          onRemove={() => {
            setRemoving(editing)
            setEditing(null)
          }}
        />
      )}
      {removing && (
        <Confirm
          title={t('team.removeTitle', { name: removing.name })}
          text={t('team.removeText', { name: removing.name })}
          action={t('team.removeAction')}
          onClose={() => setRemoving(null)}
          task={async () => {
            await unwrap(
              api.DELETE('/team/{id}', {
                params: { path: { id: removing.id } },
              }),
            )
            await Promise.all(
              [keys.team, keys.sectors].map((queryKey) =>
                client.invalidateQueries({ queryKey }),
              ),
            )
          }}
        />
      )}
    </Page>
  )
}

function MemberRow({
  member,
  me,
  onEdit,
}: {
  member: Member
  me: boolean
  onEdit?: () => void
}) {
  const { t } = useTranslation()
  const cases = member.open_attendances
  const sectors = member.sectors.map((sector) => sector.name).join(', ')
  return (
    <li className={rows.row}>
      <Avatar id={member.id} name={member.name} size={36} />
      <div className={rows.main}>
        <strong>
          {member.name}
          {me && <em> {t('team.you')}</em>}
        </strong>
        <span>{member.email}</span>
        <span>
          {[
            t(`team.roles.${member.role}`),
            t(`team.profiles.${member.access_profile}`),
            sectors,
          ]
            .filter(Boolean)
            .join(' · ')}
        </span>
        <span className={classes.presence} data-presence={member.presence}>
          {t(`presence.${member.presence}`)}
          {cases > 0 && ` · ${t('transfer.openCases', { count: cases })}`}
        </span>
      </div>
      {onEdit && (
        <ActionIcon
          variant="subtle"
          color="gray"
          size={36}
          aria-label={t('settings.edit', { name: member.name })}
          title={t('settings.edit', { name: member.name })}
          onClick={onEdit}
        >
          <IconPencil size={18} />
        </ActionIcon>
      )}
    </li>
  )
}
