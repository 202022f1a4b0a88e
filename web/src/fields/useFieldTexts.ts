import { useTranslation } from 'react-i18next'
import { Failure } from '../api/client'
import { fieldText } from '../api/refusal'
import type { CustomField } from '../api/types'
import { keyed, type Wrong } from './values'

/** useFieldTexts returns what is wrong with the values of fields, in the user's language. */
export function useFieldTexts() {
  const { t } = useTranslation()
  return {
    wrong: (why: Wrong | undefined) => why && t(`field.wrong.${why}`),
    /** refused returns what the server says about each field, by key. */
    refused: (error: unknown, fields: CustomField[]): Record<string, string> =>
      error instanceof Failure
        ? Object.fromEntries(
            keyed(error.details, fields).map(([field, detail]) => [
              field.key,
              error.code === 'field_required'
                ? t('wrong.required')
                : field.type === 'cpf' ||
                    field.type === 'cnpj' ||
                    field.type === 'number' ||
                    field.type === 'date' ||
                    field.type === 'link'
                  ? t(`field.wrong.${field.type}`)
                  : fieldText(detail, t),
            ]),
          )
        : {},
  }
}
