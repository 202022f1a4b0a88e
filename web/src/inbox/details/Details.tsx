import { ActionIcon } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import type { Conversation } from '../../api/types'
import { ContactFields } from '../../contact/ContactFields'
import { personName } from '../../contact/erased'
import { OptedOut } from '../../contact/OptedOut'
import { PersonalData } from '../../contact/PersonalData'
import { phone } from '../../ui/format'
import { usePhone } from '../../ui/usePhone'
import { ConversationAvatar } from '../ConversationAvatar'
import { AttendanceDetails, Cards, Files, History } from './DetailsSections'
import { GroupDetails } from './GroupDetails'
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
  const name = personName(conversation, t)
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
      <div className={classes.actions}>
        {contact && (
          <PersonalData
            contact={contact.id}
            conversation={conversation.id}
            size={36}
          />
        )}
        <ActionIcon
          variant="subtle"
          color="gray"
          size={36}
          aria-label={t('details.hide')}
          onClick={onClose}
        >
          <IconX size={18} />
        </ActionIcon>
      </div>
      <div className={classes.head}>
        <ConversationAvatar conversation={conversation} name={name} size={64} />
        <Name className={classes.name}>{name}</Name>
        {conversation.phone && (
          <p className={classes.phone}>{phone(conversation.phone)}</p>
        )}
        {conversation.erased && (
          <p className={classes.phone}>{t('details.erasedText')}</p>
        )}
        {contact && <OptedOut contact={contact} />}
      </div>
      {contact && <ContactFields key={contact.id} contact={contact} />}
      {conversation.kind === 'group' && (
        <GroupDetails conversation={conversation} />
      )}
      <AttendanceDetails conversation={conversation} />
      <ServiceLevel conversation={conversation} />
      <History conversation={conversation} />
      <Cards conversation={conversation} />
      <Files conversation={conversation} />
      <Notes conversation={conversation} />
    </aside>
  )
}
