import { useTranslation } from 'react-i18next'
import { useTeam } from '../../api/queries'
import { Options } from './Options'

type Props = {
  filter: string
  onChoose: (text: string) => void
  onClose: () => void
}

/** Mentions suggests the people who match the text after "@". */
export function Mentions({ filter, onChoose, onClose }: Props) {
  const { t } = useTranslation()
  const people = (useTeam().data ?? [])
    .filter((one) =>
      one.name
        .toLocaleLowerCase()
        .split(/\s+/)
        .some((word) => word.startsWith(filter)),
    )
    .slice(0, 8)
  return (
    <Options
      label={t('note.people')}
      none={t('note.nobody')}
      onClose={onClose}
      options={people.map((one) => ({
        id: one.id,
        content: <strong>{one.name}</strong>,
        choose: () => onChoose(`@${one.name} `),
      }))}
    />
  )
}
