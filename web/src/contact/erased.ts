import type { TFunction } from 'i18next'
import type { Card } from '../api/types'

/** personName returns the name of a person as the user sees it: a text in their language if the person was erased. */
export const personName = (
  { name, erased }: { name: string; erased: boolean },
  t: TFunction,
): string => (erased ? t('details.erasedPerson') : name)

/** cardTitle returns the title of a card as the user sees it. */
export const cardTitle = ({ title, erased }: Card, t: TFunction): string =>
  personName({ name: title, erased }, t)
