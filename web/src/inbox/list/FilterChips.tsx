import { IconX } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useNames } from '../../api/queries'
import { activeFilters, type Search } from './view'
import classes from './ListPane.module.css'

type Props = {
  search: Search
  onSearch: (change: Partial<Search>) => void
}

/** FilterChips shows the active filters, which can be removed one by one. */
export function FilterChips(props: Props) {
  return activeFilters(props.search) > 0 ? <Chips {...props} /> : null
}

function Chips({ search, onSearch }: Props) {
  const { t } = useTranslation()
  const names = useNames()
  const { channel, sector, person, label, kind } = search
  const who = (id: string) =>
    id === 'me'
      ? t('filters.me')
      : id === 'none'
        ? t('filters.nobody')
        : names.person(id)
  const chips = (
    [
      ['channel', channel && names.channel(channel)?.name],
      ['sector', sector && names.sector(sector)],
      ['person', person && who(person)],
      ['label', label && names.label(label)?.name],
      ['kind', kind && t(`filters.${kind}`)],
    ] as const
  ).filter(([field]) => search[field])
  return (
    <ul className={classes.chips} aria-label={t('list.filters')}>
      {chips.map(([field, value]) => {
        const text = `${t(`filters.${field}`)}: ${value ?? '…'}`
        const remove = t('filters.remove', { name: text })
        return (
          <li key={field} className={classes.chip}>
            <span>{text}</span>
            <button
              type="button"
              aria-label={remove}
              title={remove}
              onClick={() => onSearch({ [field]: undefined })}
            >
              <IconX size={13} />
            </button>
          </li>
        )
      })}
    </ul>
  )
}
