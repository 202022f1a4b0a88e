import type { TFunction } from 'i18next'

/** categoryName returns the name of a price category. Those that Meta adds later are shown as reported. */
export const categoryName = (category: string, t: TFunction) =>
  t(`costs.category.${category}`, {
    defaultValue: category.replaceAll(/[_-]/g, ' '),
  })
