import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { useMe } from '../api/queries'
import type { Invitation } from '../api/types'
import { useSubmit } from '../api/useSubmit'
import { CopyField } from '../ui/CopyField'
import { Dialog } from '../ui/Dialog'
import { dateAndTime } from '../ui/format'
import { FormFooter } from '../ui/FormFooter'
import { MemberFields, type Access } from './MemberFields'
import { manageable } from './roles'

/** InviteDialog creates an invitation and then shows its link, which the server returns only once. */
export function InviteDialog({
  onMade,
  onClose,
}: {
  onMade: (made: Invitation) => void
  onClose: () => void
}) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const me = useMe()
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [access, setAccess] = useState<Access>({
    role: 'agent',
    access_profile: 'all',
    sector_ids: [],
  })
  const { busy, problem, wrong, run } = useSubmit({
    fields: ['name', 'email', 'role', 'access_profile', 'sector_ids'],
    taken: 'email',
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void run(async () => {
      const made = await unwrap(
        api.POST('/team/invitations', {
          body: { name: name.trim(), email: email.trim(), ...access },
        }),
      )
      await client.invalidateQueries({ queryKey: keys.invitations })
      onMade(made)
    })
  }
  return (
    <Dialog title={t('team.invite')} onClose={onClose}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput
            label={t('settings.name')}
            data-autofocus
            required
            withAsterisk={false}
            maxLength={120}
            value={name}
            error={wrong.name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextInput
            label={t('signIn.email')}
            type="email"
            required
            withAsterisk={false}
            maxLength={254}
            value={email}
            error={wrong.email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <MemberFields
            value={access}
            onChange={setAccess}
            roles={manageable(me.user.role)}
            problems={wrong}
          />
          <FormFooter
            busy={busy}
            problem={problem}
            submit={t('team.createInvitation')}
          />
        </Stack>
      </form>
    </Dialog>
  )
}

type LinkProps = {
  title: string
  text: string
  url: string
  expires: string
  onClose: () => void
}

/** LinkDialog shows a link to send to someone else. */
export function LinkDialog({ title, text, url, expires, onClose }: LinkProps) {
  const { t } = useTranslation()
  return (
    <Dialog title={title} onClose={onClose}>
      <Stack gap="md">
        <Text size="sm">{text}</Text>
        <CopyField
          label={t('team.link')}
          value={url}
          copy={t('team.copyLink')}
          description={t('team.validUntil', { time: dateAndTime(expires) })}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('team.done')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
