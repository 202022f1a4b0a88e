import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SendBody } from '../api/types'
import classes from './Composer.module.css'

type Chosen = NonNullable<SendBody['template']>

/** parametersOf reads the gaps of a template, one on a line. */
export const parametersOf = (lines: string) => lines.split('\n').map((text) => text.trim()).filter(Boolean).map((text) => ({ text }))

/** TemplateByName sends a template whose name is known, where the server has no list of them. */
export function TemplateByName({ onSend }: { onSend: (template: Chosen, preview: string) => void }) {
  const { t } = useTranslation()
  const [name, setName] = useState('')
  const [language, setLanguage] = useState('pt_BR')
  const [lines, setLines] = useState('')
  const parameters = parametersOf(lines)
  const preview = [name.trim(), ...parameters.map((one) => one.text)].filter(Boolean).join(' · ')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onSend({ name: name.trim(), language: language.trim(), ...(parameters.length > 0 ? { parameters } : {}) }, preview)
      }}
    >
      <Stack gap="md">
        <Group grow align="flex-start">
          <TextInput label={t('template.name')} description={t('template.nameText')} data-autofocus required withAsterisk={false} maxLength={512} value={name} onChange={(event) => setName(event.currentTarget.value)} />
          <TextInput label={t('template.language')} description={t('template.languageText')} required withAsterisk={false} maxLength={20} value={language} onChange={(event) => setLanguage(event.currentTarget.value)} />
        </Group>
        <Textarea label={t('template.gaps')} description={t('template.gapsText')} autosize minRows={2} maxRows={6} value={lines} onChange={(event) => setLines(event.currentTarget.value)} />
        <div className={classes.closed} aria-label={t('template.preview')} role="group">{preview || '…'}</div>
        <Group justify="flex-end"><Button type="submit" disabled={!name.trim() || !language.trim()}>{t('template.title')}</Button></Group>
      </Stack>
    </form>
  )
}
