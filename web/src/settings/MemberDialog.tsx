import '@mantine/core/styles/NumberInput.layer.css'
import {
  Alert,
  Button,
  Group,
  NumberInput,
  Stack,
  TextInput,
} from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { useMe } from '../api/queries'
import type { Member } from '../api/types'
import { useSubmit } from '../api/useSubmit'
import { Saved } from '../ui/Saved'
import { CopyField } from '../ui/CopyField'
import { Dialog } from '../ui/Dialog'
import { dateAndTime } from '../ui/format'
import { FormFooter } from '../ui/FormFooter'
import { MemberFields, type Access } from './MemberFields'
import { manageable } from './roles'
import classes from './Settings.module.css'

type Props = {
  member: Member
  onlyOwner: boolean
  onRemove: () => void
  onClose: () => void
}

/** MemberDialog edits a team member and helps with sign-in problems. */
export function MemberDialog({ member, onlyOwner, onRemove, onClose }: Props) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const me = useMe()
  const [name, setName] = useState(member.name)
  const [email, setEmail] = useState(member.email)
  const [access, setAccess] = useState<Access>({
    role: member.role,
    access_profile: member.access_profile,
    sector_ids: member.sectors.map((sector) => sector.id),
  })
  const [capacity, setCapacity] = useState(member.capacity)
  const { busy, problem, wrong, run } = useSubmit({
    fields: [
      'name',
      'email',
      'role',
      'access_profile',
      'sector_ids',
      'capacity',
    ],
    taken: 'email',
  })
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const { role, ...rest } = access
    const done = await run(async () => {
      await unwrap(
        api.PATCH('/team/{id}', {
          params: { path: { id: member.id } },
          body: {
            name: name.trim(),
            email: email.trim(),
            capacity,
            ...rest,
            ...(role === member.role ? {} : { role }),
          },
        }),
      )
      await Promise.all(
        [
          keys.team,
          keys.sectors,
          ...(member.id === me.user.id ? [keys.session] : []),
        ].map((queryKey) => client.invalidateQueries({ queryKey })),
      )
    })
    if (done) onClose()
  }
  return (
    <Dialog title={t('settings.edit', { name: member.name })} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
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
            fixedRole={onlyOwner ? t('team.onlyOwner') : undefined}
            problems={wrong}
          />
          <NumberInput
            label={t('distribution.capacity')}
            description={t('distribution.memberCapacityText')}
            placeholder={t('distribution.ofSector')}
            min={1}
            max={100}
            allowDecimal={false}
            allowNegative={false}
            value={capacity ?? ''}
            error={wrong.capacity}
            onChange={(number) =>
              setCapacity(number === '' ? null : Number(number))
            }
          />
          <FormFooter busy={busy} problem={problem} submit={t('common.save')} />
        </Stack>
      </form>
      <SignInHelp member={member} />
      {!onlyOwner && (
        <Group className={classes.dialogPart}>
          <Button variant="subtle" color="red" onClick={onRemove}>
            {t('team.remove')}
          </Button>
        </Group>
      )}
    </Dialog>
  )
}

/** SignInHelp creates a reset link and ends sessions. */
function SignInHelp({ member }: { member: Member }) {
  const { t } = useTranslation()
  const { busy, problem, run } = useSubmit()
  const [link, setLink] = useState<{
    url: string | null
    expires_at: string
  } | null>(null)
  const [ended, setEnded] = useState(false)
  const params = { path: { id: member.id } }
  const reset = () =>
    void run(async () =>
      setLink(await unwrap(api.POST('/team/{id}/reset-link', { params }))),
    )
  const end = () =>
    void run(async () => {
      await unwrap(api.DELETE('/team/{id}/sessions', { params }))
      setEnded(true)
    })
  return (
    <section aria-label={t('team.signIn')} className={classes.dialogPart}>
      <Stack gap="sm">
        <h3>{t('team.signIn')}</h3>
        {problem && (
          <Alert color="red" variant="light">
            {problem}
          </Alert>
        )}
        {link && (
          <CopyField
            label={t('team.link')}
            value={link.url ?? ''}
            copy={t('team.copyLink')}
            description={`${t('team.resetText', { name: member.name })} ${t('team.validUntil', { time: dateAndTime(link.expires_at) })}`}
          />
        )}
        <Group gap="xs">
          <Button variant="default" disabled={busy} onClick={reset}>
            {t('team.resetLink')}
          </Button>
          <Button variant="default" disabled={busy} onClick={end}>
            {t('team.signOut')}
          </Button>
        </Group>
        <Saved
          shown={ended}
          text={t('team.signedOut', { name: member.name })}
        />
      </Stack>
    </section>
  )
}
