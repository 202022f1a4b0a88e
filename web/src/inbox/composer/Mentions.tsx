import { useTranslation } from 'react-i18next'
import { useTeam } from '../../api/queries'
import type { Conversation } from '../../api/types'
import { phone } from '../../ui/format'
import { useGroupMembers } from '../useGroupMembers'
import { Options } from './Options'

type Props = {
  filter: string
  onChoose: (text: string) => void
  onClose: () => void
}

/** Mentions suggests the people of the team who match the text after "@". */
export function Mentions(props: Props) {
  const people = (useTeam().data ?? []).map(({ id, name }) => ({
    id,
    name,
    text: `@${name} `,
  }))
  return <People people={people} {...props} />
}

/** MemberMentions suggests the members of a group who match the text after "@". Members with the same name are mentioned by number. */
export function MemberMentions({
  conversation,
  ...props
}: Props & { conversation: Conversation }) {
  const members = useGroupMembers(conversation.id)
  const people = members.flatMap((member, at) => {
    const number = member.phone?.slice(1) ?? ''
    const isUnique = !members.some(
      (other, i) => i !== at && other.name === member.name,
    )
    const text = isUnique ? member.name || number : number || member.name
    if (text === '') return []
    const name =
      text === member.name
        ? member.name
        : `${member.name} ${phone(member.phone)}`.trim()
    return [{ id: String(at), name, text: `@${text} ` }]
  })
  return people.length > 0 && <People people={people} {...props} />
}

function People({
  people,
  filter,
  onChoose,
  onClose,
}: Props & { people: { id: string; name: string; text: string }[] }) {
  const { t } = useTranslation()
  const found = people.filter(({ name, text }) =>
    `${name} ${text.slice(1)}`
      .toLocaleLowerCase()
      .split(/\s+/)
      .some((word) => word.startsWith(filter)),
  )
  return (
    <Options
      label={t('note.people')}
      none={t('note.nobody')}
      onClose={onClose}
      options={found.slice(0, 8).map(({ id, name, text }) => ({
        id,
        content: <strong>{name}</strong>,
        choose: () => onChoose(text),
      }))}
    />
  )
}
