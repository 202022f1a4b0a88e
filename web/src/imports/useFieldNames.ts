import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useFields } from '../api/queries'

/** The fields of a contact that a column can go to, besides the company's own. */
export const contactFields = [
  'name',
  'phone',
  'company',
  'city',
  'labels',
  'opted_out',
] as const

/** useFieldNames returns the names of the fields that a column can go to. */
export function useFieldNames() {
  const { t } = useTranslation()
  const custom = useFields('contact')
  return useMemo(() => {
    const options = [
      ...contactFields.map((field) => ({
        value: field as string,
        label: t(`imports.field.${field}`),
      })),
      ...custom.map((field) => ({
        value: `fields.${field.key}`,
        label: field.name,
      })),
    ]
    const names = new Map(options.map(({ value, label }) => [value, label]))
    return { options, nameOf: (field: string) => names.get(field) ?? field }
  }, [t, custom])
}
