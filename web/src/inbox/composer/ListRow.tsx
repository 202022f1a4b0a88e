import { CloseButton } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { limits, type Row } from './offerForm'
import { Counted } from './OfferFrame'
import classes from '../thread/Offer.module.css'

/** ListRow edits the title and description of a list row. */
export function ListRow({
  row,
  n,
  focus,
  onChange,
  onRemove,
}: {
  row: Row
  n: number
  focus: boolean
  onChange: (row: Row) => void
  onRemove: (() => void) | undefined
}) {
  const { t } = useTranslation()
  return (
    <div className={classes.row}>
      <div className={classes.pair}>
        <Counted
          label={t('offer.row', { n })}
          most={limits.row}
          required
          autoFocus={focus}
          value={row.title}
          onChange={(title) => onChange({ ...row, title })}
        />
        {onRemove && (
          <CloseButton
            size="lg"
            aria-label={t('offer.removeRow', { n })}
            onClick={onRemove}
          />
        )}
      </div>
      <Counted
        label={t('offer.description', { n })}
        most={limits.description}
        value={row.description}
        onChange={(description) => onChange({ ...row, description })}
      />
    </div>
  )
}
