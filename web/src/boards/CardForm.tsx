import { MultiSelect, NativeSelect, Select, Switch, Textarea, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer, api } from '../api/client'
import { keys } from '../api/keys'
import { useLabels, useTeam } from '../api/queries'
import { phone } from '../ui/format'
import { fromInput, toInput } from './due'
import type { Fields } from './fields'
import { priorities } from './search'
import classes from './CardDialog.module.css'

/** CardForm are the fields of a card. */
export function CardForm({ fields, disabled = false, onChange }: { fields: Fields; disabled?: boolean; onChange: (change: Partial<Fields>) => void }) {
  const { t } = useTranslation()
  const team = useTeam().data ?? []
  const labels = useLabels().data ?? []
  return (
    <div className={classes.form}>
      <TextInput className={classes.wide} label={t('card.title')} required withAsterisk={false} data-autofocus maxLength={120} disabled={disabled} value={fields.title} onChange={(event) => onChange({ title: event.currentTarget.value })} />
      <Textarea className={classes.wide} label={t('card.description')} autosize minRows={3} maxRows={10} maxLength={10_000} disabled={disabled} value={fields.description ?? ''} onChange={(event) => onChange({ description: event.currentTarget.value })} />
      <NativeSelect
        label={t('boards.field.priority')} disabled={disabled} value={fields.priority} data={priorities.map((one) => ({ value: one, label: t(`boards.priority.${one}`) }))}
        onChange={(event) => onChange({ priority: event.currentTarget.value as Fields['priority'] })}
      />
      <TextInput type="datetime-local" label={t('boards.field.due_at')} disabled={disabled} value={toInput(fields.due_at)} onChange={(event) => onChange({ due_at: fromInput(event.currentTarget.value) })} />
      <NativeSelect
        label={t('filters.person')} disabled={disabled} value={fields.assignee ?? ''} data={[{ value: '', label: t('filters.nobody') }, ...team.map((one) => ({ value: one.id, label: one.name }))]}
        onChange={(event) => onChange({ assignee: event.currentTarget.value || null })}
      />
      <ContactField value={fields.contact} disabled={disabled} onChange={(contact) => onChange({ contact })} />
      <MultiSelect
        className={classes.wide} label={t('details.labels')} searchable disabled={disabled} data={labels.map(({ id, name }) => ({ value: id, label: name }))} value={fields.label_ids.filter((id) => labels.some((one) => one.id === id))}
        onChange={(label_ids) => onChange({ label_ids })}
      />
      <Switch className={classes.wide} label={t('boards.field.private')} description={t('boards.privateText')} disabled={disabled} checked={fields.private} onChange={(event) => onChange({ private: event.currentTarget.checked })} />
    </div>
  )
}

/** ContactField finds a person by name or phone. */
function ContactField({ value, disabled, onChange }: { value: string | null; disabled: boolean; onChange: (contact: string | null) => void }) {
  const { t } = useTranslation()
  const [text, setText] = useState('')
  const [wanted] = useDebouncedValue(text.trim(), 250)
  const current = useQuery({ queryKey: keys.contact(value ?? ''), enabled: value !== null, queryFn: () => answer(api.GET('/contacts/{id}', { params: { path: { id: value ?? '' } } })) }).data
  const searching = wanted.length >= 2 && wanted !== current?.name
  const found = useQuery({ queryKey: keys.contacts(wanted), enabled: searching, queryFn: () => answer(api.GET('/contacts', { params: { query: { q: wanted, limit: 10 } } })) }).data?.data ?? []
  const people = [...(current ? [current] : []), ...(searching ? found : []).filter((one) => one.id !== current?.id)]
  return (
    <Select
      label={t('details.contact')} searchable clearable disabled={disabled} placeholder={t('boards.contactText')} nothingFoundMessage={searching ? t('list.nothingFound') : undefined} value={value} filter={({ options }) => options}
      data={people.map((one) => ({ value: one.id, label: one.phone && people.filter((other) => other.name === one.name).length > 1 ? `${one.name}, ${phone(one.phone)}` : one.name }))}
      onSearchChange={setText} onChange={onChange} clearButtonProps={{ 'aria-label': t('boards.noContact') }}
    />
  )
}
