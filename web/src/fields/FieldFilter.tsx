import { Suspense } from 'react'
import { useFields } from '../api/queries'
import type { FieldEntity } from '../api/types'
import { withTexts } from '../ui/i18n'
import { part } from '../ui/parts'
import type { FilterProps } from './FieldFilterInputs'

const Inputs = part(() =>
  withTexts('cases', import('./FieldFilterInputs')).then(
    (loaded) => loaded.FieldFilterInputs,
  ),
)

/** FieldFilter filters a list by a custom field. It is shown only if there are any. */
export function FieldFilter({
  entity,
  ...props
}: Omit<FilterProps, 'fields'> & { entity: FieldEntity }) {
  const fields = useFields(entity)
  return (
    fields.length > 0 && (
      <Suspense fallback={null}>
        <Inputs fields={fields} {...props} />
      </Suspense>
    )
  )
}
