import { ActionIcon } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import type { Conversation } from '../../api/types'
import { ContactFields } from '../../contact/ContactFields'
import { Avatar } from '../../ui/Avatar'
import { phone } from '../../ui/format'
import { usePhone } from '../../ui/usePhone'
import { AttendanceDetails, Cards, Files, History } from './DetailsSections'
import { Notes } from './Notes'
import { ServiceLevel } from './ServiceLevel'
import classes from '../../contact/Details.module.css'

/** Details shows the customer and the case. */
export function Details({
  conversation,
  onClose,
}: {
  conversation: Conversation
  onClose: () => void
}) {
  const { t } = useTranslation()
  const id = conversation.contact
  const Name = usePhone() ? 'h1' : 'p' // on a phone the details are the whole page
  const contact = useQuery({
    queryKey: keys.contact(id ?? ''),
    enabled: id !== null,
    staleTime: 15_000, // there is no event for changes of contacts
    queryFn: () =>
      unwrap(api.GET('/contacts/{id}', { params: { path: { id: id ?? '' } } })),
  }).data
  return (
    <aside aria-label={t('details.title')} className={classes.details}>
      <ActionIcon
        className={classes.close}
        variant="subtle"
        color="gray"
        size={36}
        aria-label={t('details.hide')}
        onClick={onClose}
      >
        <IconX size={18} />
      </ActionIcon>
      <div className={classes.head}>
        <Avatar
          id={conversation.contact ?? conversation.id}
          name={conversation.name}
          size={64}
          group={conversation.kind === 'group'}
        />
        <Name className={classes.name}>{conversation.name}</Name>
        {conversation.phone && (
          <p className={classes.phone}>{phone(conversation.phone)}</p>
        )}
      </div>
      {contact && <ContactFields key={contact.id} contact={contact} />}
      <AttendanceDetails conversation={conversation} />
      <ServiceLevel conversation={conversation} />
      <History conversation={conversation} />
      <Cards conversation={conversation} />
      <Files conversation={conversation} />
      <Notes conversation={conversation} />
    </aside>
  )
}
