import { Suspense } from 'react'
import { withTexts } from '../ui/i18n'
import { part } from '../ui/parts'
import type { CloseProps } from './CloseForm'

const CloseForm = part(() =>
  withTexts('cases', import('./CloseForm')).then((loaded) => loaded.CloseForm),
)

/** CloseDialog asks for what closing a case needs. */
export const CloseDialog = (props: CloseProps) => (
  <Suspense fallback={null}>
    <CloseForm {...props} />
  </Suspense>
)
