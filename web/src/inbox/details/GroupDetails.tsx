import { Button, Switch } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useMe } from '../../api/queries'
import type { Conversation, GroupMember } from '../../api/types'
import { Section } from '../../contact/Section'
import { Avatar } from '../../ui/Avatar'
import { phone } from '../../ui/format'
import { useActions } from '../actions'
import { useGroupMembers } from '../useGroupMembers'
import classes from '../../contact/Details.module.css'
import own from './GroupDetails.module.css'

/** How many members are shown at first. */
const few = 8

/** The order of members. */
const roles = ['owner', 'admin', 'member']

/** GroupDetails shows the members of a group and whether its messages open cases. */
export function GroupDetails({ conversation }: { conversation: Conversation }) {
  const { t } = useTranslation()
  const actions = useActions()
  const { scopes } = useMe()
  const [all, setAll] = useState(false)
  const hint = useId()
  const members = useGroupMembers(conversation.id).toSorted(
    (a, b) => roles.indexOf(a.role) - roles.indexOf(b.role),
  )
  const mayChange = scopes.includes('conversations:write')
  if (members.length === 0 && !mayChange) return null
  return (
    <Section title={t('group.title')}>
      {mayChange && (
        <div>
          <Switch
            size="xs"
            classNames={{
              body: classes.switchBody,
              label: classes.switchLabel,
            }}
            label={t('group.cases')}
            aria-describedby={hint}
            checked={conversation.cases}
            onChange={(event) =>
              void actions.patch(conversation, {
                cases: event.currentTarget.checked,
              })
            }
          />
          <p id={hint} className={own.hint}>
            {t('group.casesText')}
          </p>
        </div>
      )}
      {members.length > 0 && (
        <>
          <p className={classes.nothing}>
            {t('group.members', { count: members.length })}
          </p>
          <ul className={own.members} aria-label={t('group.list')}>
            {(all ? members : members.slice(0, few)).map((member, at) => (
              <Member key={at} member={member} />
            ))}
          </ul>
        </>
      )}
      {!all && members.length > few && (
        <Button variant="subtle" size="xs" onClick={() => setAll(true)}>
          {t('common.more')}
        </Button>
      )}
    </Section>
  )
}

function Member({ member }: { member: GroupMember }) {
  const { t } = useTranslation()
  const number = phone(member.phone)
  const name = member.name || number || t('group.hidden')
  return (
    <li className={own.member}>
      <Avatar id={member.contact ?? name} name={member.name} size={32} />
      <div>
        {member.contact ? (
          <Link to="/contacts/$contact" params={{ contact: member.contact }}>
            {name}
          </Link>
        ) : (
          <strong>{name}</strong>
        )}
        {member.name && number && <span>{number}</span>}
      </div>
      {member.role !== 'member' && <em>{t(`group.role.${member.role}`)}</em>}
    </li>
  )
}
