import { NativeSelect, TextInput, type MantineSize } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CustomField } from '../api/types'
import type { FieldFilterValue } from './filter'
import { draftOf, typed, valueOf } from './values'

export type FilterProps = {
  fields: CustomField[]
  filter: FieldFilterValue
  size?: MantineSize
  classNames: Partial<Record<'root' | 'label', string>>
  onChange: (filter: FieldFilterValue) => void
}

/** FieldFilterInputs chooses a custom field and the value that a list is filtered by. */
export function FieldFilterInputs({
  fields,
  filter,
  size,
  classNames,
  onChange,
}: FilterProps) {
  const { t } = useTranslation()
  const field = fields.find((one) => one.key === filter.field)
  return (
    <>
      <NativeSelect
        size={size}
        label={t('field.filter')}
        classNames={classNames}
        value={field?.key ?? ''}
        data={[
          { value: '', label: t('filters.all') },
          ...fields.map((one) => ({ value: one.key, label: one.name })),
        ]}
        onChange={(event) =>
          onChange({
            field: event.currentTarget.value || undefined,
            value: undefined,
          })
        }
      />
      {field && (
        <Value
          key={field.id}
          field={field}
          size={size}
          value={filter.value}
          onChange={(value) => onChange({ field: field.key, value })}
        />
      )}
    </>
  )
}

function Value({
  field,
  value,
  size,
  onChange,
}: {
  field: CustomField
  value: string | undefined
  size?: MantineSize
  onChange: (value: string | undefined) => void
}) {
  const { t } = useTranslation()
  const stored =
    field.type === 'number' && value !== undefined
      ? draftOf(field, Number(value))
      : draftOf(field, value)
  const [draft, setDraft] = useState(stored)
  useEffect(() => setDraft(stored), [stored])
  const label = t('field.value', { name: field.name })
  if (field.type === 'choice' || field.type === 'bool')
    return (
      <NativeSelect
        size={size}
        aria-label={label}
        value={value ?? ''}
        data={[
          { value: '', label: t('filters.all') },
          ...(field.type === 'bool'
            ? [
                { value: 'true', label: t('field.yes') },
                { value: 'false', label: t('field.no') },
              ]
            : field.options.map((one) => ({ value: one, label: one }))),
        ]}
        onChange={(event) => onChange(event.currentTarget.value || undefined)}
      />
    )
  const read = valueOf(field, draft)
  const commit = () => {
    if ('wrong' in read) return
    const next = read.value === null ? undefined : String(read.value)
    if (next !== value) onChange(next)
  }
  return (
    <TextInput
      size={size}
      type={field.type === 'date' ? 'date' : 'search'}
      aria-label={label}
      placeholder={field.name}
      maxLength={1000}
      error={'wrong' in read && draft !== stored ? true : undefined}
      value={draft}
      onChange={(event) => setDraft(typed(field, event.currentTarget.value))}
      onBlur={commit}
      onKeyDown={(event) => event.key === 'Enter' && commit()}
    />
  )
}
