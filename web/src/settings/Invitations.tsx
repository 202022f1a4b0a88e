import { ActionIcon, Button } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { Confirm } from '../api/Confirm'
import { keys } from '../api/keys'
import { Loaded } from '../api/Loaded'
import { useMe } from '../api/queries'
import type { Invitation } from '../api/types'
import { useAttempt } from '../api/useAttempt'
import { dateAndTime } from '../ui/format'
import { Section } from '../ui/Layout'
import { manageable } from './roles'
import { useInvitations } from './useInvitations'
import rows from '../ui/rows.module.css'

type Props = {
  links: Map<string, Invitation>
  onLink: (made: Invitation) => void
}

/** Invitations lists the invitations. links holds those created since the page was opened. */
export function Invitations({ links, onLink }: Props) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const attempt = useAttempt()
  const mine = useMe().user.role
  const invitations = useInvitations()
  const [cancelling, setCancelling] = useState<Invitation | null>(null)
  /** renew creates a new link to replace one that can no longer be shown. */
  const renew = ({
    name,
    email,
    role,
    access_profile,
    sector_ids,
  }: Invitation) =>
    attempt(async () => {
      onLink(
        await unwrap(
          api.POST('/team/invitations', {
            body: { name, email, role, access_profile, sector_ids },
          }),
        ),
      )
      await client.invalidateQueries({ queryKey: keys.invitations })
    })
  return (
    <Section title={t('team.invitations')} text={t('team.invitationsText')}>
      <Loaded query={invitations}>
        {(data) =>
          data.length === 0 ? (
            <p className={rows.none}>{t('team.noInvitations')}</p>
          ) : (
            <ul className={rows.rows} aria-label={t('team.invitations')}>
              {data.map((one) => {
                const link = links.get(one.id)
                const open =
                  !one.accepted_at && manageable(mine).includes(one.role)
                return (
                  <li key={one.id} className={rows.row} data-wrap>
                    <div className={rows.main}>
                      <strong>{one.name}</strong>
                      <span>
                        {one.email} · {t(`team.roles.${one.role}`)}
                      </span>
                      <InvitationState one={one} />
                    </div>
                    {open && (
                      <>
                        <Button
                          variant="default"
                          size="xs"
                          onClick={() =>
                            link ? onLink(link) : void renew(one)
                          }
                        >
                          {t(link ? 'team.copyLink' : 'team.newLink')}
                        </Button>
                        <ActionIcon
                          variant="subtle"
                          color="gray"
                          size={36}
                          aria-label={t('team.cancelInvitation', {
                            name: one.name,
                          })}
                          title={t('team.cancelInvitation', { name: one.name })}
                          onClick={() => setCancelling(one)}
                        >
                          <IconX size={18} />
                        </ActionIcon>
                      </>
                    )}
                  </li>
                )
              })}
            </ul>
          )
        }
      </Loaded>
      {cancelling && (
        <Confirm
          title={t('team.cancelTitle', { name: cancelling.name })}
          text={t('team.cancelText')}
          action={t('team.cancelAction')}
          onClose={() => setCancelling(null)}
          task={async () => {
            await unwrap(
              api.DELETE('/team/invitations/{id}', {
                params: { path: { id: cancelling.id } },
              }),
            )
            await client.invalidateQueries({ queryKey: keys.invitations })
          }}
        />
      )}
    </Section>
  )
}

function InvitationState({ one }: { one: Invitation }) {
  const { t } = useTranslation()
  if (one.accepted_at)
    return (
      <span>{t('team.accepted', { time: dateAndTime(one.accepted_at) })}</span>
    )
  if (new Date(one.expires_at) < new Date())
    return <span data-tone="amber">{t('team.expired')}</span>
  return (
    <span>{t('team.validUntil', { time: dateAndTime(one.expires_at) })}</span>
  )
}
