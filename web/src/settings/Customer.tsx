import { Alert, Button, Group, Stack, TextInput } from '@mantine/core'
import { IconMessages } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { answer, api } from '../api/client'
import type { Channel } from '../api/types'
import { useSave } from './useSave'
import classes from './Settings.module.css'

/** Customer writes a message to a test number as a customer would. */
export function Customer({ channel }: { channel: Channel }) {
  const { t } = useTranslation()
  const [from, setFrom] = useState('+55 11 91234-5678')
  const [name, setName] = useState('')
  const [text, setText] = useState('')
  const { busy, saved, problems, save, edited } = useSave(['from', 'name', 'text'])
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const done = await save(() => answer(api.POST('/channels/{id}/simulate', { params: { path: { id: channel.id } }, body: { from: from.trim(), ...(name.trim() ? { name: name.trim() } : {}), text: text.trim() } })))
    if (done) setText('')
  }
  return (
    <form aria-label={t('channels.write')} className={classes.section} onSubmit={(event) => void submit(event)}>
      <div className={classes.sectionHead}>
        <h2>{t('channels.write')}</h2>
        <p>{t('channels.writeText', { name: channel.name })}</p>
      </div>
      <Stack gap="sm">
        <Group grow align="flex-start">
          <TextInput label={t('channels.phone')} required withAsterisk={false} maxLength={64} value={from} error={problems.fields.from} onChange={(event) => setFrom(event.currentTarget.value)} />
          <TextInput label={t('channels.customer')} maxLength={120} value={name} error={problems.fields.name} onChange={(event) => setName(event.currentTarget.value)} />
        </Group>
        <TextInput
          label={t('channels.message')} required withAsterisk={false} maxLength={4096} value={text} error={problems.fields.text}
          onChange={(event) => {
            edited()
            setText(event.currentTarget.value)
          }}
        />
        {problems.other && <Alert color="red" variant="light">{problems.other}</Alert>}
        <Group justify="flex-end" align="center">
          <span role="status" className={classes.saved}>{saved ? t('channels.sent') : ''}</span>
          {saved && <Button component={Link} to="/" variant="default" leftSection={<IconMessages size={16} />}>{t('channels.inbox')}</Button>}
          <Button type="submit" loading={busy}>{t('channels.send')}</Button>
        </Group>
      </Stack>
    </form>
  )
}
