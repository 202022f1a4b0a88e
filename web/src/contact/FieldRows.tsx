import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { refusal } from '../api/refusal'
import type { CustomField, FieldValue, FieldValues } from '../api/types'
import { FieldInput } from '../fields/FieldInput'
import { useFieldTexts } from '../fields/useFieldTexts'
import { draftOf, readDrafts } from '../fields/values'
import classes from './Details.module.css'

type Save = (values: Record<string, FieldValue | null>) => Promise<unknown>

/** FieldRows shows custom fields in a panel. A value is saved on leaving its input; what the server refuses stays there with the reason. */
export function FieldRows({
  fields,
  values,
  fixed,
  onSave,
}: {
  fields: CustomField[]
  values: FieldValues
  fixed: boolean
  onSave: Save
}) {
  return fields.map((field) => (
    <FieldRow
      key={field.id}
      field={field}
      value={values[field.key]}
      fixed={fixed}
      onSave={onSave}
    />
  ))
}

function FieldRow({
  field,
  value,
  fixed,
  onSave,
}: {
  field: CustomField
  value: unknown
  fixed: boolean
  onSave: Save
}) {
  const { t } = useTranslation()
  const texts = useFieldTexts()
  const stored = draftOf(field, value)
  const [draft, setDraft] = useState(stored)
  const [error, setError] = useState<string>()
  useEffect(() => {
    setDraft(stored)
    setError(undefined)
  }, [stored])
  const commit = async (next: string) => {
    const known = value === undefined ? {} : { [field.key]: value }
    const { values, wrong } = readDrafts([field], { [field.key]: next }, known)
    setError(texts.wrong(wrong[field.key]))
    if (!(field.key in values)) {
      if (!wrong[field.key]) setDraft(stored)
      return
    }
    try {
      await onSave(values)
    } catch (failure) {
      setError(
        texts.refused(failure, [field])[field.key] ?? refusal(failure, t),
      )
    }
  }
  return (
    <FieldInput
      field={field}
      value={draft}
      error={error}
      disabled={fixed}
      size="xs"
      panel={{
        root: classes.field,
        label: classes.label,
        input: classes.input,
        error: classes.error,
      }}
      onChange={setDraft}
      onCommit={(next) => void commit(next)}
      onCancel={
        draft === stored
          ? undefined
          : () => {
              setDraft(stored)
              setError(undefined)
            }
      }
    />
  )
}
