import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import type { Template } from '../../api/types'
import { price } from '../../ui/money'

/** useTemplateCost returns a function that says what a template to a customer will cost: about R$ 0.35. It returns null if the company has entered no price. */
export function useTemplateCost(conversation: string) {
  const { t } = useTranslation()
  const rates = useQuery({
    queryKey: keys.conversationRates(conversation),
    staleTime: 60_000,
    queryFn: () =>
      unwrap(
        api.GET('/conversations/{id}/rates', {
          params: { path: { id: conversation } },
        }),
      ),
  }).data
  return ({ category }: Pick<Template, 'category'>): string | null => {
    if (!rates?.currency) return null
    const amount = Object.entries(rates.amounts).find(
      ([name]) => name === category,
    )?.[1]
    return typeof amount === 'number'
      ? t('template.cost', { price: price(amount, rates.currency) })
      : null
  }
}
