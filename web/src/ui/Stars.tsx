import { IconStarFilled } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import classes from './Stars.module.css'

/** Stars shows a rating from 1 to 5. */
export function Stars({
  rating,
  size = 14,
}: {
  rating: number
  size?: number
}) {
  const { t } = useTranslation()
  const name = t('survey.rated', { rating })
  return (
    <span role="img" aria-label={name} title={name} className={classes.stars}>
      {[1, 2, 3, 4, 5].map((n) => (
        <IconStarFilled
          key={n}
          size={size}
          aria-hidden
          data-on={n <= rating || undefined}
        />
      ))}
    </span>
  )
}
