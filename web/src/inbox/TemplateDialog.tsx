import { Button, Group, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer, api } from '../api/client'
import { keys } from '../api/keys'
import type { SendBody, Template } from '../api/types'
import { Dialog } from '../ui/Dialog'
import { Empty, Failure, Loading } from '../ui/states'
import { refusal } from './refusal'
import { TemplateGap } from './TemplateGap'
import classes from './Composer.module.css'

type Chosen = NonNullable<SendBody['template']>

const gapKey = (parameter: Template['parameters'][number]) => `${parameter.component}.${parameter.name ?? parameter.index}`

/** filled puts the values into the body of a template. */
export function filled(template: Template, values: Record<string, string>): string {
  return template.body.replace(/\{\{\s*([\w]+)\s*\}\}/g, (gap, name: string) => values[`body.${name}`] || gap)
}

/** TemplateDialog chooses an approved template and fills its gaps. */
export function TemplateDialog({ channel, onClose, onSend }: { channel: string; onClose: () => void; onSend: (template: Chosen, preview: string) => void }) {
  const { t } = useTranslation()
  const list = useQuery({ queryKey: keys.templates(channel), queryFn: () => answer(api.GET('/channels/{id}/templates', { params: { path: { id: channel }, query: { status: 'approved', limit: 100 } } })) })
  const [chosen, setChosen] = useState<Template | null>(null)
  const [values, setValues] = useState<Record<string, string>>({})
  const complete = chosen?.parameters.every((parameter) => values[gapKey(parameter)]?.trim()) ?? false
  const send = () => {
    if (!chosen) return
    const parameters = chosen.parameters.map((parameter) => ({ component: parameter.component, ...(parameter.name ? { name: parameter.name } : {}), [parameter.type === 'text' ? 'text' : 'media_id']: values[gapKey(parameter)] ?? '' }))
    onSend({ name: chosen.name, language: chosen.language, parameters }, filled(chosen, values))
  }
  return (
    <Dialog title={t('template.title')} onClose={onClose} size="lg">
      {list.isLoading && <Loading rows={4} />}
      {list.isError && <Failure message={refusal(list.error, t)} onRetry={() => void list.refetch()} />}
      {list.data && list.data.data.length === 0 && <Empty title={t('template.none')} />}
      {list.data && !chosen && (
        <Stack gap={4}>
          {list.data.data.map((template) => (
            <Button key={template.id} variant="default" justify="flex-start" onClick={() => setChosen(template)}>{template.name} ({template.language})</Button>
          ))}
        </Stack>
      )}
      {chosen && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            send()
          }}
        >
          <Stack gap="md">
            {chosen.parameters.map((parameter) => (
              <TemplateGap key={gapKey(parameter)} gap={parameter} value={values[gapKey(parameter)] ?? ''} onValue={(value) => setValues((all) => ({ ...all, [gapKey(parameter)]: value }))} />
            ))}
            <div className={classes.closed} aria-label={t('template.preview')} role="group">{filled(chosen, values)}</div>
            <Group justify="space-between">
              <Button variant="default" onClick={() => setChosen(null)}>{t('common.back')}</Button>
              <Button type="submit" disabled={!complete}>{t('template.title')}</Button>
            </Group>
          </Stack>
        </form>
      )}
    </Dialog>
  )
}
