import type { CustomField } from '../api/types'
import { FieldInput } from './FieldInput'
import type { Drafts } from './values'

export type InputsProps = {
  fields: CustomField[]
  drafts: Drafts
  wrong: Record<string, string>
  disabled?: boolean
  onChange: (key: string, draft: string) => void
}

/** FieldInputList has an input for each custom field of a form. */
export const FieldInputList = ({
  fields,
  drafts,
  wrong,
  disabled,
  onChange,
}: InputsProps) =>
  fields.map((field) => (
    <FieldInput
      key={field.id}
      field={field}
      value={drafts[field.key] ?? ''}
      error={wrong[field.key]}
      disabled={disabled}
      onChange={(draft) => onChange(field.key, draft)}
    />
  ))
