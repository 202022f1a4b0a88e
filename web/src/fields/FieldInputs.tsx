import { Suspense } from 'react'
import { withTexts } from '../ui/i18n'
import { part } from '../ui/parts'
import type { InputsProps } from './FieldInputList'

const List = part(() =>
  withTexts('cases', import('./FieldInputList')).then(
    (loaded) => loaded.FieldInputList,
  ),
)

/** FieldInputs has an input for each custom field of a form. It is loaded only if there are any. */
export const FieldInputs = (props: InputsProps) =>
  props.fields.length > 0 && (
    <Suspense fallback={null}>
      <List {...props} />
    </Suspense>
  )
